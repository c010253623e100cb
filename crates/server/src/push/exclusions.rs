//! Functions that the operator wants on V8, by patterns of their paths.

/// Patterns such as `reports:*`; a `*` stands for any text.
#[derive(Clone, Debug, Default)]
pub struct Exclusions(Vec<String>);

impl Exclusions {
    /// What these patterns match.
    pub fn new(patterns: Vec<String>) -> Self {
        Self(patterns)
    }

    /// Whether a function, `module:function`, is meant.
    pub fn match_function(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, path))
    }
}

/// Whether a pattern stands for a text. The parts between stars are found one after the other, each as early as possible.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(last) = parts.next_back() else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("a:b", "a:b", true),
            ("a:b", "a:bc", false),
            ("a:*", "a:b", true),
            ("*:b", "a:b", true),
            ("*", "a:b", true),
            ("a*a", "a", false),
            ("reports/*:get*", "reports/daily:getAll", true),
            ("reports/*:get*", "reports:getAll", false),
            ("*a*b*c", "xaxbxbxc", true),
            ("*a*b*c", "xaxcxb", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}

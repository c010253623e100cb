//! What a test says of itself: the YAML comment at its beginning (test262's `INTERPRETING.md`).
//!
//! Tests use a small part of YAML, and only a few keys matter here, so it is read by hand.

/// Metadata of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Harness files the test needs, beside the usual ones.
    pub includes: Vec<String>,
    /// How it is to be run: `module`, `onlyStrict`, `noStrict`, `raw`, `async` and others.
    pub flags: Vec<String>,
    /// Features of the language it is about.
    pub features: Vec<String>,
    /// The error it must end with.
    pub negative: Option<Negative>,
}

/// An error that a test must end with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Negative {
    /// When: `parse`, `resolution` or `runtime`.
    pub phase: String,
    /// Name of the error's constructor.
    pub kind: String,
}

impl Metadata {
    /// Reads the metadata of a test's source; a test without any has none.
    pub fn of(source: &str) -> Self {
        let mut metadata = Metadata::default();
        let Some((_, rest)) = source.split_once("/*---") else { return metadata };
        let Some((yaml, _)) = rest.split_once("---*/") else { return metadata };
        let mut key = "";
        for line in yaml.lines() {
            let is_nested = line.starts_with(' ');
            let line = line.trim();
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.trim();
            match (is_nested, key, name) {
                (false, ..) => {
                    key = name;
                    if let Some(list) = metadata.list(key) {
                        list.extend(items(value));
                    }
                }
                (true, "negative", "phase") => metadata.negative.get_or_insert_default().phase = value.to_owned(),
                (true, "negative", "type") => metadata.negative.get_or_insert_default().kind = value.to_owned(),
                (true, ..) => {
                    if let Some(list) = metadata.list(key) {
                        list.extend(items(line.trim_start_matches("- ")));
                    }
                }
            }
        }
        metadata
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|set| set == flag)
    }

    /// Whether the test is a script to be run in strict mode. Most tests must pass in both modes; those run in strict mode
    /// only, which is that of modules.
    pub fn is_strict_script(&self) -> bool {
        !["module", "noStrict", "raw"].iter().any(|flag| self.has(flag))
    }

    fn list(&mut self, key: &str) -> Option<&mut Vec<String>> {
        match key {
            "includes" => Some(&mut self.includes),
            "flags" => Some(&mut self.flags),
            "features" => Some(&mut self.features),
            _ => None,
        }
    }
}

/// Items of a list in brackets, or of a line of one.
fn items(text: &str) -> impl Iterator<Item = String> {
    let items = text.trim_matches(['[', ']']).split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_in_both_styles_and_the_expected_error() {
        let source = "// Copyright\n/*---\ndescription: >\n  flags: none\nnegative:\n  phase: parse\n  type: SyntaxError\n\
                      flags: [module, async]\nincludes:\n  - a.js\n  - b.js\nfeatures: [\n  Symbol, let\n]\n---*/\n";
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let expected = Metadata {
            includes: words(&["a.js", "b.js"]),
            flags: words(&["module", "async"]),
            features: words(&["Symbol", "let"]),
            negative: Some(Negative { phase: "parse".to_owned(), kind: "SyntaxError".to_owned() }),
        };
        assert_eq!(Metadata::of(source), expected);
    }

    #[test]
    fn a_test_without_metadata_has_none() {
        assert_eq!(Metadata::of("throw 1;"), Metadata::default());
    }
}

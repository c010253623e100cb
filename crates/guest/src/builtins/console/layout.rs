//! How entries of an object are laid out on lines, as `util.inspect` of Node does it with `compact: 3`.

/// Longest line of an object shown on one line.
const BREAK_LENGTH: usize = 80;
/// Innermost levels that may share a line.
const COMPACT: usize = 3;
/// Arrays with more entries than this are shown in columns.
const MIN_GROUPED: usize = 6;
/// Most columns.
const MAX_COLUMNS: usize = 15;

/// The parts of an object's text.
pub struct Parts {
    /// What stands before the opening brace: `<ref *1>`, `[Function: f]`.
    pub base: String,
    /// Opening brace, with the prefix.
    pub open: String,
    /// Closing brace.
    pub close: &'static str,
    /// Entries in order.
    pub entries: Vec<String>,
    /// Whether the last entry is "… more items".
    pub has_rest: bool,
    /// For arrays, whether all elements are numbers.
    pub array_of_numbers: Option<bool>,
}

/// Display width: characters.
fn width(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Joins the parts. `indentation` is that of the object, `nesting` how many levels below it the last object shown was.
pub fn join(mut parts: Parts, indentation: usize, nesting: usize) -> String {
    let count = parts.entries.len();
    if parts.array_of_numbers.is_some() && count > MIN_GROUPED {
        group(&mut parts, indentation);
    }
    let base = if parts.base.is_empty() { String::new() } else { format!("{} ", parts.base) };
    if nesting < COMPACT && count == parts.entries.len() {
        let start = count + indentation + width(&parts.open) + width(&parts.base) + 10;
        let total = parts.entries.iter().map(|entry| width(entry)).sum::<usize>() + count + start;
        let fits = total <= BREAK_LENGTH && !parts.base.contains('\n');
        if fits && !parts.entries.iter().any(|entry| entry.contains('\n')) {
            return format!("{base}{} {} {}", parts.open, parts.entries.join(", "), parts.close);
        }
    }
    let line = format!("\n{}", " ".repeat(indentation));
    let entries = parts.entries.join(&format!(",{line}  "));
    format!("{base}{}{line}  {entries}{line}{}", parts.open, parts.close)
}

/// Puts the entries of a long array into columns, if they are short enough.
fn group(parts: &mut Parts, indentation: usize) {
    let count = parts.entries.len();
    let shown = if parts.has_rest { count - 1 } else { count };
    let widths: Vec<usize> = parts.entries[..shown].iter().map(|entry| width(entry)).collect();
    let total: usize = widths.iter().map(|width| width + 2).sum();
    let longest = widths.iter().copied().max().unwrap_or(0);
    let column = longest + 2;
    if column * 3 + indentation >= BREAK_LENGTH || !(total as f64 / column as f64 > 5.0 || longest <= 6) {
        return;
    }
    let bias = (column as f64 - total as f64 / count as f64).sqrt();
    let biased = (column as f64 - 3.0 - bias).max(1.0);
    let columns = ((2.5 * biased * shown as f64).sqrt() / biased).round() as usize;
    let columns = columns.min((BREAK_LENGTH - indentation) / column).min(COMPACT * 4).min(MAX_COLUMNS);
    if columns <= 1 {
        return;
    }
    let column_width = |column: usize| widths.iter().skip(column).step_by(columns).copied().max().unwrap_or(0) + 2;
    let column_widths: Vec<usize> = (0..columns).map(column_width).collect();
    let align_right = parts.array_of_numbers == Some(true);
    let mut lines = vec![];
    for (row, entries) in parts.entries[..shown].chunks(columns).enumerate() {
        let mut line = String::new();
        for (index, entry) in entries.iter().enumerate() {
            let is_last = index + 1 == entries.len();
            let text = if is_last { entry.clone() } else { format!("{entry}, ") };
            let target = column_widths[index] - if is_last { 2 } else { 0 };
            let used = widths[row * columns + index] + if is_last { 0 } else { 2 };
            let padding = " ".repeat(target.saturating_sub(used));
            if align_right {
                line.push_str(&padding);
                line.push_str(&text);
            } else {
                line.push_str(&text);
                if !is_last {
                    line.push_str(&padding);
                }
            }
        }
        lines.push(line);
    }
    if parts.has_rest {
        lines.push(parts.entries[shown].clone());
    }
    parts.entries = lines;
}

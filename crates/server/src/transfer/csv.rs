//! Comma-separated values (RFC 4180).

/// The rows of a file. A cell may be quoted, and then contain commas, line breaks and doubled quotes.
///
/// # Errors
/// A quote is not closed; the line it begins on.
pub fn rows(text: &str) -> Result<Vec<Vec<String>>, usize> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut line = 1;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if cell.is_empty() => {
                let opened = line;
                loop {
                    match characters.next().ok_or(opened)? {
                        '"' if characters.peek() == Some(&'"') => {
                            characters.next();
                            cell.push('"');
                        }
                        '"' => break,
                        other => {
                            line += usize::from(other == '\n');
                            cell.push(other);
                        }
                    }
                }
            }
            ',' => row.push(std::mem::take(&mut cell)),
            '\n' => {
                line += 1;
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if characters.peek() == Some(&'\n') => {}
            other => cell.push(other),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    // An empty line is no row.
    rows.retain(|row| row.as_slice() != [""]);
    Ok(rows)
}

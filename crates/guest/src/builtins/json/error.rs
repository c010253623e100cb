//! Why a text is no JSON, in V8's words.

use crate::string::JsString;
use crate::throw::{Throw, throw_syntax_error};

/// Units shown on either side of an unexpected one.
const CONTEXT: u32 = 10;
/// Texts of this length are shown in part.
const LONG: u32 = 40;

/// Why parsing stopped.
pub enum Failure {
    /// The text ended too early.
    End,
    /// The unit at this position cannot stand there.
    Token(usize),
    /// Something follows the value, at this position.
    Trailing(usize),
    /// A known mistake at this position.
    At(usize, &'static str),
    /// Something else was thrown.
    Thrown(Throw),
}

impl Failure {
    /// Throws the SyntaxError.
    #[cold]
    pub fn throw(self, source: JsString) -> Throw {
        let text = || source.to_text();
        let is_stray_value = ["NaN", "Infinity", "undefined", "[object Object]"].iter().any(|value| source.is(value));
        match self {
            Failure::Thrown(throw) => throw,
            Failure::End | Failure::Token(_) if is_stray_value => {
                throw_syntax_error(format!("\"{}\" is not valid JSON", text()))
            }
            Failure::End => throw_syntax_error("Unexpected end of JSON input"),
            Failure::Trailing(position) => throw_syntax_error(format!(
                "Unexpected non-whitespace character after JSON at {}",
                place(source, position)
            )),
            Failure::At(position, what) => throw_syntax_error(format!("{what} in JSON at {}", place(source, position))),
            Failure::Token(position) => throw_syntax_error(token_text(source, position as u32)),
        }
    }
}

/// A position, also as line and column, both counted from 1. Lines end with CR, LF, or both.
fn place(source: JsString, position: usize) -> String {
    let (mut line, mut line_start) = (1, 0);
    let units: Vec<u16> = source.units().iter().take(position).collect();
    for (index, &unit) in units.iter().enumerate() {
        let is_end =
            unit == u16::from(b'\n') || unit == u16::from(b'\r') && units.get(index + 1) != Some(&u16::from(b'\n'));
        if is_end {
            (line, line_start) = (line + 1, index + 1);
        }
    }
    format!("position {position} (line {line} column {})", position - line_start + 1)
}

fn token_text(source: JsString, position: u32) -> String {
    let unit = source.slice(position, position + 1).to_text();
    match unit.as_bytes() {
        [b'0'..=b'9' | b'-'] => return format!("Unexpected number in JSON at {}", place(source, position as usize)),
        b"\"" => return format!("Unexpected string in JSON at {}", place(source, position as usize)),
        _ => {}
    }
    let length = source.len();
    let (mut start, mut end) = (0, length);
    let (mut before, mut after) = ("", "");
    if length >= LONG {
        if position >= CONTEXT {
            start = position - CONTEXT;
            before = "...";
        }
        if position + CONTEXT < length {
            end = position + CONTEXT;
            after = "...";
        }
    }
    let context = source.slice(start, end).to_text();
    format!("Unexpected token '{unit}', {before}\"{context}\"{after} is not valid JSON")
}

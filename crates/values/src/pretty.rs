//! Values and validators as JavaScript-like text, for messages to developers.

use std::fmt::{self, Display, Formatter};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::{ConvexValue, Validator};

impl Display for ConvexValue {
    /// Writes `{name: "x", age: 3.0, count: 1n}`.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Int64(number) => write!(formatter, "{number}n"),
            Self::CommitTs => formatter.write_str("db.vars.commitTs"),
            Self::Float64(number) if number.is_infinite() => {
                formatter.write_str(if *number > 0.0 { "Infinity" } else { "-Infinity" })
            }
            Self::Float64(number) if number.is_nan() => formatter.write_str("NaN"),
            Self::Float64(number) => write!(formatter, "{number:?}"),
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::String(text) => write!(formatter, "{text:?}"),
            Self::Bytes(bytes) => write!(formatter, "Bytes(\"{}\")", BASE64.encode(bytes)),
            Self::Array(items) => {
                formatter.write_str("[")?;
                write_list(formatter, items)?;
                formatter.write_str("]")
            }
            Self::Object(fields) => {
                formatter.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write_separator(formatter, index)?;
                    write!(formatter, "{}: {value}", FieldName(name))?;
                }
                formatter.write_str("}")
            }
        }
    }
}

impl Display for Validator {
    /// Writes `v.object({name: v.string(), age: v.optional(v.float64())})`.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("v.any()"),
            Self::Null => formatter.write_str("v.null()"),
            Self::Int64 => formatter.write_str("v.int64()"),
            Self::CommitTs => formatter.write_str("v.commitTs()"),
            Self::Function(_) => formatter.write_str("v.function()"),
            Self::Float64 => formatter.write_str("v.float64()"),
            Self::Boolean => formatter.write_str("v.boolean()"),
            Self::String => formatter.write_str("v.string()"),
            Self::Bytes => formatter.write_str("v.bytes()"),
            Self::Literal(value) => write!(formatter, "v.literal({value})"),
            Self::Id(table) => write!(formatter, "v.id({table:?})"),
            Self::Array(element) => write!(formatter, "v.array({element})"),
            Self::Record(keys, values) => write!(formatter, "v.record({keys}, {values})"),
            Self::Union(members) => {
                formatter.write_str("v.union(")?;
                write_list(formatter, members)?;
                formatter.write_str(")")
            }
            Self::Object(fields) => {
                formatter.write_str("v.object({")?;
                for (index, field) in fields.iter().enumerate() {
                    write_separator(formatter, index)?;
                    write!(formatter, "{}: ", FieldName(&field.name))?;
                    if field.optional {
                        write!(formatter, "v.optional({})", field.validator)?;
                    } else {
                        write!(formatter, "{}", field.validator)?;
                    }
                }
                formatter.write_str("})")
            }
        }
    }
}

fn write_separator(formatter: &mut Formatter<'_>, index: usize) -> fmt::Result {
    if index == 0 { Ok(()) } else { formatter.write_str(", ") }
}

fn write_list<T: Display>(formatter: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write_separator(formatter, index)?;
        write!(formatter, "{item}")?;
    }
    Ok(())
}

/// The name of a field: bare where JavaScript allows that, quoted elsewhere.
struct FieldName<'a>(&'a str);

impl Display for FieldName<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut bytes = self.0.bytes();
        let bare = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && bytes.all(|next| next.is_ascii_alphanumeric() || next == b'_');
        if bare { formatter.write_str(self.0) } else { write!(formatter, "{:?}", self.0) }
    }
}

//! Identifiers, field names and field paths.

use std::fmt;

use crate::{ConvexObject, ConvexValue};

/// Most bytes of a field name.
pub const MAX_FIELD_NAME_LENGTH: usize = 1024;
/// Most characters of an identifier.
pub const MAX_IDENTIFIER_LENGTH: usize = 64;

/// Checks the name of an object's field: printable ASCII, at most 1024 bytes, no `$` at the start; it may be empty.
/// The error is a sentence for the developer.
pub fn check_field_name(name: &str) -> Result<(), String> {
    if name.starts_with('$') {
        Err(format!("Field name {name:?} starts with '$', which is reserved."))
    } else if name.len() > MAX_FIELD_NAME_LENGTH {
        Err(format!("A field name has {} bytes (maximum length: {MAX_FIELD_NAME_LENGTH}).", name.len()))
    } else if let Some(bad) = name.chars().find(|character| !matches!(character, ' '..='~')) {
        Err(format!(
            "Field name {name:?} has the invalid character {bad:?}: field names are printable ASCII characters only."
        ))
    } else {
        Ok(())
    }
}

/// Checks a table, index or function name, or one part of a field path: `[A-Za-z_][A-Za-z0-9_]*`, at most 64
/// characters and not only underscores. The error is a sentence for the developer.
pub fn check_identifier(name: &str) -> Result<(), String> {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if name.is_empty() {
        Err("An identifier must not be empty.".to_owned())
    } else if name.len() > MAX_IDENTIFIER_LENGTH {
        Err(format!("Identifier {name:?} is too long ({} characters, maximum: {MAX_IDENTIFIER_LENGTH}).", name.len()))
    } else if !starts_well || !characters.all(|next| next.is_ascii_alphanumeric() || next == '_') {
        Err(format!(
            "Identifier {name:?} is not valid: it must start with a letter or underscore and go on with letters, \
             digits and underscores."
        ))
    } else if name.bytes().all(|byte| byte == b'_') {
        Err(format!("Identifier {name:?} must have a character that is not an underscore."))
    } else {
        Ok(())
    }
}

/// A dotted path to a field, such as `author.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Box<str>);

impl FieldPath {
    /// Parses a path. The error is a sentence for the developer.
    pub fn parse(path: &str) -> Result<Self, String> {
        path.split('.').try_for_each(check_identifier)?;
        Ok(Self(path.into()))
    }

    /// The path `_creationTime`.
    pub fn creation_time() -> Self {
        Self("_creationTime".into())
    }

    /// The path `_id`.
    pub fn id() -> Self {
        Self("_id".into())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value at this path, or `None` where a field is missing or something on the way is not an object.
    pub fn get<'a>(&self, document: &'a ConvexObject) -> Option<&'a ConvexValue> {
        let mut parts = self.0.split('.');
        let mut value = document.get(parts.next()?)?;
        for part in parts {
            value = value.as_object()?.get(part)?;
        }
        Some(value)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

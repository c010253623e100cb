//! Built-ins: text_encoding.

/// Builds them.
pub(crate) fn install() {}

//! Built-ins: array.

/// Builds them.
pub(crate) fn install() {}

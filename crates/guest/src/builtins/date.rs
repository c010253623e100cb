//! Built-ins: date.

/// Builds them.
pub(crate) fn install() {}

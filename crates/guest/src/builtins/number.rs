//! Built-ins: number.

/// Builds them.
pub(crate) fn install() {}

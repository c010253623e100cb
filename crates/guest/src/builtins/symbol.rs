//! Built-ins: symbol.

/// Builds them.
pub(crate) fn install() {}

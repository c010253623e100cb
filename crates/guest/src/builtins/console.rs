//! Built-ins: console.

/// Builds them.
pub(crate) fn install() {}

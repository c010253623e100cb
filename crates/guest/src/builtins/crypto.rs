//! Built-ins: crypto.

/// Builds them.
pub(crate) fn install() {}

//! Built-ins: uri.

/// Builds them.
pub(crate) fn install() {}

//! Built-ins: url.

/// Builds them.
pub(crate) fn install() {}

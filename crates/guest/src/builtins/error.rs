//! Built-ins: error.

/// Builds them.
pub(crate) fn install() {}

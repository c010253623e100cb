//! Built-ins: regexp.

/// Builds them.
pub(crate) fn install() {}

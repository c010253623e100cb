//! Built-ins: weak.

/// Builds them.
pub(crate) fn install() {}

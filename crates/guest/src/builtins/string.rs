//! Built-ins: string.

/// Builds them.
pub(crate) fn install() {}

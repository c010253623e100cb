//! Built-ins: math.

/// Builds them.
pub(crate) fn install() {}

//! Built-ins: global.

/// Builds them.
pub(crate) fn install() {}

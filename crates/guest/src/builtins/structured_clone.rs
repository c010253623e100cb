//! Built-ins: structured_clone.

/// Builds them.
pub(crate) fn install() {}

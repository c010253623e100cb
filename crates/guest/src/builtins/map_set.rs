//! Built-ins: map_set.

/// Builds them.
pub(crate) fn install() {}

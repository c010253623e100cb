//! Built-ins: iterator.

/// Builds them.
pub(crate) fn install() {}

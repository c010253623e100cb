//! `Function`.

/// Builds them.
pub(crate) fn install() {}

//! `Object`.

/// Builds them.
pub(crate) fn install() {}

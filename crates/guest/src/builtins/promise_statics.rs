//! Built-ins: promise_statics.

/// Builds them.
pub(crate) fn install() {}

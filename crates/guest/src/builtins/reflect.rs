//! Built-ins: reflect.

/// Builds them.
pub(crate) fn install() {}

//! Built-ins: base64.

/// Builds them.
pub(crate) fn install() {}

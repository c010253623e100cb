//! Built-ins: generator_protos.

/// Builds them.
pub(crate) fn install() {}

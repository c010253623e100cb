//! Built-ins: bigint.

/// Builds them.
pub(crate) fn install() {}

//! `Convex`, `process.env`, and what depends on the execution.

use crate::object::exotic::Exotic;

/// Builds them.
pub(crate) fn install() {}

/// Internal methods of `process.env`.
pub struct EnvironmentExotic;

impl Exotic for EnvironmentExotic {}

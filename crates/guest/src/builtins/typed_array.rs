//! `ArrayBuffer`, typed arrays, `DataView`.

use crate::object::exotic::Exotic;

/// Builds them.
pub(crate) fn install() {}

/// Internal methods of typed arrays.
pub struct TypedArrayExotic;

impl Exotic for TypedArrayExotic {}

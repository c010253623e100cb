//! BigInt cells.

use num_bigint::BigInt;

use crate::cell::{Gc, Header, kind};

/// A BigInt cell.
#[repr(C)]
pub struct BigIntCell {
    header: Header,
    value: BigInt,
}

impl BigIntCell {
    /// A cell with this value.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(value: BigInt) -> Gc<BigIntCell> {
        Gc::new(BigIntCell { header: Header::new(kind::BIGINT, 0, 0, 0), value })
    }

    /// The value.
    pub fn value(&self) -> &BigInt {
        &self.value
    }
}

//! NaN-boxed values: one 64-bit word for every JavaScript value.
//!
//! A word below [`FIRST_TAGGED`] (unsigned) is an IEEE-754 double. NaNs are only ever `0x7FF8…0` or `0xFFF8…0`:
//! whoever reads raw bits (typed arrays, `DataView`) replaces other NaNs by [`NAN`]. All other words carry a 16-bit
//! tag on top and a 32-bit payload below; bits 32–47 are zero, so equal tagged words mean identical values.
//!
//! A number that fits an `i32` (and is not −0) may be held either as [`TAG_INT`] or as a double. Nothing may depend on
//! which: equality, map keys and conversions treat both alike.

/// First word that is not a double.
pub const FIRST_TAGGED: u64 = 0xFFF9_0000_0000_0000;
/// The one NaN that boxing produces.
pub const NAN: u64 = 0x7FF8_0000_0000_0000;
/// Shift of the 16-bit tag.
pub const TAG_SHIFT: u32 = 48;

/// 32-bit signed integer in the payload.
pub const TAG_INT: u64 = 0xFFF9;
/// undefined, null, booleans and the internal markers.
pub const TAG_SPECIAL: u64 = 0xFFFA;
/// Address of a string cell.
pub const TAG_STRING: u64 = 0xFFFB;
/// Address of a symbol cell (private names are symbols too).
pub const TAG_SYMBOL: u64 = 0xFFFC;
/// Address of a BigInt cell.
pub const TAG_BIGINT: u64 = 0xFFFD;
/// Address of an object cell.
pub const TAG_OBJECT: u64 = 0xFFFE;
/// Address of a cell that is no JavaScript value (iterator record, frame). Never seen by user code.
pub const TAG_INTERNAL: u64 = 0xFFFF;

/// Puts a tag on a payload.
#[inline]
pub const fn tagged(tag: u64, payload: u32) -> u64 {
    (tag << TAG_SHIFT) | payload as u64
}

/// `undefined`
pub const UNDEFINED: u64 = tagged(TAG_SPECIAL, 0);
/// `null`
pub const NULL: u64 = tagged(TAG_SPECIAL, 1);
/// `false`
pub const FALSE: u64 = tagged(TAG_SPECIAL, 2);
/// `true`; `FALSE | 1 == TRUE`, so a Wasm boolean `b` is boxed as `FALSE | b`.
pub const TRUE: u64 = tagged(TAG_SPECIAL, 3);
/// A hole in an array, a binding in its temporal dead zone, "iteration is over". Never seen by user code.
pub const EMPTY: u64 = tagged(TAG_SPECIAL, 4);
/// Returned by a call that threw; the thrown value is in [`crate::memory::PENDING_EXCEPTION`].
pub const EXCEPTION: u64 = tagged(TAG_SPECIAL, 5);
/// Returned by a resume function that stopped at `await` or `yield`.
pub const SUSPENDED: u64 = tagged(TAG_SPECIAL, 6);

/// Boxes an `i32`.
#[inline]
pub const fn int(value: i32) -> u64 {
    tagged(TAG_INT, value as u32)
}

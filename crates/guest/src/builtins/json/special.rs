//! Finding what a JSON string escapes, 16 bytes at a time.
//!
//! Loads may reach up to 15 bytes beyond a string. They are never beyond the linear memory: the heap ends before that does,
//! and whatever they read there is masked out.

use core::arch::wasm32::{
    i8x16_bitmask, i8x16_eq, i16x8_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u16x8_eq, u16x8_lt, u16x8_splat, v128,
    v128_load, v128_or, v128_store,
};

/// One bit for each quote, backslash and control character.
#[inline]
#[target_feature(enable = "simd128")]
fn specials(bytes: v128) -> u32 {
    let quotes = u8x16_eq(bytes, u8x16_splat(b'"'));
    let backslashes = u8x16_eq(bytes, u8x16_splat(b'\\'));
    let controls = u8x16_lt(bytes, u8x16_splat(0x20));
    u32::from(i8x16_bitmask(v128_or(controls, v128_or(quotes, backslashes))))
}

/// As [`specials`], for UTF-16.
#[inline]
#[target_feature(enable = "simd128")]
fn wide_specials(units: v128) -> u32 {
    let quotes = u16x8_eq(units, u16x8_splat(b'"' as u16));
    let backslashes = u16x8_eq(units, u16x8_splat(b'\\' as u16));
    let controls = u16x8_lt(units, u16x8_splat(0x20));
    u32::from(i16x8_bitmask(v128_or(controls, v128_or(quotes, backslashes))))
}

/// Position of the first quote, backslash or control character; the length if there is none.
#[inline]
#[target_feature(enable = "simd128")]
pub fn find(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        // SAFETY: see the module.
        let found = specials(unsafe { v128_load(text.as_ptr().add(at).cast()) });
        if found != 0 {
            return text.len().min(at + found.trailing_zeros() as usize);
        }
        at += 16;
    }
    text.len()
}

/// As [`find`], for UTF-16.
#[target_feature(enable = "simd128")]
pub fn find_wide(text: &[u16]) -> usize {
    let mut at = 0;
    while at < text.len() {
        // SAFETY: see the module.
        let found = wide_specials(unsafe { v128_load(text.as_ptr().add(at).cast()) });
        if found != 0 {
            return text.len().min(at + found.trailing_zeros() as usize);
        }
        at += 8;
    }
    text.len()
}

/// As [`find`], copying what comes before to `target`.
///
/// # Safety
/// `target` has room for the whole text and 15 bytes more, which may be overwritten.
#[target_feature(enable = "simd128")]
pub unsafe fn copy(text: &[u8], target: *mut u8) -> usize {
    let mut at = 0;
    while at < text.len() {
        // SAFETY: see the module.
        let bytes = unsafe { v128_load(text.as_ptr().add(at).cast()) };
        // SAFETY: the caller's; at most 15 bytes go beyond the text's length.
        unsafe { v128_store(target.add(at).cast(), bytes) };
        let found = specials(bytes);
        if found != 0 {
            return text.len().min(at + found.trailing_zeros() as usize);
        }
        at += 16;
    }
    text.len()
}

/// Whether the text begins with `key` and a quote, and `key` stands for itself.
#[inline]
#[target_feature(enable = "simd128")]
pub fn is_quoted(text: &[u8], key: &[u8]) -> bool {
    if text.get(key.len()) != Some(&b'"') {
        return false;
    }
    let mut at = 0;
    while at < key.len() {
        // SAFETY: see the module.
        let (here, wanted) =
            unsafe { (v128_load(text.as_ptr().add(at).cast()), v128_load(key.as_ptr().add(at).cast())) };
        let wrong = !u32::from(i8x16_bitmask(i8x16_eq(here, wanted))) | specials(wanted);
        if (wrong.trailing_zeros() as usize) < (key.len() - at).min(16) {
            return false;
        }
        at += 16;
    }
    true
}

//! Searching and comparing Latin-1 text, 16 bytes at a time.
//!
//! Loads may reach up to 15 bytes beyond a string. They are never beyond the linear memory: the heap ends before that does,
//! and whatever they read there is masked out.

use core::arch::wasm32::{
    i8x16_bitmask, i8x16_eq, i8x16_splat, u8x16_lt, u8x16_splat, u8x16_sub, v128, v128_and, v128_any_true, v128_load,
    v128_or, v128_store, v128_xor,
};
use core::cmp::Ordering;

/// The 16 bytes from `at` on.
#[inline]
#[target_feature(enable = "simd128")]
fn load(text: &[u8], at: usize) -> v128 {
    debug_assert!(at <= text.len());
    // SAFETY: see the module.
    unsafe { v128_load(text.as_ptr().add(at).cast()) }
}

/// Position of `needle`, which is not empty, in `text`: where its first and its last byte fit, the rest is compared.
#[target_feature(enable = "simd128")]
pub fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let last = needle.len() - 1;
    let starts = text.len().checked_sub(last)?;
    let (first_byte, last_byte) = (i8x16_splat(needle[0] as i8), i8x16_splat(needle[last] as i8));
    let mut at = 0;
    while at < starts {
        let fits = v128_and(i8x16_eq(load(text, at), first_byte), i8x16_eq(load(text, at + last), last_byte));
        let mut candidates = u32::from(i8x16_bitmask(fits));
        while candidates != 0 {
            let start = at + candidates.trailing_zeros() as usize;
            if start >= starts {
                return None;
            }
            if last < 2 || equal(&text[start + 1..start + last], &needle[1..last]) {
                return Some(start);
            }
            candidates &= candidates - 1;
        }
        at += 16;
    }
    None
}

/// Position of the first byte in which two texts differ; the length of the shorter one if there is none.
#[inline]
#[target_feature(enable = "simd128")]
fn first_difference(a: &[u8], b: &[u8]) -> usize {
    let length = a.len().min(b.len());
    let mut at = 0;
    while at < length {
        let differs = !u32::from(i8x16_bitmask(i8x16_eq(load(a, at), load(b, at)))) & 0xFFFF;
        if differs != 0 {
            return length.min(at + differs.trailing_zeros() as usize);
        }
        at += 16;
    }
    length
}

/// Whether two texts are the same.
#[target_feature(enable = "simd128")]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && first_difference(a, b) == a.len()
}

/// Order of two texts by their bytes.
#[target_feature(enable = "simd128")]
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let at = first_difference(a, b);
    match (a.get(at), b.get(at)) {
        (Some(a), Some(b)) => a.cmp(b),
        _ => a.len().cmp(&b.len()),
    }
}

/// The text with the case of its 26 letters from `first` on ('A' or 'a') changed. `None` if that changes nothing, or if
/// there are characters that are not ASCII.
#[target_feature(enable = "simd128")]
pub fn change_ascii_case(text: &[u8], first: u8) -> Option<Vec<u8>> {
    let mut changed: Vec<u8> = Vec::with_capacity(text.len() + 15);
    let mut any = i8x16_splat(0);
    let mut at = 0;
    while at < text.len() {
        let bytes = load(text, at);
        let beyond = (at + 16).saturating_sub(text.len());
        if i8x16_bitmask(bytes) & (0xFFFF >> beyond) != 0 {
            return None;
        }
        let is_letter = u8x16_lt(u8x16_sub(bytes, u8x16_splat(first)), u8x16_splat(26));
        let flipped = v128_and(is_letter, u8x16_splat(0x20));
        if beyond == 0 || i8x16_bitmask(is_letter) & (0xFFFF >> beyond) != 0 {
            any = v128_or(any, is_letter);
        }
        // SAFETY: the buffer has room for the text and 15 bytes more.
        unsafe { v128_store(changed.as_mut_ptr().add(at).cast(), v128_xor(bytes, flipped)) };
        at += 16;
    }
    if !v128_any_true(any) {
        return None;
    }
    // SAFETY: so many bytes were written.
    unsafe { changed.set_len(text.len()) };
    Some(changed)
}

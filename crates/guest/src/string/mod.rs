//! Strings: immutable sequences of UTF-16 units, held as Latin-1 or UTF-16, flat or as a rope (see
//! [`convex_wasm_abi::layout::string`]).

mod builder;
mod intern;
mod number;
pub mod ropes;
pub mod simd;

pub use builder::StringBuilder;
pub(crate) use intern::drop_dead;
pub use intern::{intern_latin1, intern_str, intern_utf16, reserve_interned};
pub use number::{
    append_int, append_number, array_index, is_space, number_to_string, parse_number, prepare_small_ints,
};

use core::cell::Cell;
use core::cmp::Ordering;

use convex_wasm_abi::layout::{kind, string as abi};

use crate::cell::{Gc, Header};
use crate::heap::{self, Contents};
use crate::state::State;
use crate::throw::{JsResult, throw_range_error};

/// Longest string, in units; as in V8.
pub const MAX_LENGTH: u32 = (1 << 29) - 24;
/// Bytes of a string cell without data.
const CELL_SIZE: u32 = abi::SIZE;
/// Longer data are a cell of their own: the string's header has no room for their size.
const MAX_INLINE_DATA: u32 = 0xFFFF * 8;
/// Flag private to the guest: the interned string is an array index (canonical, below 2³² − 1).
const INDEX: u8 = 8;
/// Flag private to the guest: an interned string with the same units is the owner of the data, which begin right behind
/// its cell.
const THIN: u8 = 16;
/// Concatenations up to this length are copied at once: a rope would cost more.
const FLAT_CONCAT: u32 = 24;

/// A string cell.
#[repr(C)]
pub struct StringCell {
    /// Extra: words of data behind the cell. Word: length in units.
    header: Header,
    /// Hash, or the left half of a rope.
    hash: Cell<u32>,
    /// Address of the first unit, or the right half of a rope.
    data: Cell<u32>,
}

/// A string.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct JsString(Gc<StringCell>);

/// The units of a flat string. Nothing frees or changes them, so they may be kept.
#[derive(Clone, Copy)]
pub enum Units {
    /// One byte for each unit.
    Latin1(&'static [u8]),
    /// UTF-16.
    Utf16(&'static [u16]),
}

impl Units {
    /// Number of units.
    #[inline(always)]
    pub fn len(self) -> usize {
        match self {
            Units::Latin1(units) => units.len(),
            Units::Utf16(units) => units.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The unit at `index`.
    #[inline(always)]
    pub fn get(self, index: usize) -> Option<u16> {
        match self {
            Units::Latin1(units) => units.get(index).map(|&unit| unit as u16),
            Units::Utf16(units) => units.get(index).copied(),
        }
    }

    /// All units.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }

    /// The code point at `index` and the number of units it takes; lone surrogates stand for themselves.
    pub fn code_point(self, index: usize) -> Option<(u32, usize)> {
        let first = self.get(index)?;
        if first & 0xFC00 == 0xD800
            && let Some(second) = self.get(index + 1)
            && second & 0xFC00 == 0xDC00
        {
            return Some((0x1_0000 + ((first as u32 & 0x3FF) << 10) + (second as u32 & 0x3FF), 2));
        }
        Some((first as u32, 1))
    }
}

impl JsString {
    /// The string with this address.
    ///
    /// # Safety
    /// `address` is that of an initialised string cell.
    #[inline(always)]
    pub unsafe fn from_address(address: u32) -> JsString {
        // SAFETY: passed on to the caller.
        JsString(unsafe { Gc::from_address(address) })
    }

    /// The cell's address.
    #[inline(always)]
    pub fn address(self) -> u32 {
        self.0.address()
    }

    /// A fresh string cell with its data, right behind it unless they are long, to be filled by the caller.
    fn allocate(length: u32, two_byte: bool) -> JsString {
        let bytes = if two_byte { length * 2 } else { length };
        let flags = if two_byte { abi::TWO_BYTE } else { 0 };
        if bytes > MAX_INLINE_DATA {
            let data = heap::allocate_storage(bytes, Contents::Bytes);
            let header = Header::new(kind::STRING, flags, 0, length);
            return JsString(Gc::new(StringCell { header, hash: Cell::new(0), data: Cell::new(data) }));
        }
        let address = heap::allocate(CELL_SIZE + bytes);
        let cell = StringCell {
            header: Header::new(kind::STRING, flags, bytes.div_ceil(8) as u16, length),
            hash: Cell::new(0),
            data: Cell::new(address + CELL_SIZE),
        };
        // SAFETY: the memory is fresh and large enough for the cell.
        unsafe { core::ptr::write(address as usize as *mut StringCell, cell) };
        // SAFETY: just initialised.
        unsafe { JsString::from_address(address) }
    }

    /// A string of Latin-1 bytes.
    pub fn from_latin1(units: &[u8]) -> JsString {
        if let [unit] = units {
            return intern::single_unit(*unit);
        }
        let string = JsString::allocate(units.len() as u32, false);
        // SAFETY: `allocate` reserved that many bytes at `data`.
        unsafe { copy_bytes(units.as_ptr(), string.0.data.get() as usize as *mut u8, units.len()) };
        string
    }

    /// A string of UTF-16 units; held as Latin-1 if they allow.
    pub fn from_utf16(units: &[u16]) -> JsString {
        if units.iter().fold(0, |all, unit| all | unit) < 0x100 {
            if let [unit] = units {
                return intern::single_unit(*unit as u8);
            }
            let string = JsString::allocate(units.len() as u32, false);
            let data = string.0.data.get() as usize as *mut u8;
            for (index, unit) in units.iter().enumerate() {
                // SAFETY: `allocate` reserved that many bytes at `data`.
                unsafe { data.add(index).write(*unit as u8) };
            }
            return string;
        }
        let string = JsString::allocate(units.len() as u32, true);
        let data = string.0.data.get() as usize as *mut u16;
        // SAFETY: `allocate` reserved twice that many bytes at `data`.
        unsafe { core::ptr::copy_nonoverlapping(units.as_ptr(), data, units.len()) };
        string
    }

    /// A string of Rust text.
    #[allow(clippy::should_implement_trait)]
    pub fn from_str(text: &str) -> JsString {
        if text.is_ascii() {
            return JsString::from_latin1(text.as_bytes());
        }
        let length = text.chars().map(char::len_utf16).sum::<usize>();
        let two_byte = text.chars().any(|point| point as u32 > 0xFF);
        if length == 1 && !two_byte {
            return text.chars().next().map_or_else(JsString::empty, |point| intern::single_unit(point as u8));
        }
        let string = JsString::allocate(length as u32, two_byte);
        let data = string.0.data.get() as usize;
        for (index, unit) in text.encode_utf16().enumerate() {
            // SAFETY: `allocate` reserved `length` units at `data`, of one byte or two.
            unsafe {
                match two_byte {
                    true => (data as *mut u16).add(index).write(unit),
                    false => (data as *mut u8).add(index).write(unit as u8),
                }
            }
        }
        string
    }

    /// The empty string.
    #[inline]
    pub fn empty() -> JsString {
        static EMPTY: State<Option<JsString>> = State::new(None);
        match EMPTY.with(|empty| *empty) {
            Some(empty) => empty,
            None => {
                let string = intern_latin1(b"");
                EMPTY.with(|empty| *empty = Some(string));
                string
            }
        }
    }

    /// The string of one unit.
    pub fn from_unit(unit: u16) -> JsString {
        if unit < 0x100 { intern::single_unit(unit as u8) } else { JsString::from_utf16(&[unit]) }
    }

    /// Length in units.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.0.header.word.get()
    }

    /// Whether this is the empty string.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    fn flags(self) -> u8 {
        self.0.header.flags.get()
    }

    /// Whether the string is interned, so that equality with another interned one is identity.
    #[inline(always)]
    pub fn is_interned(self) -> bool {
        self.flags() & abi::INTERNED != 0
    }

    /// The units; flattens a rope first.
    #[inline]
    pub fn units(self) -> Units {
        if self.flags() & abi::ROPE != 0 {
            self.flatten();
        }
        let data = self.0.data.get() as usize;
        let length = self.len() as usize;
        // SAFETY: a flat string's data are `length` initialised units, never written again.
        unsafe {
            if self.flags() & abi::TWO_BYTE != 0 {
                Units::Utf16(core::slice::from_raw_parts(data as *const u16, length))
            } else {
                Units::Latin1(core::slice::from_raw_parts(data as *const u8, length))
            }
        }
    }

    /// The bytes, if the string is held as Latin-1.
    #[inline]
    pub fn latin1(self) -> Option<&'static [u8]> {
        match self.units() {
            Units::Latin1(units) => Some(units),
            Units::Utf16(_) => None,
        }
    }

    /// The unit at `index`.
    #[inline]
    pub fn unit(self, index: u32) -> Option<u16> {
        self.units().get(index as usize)
    }

    /// Rust text; lone surrogates become U+FFFD.
    pub fn to_text(self) -> String {
        match self.units() {
            Units::Latin1(units) if units.is_ascii() => String::from_utf8_lossy(units).into_owned(),
            Units::Latin1(units) => units.iter().map(|&unit| unit as char).collect(),
            Units::Utf16(units) => String::from_utf16_lossy(units),
        }
    }

    /// Appends the text to a byte buffer as UTF-8; lone surrogates become U+FFFD.
    pub fn append_utf8(self, out: &mut Vec<u8>) {
        match self.units() {
            Units::Latin1(units) if units.is_ascii() => out.extend_from_slice(units),
            _ => out.extend_from_slice(self.to_text().as_bytes()),
        }
    }

    /// `self + other`: copied if short, else a rope. RangeError if too long.
    pub fn concat(self, other: JsString) -> JsResult<JsString> {
        if other.is_empty() {
            return Ok(self);
        }
        if self.is_empty() {
            return Ok(other);
        }
        let length = self.len() + other.len();
        if length > MAX_LENGTH {
            return Err(throw_range_error("Invalid string length"));
        }
        let two_byte = (self.flags() | other.flags()) & abi::TWO_BYTE != 0;
        if length <= FLAT_CONCAT {
            if let (false, Units::Latin1(first), Units::Latin1(second)) = (two_byte, self.units(), other.units()) {
                return Ok(JsString::joined(first, second));
            }
            let string = JsString::allocate(length, two_byte);
            let data = string.0.data.get();
            self.copy_to(data, two_byte);
            other.copy_to(data + if two_byte { self.len() * 2 } else { self.len() }, two_byte);
            return Ok(string);
        }
        let flags = abi::ROPE | if two_byte { abi::TWO_BYTE } else { 0 };
        let rope = JsString(Gc::new(StringCell {
            header: Header::new(kind::STRING, flags, 0, length),
            hash: Cell::new(self.address()),
            data: Cell::new(other.address()),
        }));
        ropes::made(rope);
        Ok(rope)
    }

    /// The concatenation of all pieces: copied once if it is not long, else ropes. RangeError if too long.
    pub fn concat_all(pieces: &[JsString]) -> JsResult<JsString> {
        const COPIED: u64 = 1024;
        let length: u64 = pieces.iter().map(|piece| u64::from(piece.len())).sum();
        if length > COPIED {
            let (first, rest) =
                pieces.split_first().map_or((JsString::empty(), pieces), |(first, rest)| (*first, rest));
            return rest.iter().try_fold(first, |whole, &piece| whole.concat(piece));
        }
        let two_byte = pieces.iter().any(|piece| piece.flags() & abi::TWO_BYTE != 0);
        let whole = JsString::allocate(length as u32, two_byte);
        let mut target = whole.0.data.get();
        for piece in pieces {
            piece.copy_to(target, two_byte);
            target += if two_byte { piece.len() * 2 } else { piece.len() };
        }
        Ok(whole)
    }

    /// A string of the buffer's units, whose memory it takes over.
    pub(crate) fn from_buffer(mut units: Vec<u8>) -> JsString {
        units.shrink_to_fit();
        let units = units.leak();
        JsString(Gc::new(StringCell {
            header: Header::new(kind::STRING, 0, 0, units.len() as u32),
            hash: Cell::new(0),
            data: Cell::new(units.as_ptr() as u32),
        }))
    }

    /// The string of two short pieces.
    #[inline]
    fn joined(first: &[u8], second: &[u8]) -> JsString {
        let string = JsString::allocate((first.len() + second.len()) as u32, false);
        let data = string.0.data.get() as usize as *mut u8;
        // SAFETY: `allocate` reserved room for both at `data`.
        unsafe {
            copy_bytes(first.as_ptr(), data, first.len());
            copy_bytes(second.as_ptr(), data.add(first.len()), second.len());
        }
        string
    }

    /// The two halves, if this is a rope.
    #[inline]
    fn halves(self) -> Option<(JsString, JsString)> {
        if self.flags() & abi::ROPE == 0 {
            return None;
        }
        // SAFETY: a rope holds the addresses of its halves.
        Some(unsafe { (JsString::from_address(self.0.hash.get()), JsString::from_address(self.0.data.get())) })
    }

    /// Copies the units to `target`, widened if `two_byte`. Ropes are walked without recursion, right to left, because
    /// strings built by `+=` lean to the left.
    fn copy_to(self, target: u32, two_byte: bool) {
        let width = if two_byte { 2 } else { 1 };
        let mut pending = vec![];
        let mut end = target + self.len() * width;
        let mut current = self;
        loop {
            if let Some((left, right)) = current.halves() {
                pending.push(left);
                current = right;
                continue;
            }
            end -= current.len() * width;
            // SAFETY: the target has room for `self.len()` units, of which these are a part.
            unsafe {
                match current.units() {
                    Units::Latin1(units) if !two_byte => {
                        copy_bytes(units.as_ptr(), end as usize as *mut u8, units.len());
                    }
                    Units::Latin1(units) => {
                        for (index, unit) in units.iter().enumerate() {
                            (end as usize as *mut u16).add(index).write_unaligned(*unit as u16);
                        }
                    }
                    Units::Utf16(units) => {
                        core::ptr::copy_nonoverlapping(
                            units.as_ptr().cast::<u8>(),
                            end as usize as *mut u8,
                            units.len() * 2,
                        );
                    }
                }
            }
            match pending.pop() {
                Some(next) => current = next,
                None => return,
            }
        }
    }

    #[cold]
    fn flatten(self) {
        let two_byte = self.flags() & abi::TWO_BYTE != 0;
        let data = heap::allocate_storage(if two_byte { self.len() * 2 } else { self.len() }, Contents::Bytes);
        self.copy_to(data, two_byte);
        self.0.header.flags.set(self.flags() & !abi::ROPE);
        self.0.hash.set(0);
        self.0.data.set(data);
    }

    /// Units `start..end`; shares the data.
    pub fn slice(self, start: u32, end: u32) -> JsString {
        debug_assert!(start <= end && end <= self.len());
        if start == 0 && end == self.len() {
            return self;
        }
        match self.units() {
            _ if start == end => JsString::empty(),
            Units::Latin1(units) if end - start <= 8 => JsString::from_latin1(&units[start as usize..end as usize]),
            Units::Utf16(units) if end - start == 1 => JsString::from_unit(units[start as usize]),
            _ => self.share(start, end),
        }
    }

    /// Units `start..end` of a flat string, of which there are at least two, sharing the data however few they are.
    #[inline]
    pub fn share(self, start: u32, end: u32) -> JsString {
        let two_byte = self.flags() & abi::TWO_BYTE;
        let width = if two_byte != 0 { 2 } else { 1 };
        JsString(Gc::new(StringCell {
            header: Header::new(kind::STRING, two_byte, 0, end - start),
            hash: Cell::new(0),
            data: Cell::new(self.0.data.get() + start * width),
        }))
    }

    /// Hash of the units; equal strings have equal hashes however they are held.
    pub fn hash(self) -> u32 {
        let units = self.units();
        let known = self.0.hash.get();
        if known != 0 {
            return known;
        }
        let hash = match units {
            Units::Latin1(units) => intern::hash_latin1(units),
            Units::Utf16(units) => intern::hash_utf16(units),
        };
        self.0.hash.set(hash);
        hash
    }

    /// The interned string with these units.
    #[inline]
    pub fn intern(self) -> JsString {
        if self.flags() & (abi::INTERNED | THIN) == 0 {
            return intern::intern(self);
        }
        if self.is_interned() {
            return self;
        }
        // SAFETY: what THIN means.
        unsafe { JsString::from_address(self.0.data.get() - CELL_SIZE) }
    }

    /// Lets go of this string's own data for those of an interned string with the same units, so that it is found at once
    /// the next time.
    fn become_thin(self, interned: JsString) {
        let is_inline = interned.0.data.get() == interned.address() + CELL_SIZE;
        if is_inline && !self.is_interned() {
            self.0.data.set(interned.0.data.get());
            let width = interned.flags() & abi::TWO_BYTE;
            self.0.header.flags.set(self.flags() & !abi::TWO_BYTE | THIN | width);
        }
    }

    /// The array index this string is the canonical form of, below 2³² − 1.
    #[inline]
    pub fn as_index(self) -> Option<u32> {
        let flags = self.flags();
        if flags & (abi::INTERNED | INDEX) == abi::INTERNED || self.len() > 10 || self.is_empty() {
            return None;
        }
        number::array_index(self.units())
    }

    /// Order by units, as `<` does.
    pub fn compare(self, other: JsString) -> Ordering {
        match (self.units(), other.units()) {
            (Units::Latin1(a), Units::Latin1(b)) => simd::compare(a, b),
            (Units::Utf16(a), Units::Utf16(b)) => a.cmp(b),
            (a, b) => a.iter().cmp(b.iter()),
        }
    }

    /// Whether both have the same units.
    #[inline]
    pub fn equals(self, other: JsString) -> bool {
        if self.address() == other.address() {
            return true;
        }
        if self.len() != other.len() || self.flags() & other.flags() & abi::INTERNED != 0 {
            return false;
        }
        match (self.units(), other.units()) {
            (Units::Latin1(a), Units::Latin1(b)) => simd::equal(a, b),
            (Units::Utf16(a), Units::Utf16(b)) => a == b,
            (a, b) => a.iter().eq(b.iter()),
        }
    }

    /// Whether the units are this ASCII text.
    pub fn is(self, text: &str) -> bool {
        self.len() as usize == text.len() && self.latin1() == Some(text.as_bytes())
    }

    /// Position of the first occurrence of `needle` at or after `from`.
    pub fn index_of(self, needle: JsString, from: u32) -> Option<u32> {
        let (length, wanted) = (self.len(), needle.len());
        if from > length || wanted > length - from {
            return None;
        }
        if wanted == 0 {
            return Some(from);
        }
        let start = from as usize;
        let found = match (self.units(), needle.units()) {
            (Units::Latin1(text), Units::Latin1(needle)) => simd::find(&text[start..], needle),
            (Units::Utf16(text), Units::Utf16(needle)) => find(&text[start..], needle),
            (Units::Utf16(text), Units::Latin1(needle)) => {
                let needle: Vec<u16> = needle.iter().map(|&unit| unit as u16).collect();
                find(&text[start..], &needle)
            }
            (Units::Latin1(text), Units::Utf16(needle)) => {
                let needle: Option<Vec<u8>> = needle.iter().map(|&unit| u8::try_from(unit).ok()).collect();
                find(&text[start..], &needle?)
            }
        };
        found.map(|position| position as u32 + from)
    }
}

/// Copies bytes; short runs without a call of the engine's bulk copy, which costs more than they do.
///
/// # Safety
/// As `copy_nonoverlapping`.
#[inline]
unsafe fn copy_bytes(source: *const u8, target: *mut u8, length: usize) {
    const SHORT: usize = 48;
    if length > SHORT {
        // SAFETY: the caller's.
        return unsafe { core::ptr::copy_nonoverlapping(source, target, length) };
    }
    let mut done = 0;
    while done + 8 <= length {
        // SAFETY: within both ranges.
        unsafe { target.add(done).cast::<u64>().write_unaligned(source.add(done).cast::<u64>().read_unaligned()) };
        done += 8;
    }
    while done < length {
        // SAFETY: within both ranges. Volatile, or the compiler makes a bulk copy of the loop.
        unsafe { target.add(done).write_volatile(source.add(done).read()) };
        done += 1;
    }
}

/// Position of `needle`, which is not empty, in `text`.
fn find<T: PartialEq + Copy>(text: &[T], needle: &[T]) -> Option<usize> {
    let first = *needle.first()?;
    let last_start = text.len().checked_sub(needle.len())?;
    let mut position = 0;
    loop {
        position += text.get(position..=last_start)?.iter().position(|&unit| unit == first)?;
        if text[position..position + needle.len()] == *needle {
            return Some(position);
        }
        position += 1;
    }
}

//! Linking of units (see [`convex_wasm_abi::unit`]).

use core::ops::Range;

use convex_wasm_abi::layout::object::MIN_INLINE_CAPACITY;
use convex_wasm_abi::unit as abi;

use crate::bigint::BigIntCell;
use crate::cell::{Gc, kind};
use crate::key::PropertyKey;
use crate::modules;
use crate::names;
use crate::object::{ArrayCell, Attributes, FunctionCell, FunctionRecord, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Shape, root_shape};
use crate::state::State;
use crate::string::{JsString, intern_latin1, intern_utf16, reserve_interned};
use crate::symbol::{Symbol, SymbolCell, well_known_named};
use crate::value::Value;

/// Index of an absent cooked string in a template descriptor.
const NO_CONSTANT: u32 = u32::MAX;

/// A unit's data segment in memory. The compiler wrote it and the host has checked its version; offsets in it are
/// trusted like the unit's code.
#[derive(Clone, Copy)]
struct Unit {
    base: u32,
}

impl Unit {
    fn word(self, offset: u32) -> u32 {
        // SAFETY: `offset` is within the unit's data, and words there may be unaligned.
        unsafe { core::ptr::read_unaligned((self.base + offset) as usize as *const u32) }
    }

    fn set_word(self, offset: u32, word: u32) {
        // SAFETY: as in `word`.
        unsafe { core::ptr::write_unaligned((self.base + offset) as usize as *mut u32, word) }
    }

    fn bytes(self, offset: u32, length: u32) -> &'static [u8] {
        // SAFETY: as in `word`; the segment is never freed.
        unsafe { core::slice::from_raw_parts((self.base + offset) as usize as *const u8, length as usize) }
    }

    fn clear(self, range: Range<u32>) {
        // SAFETY: as in `word`, and nobody has a reference to bytes that are cleared.
        unsafe { core::ptr::write_bytes((self.base + range.start) as usize as *mut u8, 0, range.len()) }
    }

    fn constant(self, index: u32) -> Value {
        let offset = self.word(abi::CONSTANTS) + index * 8;
        // SAFETY: the constants are 8-aligned words in the unit's data.
        unsafe { core::ptr::read((self.base + offset) as usize as *const Value) }
    }

    fn set_constant(self, index: u32, value: Value) {
        self.set_value(self.word(abi::CONSTANTS) + index * 8, value);
    }

    fn set_value(self, offset: u32, value: Value) {
        // SAFETY: constants and bindings are 8-aligned words in the unit's data.
        unsafe { core::ptr::write((self.base + offset) as usize as *mut Value, value) }
    }

    fn function(self, number: u32) -> Gc<FunctionRecord> {
        let offset = self.word(abi::FUNCTIONS) + number * abi::function_info::SIZE;
        // SAFETY: function records are 4-aligned in the unit's data.
        unsafe { Gc::from_address(self.base + offset) }
    }
}

/// Addresses in cells that only native code and the host know: units' data, and the words that hold namespaces.
static KEPT: State<Vec<u32>> = State::new(Vec::new());

/// Keeps the cell of this address from being collected, forever.
pub fn keep(address: u32) {
    KEPT.with(|kept| kept.push(address));
}

/// Fills constants, function records and shapes of an instantiated unit. What described them is gone afterwards, and takes
/// no memory in the image.
#[unsafe(no_mangle)]
pub extern "C" fn link_unit(data_base: u32, table_base: u32, index: u32) {
    keep(data_base);
    let unit = Unit { base: data_base };
    let constants = link_constants(unit);
    link_functions(unit, table_base, index);
    let body = unit.function(0);
    modules::add(table_base, body.flags.get() & abi::function_info::ASYNC != 0);
    let shapes = link_shapes(unit);
    link_hoisted(unit);
    unit.clear(constants);
    unit.clear(shapes);
    reserve_interned();
}

/// Answers where the descriptors are.
fn link_constants(unit: Unit) -> Range<u32> {
    let start = unit.word(abi::CONSTANT_DESCRIPTORS);
    let mut at = start;
    let (mut templates, mut regexps) = (vec![], vec![]);
    for index in 0..unit.word(abi::CONSTANT_COUNT) {
        let tag = unit.bytes(at, 1)[0];
        let length = unit.word(at + 1);
        let payload = at + 5;
        let (size, value) = match tag {
            abi::constant::LATIN1 => (length, intern_latin1(unit.bytes(payload, length)).into()),
            abi::constant::UTF16 => (length * 2, utf16(unit.bytes(payload, length * 2)).into()),
            abi::constant::BIGINT => (length, bigint(unit.bytes(payload, length))),
            abi::constant::PRIVATE_NAME => {
                (length, private_name(&String::from_utf8_lossy(unit.bytes(payload, length))).into())
            }
            abi::constant::WELL_KNOWN_SYMBOL => {
                let name = String::from_utf8_lossy(unit.bytes(payload, length));
                (length, well_known_named(&name).map_or(Value::UNDEFINED, Value::from))
            }
            abi::constant::REGEXP => {
                regexps.push((length, unit.word(payload)));
                (4, Value::UNDEFINED)
            }
            _ => {
                templates.push((index, payload, length));
                (length * 8, Value::UNDEFINED)
            }
        };
        unit.set_constant(index, value);
        at = payload + size;
    }
    for (index, payload, count) in templates {
        unit.set_constant(index, template(unit, payload, count).into());
    }
    for (pattern, flags) in regexps {
        if let (Some(pattern), Some(flags)) = (unit.constant(pattern).as_string(), unit.constant(flags).as_string()) {
            crate::builtins::regexp::precompile(pattern, flags);
        }
    }
    start..at
}

fn private_name(text: &str) -> Symbol {
    let Some((name, brand)) = text.split_once('\0') else { return SymbolCell::private_field(text) };
    let class = brand.get(1..).unwrap_or_default();
    SymbolCell::private_method(name, class, brand.starts_with(abi::constant::STATIC))
}

fn utf16(bytes: &[u8]) -> JsString {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    intern_utf16(&units)
}

fn bigint(digits: &[u8]) -> Value {
    BigIntCell::new(num_bigint::BigInt::parse_bytes(digits, 10).unwrap_or_default()).into()
}

/// The frozen template object of a tagged template.
fn template(unit: Unit, payload: u32, count: u32) -> Object {
    let strings = |from: u32| -> Vec<Value> {
        let indices = (0..count).map(|index| unit.word(payload + (from + index) * 4));
        indices.map(|index| if index == NO_CONSTANT { Value::UNDEFINED } else { unit.constant(index) }).collect()
    };
    let cooked = ArrayCell::from_slice(&strings(0)).object();
    let raw = ArrayCell::from_slice(&strings(count)).object();
    cooked.define(names::raw(), raw.into(), Attributes::NONE);
    for object in [raw, cooked] {
        // Freezing a fresh array cannot fail.
        if let Err(thrown) = object.set_integrity(true) {
            thrown.take();
        }
    }
    cooked
}

fn link_functions(unit: Unit, table_base: u32, index: u32) {
    for number in 0..unit.word(abi::FUNCTION_COUNT) {
        unit.function(number).link(
            |constant| unit.constant(constant).as_string().unwrap_or_else(JsString::empty),
            table_base,
            index,
        );
    }
}

/// Answers where the descriptors are.
fn link_shapes(unit: Unit) -> Range<u32> {
    let start = unit.word(abi::SHAPE_DESCRIPTORS);
    let mut at = start;
    for index in 0..unit.word(abi::SHAPE_COUNT) {
        let count = unit.word(at);
        let keys = (0..count).map(|key| unit.constant(unit.word(at + 4 + key * 4)));
        let shape = literal_shape(count, keys);
        unit.set_word(unit.word(abi::SHAPES) + index * 4, shape.address());
        at += 4 + count * 4;
    }
    start..at
}

/// Puts the function objects of declarations into their bindings.
fn link_hoisted(unit: Unit) {
    for index in 0..unit.word(abi::HOISTED_COUNT) {
        let at = unit.word(abi::HOISTED) + index * 8;
        let (binding, number) = (unit.word(at), unit.word(at + 4));
        let function = FunctionCell::closure(unit.function(number), 0);
        unit.set_value(unit.word(abi::BINDINGS) + binding * 8, function.into());
    }
}

fn literal_shape(count: u32, keys: impl Iterator<Item = Value>) -> Shape {
    let capacity = count.max(MIN_INLINE_CAPACITY) as u16;
    let root = root_shape(kind::OBJECT, Some(intrinsic(Intrinsic::ObjectPrototype)), capacity);
    keys.filter_map(Value::as_string).fold(root, |shape, key| shape.add(PropertyKey::from_string(key), Attributes::ALL))
}

static IMPORT_META: State<Vec<(u32, Object)>> = State::new(Vec::new());

/// The `import.meta` of the unit at `data_base`.
pub fn import_meta(data_base: u32) -> Object {
    let known = IMPORT_META.with(|known| known.iter().find(|(base, _)| *base == data_base).map(|(_, meta)| *meta));
    known.unwrap_or_else(|| {
        let meta = Object::ordinary(None);
        IMPORT_META.with(|known| known.push((data_base, meta)));
        meta
    })
}

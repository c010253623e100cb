//! Shapes (hidden classes): what objects with the same history have in common.
//!
//! A shape holds kind, prototype, inline capacity, and the ordered list of properties with attributes and slots. Shapes
//! that follow from each other by additions share one append-only property table; a shape sees its first `count`
//! entries. An object with too many properties, or from which some were deleted, has a *dictionary* shape of its own, which changes
//! in place and is never cached for receivers.

use core::cell::Cell;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use crate::cell::{Gc, Header, kind};
use crate::collector::uninterrupted;
use crate::collector::weak::{Weak, WeakValue};
use crate::key::PropertyKey;
use crate::memory::HEAP_START;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::state::State;
use crate::value::Value;

/// Objects with more properties than this get a dictionary shape.
const MAX_SHARED_PROPERTIES: u32 = 128;
/// Tables up to this size are searched linearly.
const LINEAR_SEARCH: usize = 8;
/// Flag: see the module's documentation.
const DICTIONARY: u8 = 1;
/// Flag: a shape of the image that is in `LATE`.
const LISTED: u8 = 2;

/// A shape.
pub type Shape = Gc<ShapeCell>;

/// A hash map with a cheap hash, for keys that are addresses.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Multiplicative hashing of words.
#[derive(Default)]
pub struct FastHasher(u64);

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte as u64));
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value as u64);
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value as u64);
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x51_7C_C1_B7_27_22_0A_95);
    }
}

/// One property.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its key.
    pub key: PropertyKey,
    /// Its slot.
    pub slot: u32,
    /// Its attributes.
    pub attributes: Attributes,
}

#[derive(Default)]
struct PropertyTable {
    /// In order of creation; deleted entries of dictionaries have the key `None`.
    entries: Vec<(Option<PropertyKey>, u32, Attributes)>,
    /// Open addressing over keys: position + 1 in `entries`, 0 free. Empty while `entries` is short.
    index: Vec<u32>,
}

impl PropertyTable {
    #[inline]
    fn find(&self, key: PropertyKey) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|entry| entry.0 == Some(key));
        }
        let mask = self.index.len() - 1;
        let mut probe = key.hash() as usize & mask;
        loop {
            let position = self.index[probe] as usize;
            if position == 0 {
                return None;
            }
            if self.entries[position - 1].0 == Some(key) {
                return Some(position - 1);
            }
            probe = (probe + 1) & mask;
        }
    }

    fn push(&mut self, key: PropertyKey, slot: u32, attributes: Attributes) {
        self.entries.push((Some(key), slot, attributes));
        let length = self.entries.len();
        if length <= LINEAR_SEARCH {
            return;
        }
        if length * 2 > self.index.len() {
            self.rebuild_index();
        } else {
            self.enter(key, length);
        }
    }

    fn enter(&mut self, key: PropertyKey, position: usize) {
        let mask = self.index.len() - 1;
        let mut probe = key.hash() as usize & mask;
        while self.index[probe] != 0 {
            probe = (probe + 1) & mask;
        }
        self.index[probe] = position as u32;
    }

    fn rebuild_index(&mut self) {
        self.index = vec![0; (self.entries.len() * 4).next_power_of_two()];
        for position in 0..self.entries.len() {
            if let Some(key) = self.entries[position].0 {
                self.enter(key, position + 1);
            }
        }
    }

    /// The first `count` entries as a table of its own.
    fn copy(&self, count: usize) -> PropertyTable {
        let mut table = PropertyTable::default();
        for &(key, slot, attributes) in &self.entries[..count] {
            match key {
                Some(key) => table.push(key, slot, attributes),
                None => table.entries.push((None, slot, attributes)),
            }
        }
        table
    }
}

#[derive(Default)]
struct Transitions {
    first: Option<(WeakValue, Attributes, Weak<ShapeCell>)>,
    more: FastMap<(WeakValue, u8), Weak<ShapeCell>>,
}

impl Transitions {
    fn insert(&mut self, key: PropertyKey, attributes: Attributes, shape: Shape) {
        let key = WeakValue::from(Value(key.word()));
        match self.first {
            None => self.first = Some((key, attributes, shape.into())),
            Some(_) => {
                self.more.insert((key, attributes.bits()), shape.into());
            }
        }
    }

    /// Drops what the collection under way did not mark. (The key of a live shape is alive.)
    fn drop_dead(&mut self) {
        if !self.more.is_empty() {
            self.more.retain(|_, shape| shape.is_live());
        }
        if self.first.is_some_and(|(.., shape)| !shape.is_live()) {
            // `first` is only empty if there is none at all.
            let next = self.more.iter().next().map(|(&key, &shape)| (key, shape));
            self.first = next.map(|((key, attributes), shape)| (key, Attributes::from_bits(attributes), shape));
            if let Some((key, _)) = next {
                self.more.remove(&key);
            }
        }
    }
}

/// A shape cell.
#[repr(C)]
pub struct ShapeCell {
    /// Extra: inline capacity. Word: number of entries (deleted ones of dictionaries included).
    header: Header,
    prototype: Cell<Option<Object>>,
    kind: Cell<u8>,
    table: Cell<&'static State<PropertyTable>>,
    transitions: State<Transitions>,
}

const _: () =
    assert!(core::mem::offset_of!(ShapeCell, prototype) == convex_wasm_abi::layout::shape::PROTOTYPE as usize);

/// Shapes without properties, by prototype, kind and inline capacity.
type Roots = FastMap<(Option<Weak<ObjectHeader>>, u8, u16), Weak<ShapeCell>>;

static ROOTS: State<Option<Roots>> = State::new(None);
/// Shapes of the image that got transitions in this execution.
static LATE: State<Vec<Shape>> = State::new(Vec::new());

/// Drops what the collection under way did not mark: its shapes go, and transitions to them with them.
pub(crate) fn drop_dead(live_shapes: impl FnOnce(&mut dyn FnMut(Shape))) {
    ROOTS.with(|roots| roots.get_or_insert_default().retain(|_, shape| shape.is_live()));
    LATE.with(|late| late.iter().for_each(|shape| shape.transitions.with(Transitions::drop_dead)));
    live_shapes(&mut |shape| shape.transitions.with(Transitions::drop_dead));
}

fn leak_table(table: PropertyTable) -> &'static State<PropertyTable> {
    Box::leak(Box::new(State::new(table)))
}

fn new_shape(
    kind: u8,
    prototype: Option<Object>,
    inline_capacity: u16,
    flags: u8,
    count: u32,
    table: &'static State<PropertyTable>,
) -> Shape {
    Gc::new(ShapeCell {
        header: Header::new(kind::SHAPE, flags, inline_capacity, count),
        prototype: Cell::new(prototype),
        kind: Cell::new(kind),
        table: Cell::new(table),
        transitions: State::new(Transitions::default()),
    })
}

/// The shape of a fresh object of that kind, prototype and inline capacity, without properties.
pub fn root_shape(kind: u8, prototype: Option<Object>, inline_capacity: u16) -> Shape {
    if let Some(prototype) = prototype {
        prototype.mark_as_prototype();
    }
    let key = (prototype.map(|prototype| prototype.weak()), kind, inline_capacity);
    if let Some(shape) = ROOTS.with(|roots| roots.get_or_insert_default().get(&key).copied()) {
        return shape.get();
    }
    let shape = new_shape(kind, prototype, inline_capacity, 0, 0, leak_table(PropertyTable::default()));
    uninterrupted(|| ROOTS.with(|roots| roots.get_or_insert_default().insert(key, shape.into())));
    shape
}

impl ShapeCell {
    /// Kind of the objects.
    pub fn kind(&self) -> u8 {
        self.kind.get()
    }

    /// Prototype of the objects.
    #[inline(always)]
    pub fn prototype(&self) -> Option<Object> {
        self.prototype.get()
    }

    /// Number of inline slots (ordinary objects only).
    #[inline(always)]
    pub fn inline_capacity(&self) -> u16 {
        self.header.extra.get()
    }

    /// Number of entries, which is also the next free slot.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.header.word.get()
    }

    /// Whether the shape belongs to one object and changes in place.
    #[inline(always)]
    pub fn is_dictionary(&self) -> bool {
        self.header.flags.get() & DICTIONARY != 0
    }

    /// The property with that key.
    #[inline]
    pub fn find(&self, key: PropertyKey) -> Option<Entry> {
        let count = self.count() as usize;
        self.table.get().with(|table| {
            let position = table.find(key)?;
            if position >= count {
                return None;
            }
            let (_, slot, attributes) = table.entries[position];
            Some(Entry { key, slot, attributes })
        })
    }

    /// The property at `position` in order of creation; `None` if it was deleted.
    #[inline]
    pub fn entry(&self, position: u32) -> Option<Entry> {
        self.table.get().with(|table| {
            let (key, slot, attributes) = *table.entries.get(position as usize)?;
            Some(Entry { key: key?, slot, attributes })
        })
    }

    /// All properties in order of creation. The shape must not change meanwhile.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.count()).filter_map(|position| self.entry(position))
    }
}

impl Gc<ShapeCell> {
    /// The shape after adding a property, whose slot is the old `count`. A dictionary is changed in place.
    pub fn add(self, key: PropertyKey, attributes: Attributes) -> Shape {
        let count = self.count();
        if self.is_dictionary() {
            self.table.get().with(|table| table.push(key, count, attributes));
            self.header.word.set(count + 1);
            return self;
        }
        if let Some(shape) = self.transition(key, attributes) {
            return shape;
        }
        if count >= MAX_SHARED_PROPERTIES {
            return self.to_dictionary().add(key, attributes);
        }
        let table = self.table.get();
        let is_newest = table.with(|table| table.entries.len() == count as usize);
        let table = if is_newest { table } else { leak_table(table.with(|table| table.copy(count as usize))) };
        table.with(|table| table.push(key, count, attributes));
        let shape = new_shape(self.kind(), self.prototype(), self.inline_capacity(), 0, count + 1, table);
        uninterrupted(|| {
            if self.address() < HEAP_START.get() && self.header.flags.get() & LISTED == 0 {
                self.header.flags.set(self.header.flags.get() | LISTED);
                LATE.with(|late| late.push(self));
            }
            self.transitions.with(|transitions| transitions.insert(key, attributes, shape));
        });
        shape
    }

    /// The shape an earlier `add` of this property led to.
    #[inline]
    pub fn transition(self, key: PropertyKey, attributes: Attributes) -> Option<Shape> {
        let key = WeakValue::from(Value(key.word()));
        self.transitions.with(|transitions| match transitions.first {
            Some((first, with, shape)) if first == key && with == attributes => Some(shape.get()),
            None => None,
            Some(_) => transitions.more.get(&(key, attributes.bits())).map(|shape| shape.get()),
        })
    }

    /// The first plain property ever added to this shape, and where that led: a good guess for the next one.
    #[inline]
    pub fn first_transition(self) -> Option<(PropertyKey, Shape)> {
        self.transitions.with(|transitions| match transitions.first {
            Some((key, Attributes::ALL, shape)) => Some((PropertyKey::from_word(key.get().0), shape.get())),
            _ => None,
        })
    }

    /// A dictionary shape with the same properties and slots, for one object.
    pub fn to_dictionary(self) -> Shape {
        let count = self.count();
        let table = leak_table(self.table.get().with(|table| table.copy(count as usize)));
        new_shape(self.kind(), self.prototype(), self.inline_capacity(), DICTIONARY, count, table)
    }

    /// The shape after changing attributes of a property. A dictionary is changed in place.
    pub fn reconfigure(self, key: PropertyKey, attributes: Attributes) -> Shape {
        if self.is_dictionary() {
            self.table.get().with(|table| {
                if let Some(position) = table.find(key) {
                    table.entries[position].2 = attributes;
                }
            });
            return self;
        }
        let root = root_shape(self.kind(), self.prototype(), self.inline_capacity());
        self.entries().fold(root, |shape, entry| {
            shape.add(entry.key, if entry.key == key { attributes } else { entry.attributes })
        })
    }

    /// The shape with another prototype. A dictionary is changed in place.
    pub fn with_prototype(self, prototype: Option<Object>) -> Shape {
        if self.is_dictionary() {
            if let Some(prototype) = prototype {
                prototype.mark_as_prototype();
            }
            self.prototype.set(prototype);
            return self;
        }
        let root = root_shape(self.kind(), prototype, self.inline_capacity());
        self.entries().fold(root, |shape, entry| shape.add(entry.key, entry.attributes))
    }

    /// Removes a property from a dictionary; its slot is not used again.
    pub fn remove(self, key: PropertyKey) {
        debug_assert!(self.is_dictionary());
        self.table.get().with(|table| {
            if let Some(position) = table.find(key) {
                table.entries[position].0 = None;
            }
        });
    }

    /// Closes the gaps of a dictionary with many deleted entries: answers the slots that remain, in their new order, if
    /// it was worth it; the object must move its values accordingly.
    pub fn compact(self) -> Option<Vec<u32>> {
        let count = self.count();
        self.table.get().with(|table| {
            let live = table.entries.iter().filter(|entry| entry.0.is_some()).count();
            if count < 32 || live * 2 > count as usize {
                return None;
            }
            let mut compacted = PropertyTable::default();
            let mut slots = Vec::with_capacity(live);
            for &(key, slot, attributes) in &table.entries {
                if let Some(key) = key {
                    compacted.push(key, slots.len() as u32, attributes);
                    slots.push(slot);
                }
            }
            *table = compacted;
            self.header.word.set(slots.len() as u32);
            Some(slots)
        })
    }

    /// The shape as a word of the internal tag, for places that hold values.
    pub fn to_value(self) -> Value {
        Value::internal(self)
    }
}

//! The value type, its total order and its size.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An object: fields in the order of their names, which is the order Convex compares and emits them in.
pub type ConvexObject = BTreeMap<String, ConvexValue>;

/// Most bytes of one document, with its `_id` and `_creationTime`.
pub const MAX_DOCUMENT_SIZE: usize = 1 << 20;
/// Most bytes of any value.
pub const MAX_VALUE_SIZE: usize = 32 << 20;
/// Most elements of an array.
pub const MAX_ARRAY_LENGTH: usize = 8192;
/// Most fields of an object.
pub const MAX_OBJECT_FIELDS: usize = 1024;
/// Most containers around a scalar inside a document, the document itself counted.
pub const MAX_DOCUMENT_NESTING: usize = 16;
/// Most containers around a scalar inside any value.
pub const MAX_VALUE_NESTING: usize = 64;

/// A Convex value.
///
/// `undefined` is not a value. Where Convex orders it among the values (a missing field of an index, say), use
/// `Option<ConvexValue>`: `None` orders first, as `undefined` does.
///
/// Equality and order are Convex's total order: types first, every `Int64` before every `Float64`, floats by IEEE 754
/// `totalOrder` (so `-0 < +0` and NaN equals itself), strings by their UTF-8 bytes.
#[derive(Clone, Debug)]
pub enum ConvexValue {
    /// `null`
    Null,
    /// `bigint`
    Int64(i64),
    /// `db.vars.commitTs`: the timestamp of the commit, which is not known yet. It is found only in documents of the
    /// transaction that writes them, and becomes an `Int64` when that commits. Until then it orders as the greatest one.
    CommitTs,
    /// `number`
    Float64(f64),
    /// `boolean`
    Boolean(bool),
    /// `string`
    String(String),
    /// `ArrayBuffer`
    Bytes(Vec<u8>),
    /// `Array`
    Array(Vec<ConvexValue>),
    /// A plain object.
    Object(ConvexObject),
}

impl ConvexValue {
    /// Bytes this value counts for in every limit of Convex.
    pub fn size(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) => 1,
            Self::Int64(_) | Self::CommitTs | Self::Float64(_) => 9,
            Self::String(text) => 2 + text.len(),
            Self::Bytes(bytes) => 2 + bytes.len(),
            Self::Array(items) => 2 + items.iter().map(Self::size).sum::<usize>(),
            Self::Object(fields) => object_size(fields),
        }
    }

    /// Bytes of memory beside the value itself.
    fn heap_footprint(&self) -> usize {
        match self {
            Self::String(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Array(items) => items.iter().map(|item| size_of::<Self>() + item.heap_footprint()).sum(),
            Self::Object(fields) => object_footprint(fields),
            _ => 0,
        }
    }

    /// Depth of containers: 0 for a scalar, 1 for an array of scalars.
    pub fn nesting(&self) -> usize {
        match self {
            Self::Array(items) => 1 + items.iter().map(Self::nesting).max().unwrap_or(0),
            Self::Object(fields) => object_nesting(fields),
            _ => 0,
        }
    }

    /// The text of a string, or `None` for another type.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a float, or `None` for another type.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float64(number) => Some(*number),
            _ => None,
        }
    }

    /// The fields of an object, or `None` for another type.
    pub fn as_object(&self) -> Option<&ConvexObject> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Whether the value holds [`ConvexValue::CommitTs`].
    pub fn holds_commit_ts(&self) -> bool {
        match self {
            Self::CommitTs => true,
            Self::Array(items) => items.iter().any(Self::holds_commit_ts),
            Self::Object(fields) => fields.values().any(Self::holds_commit_ts),
            _ => false,
        }
    }

    /// Replaces every [`ConvexValue::CommitTs`] by the timestamp.
    pub fn resolve_commit_ts(&mut self, timestamp: i64) {
        match self {
            Self::CommitTs => *self = Self::Int64(timestamp),
            Self::Array(items) => items.iter_mut().for_each(|item| item.resolve_commit_ts(timestamp)),
            Self::Object(fields) => fields.values_mut().for_each(|field| field.resolve_commit_ts(timestamp)),
            _ => {}
        }
    }

    /// The integer by which the value is ordered, or `None` for another type.
    fn ordered_int64(&self) -> Option<i64> {
        match self {
            Self::Int64(number) => Some(*number),
            Self::CommitTs => Some(i64::MAX),
            _ => None,
        }
    }

    /// Rank of the type in the total order.
    fn type_rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Int64(_) | Self::CommitTs => 1,
            Self::Float64(_) => 2,
            Self::Boolean(_) => 3,
            Self::String(_) => 4,
            Self::Bytes(_) => 5,
            Self::Array(_) => 6,
            Self::Object(_) => 7,
        }
    }
}

/// [`ConvexValue::size`] of an object.
pub fn object_size(fields: &ConvexObject) -> usize {
    2 + fields.iter().map(|(name, value)| name.len() + 1 + value.size()).sum::<usize>()
}

/// Bytes of memory that an object takes, about.
pub fn object_footprint(fields: &ConvexObject) -> usize {
    // A B-tree allocates leaves for 11 entries, which are about two thirds full.
    let leaf = 11 * size_of::<(String, ConvexValue)>() + 16;
    let leaves = fields.len().div_ceil(7) * leaf;
    leaves + fields.iter().map(|(name, value)| name.len() + value.heap_footprint()).sum::<usize>()
}

/// [`ConvexValue::nesting`] of an object.
pub fn object_nesting(fields: &ConvexObject) -> usize {
    1 + fields.values().map(ConvexValue::nesting).max().unwrap_or(0)
}

impl Ord for ConvexValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int64(_) | Self::CommitTs, Self::Int64(_) | Self::CommitTs) => {
                self.ordered_int64().cmp(&other.ordered_int64())
            }
            (Self::Float64(a), Self::Float64(b)) => a.total_cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) => a.cmp(b),
            (Self::Object(a), Self::Object(b)) => a.cmp(b),
            _ => self.type_rank().cmp(&other.type_rank()),
        }
    }
}

impl PartialOrd for ConvexValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ConvexValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ConvexValue {}

impl From<bool> for ConvexValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for ConvexValue {
    fn from(value: i64) -> Self {
        Self::Int64(value)
    }
}

impl From<f64> for ConvexValue {
    fn from(value: f64) -> Self {
        Self::Float64(value)
    }
}

impl From<&str> for ConvexValue {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for ConvexValue {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<ConvexObject> for ConvexValue {
    fn from(value: ConvexObject) -> Self {
        Self::Object(value)
    }
}

impl From<Vec<ConvexValue>> for ConvexValue {
    fn from(value: Vec<ConvexValue>) -> Self {
        Self::Array(value)
    }
}

//! Convex values, ids, and their JSON and index-key encodings.
//!
//! Everything here is pure: no clock, no randomness, no input or output. The rules are those of Convex's published
//! `convex/values` library, so that a value written by any Convex client reads back the same.
//!
//! | module | idea |
//! | --- | --- |
//! | [`value`] | the value type, its total order and its size |
//! | [`json`] | the three JSON formats |
//! | [`sort_key`] | bytes that order as the values do |
//! | [`id`] | document ids |
//! | [`names`] | identifiers, field names, field paths |
//! | [`validator`] | the types that functions and schemas declare, and checking a value against one |
//! | [`schema`] | a deployment's tables and indexes |
//! | [`pretty`] | values and validators as JavaScript-like text, for messages |

pub mod id;
pub mod json;
pub mod names;
pub mod pretty;
pub mod schema;
pub mod sort_key;
pub mod validator;
pub mod value;

pub use id::{DocumentId, InternalId, TableNumber};
pub use json::{JsonFormat, ValueError, decode_document, decode_optional, decode_patch};
pub use names::FieldPath;
pub use schema::{IndexDefinition, Schema, SchemaError, TableDefinition};
pub use validator::{TableMapping, ValidationError, Validator};
pub use value::{ConvexObject, ConvexValue};

//! JSON formats of values. All formats read the same way; they differ in what they write.
//!
//! One serde visitor reads text, bytes and `serde_json::Value` alike, without an intermediate tree, and one `Serialize`
//! implementation writes all three formats.

use std::cell::RefCell;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value as Json;

use crate::names::check_field_name;
use crate::value::{MAX_ARRAY_LENGTH, MAX_OBJECT_FIELDS, MAX_VALUE_NESTING, MAX_VALUE_SIZE};
use crate::{ConvexObject, ConvexValue};

/// How to write a value as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFormat {
    /// `convex_encoded_json`: lossless. `$integer`, `$float` and `$bytes` for what JSON cannot say.
    Encoded,
    /// `json`: for people. Integers as decimal strings, bytes as base64 strings, special floats as strings.
    Clean,
    /// `export_json`: integers as integer literals, floats with a dot, bytes and special floats as in `Encoded`.
    Export,
}

/// Why JSON is not a Convex value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The text is not JSON.
    #[error("The JSON of a Convex value is malformed: {0}")]
    MalformedJson(String),
    /// An array is too long.
    #[error("An array has more than {MAX_ARRAY_LENGTH} elements. Keep long lists in documents of their own.")]
    ArrayTooLong,
    /// An object has too many fields.
    #[error("An object has more than {MAX_OBJECT_FIELDS} fields.")]
    TooManyFields,
    /// Too many containers inside each other.
    #[error("A value is nested too deeply (maximum nesting: {max}).")]
    TooNested {
        /// The most that is allowed here.
        max: usize,
    },
    /// The value is too large.
    #[error("A value is too large ({size} bytes, maximum size: {max} bytes).")]
    TooLarge {
        /// Bytes of the value.
        size: usize,
        /// Most that is allowed here.
        max: usize,
    },
    /// A field name is not allowed.
    #[error("{0}")]
    BadFieldName(String),
    /// `undefined` where only a value can be.
    #[error("`undefined` is not a Convex value. Use `null`, or leave the field out.")]
    Undefined,
    /// A `$…` object that is not one of the encodings.
    #[error("{0}")]
    BadEncoding(String),
    /// `{"$commitTs": null}` outside a document that is being written.
    #[error("`db.vars.commitTs` can be used only in a document that is being written: it has no value yet.")]
    CommitTimestamp,
    /// A value of one type where an object has to be.
    #[error("Value must be an object, but it is {0}.")]
    NotAnObject(String),
}

impl ValueError {
    /// Convex's short code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MalformedJson(_) => "BadConvexJson",
            Self::ArrayTooLong => "ArrayTooLong",
            Self::TooManyFields => "TooManyFieldsError",
            Self::TooNested { .. } => "TooNestedError",
            Self::TooLarge { .. } => "ValueTooLargeError",
            Self::BadFieldName(_) => "InvalidFieldName",
            Self::Undefined => "UndefinedNotAllowed",
            Self::BadEncoding(_) => "BadConvexEncoding",
            Self::CommitTimestamp => "UnresolvedCommitTimestamp",
            Self::NotAnObject(_) => "NotAnObject",
        }
    }
}

impl ConvexValue {
    /// Reads a value from JSON text.
    pub fn from_json_text(text: &str) -> Result<Self, ValueError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = present(decode(&mut deserializer, Position::Value)?)?;
        deserializer.end().map_err(|error| ValueError::MalformedJson(error.to_string()))?;
        Ok(value)
    }

    /// Reads a value from parsed JSON.
    pub fn from_json(json: &Json) -> Result<Self, ValueError> {
        present(decode(json, Position::Value)?)
    }

    /// Writes the value as parsed JSON.
    pub fn to_json(&self, format: JsonFormat) -> Json {
        // Serialization of a value cannot fail: every map key is a string and no custom implementation is involved.
        serde_json::to_value(Formatted { value: self, format }).unwrap_or_default()
    }

    /// Writes the value as JSON text.
    pub fn to_json_text(&self, format: JsonFormat) -> String {
        // Serialization of a value cannot fail, see `to_json`.
        serde_json::to_string(&Formatted { value: self, format }).unwrap_or_default()
    }
}

/// Reads a document that is to be written: an object, where `{"$commitTs": null}` is allowed.
pub fn decode_document(json: &Json) -> Result<ConvexObject, ValueError> {
    match present(decode(json, Position::Document)?)? {
        ConvexValue::Object(fields) => Ok(fields),
        other => Err(ValueError::NotAnObject(other.to_string())),
    }
}

/// Reads a value where `{"$undefined": null}` is allowed: bounds of an index range and literals of a filter.
pub fn decode_optional(json: &Json) -> Result<Option<ConvexValue>, ValueError> {
    decode(json, Position::Value)
}

/// Reads the argument of a patch: a field that is `{"$undefined": null}` (here `None`) is to be removed, and
/// `{"$commitTs": null}` is allowed.
pub fn decode_patch(json: &Json) -> Result<Vec<(String, Option<ConvexValue>)>, ValueError> {
    let Json::Object(fields) = json else {
        return Err(ValueError::NotAnObject(ConvexValue::from_json(json)?.to_string()));
    };
    fields
        .iter()
        .map(|(name, value)| {
            check_field_name(name).map_err(ValueError::BadFieldName)?;
            Ok((name.clone(), decode(value, Position::Document)?))
        })
        .collect()
}

fn present(value: Option<ConvexValue>) -> Result<ConvexValue, ValueError> {
    value.ok_or(ValueError::Undefined)
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In a document that is to be written.
    Document,
    /// Anywhere else.
    Value,
}

fn decode<'de>(deserializer: impl Deserializer<'de>, position: Position) -> Result<Option<ConvexValue>, ValueError> {
    let failure = RefCell::new(None);
    let value = Decoder { position, depth: 0, failure: &failure }
        .deserialize(deserializer)
        .map_err(|error| failure.borrow_mut().take().unwrap_or_else(|| ValueError::MalformedJson(error.to_string())))?;
    if let Some(value) = &value
        && value.size() > MAX_VALUE_SIZE
    {
        return Err(ValueError::TooLarge { size: value.size(), max: MAX_VALUE_SIZE });
    }
    Ok(value)
}

/// Reads one value at a depth; `undefined` comes back as `None`. The typed error of a failure is left in `failure`,
/// because serde can carry only text.
#[derive(Clone, Copy)]
struct Decoder<'a> {
    position: Position,
    depth: usize,
    failure: &'a RefCell<Option<ValueError>>,
}

impl Decoder<'_> {
    fn fail<E: serde::de::Error>(&self, error: ValueError) -> E {
        let message = error.to_string();
        self.failure.borrow_mut().get_or_insert(error);
        E::custom(message)
    }

    fn inside<E: serde::de::Error>(&self) -> Result<Self, E> {
        if self.depth == MAX_VALUE_NESTING {
            return Err(self.fail(ValueError::TooNested { max: MAX_VALUE_NESTING }));
        }
        Ok(Self { depth: self.depth + 1, ..*self })
    }
}

impl<'de> DeserializeSeed<'de> for Decoder<'_> {
    type Value = Option<ConvexValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Decoder<'_> {
    type Value = Option<ConvexValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a Convex value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::Boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::Float64(value as f64)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::Float64(value as f64)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::Float64(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(Some(ConvexValue::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let inside = self.inside()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            if array.len() == MAX_ARRAY_LENGTH {
                return Err(self.fail(ValueError::ArrayTooLong));
            }
            array.push(item.ok_or_else(|| self.fail(ValueError::Undefined))?);
        }
        Ok(Some(ConvexValue::Array(array)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut object = ConvexObject::new();
        let mut inside = None;
        while let Some(name) = fields.next_key::<String>()? {
            if name.starts_with('$') {
                if !object.is_empty() {
                    return Err(self.fail(unexpected_special(&name)));
                }
                return self.visit_special(&name, fields);
            }
            // Only real objects count as a level: `{"$integer": …}` is a scalar.
            let inside = match inside {
                Some(inside) => inside,
                None => *inside.insert(self.inside()?),
            };
            check_field_name(&name).map_err(|message| self.fail(ValueError::BadFieldName(message)))?;
            let value = fields.next_value_seed(inside)?.ok_or_else(|| self.fail(ValueError::Undefined))?;
            object.insert(name, value);
            if object.len() > MAX_OBJECT_FIELDS {
                return Err(self.fail(ValueError::TooManyFields));
            }
        }
        if inside.is_none() {
            self.inside::<A::Error>()?;
        }
        Ok(Some(ConvexValue::Object(object)))
    }
}

impl Decoder<'_> {
    /// Reads the rest of an object whose first key starts with `$`.
    fn visit_special<'de, A: MapAccess<'de>>(self, name: &str, mut fields: A) -> Result<Option<ConvexValue>, A::Error> {
        let payload = fields.next_value::<Json>()?;
        if let Some(second) = fields.next_key::<String>()? {
            return Err(self.fail(unexpected_special(if second.starts_with('$') { &second } else { name })));
        }
        match (name, &payload) {
            ("$undefined", Json::Null) => Ok(None),
            ("$commitTs", Json::Null) if self.position == Position::Document => Ok(Some(ConvexValue::CommitTs)),
            ("$commitTs", Json::Null) => Err(self.fail(ValueError::CommitTimestamp)),
            ("$integer", Json::String(text)) => eight_bytes(name, text)
                .map(|bytes| Some(ConvexValue::Int64(i64::from_le_bytes(bytes))))
                .map_err(|error| self.fail(error)),
            ("$float", Json::String(text)) => {
                let number = f64::from_le_bytes(eight_bytes(name, text).map_err(|error| self.fail(error))?);
                if !needs_encoding(number) {
                    return Err(self.fail(ValueError::BadEncoding(format!(
                        "`$float` encodes the ordinary number {number:?}, which must be written as a JSON number."
                    ))));
                }
                Ok(Some(ConvexValue::Float64(number)))
            }
            ("$bytes", Json::String(text)) => match BASE64.decode(text) {
                Ok(bytes) => Ok(Some(ConvexValue::Bytes(bytes))),
                Err(error) => {
                    Err(self.fail(ValueError::BadEncoding(format!("`$bytes` is not standard base64: {error}."))))
                }
            },
            ("$integer" | "$float" | "$bytes", _) => {
                Err(self.fail(ValueError::BadEncoding(format!("The content of `{name}` must be a base64 string."))))
            }
            ("$undefined" | "$commitTs", _) => {
                Err(self.fail(ValueError::BadEncoding(format!("The content of `{name}` must be null."))))
            }
            _ => Err(self.fail(unexpected_special(name))),
        }
    }
}

fn unexpected_special(name: &str) -> ValueError {
    ValueError::BadFieldName(format!("Field name {name:?} starts with '$', which is reserved."))
}

fn eight_bytes(name: &str, text: &str) -> Result<[u8; 8], ValueError> {
    let bytes = BASE64
        .decode(text)
        .map_err(|error| ValueError::BadEncoding(format!("`{name}` is not standard base64: {error}.")))?;
    let length = bytes.len();
    bytes
        .try_into()
        .map_err(|_| ValueError::BadEncoding(format!("`{name}` must encode 8 bytes, but it encodes {length}.")))
}

/// Whether JSON has no number literal that reads back as this number everywhere.
fn needs_encoding(number: f64) -> bool {
    !number.is_finite() || (number == 0.0 && number.is_sign_negative())
}

/// A value to be written in a format.
struct Formatted<'a> {
    value: &'a ConvexValue,
    format: JsonFormat,
}

impl Serialize for Formatted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let clean = self.format == JsonFormat::Clean;
        match self.value {
            ConvexValue::Null => serializer.serialize_unit(),
            ConvexValue::Boolean(value) => serializer.serialize_bool(*value),
            ConvexValue::Int64(value) => match self.format {
                JsonFormat::Encoded => special(serializer, "$integer", &value.to_le_bytes()),
                JsonFormat::Clean => serializer.collect_str(value),
                JsonFormat::Export => serializer.serialize_i64(*value),
            },
            ConvexValue::CommitTs => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("$commitTs", &())?;
                map.end()
            }
            ConvexValue::Float64(value) if clean && value.is_nan() => serializer.serialize_str("NaN"),
            ConvexValue::Float64(value) if clean && value.is_infinite() => {
                serializer.serialize_str(if *value > 0.0 { "Infinity" } else { "-Infinity" })
            }
            ConvexValue::Float64(value) if !clean && needs_encoding(*value) => {
                special(serializer, "$float", &value.to_le_bytes())
            }
            ConvexValue::Float64(value) => serializer.serialize_f64(*value),
            ConvexValue::String(value) => serializer.serialize_str(value),
            ConvexValue::Bytes(value) if clean => serializer.serialize_str(&BASE64.encode(value)),
            ConvexValue::Bytes(value) => special(serializer, "$bytes", value),
            ConvexValue::Array(items) => {
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                for value in items {
                    sequence.serialize_element(&Formatted { value, format: self.format })?;
                }
                sequence.end()
            }
            ConvexValue::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &Formatted { value, format: self.format })?;
                }
                map.end()
            }
        }
    }
}

fn special<S: Serializer>(serializer: S, name: &str, bytes: &[u8]) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, &BASE64.encode(bytes))?;
    map.end()
}

impl Serialize for ConvexValue {
    /// Writes the lossless format, [`JsonFormat::Encoded`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Formatted { value: self, format: JsonFormat::Encoded }.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for ConvexValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let failure = RefCell::new(None);
        Decoder { position: Position::Value, depth: 0, failure: &failure }
            .deserialize(deserializer)?
            .ok_or_else(|| D::Error::custom(ValueError::Undefined))
    }
}

//! The reviver of `JSON.parse`, which is told from what text each primitive was read.

use super::parse::parse;
use super::stringify::enumerable_names;
use crate::call;
use crate::convert::{is_array, same_value};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{Attributes, Object};
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// Applies a reviver to a value that was just parsed from a text.
pub fn revive(source: JsString, value: Value, reviver: Value) -> JsResult {
    let record = Reader { source, at: 0 }.record(value)?;
    let root = Object::new();
    root.create_data_property(keys::empty(), value)?;
    internalize(root, keys::empty(), reviver, Some(&record))
}

/// What was read for a value.
struct Record {
    value: Value,
    parts: Parts,
}

enum Parts {
    /// Of a primitive: its text.
    Text(JsString),
    Elements(Vec<Record>),
    /// Sorted by the key's word; of equal keys the last one counts.
    Entries(Vec<(PropertyKey, Record)>),
}

/// Reads a text again that is known to be JSON.
struct Reader {
    source: JsString,
    at: u32,
}

impl Reader {
    fn peek(&self) -> u8 {
        self.source.unit(self.at).map_or(0, |unit| u8::try_from(unit).unwrap_or(0xFF))
    }

    fn skip_space(&mut self) -> u8 {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.peek()
    }

    /// Reads the text of `value`.
    fn record(&mut self, value: Value) -> JsResult<Record> {
        let _level = call::descend()?;
        let parts = match self.skip_space() {
            b'[' => Parts::Elements(self.elements(value)?),
            b'{' => Parts::Entries(self.entries(value)?),
            _ => Parts::Text(self.primitive()),
        };
        Ok(Record { value, parts })
    }

    fn elements(&mut self, array: Value) -> JsResult<Vec<Record>> {
        let mut records = Vec::new();
        self.at += 1;
        while self.skip_space() != b']' {
            records.push(self.record(member(array, PropertyKey::from(records.len() as u32)))?);
            self.skip_comma();
        }
        self.at += 1;
        Ok(records)
    }

    fn entries(&mut self, object: Value) -> JsResult<Vec<(PropertyKey, Record)>> {
        let mut records = Vec::new();
        self.at += 1;
        while self.skip_space() != b'}' {
            let name = parse(self.primitive())?;
            let key = crate::convert::to_property_key(name)?;
            self.skip_space();
            // The colon.
            self.at += 1;
            records.push((key, self.record(member(object, key))?));
            self.skip_comma();
        }
        self.at += 1;
        records.sort_by_key(|(key, _)| key.word());
        Ok(records)
    }

    fn skip_comma(&mut self) {
        if self.skip_space() == b',' {
            self.at += 1;
        }
    }

    fn primitive(&mut self) -> JsString {
        let start = self.at;
        if self.peek() == b'"' {
            self.at += 1;
            while self.peek() != b'"' {
                self.at += if self.peek() == b'\\' { 2 } else { 1 };
            }
            self.at += 1;
        } else {
            while matches!(self.peek(), b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E') {
                self.at += 1;
            }
        }
        self.source.slice(start, self.at)
    }
}

/// A member of what was parsed. One whose key occurs again has the last value, and counts with its last record only.
fn member(holder: Value, key: PropertyKey) -> Value {
    let property = holder.as_object().and_then(|object| object.plain_get_own(key));
    match property.map(|property| property.content) {
        Some(crate::object::Content::Data(value)) => value,
        _ => Value::UNDEFINED,
    }
}

/// InternalizeJSONProperty.
fn internalize(holder: Object, key: PropertyKey, reviver: Value, record: Option<&Record>) -> JsResult {
    let _level = call::descend()?;
    let value = holder.get(key)?;
    let parts = record.filter(|record| same_value(record.value, value)).map(|record| &record.parts);
    let context = Object::new();
    if let Some(object) = value.as_object() {
        members(object, reviver, parts)?;
    } else if let Some(Parts::Text(text)) = parts {
        context.add_slot("source".into(), Value::from(*text), Attributes::ALL);
    }
    call::call(reviver, holder.into(), &[key.to_value(), value, context.into()])
}

fn members(object: Object, reviver: Value, parts: Option<&Parts>) -> JsResult<()> {
    if is_array(object.into())? {
        for index in 0..object.length()? {
            let record = match parts {
                Some(Parts::Elements(records)) => records.get(index as usize),
                _ => None,
            };
            replace(object, PropertyKey::integer(index), reviver, record)?;
        }
        return Ok(());
    }
    for key in enumerable_names(object)? {
        let record = match parts {
            Some(Parts::Entries(records)) => {
                let end = records.partition_point(|(name, _)| name.word() <= key.word());
                records[..end].last().filter(|(name, _)| *name == key).map(|(_, record)| record)
            }
            _ => None,
        };
        replace(object, key, reviver, record)?;
    }
    Ok(())
}

fn replace(object: Object, key: PropertyKey, reviver: Value, record: Option<&Record>) -> JsResult<()> {
    let value = internalize(object, key, reviver, record)?;
    if value.is_undefined() {
        object.delete(key)?;
    } else {
        object.create_data_property(key, value)?;
    }
    Ok(())
}

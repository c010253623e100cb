//! `JSON.stringify`: one pass into a growing buffer.

use super::circular::circular_error;
use super::quote::{quote, quote_key};
use super::raw::RawJson;
use crate::call;
use crate::cell::{Gc, kind};
use crate::convert::{get_value, is_array, to_number, to_string};
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object, PrimitiveWrapper};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::Shape;
use crate::string::{JsString, StringBuilder, append_int, append_number};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// What the second and third argument of `JSON.stringify` ask for.
#[derive(Default)]
pub struct Options {
    /// Replacer function.
    pub replacer: Option<Object>,
    /// Property list.
    pub allowed: Option<Vec<PropertyKey>>,
    /// Indentation of one level; empty for none.
    pub gap: String,
}

/// The JSON text of a value, `None` if it has none (undefined, functions, symbols).
pub fn stringify(value: Value, options: Options) -> JsResult<Option<JsString>> {
    let is_simple = options.replacer.is_none() && options.allowed.is_none();
    let mut serializer = Serializer {
        out: StringBuilder::with_capacity(128),
        options,
        is_simple,
        open: Vec::new(),
        epoch: 0,
        prototypes_are_plain: false,
        known: [None; KNOWN_SHAPES],
    };
    let key = keys::empty();
    let holder = Holder { object: None, root: value };
    match serializer.property(&holder, key, value)? {
        true => serializer.out.finish().map(Some),
        false => Ok(None),
    }
}

/// What holds the value being serialized. The root's wrapper object only comes into being if a replacer wants to see it.
struct Holder {
    object: Option<Object>,
    root: Value,
}

impl Holder {
    fn object(&self) -> JsResult<Object> {
        match self.object {
            Some(object) => Ok(object),
            None => {
                let wrapper = Object::new();
                wrapper.create_data_property(keys::empty(), self.root)?;
                Ok(wrapper)
            }
        }
    }
}

struct Serializer {
    out: StringBuilder,
    options: Options,
    /// Neither replacer function nor property list.
    is_simple: bool,
    /// Objects being serialized, outermost first, with the key under which each was found.
    open: Vec<(Object, PropertyKey)>,
    /// PROTO_EPOCH when the following was found out.
    epoch: u32,
    /// Neither `Object.prototype` nor `Array.prototype` has a `toJSON`.
    prototypes_are_plain: bool,
    /// Shapes of objects met before, by address.
    known: [Option<KnownShape>; KNOWN_SHAPES],
}

const KNOWN_SHAPES: usize = 16;

/// What is known of objects of a shape that is no dictionary.
#[derive(Clone, Copy)]
struct KnownShape {
    shape: Shape,
    /// `toJSON` is undefined, and that is known without calling anything.
    lacks_to_json: bool,
    /// See [`is_plain`].
    is_plain: bool,
}

impl Serializer {
    /// SerializeJSONProperty; false if the value has no text (nothing was written then).
    fn property(&mut self, holder: &Holder, key: PropertyKey, mut value: Value) -> JsResult<bool> {
        if self.options.replacer.is_none() && !value.is_object() && !value.is_bigint() {
            if let Some(string) = value.as_string() {
                quote(&mut self.out, string.units());
                return Ok(true);
            }
            return self.primitive(value);
        }
        if let Some(object) = value.as_object() {
            if !self.known_shape(object).lacks_to_json {
                value = to_json(value, key)?;
            }
        } else if value.is_bigint() {
            value = to_json(value, key)?;
        }
        if let Some(replacer) = self.options.replacer {
            value = call::call(replacer.into(), holder.object()?.into(), &[key.to_value(), value])?;
        }
        match value.as_object() {
            Some(object) => self.object_value(key, object),
            None => self.primitive(value),
        }
    }

    #[inline]
    fn primitive(&mut self, value: Value) -> JsResult<bool> {
        if let Some(string) = value.as_string() {
            quote(&mut self.out, string.units());
        } else if let Some(int) = value.as_int() {
            append_int(&mut self.out, int);
        } else if let Some(number) = value.as_number() {
            if number.is_finite() {
                append_number(&mut self.out, number);
            } else {
                self.out.push_latin1(b"null");
            }
        } else {
            match value {
                Value::NULL => self.out.push_latin1(b"null"),
                Value::TRUE => self.out.push_latin1(b"true"),
                Value::FALSE => self.out.push_latin1(b"false"),
                _ if value.is_bigint() => return Err(throw_type_error("Do not know how to serialize a BigInt")),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn object_value(&mut self, key: PropertyKey, object: Object) -> JsResult<bool> {
        match object.kind.get() {
            kind::OBJECT | kind::ARRAY => {}
            kind::FUNCTION => return Ok(false),
            kind::RAW_JSON => {
                if let Some(raw) = object.as_kind::<RawJson>() {
                    self.out.push_units(raw.text().units());
                }
                return Ok(true);
            }
            kind::STRING_WRAPPER => {
                quote(&mut self.out, to_string(object.into())?.units());
                return Ok(true);
            }
            kind::PRIMITIVE_WRAPPER => {
                let primitive = PrimitiveWrapper::unwrap(object).unwrap_or(Value::UNDEFINED);
                if primitive.is_number() {
                    return self.primitive(Value::number(to_number(object.into())?));
                }
                if !primitive.is_symbol() {
                    return self.primitive(primitive);
                }
            }
            _ if call::is_callable(object.into()) => return Ok(false),
            _ => {}
        }
        let _level = call::descend()?;
        if self.open.iter().any(|&(open, _)| open == object) {
            return Err(circular_error(&self.open, object, key));
        }
        self.open.push((object, key));
        if let Some(array) = object.as_array() {
            self.array(array)?;
        } else if is_array(object.into())? {
            self.elements(object)?;
        } else if self.is_simple && object.kind.get() == kind::OBJECT && self.known_shape(object).is_plain {
            self.plain_object(object)?;
        } else {
            self.general_object(object)?;
        }
        self.open.pop();
        Ok(true)
    }

    /// What the object's shape tells of it.
    #[inline]
    fn known_shape(&mut self, object: Object) -> KnownShape {
        let epoch = PROTO_EPOCH.get();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.known = [None; KNOWN_SHAPES];
            let lacks = |name| intrinsic(name).find(keys::to_json()).is_none();
            self.prototypes_are_plain = lacks(Intrinsic::ObjectPrototype) && lacks(Intrinsic::ArrayPrototype);
        }
        let shape = object.shape();
        let index = (shape.address() >> 4) as usize % KNOWN_SHAPES;
        match self.known[index] {
            Some(known) if known.shape == shape => known,
            _ => self.learn_shape(object, index),
        }
    }

    fn learn_shape(&mut self, object: Object, index: usize) -> KnownShape {
        let shape = object.shape();
        let prototype = shape.prototype();
        let has_plain_prototype = match object.kind.get() {
            kind::OBJECT => prototype == Some(intrinsic(Intrinsic::ObjectPrototype)),
            kind::ARRAY => {
                prototype == Some(intrinsic(Intrinsic::ArrayPrototype))
                    && intrinsic(Intrinsic::ArrayPrototype).prototype() == Some(intrinsic(Intrinsic::ObjectPrototype))
            }
            _ => false,
        };
        let lacks_to_json = self.prototypes_are_plain && has_plain_prototype && shape.find(keys::to_json()).is_none();
        let known = KnownShape { shape, lacks_to_json, is_plain: is_plain(shape) };
        if !shape.is_dictionary() {
            self.known[index] = Some(known);
        }
        known
    }

    #[inline]
    fn new_line(&mut self, depth: usize) {
        if self.options.gap.is_empty() {
            return;
        }
        self.out.push_byte(b'\n');
        for _ in 0..depth {
            self.out.push_str(&self.options.gap);
        }
    }

    fn array(&mut self, array: Gc<ArrayCell>) -> JsResult<()> {
        if array.is_sparse() {
            return self.elements(array.object());
        }
        let holder = Holder { object: Some(array.object()), root: Value::UNDEFINED };
        let depth = self.open.len();
        self.out.push_byte(b'[');
        let length = array.len();
        for index in 0..length {
            if index > 0 {
                self.out.push_byte(b',');
            }
            self.new_line(depth);
            let mut value = array.element(index);
            if value.is_empty() {
                value = array.object().get(PropertyKey::index(index))?;
            }
            if !self.property(&holder, PropertyKey::index(index), value)? {
                self.out.push_latin1(b"null");
            }
        }
        if length > 0 {
            self.new_line(depth - 1);
        }
        self.out.push_byte(b']');
        Ok(())
    }

    /// As [`Serializer::array`] for whatever else counts as an array.
    fn elements(&mut self, object: Object) -> JsResult<()> {
        let holder = Holder { object: Some(object), root: Value::UNDEFINED };
        let depth = self.open.len();
        let length = object.length()?;
        self.out.push_byte(b'[');
        for index in 0..length {
            if index > 0 {
                self.out.push_byte(b',');
            }
            self.new_line(depth);
            let key = PropertyKey::integer(index);
            let value = object.get(key)?;
            if !self.property(&holder, key, value)? {
                self.out.push_latin1(b"null");
            }
        }
        if length > 0 {
            self.new_line(depth - 1);
        }
        self.out.push_byte(b']');
        Ok(())
    }

    /// An object whose properties can be read off its shape, as long as it keeps it.
    fn plain_object(&mut self, object: Object) -> JsResult<()> {
        let holder = Holder { object: Some(object), root: Value::UNDEFINED };
        let shape = object.shape();
        let mut members = Members::open(self);
        for entry in shape.entries() {
            let value = if object.shape() == shape { object.data_slot(entry) } else { object.get(entry.key)? };
            members.write(self, &holder, entry.key, value)?;
        }
        members.close(self);
        Ok(())
    }

    fn general_object(&mut self, object: Object) -> JsResult<()> {
        let holder = Holder { object: Some(object), root: Value::UNDEFINED };
        let names = match &self.options.allowed {
            Some(allowed) => allowed.clone(),
            None => enumerable_names(object)?,
        };
        let mut members = Members::open(self);
        for key in names {
            let value = object.get(key)?;
            members.write(self, &holder, key, value)?;
        }
        members.close(self);
        Ok(())
    }
}

/// The members of an object being written.
struct Members {
    depth: usize,
    is_empty: bool,
}

impl Members {
    #[inline]
    fn open(serializer: &mut Serializer) -> Members {
        serializer.out.push_byte(b'{');
        Members { depth: serializer.open.len(), is_empty: true }
    }

    /// Writes a member, or nothing if its value has no text.
    #[inline]
    fn write(&mut self, serializer: &mut Serializer, holder: &Holder, key: PropertyKey, value: Value) -> JsResult<()> {
        let before = serializer.out.len();
        let name = match key.as_string() {
            Some(name) => name,
            None => to_string(key.to_value())?,
        };
        if serializer.options.gap.is_empty() {
            quote_key(&mut serializer.out, self.is_empty, name.units());
        } else {
            if !self.is_empty {
                serializer.out.push_byte(b',');
            }
            serializer.new_line(self.depth);
            quote_key(&mut serializer.out, true, name.units());
            serializer.out.push_byte(b' ');
        }
        if serializer.property(holder, key, value)? {
            self.is_empty = false;
        } else {
            serializer.out.truncate(before);
        }
        Ok(())
    }

    #[inline]
    fn close(self, serializer: &mut Serializer) {
        if !self.is_empty {
            serializer.new_line(self.depth - 1);
        }
        serializer.out.push_byte(b'}');
    }
}

/// Whether the order of the shape's properties is that of their enumeration, and all are enumerable data under names.
fn is_plain(shape: Shape) -> bool {
    !shape.is_dictionary()
        && shape.entries().all(|entry| {
            entry.key.as_string().is_some() && entry.attributes.is_enumerable() && !entry.attributes.is_accessor()
        })
}

/// EnumerableOwnProperties(object, key) without symbols.
pub(super) fn enumerable_names(object: Object) -> JsResult<Vec<PropertyKey>> {
    let mut names = object.own_keys()?;
    names.retain(|key| !key.is_symbol());
    let mut enumerable = Vec::with_capacity(names.len());
    for key in names {
        if object.get_own_property(key)?.is_some_and(|property| property.attributes.has(Attributes::ENUMERABLE)) {
            enumerable.push(key);
        }
    }
    Ok(enumerable)
}

fn to_json(value: Value, key: PropertyKey) -> JsResult {
    let method = get_value(value, keys::to_json())?;
    if call::is_callable(method) { call::call(method, value, &[key.to_value()]) } else { Ok(value) }
}

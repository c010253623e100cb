//! `structuredClone` (HTML §2.7), without transfer lists.

use crate::builtin::{CallContext, methods, native};
use crate::builtins::bytes::{bytes_of, new_uint8_array};
use crate::builtins::date::DateObject;
use crate::builtins::dom_exception::throw_dom_exception;
use crate::builtins::map_set::{MapObject, OrderedTable, SetObject};
use crate::builtins::regexp;
use crate::call;
use crate::cell::kind;
use crate::convert::{to_object, to_string};
use crate::error::new_error;
use crate::names::{self, keys};
use crate::object::{ArrayCell, Attributes, Object, PrimitiveWrapper};
use crate::realm::{Intrinsic, global, intrinsic};
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Defines the function.
pub(crate) fn install() {
    methods(global(), &[("structuredClone", 1, native(structured_clone))]);
}

fn structured_clone(cx: &CallContext) -> JsResult {
    if cx.arguments.is_empty() {
        return Err(throw_type_error("The \"value\" argument must be specified"));
    }
    Cloner { clones: OrderedTable::new() }.value(cx.arg(0))
}

/// Copies of objects by their originals, so that references and cycles stay what they are.
struct Cloner {
    clones: OrderedTable,
}

#[cold]
fn uncloneable(value: Value) -> Throw {
    throw_dom_exception("DataCloneError", &format!("{} could not be cloned.", crate::error::describe(value)))
}

impl Cloner {
    fn value(&mut self, value: Value) -> JsResult {
        if value.is_symbol() {
            return Err(uncloneable(value));
        }
        let Some(object) = value.as_object() else { return Ok(value) };
        if let Some(known) = self.clones.get(value) {
            return Ok(known);
        }
        let _level = call::descend()?;
        self.object(object)
    }

    fn remember(&mut self, original: Object, clone: impl Into<Value>) -> Value {
        let clone = clone.into();
        self.clones.insert(original.into(), clone);
        clone
    }

    fn object(&mut self, object: Object) -> JsResult {
        if let Some(date) = object.as_kind::<DateObject>() {
            return Ok(self.remember(object, DateObject::new(intrinsic(Intrinsic::DatePrototype), date.time())));
        }
        if let Some(primitive) = PrimitiveWrapper::unwrap(object) {
            if primitive.is_symbol() {
                return Err(uncloneable(object.into()));
            }
            return Ok(self.remember(object, to_object(primitive)?));
        }
        if let Some(map) = object.as_kind::<MapObject>() {
            let clone = MapObject::of(OrderedTable::new());
            self.remember(object, clone);
            let entries: Vec<(Value, Value)> = map.with(|table| table.iter().collect());
            for (key, value) in entries {
                let (key, value) = (self.value(key)?, self.value(value)?);
                clone.with(|table| table.insert(key, value));
            }
            return Ok(clone.into());
        }
        if let Some(set) = object.as_kind::<SetObject>() {
            let clone = SetObject::of(OrderedTable::new());
            self.remember(object, clone);
            let entries: Vec<(Value, Value)> = set.with(|table| table.iter().collect());
            for (key, _) in entries {
                let key = self.value(key)?;
                clone.with(|table| table.add(key));
            }
            return Ok(clone.into());
        }
        match object.kind.get() {
            kind::REGEXP => {
                let text = |key: &str| to_string(object.get(key.into())?);
                let clone = regexp::create(text("source")?, text("flags")?)?;
                Ok(self.remember(object, clone))
            }
            kind::ERROR => self.error(object),
            kind::ARRAY => self.array(object),
            kind::OBJECT | kind::ARGUMENTS | kind::MAPPED_ARGUMENTS => {
                let clone = Object::new();
                self.remember(object, clone);
                self.properties(object, clone)?;
                Ok(clone.into())
            }
            kind::ARRAY_BUFFER => {
                let bytes = bytes_of(object.into()).unwrap_or_default();
                let buffer = new_uint8_array(&bytes)?.get("buffer".into())?;
                Ok(self.remember(object, buffer))
            }
            kind::DATA_VIEW => self.view(object),
            other if (kind::TYPED_ARRAY..kind::FIRST_PRIVATE_OBJECT).contains(&other) => self.view(object),
            _ => Err(uncloneable(object.into())),
        }
    }

    /// A view of a copy of the buffer.
    fn view(&mut self, object: Object) -> JsResult {
        let buffer = self.value(object.get("buffer".into())?)?;
        let length = if object.kind.get() == kind::DATA_VIEW { "byteLength".into() } else { keys::length() };
        let arguments = [buffer, object.get("byteOffset".into())?, object.get(length)?];
        let constructor = object.get(keys::constructor())?;
        let clone = call::construct(constructor, &arguments, constructor)?;
        Ok(self.remember(object, clone))
    }

    fn array(&mut self, object: Object) -> JsResult {
        let clone = ArrayCell::with_capacity(0);
        self.remember(object, clone);
        clone.resize(object.length()? as u32);
        self.properties(object, clone.object())?;
        Ok(clone.into())
    }

    fn properties(&mut self, object: Object, clone: Object) -> JsResult<()> {
        for key in object.own_keys()? {
            let is_enumerable =
                object.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable());
            if is_enumerable && !key.is_symbol() {
                let value = self.value(object.get(key)?)?;
                clone.create_data_property(key, value)?;
            }
        }
        Ok(())
    }

    fn error(&mut self, object: Object) -> JsResult {
        let name = to_string(object.get(keys::name_())?)?.to_text();
        let prototype = match name.as_str() {
            "EvalError" => Intrinsic::EvalErrorPrototype,
            "RangeError" => Intrinsic::RangeErrorPrototype,
            "ReferenceError" => Intrinsic::ReferenceErrorPrototype,
            "SyntaxError" => Intrinsic::SyntaxErrorPrototype,
            "TypeError" => Intrinsic::TypeErrorPrototype,
            "URIError" => Intrinsic::UriErrorPrototype,
            _ => Intrinsic::ErrorPrototype,
        };
        let message = match object.ordinary_get_own(keys::message()) {
            Some(_) => to_string(object.get(keys::message())?)?.into(),
            None => Value::UNDEFINED,
        };
        let clone = new_error(intrinsic(prototype), message).object();
        self.remember(object, clone);
        let stack = object.get(keys::stack())?;
        if stack.is_string() {
            clone.define(names::stack(), stack, Attributes::HIDDEN);
        }
        if object.ordinary_get_own(keys::cause()).is_some() {
            let cause = self.value(object.get(keys::cause())?)?;
            clone.define(names::cause(), cause, Attributes::HIDDEN);
        }
        Ok(clone.into())
    }
}

//! Reading options (ECMA-402 §9.2).

use crate::convert::{to_boolean, to_number, to_object};
use crate::key::PropertyKey;
use crate::object::Object;
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

/// An options argument and whose it is, for errors.
#[derive(Clone, Copy)]
pub struct Options {
    object: Option<Object>,
    /// The constructor or method that errors name.
    owner: &'static str,
}

impl Options {
    /// Undefined stands for no options.
    pub fn new(value: Value, owner: &'static str) -> JsResult<Options> {
        let object = if value.is_undefined() { None } else { Some(to_object(value)?) };
        Ok(Options { object, owner })
    }

    /// The option's value, UNDEFINED if it is not there.
    pub fn get(self, name: &str) -> JsResult {
        self.object.map_or(Ok(Value::UNDEFINED), |object| object.get(PropertyKey::from_text(name)))
    }

    /// Whether the option is there.
    pub fn has(self, name: &str) -> JsResult<bool> {
        Ok(!self.get(name)?.is_undefined())
    }

    /// An option that is one of these texts.
    pub fn one_of(self, name: &str, allowed: &[&'static str]) -> JsResult<Option<&'static str>> {
        let Some(text) = super::text(self.get(name)?)? else { return Ok(None) };
        match allowed.iter().find(|allowed| **allowed == text) {
            Some(found) => Ok(Some(found)),
            None => {
                Err(throw_range_error(format!("Value {text} out of range for {} options property {name}", self.owner)))
            }
        }
    }

    /// A boolean option.
    pub fn boolean(self, name: &str) -> JsResult<Option<bool>> {
        let value = self.get(name)?;
        Ok(if value.is_undefined() { None } else { Some(to_boolean(value)) })
    }

    /// An integer option within bounds.
    pub fn integer(self, name: &str, min: u32, max: u32) -> JsResult<Option<u32>> {
        let value = self.get(name)?;
        if value.is_undefined() {
            return Ok(None);
        }
        let number = to_number(value)?;
        if number.is_nan() || number < f64::from(min) || number > f64::from(max) {
            return Err(throw_range_error(format!("{name} value is out of range.")));
        }
        Ok(Some(number.floor() as u32))
    }

    /// Hands the execution over if one of these is there.
    pub fn refuse(self, names: &[&str]) -> JsResult<()> {
        for name in names {
            if self.has(name)? {
                crate::throw::hand_over(&format!("the option {name} of {}", self.owner));
            }
        }
        Ok(())
    }
}

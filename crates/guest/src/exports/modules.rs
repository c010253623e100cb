//! Modules and scripts.

use convex_wasm_abi::bridge::import;

use super::string;
use crate::convert::to_string;
use crate::key::PropertyKey;
use crate::object::{Attributes, PropertyDescriptor};
use crate::throw::{JsResult, Throw, throw_syntax_error, throw_type_error, to_status, to_word};
use crate::value::Value;
use crate::{modules, promise, realm};

#[unsafe(no_mangle)]
extern "C" fn rt_import_dynamic(namespace: u32) -> Value {
    match namespace {
        import::MISSING => rejected(throw_type_error("Cannot find the module of an import()")),
        import::UNLINKABLE => rejected(throw_syntax_error("A module of an import() lacks what is imported from it")),
        namespace => modules::import(namespace).into(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_import_specifier(specifier: Value, options: Value, source_phase: u32) -> Value {
    let check = || {
        let specifier = to_string(specifier)?;
        check_import_options(options)?;
        if source_phase != 0 {
            return Err(throw_syntax_error("Source phase import object is not defined for this module"));
        }
        Ok(specifier.into())
    };
    to_word(check())
}

/// The attributes of EvaluateImportCall (ECMA-262 13.3.10.2). No attribute is supported: bundles have none left.
fn check_import_options(options: Value) -> JsResult<()> {
    if options.is_undefined() {
        return Ok(());
    }
    let Some(options) = options.as_object() else {
        return Err(throw_type_error("The second argument of import() must be an object"));
    };
    let attributes = options.get(PropertyKey::from("with"))?;
    if attributes.is_undefined() {
        return Ok(());
    }
    let Some(attributes) = attributes.as_object() else {
        return Err(throw_type_error("The 'options' argument of import() must be an object"));
    };
    let mut names = Vec::new();
    for key in attributes.own_keys()? {
        if key.is_symbol() || !attributes.get_own_property(key)?.is_some_and(|it| it.attributes.is_enumerable()) {
            continue;
        }
        if attributes.get(key)?.as_string().is_none() {
            return Err(throw_type_error("Import attribute value must be a string"));
        }
        names.push(key);
    }
    match names.first() {
        None => Ok(()),
        Some(name) => Err(throw_type_error(format!("Import attribute \"{}\" is not supported", name.display()))),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_rejected_promise(reason: Value) -> Value {
    promise::rejected(reason).into()
}

fn rejected(thrown: Throw) -> Value {
    promise::rejected(thrown.take()).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_import_meta(unit: u32) -> Value {
    crate::link::import_meta(unit).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_declare_global(name: u32, function: Value) -> i32 {
    to_status(declare_global(PropertyKey::from_interned(string(name)), function, Attributes::NONE))
}

#[unsafe(no_mangle)]
extern "C" fn rt_declare_eval_global(name: u32, function: Value) -> i32 {
    to_status(declare_global(PropertyKey::from_interned(string(name)), function, Attributes::CONFIGURABLE))
}

/// CreateGlobalVarBinding and CreateGlobalFunctionBinding (ECMA-262 9.1.1.4.17 and 9.1.1.4.18).
fn declare_global(key: PropertyKey, function: Value, deletable: Attributes) -> JsResult<()> {
    let global = realm::global();
    let existing = global.get_own_property(key)?;
    let attributes = Attributes::WRITABLE.with(Attributes::ENUMERABLE).with(deletable);
    let descriptor = match existing {
        None => {
            let value = if function.is_empty() { Value::UNDEFINED } else { function };
            PropertyDescriptor::data(value, attributes)
        }
        Some(_) if function.is_empty() => return Ok(()),
        Some(property) if property.attributes.is_configurable() => PropertyDescriptor::data(function, attributes),
        Some(_) => PropertyDescriptor { value: Some(function), ..PropertyDescriptor::default() },
    };
    global.define_or_throw(key, &descriptor)
}

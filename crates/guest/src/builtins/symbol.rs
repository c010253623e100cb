//! `Symbol`.

use super::map_set::OrderedTable;
use crate::builtin::{CallContext, accessor, constants, constructor, method, methods, native, native_constructor};
use crate::convert::to_string;
use crate::error::display;
use crate::object::{Attributes, PrimitiveWrapper};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::symbol::{Symbol, SymbolCell, well_known_named, well_known_names};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// `Symbol.for`: symbols by key, and keys by symbol.
static REGISTRY: State<[OrderedTable; 2]> = State::new([OrderedTable::new(), OrderedTable::new()]);

/// Builds `Symbol` and its prototype.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::SymbolPrototype);
    let symbol = constructor("Symbol", 0, native_constructor(construct), prototype);
    methods(symbol, &[("for", 1, native(for_key)), ("keyFor", 1, native(key_for))]);
    for &name in well_known_names() {
        if let Some(known) = well_known_named(name) {
            constants(symbol, &[(name, known.into())]);
        }
    }
    methods(prototype, &[("toString", 0, native(to_string_method)), ("valueOf", 0, native(value_of))]);
    accessor(prototype, "description", native(description), None);
    let to_primitive = method(prototype, "@@toPrimitive", 1, native(to_primitive));
    prototype.define(crate::symbol::to_primitive(), to_primitive.into(), Attributes::CONFIGURABLE);
    crate::builtin::to_string_tag(prototype, "Symbol");
}

fn construct(cx: &CallContext) -> JsResult {
    if cx.is_construct() {
        return Err(throw_type_error("Symbol is not a constructor"));
    }
    let description = if cx.arg(0).is_undefined() { Value::UNDEFINED } else { to_string(cx.arg(0))?.into() };
    Ok(SymbolCell::fresh(description).into())
}

fn for_key(cx: &CallContext) -> JsResult {
    let key = Value::from(to_string(cx.arg(0))?);
    Ok(REGISTRY.with(|[by_key, by_symbol]| {
        by_key.get_or_insert_with(key, || {
            let symbol = SymbolCell::fresh(key).into();
            by_symbol.insert(symbol, key);
            symbol
        })
    }))
}

fn key_for(cx: &CallContext) -> JsResult {
    if !cx.arg(0).is_symbol() {
        return Err(throw_type_error(format!("{} is not a symbol", display(cx.arg(0)))));
    }
    Ok(registered_key(cx.arg(0)).unwrap_or(Value::UNDEFINED))
}

/// The key of a symbol that `Symbol.for` made.
pub fn registered_key(symbol: Value) -> Option<Value> {
    REGISTRY.with(|[_, by_symbol]| by_symbol.get(symbol))
}

/// ThisSymbolValue.
fn this_symbol(cx: &CallContext, method: &str) -> JsResult<Symbol> {
    let wrapped = || PrimitiveWrapper::unwrap(cx.this.as_object()?)?.as_symbol();
    cx.this
        .as_symbol()
        .or_else(wrapped)
        .ok_or_else(|| throw_type_error(format!("Symbol.prototype{method} requires that 'this' be a Symbol")))
}

fn to_string_method(cx: &CallContext) -> JsResult {
    Ok(this_symbol(cx, ".toString")?.descriptive_string().as_str().into())
}

fn value_of(cx: &CallContext) -> JsResult {
    Ok(this_symbol(cx, ".valueOf")?.into())
}

fn to_primitive(cx: &CallContext) -> JsResult {
    Ok(this_symbol(cx, " [ @@toPrimitive ]")?.into())
}

fn description(cx: &CallContext) -> JsResult {
    Ok(this_symbol(cx, ".description")?.description())
}

//! What Convex's analysis wants to know about an exported value.

use crate::bridge::{property, write_json_string};
use crate::call;
use crate::convert::to_string;
use crate::object::{FunctionRecord, Object};
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// JSON as [`convex_wasm_abi::bridge`] says.
pub fn describe(value: Value) -> JsResult<String> {
    let flag = |name: &str| Ok(property(value, name)? == Value::TRUE);
    let kind = match () {
        () if flag("isQuery")? => "query",
        () if flag("isMutation")? => "mutation",
        () if flag("isAction")? => "action",
        () if flag("isHttp")? => "httpAction",
        () => "other",
    };
    let visibility = match () {
        () if flag("isPublic")? => "\"public\"",
        () if flag("isInternal")? => "\"internal\"",
        () => "null",
    };
    let (is_router, is_crons) = (flag("isRouter")?, flag("isCrons")?);
    let is_schema = kind == "other" && property(value, "tables")?.is_object() && is_function(value, "export")?;
    let export = if is_router { "getRoutes" } else { "export" };
    let is_definition = kind == "other" && is_function(value, export)?;
    let is_registered = kind != "other" && kind != "httpAction";
    let mut out = format!("{{\"kind\":\"{kind}\",\"visibility\":{visibility}");
    for (name, method, wanted) in [
        ("args", "exportArgs", is_registered),
        ("returns", "exportReturns", is_registered),
        ("export", export, is_definition),
    ] {
        out.push_str(&format!(",\"{name}\":"));
        match if wanted { call_for_text(value, method)? } else { None } {
            Some(text) => write_json_string(&mut out, &text),
            None => out.push_str("null"),
        }
    }
    out.push_str(&format!(",\"isRouter\":{is_router},\"isCrons\":{is_crons},\"isSchema\":{is_schema},\"handler\":"));
    let handler = property(value, "_handler")?.as_object().and_then(Object::as_function);
    match handler.map(|function| function.info.get()).filter(|record| record.unit.get() != FunctionRecord::NATIVE) {
        Some(record) => {
            let (start, end) = record.source.get();
            out.push_str(&format!("{{\"unit\":{},\"start\":{start},\"end\":{end}}}", record.unit.get()));
        }
        None => out.push_str("null"),
    }
    out.push('}');
    Ok(out)
}

fn is_function(value: Value, name: &str) -> JsResult<bool> {
    Ok(call::is_callable(property(value, name)?))
}

/// What `value[method]()` answers, as text unless it is nullish; `None` if there is no such method. Objects are given as JSON.
fn call_for_text(value: Value, method: &str) -> JsResult<Option<String>> {
    if !is_function(value, method)? {
        return Ok(None);
    }
    let result = call::invoke(value, method.into(), &[])?;
    if result.is_nullish() {
        return Ok(None);
    }
    if result.is_object() {
        let json = crate::builtins::json::stringify(result, crate::builtins::json::Options::default())?;
        return Ok(json.map(JsString::to_text));
    }
    Ok(Some(to_string(result)?.to_text()))
}

//! `Function.prototype.toString`.

use crate::cell::Gc;
use crate::host;
use crate::object::FunctionCell;
use crate::string::JsString;

/// The source text of a compiled function, or `function name() { [native code] }`.
pub fn source_text(function: Gc<FunctionCell>) -> JsString {
    let record = function.info.get();
    if function.is_native() {
        return JsString::from_str(&format!("function {}() {{ [native code] }}", record.name.get().to_text()));
    }
    let (start, end) = record.source.get();
    JsString::from_str(&host::source_text(record.unit.get(), start, end))
}

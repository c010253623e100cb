//! `Function.prototype.toString`.

use crate::cell::Gc;
use crate::host;
use crate::object::FunctionCell;
use crate::string::JsString;
use crate::throw::hand_over;

/// The source text of a compiled function, or `function name() { [native code] }`. A function made of text has it as its home,
/// since the module's source does not have it.
pub fn source_text(function: Gc<FunctionCell>) -> JsString {
    let record = function.info.get();
    if function.is_native() {
        return JsString::from_str(&format!("function {}() {{ [native code] }}", record.name.get().to_text()));
    }
    if let Some(text) = function.home.get().as_string() {
        return text;
    }
    let (start, end) = record.source.get();
    if start == end {
        hand_over("Function.prototype.toString of code within text");
    }
    JsString::from_str(&host::source_text(record.unit.get(), start, end))
}

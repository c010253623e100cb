//! Errors, as `util.inspect` shows them: their stack, and what the stack does not say.

use super::inspect::Inspector;
use crate::error::{error_to_string, safe_text_property};
use crate::key::PropertyKey;
use crate::names::keys as names;
use crate::object::Object;
use crate::string::JsString;
use crate::value::Value;

/// The text of an error. Keys whose values it contains are removed from `keys`; hidden ones worth showing are added.
pub fn error_text(inspector: &Inspector, error: Object, class: Option<&str>, keys: &mut Vec<PropertyKey>) -> String {
    let property = |key: PropertyKey| safe_text_property(error.into(), key);
    let name = property(names::name_()).unwrap_or_else(|| "Error".to_owned());
    let mut stack = match property(names::stack()) {
        Some(stack) if !stack.is_empty() => stack,
        _ => safe_string(error),
    };
    keys.retain(|&key| {
        let is_described = [names::name_(), names::message(), names::stack()].contains(&key);
        !(is_described && property(key).is_some_and(|text| stack.contains(&text)))
    });
    for hidden in [names::cause(), names::errors()] {
        if !keys.contains(&hidden) && error.ordinary_get_own(hidden).is_some() {
            keys.push(hidden);
        }
    }
    stack = with_class(stack, class, &name);
    let message_end = property(names::message())
        .filter(|message| !message.is_empty())
        .and_then(|message| Some(stack.find(&message)? + message.len()))
        .unwrap_or(0);
    if !stack[message_end..].contains("\n    at") {
        stack = format!("[{stack}]");
    }
    if inspector.indentation > 0 {
        stack = stack.replace('\n', &format!("\n{}", " ".repeat(inspector.indentation)));
    }
    stack
}

fn safe_string(error: Object) -> String {
    match error_to_string(error) {
        Ok(string) => JsString::to_text(string),
        Err(thrown) => {
            let _: Value = thrown.take();
            "Error".to_owned()
        }
    }
}

/// Puts the name of the class at the beginning of a stack that only has the inherited name.
fn with_class(stack: String, class: Option<&str>, name: &str) -> String {
    let rest = match stack.strip_prefix(name) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '\n']) => rest,
        _ => return stack,
    };
    match class {
        None => format!("[{name}: null prototype]{rest}"),
        Some(class) if class == name || !name.ends_with("Error") => stack,
        Some(class) if class.contains(name) => format!("{class}{rest}"),
        Some(class) => format!("{class} [{name}]{rest}"),
    }
}

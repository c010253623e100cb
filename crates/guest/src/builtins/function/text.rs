//! Functions made of text (CreateDynamicFunction): only those that the compiler foresaw.

use crate::builtin::CallContext;
use crate::builtins::map_set::OrderedTable;
use crate::call::call;
use crate::convert::to_string;
use crate::object::FunctionCell;
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::string::JsString;
use crate::throw::{JsResult, hand_over, throw_error};
use crate::value::Value;

/// The constructors of functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `Function`
    Function,
    /// %GeneratorFunction%
    Generator,
    /// %AsyncFunction%
    Async,
    /// %AsyncGeneratorFunction%
    AsyncGenerator,
}

impl Kind {
    /// How the text of its functions begins.
    fn start(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Generator => "function*",
            Kind::Async => "async function",
            Kind::AsyncGenerator => "async function*",
        }
    }

    fn prototype(self) -> Intrinsic {
        match self {
            Kind::Function => Intrinsic::FunctionPrototype,
            Kind::Generator => Intrinsic::GeneratorFunctionPrototype,
            Kind::Async => Intrinsic::AsyncFunctionPrototype,
            Kind::AsyncGenerator => Intrinsic::AsyncGeneratorFunctionPrototype,
        }
    }
}

/// Texts of functions, with functions that make them or throw the text's SyntaxError.
static FORESEEN: State<OrderedTable> = State::new(OrderedTable::new());

/// Remembers a function that may be made of text: the text, a function that makes it.
pub fn foresee(text: Value, maker: Value) {
    FORESEEN.with(|foreseen| foreseen.insert(text, maker));
}

/// `new Function(parameter, …, body)`. Libraries try it with empty text to see whether they may generate code: they are told
/// no, so that they do without. Other text that was not foreseen needs an engine that can compile it.
pub fn from_text(cx: &CallContext, kind: Kind) -> JsResult {
    let mut texts = Vec::with_capacity(cx.arguments.len());
    for &argument in cx.arguments {
        texts.push(to_string(argument)?);
    }
    let body = texts.pop().unwrap_or_else(JsString::empty);
    let text = function_text(kind, &texts, body)?;
    let Some(maker) = FORESEEN.with(|foreseen| foreseen.get(text.into())) else {
        if kind == Kind::Function && texts.is_empty() && body.is_empty() {
            let message = "Code generation from strings disallowed for this context";
            return Err(throw_error(Intrinsic::EvalErrorPrototype, message));
        }
        hand_over("Function constructor");
    };
    let function = call(maker, Value::UNDEFINED, &[])?;
    let prototype = cx.new_prototype(kind.prototype())?;
    if let Some(function) = function.as_kind::<FunctionCell>() {
        function.home.set(text.into());
        if prototype != intrinsic(kind.prototype()) {
            function.object().force_prototype(Some(prototype));
        }
    }
    Ok(function)
}

/// What `toString` gives of a function made of these texts.
fn function_text(kind: Kind, parameters: &[JsString], body: JsString) -> JsResult<JsString> {
    let mut text = JsString::from_str(kind.start()).concat(JsString::from_str(" anonymous("))?;
    for (index, &parameter) in parameters.iter().enumerate() {
        let separator = if index > 0 { JsString::from_str(",") } else { JsString::empty() };
        text = text.concat(separator)?.concat(parameter)?;
    }
    text.concat(JsString::from_str("\n) {\n"))?.concat(body)?.concat(JsString::from_str("\n}"))
}

//! `RegExp` (ECMA-262 §22.2).

mod char_class;
mod compiler;
mod escape;
mod exec;
mod fallback;
mod first;
mod flags;
mod instruction;
mod iterator;
mod legacy;
mod match_all;
mod matcher;
mod memo;
mod prefix;
mod pristine;
mod program;
mod replace;
mod split;
mod syntax;

use core::cell::Cell;

pub use exec::is_regexp;
use flags::Flags;
pub use match_all::{match_method, search};
pub use pristine::is_pristine;
use program::Program;
pub use replace::replace;
pub use split::split;

use crate::builtin::{CallContext, accessor, constructor, getters, methods, native, native_constructor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::names::keys;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Shape, root_shape};
use crate::string::{JsString, StringBuilder};
use crate::throw::{JsResult, throw_syntax_error, throw_type_error};
use crate::value::Value;

/// A regular expression. Its first slot is the property `lastIndex`.
#[repr(C)]
pub struct RegExpObject {
    header: ObjectHeader,
    /// Text of the pattern.
    pattern: Cell<JsString>,
    program: Cell<&'static Program>,
}

// SAFETY: only `RegExpObject::new` makes cells of this kind.
unsafe impl ObjectKind for RegExpObject {
    const KIND: u8 = kind::REGEXP;
}

/// Slot of `lastIndex`.
const LAST_INDEX: u32 = 0;

impl RegExpObject {
    fn new(prototype: Object, pattern: JsString, program: &'static Program) -> Gc<RegExpObject> {
        let shape = if prototype == intrinsic(Intrinsic::RegExpPrototype) {
            pristine::initial_shape()
        } else {
            shape_with(prototype)
        };
        let regexp = Gc::new(RegExpObject {
            header: ObjectHeader::with_shape::<RegExpObject>(shape),
            pattern: Cell::new(pattern),
            program: Cell::new(program),
        });
        regexp.object().reserve_slot(LAST_INDEX);
        regexp.object().set_slot(LAST_INDEX, Value::int(0));
        regexp
    }

    /// The flags.
    fn flags(&self) -> Flags {
        self.program.get().flags
    }
}

fn shape_with(prototype: Object) -> Shape {
    root_shape(kind::REGEXP, Some(prototype), 0).add(keys::last_index(), Attributes::WRITABLE)
}

/// Defines `RegExp`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::RegExpPrototype);
    let regexp = constructor("RegExp", 2, native_constructor(construct), prototype);
    getters(regexp, &[("@@species", native(|cx| Ok(cx.this)))]);
    legacy::install(regexp);
    methods(regexp, &[("escape", 1, native(escape::escape))]);
    methods(
        prototype,
        &[
            ("exec", 1, native(exec::exec_method)),
            ("test", 1, native(exec::test)),
            ("toString", 0, native(to_string_method)),
            ("compile", 2, native(compile)),
            ("@@match", 1, native(match_all::match_method)),
            ("@@matchAll", 1, native(match_all::match_all)),
            ("@@replace", 2, native(replace::replace)),
            ("@@search", 1, native(match_all::search)),
            ("@@split", 2, native(split::split)),
        ],
    );
    accessor(prototype, "source", native(source), None);
    flags::install(prototype);
    iterator::install();
    pristine::remember(prototype);
}

/// The object of a regular expression literal, or of `new RegExp(pattern, flags)` with strings.
pub fn create(pattern: JsString, flags: JsString) -> JsResult {
    Ok(RegExpObject::new(intrinsic(Intrinsic::RegExpPrototype), pattern, compiled(pattern, flags)?).into())
}

/// Compiles a literal before it is evaluated. If it is not valid, evaluating it says so.
pub fn precompile(pattern: JsString, flags: JsString) {
    if let Err(thrown) = compiled(pattern, flags) {
        thrown.take();
    }
}

fn compiled(pattern: JsString, flags: JsString) -> JsResult<&'static Program> {
    program::recent(pattern, flags, || compiled_anew(pattern, flags))
}

fn compiled_anew(pattern: JsString, flags: JsString) -> JsResult<&'static Program> {
    let Some(parsed) = Flags::parse(flags) else {
        let text = flags.to_text();
        return Err(throw_syntax_error(format!("Invalid flags supplied to RegExp constructor '{text}'")));
    };
    program::cached(pattern, parsed)
        .map_err(|reason| throw_syntax_error(format!("Invalid regular expression: /{}/: {reason}", pattern.to_text())))
}

/// Pattern and flags of the constructor's arguments.
fn pattern_and_flags(pattern: Value, flags: Value, is_regexp: bool) -> JsResult<(JsString, JsString)> {
    let text = |value: Value| if value.is_undefined() { Ok(JsString::empty()) } else { to_string(value) };
    if let Some(regexp) = pattern.as_kind::<RegExpObject>() {
        let flags = if flags.is_undefined() { regexp.flags().text() } else { to_string(flags)? };
        return Ok((regexp.pattern.get(), flags));
    }
    if let Some(object) = pattern.as_object().filter(|_| is_regexp) {
        let source = object.get("source".into())?;
        let flags = if flags.is_undefined() { object.get(keys::flags())? } else { flags };
        return Ok((text(source)?, text(flags)?));
    }
    Ok((text(pattern)?, text(flags)?))
}

fn construct(cx: &CallContext) -> JsResult {
    let (pattern, flags) = (cx.arg(0), cx.arg(1));
    let is_regexp = is_regexp(pattern)?;
    if !cx.is_construct()
        && is_regexp
        && flags.is_undefined()
        && let Some(object) = pattern.as_object()
        && object.get(keys::constructor())? == cx.callee.into()
    {
        return Ok(pattern);
    }
    let (pattern, flags) = pattern_and_flags(pattern, flags, is_regexp)?;
    let prototype = cx.new_prototype(Intrinsic::RegExpPrototype)?;
    Ok(RegExpObject::new(prototype, pattern, compiled(pattern, flags)?).into())
}

fn compile(cx: &CallContext) -> JsResult {
    let Some(regexp) = cx.this.as_kind::<RegExpObject>() else { return Err(incompatible(cx, "compile")) };
    let (pattern, flags) = pattern_and_flags(cx.arg(0), cx.arg(1), false)?;
    regexp.program.set(compiled(pattern, flags)?);
    regexp.pattern.set(pattern);
    regexp.object().set(keys::last_index(), Value::int(0))?;
    Ok(cx.this)
}

/// TypeError for a receiver of the wrong kind.
#[cold]
fn incompatible(cx: &CallContext, method: &str) -> crate::throw::Throw {
    let receiver = crate::error::describe(cx.this);
    throw_type_error(format!("Method RegExp.prototype.{method} called on incompatible receiver {receiver}"))
}

/// `this` as an object.
fn this_object(cx: &CallContext, method: &str) -> JsResult<Object> {
    cx.this.as_object().ok_or_else(|| incompatible(cx, method))
}

fn to_string_method(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "toString")?;
    let source = to_string(object.get("source".into())?)?;
    let flags = to_string(object.get(keys::flags())?)?;
    let mut text = StringBuilder::with_capacity(source.len() as usize + 4);
    text.push_latin1(b"/");
    text.push_string(source);
    text.push_latin1(b"/");
    text.push_string(flags);
    Ok(text.finish()?.into())
}

fn source(cx: &CallContext) -> JsResult {
    if let Some(regexp) = cx.this.as_kind::<RegExpObject>() {
        return Ok(escaped_source(regexp.pattern.get())?.into());
    }
    if cx.this == intrinsic(Intrinsic::RegExpPrototype).into() {
        return Ok("(?:)".into());
    }
    Err(throw_type_error(format!(
        "RegExp.prototype.source getter called on non-RegExp object {}",
        crate::error::describe(cx.this)
    )))
}

/// EscapeRegExpPattern: the pattern as it may stand between slashes.
fn escaped_source(pattern: JsString) -> JsResult<JsString> {
    if pattern.is_empty() {
        return Ok(JsString::from_str("(?:)"));
    }
    let mut text = StringBuilder::with_capacity(pattern.len() as usize);
    let (mut in_class, mut escaped) = (false, false);
    for unit in pattern.units().iter() {
        match unit {
            0x2F if !in_class && !escaped => text.push_str("\\/"),
            0x0A => text.push_str(if escaped { "n" } else { "\\n" }),
            0x0D => text.push_str(if escaped { "r" } else { "\\r" }),
            0x2028 => text.push_str(if escaped { "u2028" } else { "\\u2028" }),
            0x2029 => text.push_str(if escaped { "u2029" } else { "\\u2029" }),
            _ => text.push_unit(unit),
        }
        match unit {
            _ if escaped => {}
            0x5B => in_class = true,
            0x5D => in_class = false,
            _ => {}
        }
        escaped = !escaped && unit == b'\\' as u16;
    }
    text.finish()
}

//! Compiled patterns, cached by pattern and flags.

use super::compiler::compile;
use super::exec::advance;
use super::fallback;
use super::flags::Flags;
use super::instruction::Code;
use super::matcher::{for_each_match, search};
use super::syntax;
use crate::shape::FastMap;
use crate::state::State;
use crate::string::{JsString, Units};

/// A group that took part: where it begins and ends. `NONE` marks one that did not.
pub type Span = (u32, u32);

/// See [`Span`].
pub const NONE: Span = (u32::MAX, u32::MAX);

/// A compiled pattern.
pub struct Program {
    /// Its flags.
    pub flags: Flags,
    /// Names of groups in the order of the groups (0: the whole match); empty if no group has a name.
    pub group_names: Vec<Option<JsString>>,
    engine: Engine,
}

/// What executes it.
enum Engine {
    /// Our matcher, for what patterns are mostly made of.
    Backtracker(Code),
    /// The complete one.
    Fallback(fallback::Matcher),
}

impl Program {
    /// Searches from `start`; only there if `sticky`. `spans` gets the whole match and the groups.
    #[inline]
    pub fn execute(&self, subject: JsString, start: u32, sticky: bool, spans: &mut Vec<Span>) -> bool {
        spans.clear();
        let is_unicode = self.flags.is_unicode();
        match (&self.engine, subject.units()) {
            (Engine::Backtracker(code), Units::Latin1(text)) => search(code, is_unicode, text, start, sticky, spans),
            (Engine::Backtracker(code), Units::Utf16(text)) => search(code, is_unicode, text, start, sticky, spans),
            (Engine::Fallback(matcher), _) => matcher.execute(subject, start, sticky, spans),
        }
    }
}

impl Program {
    /// Calls `body` with the groups of every match from the beginning on, as a global regular expression finds them.
    /// `body` calls no JavaScript.
    pub fn for_each_match(&self, subject: JsString, mut body: impl FnMut(&[Span])) {
        let (sticky, is_unicode) = (self.flags.has(Flags::STICKY), self.flags.is_unicode());
        let matcher = match (&self.engine, subject.units()) {
            (Engine::Backtracker(code), Units::Latin1(text)) => {
                return for_each_match(code, is_unicode, text, sticky, body);
            }
            (Engine::Backtracker(code), Units::Utf16(text)) => {
                return for_each_match(code, is_unicode, text, sticky, body);
            }
            (Engine::Fallback(matcher), _) => matcher,
        };
        let mut spans = Vec::new();
        let mut start = 0;
        while start <= subject.len() && matcher.execute(subject, start, sticky, &mut spans) {
            let (from, to) = spans[0];
            start = if from == to { advance(subject, to as u64, is_unicode) as u32 } else { to };
            body(&spans);
            spans.clear();
        }
    }
}

static CACHE: State<Option<FastMap<(u32, u8), &'static Program>>> = State::new(None);

/// The program of a pattern; the reason if it is not valid.
pub fn cached(pattern: JsString, flags: Flags) -> Result<&'static Program, String> {
    let key = (pattern.intern().address(), flags.bits());
    if let Some(program) = CACHE.with(|cache| cache.get_or_insert_default().get(&key).copied()) {
        return Ok(program);
    }
    let (engine, group_names) = match own(pattern, flags) {
        Ok((code, names)) => (Engine::Backtracker(code), names),
        Err(syntax::Unsupported) => {
            let (matcher, names) = fallback::Matcher::compile(pattern, flags)?;
            (Engine::Fallback(matcher), names)
        }
    };
    let program: &'static Program = Box::leak(Box::new(Program { flags, group_names, engine }));
    CACHE.with(|cache| cache.get_or_insert_default().insert(key, program));
    Ok(program)
}

fn own(pattern: JsString, flags: Flags) -> Result<(Code, Vec<Option<JsString>>), syntax::Unsupported> {
    let parsed = syntax::parse(pattern, flags)?;
    Ok((compile(&parsed, flags)?, parsed.names))
}

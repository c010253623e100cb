//! Compiled patterns, cached by pattern and flags.

use super::compiler::compile;
use super::exec::advance;
use super::fallback;
use super::flags::Flags;
use super::instruction::Code;
use super::matcher::{for_each_match, search};
use super::prefix::Prefix;
use super::syntax;
use crate::shape::FastMap;
use crate::state::State;
use crate::string::{JsString, Units};
use crate::throw::JsResult;

/// Where a group begins and ends. If it took no part, one of these is [`NONE`].
pub type Span = [u32; 2];

/// See [`Span`].
pub const NONE: u32 = u32::MAX;

/// Whether the group took part in the match.
#[inline(always)]
pub fn took_part(span: Span) -> bool {
    span[0] != NONE && span[1] != NONE
}

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
    /// Searches from `start`, only there if `sticky`, and calls `body` with the whole match and the groups. `body` calls
    /// no JavaScript.
    #[inline]
    pub fn search<R>(&self, subject: JsString, start: u32, sticky: bool, body: impl FnOnce(&[Span]) -> R) -> Option<R> {
        let is_unicode = self.flags.is_unicode();
        match (&self.engine, subject.units()) {
            (Engine::Backtracker(code), Units::Latin1(text)) => search(code, is_unicode, text, (start, sticky), body),
            (Engine::Backtracker(code), Units::Utf16(text)) => search(code, is_unicode, text, (start, sticky), body),
            (Engine::Fallback(matcher), _) => matcher.execute(subject, start, sticky).map(|spans| body(&spans)),
        }
    }

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
        let mut start = 0;
        while start <= subject.len()
            && let Some(spans) = matcher.execute(subject, start, sticky)
        {
            let [from, to] = spans[0];
            start = if from == to { advance(subject, to as u64, is_unicode) as u32 } else { to };
            body(&spans);
        }
    }

    /// The Latin-1 characters whose one unit is a whole match, if that is what the pattern is.
    pub fn single_units(&self) -> Option<&[bool; 256]> {
        match &self.engine {
            Engine::Backtracker(Code { is_plain: true, prefix: Some(Prefix::One { latin1, .. }), .. }) => Some(latin1),
            _ => None,
        }
    }
}

/// Programs by the addresses of pattern and flags, for literals in loops.
static RECENT: State<[Recent; RECENT_COUNT]> = State::new([(0, 0, None); RECENT_COUNT]);
type Recent = (u32, u32, Option<&'static Program>);
const RECENT_COUNT: usize = 64;

/// The program of a pattern: that of these very strings, or what `compile` answers.
#[inline]
pub fn recent(
    pattern: JsString,
    flags: JsString,
    compile: impl FnOnce() -> JsResult<&'static Program>,
) -> JsResult<&'static Program> {
    let key = (pattern.address(), flags.address());
    let index = (key.0 / 8) as usize % RECENT_COUNT;
    if let (address, flags, Some(program)) = RECENT.with(|recent| recent[index])
        && (address, flags) == key
    {
        return Ok(program);
    }
    let program = compile()?;
    // Interned strings stay as they are.
    if pattern.is_interned() && flags.is_interned() {
        RECENT.with(|recent| recent[index] = (key.0, key.1, Some(program)));
    }
    Ok(program)
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
    let mut parsed = syntax::parse(pattern, flags)?;
    let names = core::mem::take(&mut parsed.names);
    Ok((compile(parsed, flags)?, names))
}

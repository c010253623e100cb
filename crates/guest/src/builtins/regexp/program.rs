//! Compiled patterns, cached by pattern and flags.

use super::fallback;
use super::flags::Flags;
use crate::shape::FastMap;
use crate::state::State;
use crate::string::JsString;

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
    matcher: fallback::Matcher,
}

impl Program {
    /// Searches from `start`; only there if `sticky`. `spans` gets the whole match and the groups.
    #[inline]
    pub fn execute(&self, subject: JsString, start: u32, sticky: bool, spans: &mut Vec<Span>) -> bool {
        spans.clear();
        self.matcher.execute(subject, start, sticky, spans)
    }
}

static CACHE: State<Option<FastMap<(u32, u8), &'static Program>>> = State::new(None);

/// The program of a pattern; the reason if it is not valid.
pub fn cached(pattern: JsString, flags: Flags) -> Result<&'static Program, String> {
    let key = (pattern.intern().address(), flags.bits());
    if let Some(program) = CACHE.with(|cache| cache.get_or_insert_default().get(&key).copied()) {
        return Ok(program);
    }
    let (matcher, group_names) = fallback::Matcher::compile(pattern, flags)?;
    let program: &'static Program = Box::leak(Box::new(Program { flags, group_names, matcher }));
    CACHE.with(|cache| cache.get_or_insert_default().insert(key, program));
    Ok(program)
}

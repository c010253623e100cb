//! Flags of regular expressions and their getters.

use super::RegExpObject;
use super::char_class::Folding;
use crate::builtin::{CallContext, accessor, native};
use crate::convert::to_boolean;
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A set of flags.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

/// Letter and property of each flag, in the order of `flags`.
const FLAGS: [(u8, &str); 8] = [
    (b'd', "hasIndices"),
    (b'g', "global"),
    (b'i', "ignoreCase"),
    (b'm', "multiline"),
    (b's', "dotAll"),
    (b'u', "unicode"),
    (b'v', "unicodeSets"),
    (b'y', "sticky"),
];

impl Flags {
    /// `d`
    pub const INDICES: Flags = Flags(1);
    /// `g`
    pub const GLOBAL: Flags = Flags(2);
    /// `i`
    pub const IGNORE_CASE: Flags = Flags(4);
    /// `m`
    pub const MULTILINE: Flags = Flags(8);
    /// `s`
    pub const DOT_ALL: Flags = Flags(16);
    /// `u`
    pub const UNICODE: Flags = Flags(32);
    /// `v`
    pub const UNICODE_SETS: Flags = Flags(64);
    /// `y`
    pub const STICKY: Flags = Flags(128);

    /// Flags from their letters; `None` if one is unknown, doubled, or excludes another.
    pub fn parse(text: JsString) -> Option<Flags> {
        let mut flags = 0;
        for unit in text.units().iter() {
            let index = FLAGS.iter().position(|&(letter, _)| letter as u16 == unit)?;
            if flags & 1 << index != 0 {
                return None;
            }
            flags |= 1 << index;
        }
        let flags = Flags(flags);
        (!(flags.has(Flags::UNICODE) && flags.has(Flags::UNICODE_SETS))).then_some(flags)
    }

    /// Whether the flag is set.
    #[inline(always)]
    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    /// Whether text is matched by code points: `u` or `v`.
    #[inline(always)]
    pub fn is_unicode(self) -> bool {
        self.0 & (Flags::UNICODE.0 | Flags::UNICODE_SETS.0) != 0
    }

    /// How case is ignored.
    pub fn folding(self) -> Folding {
        match (self.has(Flags::IGNORE_CASE), self.is_unicode()) {
            (false, _) => Folding::None,
            (true, false) => Folding::Upper,
            (true, true) => Folding::Simple,
        }
    }

    /// The letters.
    pub fn text(self) -> JsString {
        let letters: Vec<u8> =
            FLAGS.iter().enumerate().filter(|(index, _)| self.0 & 1 << index != 0).map(|(_, flag)| flag.0).collect();
        JsString::from_latin1(&letters)
    }

    /// All bits.
    pub fn bits(self) -> u8 {
        self.0
    }
}

pub(super) fn install(prototype: Object) {
    accessor(prototype, "flags", native(flags), None);
    accessor(prototype, "dotAll", native(|cx| flag(cx, Flags::DOT_ALL)), None);
    accessor(prototype, "global", native(|cx| flag(cx, Flags::GLOBAL)), None);
    accessor(prototype, "hasIndices", native(|cx| flag(cx, Flags::INDICES)), None);
    accessor(prototype, "ignoreCase", native(|cx| flag(cx, Flags::IGNORE_CASE)), None);
    accessor(prototype, "multiline", native(|cx| flag(cx, Flags::MULTILINE)), None);
    accessor(prototype, "sticky", native(|cx| flag(cx, Flags::STICKY)), None);
    accessor(prototype, "unicode", native(|cx| flag(cx, Flags::UNICODE)), None);
    accessor(prototype, "unicodeSets", native(|cx| flag(cx, Flags::UNICODE_SETS)), None);
}

fn flag(cx: &CallContext, flag: Flags) -> JsResult {
    if let Some(regexp) = cx.this.as_kind::<RegExpObject>() {
        return Ok(regexp.flags().has(flag).into());
    }
    if cx.this == intrinsic(Intrinsic::RegExpPrototype).into() {
        return Ok(Value::UNDEFINED);
    }
    let name = FLAGS.iter().enumerate().find(|(index, _)| flag.0 == 1 << index).map_or("", |(_, flag)| flag.1);
    Err(throw_type_error(format!(
        "RegExp.prototype.{name} getter called on non-RegExp object {}",
        crate::error::describe(cx.this)
    )))
}

fn flags(cx: &CallContext) -> JsResult {
    let Some(object) = cx.this.as_object() else {
        return Err(throw_type_error(format!(
            "RegExp.prototype.flags getter called on non-object {}",
            crate::error::describe(cx.this)
        )));
    };
    let mut letters = vec![];
    for (letter, name) in FLAGS {
        if to_boolean(object.get(name.into())?) {
            letters.push(letter);
        }
    }
    Ok(JsString::from_latin1(&letters).into())
}

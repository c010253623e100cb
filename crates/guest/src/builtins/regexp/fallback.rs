//! The matcher of the crate `regress`: complete, but slower. It only sees UTF-16.

use super::flags::Flags;
use super::program::{NONE, Span};
use crate::string::{JsString, Units};

/// A compiled pattern.
pub struct Matcher {
    regex: regress::Regex,
    is_unicode: bool,
}

impl Matcher {
    /// Compiles; answers the names of groups too (see [`super::program::Program`]).
    pub fn compile(pattern: JsString, flags: Flags) -> Result<(Matcher, Vec<Option<JsString>>), String> {
        let mut options = regress::Flags::default();
        options.icase = flags.has(Flags::IGNORE_CASE);
        options.multiline = flags.has(Flags::MULTILINE);
        options.dot_all = flags.has(Flags::DOT_ALL);
        options.unicode = flags.is_unicode();
        options.unicode_sets = flags.has(Flags::UNICODE_SETS);
        let Groups { names, renamed } = Groups::of(pattern);
        let units = renamed.iter().copied();
        let points: Vec<u32> = if flags.is_unicode() { code_points(units) } else { units.map(u32::from).collect() };
        let regex = regress::Regex::from_unicode(points.into_iter(), options).map_err(|error| error.text)?;
        Ok((Matcher { regex, is_unicode: flags.is_unicode() }, names))
    }

    /// Searches from `start`, only there if `sticky`: the whole match and the groups.
    pub fn execute(&self, subject: JsString, start: u32, sticky: bool) -> Option<Vec<Span>> {
        let start = start as usize;
        let found = match subject.units() {
            Units::Latin1(units) => {
                let wide: Vec<u16> = units.iter().map(|&unit| unit as u16).collect();
                self.find(&wide, start)
            }
            Units::Utf16(units) => self.find(units, start),
        };
        let found = found.filter(|found| !sticky || found.start() == start)?;
        let span = |group: Option<core::ops::Range<usize>>| {
            group.map_or([NONE; 2], |range| [range.start as u32, range.end as u32])
        };
        Some(found.groups().map(span).collect())
    }

    fn find(&self, units: &[u16], start: usize) -> Option<regress::Match> {
        if self.is_unicode {
            self.regex.find_from_utf16(units, start).next()
        } else {
            self.regex.find_from_ucs2(units, start).next()
        }
    }
}

fn code_points(units: impl Iterator<Item = u16>) -> Vec<u32> {
    char::decode_utf16(units)
        .map(|point| point.map_or_else(|lone| lone.unpaired_surrogate() as u32, |point| point as u32))
        .collect()
}

/// Groups of a pattern.
#[derive(Default)]
struct Groups {
    /// Names by the groups' numbers; empty if none has one.
    names: Vec<Option<JsString>>,
    /// The pattern with other names for groups whose names `regress` does not read as they are.
    renamed: Vec<u16>,
}

impl Groups {
    fn of(pattern: JsString) -> Groups {
        let units: Vec<u16> = pattern.units().iter().collect();
        let mut groups = Groups { names: vec![None], renamed: Vec::with_capacity(units.len()) };
        let (mut index, mut in_class) = (0, false);
        let has_names = units.windows(3).any(|start| start == [0x28, 0x3F, 0x3C]);
        while let Some(&unit) = units.get(index) {
            let rest = &units[index..];
            match rest {
                [0x28, 0x3F, 0x3C, next, ..] if !in_class && !matches!(next, 0x3D | 0x21) => {
                    groups.renamed.extend_from_slice(&rest[..3]);
                    let name = groups.copy_name(&rest[3..]);
                    index += 3 + name.len();
                    groups.names.push(Some(JsString::from_utf16(&decoded(name)).intern()));
                    continue;
                }
                [0x28, next, ..] if !in_class && *next != 0x3F => groups.names.push(None),
                [0x28] if !in_class => groups.names.push(None),
                [0x5C, 0x6B, 0x3C, ..] if has_names => {
                    groups.renamed.extend_from_slice(&rest[..3]);
                    index += 3 + groups.copy_name(&rest[3..]).len();
                    continue;
                }
                [0x5C, next, ..] => {
                    groups.renamed.extend_from_slice(&[unit, *next]);
                    index += 2;
                    continue;
                }
                [0x5B, ..] => in_class = true,
                [0x5D, ..] => in_class = false,
                _ => {}
            }
            groups.renamed.push(unit);
            index += 1;
        }
        if groups.names.iter().all(Option::is_none) {
            groups.names.clear();
        }
        groups
    }

    /// Copies the name up to a `>`, or one in ASCII that stands for it; answers the name as it is written.
    fn copy_name<'u>(&mut self, units: &'u [u16]) -> &'u [u16] {
        let end = units.iter().position(|&unit| unit == 0x3E).unwrap_or(units.len());
        let name = &units[..end];
        let decoded = decoded(name);
        let is_plain = |unit: &u16| *unit < 0x80 && *unit != 0x5C;
        if name.iter().all(is_plain) || !is_identifier(&decoded) {
            self.renamed.extend_from_slice(name);
        } else {
            let stand_in = decoded.iter().map(|unit| format!("${unit:04x}")).collect::<String>();
            self.renamed.extend(stand_in.encode_utf16());
        }
        name
    }
}

/// A name with its escapes (`\\u0061`, `\\u{61}`) replaced; as it is if they are malformed.
fn decoded(name: &[u16]) -> Vec<u16> {
    let text = String::from_utf16_lossy(name);
    let mut parts = text.split("\\u");
    let mut decoded: Vec<u16> = parts.next().unwrap_or_default().encode_utf16().collect();
    for part in parts {
        let (digits, rest) = match part.strip_prefix('{') {
            Some(braced) => braced.split_once('}').unwrap_or(("", "")),
            None => part.split_at_checked(4).unwrap_or(("", "")),
        };
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return name.to_vec();
        }
        match u32::from_str_radix(digits, 16) {
            // A half of a surrogate pair is no character, but a unit.
            Ok(value @ 0..=0xFFFF) => decoded.push(value as u16),
            Ok(value) if char::from_u32(value).is_some() => {
                let character = char::from_u32(value).unwrap_or_default();
                decoded.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            }
            _ => return name.to_vec(),
        }
        decoded.extend(rest.encode_utf16());
    }
    decoded
}

/// Whether the units are an identifier, as far as the standard library knows.
fn is_identifier(units: &[u16]) -> bool {
    let mut is_first = true;
    char::decode_utf16(units.iter().copied()).all(|character| {
        let Ok(character) = character else { return false };
        let may_continue = matches!(character, '\u{200C}' | '\u{200D}') || character.is_alphanumeric();
        let allowed = matches!(character, '$' | '_') || character.is_alphabetic() || !is_first && may_continue;
        is_first = false;
        allowed
    })
}

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
        let points: Vec<u32> =
            if flags.is_unicode() { code_points(pattern) } else { pattern.units().iter().map(u32::from).collect() };
        let regex = regress::Regex::from_unicode(points.into_iter(), options).map_err(|error| error.text)?;
        let names = group_names(pattern);
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

fn code_points(string: JsString) -> Vec<u32> {
    char::decode_utf16(string.units().iter())
        .map(|point| point.map_or_else(|lone| lone.unpaired_surrogate() as u32, |point| point as u32))
        .collect()
}

/// Names of the groups of a valid pattern, by their number.
fn group_names(pattern: JsString) -> Vec<Option<JsString>> {
    let units = pattern.units();
    let at = |index: usize| units.get(index).unwrap_or(0);
    let mut names = vec![None];
    let mut any = false;
    let mut in_class = false;
    let mut index = 0;
    while let Some(unit) = units.get(index) {
        index += 1;
        match unit {
            0x5C => index += 1,
            0x5B => in_class = true,
            0x5D => in_class = false,
            0x28 if !in_class && at(index) != b'?' as u16 => names.push(None),
            0x28 if !in_class && at(index + 1) == b'<' as u16 && !matches!(at(index + 2), 0x3D | 0x21) => {
                let start = index + 2;
                let end = (start..units.len()).find(|&end| at(end) == b'>' as u16).unwrap_or(units.len());
                names.push(Some(pattern.slice(start as u32, end as u32).intern()));
                any = true;
            }
            _ => {}
        }
    }
    if any { names } else { Vec::new() }
}

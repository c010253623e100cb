//! GetSubstitution (ECMA-262 §22.1.3.19.1): `$1`, `$&`, `$<name>` in replacement texts.

use crate::convert::to_string;
use crate::key::PropertyKey;
use crate::object::Object;
use crate::string::{JsString, StringBuilder};
use crate::throw::JsResult;

/// What a replacement text can refer to.
pub struct Captures<'a> {
    /// The text that was searched.
    pub subject: JsString,
    /// Where the match begins and ends.
    pub matched: (u32, u32),
    /// What a foreign `exec` says was matched, if that need not be the text there.
    pub claimed: Option<JsString>,
    /// Groups from the first on; `None` for those that took no part.
    pub groups: &'a [Option<JsString>],
    /// Named groups.
    pub named: Option<Object>,
}

/// Appends `template` with its references replaced.
pub fn substitute(out: &mut StringBuilder, template: JsString, captures: &Captures) -> JsResult<()> {
    let units = template.units();
    let length = units.len();
    let digit = |index: usize| units.get(index).and_then(|unit| char::from_u32(unit as u32)?.to_digit(10));
    let mut plain = 0;
    let mut at = 0;
    let dollar = JsString::from_unit(b'$' as u16);
    while let Some(found) = template.index_of(dollar, at as u32) {
        let start = found as usize;
        at = start + 1;
        let Some(next) = units.get(at) else { break };
        let (start_of_match, end_of_match) = captures.matched;
        let subject = captures.subject;
        let (replacement, end) = match next {
            0x24 => (Some(dollar), at + 1),
            0x26 => (Some(captures.claimed.unwrap_or_else(|| subject.slice(start_of_match, end_of_match))), at + 1),
            0x60 => (Some(subject.slice(0, start_of_match)), at + 1),
            0x27 => (Some(subject.slice(end_of_match.min(subject.len()), subject.len())), at + 1),
            0x3C => match named_group(template, at + 1, captures)? {
                Some(found) => found,
                None => continue,
            },
            _ => {
                let count = captures.groups.len();
                let one = digit(at).map(|digit| digit as usize);
                let two = one.zip(digit(at + 1)).map(|(tens, ones)| tens * 10 + ones as usize);
                match (one, two) {
                    (_, Some(number)) if (1..=count).contains(&number) => (captures.groups[number - 1], at + 2),
                    (Some(number), _) if (1..=count).contains(&number) => (captures.groups[number - 1], at + 1),
                    _ => continue,
                }
            }
        };
        out.push_string(template.slice(plain as u32, start as u32));
        if let Some(replacement) = replacement {
            out.push_string(replacement);
        }
        plain = end;
        at = end;
    }
    out.push_string(template.slice(plain as u32, length as u32));
    Ok(())
}

/// The group named in front of `>`, and the position behind that.
fn named_group(template: JsString, start: usize, captures: &Captures) -> JsResult<Option<(Option<JsString>, usize)>> {
    let Some(named) = captures.named else { return Ok(None) };
    let close = JsString::from_unit(b'>' as u16);
    let Some(end) = template.index_of(close, start as u32) else { return Ok(None) };
    let name = template.slice(start as u32, end);
    let value = named.get(PropertyKey::from_string(name))?;
    let text = if value.is_undefined() { None } else { Some(to_string(value)?) };
    Ok(Some((text, end as usize + 1)))
}

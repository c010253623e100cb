//! `JSON.parse`: one pass from text to values, without recursion.
//!
//! Values of open arrays and objects wait on one stack. An object's shape grows key by key along the transitions
//! that earlier objects made; the first transition is the prediction, so that records of the same form cost a comparison a key
//! and neither a hash nor an allocation. Strings without escapes share the text's units. (What searches strings uses SIMD; it is
//! inlined into what does so too.)

use super::error::Failure;
use super::sized_shape::sized_shape;
use super::units::Unit;
use crate::key::PropertyKey;
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm_shapes::object_shape;
use crate::shape::Shape;
use crate::state::State;
use crate::string::{JsString, StringBuilder, Units};
use crate::throw::JsResult;
use crate::value::Value;

/// Objects with more properties than this are built property by property.
const MAX_COLLECTED: usize = 100;
/// 10ⁿ, exact.
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The value of the text; SyntaxError if it is no JSON.
pub fn parse(source: JsString) -> JsResult {
    let result = match source.units() {
        Units::Latin1(text) => Parser::new(source, text).run(),
        Units::Utf16(text) => Parser::new(source, text).run(),
    };
    result.map_err(|failure| failure.throw(source))
}

/// Where the next value of an object goes.
#[derive(Clone, Copy)]
enum Place {
    /// It is a new property, which leads to this shape.
    New(Shape),
    /// The key occurred before, in this slot.
    Again(u32),
    /// The object exists already, because it is large.
    Large(Object, PropertyKey),
}

#[derive(Clone, Copy)]
enum Frame {
    Array { base: usize },
    Object { base: usize, shape: Shape, place: Place },
}

/// Memory that parsers hand to each other: they call no JavaScript, so there is one at a time.
static STACKS: State<(Vec<Value>, Vec<Frame>)> = State::new((Vec::new(), Vec::new()));
/// Stacks that grew beyond this are not kept.
const MAX_KEPT: usize = 4096;

struct Parser<'a, U> {
    source: JsString,
    text: &'a [U],
    at: usize,
    values: Vec<Value>,
    frames: Vec<Frame>,
}

impl<'a, U: Unit> Parser<'a, U> {
    fn new(source: JsString, text: &'a [U]) -> Self {
        let (mut values, mut frames) = STACKS.with(core::mem::take);
        values.clear();
        frames.clear();
        Parser { source, text, at: 0, values, frames }
    }

    /// The unit at the position if it is ASCII; 0 at the end (and for NUL, which is never allowed either), 0xFF for others.
    #[inline(always)]
    fn peek(&self) -> u8 {
        match self.text.get(self.at) {
            Some(unit) => unit.ascii(),
            None => 0,
        }
    }

    #[inline(always)]
    fn skip_space(&mut self) -> u8 {
        loop {
            let unit = self.peek();
            if unit > b' ' || !matches!(unit, b' ' | b'\n' | b'\r' | b'\t') {
                return unit;
            }
            self.at += 1;
        }
    }

    fn unexpected(&self) -> Failure {
        if self.at >= self.text.len() { Failure::End } else { Failure::Token(self.at) }
    }

    fn run(mut self) -> Result<Value, Failure> {
        let result = self.value();
        if self.values.capacity() <= MAX_KEPT {
            STACKS.with(|stacks| *stacks = (self.values, self.frames));
        }
        result
    }

    #[target_feature(enable = "simd128")]
    fn value(&mut self) -> Result<Value, Failure> {
        loop {
            let value = match self.skip_space() {
                b'"' => self.string()?.into(),
                b'{' => {
                    self.at += 1;
                    match self.skip_space() {
                        b'}' => {
                            self.at += 1;
                            Object::new().into()
                        }
                        b'"' => {
                            self.open_object()?;
                            continue;
                        }
                        _ => return Err(Failure::At(self.at, "Expected property name or '}'")),
                    }
                }
                b'[' => {
                    self.at += 1;
                    if self.skip_space() == b']' {
                        self.at += 1;
                        ArrayCell::with_capacity(0).into()
                    } else {
                        self.frames.push(Frame::Array { base: self.values.len() });
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true", Value::TRUE)?,
                b'f' => self.literal(b"false", Value::FALSE)?,
                b'n' => self.literal(b"null", Value::NULL)?,
                _ => return Err(self.unexpected()),
            };
            if let Some(value) = self.complete(value)? {
                return Ok(value);
            }
        }
    }

    /// Puts a complete value where it belongs, closing whatever ends behind it. Answers the value if it is the whole text's.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn complete(&mut self, mut value: Value) -> Result<Option<Value>, Failure> {
        loop {
            let next = self.skip_space();
            let Some(frame) = self.frames.last_mut() else {
                return match self.at == self.text.len() {
                    true => Ok(Some(value)),
                    false => Err(Failure::Trailing(self.at)),
                };
            };
            match frame {
                Frame::Array { base } => {
                    self.values.push(value);
                    match next {
                        b',' => {
                            self.at += 1;
                            return Ok(None);
                        }
                        b']' => {
                            self.at += 1;
                            value = ArrayCell::from_slice(&self.values[*base..]).into();
                            self.values.truncate(*base);
                        }
                        _ => return Err(Failure::At(self.at, "Expected ',' or ']' after array element")),
                    }
                }
                Frame::Object { base, shape, place } => {
                    match *place {
                        Place::New(next_shape) => {
                            self.values.push(value);
                            *shape = next_shape;
                        }
                        Place::Again(slot) => self.values[*base + slot as usize] = value,
                        Place::Large(object, key) => {
                            // A fresh ordinary object refuses nothing.
                            let _ = object.create_data_property(key, value);
                        }
                    }
                    match next {
                        b',' => {
                            self.at += 1;
                            if self.skip_space() != b'"' {
                                return Err(Failure::At(self.at, "Expected double-quoted property name"));
                            }
                            return self.next_key().map(|()| None);
                        }
                        b'}' => {
                            self.at += 1;
                            value = match *place {
                                Place::Large(object, _) => object.into(),
                                _ => object_of(*shape, &self.values[*base..]).into(),
                            };
                            self.values.truncate(*base);
                        }
                        _ => return Err(Failure::At(self.at, "Expected ',' or '}' after property value")),
                    }
                }
            }
            self.frames.pop();
        }
    }

    #[target_feature(enable = "simd128")]
    fn open_object(&mut self) -> Result<(), Failure> {
        let shape = object_shape();
        let place = self.key(shape)?;
        if self.skip_space() != b':' {
            return Err(Failure::At(self.at, "Expected ':' after property name"));
        }
        self.at += 1;
        self.frames.push(Frame::Object { base: self.values.len(), shape, place });
        Ok(())
    }

    /// Reads the second or a later key of the innermost object.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn next_key(&mut self) -> Result<(), Failure> {
        let Some(&Frame::Object { base, shape, place }) = self.frames.last() else { return Err(self.unexpected()) };
        let place = match place {
            Place::Large(object, _) => Place::Large(object, self.string()?.into()),
            _ if self.values.len() - base >= MAX_COLLECTED => {
                let object = object_of(shape, &self.values[base..]);
                Place::Large(object, self.string()?.into())
            }
            _ => self.key(shape)?,
        };
        if self.skip_space() != b':' {
            return Err(Failure::At(self.at, "Expected ':' after property name"));
        }
        self.at += 1;
        if let Some(Frame::Object { place: current, .. }) = self.frames.last_mut() {
            *current = place;
        }
        Ok(())
    }

    /// Reads a key of an object that has `shape` so far.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn key(&mut self, shape: Shape) -> Result<Place, Failure> {
        if let Some((key, next)) = shape.first_transition()
            && let Some(predicted) = key.as_string()
            && let Some(predicted) = predicted.latin1()
            && U::is_quoted(&self.text[self.at + 1..], predicted)
        {
            self.at += predicted.len() + 2;
            return Ok(Place::New(next));
        }
        let start = self.at + 1;
        let end = U::find_special(self.text, start);
        let key = if self.text.get(end).is_some_and(|unit| unit.ascii() == b'"') {
            self.at = end + 1;
            U::intern(&self.text[start..end])
        } else {
            self.string()?.intern()
        };
        let key = PropertyKey::from_string(key);
        Ok(match shape.transition(key, Attributes::ALL) {
            Some(next) => Place::New(next),
            None => match shape.find(key) {
                Some(entry) => Place::Again(entry.slot),
                None => Place::New(shape.add(key, Attributes::ALL)),
            },
        })
    }

    /// Reads a string from its opening quote.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn string(&mut self) -> Result<JsString, Failure> {
        let start = self.at + 1;
        let end = U::find_special(self.text, start);
        if self.text.get(end).is_some_and(|unit| unit.ascii() == b'"') {
            self.at = end + 1;
            return Ok(U::slice(self.source, self.text, start, end));
        }
        self.escaped_string(start, end)
    }

    /// Reads the rest of a string that has an escape, or an error, at `end`.
    fn escaped_string(&mut self, start: usize, mut end: usize) -> Result<JsString, Failure> {
        let mut builder = StringBuilder::with_capacity(end - start + 16);
        self.at = start;
        loop {
            builder.push_units(U::units(&self.text[self.at..end]));
            self.at = end;
            match self.text.get(end).map(|unit| unit.ascii()) {
                None => return Err(Failure::At(end, "Unterminated string")),
                Some(b'"') => {
                    self.at += 1;
                    return builder.finish().map_err(Failure::Thrown);
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut builder)?;
                }
                Some(_) => return Err(Failure::At(end, "Bad control character in string literal")),
            }
            end = U::find_special(self.text, self.at);
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, builder: &mut StringBuilder) -> Result<(), Failure> {
        let Some(unit) = self.text.get(self.at) else { return Err(Failure::End) };
        let unit = match unit.ascii() {
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            plain @ (b'"' | b'\\' | b'/') => plain as u16,
            b'u' => {
                let mut value = 0;
                for _ in 0..4 {
                    self.at += 1;
                    let digit = (self.peek() as char).to_digit(16);
                    value = value << 4 | digit.ok_or(Failure::At(self.at, "Bad Unicode escape"))? as u16;
                }
                value
            }
            _ => return Err(Failure::At(self.at, "Bad escaped character")),
        };
        self.at += 1;
        builder.push_unit(unit);
        Ok(())
    }

    fn literal(&mut self, word: &[u8], value: Value) -> Result<Value, Failure> {
        for &expected in word {
            if self.peek() != expected {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        Ok(value)
    }

    /// Skips digits, collecting them as long as the value is exact. Answers their number.
    #[inline]
    fn digits(&mut self, mantissa: &mut u64) -> usize {
        let start = self.at;
        while let digit @ b'0'..=b'9' = self.peek() {
            // May wrap, but then there are too many digits for anybody to look at it.
            *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        self.at - start
    }

    #[inline]
    fn number(&mut self) -> Result<Value, Failure> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        let mut mantissa = 0;
        let mut count = match self.peek() {
            b'0' => {
                self.at += 1;
                if self.peek().is_ascii_digit() {
                    return Err(Failure::Token(self.at));
                }
                1
            }
            b'1'..=b'9' => self.digits(&mut mantissa),
            _ => return Err(Failure::At(self.at, "No number after minus sign")),
        };
        let mut decimals = 0;
        if self.peek() == b'.' {
            self.at += 1;
            decimals = self.digits(&mut mantissa);
            count += decimals;
            if decimals == 0 {
                return Err(Failure::At(self.at, "Unterminated fractional number"));
            }
        }
        let mut exact = count <= 15;
        if self.peek() | 0x20 == b'e' {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            if self.digits(&mut 0) == 0 {
                return Err(Failure::At(self.at, "Exponent part is missing a number"));
            }
            exact = false;
        }
        if decimals == 0 && exact && mantissa <= i32::MAX as u64 && (mantissa > 0 || !negative) {
            return Ok(Value::from(if negative { -(mantissa as i32) } else { mantissa as i32 }));
        }
        if exact {
            // Both operands are exact doubles, so the quotient is correctly rounded.
            let magnitude = mantissa as f64 / POWERS[decimals];
            return Ok(Value::number(if negative { -magnitude } else { magnitude }));
        }
        let text: String = self.text[start..self.at].iter().map(|unit| unit.ascii() as char).collect();
        Ok(Value::number(text.parse().unwrap_or(f64::NAN)))
    }
}

/// An object of that shape's properties, with enough inline slots for all.
#[inline]
fn object_of(shape: Shape, values: &[Value]) -> Object {
    Object::with_slots(sized_shape(shape), values.iter().copied())
}

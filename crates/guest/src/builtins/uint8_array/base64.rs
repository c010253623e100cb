//! Base64 as `Uint8Array` reads and writes it.

use super::Decoded;
use crate::builtins::base64::encode as encode_padded;

/// Which 64 characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// With `+` and `/`.
    Base64,
    /// With `-` and `_`.
    Base64Url,
}

/// What an incomplete last chunk of four characters means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastChunk {
    /// Padding may be missing, and bits that belong to no byte may be set.
    Loose,
    /// An error, unless it is padded and the bits are 0.
    Strict,
    /// It is not read.
    StopBeforePartial,
}

/// The text of bytes.
pub(super) fn encode(bytes: &[u8], alphabet: Alphabet, omits_padding: bool) -> Vec<u8> {
    let mut text = encode_padded(bytes);
    if omits_padding {
        text.truncate(text.len() - text.iter().rev().take_while(|&&digit| digit == b'=').count());
    }
    if alphabet == Alphabet::Base64Url {
        for digit in &mut text {
            match digit {
                b'+' => *digit = b'-',
                b'/' => *digit = b'_',
                _ => {}
            }
        }
    }
    text
}

/// FromBase64: at most `room` bytes.
pub(super) fn decode(text: &[u16], alphabet: Alphabet, last: LastChunk, room: usize) -> Decoded {
    let mut decoder = Decoder { text, at: 0, decoded: Decoded { read: 0, bytes: Vec::new(), error: None } };
    if room > 0 {
        decoder.decoded.error = decoder.run(alphabet, last, room).err();
    }
    decoder.decoded
}

struct Decoder<'t> {
    text: &'t [u16],
    at: usize,
    decoded: Decoded,
}

impl Decoder<'_> {
    /// Skips white space; answers the unit behind it, which was not read.
    fn skip_space(&mut self) -> Option<u16> {
        while let Some(&unit) = self.text.get(self.at) {
            if !matches!(unit, 9 | 10 | 12 | 13 | 32) {
                return Some(unit);
            }
            self.at += 1;
        }
        None
    }

    fn run(&mut self, alphabet: Alphabet, last: LastChunk, room: usize) -> Result<(), &'static str> {
        let mut chunk = Vec::with_capacity(4);
        loop {
            let Some(unit) = self.skip_space() else { return self.end(&chunk, last) };
            if unit == u16::from(b'=') {
                return self.padding(&chunk, last);
            }
            let digit = digit(unit, alphabet).ok_or("Not a character of base64")?;
            let left = room - self.decoded.bytes.len();
            if left == 1 && chunk.len() == 2 || left == 2 && chunk.len() == 3 {
                return Ok(());
            }
            self.at += 1;
            chunk.push(digit);
            if chunk.len() == 4 {
                self.append(&chunk, false)?;
                self.decoded.read = self.at;
                chunk.clear();
                if self.decoded.bytes.len() == room {
                    return Ok(());
                }
            }
        }
    }

    /// The text ended within a chunk, or behind one.
    fn end(&mut self, chunk: &[u32], last: LastChunk) -> Result<(), &'static str> {
        match last {
            _ if chunk.is_empty() => {}
            LastChunk::StopBeforePartial => return Ok(()),
            LastChunk::Strict => return Err("The last chunk of base64 is not padded"),
            LastChunk::Loose => self.append(chunk, false)?,
        }
        self.decoded.read = self.text.len();
        Ok(())
    }

    /// A `=` was found: nothing but padding may follow.
    fn padding(&mut self, chunk: &[u32], last: LastChunk) -> Result<(), &'static str> {
        const MISPLACED: &str = "Misplaced padding in base64";
        if chunk.len() < 2 {
            return Err(MISPLACED);
        }
        self.at += 1;
        let mut next = self.skip_space();
        if chunk.len() == 2 {
            match next {
                None if last == LastChunk::StopBeforePartial => return Ok(()),
                Some(unit) if unit == u16::from(b'=') => {
                    self.at += 1;
                    next = self.skip_space();
                }
                _ => return Err(MISPLACED),
            }
        }
        if next.is_some() {
            return Err(MISPLACED);
        }
        self.append(chunk, last == LastChunk::Strict)?;
        self.decoded.read = self.text.len();
        Ok(())
    }

    /// DecodeBase64Chunk.
    fn append(&mut self, chunk: &[u32], refuses_extra_bits: bool) -> Result<(), &'static str> {
        if chunk.len() == 1 {
            return Err("The last chunk of base64 has one character");
        }
        let group = chunk.iter().fold(0, |group, digit| group << 6 | digit) << (6 * (4 - chunk.len()));
        let [_, bytes @ ..] = group.to_be_bytes();
        let (whole, rest) = bytes.split_at(chunk.len() - 1);
        if refuses_extra_bits && rest.iter().any(|&byte| byte != 0) {
            return Err("Extra bits in the last chunk of base64");
        }
        self.decoded.bytes.extend_from_slice(whole);
        Ok(())
    }
}

fn digit(unit: u16, alphabet: Alphabet) -> Option<u32> {
    let unit = u8::try_from(unit).ok()?;
    let (plus, slash) = if alphabet == Alphabet::Base64 { (b'+', b'/') } else { (b'-', b'_') };
    let digit = match unit {
        b'A'..=b'Z' => unit - b'A',
        b'a'..=b'z' => unit - b'a' + 26,
        b'0'..=b'9' => unit - b'0' + 52,
        _ if unit == plus => 62,
        _ if unit == slash => 63,
        _ => return None,
    };
    Some(u32::from(digit))
}

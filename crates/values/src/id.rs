//! Document ids.
//!
//! An id is `base32(VInt(table number) ‖ internal id ‖ footer)`, in Crockford's alphabet in lower case. The footer is a
//! Fletcher-16 checksum modulo 256, little-endian, of what is before it, exclusive-or the version of the format (0).

use std::fmt;
use std::str::FromStr;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The digit of each ASCII character, or [`NO_DIGIT`].
const DIGITS: [u8; 128] = digits();
const NO_DIGIT: u8 = u8::MAX;
const FOOTER_LENGTH: usize = 2;
const MIN_TEXT_LENGTH: usize = 31;
const MAX_TEXT_LENGTH: usize = 37;
const MAX_BYTES: usize = 5 + InternalId::LENGTH + FOOTER_LENGTH;

/// The number of a table inside ids; at least 1. User tables start at 10001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableNumber(pub u32);

/// The part of an id that tells the documents of a table apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InternalId(pub [u8; InternalId::LENGTH]);

impl InternalId {
    /// Bytes of an internal id.
    pub const LENGTH: usize = 16;

    /// Makes the id of a new document: 14 random bytes, then the days since the epoch, which keep documents of one time
    /// near each other.
    pub fn new(random: [u8; 14], days_since_epoch: u16) -> Self {
        let mut bytes = [0; Self::LENGTH];
        bytes[..14].copy_from_slice(&random);
        bytes[14..].copy_from_slice(&days_since_epoch.to_be_bytes());
        Self(bytes)
    }
}

/// The id of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId {
    /// The document's table.
    pub table: TableNumber,
    /// The document in the table.
    pub internal: InternalId,
}

/// Why a text is not a document id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Too short or too long.
    #[error("Unable to decode ID: it has {0} characters, an ID has {MIN_TEXT_LENGTH} to {MAX_TEXT_LENGTH}")]
    Length(usize),
    /// A character outside the alphabet.
    #[error("Unable to decode ID: invalid character {0:?}")]
    Character(char),
    /// The table number is missing, 0, too large, or not in its shortest form.
    #[error("Unable to decode ID: invalid table number")]
    TableNumber,
    /// The checksum is wrong.
    #[error("Unable to decode ID: invalid checksum")]
    Checksum,
}

impl DocumentId {
    fn bytes(&self) -> ([u8; MAX_BYTES], usize) {
        let mut bytes = [0; MAX_BYTES];
        let mut length = 0;
        let mut number = self.table.0;
        loop {
            let group = (number & 0x7F) as u8;
            number >>= 7;
            bytes[length] = if number == 0 { group } else { group | 0x80 };
            length += 1;
            if number == 0 {
                break;
            }
        }
        bytes[length..length + InternalId::LENGTH].copy_from_slice(&self.internal.0);
        length += InternalId::LENGTH;
        let footer = fletcher16(&bytes[..length]).to_le_bytes();
        bytes[length..length + FOOTER_LENGTH].copy_from_slice(&footer);
        (bytes, length + FOOTER_LENGTH)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, length) = self.bytes();
        let mut text = [0; MAX_TEXT_LENGTH];
        let mut written = 0;
        let (mut buffer, mut bits) = (0u32, 0);
        for byte in &bytes[..length] {
            buffer = buffer << 8 | u32::from(*byte);
            bits += 8;
            while bits >= 5 {
                bits -= 5;
                text[written] = ALPHABET[(buffer >> bits & 31) as usize];
                written += 1;
            }
        }
        if bits > 0 {
            text[written] = ALPHABET[(buffer << (5 - bits) & 31) as usize];
            written += 1;
        }
        formatter.write_str(std::str::from_utf8(&text[..written]).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for DocumentId {
    type Err = IdError;

    /// Decodes strictly: only what [`fmt::Display`] writes is accepted.
    fn from_str(text: &str) -> Result<Self, IdError> {
        if !(MIN_TEXT_LENGTH..=MAX_TEXT_LENGTH).contains(&text.len()) {
            return Err(IdError::Length(text.len()));
        }
        let mut bytes = Vec::with_capacity(MAX_BYTES + 1);
        let (mut buffer, mut bits) = (0u32, 0);
        for character in text.chars() {
            let digit = DIGITS.get(character as usize).copied().filter(|digit| *digit != NO_DIGIT);
            let digit = digit.ok_or(IdError::Character(character))?;
            buffer = buffer << 5 | u32::from(digit);
            bits += 5;
            if bits >= 8 {
                bits -= 8;
                bytes.push((buffer >> bits) as u8);
            }
        }
        let (table, rest) = decode_table_number(&bytes)?;
        let internal = InternalId(
            rest.get(..InternalId::LENGTH).and_then(|id| id.try_into().ok()).ok_or(IdError::Length(text.len()))?,
        );
        let id = Self { table, internal };
        let (canonical, length) = id.bytes();
        if bytes != canonical[..length] {
            return Err(IdError::Checksum);
        }
        // The bytes agree; what can still differ are the padding bits of the last character.
        if bits >= 5 || buffer & ((1 << bits) - 1) != 0 {
            return Err(IdError::Checksum);
        }
        Ok(id)
    }
}

const fn digits() -> [u8; 128] {
    let mut digits = [NO_DIGIT; 128];
    let mut digit = 0;
    while digit < ALPHABET.len() {
        digits[ALPHABET[digit] as usize] = digit as u8;
        digit += 1;
    }
    digits
}

fn decode_table_number(bytes: &[u8]) -> Result<(TableNumber, &[u8]), IdError> {
    let last = bytes.iter().take(5).position(|byte| byte & 0x80 == 0).ok_or(IdError::TableNumber)?;
    let number = bytes[..=last].iter().rev().fold(0u64, |number, byte| number << 7 | u64::from(byte & 0x7F));
    match u32::try_from(number) {
        Ok(number) if number > 0 && (last == 0 || bytes[last] != 0) => Ok((TableNumber(number), &bytes[last + 1..])),
        _ => Err(IdError::TableNumber),
    }
}

fn fletcher16(bytes: &[u8]) -> u16 {
    let (low, high) = bytes.iter().fold((0u8, 0u8), |(low, high), byte| {
        let low = low.wrapping_add(*byte);
        (low, high.wrapping_add(low))
    });
    u16::from_be_bytes([high, low])
}

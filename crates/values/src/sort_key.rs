//! Bytes that order as the values do.
//!
//! Each encoding tells where it ends, so a key is the concatenation of its fields' encodings. The keys that start with
//! given fields lie between their bytes and [`prefix_end`].

use crate::ConvexValue;

/// Appends the sort key of a value, or of `undefined` for `None`.
pub fn encode_sort_key(value: Option<&ConvexValue>, key: &mut Vec<u8>) {
    match value {
        None => key.push(0x01),
        Some(ConvexValue::Null) => key.push(0x03),
        Some(ConvexValue::Int64(number)) => encode_int64(*number, key),
        Some(ConvexValue::CommitTs) => encode_int64(i64::MAX, key),
        Some(ConvexValue::Float64(number)) => {
            let bits = number.to_bits();
            let ordered = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
            key.push(0x0D);
            key.extend_from_slice(&ordered.to_be_bytes());
        }
        Some(ConvexValue::Boolean(false)) => key.push(0x0E),
        Some(ConvexValue::Boolean(true)) => key.push(0x0F),
        Some(ConvexValue::String(text)) => encode_string_key(text, key),
        Some(ConvexValue::Bytes(bytes)) => {
            key.push(0x11);
            encode_escaped(bytes, key);
        }
        Some(ConvexValue::Array(items)) => {
            key.push(0x12);
            for item in items {
                encode_sort_key(Some(item), key);
            }
            key.push(0x00);
        }
        Some(ConvexValue::Object(fields)) => {
            key.push(0x15);
            for (name, value) in fields {
                encode_field_name(name, key);
                encode_sort_key(Some(value), key);
            }
            key.push(0x00);
        }
    }
}

/// Appends the sort key of a string value.
pub fn encode_string_key(text: &str, key: &mut Vec<u8>) {
    key.push(0x10);
    encode_escaped(text.as_bytes(), key);
}

/// The end (exclusive) of the keys that consist of these values, encoded in `prefix`, and at least one more.
///
/// The bytes of `"a"` are also the first bytes of `"a\0"`, which goes on with `FF`. Where a value ends and another one
/// follows, its tag does, and every tag is less than that.
pub fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = Vec::with_capacity(prefix.len() + 1);
    end.extend_from_slice(prefix);
    end.push(0xFF);
    end
}

fn encode_int64(number: i64, key: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let width = match number {
        0 => 0,
        _ if i8::try_from(number).is_ok() => 1,
        _ if i16::try_from(number).is_ok() => 2,
        _ if i32::try_from(number).is_ok() => 4,
        _ => 8,
    };
    // Tags 04..07 are negative numbers from widest to narrowest, 08 is zero, 09..0C are positive ones.
    let rank = match width {
        0 => 0,
        1 => 1,
        2 => 2,
        4 => 3,
        _ => 4,
    };
    key.push(if number < 0 { 0x08 - rank } else { 0x08 + rank });
    key.extend_from_slice(&bytes[8 - width..]);
}

/// Bytes with every `00` written `00 FF`, then a `00`.
fn encode_escaped(bytes: &[u8], key: &mut Vec<u8>) {
    for byte in bytes {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xFF);
        }
    }
    key.push(0x00);
}

/// A field name. It cannot hold a `00`; the empty one is marked so that it differs from the end of the object.
fn encode_field_name(name: &str, key: &mut Vec<u8>) {
    if name.is_empty() {
        key.extend_from_slice(&[0x00, 0xFF]);
    } else {
        encode_escaped(name.as_bytes(), key);
    }
}

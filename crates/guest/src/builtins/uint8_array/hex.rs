//! Hexadecimal digits.

use super::Decoded;

/// Two lower-case digits a byte.
pub(super) fn encode(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|&byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

/// FromHex: at most `room` bytes.
pub(super) fn decode(text: &[u16], room: usize) -> Decoded {
    let mut decoded = Decoded { read: 0, bytes: Vec::new(), error: None };
    if text.len() % 2 != 0 {
        decoded.error = Some("The number of hexadecimal digits must be even");
        return decoded;
    }
    for pair in text.chunks_exact(2).take(room) {
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
            decoded.error = Some("Not a hexadecimal digit");
            return decoded;
        };
        decoded.bytes.push(high << 4 | low);
        decoded.read += 2;
    }
    decoded
}

fn digit(unit: u16) -> Option<u8> {
    char::from_u32(u32::from(unit))?.to_digit(16).map(|digit| digit as u8)
}

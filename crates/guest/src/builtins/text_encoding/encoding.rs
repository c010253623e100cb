//! Encodings other than UTF-8 that `TextDecoder` knows (Encoding standard).

use crate::string::{JsString, StringBuilder};
use crate::throw::JsResult;

/// An encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8
    Utf8,
    /// UTF-16, low byte first
    Utf16Le,
    /// UTF-16, high byte first
    Utf16Be,
    /// Windows code page 1252, which the web takes for Latin-1 and ASCII too
    Windows1252,
}

const LABELS: &[(Encoding, &[&str])] = &[
    (Encoding::Utf8, &["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"]),
    (Encoding::Utf16Le, &["utf-16le", "utf-16", "ucs-2", "unicode", "iso-10646-ucs-2", "csunicode", "unicodefeff"]),
    (Encoding::Utf16Be, &["utf-16be", "unicodefffe"]),
    (
        Encoding::Windows1252,
        &[
            "windows-1252",
            "ansi_x3.4-1968",
            "ascii",
            "cp1252",
            "cp819",
            "csisolatin1",
            "ibm819",
            "iso-8859-1",
            "iso-ir-100",
            "iso8859-1",
            "iso88591",
            "iso_8859-1",
            "iso_8859-1:1987",
            "l1",
            "latin1",
            "us-ascii",
            "x-cp1252",
        ],
    ),
];

/// What the bytes 0x80 to 0x9F stand for in Windows-1252.
const WINDOWS_1252: [u16; 32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
    0x17E, 0x178,
];

const REPLACEMENT: u16 = 0xFFFD;

impl Encoding {
    /// The encoding with this label.
    pub fn labelled(label: &str) -> Option<Encoding> {
        let label = label.trim().to_ascii_lowercase();
        LABELS.iter().find(|(_, labels)| labels.contains(&label.as_str())).map(|(encoding, _)| *encoding)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The byte order mark, which is not part of the text.
    pub fn byte_order_mark(self) -> &'static [u8] {
        match self {
            Encoding::Utf8 => b"\xEF\xBB\xBF",
            Encoding::Utf16Le => b"\xFF\xFE",
            Encoding::Utf16Be => b"\xFE\xFF",
            Encoding::Windows1252 => b"",
        }
    }

    fn unit(self, pair: &[u8]) -> u16 {
        let pair = [pair[0], pair[1]];
        if self == Encoding::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    /// Bytes at the end of UTF-16 that may begin a character: half a unit, half a pair.
    pub fn incomplete_tail(self, bytes: &[u8]) -> usize {
        if !matches!(self, Encoding::Utf16Le | Encoding::Utf16Be) {
            return 0;
        }
        let half = bytes.len() % 2;
        let whole = &bytes[..bytes.len() - half];
        let is_open = whole.last_chunk::<2>().is_some_and(|pair| self.unit(pair) & 0xFC00 == 0xD800);
        half + if is_open { 2 } else { 0 }
    }

    /// The text of bytes in one of the other encodings; `None` if `fatal` and something is wrong with them.
    pub fn decode(self, bytes: &[u8], fatal: bool) -> JsResult<Option<JsString>> {
        let mut out = StringBuilder::with_capacity(bytes.len());
        if self == Encoding::Windows1252 {
            for &byte in bytes {
                let special = byte.checked_sub(0x80).and_then(|index| WINDOWS_1252.get(usize::from(index)));
                out.push_unit(special.copied().unwrap_or(u16::from(byte)));
            }
            return out.finish().map(Some);
        }
        let units = bytes.chunks_exact(2).map(|pair| self.unit(pair));
        let mut is_valid = bytes.len() % 2 == 0;
        for point in char::decode_utf16(units) {
            match point {
                Ok(point) => out.push_code_point(point as u32),
                Err(_) => {
                    is_valid = false;
                    out.push_unit(REPLACEMENT);
                }
            }
        }
        if bytes.len() % 2 != 0 {
            out.push_unit(REPLACEMENT);
        }
        if fatal && !is_valid { Ok(None) } else { out.finish().map(Some) }
    }
}

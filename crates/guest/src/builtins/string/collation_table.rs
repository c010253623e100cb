//! The order of the Latin-1 characters in the root collation of CLDR, which English uses.

/// Primary groups, ascending. In a group `;` separates secondary levels (accents), order within one is tertiary (case).
const GROUPS: &[&str] = &[
    "\t",
    "\n",
    "\u{b}",
    "\u{c}",
    "\r",
    "\u{85}",
    " \u{a0}",
    "_",
    "-",
    ",",
    "\u{3b}",
    ":",
    "!",
    "¡",
    "?",
    "¿",
    ".",
    "·",
    "'",
    "\"",
    "«",
    "»",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "§",
    "¶",
    "@",
    "*",
    "/",
    "\\",
    "&",
    "#",
    "%",
    "`",
    "´",
    "^",
    "¯",
    "¨",
    "¸",
    "°",
    "©",
    "®",
    "+",
    "±",
    "÷",
    "×",
    "<",
    "=",
    ">",
    "¬",
    "|",
    "¦",
    "~",
    "¤",
    "¢",
    "$",
    "£",
    "¥",
    "0",
    "1¹",
    "2²",
    "3³",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "aAª;áÁ;àÀ;âÂ;åÅ;äÄ;ãÃ",
    "bB",
    "cC;çÇ",
    "dD;ðÐ",
    "eE;éÉ;èÈ;êÊ;ëË",
    "fF",
    "gG",
    "hH",
    "iI;íÍ;ìÌ;îÎ;ïÏ",
    "jJ",
    "kK",
    "lL",
    "mM",
    "nN;ñÑ",
    "oOº;óÓ;òÒ;ôÔ;öÖ;õÕ;øØ",
    "pP",
    "qQ",
    "rR",
    "sS",
    "tT",
    "uU;úÚ;ùÙ;ûÛ;üÜ",
    "vV",
    "wW",
    "xX",
    "yY;ýÝ;ÿ",
    "zZ",
    "þÞ",
];

/// Weights of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Base character; 0 for characters that do not count at all.
    pub primary: u16,
    /// Accent.
    pub secondary: u8,
    /// Case.
    pub tertiary: u8,
}

/// Weights of a character by its code.
pub type Table = [Option<Weights>; 256];

/// Builds the table; `None` marks the few characters it does not know (fractions, micro sign).
pub fn build() -> Table {
    let mut table: Table = [None; 256];
    let ignored = Weights { primary: 0, secondary: 0, tertiary: 0 };
    for code in (0..0x20).chain(0x7F..0xA0).chain([0xAD]) {
        table[code] = Some(ignored);
    }
    for (index, group) in GROUPS.iter().enumerate() {
        let levels: Vec<&str> = if *group == ";" { vec![group] } else { group.split(';').collect() };
        for (secondary, level) in levels.into_iter().enumerate() {
            for (tertiary, point) in level.chars().enumerate() {
                table[point as usize % 256] =
                    Some(Weights { primary: index as u16 + 1, secondary: secondary as u8, tertiary: tertiary as u8 });
            }
        }
    }
    table
}

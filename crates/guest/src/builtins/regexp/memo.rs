//! Places where a match failed, so that nested quantifiers don't try them again and again.
//!
//! A search begins without this memory, which most never need. Once it has gone back often, every choice at an
//! instruction and a position is made only once: whoever comes there again came from another choice that failed, and
//! would fail in the same way. This bounds the search by the product of the pattern's and the text's length.

/// How often a search goes back before it begins to remember.
const PATIENCE: u32 = 50_000;
/// Largest memory, in bits.
const MAX_BITS: usize = 1 << 26;

/// See the module.
pub struct Memo {
    /// How often the search may still go back.
    patience: u32,
    is_active: bool,
    /// Bits by instruction, then by position.
    bits: Vec<u64>,
    positions: usize,
}

impl Memo {
    /// A memory for searches, one after the other.
    pub const fn new() -> Memo {
        Memo { patience: PATIENCE, is_active: false, bits: Vec::new(), positions: 0 }
    }

    /// Forgets everything, for another search.
    #[inline(always)]
    pub fn reset(&mut self) {
        self.patience = PATIENCE;
        self.is_active = false;
    }

    /// Counts one step back; true if it is time to [`Memo::begin`].
    #[inline(always)]
    pub fn is_due(&mut self) -> bool {
        self.patience = self.patience.wrapping_sub(1);
        self.patience == 0
    }

    /// Begins to remember, unless it takes too much memory.
    #[cold]
    pub fn begin(&mut self, instructions: usize, length: usize) {
        self.positions = length + 1;
        let bits = instructions.saturating_mul(self.positions);
        if bits <= MAX_BITS {
            self.bits.clear();
            self.bits.resize(bits.div_ceil(64), 0);
            self.is_active = true;
        }
    }

    /// Whether the search was at this instruction and position before; it is from now on.
    #[inline(always)]
    pub fn is_known(&mut self, instruction: usize, position: usize) -> bool {
        self.is_active && self.remember(instruction * self.positions + position)
    }

    #[cold]
    fn remember(&mut self, bit: usize) -> bool {
        let Some(word) = self.bits.get_mut(bit / 64) else { return false };
        let known = *word >> (bit % 64) & 1 != 0;
        *word |= 1 << (bit % 64);
        known
    }
}

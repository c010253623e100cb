//! Decimal numbers, as ICU formats them: the shortest digits that stand for a double, rounded half away from zero.

/// Digits and the position of the decimal point.
#[derive(Clone)]
pub struct Decimal {
    /// Digits (0 to 9) without leading or trailing zeros; empty for zero.
    digits: Vec<u8>,
    /// Number of digits before the decimal point; negative if zeros come between it and the first digit.
    point: i32,
    /// Whether there is a minus sign; zero may have one.
    pub negative: bool,
}

impl Decimal {
    /// A finite number.
    pub fn from_f64(number: f64) -> Decimal {
        let mut buffer = ryu_js::Buffer::new();
        Decimal::parse(buffer.format_finite(number.abs()), number.is_sign_negative())
    }

    /// Digits with an optional fraction and exponent.
    pub fn parse(text: &str, negative: bool) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').collect();
        let point = whole.len() as i32 + exponent.parse::<i32>().unwrap_or(0);
        let mut decimal = Decimal { digits, point, negative };
        decimal.trim();
        decimal
    }

    fn trim(&mut self) {
        let zeros = self.digits.iter().take_while(|&&digit| digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Number of digits before the decimal point of the number as it is; negative or 0 for small ones.
    pub fn magnitude(&self) -> i32 {
        self.point
    }

    /// Times a power of ten.
    pub fn shift(&mut self, by: i32) {
        if !self.is_zero() {
            self.point += by;
        }
    }

    /// Keeps so many digits after the decimal point.
    pub fn round_to_fraction(&mut self, digits: u32) {
        self.keep(self.point + digits as i32);
    }

    /// Keeps so many significant digits.
    pub fn round_to_significant(&mut self, digits: u32) {
        self.keep(digits as i32);
    }

    /// Keeps the first `count` digits.
    fn keep(&mut self, count: i32) {
        if count >= self.digits.len() as i32 {
            return;
        }
        let rounds_up = count >= 0 && self.digits[count as usize] >= 5;
        self.digits.truncate(count.max(0) as usize);
        if rounds_up {
            let mut at = self.digits.len();
            loop {
                if at == 0 {
                    self.digits.insert(0, 1);
                    self.point += 1;
                    break;
                }
                at -= 1;
                if self.digits[at] < 9 {
                    self.digits[at] += 1;
                    break;
                }
                self.digits[at] = 0;
            }
        }
        self.trim();
    }

    /// Digits before the point, at least `min`, and after it, at least `min_fraction`.
    pub fn text(&self, min: u32, min_fraction: u32) -> (String, String) {
        let digit = |index: i32| match usize::try_from(index).ok().and_then(|index| self.digits.get(index)) {
            Some(&digit) => (b'0' + digit) as char,
            None => '0',
        };
        let whole = self.point.max(min as i32).max(0);
        let whole: String = (self.point - whole..self.point).map(digit).collect();
        let fraction = (self.digits.len() as i32 - self.point).max(min_fraction as i32);
        let fraction = (self.point..self.point + fraction).map(digit).collect();
        (whole, fraction)
    }

    /// So many digits after the point are needed to show `significant` digits.
    pub fn fraction_for(&self, significant: u32) -> u32 {
        let point = if self.is_zero() { 1 } else { self.point };
        (significant as i32 - point).max(0) as u32
    }
}

//! Numbers as text: radixes, fixed, exponential and precision notation (ECMA-262 §21.1.3).

use core::fmt::Write;

/// Decimal digits of a positive finite number, rounded to `count` significant ones, ties upwards; and the exponent of the first.
fn significant_digits(number: f64, count: usize) -> (Vec<u8>, i32) {
    // Rust rounds exact ties to even, ECMAScript upwards. A tie has one digit more, a 5, and nothing behind it; no
    // double has more than 767 significant digits.
    let (mut digits, exponent) = scientific(number, count + 8);
    if digits[count] == b'5' && digits[count + 1..].iter().all(|&digit| digit == b'0') {
        (digits, _) = scientific(number, 800.max(count + 8));
        if digits[count + 1..].iter().all(|&digit| digit == b'0') {
            digits.truncate(count);
            return round_up(digits, exponent);
        }
    }
    scientific(number, count)
}

fn scientific(number: f64, count: usize) -> (Vec<u8>, i32) {
    let text = format!("{:.*e}", count - 1, number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or(0))
}

fn round_up(mut digits: Vec<u8>, exponent: i32) -> (Vec<u8>, i32) {
    match digits.iter().rposition(|&digit| digit != b'9') {
        Some(last) => {
            digits[last] += 1;
            digits[last + 1..].fill(b'0');
            (digits, exponent)
        }
        None => {
            digits.fill(b'0');
            digits[0] = b'1';
            (digits, exponent + 1)
        }
    }
}

fn push_exponent(out: &mut String, exponent: i32) {
    let _ = write!(out, "e{}{}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
}

/// `toFixed` of a number below 10²¹ in magnitude; `fraction` is at most 100.
pub fn to_fixed(number: f64, fraction: usize) -> String {
    let magnitude = number.abs();
    // A tie is possible only if the binary fraction is no longer than the digits asked for, plus one.
    let scaled = magnitude * 2f64.powi(fraction as i32 + 1);
    let text = if scaled.fract() == 0.0 {
        let exact = format!("{:.*}", fraction + 1, magnitude);
        round_last_digit(exact, fraction)
    } else {
        format!("{magnitude:.fraction$}")
    };
    let negative = number < 0.0;
    if negative { format!("-{text}") } else { text }
}

/// Drops the last of `fraction + 1` decimals, rounding half up.
fn round_last_digit(exact: String, fraction: usize) -> String {
    let mut bytes = exact.into_bytes();
    let dropped = bytes.pop().unwrap_or(b'0');
    if fraction == 0 {
        bytes.pop();
    }
    if dropped >= b'5' {
        let mut carry = true;
        for byte in bytes.iter_mut().rev().filter(|byte| **byte != b'.') {
            if *byte != b'9' {
                *byte += 1;
                carry = false;
                break;
            }
            *byte = b'0';
        }
        if carry {
            bytes.insert(0, b'1');
        }
    }
    bytes.into_iter().map(char::from).collect()
}

/// `toExponential` of a finite number; `None`: as many digits as needed.
pub fn to_exponential(number: f64, fraction: Option<usize>) -> String {
    let magnitude = number.abs();
    let (digits, exponent) = match fraction {
        _ if magnitude == 0.0 => (vec![b'0'; fraction.unwrap_or(0) + 1], 0),
        Some(fraction) => significant_digits(magnitude, fraction + 1),
        None => shortest_digits(magnitude),
    };
    let mut out = String::new();
    if number < 0.0 {
        out.push('-');
    }
    out.push(digits[0] as char);
    if digits.len() > 1 {
        out.push('.');
        out.extend(digits[1..].iter().map(|&digit| digit as char));
    }
    push_exponent(&mut out, exponent);
    out
}

/// The digits that `toString` shows of a positive number, and the exponent of the first.
fn shortest_digits(magnitude: f64) -> (Vec<u8>, i32) {
    let mut buffer = ryu_js::Buffer::new();
    let text = buffer.format_finite(magnitude);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let point = mantissa.find('.').unwrap_or(mantissa.len());
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let exponent = exponent.parse().unwrap_or(0) + point as i32 - 1 - zeros as i32;
    let mut digits = digits[zeros..].to_vec();
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, exponent)
}

/// `toPrecision` of a finite number; `precision` is 1 to 100.
pub fn to_precision(number: f64, precision: usize) -> String {
    let magnitude = number.abs();
    let (digits, exponent) = match magnitude == 0.0 {
        true => (vec![b'0'; precision], 0),
        false => significant_digits(magnitude, precision),
    };
    let digits: String = digits.into_iter().map(char::from).collect();
    let mut out = String::new();
    if number < 0.0 {
        out.push('-');
    }
    if exponent < -6 || exponent >= precision as i32 {
        out.push_str(&digits[..1]);
        if precision > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        push_exponent(&mut out, exponent);
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend(core::iter::repeat_n('0', (-exponent - 1) as usize));
        out.push_str(&digits);
    } else {
        let whole = exponent as usize + 1;
        out.push_str(&digits[..whole]);
        if whole < precision {
            out.push('.');
            out.push_str(&digits[whole..]);
        }
    }
    out
}

fn digit_character(digit: u32, radix: u32) -> char {
    char::from_digit(digit, radix).unwrap_or('0')
}

/// `toString(radix)` of a finite number. The specification leaves the digits of fractions open; like V8 this gives the
/// shortest that tell the number from its neighbours.
pub fn to_radix(number: f64, radix: u32) -> String {
    let magnitude = number.abs();
    let mut whole = magnitude.floor();
    let mut fraction = magnitude - whole;
    let base = radix as f64;
    let mut decimals: Vec<u32> = Vec::new();
    let mut delta = (0.5 * (next_up(magnitude) - magnitude)).max(f64::from_bits(1));
    if fraction >= delta {
        loop {
            fraction *= base;
            delta *= base;
            let digit = fraction as u32;
            decimals.push(digit);
            fraction -= digit as f64;
            if (fraction > 0.5 || (fraction == 0.5 && digit & 1 == 1)) && fraction + delta > 1.0 {
                // Round up, with carry, possibly into the whole part.
                loop {
                    match decimals.pop() {
                        None => {
                            whole += 1.0;
                            break;
                        }
                        Some(digit) if digit + 1 < radix => {
                            decimals.push(digit + 1);
                            break;
                        }
                        Some(_) => {}
                    }
                }
                break;
            }
            if fraction < delta {
                break;
            }
        }
    }
    let mut digits: Vec<char> = Vec::new();
    // Digits that the precision of a double does not reach are zeros.
    while exponent_of(whole / base) > 52 {
        whole /= base;
        digits.push('0');
    }
    loop {
        let rest = whole % base;
        digits.push(digit_character(rest as u32, radix));
        whole = (whole - rest) / base;
        if whole <= 0.0 {
            break;
        }
    }
    let mut out = String::new();
    if number < 0.0 {
        out.push('-');
    }
    out.extend(digits.iter().rev());
    if !decimals.is_empty() {
        out.push('.');
        out.extend(decimals.iter().map(|&digit| digit_character(digit, radix)));
    }
    out
}

fn next_up(number: f64) -> f64 {
    f64::from_bits(number.to_bits() + 1)
}

/// Exponent of the last bit's neighbour above: 53-bit integers have 0 or less.
fn exponent_of(number: f64) -> i32 {
    ((number.to_bits() >> 52 & 0x7FF) as i32) - 1023
}

/// English notation: groups of three digits, at most three decimals.
pub fn grouped(number: f64) -> String {
    // ICU rounds the shortest decimal notation, half up, not the exact value.
    let mut buffer = ryu_js::Buffer::new();
    let shortest = if number.abs() < 1e-6 { "0" } else { buffer.format_finite(number.abs()) };
    let (whole, decimals) = shortest.split_once('.').unwrap_or((shortest, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(decimals.bytes().chain(core::iter::repeat(b'0')).take(3)).collect();
    if decimals.as_bytes().get(3).is_some_and(|&digit| digit >= b'5') {
        digits.insert(0, b'0');
        let (rounded, _) = round_up(digits, 0);
        digits = rounded;
        if digits[0] == b'0' {
            digits.remove(0);
        }
    }
    let whole = digits.len() - 3;
    let mut out = String::new();
    if number.is_sign_negative() {
        out.push('-');
    }
    for (index, &digit) in digits[..whole].iter().enumerate() {
        if index > 0 && (whole - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit as char);
    }
    let decimals: String = digits[whole..].iter().map(|&digit| digit as char).collect();
    let decimals = decimals.trim_end_matches('0');
    if !decimals.is_empty() {
        out.push('.');
        out.push_str(decimals);
    }
    out
}

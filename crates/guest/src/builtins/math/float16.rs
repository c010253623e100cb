//! Half precision numbers (IEEE 754 binary16).

/// The nearest half precision number, ties to even, as its bits.
pub fn from_f64(number: f64) -> u16 {
    let sign = ((number.to_bits() >> 48) & 0x8000) as u16;
    let magnitude = number.abs();
    if magnitude.is_nan() {
        return 0x7E00;
    }
    // Halfway between the largest number and what would be the next.
    if magnitude >= 65_520.0 {
        return sign | 0x7C00;
    }
    // Below 2⁻¹⁴ the distance between numbers stays at 2⁻²⁴. The magnitude of a number in units of its distance is exact.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let steps = (magnitude * 2_f64.powi(10 - exponent)).round_ties_even() as u16;
    // The leading bit of normal numbers counts as one exponent, as does a carry.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps)
}

/// The number with these bits.
pub fn to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

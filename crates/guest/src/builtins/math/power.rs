//! `pow` as V8 computes it: Sun's fdlibm (`e_pow.c`), except for one pair of parentheses (see [`exp2`]). Results agree to the
//! last bit.

/// Coefficients of (3/2) (log(x) − 2s − 2/3 s³).
const L: [f64; 6] = [
    5.99999999999994648725e-01,
    4.28571428578550184252e-01,
    3.33333329818377432918e-01,
    2.72728123808534006489e-01,
    2.30660745775561754067e-01,
    2.06975017800338417784e-01,
];
/// 2/(3 ln 2), and in two parts.
const CP: [f64; 3] = [9.61796693925975554329e-01, 9.61796700954437255859e-01, -7.02846165095275826516e-09];
/// ln 2, and in two parts.
const LN_2: [f64; 3] = [6.93147180559945286227e-01, 6.93147182464599609375e-01, -1.90465429995776804525e-09];
/// log2(1.5) in two parts.
const LOG2_OF_1_5: [f64; 2] = [5.84962487220764160156e-01, 1.35003920212974897128e-08];

fn high_word(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

/// The upper half of the bits.
fn truncated(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xFFFF_FFFF_0000_0000)
}

/// log2 of a positive normal number in two parts, the first of which has 21 bits.
fn log2(x: f64) -> (f64, f64) {
    let high = high_word(x);
    let mantissa = high & 0x000F_FFFF;
    let mut n = (high >> 20) as i32 - 1023;
    let mut normalized = mantissa | 0x3FF0_0000;
    // x is compared with 1 or with 1.5, whichever is nearer.
    let near_1_5 = (0x3_988F..0xB_B67A).contains(&mantissa);
    if mantissa >= 0xB_B67A {
        n += 1;
        normalized -= 0x0010_0000;
    }
    let x = f64::from_bits(u64::from(normalized) << 32 | x.to_bits() & 0xFFFF_FFFF);
    let (base, log_high, log_low, bit) =
        if near_1_5 { (1.5, LOG2_OF_1_5[0], LOG2_OF_1_5[1], 1) } else { (1.0, 0.0, 0.0, 0) };

    let u = x - base;
    let v = 1.0 / (x + base);
    let s = u * v;
    let s_high = truncated(s);
    let t_high = f64::from_bits(u64::from((normalized >> 1 | 0x2000_0000) + 0x0008_0000 + (bit << 18)) << 32);
    let t_low = x - (t_high - base);
    let s_low = v * ((u - s_high * t_high) - s_high * t_low);

    let s2 = s * s;
    let mut r = s2 * s2 * (L[0] + s2 * (L[1] + s2 * (L[2] + s2 * (L[3] + s2 * (L[4] + s2 * L[5])))));
    r += s_low * (s_high + s);
    let s2 = s_high * s_high;
    let t_high = truncated(3.0 + s2 + r);
    let t_low = r - ((t_high - 3.0) - s2);

    let u = s_high * t_high;
    let v = s_low * t_high + t_low * s;
    let p_high = truncated(u + v);
    let p_low = v - (p_high - u);
    let z_high = CP[1] * p_high;
    let z_low = CP[2] * p_high + p_low * CP[0] + log_low;
    let t = f64::from(n);
    let first = truncated(((z_high + z_low) + log_high) + t);
    (first, z_low - (((first - t) - log_high) - z_high))
}

/// 2^(high + low), where the sum is z, below 1024 in magnitude.
fn exp2(mut high: f64, low: f64, z: f64) -> f64 {
    const P: [f64; 5] = [
        1.66666666666666019037e-01,
        -2.77777777770155933842e-03,
        6.61375632143793436117e-05,
        -1.65339022054652515390e-06,
        4.13813679705723846039e-08,
    ];
    let mut n = 0;
    if z.abs() > 0.5 {
        // The nearest integer, halves away from zero.
        let whole = (z + 0.5f64.copysign(z)).trunc();
        n = whole as i32;
        high -= whole;
    }
    let t = truncated(low + high);
    let u = t * LN_2[1];
    let v = (low - (t - high)) * LN_2[0] + t * LN_2[2];
    let z = u + v;
    let w = v - (z - u);
    let t = z * z;
    let t1 = z - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    // fdlibm has (z t1) / (t1 − 2) − (w + z w).
    let r = (z * t1) / ((t1 - 2.0) - (w + z * w));
    libm::scalbn(1.0 - (r - z), n)
}

/// `base ** exponent` as IEEE 754 has it.
pub fn pow(base: f64, exponent: f64) -> f64 {
    if exponent == 2.0 {
        return base * base;
    }
    let magnitude = base.abs();
    // Everything special, huge or tiny has nothing to do with rounding.
    let is_special = !magnitude.is_normal() || magnitude == 1.0 || exponent.abs() == 1.0;
    if is_special || exponent.abs() == 0.5 || !(1e-300..2e9).contains(&exponent.abs()) {
        return libm::pow(base, exponent);
    }
    let is_integer = exponent == exponent.trunc();
    if base < 0.0 && !is_integer {
        return f64::NAN;
    }
    let (t1, t2) = log2(magnitude);
    let y1 = truncated(exponent);
    let low = (exponent - y1) * t1 + exponent * t2;
    let high = y1 * t1;
    let z = low + high;
    if z.abs() >= 1022.0 {
        return libm::pow(base, exponent);
    }
    let result = exp2(high, low, z);
    if base < 0.0 && exponent % 2.0 != 0.0 { -result } else { result }
}

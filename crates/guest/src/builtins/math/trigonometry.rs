//! `sin` and `cos` with the polynomials of Sun's fdlibm in their original order of evaluation, which is V8's.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_4};

/// π/2 in three parts; the first two have 33 bits, so that their products with integers below 2²⁰ are exact.
const HALF_PI: [f64; 3] = [1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21];
/// Beyond this the reduction of arguments is left to `libm`.
const MAX_REDUCED: f64 = 1.6e6;

/// The sum of two doubles and what its rounding lost.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The quadrant of an angle and what remains, at most π/4 in magnitude, in two parts.
fn reduce(x: f64) -> (i64, f64, f64) {
    if x.abs() <= FRAC_PI_4 {
        return (0, x, 0.0);
    }
    let n = (x * FRAC_2_PI).round();
    let (first, lost_first) = exact_sum(x, -n * HALF_PI[0]);
    let (second, lost_second) = exact_sum(first, -n * HALF_PI[1]);
    let (high, low) = exact_sum(second, lost_first + lost_second - n * HALF_PI[2]);
    (n as i64, high, low)
}

/// Sine of `x + y` (fdlibm, `k_sin.c`).
fn sin_reduced(x: f64, y: f64) -> f64 {
    const S: [f64; 6] = [
        -1.66666666666666324348e-01,
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ];
    let z = x * x;
    let v = z * x;
    let r = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    if y == 0.0 { x + v * (S[0] + z * r) } else { x - ((z * (0.5 * y - v * r) - y) - v * S[0]) }
}

/// Cosine of `x + y` (fdlibm, `k_cos.c`).
fn cos_reduced(x: f64, y: f64) -> f64 {
    const C: [f64; 6] = [
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ];
    let z = x * x;
    let r = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let high = (x.to_bits() >> 32) as u32 & 0x7FFF_FFFF;
    if high < 0x3FD3_3333 {
        return 1.0 - (0.5 * z - (z * r - x * y));
    }
    // About x/4, so that 1 − it is exact.
    let quarter = if high > 0x3FE9_0000 { 0.28125 } else { f64::from_bits(u64::from(high - 0x0020_0000) << 32) };
    let half = 0.5 * z - quarter;
    (1.0 - quarter) - (half - (z * r - x * y))
}

/// `Math.sin`
pub fn sin(x: f64) -> f64 {
    if x.abs() > MAX_REDUCED || x.abs() < 2f64.powi(-26) || x.is_nan() {
        return libm::sin(x);
    }
    let (n, high, low) = reduce(x);
    match n & 3 {
        0 => sin_reduced(high, low),
        1 => cos_reduced(high, low),
        2 => -sin_reduced(high, low),
        _ => -cos_reduced(high, low),
    }
}

/// `Math.cos`
pub fn cos(x: f64) -> f64 {
    if x.abs() > MAX_REDUCED || x.abs() < 2f64.powi(-26) || x.is_nan() {
        return libm::cos(x);
    }
    let (n, high, low) = reduce(x);
    match n & 3 {
        0 => cos_reduced(high, low),
        1 => -sin_reduced(high, low),
        2 => -cos_reduced(high, low),
        _ => sin_reduced(high, low),
    }
}

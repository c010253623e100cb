//! Functions evaluated in the order of Sun's fdlibm, so that results agree with V8's to the last bit. (The crate `libm`
//! uses newer versions of these, which round differently.)

const LN2_HI: f64 = 6.93147180369123816490e-01;
const LN2_LO: f64 = 1.90821492927058770002e-10;

/// `e^x`. V8 corrects the one famous value that fdlibm rounds the wrong way.
pub fn exp(x: f64) -> f64 {
    if x == 1.0 { core::f64::consts::E } else { libm::exp(x) }
}

/// Natural logarithm (fdlibm, `e_log.c`): x = 2^k (1 + f), log(1 + f) by a polynomial in s = f / (2 + f).
pub fn log(x: f64) -> f64 {
    const LG: [f64; 7] = [
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let (scaled, mut k) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), -54) } else { (x, 0) };
    let high = (scaled.to_bits() >> 32) as i32;
    k += (high >> 20) - 1023;
    let mantissa = high & 0x000F_FFFF;
    // The mantissa is brought into [√2/2, √2].
    let i = (mantissa + 0x9_5F64) & 0x10_0000;
    k += i >> 20;
    let high = mantissa | (i ^ 0x3FF0_0000);
    let reduced = f64::from_bits((high as u64) << 32 | scaled.to_bits() & 0xFFFF_FFFF);
    let f = reduced - 1.0;
    let dk = k as f64;
    if (2 + mantissa) & 0x000F_FFFF < 3 {
        // |f| < 2⁻²⁰
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HI + dk * LN2_LO };
        }
        let r = f * f * (0.5 - 0.333_333_333_333_333_3 * f);
        return if k == 0 { f - r } else { dk * LN2_HI - ((r - dk * LN2_LO) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let t2 = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    let r = t2 + t1;
    if (mantissa - 0x6_147A) | (0x6_B851 - mantissa) > 0 {
        let half_square = 0.5 * f * f;
        if k == 0 {
            f - (half_square - s * (half_square + r))
        } else {
            dk * LN2_HI - ((half_square - (s * (half_square + r) + dk * LN2_LO)) - f)
        }
    } else if k == 0 {
        f - s * (f - r)
    } else {
        dk * LN2_HI - ((s * (f - r) - dk * LN2_LO) - f)
    }
}

/// Cube root (FreeBSD, `s_cbrt.c`): a rough guess from the exponent, a polynomial, one Newton step.
pub fn cbrt(x: f64) -> f64 {
    const B1: u32 = 715_094_163;
    const B2: u32 = 696_219_795;
    const P: [f64; 5] = [
        1.87595182427177009643,
        -1.88497979543377169875,
        1.621429720105354466140,
        -0.758397934778766047437,
        0.145996192886612446982,
    ];
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let sign = (x.to_bits() >> 32) as u32 & 0x8000_0000;
    let high = (x.to_bits() >> 32) as u32 & 0x7FFF_FFFF;
    let guess = if high < 0x0010_0000 {
        let scaled = (x * 2f64.powi(54)).to_bits();
        ((scaled >> 32) as u32 & 0x7FFF_FFFF) / 3 + B2
    } else {
        high / 3 + B1
    };
    let t = f64::from_bits(((sign | guess) as u64) << 32);
    let r = (t * t) * (t / x);
    let t = t * ((P[0] + r * (P[1] + r * P[2])) + ((r * r) * r) * (P[3] + r * P[4]));
    // Rounded to 23 bits, so that the square below is exact.
    let t = f64::from_bits((t.to_bits() + 0x8000_0000) & 0xFFFF_FFFF_C000_0000);
    let s = t * t;
    let r = x / s;
    let w = t + t;
    let r = (r - t) / (w + r);
    t + t * r
}

/// Hyperbolic cosine (fdlibm, `e_cosh.c`).
pub fn cosh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 0.5 * core::f64::consts::LN_2 {
        let t = libm::expm1(magnitude);
        let w = 1.0 + t;
        return if magnitude < 2f64.powi(-55) { w } else { 1.0 + (t * t) / (w + w) };
    }
    if magnitude < 22.0 {
        let t = exp(magnitude);
        return 0.5 * t + 0.5 / t;
    }
    half_exp(magnitude, 0.5)
}

/// `factor * e^x` for a large x, where e^x itself may overflow.
fn half_exp(x: f64, factor: f64) -> f64 {
    const LOG_MAX: f64 = 709.782712893384;
    if x <= LOG_MAX {
        return factor * exp(x);
    }
    let w = exp(0.5 * x);
    (factor * w) * w
}

/// Hyperbolic sine (fdlibm, `e_sinh.c`).
pub fn sinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 2f64.powi(-28) || x.is_nan() {
        return x;
    }
    let half = 0.5f64.copysign(x);
    if magnitude >= 22.0 {
        return half_exp(magnitude, half);
    }
    let t = libm::expm1(magnitude);
    if magnitude < 1.0 { half * (2.0 * t - t * t / (t + 1.0)) } else { half * (t + t / (t + 1.0)) }
}

/// Hyperbolic tangent (fdlibm, `s_tanh.c`).
pub fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 2f64.powi(-28) || x.is_nan() {
        return x;
    }
    let result = if magnitude >= 22.0 {
        1.0
    } else if magnitude >= 1.0 {
        1.0 - 2.0 / (libm::expm1(2.0 * magnitude) + 2.0)
    } else {
        let t = libm::expm1(-2.0 * magnitude);
        -t / (t + 2.0)
    };
    result.copysign(x)
}

/// Inverse hyperbolic sine (fdlibm, `s_asinh.c`).
pub fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 2f64.powi(-28) || !x.is_finite() {
        return x;
    }
    let result = if magnitude > 2f64.powi(28) {
        log(magnitude) + core::f64::consts::LN_2
    } else if magnitude > 2.0 {
        log(2.0 * magnitude + 1.0 / ((x * x + 1.0).sqrt() + magnitude))
    } else {
        let t = x * x;
        libm::log1p(magnitude + t / (1.0 + (1.0 + t).sqrt()))
    };
    result.copysign(x)
}

/// Inverse hyperbolic cosine (fdlibm, `e_acosh.c`).
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 || x.is_nan() {
        f64::NAN
    } else if x >= 2f64.powi(28) {
        if x.is_infinite() { x } else { log(x) + core::f64::consts::LN_2 }
    } else if x > 2.0 {
        log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()))
    } else {
        let t = x - 1.0;
        libm::log1p(t + (2.0 * t + t * t).sqrt())
    }
}

/// Decimal logarithm (fdlibm, `e_log10.c`): of the power of two and of the mantissa.
pub fn log10(x: f64) -> f64 {
    const IVLN10: f64 = 4.34294481903251816668e-01;
    const LOG10_2_HI: f64 = 3.01029995663611771306e-01;
    const LOG10_2_LO: f64 = 3.69423907715893078616e-13;
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() || x == 1.0 {
        return if x == 1.0 { 0.0 } else { x };
    }
    let (scaled, mut k) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), -54) } else { (x, 0) };
    let bits = scaled.to_bits();
    k += (bits >> 52) as i32 - 1023;
    let i = u64::from(k < 0);
    let mantissa = f64::from_bits(bits & 0x000F_FFFF_FFFF_FFFF | (0x3FF - i) << 52);
    let y = (k + i as i32) as f64;
    let z = y * LOG10_2_LO + IVLN10 * log(mantissa);
    z + y * LOG10_2_HI
}

//! The special function unit: approximations within the error that PTX states.
//!
//! The GPU's last bits differ from these; PTX fixes only the bounds. `ex2` and
//! `lg2` are polynomials so that they vectorise; the others are rare.

use super::lanes::ops;

ops! {
    /// 2^a; PTX: relative error below 2⁻²².
    Ex2(a: f32) -> f32 { exp2(a) }
    /// log₂ a; PTX: absolute error below 2⁻²² near 1, relative 2⁻²² elsewhere.
    Lg2(a: f32) -> f32 { log2(a) }
    Rsqrt(a: f32) -> f32 { (1.0 / f64::from(a).sqrt()) as f32 }
    RsqrtF64(a: f64) -> f64 { 1.0 / a.sqrt() }
    Sin(a: f32) -> f32 { f64::from(a).sin() as f32 }
    Cos(a: f32) -> f32 { f64::from(a).cos() as f32 }
    Tanh(a: f32) -> f32 { f64::from(a).tanh() as f32 }
    /// a / b, where |b| beyond 2¹²⁶ gives 0 as PTX says.
    DivApprox(a: f32, b: f32) -> f32 { a / b }
}

/// 2ᶠ on −½ … ½: Taylor in ln 2 to the seventh power, error below 2⁻²⁸.
#[inline(always)]
fn exp2(a: f32) -> f32 {
    let clamped = a.clamp(-160.0, 160.0);
    let whole = clamped.round_ties_even();
    let x = (clamped - whole) * std::f32::consts::LN_2;
    let mut power = 1.0 / 5040.0_f32;
    for factor in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        power = power.mul_add(x, factor);
    }
    // Two factors, so that results below the smallest normal number are right.
    let half = (whole as i32) >> 1;
    let rest = whole as i32 - half;
    let scaled = power * exponent(half) * exponent(rest);
    if a.is_nan() { a } else { scaled }
}

/// 2ⁿ for −126 ≤ n ≤ 127.
#[inline(always)]
fn exponent(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

#[inline(always)]
fn log2(a: f32) -> f32 {
    (f64::from(a)).log2() as f32
}

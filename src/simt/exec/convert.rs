//! Conversions between types.

use std::marker::PhantomData;

use super::Op;
use super::lanes::ops;

ops! {
    SignExtend8(a: u32) -> i32 { i32::from(a as i8) }
    ZeroExtend8(a: u32) -> u32 { a & 0xff }
    SignExtend16(a: u32) -> i32 { i32::from(a as i16) }
    ZeroExtend16(a: u32) -> u32 { a & 0xffff }
    WidenU32(a: u32) -> u64 { u64::from(a) }
    WidenS32(a: i32) -> i64 { i64::from(a) }
    Narrow64(a: u64) -> u32 { a as u32 }
    HighHalf64(a: u64) -> u32 { (a >> 32) as u32 }
    Join64(low: u32, high: u32) -> u64 { u64::from(high) << 32 | u64::from(low) }
    Join32(low: u32, high: u32) -> u32 { high << 16 | low & 0xffff }
    HighHalf32(a: u32) -> u32 { a >> 16 }

    F32ToF64(a: f32) -> f64 { f64::from(a) }
    F64ToF32(a: f64) -> f32 { a as f32 }
    F32FromS32(a: i32) -> f32 { a as f32 }
    F32FromU32(a: u32) -> f32 { a as f32 }
    F32FromS64(a: i64) -> f32 { a as f32 }
    F32FromU64(a: u64) -> f32 { a as f32 }
    F64FromS32(a: i32) -> f64 { f64::from(a) }
    F64FromU32(a: u32) -> f64 { f64::from(a) }
    F64FromS64(a: i64) -> f64 { a as f64 }
    F64FromU64(a: u64) -> f64 { a as f64 }
    /// To nearest, ties to even; a NaN stays one.
    Bf16FromF32(a: f32) -> u32 { bf16(a) }
    Bf16FromF32Zero(a: f32) -> u32 { if a.is_nan() { 0x7fff } else { a.to_bits() >> 16 } }
    F32FromBf16(a: u32) -> u32 { a << 16 }
    /// The first source becomes the upper half.
    Bf16x2FromF32(high: f32, low: f32) -> u32 { bf16(high) << 16 | bf16(low) }
    F16FromF32(a: f32) -> u32 { u32::from(half::f16::from_f32(a).to_bits()) }
    F32FromF16(a: u32) -> f32 { half::f16::from_bits(a as u16).to_f32() }
    F16x2FromF32(high: f32, low: f32) -> u32 {
        u32::from(half::f16::from_f32(high).to_bits()) << 16
            | u32::from(half::f16::from_f32(low).to_bits())
    }
    Same(a: f32) -> f32 { a }
}

#[inline(always)]
fn bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if value.is_nan() { 0x7fff } else { rounded }
}

/// How a float becomes a whole number.
pub(crate) trait Rounding {
    fn f32(value: f32) -> f32;
    fn f64(value: f64) -> f64;
}

macro_rules! roundings {
    ($($(#[$doc:meta])* $name:ident: $method:ident;)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;
            impl Rounding for $name {
                #[inline(always)]
                fn f32(value: f32) -> f32 { value.$method() }
                #[inline(always)]
                fn f64(value: f64) -> f64 { value.$method() }
            }
        )*
    };
}

roundings! {
    /// `.rni`
    ToNearest: round_ties_even;
    /// `.rzi`
    ToZero: trunc;
    /// `.rmi`
    ToMinus: floor;
    /// `.rpi`
    ToPlus: ceil;
}

/// A whole number kept as a float.
pub(crate) struct RoundF32<R>(PhantomData<R>);
pub(crate) struct RoundF64<R>(PhantomData<R>);

impl<R: Rounding> Op for RoundF32<R> {
    type A = f32;
    type B = ();
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, _: (), _: ()) -> f32 {
        R::f32(a)
    }
}

impl<R: Rounding> Op for RoundF64<R> {
    type A = f64;
    type B = ();
    type C = ();
    type R = f64;
    #[inline(always)]
    fn apply(a: f64, _: (), _: ()) -> f64 {
        R::f64(a)
    }
}

/// A float to an integer: rounded, saturated, NaN to 0 (as Rust's `as` does).
macro_rules! to_integer {
    ($($name:ident: $from:ty, $round:ident -> $to:ty;)*) => {
        $(
            pub(crate) struct $name<R>(PhantomData<R>);
            impl<R: Rounding> Op for $name<R> {
                type A = $from;
                type B = ();
                type C = ();
                type R = $to;
                #[inline(always)]
                fn apply(a: $from, _: (), _: ()) -> $to { R::$round(a) as $to }
            }
        )*
    };
}

to_integer! {
    S32FromF32: f32, f32 -> i32;
    U32FromF32: f32, f32 -> u32;
    S64FromF32: f32, f32 -> i64;
    U64FromF32: f32, f32 -> u64;
    S32FromF64: f64, f64 -> i32;
    U32FromF64: f64, f64 -> u32;
    S64FromF64: f64, f64 -> i64;
    U64FromF64: f64, f64 -> u64;
}

/// A float to fewer than 32 bits saturates there too.
macro_rules! to_small {
    ($($name:ident: $to:ty;)*) => {
        $(
            pub(crate) struct $name<R>(PhantomData<R>);
            impl<R: Rounding> Op for $name<R> {
                type A = f32;
                type B = ();
                type C = ();
                type R = u32;
                #[inline(always)]
                fn apply(a: f32, _: (), _: ()) -> u32 { (R::f32(a) as $to) as u32 }
            }
        )*
    };
}

to_small! {
    S8FromF32: i8;
    U8FromF32: u8;
    S16FromF32: i16;
    U16FromF32: u16;
}

//! Floating point as IEEE 754 has it; what only approximates is in `approx`.

use std::marker::PhantomData;

use super::Op;
use super::lanes::ops;

ops! {
    AddF32(a: f32, b: f32) -> f32 { a + b }
    SubF32(a: f32, b: f32) -> f32 { a - b }
    MulF32(a: f32, b: f32) -> f32 { a * b }
    DivF32(a: f32, b: f32) -> f32 { a / b }
    FmaF32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    SqrtF32(a: f32) -> f32 { a.sqrt() }
    RcpF32(a: f32) -> f32 { 1.0 / a }
    NegF32(a: u32) -> u32 { a ^ 0x8000_0000 }
    AbsF32(a: u32) -> u32 { a & 0x7fff_ffff }
    CopySignF32(sign: u32, value: u32) -> u32 { sign & 0x8000_0000 | value & 0x7fff_ffff }
    MinF32(a: f32, b: f32) -> f32 { min_f32(a, b) }
    MaxF32(a: f32, b: f32) -> f32 { max_f32(a, b) }
    MinNanF32(a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { f32::NAN } else { min_f32(a, b) } }
    MaxNanF32(a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { f32::NAN } else { max_f32(a, b) } }

    AddF64(a: f64, b: f64) -> f64 { a + b }
    SubF64(a: f64, b: f64) -> f64 { a - b }
    MulF64(a: f64, b: f64) -> f64 { a * b }
    DivF64(a: f64, b: f64) -> f64 { a / b }
    FmaF64(a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
    SqrtF64(a: f64) -> f64 { a.sqrt() }
    RcpF64(a: f64) -> f64 { 1.0 / a }
    NegF64(a: u64) -> u64 { a ^ 1 << 63 }
    AbsF64(a: u64) -> u64 { a & !(1 << 63) }
    MinF64(a: f64, b: f64) -> f64 { a.min(b) }
    MaxF64(a: f64, b: f64) -> f64 { a.max(b) }
}

/// The other operand where one is NaN; −0 is less than +0.
#[inline(always)]
fn min_f32(a: f32, b: f32) -> f32 {
    if a == b {
        f32::from_bits(a.to_bits() | b.to_bits())
    } else if a < b || b.is_nan() {
        a
    } else {
        b
    }
}

#[inline(always)]
fn max_f32(a: f32, b: f32) -> f32 {
    if a == b {
        f32::from_bits(a.to_bits() & b.to_bits())
    } else if a > b || b.is_nan() {
        a
    } else {
        b
    }
}

/// A direction in which a result is rounded.
pub(crate) trait Direction {
    /// Whether `nearest`, which lies above (`over`) or below the exact value, is kept.
    fn fix(nearest: f32, over: bool, under: bool) -> f32;
}

pub(crate) struct Down;
pub(crate) struct Up;
pub(crate) struct TowardsZero;

impl Direction for Down {
    #[inline(always)]
    fn fix(nearest: f32, over: bool, _: bool) -> f32 {
        if over { nearest.next_down() } else { nearest }
    }
}

impl Direction for Up {
    #[inline(always)]
    fn fix(nearest: f32, _: bool, under: bool) -> f32 {
        if under { nearest.next_up() } else { nearest }
    }
}

impl Direction for TowardsZero {
    #[inline(always)]
    fn fix(nearest: f32, over: bool, under: bool) -> f32 {
        if over && nearest > 0.0 {
            nearest.next_down()
        } else if under && nearest < 0.0 {
            nearest.next_up()
        } else {
            nearest
        }
    }
}

/// a·b + c rounded in direction `D`: the product is exact in fp64, and the error
/// of the sum is known from Knuth's two-sum.
pub(crate) struct FmaDirected<D>(PhantomData<D>);

impl<D: Direction> Op for FmaDirected<D> {
    type A = f32;
    type B = f32;
    type C = f32;
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32, c: f32) -> f32 {
        let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = product + addend;
        let virtual_addend = sum - product;
        let error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
        let nearest = sum as f32;
        if !sum.is_finite() {
            return nearest;
        }
        let wide = f64::from(nearest);
        let over = wide > sum || wide == sum && error < 0.0;
        let under = wide < sum || wide == sum && error > 0.0;
        D::fix(nearest, over, under)
    }
}

/// a + b, or a · b, rounded in direction `D`.
pub(crate) struct AddDirected<D>(PhantomData<D>);
pub(crate) struct MulDirected<D>(PhantomData<D>);

impl<D: Direction> Op for AddDirected<D> {
    type A = f32;
    type B = f32;
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32, _: ()) -> f32 {
        FmaDirected::<D>::apply(a, 1.0, b)
    }
}

impl<D: Direction> Op for MulDirected<D> {
    type A = f32;
    type B = f32;
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32, _: ()) -> f32 {
        let exact = f64::from(a) * f64::from(b);
        let nearest = exact as f32;
        let wide = f64::from(nearest);
        D::fix(nearest, wide > exact, wide < exact)
    }
}

/// An operand or a result that `.ftz` flushes: a subnormal becomes a zero of its sign.
pub(crate) trait Flush: Copy {
    fn flush(self) -> Self;
}

impl Flush for f32 {
    #[inline(always)]
    fn flush(self) -> f32 {
        let bits = self.to_bits();
        if bits & 0x7f80_0000 == 0 {
            f32::from_bits(bits & 0x8000_0000)
        } else {
            self
        }
    }
}

impl Flush for u32 {
    #[inline(always)]
    fn flush(self) -> u32 {
        f32::from_bits(self).flush().to_bits()
    }
}

impl Flush for () {
    #[inline(always)]
    fn flush(self) {}
}

/// `.ftz`: operands and result flushed.
pub(crate) struct Ftz<O>(PhantomData<O>);

impl<O: Op> Op for Ftz<O>
where
    O::A: Flush,
    O::B: Flush,
    O::C: Flush,
    O::R: Flush,
{
    type A = O::A;
    type B = O::B;
    type C = O::C;
    type R = O::R;
    #[inline(always)]
    fn apply(a: O::A, b: O::B, c: O::C) -> O::R {
        O::apply(a.flush(), b.flush(), c.flush()).flush()
    }
}

/// `.sat`: the result clamped to 0 … 1, NaN to 0.
pub(crate) struct Sat<O>(PhantomData<O>);

impl<O: Op<R = f32>> Op for Sat<O> {
    type A = O::A;
    type B = O::B;
    type C = O::C;
    type R = f32;
    #[inline(always)]
    fn apply(a: O::A, b: O::B, c: O::C) -> f32 {
        saturate(O::apply(a, b, c))
    }
}

/// 0 … 1, NaN to +0.
#[inline(always)]
pub(crate) fn saturate(value: f32) -> f32 {
    if value > 0.0 {
        if value < 1.0 { value } else { 1.0 }
    } else {
        0.0
    }
}

//! Predicates: one bit per lane, 32 lanes in a word.

use std::marker::PhantomData;

use super::lanes::handlers;
use super::turn::{Inst, Turn, WARP};

/// A comparison of two lanes.
pub(crate) trait Test {
    type T: Copy;
    fn test(a: Self::T, b: Self::T) -> bool;
}

macro_rules! comparisons {
    ($($name:ident($a:ident, $b:ident) $body:block)*) => {
        $(
            pub(crate) struct $name<T>(PhantomData<T>);
            impl<T: Comparable> Test for $name<T> {
                type T = T::Raw;
                #[inline(always)]
                fn test(a: T::Raw, b: T::Raw) -> bool {
                    let ($a, $b) = (T::value(a), T::value(b));
                    $body
                }
            }
        )*
    };
}

/// A value as a register holds it, and as it compares.
pub(crate) trait Comparable {
    type Raw: Copy;
    type Value: PartialOrd + Copy;
    fn value(raw: Self::Raw) -> Self::Value;
}

macro_rules! comparable {
    ($($name:ty: $raw:ty => $value:ty, $convert:expr;)*) => {
        $(impl Comparable for $name {
            type Raw = $raw;
            type Value = $value;
            #[inline(always)]
            fn value(raw: $raw) -> $value { ($convert)(raw) }
        })*
    };
}

comparable! {
    u16: u32 => u16, |raw| raw as u16;
    i16: u32 => i16, |raw| raw as i16;
    u32: u32 => u32, |raw| raw;
    i32: i32 => i32, |raw| raw;
    u64: u64 => u64, |raw| raw;
    i64: i64 => i64, |raw| raw;
    f32: f32 => f32, |raw| raw;
    f64: f64 => f64, |raw| raw;
}

comparisons! {
    Eq(a, b) { a == b }
    Ne(a, b) { a.partial_cmp(&b).is_some() && a != b }
    Lt(a, b) { a < b }
    Le(a, b) { a <= b }
    Gt(a, b) { a > b }
    Ge(a, b) { a >= b }
    // Unordered: true where one is NaN.
    Equ(a, b) { a == b || a.partial_cmp(&b).is_none() }
    Neu(a, b) { a != b }
    Ltu(a, b) { a < b || a.partial_cmp(&b).is_none() }
    Leu(a, b) { a <= b || a.partial_cmp(&b).is_none() }
    Gtu(a, b) { a > b || a.partial_cmp(&b).is_none() }
    Geu(a, b) { a >= b || a.partial_cmp(&b).is_none() }
    Num(a, b) { a.partial_cmp(&b).is_some() }
    Nan(a, b) { a.partial_cmp(&b).is_none() }
}

/// # Safety
/// As for `Handler`.
#[inline(always)]
unsafe fn compare<T: Test>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let mut bits = 0_u32;
    // SAFETY: both are registers of the type's width (`Handler`).
    let (a, b) = unsafe { (turn.row::<T::T>(inst.a), turn.row::<T::T>(inst.b)) };
    for first in (0..WARP).step_by(8) {
        let mut byte = 0_u32;
        for lane in 0..8 {
            // SAFETY: a register has 32 lanes.
            let (a, b) = unsafe { (a.add(first + lane).read(), b.add(first + lane).read()) };
            byte |= u32::from(T::test(a, b)) << lane;
        }
        bits |= byte << first;
    }
    set(turn, inst.d, bits);
    true
}

/// Writes the active lanes of a predicate.
#[inline(always)]
pub(crate) fn set(turn: &mut Turn<'_>, pred: u32, bits: u32) {
    let mask = turn.mask;
    if let Some(pred) = turn.preds.get_mut(pred as usize) {
        *pred = *pred & !mask | bits & mask;
    }
}

/// The lanes of predicate `pred`; one that does not exist is false everywhere.
#[inline(always)]
pub(crate) fn get(turn: &Turn<'_>, pred: u32) -> u32 {
    turn.preds.get(pred as usize).copied().unwrap_or_default()
}

handlers! {
    /// `setp`: d = a ? b
    pub(crate) fn setp<T: Test> = compare::<T>
}

/// A function of two predicates.
pub(crate) trait Logic {
    fn apply(a: u32, b: u32) -> u32;
}

macro_rules! logic {
    ($($name:ident($a:ident, $b:ident) $body:block)*) => {
        $(
            pub(crate) struct $name;
            impl Logic for $name {
                #[inline(always)]
                fn apply($a: u32, $b: u32) -> u32 $body
            }
        )*
    };
}

logic! {
    And(a, b) { a & b }
    Or(a, b) { a | b }
    Xor(a, b) { a ^ b }
    Not(a, _b) { !a }
    Copy1(a, _b) { a }
    AndNot(a, b) { a & !b }
    OrNot(a, b) { a | !b }
    True(_a, _b) { u32::MAX }
    False(_a, _b) { 0 }
}

/// # Safety
/// As for `Handler`; a and b are predicates.
#[inline(always)]
unsafe fn combine<L: Logic>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let bits = L::apply(get(turn, inst.a), get(turn, inst.b));
    set(turn, inst.d, bits);
    true
}

handlers! {
    /// Predicate logic: d = a op b
    pub(crate) fn logic<L: Logic> = combine::<L>
}

/// # Safety
/// As for `Handler`; c is a predicate, `T` as wide as the registers.
#[inline(always)]
unsafe fn choose<T: Lane>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let (mask, chosen) = (turn.mask, get(turn, inst.c));
    // SAFETY: the registers are of the type's width and have 32 lanes; each
    // chunk is read before it is written.
    unsafe {
        let (d, a, b) = (
            turn.row::<T>(inst.d),
            turn.row::<T>(inst.a),
            turn.row::<T>(inst.b),
        );
        for first in (0..WARP).step_by(8) {
            let mut results = d.add(first).cast::<[T; 8]>().read();
            for (lane, result) in results.iter_mut().enumerate() {
                let at = first + lane;
                let (a, b) = (a.add(at).read(), b.add(at).read());
                let picked = if chosen >> at & 1 != 0 { a } else { b };
                *result = if mask >> at & 1 != 0 { picked } else { *result };
            }
            d.add(first).cast::<[T; 8]>().write(results);
        }
    }
    true
}

/// A lane of a register: 32 or 64 bits.
pub(crate) trait Lane: Copy {}
impl Lane for u32 {}
impl Lane for u64 {}

handlers! {
    /// `selp`: d = c ? a : b
    pub(crate) fn selp<T: Lane> = choose::<T>
}

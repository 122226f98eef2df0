//! Instructions that treat every lane alike: one function of up to three
//! operands, applied to 32 lanes in vector registers.

use super::turn::{FULL, Handler, Inst, Turn, WARP};

/// What the handlers may use of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// What every processor of the target has.
    Plain,
}

impl Isa {
    /// The best that this processor offers.
    pub fn detect() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Isa::Avx2;
        }
        Isa::Plain
    }

    /// One of two builds of a handler.
    pub fn pick(self, avx2: Handler, plain: Handler) -> Handler {
        match self {
            Isa::Avx2 => avx2,
            Isa::Plain => plain,
        }
    }
}

/// Defines the two builds of a handler from its body: `handlers!(fn name<T: Trait> = body::<T>)`.
macro_rules! handlers {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($g:ident : $bound:path),*>)? = $body:expr) => {
        $(#[$doc])*
        $vis fn $name $(<$($g: $bound),*>)? (isa: $crate::exec::Isa) -> $crate::exec::Handler {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2 $(<$($g: $bound),*>)? (
                turn: &mut $crate::exec::Turn<'_>,
                inst: &$crate::exec::Inst,
            ) -> bool {
                // SAFETY: the caller keeps the promise of `Handler`.
                unsafe { $body(turn, inst) }
            }
            unsafe fn plain $(<$($g: $bound),*>)? (
                turn: &mut $crate::exec::Turn<'_>,
                inst: &$crate::exec::Inst,
            ) -> bool {
                // SAFETY: the caller keeps the promise of `Handler`.
                unsafe { $body(turn, inst) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            use plain as avx2;
            isa.pick(avx2 $(::<$($g),*>)?, plain $(::<$($g),*>)?)
        }
    };
}
pub(crate) use handlers;

/// A function of one lane. Operands that it does not have are `()`.
pub(crate) trait Op {
    type A: Copy;
    type B: Copy;
    type C: Copy;
    type R: Copy;
    fn apply(a: Self::A, b: Self::B, c: Self::C) -> Self::R;
}

/// Lanes that are computed together.
const CHUNK: usize = 8;

/// # Safety
/// As for [`Handler`]; a destination is the very register of an operand or
/// shares no row with it.
#[inline(always)]
unsafe fn apply<O: Op>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let mask = turn.mask;
    // SAFETY: the rows exist (`Handler`), hold 32 lanes of their type, and each
    // chunk is read before it is written.
    unsafe {
        let d = turn.row::<O::R>(inst.d);
        let a = turn.row::<O::A>(inst.a);
        let b = turn.row::<O::B>(inst.b);
        let c = turn.row::<O::C>(inst.c);
        for first in (0..WARP).step_by(CHUNK) {
            let mut results = d.add(first).cast::<[O::R; CHUNK]>().read();
            for (lane, result) in results.iter_mut().enumerate() {
                let at = first + lane;
                let new = O::apply(a.add(at).read(), b.add(at).read(), c.add(at).read());
                *result = if mask >> at & 1 != 0 { new } else { *result };
            }
            d.add(first).cast::<[O::R; CHUNK]>().write(results);
        }
    }
    true
}

/// # Safety
/// As for [`apply`].
#[inline(always)]
unsafe fn split<O: Op>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on. The copy for a full mask has no selects.
    unsafe {
        if turn.mask == FULL {
            full::<O>(turn, inst)
        } else {
            apply::<O>(turn, inst)
        }
    }
}

/// # Safety
/// As for [`apply`]; all lanes are active.
#[inline(always)]
unsafe fn full<O: Op>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: as in `apply`.
    unsafe {
        let d = turn.row::<O::R>(inst.d);
        let a = turn.row::<O::A>(inst.a);
        let b = turn.row::<O::B>(inst.b);
        let c = turn.row::<O::C>(inst.c);
        for first in (0..WARP).step_by(CHUNK) {
            let mut results = d.add(first).cast::<[O::R; CHUNK]>().read();
            for (lane, result) in results.iter_mut().enumerate() {
                let at = first + lane;
                *result = O::apply(a.add(at).read(), b.add(at).read(), c.add(at).read());
            }
            d.add(first).cast::<[O::R; CHUNK]>().write(results);
        }
    }
    true
}

handlers! {
    /// The handler that applies `O` to the active lanes.
    pub(crate) fn map<O: Op> = split::<O>
}

/// Defines lane functions: `ops! { Name(a: u32, b: u32) -> u32 { a & b } }`.
macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident($($arg:ident : $ty:ty),*) -> $r:ty $body:block)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;
            $crate::exec::lanes::ops!(@impl $name, $r, $body, $($arg: $ty),*);
        )*
    };
    (@impl $name:ident, $r:ty, $body:block, $a:ident: $ta:ty) => {
        $crate::exec::lanes::ops!(@trait $name, $r, $body, $a: $ta, _b: (), _c: ());
    };
    (@impl $name:ident, $r:ty, $body:block, $a:ident: $ta:ty, $b:ident: $tb:ty) => {
        $crate::exec::lanes::ops!(@trait $name, $r, $body, $a: $ta, $b: $tb, _c: ());
    };
    (@impl $name:ident, $r:ty, $body:block, $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) => {
        $crate::exec::lanes::ops!(@trait $name, $r, $body, $a: $ta, $b: $tb, $c: $tc);
    };
    (@trait $name:ident, $r:ty, $body:block, $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) => {
        impl $crate::exec::Op for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type R = $r;
            #[inline(always)]
            fn apply($a: $ta, $b: $tb, $c: $tc) -> $r $body
        }
    };
}
pub(crate) use ops;

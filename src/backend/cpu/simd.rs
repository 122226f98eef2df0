//! One vector type per instruction set, and the run-time choice between them.
//!
//! The arithmetic of this backend is written once, generic over [`Vector`], in
//! functions that are always inlined. [`dispatch!`](crate::cpu::simd)
//! wraps such a function in one entry per instruction set, each compiled with
//! that set switched on, so a plain release build for the oldest CPU still
//! runs at the full width of the CPU it finds.

use std::sync::OnceLock;

/// The instruction set that the inner loops use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// 16 lanes, 32 registers.
    Avx512,
    /// 8 lanes, 16 registers, fused multiply-add.
    Avx2,
    /// Plain Rust that the compiler vectorises for the target's base set.
    Portable,
}

impl Isa {
    /// The widest set that this machine executes. Asked once.
    pub fn detect() -> Self {
        static FOUND: OnceLock<Isa> = OnceLock::new();
        *FOUND.get_or_init(|| Self::available().first().copied().unwrap_or(Self::Portable))
    }

    /// Every set that this machine executes, widest first; never empty.
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::with_capacity(3);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
            {
                sets.push(Self::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(Self::Avx2);
            }
        }
        sets.push(Self::Portable);
        sets
    }

    /// The name that `doctor` and reports print.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "AVX-512",
            Self::Avx2 => "AVX2",
            Self::Portable => "portable",
        }
    }

    /// Columns of one packed panel: two vectors.
    pub(super) fn panel_width(self) -> usize {
        match self {
            Self::Avx512 => 32,
            Self::Avx2 | Self::Portable => 16,
        }
    }
}

/// A register of `f32` lanes.
///
/// # Safety
/// Every method may only run on a machine that has the instruction set of the
/// implementing type; pointer methods read or write exactly the lanes named.
pub(super) trait Vector: Copy {
    /// Elements in one register.
    const LANES: usize;
    /// Most rows of a matrix tile two registers wide that stay in registers.
    const ROWS: usize;

    /// All lanes equal to `x`.
    unsafe fn splat(x: f32) -> Self;
    /// Reads `LANES` elements at `p`, of any alignment.
    unsafe fn load(p: *const f32) -> Self;
    /// Reads the first `n <= LANES` elements at `p`; the other lanes are zero.
    unsafe fn load_part(p: *const f32, n: usize) -> Self;
    /// Asks for the cache line of `p`; reads nothing.
    unsafe fn prefetch(p: *const u8);
    /// Reads `LANES` bf16 elements at `p` and widens them.
    unsafe fn load_bf16(p: *const u16) -> Self;
    /// Writes `LANES` elements at `p`.
    unsafe fn store(self, p: *mut f32);
    /// Writes the first `n <= LANES` elements at `p`.
    unsafe fn store_part(self, p: *mut f32, n: usize);
    /// `self * b + c`.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn mul(self, b: Self) -> Self;
    unsafe fn div(self, b: Self) -> Self;
    /// The larger of two lanes; neither is NaN here, or the result is `b`.
    unsafe fn max(self, b: Self) -> Self;
    /// The smaller of two lanes; neither is NaN here, or the result is `b`.
    unsafe fn min(self, b: Self) -> Self;
    /// Nearest integer, ties to even.
    unsafe fn round(self) -> Self;
    /// `self * 2^n` where `n` holds integers in −126 ..= 127.
    unsafe fn scale_by_power(self, n: Self) -> Self;
    /// `self` where the lane of `at` is at least `limit`, `other` elsewhere.
    unsafe fn keep_from(self, at: Self, limit: Self, other: Self) -> Self;
    /// Sum of all lanes, in an order that is fixed.
    unsafe fn sum(self) -> f32;
    /// Rounds to bf16, nearest even, and writes `LANES` elements at `p`.
    unsafe fn store_bf16(self, p: *mut u16);
}

/// The bits of the nearest bf16, ties to even; a NaN stays one.
#[inline(always)]
pub(super) fn bf16_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// Eight lanes in plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Portable8([f32; 8]);

impl Portable8 {
    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for (x, y) in out.0.iter_mut().zip(b.0) {
            *x = f(*x, y);
        }
        out
    }
}

impl Vector for Portable8 {
    const LANES: usize = 8;
    // As fits 32 registers of four lanes on Arm, and 16 elsewhere.
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 6 } else { 2 };

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller vouches for eight readable elements.
        Self(unsafe { p.cast::<[f32; 8]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn load_part(p: *const f32, n: usize) -> Self {
        let mut out = [0.0; 8];
        for (i, x) in out.iter_mut().enumerate().take(n) {
            // SAFETY: the caller vouches for `n` readable elements.
            *x = unsafe { *p.add(i) };
        }
        Self(out)
    }
    #[inline(always)]
    unsafe fn prefetch(_: *const u8) {}
    #[inline(always)]
    unsafe fn load_bf16(p: *const u16) -> Self {
        // SAFETY: the caller vouches for eight readable elements.
        let bits = unsafe { p.cast::<[u16; 8]>().read_unaligned() };
        Self(bits.map(|b| f32::from_bits(u32::from(b) << 16)))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller vouches for eight writable elements.
        unsafe { p.cast::<[f32; 8]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, n: usize) {
        for (i, x) in self.0.iter().enumerate().take(n) {
            // SAFETY: the caller vouches for `n` writable elements.
            unsafe { *p.add(i) = *x };
        }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // Without the instruction, a fused multiply-add is a library call.
        const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
        let mut out = c;
        for ((o, x), y) in out.0.iter_mut().zip(self.0).zip(b.0) {
            *o = if FUSED { x.mul_add(y, *o) } else { x * y + *o };
        }
        out
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        self.zip(b, |x, y| x + y)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        self.zip(b, |x, y| x - y)
    }
    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        self.zip(b, |x, y| x * y)
    }
    #[inline(always)]
    unsafe fn div(self, b: Self) -> Self {
        self.zip(b, |x, y| x / y)
    }
    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        self.zip(b, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        self.zip(b, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        // Adding and taking away 1.5 * 2^23 rounds |x| < 2^22 to nearest even
        // without a library call.
        const MAGIC: f32 = 12_582_912.0;
        self.zip(self, |x, _| (x + MAGIC) - MAGIC)
    }
    #[inline(always)]
    unsafe fn scale_by_power(self, n: Self) -> Self {
        self.zip(n, |x, n| {
            x * f32::from_bits(((n as i32 + 127) as u32) << 23)
        })
    }
    #[inline(always)]
    unsafe fn keep_from(self, at: Self, limit: Self, other: Self) -> Self {
        let mut out = other;
        for (i, o) in out.0.iter_mut().enumerate() {
            if at.0[i] >= limit.0[i] {
                *o = self.0[i];
            }
        }
        out
    }
    #[inline(always)]
    unsafe fn store_bf16(self, p: *mut u16) {
        // SAFETY: the caller vouches for eight writable elements.
        unsafe { p.cast::<[u16; 8]>().write_unaligned(self.0.map(bf16_bits)) }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

/// Makes `pub(super) unsafe fn $name(isa, …)` out of a generic body: one entry
/// per instruction set, chosen by `isa`.
///
/// # Safety
/// The entry is as unsafe as its body; `isa` must come from
/// [`Isa::available`].
macro_rules! dispatch {
    ($(#[$meta:meta])* $name:ident = $body:ident $(::<$extra:ident>)? ($($arg:ident : $ty:ty),* $(,)?)) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        pub(super) unsafe fn $name(isa: $crate::cpu::simd::Isa, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            unsafe fn avx512($($arg: $ty),*) {
                // SAFETY: the instruction set is on; the rest is the caller's word.
                unsafe { $body::<$crate::cpu::simd::Avx512 $(, $extra)?>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            unsafe fn avx2($($arg: $ty),*) {
                // SAFETY: as above.
                unsafe { $body::<$crate::cpu::simd::Avx2 $(, $extra)?>($($arg),*) }
            }
            // SAFETY: `isa` was detected on this machine; the rest is the caller's word.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    $crate::cpu::simd::Isa::Avx512 => avx512($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    $crate::cpu::simd::Isa::Avx2 => avx2($($arg),*),
                    _ => $body::<$crate::cpu::simd::Portable8 $(, $extra)?>($($arg),*),
                }
            }
        }
    };
}
pub(super) use dispatch;

//! AVX2 and AVX-512.

use super::Vector;
use std::arch::x86_64::*;

/// Eight lanes with fused multiply-add.
#[derive(Clone, Copy)]
pub struct Avx2(__m256);

/// A mask register image: the first `n` of eight lanes.
#[inline(always)]
unsafe fn first(n: usize) -> __m256i {
    const TABLE: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: n <= 8, so eight entries from 8 - n on lie in the table.
    unsafe { _mm256_loadu_si256(TABLE.as_ptr().add(8 - n.min(8)).cast()) }
}

/// Operations of two vectors that are one instruction each.
macro_rules! of_two {
    ($($name:ident = $instruction:ident,)*) => {
        $(#[inline(always)]
        unsafe fn $name(self, b: Self) -> Self {
            // SAFETY: as for every operation of a `Vector`: the CPU has the instruction.
            unsafe { Self($instruction(self.0, b.0)) }
        })*
    };
}

// SAFETY of every block below: the trait's contract. The instruction set
// is present and pointers are good for the lanes that are named.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Vector for Avx2 {
    const LANES: usize = 8;
    const ROWS: usize = 6;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        unsafe { Self(_mm256_set1_ps(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        unsafe { Self(_mm256_loadu_ps(p)) }
    }
    #[inline(always)]
    unsafe fn load_part(p: *const f32, n: usize) -> Self {
        unsafe { Self(_mm256_maskload_ps(p, first(n))) }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const u8) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn load_bf16(p: *const u16) -> Self {
        unsafe {
            let half = _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
            Self(_mm256_castsi256_ps(_mm256_slli_epi32::<16>(half)))
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        unsafe { _mm256_storeu_ps(p, self.0) }
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, n: usize) {
        unsafe { _mm256_maskstore_ps(p, first(n), self.0) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Self(_mm256_fmadd_ps(self.0, b.0, c.0)) }
    }
    of_two! {
        add = _mm256_add_ps,
        sub = _mm256_sub_ps,
        mul = _mm256_mul_ps,
        div = _mm256_div_ps,
        max = _mm256_max_ps,
        min = _mm256_min_ps,
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        unsafe {
            Self(_mm256_round_ps::<
                { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
            >(self.0))
        }
    }
    #[inline(always)]
    unsafe fn scale_by_power(self, n: Self) -> Self {
        unsafe {
            let biased = _mm256_add_epi32(_mm256_cvtps_epi32(n.0), _mm256_set1_epi32(127));
            let power = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased));
            Self(_mm256_mul_ps(self.0, power))
        }
    }
    #[inline(always)]
    unsafe fn keep_from(self, at: Self, limit: Self, other: Self) -> Self {
        unsafe {
            let keep = _mm256_cmp_ps::<_CMP_GE_OQ>(at.0, limit.0);
            Self(_mm256_blendv_ps(other.0, self.0, keep))
        }
    }
    #[inline(always)]
    unsafe fn store_bf16(self, p: *mut u16) {
        unsafe {
            let bits = _mm256_castps_si256(self.0);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
            let up = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
            let rounded = _mm256_srli_epi32::<16>(_mm256_add_epi32(bits, up));
            let quiet = _mm256_or_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(0x40));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0));
            let words = _mm256_blendv_epi8(rounded, quiet, nan);
            let packed = _mm256_packus_epi32(words, words);
            let low = _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(packed));
            _mm_storeu_si128(p.cast(), low);
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe {
            let quad = _mm_add_ps(
                _mm256_castps256_ps128(self.0),
                _mm256_extractf128_ps::<1>(self.0),
            );
            let pair = _mm_add_ps(quad, _mm_movehl_ps(quad, quad));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
        }
    }
}

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub struct Avx512(__m512);

#[inline(always)]
fn mask(n: usize) -> __mmask16 {
    ((1u32 << n.min(16)) - 1) as __mmask16
}

// SAFETY of every block below: the trait's contract, as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Vector for Avx512 {
    const LANES: usize = 16;
    const ROWS: usize = 14;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        unsafe { Self(_mm512_set1_ps(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        unsafe { Self(_mm512_loadu_ps(p)) }
    }
    #[inline(always)]
    unsafe fn load_part(p: *const f32, n: usize) -> Self {
        unsafe { Self(_mm512_maskz_loadu_ps(mask(n), p)) }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const u8) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn load_bf16(p: *const u16) -> Self {
        unsafe {
            let half = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()));
            Self(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(half)))
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        unsafe { _mm512_storeu_ps(p, self.0) }
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, n: usize) {
        unsafe { _mm512_mask_storeu_ps(p, mask(n), self.0) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Self(_mm512_fmadd_ps(self.0, b.0, c.0)) }
    }
    of_two! {
        add = _mm512_add_ps,
        sub = _mm512_sub_ps,
        mul = _mm512_mul_ps,
        div = _mm512_div_ps,
        max = _mm512_max_ps,
        min = _mm512_min_ps,
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        unsafe { Self(_mm512_roundscale_ps::<0>(self.0)) }
    }
    #[inline(always)]
    unsafe fn scale_by_power(self, n: Self) -> Self {
        unsafe { Self(_mm512_scalef_ps(self.0, n.0)) }
    }
    #[inline(always)]
    unsafe fn keep_from(self, at: Self, limit: Self, other: Self) -> Self {
        unsafe {
            let keep = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(at.0, limit.0);
            Self(_mm512_mask_mov_ps(other.0, keep, self.0))
        }
    }
    #[inline(always)]
    unsafe fn store_bf16(self, p: *mut u16) {
        unsafe {
            let bits = _mm512_castps_si512(self.0);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
            let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, up));
            let quiet = _mm512_or_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(0x40));
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            let words = _mm512_mask_mov_epi32(rounded, nan, quiet);
            _mm256_storeu_si256(p.cast(), _mm512_cvtepi32_epi16(words));
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe { _mm512_reduce_add_ps(self.0) }
    }
}

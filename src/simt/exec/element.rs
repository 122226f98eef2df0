//! How elements lie in words of memory.

use std::sync::atomic::Ordering::Relaxed;

use crate::memory::Buffer;

/// Memory as words of 32 bits.
pub(crate) trait Words {
    fn get(&self, word: usize) -> u32;
    /// As `get`, without a check.
    ///
    /// # Safety
    /// There is such a word.
    unsafe fn get_unchecked(&self, word: usize) -> u32;
    /// Replaces the bits of `mask`.
    fn put(&mut self, word: usize, bits: u32, mask: u32);
}

impl Words for &Buffer {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self.load(word)
    }
    #[inline(always)]
    unsafe fn get_unchecked(&self, word: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.words.get_unchecked(word) }.load(Relaxed)
    }
    #[inline(always)]
    fn put(&mut self, word: usize, bits: u32, mask: u32) {
        self.merge(word, bits, mask);
    }
}

impl Words for &mut [u32] {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        <[u32]>::get(self, word).copied().unwrap_or_default()
    }
    #[inline(always)]
    unsafe fn get_unchecked(&self, word: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *<[u32]>::get_unchecked(self, word) }
    }
    #[inline(always)]
    fn put(&mut self, word: usize, bits: u32, mask: u32) {
        if let Some(word) = self.get_mut(word) {
            *word = *word & !mask | bits & mask;
        }
    }
}

/// Words that are only read, as parameters are.
impl Words for &[u32] {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        <[u32]>::get(self, word).copied().unwrap_or_default()
    }
    #[inline(always)]
    unsafe fn get_unchecked(&self, word: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *<[u32]>::get_unchecked(self, word) }
    }
    fn put(&mut self, _: usize, _: u32, _: u32) {}
}

/// An element type of a load or store. Addresses are aligned to its size.
pub(crate) trait Element {
    const BYTES: u32;
    /// A lane of the register that holds it.
    type Lane: Copy;
    fn load(words: &impl Words, offset: usize) -> Self::Lane;
    /// As `load`, without a check.
    ///
    /// # Safety
    /// The element lies within `words`.
    unsafe fn load_unchecked(words: &impl Words, offset: usize) -> Self::Lane;
    fn store(words: &mut impl Words, offset: usize, value: Self::Lane);
}

macro_rules! small {
    ($($name:ident: $ty:ty;)*) => {
        $(
            pub(crate) struct $name;
            impl Element for $name {
                const BYTES: u32 = size_of::<$ty>() as u32;
                type Lane = u32;
                #[inline(always)]
                fn load(words: &impl Words, offset: usize) -> u32 {
                    (words.get(offset / 4) >> (8 * (offset % 4))) as $ty as u32
                }
                #[inline(always)]
                unsafe fn load_unchecked(words: &impl Words, offset: usize) -> u32 {
                    // SAFETY: the caller's promise.
                    let word = unsafe { words.get_unchecked(offset / 4) };
                    (word >> (8 * (offset % 4))) as $ty as u32
                }
                #[inline(always)]
                fn store(words: &mut impl Words, offset: usize, value: u32) {
                    let shift = 8 * (offset % 4);
                    let ones = u32::MAX >> (32 - 8 * size_of::<$ty>());
                    words.put(offset / 4, value << shift, ones << shift);
                }
            }
        )*
    };
}

small! {
    U8: u8;
    S8: i8;
    U16: u16;
    S16: i16;
    B32: u32;
}

pub(crate) struct B64;

impl Element for B64 {
    const BYTES: u32 = 8;
    type Lane = u64;
    #[inline(always)]
    fn load(words: &impl Words, offset: usize) -> u64 {
        u64::from(words.get(offset / 4 + 1)) << 32 | u64::from(words.get(offset / 4))
    }
    #[inline(always)]
    unsafe fn load_unchecked(words: &impl Words, offset: usize) -> u64 {
        // SAFETY: the caller's promise.
        let (low, high) = unsafe {
            (
                words.get_unchecked(offset / 4),
                words.get_unchecked(offset / 4 + 1),
            )
        };
        u64::from(high) << 32 | u64::from(low)
    }
    #[inline(always)]
    fn store(words: &mut impl Words, offset: usize, value: u64) {
        words.put(offset / 4, value as u32, u32::MAX);
        words.put(offset / 4 + 1, (value >> 32) as u32, u32::MAX);
    }
}

/// How many elements one lane moves: `.v2` is 2.
pub(crate) trait Count {
    const N: u32;
}

pub(crate) struct One;
pub(crate) struct Two;
pub(crate) struct Four;

impl Count for One {
    const N: u32 = 1;
}
impl Count for Two {
    const N: u32 = 2;
}
impl Count for Four {
    const N: u32 = 4;
}

//! Global memory: named buffers, each in a slot of the address space so wide
//! that an address beyond a buffer's end still says which buffer was meant.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::causal::Causal;
use super::order::Order;

/// Bytes of address space for each buffer, which begins in the middle of them. 17
/// is prime: an address that is off by a power of two never lands at the same
/// place of another buffer, and 8 GiB is the longest buffer.
const SLOT: u64 = 17 << 33;
const MIDDLE: u64 = SLOT / 2;

/// The longest buffer.
pub(crate) const LONGEST: u64 = 1 << 33;

/// Where the shared and local memory of a thread lie in the generic space.
pub(crate) const SHARED_WINDOW: u64 = 1 << 60;
pub(crate) const LOCAL_WINDOW: u64 = 2 << 60;
pub(crate) const PARAM_WINDOW: u64 = 3 << 60;

/// What memory holds before anybody wrote it: a NaN in fp32 and in bf16.
pub(crate) const POISON: u32 = 0xffc0_ffc0;

/// Bytes of a sector, the unit in which a GPU's memory moves.
pub const SECTOR: u64 = 32;

/// Sectors of a cache line: buffers share none.
const LINE: u64 = 4;

/// One allocation. Words are atomic because blocks on several threads share
/// them; on every processor of ours a relaxed load is a plain load.
pub(crate) struct Buffer {
    pub name: String,
    pub bytes: u64,
    pub words: Box<[AtomicU32]>,
    /// One bit per byte that was written; a word is a sector.
    pub written: Box<[AtomicU32]>,
    /// Number of its first sector among those of all buffers.
    pub first_sector: u64,
}

impl Buffer {
    pub fn load(&self, word: usize) -> u32 {
        self.words.get(word).map_or(POISON, |w| w.load(Relaxed))
    }

    /// Replaces the bits of `mask` in a word.
    pub fn merge(&self, word: usize, bits: u32, mask: u32) {
        let Some(word) = self.words.get(word) else {
            return;
        };
        if mask == u32::MAX {
            word.store(bits, Relaxed);
        } else {
            let merged = |old: u32| Some(old & !mask | bits & mask);
            // `merged` never declines, so the update cannot fail.
            let _ = word.fetch_update(Relaxed, Relaxed, merged);
        }
    }

    /// Marks bytes as written.
    pub fn mark(&self, first: u64, bytes: u64) {
        for (sector, bits) in pieces(first, bytes) {
            if let Some(word) = self.written.get(sector)
                && word.load(Relaxed) & bits != bits
            {
                word.fetch_or(bits, Relaxed);
            }
        }
    }

    /// Marks bytes as never written.
    pub fn unmark(&self, first: u64, bytes: u64) {
        for (sector, bits) in pieces(first, bytes) {
            if let Some(word) = self.written.get(sector) {
                word.fetch_and(!bits, Relaxed);
            }
        }
    }

    /// Whether all of these bytes were written.
    pub fn is_written(&self, first: u64, bytes: u64) -> bool {
        pieces(first, bytes).all(|(sector, bits)| {
            let known = self
                .written
                .get(sector)
                .map_or(0, |word| word.load(Relaxed));
            known & bits == bits
        })
    }
}

/// A range of bytes, sector by sector: which, and which of its bytes.
#[inline(always)]
fn pieces(first: u64, bytes: u64) -> impl Iterator<Item = (usize, u32)> {
    let end = first + bytes;
    (first / SECTOR..end.div_ceil(SECTOR)).map(move |sector| {
        let start = sector * SECTOR;
        let low = first.saturating_sub(start);
        let high = (end - start).min(SECTOR);
        (sector as usize, ones(high) & !ones(low))
    })
}

fn ones(count: u64) -> u32 {
    if count >= 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    }
}

/// All buffers of a machine.
#[derive(Default)]
pub(crate) struct Global {
    pub buffers: Vec<Buffer>,
    /// Sectors of all buffers together.
    pub sectors: u64,
    /// Who touched what in this launch, where races are looked for.
    pub order: Order,
    /// The clocks of a launch whose order is followed exactly.
    pub causal: Option<Mutex<Causal>>,
    /// Held by 64-bit atomics, which span two words.
    pub wide: Mutex<()>,
    /// Atomics that changed something.
    changes: AtomicU64,
}

/// Where an address lies: the buffer, and the bytes past its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub buffer: usize,
    pub offset: i64,
}

impl Global {
    /// Adds a buffer of unwritten memory and gives its address.
    pub fn add(&mut self, name: &str, bytes: u64) -> u64 {
        let words = bytes.div_ceil(16) * 4;
        let sectors = bytes.div_ceil(SECTOR);
        self.buffers.push(Buffer {
            name: name.to_owned(),
            bytes,
            words: (0..words).map(|_| AtomicU32::new(POISON)).collect(),
            written: (0..sectors).map(|_| AtomicU32::new(0)).collect(),
            first_sector: self.sectors,
        });
        self.sectors += sectors.next_multiple_of(LINE);
        Global::address(self.buffers.len() - 1)
    }

    /// Gives a buffer's memory back. Its slot stays taken, so that its address
    /// means nothing else from now on.
    pub fn remove(&mut self, buffer: usize) {
        if let Some(buffer) = self.buffers.get_mut(buffer) {
            buffer.name.push_str(" (freed)");
            buffer.bytes = 0;
            (buffer.words, buffer.written) = (Box::default(), Box::default());
        }
        self.sectors = 0;
        for buffer in &mut self.buffers {
            buffer.first_sector = self.sectors;
            self.sectors += buffer.bytes.div_ceil(SECTOR).next_multiple_of(LINE);
        }
    }

    /// Where a buffer begins.
    pub fn address(buffer: usize) -> u64 {
        (buffer as u64 + 1) * SLOT + MIDDLE
    }

    /// The buffer in whose slot an address lies.
    #[inline(always)]
    pub fn locate(&self, address: u64) -> Option<Located> {
        let (slot, within) = (address / SLOT, address % SLOT);
        let buffer = slot.wrapping_sub(1) as usize;
        (buffer < self.buffers.len()).then(|| Located {
            buffer,
            offset: within as i64 - MIDDLE as i64,
        })
    }

    /// Copies bytes into a buffer from its beginning and marks them as written.
    pub fn write(&self, at: Located, bytes: &[u8]) {
        let Some(buffer) = self.buffers.get(at.buffer) else {
            return;
        };
        let first = at.offset as u64;
        let mut offset = first;
        let mut rest = bytes;
        while !rest.is_empty() {
            let within = (offset % 4) as usize;
            let (now, later) = rest.split_at(rest.len().min(4 - within));
            let (mut word, mut mask) = ([0; 4], [0; 4]);
            word.iter_mut()
                .skip(within)
                .zip(now)
                .for_each(|(to, &from)| *to = from);
            mask.iter_mut()
                .skip(within)
                .take(now.len())
                .for_each(|to| *to = 0xff);
            let (word, mask) = (u32::from_le_bytes(word), u32::from_le_bytes(mask));
            buffer.merge((offset / 4) as usize, word, mask);
            offset += now.len() as u64;
            rest = later;
        }
        buffer.mark(first, bytes.len() as u64);
    }

    /// Sets every byte of a range; `written` says whether that counts as writing.
    pub fn fill(&self, at: Located, bytes: u64, byte: u8, written: bool) {
        let Some(buffer) = self.buffers.get(at.buffer) else {
            return;
        };
        let first = at.offset as u64;
        let end = first + bytes;
        let word = u32::from_le_bytes([byte; 4]);
        for number in first / 4..end.div_ceil(4) {
            let low = first.saturating_sub(4 * number).min(4) as u32;
            let high = (end - 4 * number).min(4) as u32;
            let ones = |bytes: u32| {
                if bytes > 3 {
                    u32::MAX
                } else {
                    (1 << (8 * bytes)) - 1
                }
            };
            buffer.merge(number as usize, word, ones(high) & !ones(low));
        }
        if written {
            buffer.mark(first, bytes);
        } else {
            buffer.unmark(first, bytes);
        }
    }

    /// Copies bytes out.
    pub fn read(&self, at: Located, bytes: &mut [u8]) {
        let Some(buffer) = self.buffers.get(at.buffer) else {
            return;
        };
        let first = at.offset as u64;
        for (step, byte) in bytes.iter_mut().enumerate() {
            let offset = first + step as u64;
            *byte = (buffer.load((offset / 4) as usize) >> (8 * (offset % 4))) as u8;
        }
    }

    /// Replaces a word, or two words for `wide`, by what `next` makes of it, and
    /// gives the old value.
    pub fn update(&self, buffer: usize, word: usize, wide: bool, next: impl Fn(u64) -> u64) -> u64 {
        let Some(buffer) = self.buffers.get(buffer) else {
            return 0;
        };
        if !wide {
            let Some(word) = buffer.words.get(word) else {
                return 0;
            };
            let changed =
                word.fetch_update(Relaxed, Relaxed, |old| Some(next(u64::from(old)) as u32));
            let old = u64::from(changed.unwrap_or_else(|old| old));
            self.changes.fetch_add(u64::from(next(old) != old), Relaxed);
            return old;
        }
        let _held = self.wide.lock();
        let old = u64::from(buffer.load(word + 1)) << 32 | u64::from(buffer.load(word));
        let new = next(old);
        self.changes.fetch_add(u64::from(new != old), Relaxed);
        buffer.merge(word, new as u32, u32::MAX);
        buffer.merge(word + 1, (new >> 32) as u32, u32::MAX);
        old
    }

    /// Whether clocks are kept.
    #[inline(always)]
    pub fn is_exact(&self) -> bool {
        self.causal.is_some()
    }

    /// Does something with the clocks, where they are kept.
    #[inline(always)]
    pub fn causal<R>(&self, with: impl FnOnce(&mut Causal) -> R) -> Option<R> {
        let causal = self.causal.as_ref()?;
        causal.lock().ok().map(|mut causal| with(&mut causal))
    }

    /// How many atomics have changed memory so far.
    pub fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }
}

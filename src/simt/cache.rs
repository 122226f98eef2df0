//! An estimate of what reaches memory behind a cache.
//!
//! Lines of 128 bytes in sets of 16, the least recently used goes first; sectors
//! are fetched one by one and written back when their line goes. Blocks use it one
//! after the other, where a GPU mixes those that are resident: an estimate, and
//! called one.

use super::memory::SECTOR;
use super::tally::{READ, WRITTEN};

const SECTORS_PER_LINE: u64 = 4;
const WAYS: usize = 16;
const NOBODY: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Line {
    number: u64,
    /// One bit per sector that is there, and that is to be written back.
    present: u8,
    dirty: u8,
}

const EMPTY: Line = Line {
    number: NOBODY,
    present: 0,
    dirty: 0,
};

/// A cache and what went past it, in sectors.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// Sets of [`WAYS`] lines, most recently used first.
    lines: Vec<Line>,
    read: u64,
    written: u64,
}

impl Cache {
    /// A cache of about so many bytes.
    pub fn new(bytes: u64) -> Cache {
        let sets = (bytes / (SECTOR * SECTORS_PER_LINE * WAYS as u64)).max(1);
        Cache {
            lines: vec![EMPTY; sets as usize * WAYS],
            read: 0,
            written: 0,
        }
    }

    /// One use of a sector.
    pub fn touch(&mut self, sector: u64, how: u8) {
        let (number, bit) = (sector / SECTORS_PER_LINE, 1 << (sector % SECTORS_PER_LINE));
        let sets = (self.lines.len() / WAYS) as u64;
        // Fibonacci hashing: strides of a power of two spread over the sets.
        let set = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % sets;
        let first = set as usize * WAYS;
        let Some(ways) = self.lines.get_mut(first..first + WAYS) else {
            return;
        };
        let at = ways
            .iter()
            .position(|line| line.number == number)
            .unwrap_or_else(|| {
                if let Some(last) = ways.last_mut() {
                    self.written += u64::from(last.dirty.count_ones());
                    *last = Line { number, ..EMPTY };
                }
                WAYS - 1
            });
        ways[..=at].rotate_right(1);
        let Some(line) = ways.first_mut() else { return };
        if how & READ != 0 && line.present & bit == 0 {
            self.read += 1;
        }
        line.present |= bit;
        if how & WRITTEN != 0 {
            line.dirty |= bit;
        }
    }

    /// Bytes read from memory and written to it, what is still to be written included.
    pub fn traffic(&self) -> (u64, u64) {
        let left: u64 = self
            .lines
            .iter()
            .map(|line| u64::from(line.dirty.count_ones()))
            .sum();
        (self.read * SECTOR, (self.written + left) * SECTOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_read_once_and_what_does_not_is_read_again() {
        let pass = |cache: &mut Cache, sectors: u64| {
            (0..sectors).for_each(|sector| cache.touch(sector, READ));
        };
        let mut roomy = Cache::new(1 << 20);
        (0..3).for_each(|_| pass(&mut roomy, 1000));
        assert_eq!(roomy.traffic(), (32_000, 0));
        // Ten times its size, in order: the least recently used is always the next.
        let mut small = Cache::new(1 << 16);
        (0..2).for_each(|_| pass(&mut small, 20_480));
        assert!(
            small.traffic().0 > 2 * 20_480 * 32 * 9 / 10,
            "{:?}",
            small.traffic()
        );
    }

    #[test]
    fn sixteen_lines_of_one_set_by_hand() {
        // 2 KiB are one set of 16 lines of 4 sectors: whatever the lines are, they share it.
        let twice = |lines: u64| {
            let mut cache = Cache::new(2 << 10);
            (0..2).for_each(|_| (0..4 * lines).for_each(|sector| cache.touch(sector, READ)));
            cache.traffic().0
        };
        // 16 lines fit: 64 sectors of 32 bytes once. 17 do not, and the one that is next was
        // always just thrown out: 2 times 68.
        assert_eq!(twice(16), 64 * 32);
        assert_eq!(twice(17), 2 * 68 * 32);
        // Twice the cache has two sets, and 17 lines may fit.
        let mut larger = Cache::new(4 << 10);
        assert_eq!(larger.lines.len(), 32);
        larger.touch(0, READ);
        assert_eq!(larger.traffic(), (32, 0));
    }

    #[test]
    fn a_sector_that_is_written_first_is_never_read_from_memory() {
        let mut cache = Cache::new(1 << 16);
        cache.touch(7, WRITTEN);
        cache.touch(7, READ);
        assert_eq!(cache.traffic(), (0, 32));
    }
}

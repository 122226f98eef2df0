//! How the addresses of a warp lie relative to each other.
//!
//! An instruction meets the same pattern again and again, at different places.
//! So a pattern is worked out once and kept with its instruction: what it needs
//! of the banks, which sectors it touches, how far it reaches. After that, a
//! comparison of 32 differences replaces the work.

use super::element::{Count, Element, Words};
use super::turn::{FULL, WARP, lanes_of};
use crate::memory::SECTOR;

/// Lanes that are moved together.
const GROUP: usize = 8;
/// Banks of shared memory, each 4 bytes wide.
const BANKS: u32 = 32;

/// Addresses minus that of the first active lane; 0 for inactive lanes.
pub(crate) type Deltas = [i32; WARP];

/// How eight lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// All at one address.
    Same,
    /// Side by side.
    Run,
    /// Anywhere, or not all active.
    Any,
}

/// Where the bytes of a request go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Passes through the banks of shared memory, and the fewest for this width.
    Banks { passes: u32, ideal: u32 },
    /// Sectors relative to that of the first active lane.
    Sectors(Vec<i32>),
    /// Nothing is counted.
    Free,
}

#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    mask: u32,
    deltas: Deltas,
    /// Offset of the first lane within its sector; 0 in shared memory.
    phase: u32,
    /// First and last byte relative to the first lane's address.
    pub low: i32,
    pub end: i32,
    /// Every difference is a multiple of the access's size.
    pub aligned: bool,
    groups: [Group; WARP / GROUP],
    pub cost: Cost,
}

/// Differences of 64-bit addresses; false where one is 2 GiB or more.
#[inline(always)]
pub(crate) fn deltas(mask: u32, addresses: &[u64; WARP], out: &mut Deltas) -> bool {
    let base = addresses[mask.trailing_zeros() as usize & 31];
    let mut far = 0;
    if mask == FULL {
        for (delta, &address) in out.iter_mut().zip(addresses) {
            let difference = address.wrapping_sub(base);
            far |= difference.wrapping_add(1 << 30) >> 31;
            *delta = difference as i32;
        }
    } else {
        for (lane, delta) in out.iter_mut().enumerate() {
            let active = u64::from(mask >> lane & 1).wrapping_neg();
            let difference = addresses[lane].wrapping_sub(base) & active;
            far |= difference.wrapping_add(1 << 30) >> 31;
            *delta = difference as i32;
        }
    }
    far == 0
}

impl Pattern {
    /// Whether this is the pattern of these lanes.
    #[inline(always)]
    pub fn fits(&self, mask: u32, phase: u32, deltas: &Deltas) -> bool {
        let mut differs = 0;
        for (a, b) in deltas.iter().zip(&self.deltas) {
            differs |= a ^ b;
        }
        (differs as u32 | mask ^ self.mask | phase ^ self.phase) == 0
    }

    /// Works out a pattern of accesses of `bytes`.
    pub fn new(mask: u32, phase: u32, deltas: &Deltas, bytes: u32) -> Pattern {
        let (mut low, mut high, mut bits) = (0, 0, 0);
        for lane in lanes_of(mask) {
            (low, high, bits) = (
                low.min(deltas[lane]),
                high.max(deltas[lane]),
                bits | deltas[lane],
            );
        }
        let group = |number: usize| {
            let first = number * GROUP;
            let all = mask >> first & 0xff == 0xff;
            let start = deltas[first];
            let lies =
                |step: i32| (0..GROUP).all(|at| deltas[first + at] == start + at as i32 * step);
            match (all, lies(0), lies(bytes as i32)) {
                (true, true, _) => Group::Same,
                (true, _, true) => Group::Run,
                _ => Group::Any,
            }
        };
        Pattern {
            mask,
            deltas: *deltas,
            phase,
            low,
            end: high + bytes as i32,
            aligned: (bits as u32).is_multiple_of(bytes),
            groups: [group(0), group(1), group(2), group(3)],
            cost: Cost::Free,
        }
    }

    /// The same with what it costs the banks of shared memory.
    ///
    /// A pass serves each bank with one word, to any number of lanes. Accesses of
    /// 8 bytes are served by half-warps, of 16 bytes by quarter-warps. Moving all
    /// addresses together moves no conflict.
    pub fn with_banks(mut self, bytes: u32) -> Pattern {
        let group = match bytes {
            8 => WARP / 2,
            16 => WARP / 4,
            _ => WARP,
        };
        let (mut passes, mut ideal) = (0, 0);
        for first in (0..WARP).step_by(group) {
            let mut words = [0_i32; WARP];
            let mut count = 0;
            for lane in lanes_of(self.mask).filter(|lane| lane / group == first / group) {
                for word in 0..bytes.div_ceil(4) as i32 {
                    words[count] = (self.deltas[lane] >> 2) + word;
                    count += 1;
                }
            }
            let words = words.get(..count).unwrap_or_default();
            let mut banks = [0_u32; BANKS as usize];
            for (at, word) in words.iter().enumerate() {
                let known = words
                    .iter()
                    .take(at)
                    .fold(false, |known, earlier| known | (earlier == word));
                banks[(word & 31) as usize] += u32::from(!known);
            }
            let busiest = banks.iter().copied().max().unwrap_or(0);
            passes += busiest;
            ideal += u32::from(busiest > 0);
        }
        self.cost = Cost::Banks { passes, ideal };
        self
    }

    /// The same with the sectors of global memory that it touches.
    pub fn with_sectors(mut self) -> Pattern {
        let mut sectors: Vec<i32> = lanes_of(self.mask)
            .map(|lane| (self.deltas[lane] + self.phase as i32).div_euclid(SECTOR as i32))
            .collect();
        sectors.sort_unstable();
        sectors.dedup();
        self.cost = Cost::Sectors(sectors);
        self
    }

    /// Lanes that share `lane`'s address, where it begins a group that does.
    #[inline(always)]
    pub fn crowd(&self, lane: u32) -> u32 {
        let number = lane as usize / GROUP;
        let same =
            (lane as usize).is_multiple_of(GROUP) && self.groups.get(number) == Some(&Group::Same);
        if same { 0xff << lane } else { 0 }
    }

    /// The difference of one lane.
    #[inline(always)]
    pub fn delta(&self, lane: usize) -> i64 {
        i64::from(self.deltas[lane])
    }

    /// Loads element `k` of each active lane; `base` is the first lane's offset.
    ///
    /// # Safety
    /// `d` is a register of `E::Lane`; `base` plus every difference, with the
    /// access's size, lies within `words`.
    #[inline(always)]
    pub unsafe fn load<E: Element, N: Count>(
        &self,
        words: &impl Words,
        base: i64,
        k: u32,
        d: *mut E::Lane,
    ) {
        let inner = base + i64::from(k * E::BYTES);
        let at = |lane: usize| (inner + self.delta(lane)) as usize;
        for (number, group) in self.groups.iter().enumerate() {
            let first = number * GROUP;
            // SAFETY: lanes below 32 of a register; offsets within `words`.
            unsafe {
                match group {
                    Group::Same => {
                        let value = E::load_unchecked(words, at(first));
                        for lane in first..first + GROUP {
                            d.add(lane).write(value);
                        }
                    }
                    Group::Run => {
                        let start = at(first);
                        let step = (E::BYTES * N::N) as usize;
                        for lane in 0..GROUP {
                            let value = E::load_unchecked(words, start + lane * step);
                            d.add(first + lane).write(value);
                        }
                    }
                    Group::Any if self.mask == FULL => {
                        for lane in first..first + GROUP {
                            d.add(lane).write(E::load_unchecked(words, at(lane)));
                        }
                    }
                    Group::Any => {
                        for lane in lanes_of(self.mask & 0xff << first) {
                            d.add(lane).write(E::load_unchecked(words, at(lane)));
                        }
                    }
                }
            }
        }
    }
}

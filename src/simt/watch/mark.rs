use crate::exec::turn::WARP;

/// Who touched a place last, and in which epochs: bits 0–10 who, 11–20 the
/// block's epoch, 21–29 the warp's, 30 atomically, 31 it was written at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark(u32);

/// Epochs are counted up to here; then the shadow is cleared.
pub(super) const LAST_EPOCH: u32 = 511;

const WHO: u32 = 0x7ff;
const EPOCH: u32 = 0x3ff << 11;
const ATOMIC: u32 = 1 << 30;
const WRITTEN: u32 = 1 << 31;
/// Who: one thread is its number plus 1, several of one warp this plus its number.
const MANY: u32 = 1025;
/// Who: threads of several warps.
const MANY_WARPS: u32 = 2000;

impl Mark {
    pub fn new(who: u32, epoch: u32, warp_epoch: u32) -> Mark {
        Mark(who | epoch << 11 | warp_epoch << 21)
    }

    #[inline(always)]
    pub fn of(self, thread: u32) -> Mark {
        Mark(self.0 & !WHO | (thread + 1))
    }

    #[inline(always)]
    pub fn of_many(self, warp: u32) -> Mark {
        Mark(self.0 & !WHO | (MANY + warp))
    }

    /// The same as if the warp had waited since: warp epochs begin at 1.
    pub fn ordered_in_warp(self) -> Mark {
        Mark(self.0 & !(0x1ff << 21))
    }

    #[inline(always)]
    pub fn written(self, atomic: bool) -> Mark {
        Mark(self.0 | WRITTEN | if atomic { ATOMIC } else { 0 })
    }

    /// Only that it was written.
    pub fn forget(self) -> Mark {
        Mark(self.0 & WRITTEN)
    }

    /// From before the last barrier, or nobody.
    #[inline(always)]
    pub fn is_old(self, now: Mark) -> bool {
        (self.0 ^ now.0) & EPOCH != 0
    }

    /// Old, and there was a write.
    #[inline(always)]
    pub fn is_past(self, now: Mark) -> bool {
        self.is_old(now) && self.is_written()
    }

    pub fn is_written(self) -> bool {
        self.0 & WRITTEN != 0
    }

    pub fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    pub fn warp_epoch(self) -> u32 {
        self.0 >> 21 & 0x1ff
    }

    fn who(self) -> u32 {
        self.0 & WHO
    }

    /// The thread, if it is one.
    pub fn thread(self) -> Option<u32> {
        (1..MANY).contains(&self.who()).then(|| self.who() - 1)
    }

    /// The one warp to which all of them belong.
    pub fn warp(self) -> Option<u32> {
        match self.who() {
            0 | MANY_WARPS.. => None,
            who @ MANY.. => Some(who - MANY),
            who => Some((who - 1) / WARP as u32),
        }
    }

    /// The readers after `mine`, who belong to `warp`, joined them.
    #[inline(always)]
    pub fn joined(self, mine: Mark, warp: u32) -> Mark {
        if self == mine || self.is_old(mine) {
            mine
        } else if self.warp() != Some(warp) {
            Mark(mine.0 & !WHO | MANY_WARPS)
        } else if self.warp_epoch() != mine.warp_epoch() {
            // Earlier reads of this warp are ordered before what it does now; they
            // still race with other warps, and so does `mine`.
            mine
        } else {
            mine.of_many(warp)
        }
    }
}

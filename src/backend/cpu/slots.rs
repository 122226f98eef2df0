//! Room for tiles in a worker's arena: first fit, given back when read last.

/// Elements that a slot begins on a multiple of: one cache line of fp32.
const ALIGN: usize = 16;

/// The slots of one pass. Positions are elements of the arena.
#[derive(Debug)]
pub(super) struct Slots {
    rows: usize,
    /// Taken ranges, in ascending order.
    taken: Vec<(usize, usize)>,
    peak: usize,
}

impl Slots {
    /// No slots yet, for tiles of `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            taken: Vec::new(),
            peak: 0,
        }
    }

    /// Room for a tile of `columns` columns: its first element.
    pub fn take(&mut self, columns: usize) -> usize {
        let len = self.rows.saturating_mul(columns).next_multiple_of(ALIGN);
        let mut at = 0;
        let mut place = 0;
        for (start, end) in &self.taken {
            if start - at >= len {
                break;
            }
            at = *end;
            place += 1;
        }
        self.taken.insert(place, (at, at.saturating_add(len)));
        self.peak = self.peak.max(at.saturating_add(len));
        at
    }

    /// Gives back the slot that begins at `at`.
    pub fn give_back(&mut self, at: usize) {
        self.taken.retain(|(start, _)| *start != at);
    }

    /// Elements that were needed at once.
    pub fn peak(&self) -> usize {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_slot_is_used_again_and_never_overlaps() {
        let mut s = Slots::new(4);
        let a = s.take(16);
        let b = s.take(16);
        let c = s.take(8);
        assert_eq!((a, b, c), (0, 64, 128));
        s.give_back(b);
        // Two tiles of 8 columns fit where 16 were; one of 20 does not.
        assert_eq!(s.take(8), 64);
        assert_eq!(s.take(20), 160);
        assert_eq!(s.take(8), 96);
        assert_eq!(s.peak(), 240);
    }
}

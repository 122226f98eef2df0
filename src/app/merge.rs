//! A wall that falls: for a moment the ribbon shows it between the boxes that merge. Nothing
//! else moves, and what was laid out stays.

use super::clock::Millis;
use super::ribbon::{COUNT, SLOTS, wall_after};
use super::shared::Shared;
use plan::fusion::Cut;

/// How long a fallen wall is seen, in milliseconds.
pub const LASTS: Millis = 160;
/// How long each picture of it stands.
const PICTURE: Millis = LASTS / 2;

/// A frame that takes longer than this is on a terminal that is too slow for motion.
pub const SLOW: Millis = 30;

/// What is seen of walls that fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// The walls as they stood.
    Standing,
    /// What is left of them.
    Broken,
}

/// The walls that fell last, and since when they are falling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Slots whose right wall fell.
    slots: Vec<usize>,
    since: Millis,
}

impl Merge {
    /// The walls of a row that `after` no longer has.
    pub(super) fn of(before: Cut, after: Cut, now: Millis) -> Self {
        let fell = |slot: &usize| {
            let beside = SLOTS.get(*slot).zip(SLOTS.get(slot + 1));
            let wall = wall_after(*slot).filter(|_| beside.is_some_and(|(a, b)| a.row == b.row));
            wall.is_some_and(|wall| after.is_joined(wall) && !before.is_joined(wall))
        };
        Merge {
            slots: (0..COUNT).filter(fell).collect(),
            since: now,
        }
    }

    /// What is seen now, and of the walls of which slots.
    pub fn seen(&self, now: Millis) -> Option<(Picture, &[usize])> {
        let picture = match now.saturating_sub(self.since) {
            _ if self.slots.is_empty() => return None,
            age if age < PICTURE => Picture::Standing,
            age if age < LASTS => Picture::Broken,
            _ => return None,
        };
        Some((picture, &self.slots))
    }

    /// When the next picture is due, while walls are falling.
    pub(super) fn next(&self, now: Millis) -> Option<Millis> {
        self.seen(now).map(|(picture, _)| match picture {
            Picture::Standing => self.since + PICTURE,
            Picture::Broken => self.since + LASTS,
        })
    }
}

impl Shared {
    /// A frame was drawn, which took so long: where that was long and walls were falling,
    /// there is no motion from now on.
    pub fn drew(&mut self, took: Millis) {
        if took > SLOW && self.merge.seen(self.now).is_some() {
            self.look.motion = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::fusion::{Fusion, Version};

    #[test]
    fn a_wall_is_seen_falling_for_less_than_a_fifth_of_a_second() {
        let v1 = Version::V1.cut();
        let fused = v1.flipped(Fusion::SiluMul);
        let merge = Merge::of(v1, fused, 1000);
        let names = merge.seen(1000).map(|(_, slots)| slots.to_vec()).unwrap();
        let labels: Vec<&str> = names.iter().map(|slot| SLOTS[*slot].label.trim()).collect();
        assert_eq!(labels, ["silu"]);
        let mut now = 1000;
        let mut pictures = Vec::new();
        while let Some((picture, _)) = merge.seen(now) {
            pictures.push(picture);
            now = merge.next(now).unwrap();
        }
        assert_eq!(pictures, [Picture::Standing, Picture::Broken]);
        assert!(now - 1000 <= 200 && merge.next(now).is_none());
        // A wall that is put up is simply there.
        assert!(Merge::of(fused, v1, 0).seen(0).is_none());
    }
}

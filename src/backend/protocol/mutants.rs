//! The planted defects: `-D MUTANT=n` of `kernels/proof/mutants.cu`.

use super::scene::{Ended, RING, SCENES, Scene, Seen};
use super::{ORDERS, text};
use plan::run::RunError;

/// One defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutant {
    /// Its number.
    pub number: u32,
    /// What is wrong.
    pub what: &'static str,
    /// Index of its scene.
    scene: usize,
    /// What has to be seen: one of these, by order.
    pub seen: &'static [Seen],
    /// A file of `kernels/` that the finding names.
    pub file: &'static str,
}

const fn mutant(
    number: u32,
    scene: usize,
    seen: &'static [Seen],
    file: &'static str,
    what: &'static str,
) -> Mutant {
    Mutant {
        number,
        what,
        scene,
        seen,
        file,
    }
}

/// Who goes on too early reads too early, or is a phase behind for ever.
const EITHER: &[Seen] = &[Seen::Unordered, Seen::Deadlock];
/// Who does not wait overwrites, or announces two steps in one phase.
const TOO_SOON: &[Seen] = &[Seen::Unordered, Seen::Overcounted];

/// All of them.
pub const MUTANTS: [Mutant; 14] = [
    mutant(
        1,
        RING,
        &[Seen::Unordered],
        "block_",
        "the grid's counter published before all warps have stored",
    ),
    mutant(
        2,
        RING,
        &[Seen::Unordered],
        "block_products.cu",
        "a counter between blocks that releases nothing",
    ),
    mutant(
        3,
        RING,
        &[Seen::Unordered],
        "block_products.cu",
        "a wait for other blocks that acquires nothing",
    ),
    mutant(
        4,
        RING,
        &[Seen::Unordered],
        "block_products.cu",
        "an epoch off by one: a wait for a turn that has been",
    ),
    mutant(
        5,
        RING,
        &[Seen::Unordered],
        "block_products.cu",
        "a slot handed back while a product still reads it",
    ),
    mutant(
        6,
        RING,
        EITHER,
        "block_",
        "consumers that wait for the wrong parity",
    ),
    mutant(
        7,
        RING,
        &[Seen::Deadlock],
        "block_",
        "a slot's barrier that counts one arrival too many",
    ),
    mutant(
        8,
        RING,
        &[Seen::Unordered],
        "block_products.cu",
        "a copy engine that is not told what other blocks wrote",
    ),
    mutant(
        9,
        RING,
        TOO_SOON,
        "block_",
        "a producer that does not wait for the slot",
    ),
    mutant(
        10,
        RING,
        &[Seen::Deadlock],
        "block_",
        "bytes announced that are fewer than those that come",
    ),
    mutant(
        11,
        RING + 2,
        &[Seen::Deadlock],
        "words.cu",
        "words with the number of the next step",
    ),
    mutant(
        12,
        RING + 2,
        &[Seen::Unordered],
        "words.cu",
        "a word whose value and number are stored apart",
    ),
    mutant(
        13,
        RING + 2,
        &[Seen::Trap],
        "words.cu",
        "a reader that does not look at the number",
    ),
    mutant(
        14,
        RING + 3,
        &[Seen::Unordered],
        "words.cu",
        "a grid barrier that waits for a warp, not for the block",
    ),
];

impl Mutant {
    /// The scene in which it is planted.
    pub fn scene(&self) -> &'static Scene {
        SCENES.get(self.scene).unwrap_or(&SCENES[RING])
    }

    /// The first thing that is seen of it in some order.
    ///
    /// # Errors
    /// PTX that is not of the kernel as it is.
    pub fn found(&self) -> Result<Ended, RunError> {
        let text = text(self.scene(), self.number)?;
        for order in 0..ORDERS {
            let ended = self.scene().play(&text, order, 0)?;
            if ended != Ended::Right {
                return Ok(ended);
            }
        }
        Ok(Ended::Right)
    }

    /// Whether what was seen says what is wrong, and where.
    pub fn is_caught(&self, ended: &Ended) -> bool {
        match ended {
            Ended::Found { seen, text } => self.seen.contains(seen) && text.contains(self.file),
            _ => false,
        }
    }
}

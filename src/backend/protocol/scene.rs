//! A kernel of the proof in one set of sizes: what is compiled, and how it may end.

use std::fmt;

use super::play::Stage;
use crate::gpu::CompileUnit;
use plan::run::RunError;
use simt::{MachineError, Problem, Program};

/// One set of sizes of one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scene {
    /// The protocol in words.
    pub name: &'static str,
    /// Blocks of the grid.
    pub blocks: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `ring`: rows, rows of a tile, whether groups take turns, teams of so many rows
    /// (as many as there are: one).
    Ring {
        rows: u64,
        tile: u32,
        turns: bool,
        each: u64,
    },
    Words,
    Crossings,
}

/// Index of the ring with partners.
pub(super) const RING: usize = 0;

/// All scenes.
pub const SCENES: [Scene; 5] = [
    Scene {
        name: "ring, partners and grid barrier of the Hopper kernel",
        blocks: 3,
        kind: Kind::Ring {
            rows: 50,
            tile: 64,
            turns: false,
            each: 50,
        },
    },
    Scene {
        name: "the same where two groups take turns",
        blocks: 2,
        kind: Kind::Ring {
            rows: 100,
            tile: 128,
            turns: true,
            each: 100,
        },
    },
    Scene {
        name: "tagged words of the decode kernel",
        blocks: 5,
        kind: Kind::Words,
    },
    Scene {
        name: "grid barrier of the portable kernel",
        blocks: 6,
        kind: Kind::Crossings,
    },
    Scene {
        name: "the ring with two teams of blocks",
        blocks: 4,
        kind: Kind::Ring {
            rows: 128,
            tile: 64,
            turns: false,
            each: 64,
        },
    },
];

/// What kind of finding ended a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Two accesses that nothing orders, or a read of what nobody has written.
    Unordered,
    /// More arrivals at an mbarrier than its phase has.
    Overcounted,
    /// A wait that is never met.
    Deadlock,
    /// A check in the kernel.
    Trap,
    /// Something else.
    Other,
}

/// How a scene ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was found, and the values are right.
    Right,
    /// Nothing was found, and a value is wrong.
    Wrong(String),
    /// The machine found something.
    Found {
        /// What kind.
        seen: Seen,
        /// In full.
        text: String,
    },
}

impl Ended {
    /// Whether blocks waited for others that had no room.
    pub fn is_deadlock_for_want_of_room(&self) -> bool {
        matches!(self, Self::Found { seen: Seen::Deadlock, text } if text.contains("for want of room"))
    }
}

impl fmt::Display for Ended {
    /// One line: what, and where.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => f.write_str("nothing was found"),
            Self::Wrong(what) => f.write_str(what),
            Self::Found { text, .. } => {
                let place = text.lines().find(|line| line.starts_with("  in `"));
                let what = text.lines().next().unwrap_or_default();
                write!(
                    f,
                    "{what};{}",
                    place.unwrap_or_default().get(1..).unwrap_or_default()
                )
            }
        }
    }
}

// ---- the ring --------------------------------------------------------------------

pub(super) const LAYERS: u32 = 2;
pub(super) const SLOTS: u32 = 3;
/// Columns of a tile for each group, blocks that share a tile of the first product.
pub(super) const TILE_N: u32 = 16;
pub(super) const SPLIT: u32 = 2;
/// Bytes of a step along k: 64 bf16.
pub(super) const STEP_BYTES: u32 = 128;

const RING_FILES: [&str; 11] = [
    "prefix/matrix.cu",
    "prefix/hopper.cu",
    "prefix/hopper_block.cu",
    "prefix/grid.cu",
    "proof/mutants.cu",
    "tile/rotary.cu",
    "tile/items_hopper.cu",
    "tile/block_ring.cu",
    "tile/block_products.cu",
    "tile/block_epilogues.cu",
    "proof/ring.cu",
];

/// Bytes of a slot: a step of both operands.
pub(super) fn slot_bytes(tile: u32) -> u32 {
    let columns = if tile == 64 { 2 * TILE_N } else { TILE_N };
    (tile + columns) * STEP_BYTES
}

impl Scene {
    /// The architecture of its PTX.
    pub fn arch(&self) -> &'static str {
        match self.kind {
            Kind::Ring { .. } => "sm_90a",
            Kind::Words | Kind::Crossings => "sm_80",
        }
    }

    /// Blocks of a team of `each` rows.
    fn team(&self, rows: u64, each: u64) -> u32 {
        self.blocks / rows.div_ceil(each) as u32
    }

    /// A place fewer than the blocks that wait for one another.
    pub fn too_few(&self) -> u32 {
        let waiting = match self.kind {
            Kind::Ring { rows, each, .. } => self.team(rows, each),
            Kind::Words | Kind::Crossings => self.blocks,
        };
        waiting - 1
    }

    /// What is compiled, with a defect or (0) as it is.
    pub fn unit(&self, mutant: u32) -> CompileUnit {
        let unit = match self.kind {
            Kind::Ring {
                tile,
                turns,
                rows,
                each,
            } => CompileUnit::new("ring", &RING_FILES)
                .define("ROWS", tile)
                .define("QKV_N", TILE_N)
                .define("OUT_N", TILE_N)
                .define("OUT_SPLIT", SPLIT)
                .define("FFN_N", TILE_N)
                .define("FFN_TURNS", u32::from(turns))
                .define("SLOTS", SLOTS)
                .define("SLOT_BYTES", slot_bytes(tile))
                .define("EARLY", SLOTS - 1)
                .define(
                    "TEAM",
                    if each < rows {
                        self.team(rows, each)
                    } else {
                        0
                    },
                )
                .define("TEAM_SEQUENCES", 1),
            Kind::Words => CompileUnit::new(
                "words",
                &["prefix/grid.cu", "proof/mutants.cu", "proof/words.cu"],
            ),
            // The barrier itself stands in `prefix/grid.cu`: the defect comes before it.
            Kind::Crossings => CompileUnit::new(
                "crossings",
                &["proof/mutants.cu", "prefix/grid.cu", "proof/words.cu"],
            ),
        };
        unit.define("BF16", 1)
            .define("HEAD", 64)
            .define("MUTANT", mutant)
    }

    /// Launches it twice in one order, with so many blocks resident (0: all).
    ///
    /// # Errors
    /// PTX that the machine does not read, a request that it does not take.
    pub fn play(&self, text: &str, order: u64, resident: u32) -> Result<Ended, RunError> {
        let program = Program::parse(text).map_err(|e| RunError::failed(e.to_string()))?;
        let stage = Stage::new(order, resident);
        let ended = match self.kind {
            Kind::Ring {
                rows, tile, each, ..
            } => self.ring(&program, stage, [rows, each], tile),
            Kind::Words => self.words(&program, stage),
            Kind::Crossings => self.crossings(&program, stage),
        };
        match ended {
            Ok(ended) => Ok(ended),
            Err(MachineError::Found(finding)) => Ok(Ended::Found {
                seen: match finding.problem {
                    Problem::Unordered { .. } | Problem::NeverWritten { .. } => Seen::Unordered,
                    Problem::Overcounted { .. } => Seen::Overcounted,
                    Problem::Deadlock { .. } => Seen::Deadlock,
                    Problem::Trap => Seen::Trap,
                    _ => Seen::Other,
                },
                text: finding.to_string(),
            }),
            Err(other) => Err(RunError::failed(other.to_string())),
        }
    }
}

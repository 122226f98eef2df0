//! A kernel of the proof on a machine: its memory, its launches, what has to come out.

use std::fmt;

use crate::gpu::Unit;
use plan::run::RunError;
use simt::{LaunchRequest, Machine, MachineError, Options, Problem, Program, Swizzle, TensorMap};

/// Launches one after another: counters and tags go on where they were.
const LAUNCHES: u32 = 2;

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
    /// `ring`: rows, rows of a tile, whether groups take turns.
    Ring {
        rows: u64,
        tile: u32,
        turns: bool,
    },
    Words,
    Crossings,
}

/// Index of the ring with partners.
pub(super) const RING: usize = 0;

/// All scenes.
pub const SCENES: [Scene; 4] = [
    Scene {
        name: "ring, partners and grid barrier of the Hopper kernel",
        blocks: 3,
        kind: Kind::Ring {
            rows: 50,
            tile: 64,
            turns: false,
        },
    },
    Scene {
        name: "the same where two groups take turns",
        blocks: 2,
        kind: Kind::Ring {
            rows: 100,
            tile: 128,
            turns: true,
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

/// Columns of a and b, and of the square weights.
const WIDTH: u64 = 128;
const LAYERS: u32 = 2;
const SLOTS: u32 = 3;
/// Columns of a tile for each group, blocks that share a tile of the first product.
const TILE_N: u32 = 16;
const SPLIT: u32 = 2;
/// Bytes of a step along k: 64 bf16.
const STEP_BYTES: u32 = 128;
/// How far the columns are moved by the two weights.
const MOVES: [u64; 2] = [3, 11];

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
fn slot_bytes(tile: u32) -> u32 {
    let columns = if tile == 64 { 2 * TILE_N } else { TILE_N };
    (tile + columns) * STEP_BYTES
}

/// Where column n of a product by weight `which` comes from, and its sign.
fn moved(which: usize, n: u64) -> (u64, f32) {
    let by = MOVES.get(which).copied().unwrap_or_default();
    (
        (n * 5 + by) % WIDTH,
        if n.is_multiple_of(3) { -1.0 } else { 1.0 },
    )
}

fn bf16(values: &[f32]) -> Vec<u8> {
    let halves = values.iter().map(|v| (v.to_bits() >> 16) as u16);
    halves.flat_map(u16::to_le_bytes).collect()
}

/// a after one more launch: whole numbers below 256 in magnitude, which bf16 has exactly.
fn after_layers(a: &mut Vec<f32>) {
    for which in (0..LAYERS).flat_map(|_| [0, 1]) {
        *a = (0..a.len() as u64)
            .map(|at| {
                let (row, n) = (at / WIDTH, at % WIDTH);
                let (from, sign) = moved(which, n);
                let value = |column: u64| {
                    a.get((row * WIDTH + column) as usize)
                        .copied()
                        .unwrap_or(0.0)
                };
                sign * value(from) + value(n)
            })
            .collect();
    }
}

/// A machine with the buffers of one scene.
struct Stage {
    machine: Machine,
    params: Vec<u8>,
}

impl Stage {
    fn new(order: u64, resident: u32) -> Self {
        let options = Options {
            count: false,
            check: true,
            order: Some(order),
            resident,
            ..Options::default()
        };
        Self {
            machine: Machine::new(options),
            params: Vec::new(),
        }
    }

    /// A buffer that is an argument.
    fn buffer(&mut self, name: &str, bytes: &[u8]) -> Result<u64, MachineError> {
        let address = self.machine.alloc(name, bytes.len() as u64)?;
        self.machine.write(address, bytes)?;
        self.params.extend(address.to_le_bytes());
        Ok(address)
    }

    fn int(&mut self, value: u32) {
        self.params.extend(value.to_le_bytes());
    }

    fn launch(
        &mut self,
        program: &Program,
        entry: &str,
        blocks: u32,
        threads: u32,
        shared: u32,
    ) -> Result<(), MachineError> {
        let request = LaunchRequest {
            entry,
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared,
            params: &self.params,
            cooperative: true,
        };
        self.machine.launch(program, &request).map(|_| ())
    }

    fn read(&self, address: u64, bytes: usize) -> Result<Vec<u8>, MachineError> {
        let mut read = vec![0; bytes];
        self.machine.read(address, &mut read)?;
        Ok(read)
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Compares what came out of a launch.
fn compare<T: PartialEq + fmt::Display>(launch: u32, got: &[T], expected: &[T]) -> Ended {
    let wrong = got
        .iter()
        .zip(expected)
        .position(|(got, expected)| got != expected);
    match wrong.and_then(|at| Some((at, got.get(at)?, expected.get(at)?))) {
        None if got.len() == expected.len() => Ended::Right,
        None => Ended::Wrong(format!(
            "{} values in place of {}",
            got.len(),
            expected.len()
        )),
        Some((at, got, expected)) => Ended::Wrong(format!(
            "launch {launch}: value {at} is {got}, {expected} was expected"
        )),
    }
}

impl Scene {
    /// The architecture of its PTX.
    pub fn arch(&self) -> &'static str {
        match self.kind {
            Kind::Ring { .. } => "sm_90a",
            Kind::Words | Kind::Crossings => "sm_80",
        }
    }

    /// What is compiled, with a defect or (0) as it is.
    pub fn unit(&self, mutant: u32) -> Unit {
        let unit = match self.kind {
            Kind::Ring { tile, turns, .. } => Unit::new("ring", &RING_FILES)
                .define("ROWS", tile)
                .define("QKV_N", TILE_N)
                .define("OUT_N", TILE_N)
                .define("OUT_SPLIT", SPLIT)
                .define("FFN_N", TILE_N)
                .define("FFN_TURNS", u32::from(turns))
                .define("SLOTS", SLOTS)
                .define("SLOT_BYTES", slot_bytes(tile))
                .define("EARLY", SLOTS - 1),
            Kind::Words => Unit::new(
                "words",
                &["prefix/grid.cu", "proof/mutants.cu", "proof/words.cu"],
            ),
            // The barrier itself stands in `prefix/grid.cu`: the defect comes before it.
            Kind::Crossings => Unit::new(
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
            Kind::Ring { rows, tile, .. } => self.ring(&program, stage, rows, tile),
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

    fn ring(
        &self,
        program: &Program,
        mut stage: Stage,
        rows: u64,
        tile: u32,
    ) -> Result<Ended, MachineError> {
        let bytes = rows * WIDTH * 2;
        let mut a: Vec<f32> = (0..rows * WIDTH)
            .map(|at| ((at * 7 + at / WIDTH * 3) % 5) as f32 - 2.0)
            .collect();
        let weights = [0, 1].map(|which| {
            let mut weight = vec![0.0; (WIDTH * WIDTH) as usize];
            for n in 0..WIDTH {
                let (from, sign) = moved(which, n);
                if let Some(place) = weight.get_mut((n * WIDTH + from) as usize) {
                    *place = sign;
                }
            }
            bf16(&weight)
        });
        let maps = stage.buffer("maps", &[0; 4 * 128])?;
        let at_a = stage.buffer("a", &bf16(&a))?;
        let between = |stage: &mut Stage, name: &str, bytes: u64| {
            Ok::<_, MachineError>((stage.buffer(name, &vec![0; bytes as usize])?, bytes))
        };
        let sums = rows * WIDTH.div_ceil(u64::from(4 * TILE_N)) * 4 * 4;
        let tasks = rows.div_ceil(u64::from(tile)) * WIDTH / u64::from(TILE_N) * u64::from(SPLIT);
        let travelling = [
            between(&mut stage, "b", bytes)?,
            between(&mut stage, "sums of squares", 2 * sums)?,
            between(
                &mut stage,
                "sums of partners",
                tasks * 2 * 64 * u64::from(TILE_N) * 4,
            )?,
        ];
        stage.buffer("partners", &vec![0; tasks as usize * 8])?;
        stage.buffer("grid barrier", &[0; 4])?;
        for size in [rows as u32, WIDTH as u32, LAYERS] {
            stage.int(size);
        }
        let mut encoded = Vec::new();
        let [w1, w2] = weights.map(|weight| {
            let address = stage.machine.alloc("a weight", weight.len() as u64)?;
            stage.machine.write(address, &weight).map(|()| address)
        });
        let of = [
            (at_a, rows, tile),
            (travelling[0].0, rows, tile),
            (w1?, WIDTH, TILE_N),
            (w2?, WIDTH, TILE_N),
        ];
        for (address, rows, high) in of {
            let map = TensorMap {
                address,
                element: 2,
                sizes: [WIDTH, rows, 1],
                strides: [WIDTH * 2, 0],
                boxes: [STEP_BYTES / 2, high, 1],
                swizzle: Swizzle::Bytes128,
            };
            encoded.extend(map.encode().into_iter().flat_map(u64::to_le_bytes));
        }
        stage.machine.write(maps, &encoded)?;
        for launch in 0..LAUNCHES {
            for (address, bytes) in travelling {
                stage.machine.poison(address, bytes, 0xff)?;
            }
            let shared = 1024 + SLOTS * (slot_bytes(tile) + 16);
            stage.launch(program, "ring", self.blocks, 384, shared)?;
            after_layers(&mut a);
            let got: Vec<f32> = stage
                .read(at_a, bytes as usize)?
                .as_chunks::<2>()
                .0
                .iter()
                .map(|half| f32::from_bits(u32::from(u16::from_le_bytes(*half)) << 16))
                .collect();
            let ended = compare(launch, &got, &a);
            if ended != Ended::Right {
                return Ok(ended);
            }
        }
        Ok(Ended::Right)
    }

    fn words(&self, program: &Program, mut stage: Stage) -> Result<Ended, MachineError> {
        const WIDTH: u32 = 96;
        const STEPS: u32 = 3;
        let tagged = |value: u32, tag: u32| (value as f32).to_bits() & 0xffff_0000 | tag;
        let bytes =
            |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        let mut x: Vec<u32> = (0..WIDTH).map(|column| column % 7).collect();
        let first: Vec<u32> = x.iter().map(|value| tagged(*value, 1)).collect();
        stage.buffer("epoch", &[0; 4])?;
        stage.buffer("exits", &[0; 4])?;
        let at_x = stage.buffer("x", &bytes(&first))?;
        let at_h = stage.buffer("h", &bytes(&first))?;
        stage.int(WIDTH);
        stage.int(STEPS);
        for launch in 0..LAUNCHES {
            // A NaN with a number that no step has.
            stage.machine.fill(at_h, u64::from(WIDTH) * 4, 0xff)?;
            stage.launch(program, "words", self.blocks, 64, 0)?;
            for _ in 0..2 * STEPS {
                let sum: u32 = x.iter().sum();
                x = (0..WIDTH).map(|column| (sum + column) % 61).collect();
            }
            let tag = 1 + (launch + 1) * STEPS;
            let expected: Vec<u32> = x.iter().map(|value| tagged(*value, tag)).collect();
            let got = words(&stage.read(at_x, WIDTH as usize * 4)?);
            let ended = compare(launch, &got, &expected);
            if ended != Ended::Right {
                return Ok(ended);
            }
        }
        Ok(Ended::Right)
    }

    fn crossings(&self, program: &Program, mut stage: Stage) -> Result<Ended, MachineError> {
        const THREADS: u32 = 64;
        const TIMES: u32 = 4;
        let all = self.blocks * THREADS;
        stage.buffer("grid barrier", &[0; 4])?;
        let row = stage.buffer("row", &vec![0; all as usize * 4])?;
        let sums = stage.buffer("sums", &vec![0; (all * TIMES) as usize * 4])?;
        stage.int(TIMES);
        for launch in 0..LAUNCHES {
            stage.machine.poison(row, u64::from(all) * 4, 0xff)?;
            stage.launch(program, "crossings", self.blocks, THREADS, 0)?;
            let expected: Vec<u32> = (0..TIMES * all)
                .map(|at| {
                    let (time, thread) = (at / all, at % THREADS);
                    (thread..all)
                        .step_by(THREADS as usize)
                        .map(|i| i + time)
                        .sum()
                })
                .collect();
            let got = words(&stage.read(sums, expected.len() * 4)?);
            let ended = compare(launch, &got, &expected);
            if ended != Ended::Right {
                return Ok(ended);
            }
        }
        Ok(Ended::Right)
    }
}

//! The launches of each scene: buffers, poison, and what has to come out.

use std::fmt;

use super::scene::{Ended, LAYERS, SLOTS, SPLIT, STEP_BYTES, Scene, TILE_N, slot_bytes};
use simt::{LaunchRequest, Machine, MachineError, Options, Program, Swizzle, TensorMap};

/// Launches one after another: counters and tags go on where they were.
const LAUNCHES: u32 = 2;

/// Columns of a and b, and of the square weights of the ring.
const WIDTH: u64 = 128;
/// How far the columns are moved by the two weights.
const MOVES: [u64; 2] = [3, 11];

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
pub(super) struct Stage {
    machine: Machine,
    params: Vec<u8>,
}

impl Stage {
    pub fn new(order: u64, resident: u32) -> Self {
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
    pub(super) fn ring(
        &self,
        program: &Program,
        mut stage: Stage,
        [rows, each]: [u64; 2],
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
        let teams = rows.div_ceil(each);
        stage.buffer("grid barrier", &vec![0; teams as usize * 128])?;
        for size in [rows as u32, each as u32, WIDTH as u32, LAYERS] {
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

    pub(super) fn words(&self, program: &Program, mut stage: Stage) -> Result<Ended, MachineError> {
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

    pub(super) fn crossings(
        &self,
        program: &Program,
        mut stage: Stage,
    ) -> Result<Ended, MachineError> {
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

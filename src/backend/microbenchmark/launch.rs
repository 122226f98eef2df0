//! What each experiment launches at each value: kernel, grid, data, and what must
//! come out.

use std::fmt;

use crate::gpu::CompileUnit;
use plan::run::{Experiment, RunError, Takes};

/// How large the data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// Small enough to be executed by the SIMT machine in no time.
    Counted,
    /// Large enough that a GPU's launch does not hide what is measured.
    Timed,
}

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Input,
    Output,
}

/// A pointer of the kernel.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    pub name: &'static str,
    pub role: Role,
    /// Elements, fp32.
    pub length: usize,
}

impl Buffer {
    pub fn bytes(&self) -> u64 {
        4 * self.length as u64
    }

    /// An input's bytes.
    pub fn contents(&self) -> Vec<u8> {
        let salt = salt(self.name);
        (0..self.length)
            .flat_map(|i| element(salt, i).to_le_bytes())
            .collect()
    }
}

/// A launch and what must come out of it.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    pub unit: CompileUnit,
    pub grid: [u32; 3],
    pub threads: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
    /// In the order of the kernel's pointers.
    pub buffers: Vec<Buffer>,
    /// The arguments behind the pointers, 4 bytes each.
    pub words: Vec<u32>,
    pub expected: Vec<f32>,
    /// Largest difference allowed, relative to 1 or the value; 0: bit for bit.
    pub tolerance: f32,
    /// What it computes at which size, in words.
    pub about: String,
}

/// A value that did not come out as it must.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WrongElement {
    at: usize,
    found: f32,
    wanted: f32,
}

impl fmt::Display for WrongElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, found, wanted } = self;
        write!(f, "element {at} is {found} and must be {wanted}")
    }
}

impl Launch {
    /// Compares an output with what must come out.
    ///
    /// # Errors
    /// The first element that is wrong.
    pub fn check(&self, outputs: &[f32]) -> Result<(), WrongElement> {
        for (at, (&found, &wanted)) in outputs.iter().zip(&self.expected).enumerate() {
            let right = if self.tolerance == 0.0 {
                found.to_bits() == wanted.to_bits()
            } else {
                (found - wanted).abs() <= self.tolerance * wanted.abs().max(1.0)
            };
            if !right {
                return Err(WrongElement { at, found, wanted });
            }
        }
        Ok(())
    }
}

fn salt(name: &str) -> u32 {
    name.bytes().fold(7, |sum, b| sum * 31 + u32::from(b))
}

/// Data that look random: multiples of 1/16 between -8 and 8, so that short sums
/// and products of them are exact.
fn element(salt: u32, i: usize) -> f32 {
    let mixed = (i as u32 ^ salt).wrapping_mul(0x9e37_79b1);
    (mixed >> 24) as f32 / 16.0 - 8.0
}

fn input(name: &'static str, length: usize) -> Buffer {
    Buffer {
        name,
        role: Role::Input,
        length,
    }
}

fn output(name: &'static str, length: usize) -> Buffer {
    Buffer {
        name,
        role: Role::Output,
        length,
    }
}

/// Threads of the element-wise kernels' blocks.
const THREADS: usize = 256;

fn unit(name: &'static str, value: u32) -> CompileUnit {
    let (file, defined) = match name {
        "stride" => ("gym/stride.cu", None),
        "columns" => ("gym/columns.cu", None),
        "branch" => ("gym/branch.cu", None),
        "select" => ("gym/select.cu", None),
        "width" => ("gym/width.cu", Some("WIDTH")),
        "tile" => ("gym/tile.cu", Some("TILE")),
        "row_sum" => ("gym/row_sum.cu", Some("SHUFFLES")),
        "resident" => ("gym/resident.cu", None),
        "held" => ("gym/held.cu", Some("LOCAL")),
        _ => ("gym/mask.cu", None),
    };
    let unit = CompileUnit::new(name, &[file]);
    match defined {
        Some(define) => unit.define(define, value),
        None => unit,
    }
}

/// Every unit of them.
pub(super) fn units() -> Vec<CompileUnit> {
    let mut all = Vec::new();
    for experiment in &plan::run::EXPERIMENTS {
        let compiled: Vec<u32> = match experiment.takes {
            Takes::Only(values) => values.to_vec(),
            Takes::Named(names) => (0..names.len() as u32).collect(),
            Takes::Range(first, _) => vec![first],
        };
        all.extend(compiled.into_iter().map(|v| unit(experiment.name, v)));
    }
    all
}

/// The launch of an experiment at a value.
///
/// # Errors
/// An experiment or a value that is none.
pub(super) fn of(name: &str, value: u32, size: Size) -> Result<Launch, RunError> {
    let experiment = Experiment::find(name).filter(|e| e.accepts(value));
    let Some(experiment) = experiment else {
        return Err(RunError::bad_request(format!(
            "{name} does not take {value}"
        )));
    };
    let unit = unit(experiment.name, value);
    Ok(match experiment.name {
        "stride" => stride(unit, value, size),
        "columns" => columns(unit, value, size),
        "branch" | "select" => two_ways(unit, value, size),
        "width" => width(unit, value, size),
        "tile" => tile(unit, value as usize, size),
        "row_sum" => row_sum(unit, size),
        "resident" => resident(unit, value, size),
        "held" => held(unit, size),
        _ => mask(unit, value as usize),
    })
}

/// The launch of one thread per element in blocks of 256.
fn flat(unit: CompileUnit, threads: usize) -> Launch {
    Launch {
        unit,
        grid: [threads.div_ceil(THREADS) as u32, 1, 1],
        threads: THREADS as u32,
        shared: 0,
        buffers: Vec::new(),
        words: Vec::new(),
        expected: Vec::new(),
        tolerance: 0.0,
        about: String::new(),
    }
}

/// Elements of the element-wise kernels.
fn elements(size: Size) -> usize {
    match size {
        Size::Counted => 1 << 12,
        Size::Timed => 1 << 22,
    }
}

fn stride(unit: CompileUnit, step: u32, size: Size) -> Launch {
    let n = elements(size);
    let step = step as usize;
    let salt = salt("x");
    Launch {
        buffers: vec![input("x", (n - 1) * step + 1), output("y", n)],
        words: vec![n as u32, step as u32],
        expected: (0..n).map(|i| element(salt, i * step)).collect(),
        about: format!("{n} elements copied, fp32, a thread each"),
        ..flat(unit, n)
    }
}

fn columns(unit: CompileUnit, pad: u32, size: Size) -> Launch {
    const SIDE: usize = 32;
    let blocks = elements(size) / (SIDE * SIDE);
    let n = blocks * SIDE * SIDE;
    let salt = salt("x");
    let from = |i: usize| {
        let (block, row, column) = (i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE);
        block * SIDE * SIDE + column * SIDE + row
    };
    Launch {
        grid: [blocks as u32, 1, 1],
        buffers: vec![input("x", n), output("y", n)],
        words: vec![SIDE as u32 + pad],
        expected: (0..n).map(|i| element(salt, from(i))).collect(),
        about: format!("{blocks} tiles of 32 × 32 transposed, fp32"),
        ..flat(unit, n)
    }
}

fn two_ways(unit: CompileUnit, group: u32, size: Size) -> Launch {
    const TURNS: u32 = 16;
    let n = elements(size);
    let salt = salt("x");
    let loops = unit.entry == "branch";
    let turn = |value: f32, even: bool| match (loops, even) {
        (_, true) => value.mul_add(0.5, 1.0),
        (true, false) => value.mul_add(value, 1.0).sqrt(),
        (false, false) => value.mul_add(0.25, -1.0),
    };
    let turns = if loops { TURNS } else { 1 };
    let mut words = vec![n as u32, group];
    if loops {
        words.push(TURNS);
    }
    let expected = (0..n).map(|i| {
        let even = (i / group as usize).is_multiple_of(2);
        (0..turns).fold(element(salt, i), |value, _| turn(value, even))
    });
    Launch {
        buffers: vec![input("x", n), output("y", n)],
        words,
        expected: expected.collect(),
        about: match loops {
            true => format!("{n} elements, {TURNS} turns of one of two loops each"),
            false => format!("{n} elements, one of two short results each"),
        },
        ..flat(unit, n)
    }
}

fn width(unit: CompileUnit, wide: u32, size: Size) -> Launch {
    let n = elements(size);
    let salt = salt("x");
    Launch {
        buffers: vec![input("x", n), output("y", n)],
        words: vec![n as u32 / wide],
        expected: (0..n).map(|i| element(salt, i)).collect(),
        about: format!("{n} elements copied, fp32"),
        ..flat(unit, n / wide as usize)
    }
}

fn tile(unit: CompileUnit, tile: usize, size: Size) -> Launch {
    let n: usize = match size {
        Size::Counted => 64,
        Size::Timed => 1024,
    };
    let (a, b) = (salt("a"), salt("b"));
    // At the larger size the first rows are compared.
    let rows = n.min(64);
    let sum = |row: usize, column: usize| {
        (0..n).fold(0.0_f32, |sum, k| {
            // Multiples of 1/256 below 2^16: exact, fused or not.
            sum + element(a, row * n + k) * element(b, k * n + column)
        })
    };
    Launch {
        grid: [(n / tile) as u32, (n / tile) as u32, 1],
        threads: (tile * tile) as u32,
        buffers: vec![input("a", n * n), input("b", n * n), output("c", n * n)],
        words: vec![n as u32, n as u32],
        expected: (0..rows * n).map(|i| sum(i / n, i % n)).collect(),
        about: format!("a product {n} × {n} × {n}, fp32"),
        ..flat(unit, n * n)
    }
}

fn row_sum(unit: CompileUnit, size: Size) -> Launch {
    let rows = elements(size) / THREADS;
    let salt = salt("x");
    // Multiples of 1/16: the sum is exact in any order.
    let sum = |row: usize| (0..THREADS).map(|i| element(salt, row * THREADS + i)).sum();
    Launch {
        buffers: vec![input("x", rows * THREADS), output("y", rows)],
        expected: (0..rows).map(sum).collect(),
        about: format!("{rows} rows of {THREADS} elements, a block each"),
        ..flat(unit, rows * THREADS)
    }
}

fn resident(unit: CompileUnit, kib: u32, size: Size) -> Launch {
    let n = elements(size);
    let salt = salt("x");
    Launch {
        shared: kib << 10,
        buffers: vec![input("x", n), output("y", n)],
        words: vec![n as u32],
        expected: (0..n).map(|i| element(salt, i)).collect(),
        about: format!("{n} elements copied, fp32, a thread each, blocks of {THREADS}"),
        ..flat(unit, n)
    }
}

fn held(unit: CompileUnit, size: Size) -> Launch {
    const HELD: usize = 16;
    let n = elements(size);
    let salt = salt("x");
    // Multiples of 1/16 below 2^20: every sum is exact.
    let last = |i: usize| {
        let mut part: Vec<f32> = (0..HELD).map(|k| element(salt, i) + k as f32).collect();
        for k in 0..HELD {
            let add = part.get(k).copied().unwrap_or(0.0);
            if let Some(next) = part.get_mut((k + 1) % HELD) {
                *next += add;
            }
        }
        part.last().copied().unwrap_or(0.0)
    };
    Launch {
        buffers: vec![input("x", n), output("y", n)],
        words: vec![n as u32, 1],
        expected: (0..n).map(last).collect(),
        about: format!("{n} threads with {HELD} sums each"),
        ..flat(unit, n)
    }
}

fn mask(unit: CompileUnit, n: usize) -> Launch {
    let (g, u) = (salt("g"), salt("u"));
    let value = |i: usize| {
        let gate = element(g, i);
        gate / (1.0 + (-gate).exp()) * element(u, i)
    };
    Launch {
        buffers: vec![input("g", n), input("u", n), output("m", n)],
        words: vec![n as u32],
        expected: (0..n).map(value).collect(),
        // The kernel's exponential is within a few units in the last place.
        tolerance: 2e-6,
        about: format!("silu(g)·u, a thread per element, blocks of {THREADS}"),
        ..flat(unit, n)
    }
}

//! Defective kernels on the inputs that bring their defects to light.

use std::fmt;

use super::bench::{Arg, Bench, Geometry};
use super::compiled::own;
use super::unit;
use plan::run::listing::Listing;
use simt::{MachineError, Memory, Problem};

/// As in the kernels of the course.
const EPS: f32 = 1e-5;

/// Why a defective kernel shows no value.
#[derive(Debug)]
pub enum MutantError {
    /// There is none of this name.
    Unknown(String),
    /// Its source is not in this build.
    NoSource(String),
    /// There is no program of it: the compiler's words, or how to get one.
    NoProgram(String),
    /// The machine stopped it where it should have ended.
    Stopped(MachineError),
}

impl fmt::Display for MutantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no mutant “{name}”"),
            Self::NoSource(path) => write!(f, "kernels/{path} is not in this build"),
            Self::NoProgram(why) => f.write_str(why),
            Self::Stopped(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for MutantError {}

/// The value of `mutant.NAME`, from running the defective kernel.
///
/// # Errors
/// No such mutant, no compiled kernel here, or the machine stopped it where it should
/// have ended.
pub fn mutant(name: &str) -> Result<f64, MutantError> {
    shown(name, false)
}

/// The same input with the defect, or with its repair.
fn shown(name: &str, fixed: bool) -> Result<f64, MutantError> {
    let (source, show): (&str, Show) = match name {
        "norm_scale" => ("flat_norm", |b| flat_norm(b, 128, 128 * 256)),
        "norm_one_row" => ("flat_norm", |b| flat_norm(b, 1, 256)),
        "row_sum" => ("ghost_lanes", |b| ghost_lanes(b, 1000, 0.0)),
        "row_sum_full" => ("ghost_lanes", |b| ghost_lanes(b, 1024, 0.0)),
        "row_sum_low" => ("ghost_lanes", |b| ghost_lanes(b, 1000, -5.0)),
        "scaled" => ("scaled_twice", |b| scaled_twice(b, [2.0, 0.0], 1)),
        "scaled_one_tile" => ("scaled_twice", |b| scaled_twice(b, [2.0, 0.0], 2)),
        "scaled_rising" => ("scaled_twice", |b| scaled_twice(b, [0.0, 2.0], 1)),
        "stale" => ("barrier_once", |b| barrier_once(b, 2)),
        "fresh" => ("barrier_once", |b| barrier_once(b, 1)),
        "pieces_scale" => ("norm_in_pieces", norm_in_pieces),
        "bare_80" => ("bare_exponent", |b| bare_exponent(b, 80.0)),
        "bare_100" => ("bare_exponent", |b| bare_exponent(b, 100.0)),
        "tail_bytes" => ("vector_tail", vector_tail),
        _ => return Err(MutantError::Unknown(name.to_owned())),
    };
    on(source, fixed, show)
}

type Show = fn(&mut Bench<'_>) -> Result<f64, MachineError>;

fn on(source: &str, fixed: bool, show: Show) -> Result<f64, MutantError> {
    let path = format!("exercises/{source}.cu");
    let listing = Listing::named(&path).map_err(|e| MutantError::NoProgram(e.to_string()))?;
    let unit = unit(&listing, "FIXED", u32::from(fixed)).ok_or(MutantError::NoSource(path))?;
    let compiled = own(&unit).map_err(|e| MutantError::NoProgram(e.to_string()))?;
    let mut bench = Bench::new(&compiled.program, unit.entry);
    show(&mut bench).map_err(MutantError::Stopped)
}

/// y[0] of ones. The kernel reads gamma at the flat index: where it is not as long
/// as x, the machine stops it.
fn flat_norm(bench: &mut Bench<'_>, rows: usize, gammas: usize) -> Result<f64, MachineError> {
    let (width, n) = (256, rows * 256);
    let x = bench.floats("x", &vec![1.0; n])?;
    let r = bench.floats("r", &vec![0.0; n])?;
    let gamma = bench.floats("gamma", &vec![1.0; gammas])?;
    let (h, y) = (bench.fresh("h", n)?, bench.fresh("y", n)?);
    let args = [
        Arg::Buffer(x),
        Arg::Buffer(r),
        Arg::Buffer(gamma),
        Arg::Buffer(h),
        Arg::Buffer(y),
        Arg::Int(n as i32),
        Arg::Int(width),
        Arg::Float(EPS),
    ];
    bench.launch(Geometry::blocks(rows as u32, 256), &args)?;
    first(&bench.read_floats(y)?)
}

/// The sum of a row of equal scores.
fn ghost_lanes(bench: &mut Bench<'_>, n: usize, score: f32) -> Result<f64, MachineError> {
    let s = bench.floats("s", &vec![score; n])?;
    let p = bench.fresh("p", n)?;
    let args = [Arg::Buffer(s), Arg::Buffer(p), Arg::Int(n as i32)];
    bench.launch(Geometry::blocks(1, 256), &args)?;
    Ok(bench.read_floats(p)?.iter().map(|v| f64::from(*v)).sum())
}

/// How many probabilities of equal scores are no numbers.
fn bare_exponent(bench: &mut Bench<'_>, score: f32) -> Result<f64, MachineError> {
    let n = 256;
    let s = bench.floats("s", &vec![score; n])?;
    let p = bench.fresh("p", n)?;
    let args = [Arg::Buffer(s), Arg::Buffer(p), Arg::Int(n as i32)];
    bench.launch(Geometry::blocks(1, 256), &args)?;
    let wrong = bench.read_floats(p)?.into_iter().filter(|v| !v.is_finite());
    Ok(wrong.count() as f64)
}

fn scaled_twice(bench: &mut Bench<'_>, scores: [f32; 2], tile: i32) -> Result<f64, MachineError> {
    let s = bench.floats("s", &scores)?;
    let v = bench.floats("v", &[1.0, 0.0])?;
    let o = bench.fresh("o", 1)?;
    let args = [
        Arg::Buffer(s),
        Arg::Buffer(v),
        Arg::Buffer(o),
        Arg::Int(2),
        Arg::Int(tile),
    ];
    bench.launch(Geometry::blocks(1, 32), &args)?;
    first(&bench.read_floats(o)?)
}

/// The lowest value that any of four blocks read in the last round.
fn barrier_once(bench: &mut Bench<'_>, rounds: i32) -> Result<f64, MachineError> {
    const BLOCKS: u32 = 4;
    let h = bench.words("h", &[0; BLOCKS as usize])?;
    let out = bench.words("out", &[0; BLOCKS as usize])?;
    let counter = bench.words("counter", &[0])?;
    let work = bench.words("work", &[0; BLOCKS as usize])?;
    let args = [
        Arg::Buffer(h),
        Arg::Buffer(out),
        Arg::Buffer(counter),
        Arg::Buffer(work),
        Arg::Int(rounds),
        Arg::Int(32),
    ];
    let geometry = Geometry {
        cooperative: true,
        ..Geometry::blocks(BLOCKS, 32)
    };
    bench.launch(geometry, &args)?;
    let read = bench.read(out)?;
    Ok(read.into_iter().min().map_or(f64::NAN, f64::from))
}

/// y[0] of ones at D 2048, in pieces of 128.
fn norm_in_pieces(bench: &mut Bench<'_>) -> Result<f64, MachineError> {
    let (width, tile) = (2048, 128);
    let x = bench.floats("x", &vec![1.0; width])?;
    let gamma = bench.floats("gamma", &vec![1.0; width])?;
    let y = bench.fresh("y", width)?;
    let args = [
        Arg::Buffer(x),
        Arg::Buffer(gamma),
        Arg::Buffer(y),
        Arg::Int(width as i32),
        Arg::Int(tile as i32),
        Arg::Float(EPS),
    ];
    bench.launch(Geometry::blocks((width / tile) as u32, 128), &args)?;
    first(&bench.read_floats(y)?)
}

/// How many bytes past the end the last pack of 1001 floats reaches; 0 where the
/// kernel stays inside.
fn vector_tail(bench: &mut Bench<'_>) -> Result<f64, MachineError> {
    let n = 1001;
    let x = bench.floats("x", &vec![1.0; n])?;
    let y = bench.fresh("y", n)?;
    let args = [Arg::Buffer(x), Arg::Buffer(y), Arg::Int(n as i32)];
    match bench.launch(Geometry::blocks(1, 256), &args) {
        Ok(_) => Ok(0.0),
        Err(MachineError::Found(finding)) => match &finding.problem {
            Problem::OutOfBounds {
                bytes,
                memory: Memory::Buffer { bytes: length, .. },
                offset,
                ..
            } => Ok((*offset + i64::from(*bytes)) as f64 - *length as f64),
            _ => Err(MachineError::Found(finding)),
        },
        Err(error) => Err(error),
    }
}

fn first(values: &[f32]) -> Result<f64, MachineError> {
    Ok(values.first().map_or(f64::NAN, |value| f64::from(*value)))
}

#[cfg(test)]
mod tests;

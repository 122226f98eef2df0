//! The check of a model that is too large for the reference: in the first and
//! the last block and outside of the blocks, some rows of every kernel's
//! outputs are recomputed in fp64 from the kernel's actual inputs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nalgebra::DMatrix;

use super::read;
use super::ready::Ready;
use super::stream::Launched;
use crate::check::{OUTLIER, Tolerances};
use crate::gpu::driver::{Driver, GpuError};
use crate::gpu::program::Written;
use crate::reference::{Sampled, Values};
use plan::fusion::Kernel;
use plan::model::{TensorId, TensorKind};
use plan::run::{CheckReport, Observer, Phase, Progress, RunError};

/// Most work that one kernel's sample may be: at the few GFLOP/s of fp64 on
/// one core, some seconds.
const MAX_FLOPS: u64 = 20_000_000_000;

/// What is known so far.
struct Judge {
    report: CheckReport,
    kernels: u32,
}

/// Runs a forward on poisoned memory and judges sampled rows of it.
///
/// # Errors
/// A launch or copy that fails, weights that cannot be read, a stop.
pub(super) fn forward(
    driver: &mut impl Driver,
    ready: &Ready<'_>,
    observer: &dyn Observer,
) -> Result<(Launched, CheckReport), RunError> {
    let bound = &ready.bound;
    bound.poison(driver)?;
    let mut launched = Launched::default();
    let mut places: HashMap<TensorId, Written> = HashMap::new();
    places.extend(bound.program.given.iter().map(|w| (w.tensor, *w)));
    let mut judge = Judge {
        report: CheckReport {
            reference: String::new(),
            max_abs_error: 0.0,
            rel_error: 0.0,
            tolerance: 0.0,
            pass: true,
            first_wrong: None,
            tensors: Vec::new(),
            wrong: Vec::new(),
        },
        kernels: 0,
    };
    let total = bound.steps.len() as u32;
    let each = bound.steps.iter().zip(&bound.program.steps);
    for (done, ((step, named), kernel)) in (0..).zip(each.zip(&ready.planned.plan.kernels)) {
        observer.progress(Progress::new(Phase::Check, done, total).about(named.name()));
        if observer.cancelled() {
            driver.synchronize()?;
            return Err(RunError::cancelled(0, 0));
        }
        places.extend(named.written().iter().map(|w| (w.tensor, *w)));
        let sampled = is_judged(ready, kernel).then(|| sampled(ready, kernel));
        let mut given = BTreeMap::new();
        if let Some(sampled) = &sampled {
            for (id, rows) in sampled.inputs() {
                given.insert(id, values(driver, ready, &places, id, rows)?);
            }
        }
        launched.watched(driver, step, named.name(), observer)?;
        driver
            .synchronize()
            .map_err(|e| e.in_kernel(named.name()))?;
        if let Some(sampled) = &sampled {
            for (id, rows) in sampled.outputs() {
                given.insert(id, values(driver, ready, &places, id, rows)?);
            }
            judge.kernel(ready, kernel, sampled, &given)?;
        }
    }
    judge.report.reference = format!(
        "fp64, sampled rows of {} kernels from their actual inputs",
        judge.kernels
    );
    Ok((launched, judge.report))
}

/// Whether a kernel has an op of the first or the last block, or of none.
fn is_judged(ready: &Ready<'_>, kernel: &Kernel) -> bool {
    let nodes = ready.planned.graph.nodes.get(kernel.ops.clone());
    nodes.unwrap_or_default().iter().any(|n| match n.layer {
        Some(layer) => layer == 0 || layer + 1 == ready.planned.graph.layers,
        None => true,
    })
}

/// Rows at both ends and in between; rows near the beginning where what they
/// follow from would be too much.
fn sampled<'r>(ready: &'r Ready<'_>, kernel: &'r Kernel) -> Sampled<'r> {
    let shape = ready.planned.cost.config.shape;
    let (batch, seq) = (shape.batch as usize, shape.seq as usize);
    let at = |b: usize, s: usize| b * seq + s;
    let rows = |most: usize| {
        let last = most.min(seq) - 1;
        BTreeSet::from([
            at(0, 0),
            at(0, last),
            at(batch / 2, last * 5 / 8),
            at(batch - 1, last / 3),
            at(batch - 1, last),
        ])
    };
    let weights = &ready.kept.weights;
    let mut most = seq;
    loop {
        let sampled = Sampled::new(&ready.planned.graph, kernel, shape, rows(most));
        if most <= 1 || sampled.flops(weights) <= MAX_FLOPS {
            return sampled;
        }
        most /= 2;
    }
}

/// Rows of a tensor from the device, a column each.
fn values(
    driver: &mut impl Driver,
    ready: &Ready<'_>,
    places: &HashMap<TensorId, Written>,
    id: TensorId,
    rows: Vec<usize>,
) -> Result<Values, GpuError> {
    let tensor = ready.planned.graph.tensor_at(id);
    let written = places.get(&id).ok_or_else(|| {
        let name = tensor.full_name();
        GpuError::failed(format!("{name} is read before it is written"))
    })?;
    let bound = &ready.bound;
    let mut got: Vec<f64> = Vec::new();
    let mut take = |driver: &mut _, rows: std::ops::Range<u64>| -> Result<(), GpuError> {
        let values = read::rows(driver, &bound.places, written, rows, bound.dtype)?;
        got.extend(values.into_iter().map(f64::from));
        Ok(())
    };
    if matches!(tensor.kind, TensorKind::Sc | TensorKind::Pr) {
        let (heads, seq) = (
            ready.planned.cost.config.model.heads,
            ready.planned.cost.config.shape.seq,
        );
        for row in &rows {
            let (b, s) = (*row as u64 / seq, *row as u64 % seq);
            for h in 0..heads {
                let at = (b * heads + h) * seq + s;
                take(driver, at..at + 1)?;
            }
        }
    } else {
        let mut from = 0;
        while let Some(first) = rows.get(from) {
            // Neighbours of one sequence come in one copy.
            let sequence = |row: &usize| *row as u64 / written.seq.max(1);
            let run = rows
                .iter()
                .skip(from)
                .zip(*first..)
                .take_while(|(row, next)| *row == next && sequence(row) == sequence(first))
                .count();
            take(driver, *first as u64..(first + run) as u64)?;
            from += run;
        }
    }
    let length = got.len() / rows.len().max(1);
    Ok(Values {
        values: DMatrix::from_vec(length, rows.len(), got),
        rows,
    })
}

impl Judge {
    /// Judges what one kernel wrote.
    fn kernel(
        &mut self,
        ready: &Ready<'_>,
        kernel: &Kernel,
        sampled: &Sampled<'_>,
        given: &BTreeMap<TensorId, Values>,
    ) -> Result<(), RunError> {
        let refused = |e: &dyn std::fmt::Display| RunError::failed(e.to_string());
        let made = sampled
            .compute(&ready.kept.weights, &ready.tokens, given)
            .map_err(|e| refused(&e))?;
        let config = &ready.planned.cost.config;
        let ops = kernel.ops.clone();
        let least = Tolerances::of_kernel(&config.model, &config.shape, &ready.planned.graph, ops);
        let mut plain_error = 0.0f64;
        self.kernels += 1;
        for (id, exact, plain) in made {
            let Some(memory) = given.get(&id) else {
                continue;
            };
            let kind = ready.planned.graph.tensor_at(id).kind;
            let compared: Vec<(usize, usize)> = places_of(ready, kind, &exact).collect();
            let column = |row: usize| memory.rows.binary_search(&row).ok();
            let pairs = |from: &DMatrix<f64>| -> Vec<(f64, f64)> {
                let at = |(i, r): &(usize, usize)| {
                    let expected = *exact.values.get((*r, *i))?;
                    Some((expected, *from.get((*r, *i))?))
                };
                compared.iter().filter_map(at).collect()
            };
            let got = memory.values.select_columns(
                exact
                    .rows
                    .iter()
                    .filter_map(|row| column(*row))
                    .collect::<Vec<_>>()
                    .iter(),
            );
            if let Some(plain) = plain {
                plain_error = plain_error.max(measure(&pairs(&plain.values), 0.0).relative);
            }
            let tolerance = Tolerances::combined(least, plain_error, compared.len());
            let pairs = pairs(&got);
            let measured = measure(&pairs, tolerance);
            let pass = measured.relative <= tolerance && measured.outliers == 0;
            if !pass && self.report.pass {
                self.report.pass = false;
                let (i, r) = compared.get(measured.at).copied().unwrap_or_default();
                let (expected, got) = pairs.get(measured.at).copied().unwrap_or_default();
                let row = exact.rows.get(i).copied().unwrap_or(0) as u64;
                let seq = config.shape.seq;
                self.report.first_wrong = Some(format!(
                    "{} is the first wrong tensor: at batch {}, row {}, element {r} it is {got} instead of {expected} (relative error {:.1e}, tolerance {tolerance:.1e}; {} of {} sampled values are far off)",
                    ready.planned.graph.tensor_at(id).full_name(),
                    row / seq,
                    row % seq,
                    measured.relative,
                    measured.outliers,
                    compared.len(),
                ));
            }
            if kind == TensorKind::Logits {
                self.report.max_abs_error = measured.max_abs;
                self.report.rel_error = measured.relative;
                self.report.tolerance = tolerance;
            }
        }
        Ok(())
    }
}

/// Column and element of every value that means something: all of them, but
/// for scores of keys behind the query.
fn places_of<'v>(
    ready: &Ready<'_>,
    kind: TensorKind,
    values: &'v Values,
) -> impl Iterator<Item = (usize, usize)> + use<'v> {
    let shape = ready.planned.cost.config.shape;
    let (seq, context) = (shape.seq as usize, shape.context as usize);
    let rows = values.values.nrows();
    values.rows.iter().enumerate().flat_map(move |(i, row)| {
        let seen = context - seq + row % seq;
        let means = move |r: &usize| kind != TensorKind::Sc || r % context <= seen;
        (0..rows).filter(means).map(move |r| (i, r))
    })
}

/// How far values are from what is expected.
#[derive(Debug, Default)]
struct Measured {
    max_abs: f64,
    relative: f64,
    outliers: usize,
    /// The first outlier; without one, the value that is off the most.
    at: usize,
}

/// As the check of whole tensors measures: see [`crate::check`].
fn measure(pairs: &[(f64, f64)], tolerance: f64) -> Measured {
    let n = pairs.len().max(1) as f64;
    let rms = (pairs.iter().map(|(e, _)| e * e).sum::<f64>() / n).sqrt();
    let mut m = Measured::default();
    let mut squares = 0.0;
    for (i, (expected, got)) in pairs.iter().enumerate() {
        let mut off = (got - expected).abs();
        if off.is_nan() {
            off = f64::INFINITY;
        }
        squares += off * off;
        let worse = off > m.max_abs;
        m.max_abs = m.max_abs.max(off);
        if off > OUTLIER * tolerance * (rms + expected.abs()) {
            if m.outliers == 0 {
                m.at = i;
            }
            m.outliers += 1;
        } else if m.outliers == 0 && worse {
            m.at = i;
        }
    }
    m.relative = match (squares / n).sqrt() {
        0.0 => 0.0,
        off => off / rms,
    };
    m
}

//! What a variant number draws: `draw = "cuts"` or `draw = "claims"`.
//!
//! The same number draws the same questions on every machine.

use super::{Exercise, Pass};
use crate::answer::practise::Draw as Stream;
use crate::answer::{Key, Setting as Meaning, data_sheets};
use crate::fault::Place;
use crate::setup::{Setting, Setup};
use plan::cost::{Cost, Gpu, kernel_floor_seconds, price, ridge};
use plan::fusion::{Boundary, Version};
use plan::model::{Dtype, OpKind};

/// Where the questions of further variants come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Each task is a random cut of the block at a random shape, on a random GPU.
    Cuts,
    /// Ten claims of the ledger.
    Claims,
}

impl Draw {
    /// Every source with its name in a file.
    pub(super) const ALL: [(&str, Self); 2] = [("cuts", Self::Cuts), ("claims", Self::Claims)];
}

/// Number of the last variant that is drawn.
pub(super) const LAST: usize = 999_999;
/// A learner's seed draws one of so many.
pub(super) const SEEDED: u64 = 9_999;
/// Variants that lint and tests look at.
pub(super) const SAMPLED: usize = 20;

/// Draws before a task is taken as it comes.
const ATTEMPTS: usize = 200;
const PRESETS: [&str; 4] = ["workshop", "small", "medium", "part-c"];
const BATCHES: [u64; 4] = [1, 2, 4, 8];
const LENGTHS: [u64; 4] = [128, 256, 512, 1024];
const DTYPES: [&str; 2] = ["fp32", "bf16"];
const GPUS: [&str; 4] = ["h200", "a100_80gb", "mi300x", "mi250x_gcd"];
/// Groups of a cut: fewest, and how many more at most.
const GROUPS: (usize, u64) = (2, 7);
/// Two floors, or an intensity and the ridge, nearer than this are not asked about.
const APART: f64 = 1.05;
/// Ops whose kernels are asked about.
const ASKED: [OpKind; 3] = [OpKind::Q, OpKind::Qk, OpKind::Down];

impl Exercise {
    /// This exercise as a variant above those that are listed.
    pub(super) fn draw(&self, draw: Draw, number: usize, at: Place) -> Self {
        let mut drawn = self.clone();
        drawn.number = number;
        match draw {
            Draw::Cuts => {
                let tasks = (0..=self.tasks.len()).map(|task| cut(number, task, at));
                let setups: Vec<Setup> = tasks.collect();
                drawn.setup = setups.first().cloned().unwrap_or_default();
                drawn.keys = self.asked(&setups);
            }
            Draw::Claims => {
                drawn.setup = Setup::default();
                let (keys, must) = super::court::keys(number, at);
                drawn.pass = self.pass.as_ref().map(|pass| Pass {
                    among: must.among,
                    must: vec![must.right],
                    ..pass.clone()
                });
                drawn.keys = keys;
            }
        }
        drawn.keys.iter_mut().for_each(Key::drop_slips);
        drawn
    }
}

/// A cut, shape, element type and GPU whose questions have one answer each.
fn cut(number: usize, task: usize, at: Place) -> Setup {
    let mut last = Setup::default();
    for attempt in 0..ATTEMPTS {
        let name = format!("cuts {task}");
        let mut stream = Stream::new(number as u64, &name, attempt as u64);
        let Some((setup, clear)) = one(&mut stream, at) else {
            continue;
        };
        if clear {
            return setup;
        }
        last = setup;
    }
    last
}

/// One draw, and whether its questions have one answer each.
fn one(stream: &mut Stream, at: Place) -> Option<(Setup, bool)> {
    let preset = *stream.pick(&PRESETS)?;
    let batch = stream.pick(&BATCHES)?.to_string();
    let seq = stream.pick(&LENGTHS)?.to_string();
    let dtype = *stream.pick(&DTYPES)?;
    let gpu = *stream.pick(&GPUS)?;
    let kernels = GROUPS.0 + usize::try_from(stream.below(GROUPS.1 + 1)).ok()?;
    let mut cut = Version::V1.cut();
    let mut standing: Vec<Boundary> = Boundary::of_block()
        .filter(|wall| *wall != Boundary::CROSS && cut.joined(*wall) != cut)
        .collect();
    while standing.len() >= kernels {
        let index = usize::try_from(stream.below(standing.len() as u64)).ok()?;
        cut = cut.joined(standing.remove(index));
    }
    let groups = cut.groups();
    let written = [
        ("preset", preset),
        ("batch", batch.as_str()),
        ("seq", seq.as_str()),
        ("dtype", dtype),
        ("plan", groups.as_str()),
        ("gpu", gpu),
    ];
    let settings = written.map(|(name, value)| {
        Some(Setting {
            name: name.to_owned(),
            value: value.to_owned(),
            at,
            meaning: Meaning::parse(name, value).ok()?,
        })
    });
    let setup = Setup {
        settings: settings.into_iter().collect::<Option<_>>()?,
    };
    let config = setup.answer().ok()?.config;
    let clear = price(&config).ok().zip(data_sheets()?.get(gpu).ok());
    let clear = clear.and_then(|(cost, gpu)| is_clear(&cost, gpu, config.dtype));
    Some((setup, clear == Some(true)))
}

/// Whether one kernel is plainly the slowest, and the kernels that are asked
/// about stand plainly on one side of the ridge.
fn is_clear(cost: &Cost, gpu: &Gpu, dtype: Dtype) -> Option<bool> {
    let kernels = &cost.block.kernels;
    let mut floors = Vec::new();
    for kernel in kernels {
        floors.push(kernel_floor_seconds(kernel, gpu, dtype).ok()?);
    }
    floors.sort_by(|a, b| b.total_cmp(a));
    let ahead = floors
        .first()
        .zip(floors.get(1))
        .is_some_and(|(a, b)| a / b > APART);
    let ridge = ridge(gpu, dtype).ok()?;
    let near = |op: OpKind| {
        let kernel = kernels.iter().find(|k| k.ops.contains(&op.name()));
        kernel.is_none_or(|k| {
            let ratio = k.flops as f64 / k.bytes() as f64 / ridge;
            ratio < APART && ratio > 1.0 / APART
        })
    };
    Some(ahead && !ASKED.into_iter().any(near))
}

#[cfg(test)]
mod tests;

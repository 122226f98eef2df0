//! What a question is about: a model at a shape, an element type, and a cut.

use super::draw::Draw;
use crate::answer::{Setting, Setup};
use plan::cost::{Config, Cost, KernelCost, price};
use plan::fusion::{Boundary, Cut, Version};
use plan::model::{BLOCK_OPS, Dtype, OpKind, PRESETS, Preset};
use plan::units::group_thousands;

/// Columns of a line of the cut.
const WIDTH: usize = 70;
/// Walls that fall, of 100.
const FALLING: u64 = 40;

/// A drawn configuration.
pub(super) struct Scene {
    preset: &'static Preset,
    batch: u64,
    seq: u64,
    pub dtype: Dtype,
    pub cut: Cut,
    pub cost: Cost,
}

impl Scene {
    /// Draws one; `None` where nothing was merged.
    pub fn draw(draw: &mut Draw) -> Option<Self> {
        let preset = draw.pick(&PRESETS)?;
        let batch = *draw.pick(&[1, 2, 4, 8, 16])?;
        let seq = *draw.pick(&[64, 128, 256, 512])?;
        let dtype = *draw.pick(&[Dtype::Fp32, Dtype::Bf16])?;
        let mut cut = Version::V1.cut();
        for wall in Boundary::of_block().filter(|wall| *wall != Boundary::CROSS) {
            if draw.in_100(FALLING) {
                cut = cut.joined(wall);
            }
        }
        // RoPE of q and of k are one kernel wherever the course counts them.
        if cut == Version::V1.cut() {
            return None;
        }
        let setup = setup(preset, batch, seq, dtype, cut)?;
        let cost = price(&setup.config).ok()?;
        Some(Self {
            preset,
            batch,
            seq,
            dtype,
            cut,
            cost,
        })
    }

    /// The configuration.
    pub fn setup(&self) -> Option<Setup> {
        setup(self.preset, self.batch, self.seq, self.dtype, self.cut)
    }

    /// What is given, in lines. `v1`: the cut does not matter.
    pub fn premise(&self, v1: bool) -> Vec<String> {
        let model = self.preset.model();
        let many = |n: u64| group_thousands(i128::from(n));
        let mut lines = vec![
            format!(
                "Model {}: D {}, H {}, K {}, I {}, L {}, V {}.",
                self.preset.name,
                many(model.hidden),
                model.heads,
                model.kv_heads,
                many(model.ffn),
                model.layers,
                many(model.vocab)
            ),
            format!(
                "B {}, S {} = T, {}; dense pairs, RoPE of q and k in one kernel.",
                self.batch,
                self.seq,
                self.dtype.name()
            ),
        ];
        if self.cost.config.keeps_kv() {
            lines.push(
                "A cache is being filled: rotated k and v are written in any cut.".to_owned(),
            );
        }
        if !v1 {
            lines.extend(self.kernels());
        }
        lines
    }

    /// The cut, kernel by kernel: a line ends between two of them.
    fn kernels(&self) -> Vec<String> {
        let groups = self.cut.groups();
        let mut lines = vec!["Cut of the block:".to_owned()];
        for (index, kernel) in groups.split('|').enumerate() {
            let sign = if index == 0 { "" } else { " |" };
            match lines.last_mut() {
                Some(line) if line.len() + sign.len() + 1 + kernel.len() <= WIDTH => {
                    line.push_str(&format!("{sign} {kernel}"));
                }
                last => {
                    if let Some(line) = last {
                        line.push_str(sign);
                    }
                    lines.push(kernel.to_owned());
                }
            }
        }
        lines
    }

    /// The command that unfolds a figure.
    pub fn command(&self, why: &str, v1: bool) -> String {
        let plan = match v1 {
            true => "--version v1".to_owned(),
            false => format!("--groups '{}'", self.cut.groups()),
        };
        format!(
            "tinyllama-tutor cost --model {} --batch {} --seq {} --dtype {} {plan} --why {why}",
            self.preset.name,
            self.batch,
            self.seq,
            self.dtype.name()
        )
    }

    /// A kernel of the cut that holds at least two ops.
    pub fn merged(&self, draw: &mut Draw) -> Option<&KernelCost> {
        let kernels = &self.cost.block.kernels;
        let merged: Vec<&KernelCost> = kernels.iter().filter(|k| k.ops.len() > 1).collect();
        draw.pick(&merged).copied()
    }

    /// Whether the op of this name is a matrix product.
    pub fn is_product(op: &str) -> bool {
        OpKind::parse(op).is_some_and(OpKind::is_product)
    }

    /// Any op of the block, by the name under which it is priced.
    pub fn op(draw: &mut Draw, fits: fn(OpKind) -> bool) -> Option<&'static str> {
        let ops: Vec<OpKind> = BLOCK_OPS
            .into_iter()
            .filter(|op| fits(*op) && *op != OpKind::RopeK)
            .collect();
        draw.pick(&ops).map(|op| match op {
            OpKind::RopeQ => "rope",
            other => other.name(),
        })
    }
}

fn setup(preset: &'static Preset, batch: u64, seq: u64, dtype: Dtype, cut: Cut) -> Option<Setup> {
    let config = Config::preset(preset.name, cut).ok()?;
    Some(Setup::of(config).with(&[
        Setting::Batch(batch),
        Setting::Seq(seq),
        Setting::Dtype(dtype),
    ]))
}

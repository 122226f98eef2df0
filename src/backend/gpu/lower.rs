//! From a plan to launches: one [`Launch`] (or library product) per kernel of
//! the plan, and the memory between them. Pure.
//!
//! Memory: one buffer per kind of activation, used again in every block; per
//! block one of each weight; keys and values per block where a cache is kept
//! ([`Config::keeps_kv`]), else one of each for all blocks.
//!
//! [`Config::keeps_kv`]: plan::cost::Config::keeps_kv

mod attention;
mod block;
mod buffers;
mod gemm;
mod hopper;
mod rows;
mod starts;

use std::collections::HashMap;

use super::catalogue::{self, Lacks};
use super::program::{Arg, BufferId, BufferSpec, Launch, LibraryGemm, Program, Step, Target};
use super::source::CompileUnit;
use plan::cost::Config;
use plan::fusion::{Kernel, Plan};
use plan::kernels::{Family, Variant};
use plan::model::{Dtype, Graph, Model, OpKind, Shape, TensorId, TensorKind};
use plan::run::{Gemm, Settings, Tuned};

/// What is lowered.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// Model, shape, dtype, conventions; its cut is `plan`'s.
    pub config: &'a Config,
    /// The forward.
    pub graph: &'a Graph,
    /// Its cut into kernels.
    pub plan: &'a Plan,
    /// The device.
    pub target: &'a Target,
    /// Whose products: a library's replace kernels that are one product and
    /// nothing else.
    pub gemm: Gemm,
    /// Rows per sequence of keys and values: the context, also while a prefill
    /// fills the first part of them.
    pub cap: u64,
    /// Settings of kernels that were found to be quicker.
    pub tuned: &'a [&'a Tuned],
}

/// Lowers a plan.
///
/// # Errors
/// A kernel of the plan that is not in the table, or not for this shape.
pub fn lower(setup: &Setup<'_>) -> Result<Program, Lacks> {
    let mut lowering = Lowering::new(setup);
    let mut steps = Vec::with_capacity(setup.plan.kernels.len());
    for index in 0..setup.plan.kernels.len() {
        steps.push(lowering.step(index)?);
    }
    starts::apart(&mut steps);
    let logits = lowering.activation(TensorKind::Logits, None);
    let given = lowering.given();
    Ok(Program {
        buffers: lowering.buffers,
        steps,
        given,
        logits,
        notes: lowering.notes,
    })
}

/// The kernel that is being lowered.
pub(super) struct Group<'a> {
    /// Its place in the plan.
    pub index: usize,
    /// What it reads and writes.
    pub kernel: &'a Kernel,
    /// Its row of the table of kernels.
    pub family: Family,
    /// Its ops.
    pub ops: Vec<OpKind>,
    /// The block of its first op; `None` outside the blocks.
    pub layer: Option<u32>,
    /// `block 2: q+k+v`.
    pub name: String,
}

impl Group<'_> {
    /// Whether `op` is one of its ops.
    pub fn has(&self, op: OpKind) -> bool {
        self.ops.contains(&op)
    }

    /// Whether it begins with a norm that takes its rows' sums from their maker.
    pub fn takes_row_sums(&self) -> bool {
        catalogue::takes_row_sums(self.family, &self.ops)
    }

    /// A launch of `unit` for this kernel, without arguments and geometry.
    pub fn launch(&self, unit: CompileUnit) -> Launch {
        Launch {
            kernel: self.index,
            name: self.name.clone(),
            unit,
            grid: super::program::Grid::Blocks([1, 1, 1]),
            threads: 256,
            shared: 0,
            cooperative: false,
            overlap: false,
            args: Vec::new(),
            written: Vec::new(),
        }
    }
}

/// The state of a lowering: buffers so far, and what the setup says.
pub(super) struct Lowering<'a> {
    pub setup: Setup<'a>,
    buffers: Vec<BufferSpec>,
    by_name: HashMap<String, BufferId>,
    /// Row sums handed from the kernel that makes a tensor to the one whose
    /// norm needs them: the buffer and its slots per row.
    row_sums: HashMap<TensorId, Option<(BufferId, u32)>>,
    notes: Vec<String>,
}

impl<'a> Lowering<'a> {
    fn new(setup: &Setup<'a>) -> Self {
        let mut row_sums = HashMap::new();
        for kernel in &setup.plan.kernels {
            if catalogue::find(kernel, setup.graph)
                .is_some_and(|(family, ops)| catalogue::takes_row_sums(family, &ops))
                && let Some(first) = setup.graph.nodes.get(kernel.ops.start)
                && let Some(read) = first.reads.first()
            {
                row_sums.insert(*read, None);
            }
        }
        Self {
            setup: *setup,
            buffers: Vec::new(),
            by_name: HashMap::new(),
            row_sums,
            notes: Vec::new(),
        }
    }

    fn step(&mut self, index: usize) -> Result<Step, Lacks> {
        use TensorKind::{G, M, Sg, U};
        let setup = self.setup;
        let Some(kernel) = setup.plan.kernels.get(index) else {
            return Err(Lacks::new(format!("kernel {index}")));
        };
        let bare = kernel.name(setup.graph);
        let (family, ops) =
            catalogue::find(kernel, setup.graph).ok_or_else(|| Lacks::new(&bare))?;
        let layer = setup
            .graph
            .nodes
            .get(kernel.ops.start)
            .and_then(|n| n.layer);
        let group = Group {
            index,
            kernel,
            family,
            ops,
            layer,
            name: match layer {
                Some(layer) => format!("block {layer}: {bare}"),
                None => bare,
            },
        };
        if setup.gemm == Gemm::Library
            && family == Family::Product
            && let Some(gemm) = gemm::library(self, &group)
        {
            return Ok(Step::Library(gemm));
        }
        let mut launch = match family {
            Family::Embed => rows::embed(self, &group),
            Family::Norm => rows::norm(self, &group),
            Family::Rope => rows::rope(self, &group),
            Family::Residual => rows::residual(self, &group),
            Family::ResidualNorm => rows::residual_norm(self, &group),
            Family::Silu => rows::elementwise(self, &group, &[G, Sg]),
            Family::Mul => rows::elementwise(self, &group, &[Sg, U, M]),
            Family::SiluMul => rows::elementwise(self, &group, &[G, U, M]),
            Family::Qk => attention::qk(self, &group),
            Family::Softmax => attention::softmax(self, &group),
            Family::Pv => attention::pv(self, &group),
            Family::Flash => attention::flash(self, &group),
            Family::Product => gemm::product(self, &group),
            Family::ProductResidual => gemm::product_residual(self, &group),
            Family::Qkv => gemm::qkv(self, &group),
            Family::GateUp => gemm::gate_up(self, &group),
            Family::Block => block::block(self, &group),
        }?;
        launch.written = kernel.writes.iter().map(|id| self.written(*id)).collect();
        Ok(Step::Own(launch))
    }

    /// The tile of a kernel as it was set, where it has settings that name `knob`.
    /// Settings that were kept for a run give way where a product cannot take them.
    ///
    /// # Errors
    /// Settings that are tried and cannot be.
    pub fn set<T>(
        &mut self,
        kernel: &str,
        knob: &str,
        tile: impl FnOnce(&Settings) -> Option<T>,
    ) -> Result<Option<T>, Lacks> {
        let mut all = self.setup.tuned.iter().rev();
        let found = all.find(|t| t.kernel == kernel && t.settings.get(knob).is_some());
        let Some(tuned) = found else { return Ok(None) };
        match (tile(&tuned.settings), tuned.note()) {
            (Some(tile), note) => {
                note.into_iter().for_each(|note| self.note(note));
                Ok(Some(tile))
            }
            (None, Some(_)) => Ok(None),
            (None, None) => Err(Lacks::new(format!("{kernel} with {}", tuned.settings))),
        }
    }

    // ---- the setup in short --------------------------------------------------

    /// The model.
    pub fn model(&self) -> &'a Model {
        &self.setup.config.model
    }

    /// Batch, new tokens, context.
    pub fn shape(&self) -> Shape {
        self.setup.config.shape
    }

    /// Rows of an activation: B·S.
    pub fn rows(&self) -> u64 {
        self.shape().batch * self.shape().seq
    }

    /// Tokens per sequence that were there before.
    pub fn past(&self) -> u64 {
        self.shape().context - self.shape().seq
    }

    /// Rows per sequence that keys and values have in memory.
    pub fn cap(&self) -> u64 {
        if self.keeps_cache() {
            self.setup.cap
        } else {
            self.shape().seq
        }
    }

    /// Whether each block keeps keys and values of its own.
    pub fn keeps_cache(&self) -> bool {
        self.setup.config.keeps_kv() || self.setup.cap > self.shape().seq
    }

    /// Bytes of one element.
    pub fn elem(&self) -> u64 {
        self.setup.config.dtype.bytes()
    }

    /// Something to be said of the program, once however many blocks have it.
    fn note(&mut self, sentence: String) {
        if !self.notes.contains(&sentence) {
            self.notes.push(sentence);
        }
    }

    /// Whether elements are bf16.
    pub fn is_bf16(&self) -> bool {
        self.setup.config.dtype == Dtype::Bf16
    }

    /// The unit of a family's kernel: `before`, then the kernel's own file, with the
    /// element type defined.
    ///
    /// # Errors
    /// A variant that the table of kernels does not have.
    pub fn unit(
        &self,
        family: Family,
        variant: Variant,
        before: &[&'static str],
    ) -> Result<CompileUnit, Lacks> {
        let entry = family
            .entry(variant)
            .ok_or_else(|| Lacks::new(format!("{} ({variant:?})", family.name())))?;
        let files: Vec<&'static str> = before.iter().copied().chain([entry.file]).collect();
        Ok(CompileUnit::new(entry.name, &files).define("BF16", u32::from(self.is_bf16())))
    }

    /// A size as a kernel takes it.
    ///
    /// # Errors
    /// A size above 2³¹ − 1.
    pub fn int(&self, size: u64) -> Result<Arg, Lacks> {
        i32::try_from(size)
            .map(Arg::I32)
            .map_err(|_| Lacks::new(format!("a size of {size} (a kernel takes less than 2³¹)")))
    }

    /// Head width as a definition: the widths that attention kernels have.
    ///
    /// # Errors
    /// A width that is none of 32, 64, 128.
    pub fn head_width(&self) -> Result<u64, Lacks> {
        match self.model().head_width() {
            d @ (32 | 64 | 128) => Ok(d),
            d => Err(Lacks::new(format!(
                "heads of width {d} (32, 64 and 128 are there)"
            ))),
        }
    }
}

#[cfg(test)]
mod tests;

//! From a plan to steps on row tiles.
//!
//! A kernel becomes one pass over the row tiles, or several where attention
//! needs the keys of other rows that the same kernel makes. Within a pass a
//! tensor that nobody else reads is a tile of a worker's arena; one that a
//! later pass of the same kernel reads lives in scratch memory; one that the
//! plan writes is memory proper.

use std::ops::Range;
use std::sync::Arc;

use super::dims::Dims;
use super::errors::defect;
use super::packed::PackedModel;
use super::panels::Panels;
use super::place::{Home, Places};
use super::slots::Slots;
use crate::fusion::{Kernel, Plan};
use crate::model::{Dtype, Graph, Node, OpKind, TensorId, TensorKind};
use crate::run::RunError;

/// Where a step finds or leaves rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// Rows of a buffer.
    Memory {
        /// Index of the buffer.
        buffer: usize,
        /// Elements of a row.
        columns: usize,
        /// Rows of one sequence.
        rows: usize,
        /// The row of the first new token.
        first: usize,
    },
    /// A tile in the worker's arena, in fp32.
    Tile {
        /// First element.
        at: usize,
        /// Elements of a row.
        columns: usize,
    },
}

/// What one attention step does; absent parts belong to other kernels.
#[derive(Clone, Debug, Default)]
pub(super) struct Attend {
    /// Queries and keys, if it computes the scores.
    pub queries: Option<(Operand, Operand)>,
    /// Scores in memory: read when there are no queries, written otherwise.
    pub scores: Option<Operand>,
    /// Whether it computes the softmax.
    pub softmax: bool,
    /// Probabilities in memory: written after the softmax, or read.
    pub probabilities: Option<Operand>,
    /// Values, and where the result goes, if it computes it.
    pub values: Option<(Operand, Operand)>,
}

/// A fused FFN: of g, u and m only [`Ffn::COLUMNS`] columns exist at a time.
#[derive(Clone, Debug)]
pub(super) struct Ffn {
    pub x: Operand,
    pub gate: Arc<Panels>,
    pub up: Arc<Panels>,
    /// Absent where m leaves the kernel.
    pub down: Option<Arc<Panels>>,
    /// dn, or m.
    pub out: Operand,
    /// Tiles of [`Ffn::COLUMNS`] columns.
    pub g: Operand,
    pub u: Operand,
}

impl Ffn {
    /// Columns of the FFN at a time: tiles of 64 rows of them take 64 KiB.
    pub const COLUMNS: usize = 256;
    /// The ops that it holds, the last one if it follows.
    const OPS: [OpKind; 5] = [
        OpKind::Gate,
        OpKind::Up,
        OpKind::Silu,
        OpKind::Mul,
        OpKind::Down,
    ];
}

/// One step on one tile.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Embeddings of the tile's tokens.
    Embed { out: Operand },
    /// RMSNorm.
    Norm {
        x: Operand,
        out: Operand,
        gamma: Arc<Vec<f32>>,
    },
    /// A product with a weight.
    Product {
        a: Operand,
        out: Operand,
        weight: Arc<Panels>,
    },
    /// Rotation of `heads` heads.
    Rope {
        x: Operand,
        out: Operand,
        heads: usize,
    },
    /// Gate, up, SiLU, product, and down where it follows, some columns of the
    /// FFN at a time.
    Ffn(Ffn),
    /// Scores, softmax, values, or some of them.
    Attend(Attend),
    /// `a + b`.
    Add {
        a: Operand,
        b: Operand,
        out: Operand,
    },
    /// `a · b`.
    Mul {
        a: Operand,
        b: Operand,
        out: Operand,
    },
    /// `x / (1 + e^−x)`.
    Silu { x: Operand, out: Operand },
    /// bf16 memory to a tile.
    Widen { from: Operand, to: Operand },
    /// A tile to bf16 memory, rounded.
    Narrow { from: Operand, to: Operand },
}

/// The steps between two waits of all threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass {
    pub steps: Vec<Step>,
}

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub name: String,
    pub passes: Range<usize>,
    /// What it leaves in memory for others.
    pub writes: Vec<(TensorId, Operand)>,
}

/// A plan as launches of passes, and the fp32 elements of a worker's arena.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub launches: Vec<Launch>,
    pub passes: Vec<Pass>,
    pub arena: usize,
}

/// The op ranges of the passes of `kernel`: a pass ends before scores whose
/// keys it makes, for a query sees keys of other tiles.
pub(super) fn passes_of(graph: &Graph, kernel: &Kernel) -> Vec<Range<usize>> {
    let mut passes = Vec::new();
    let mut start = kernel.ops.start;
    for index in kernel.ops.clone() {
        let Some(node) = graph.nodes.get(index) else {
            continue;
        };
        let made_here = |id: &TensorId| {
            graph
                .nodes
                .get(start..index)
                .is_some_and(|nodes| nodes.iter().any(|n| n.writes == *id))
        };
        if node.op == OpKind::Qk && node.reads.iter().skip(1).any(made_here) {
            passes.push(start..index);
            start = index;
        }
    }
    passes.push(start..kernel.ops.end);
    passes
}

/// Compiles the kernels of `plan` that begin before op `until`.
///
/// # Errors
/// A weight that was not packed, or a graph that is not one of ours.
pub(super) fn compile(
    weights: &PackedModel,
    graph: &Graph,
    plan: &Plan,
    places: &Places,
    dims: &Dims,
    until: usize,
) -> Result<Compiled, RunError> {
    let mut compiled = Compiled {
        launches: Vec::new(),
        passes: Vec::new(),
        arena: 0,
    };
    for kernel in plan.kernels.iter().filter(|k| k.ops.start < until) {
        let first = compiled.passes.len();
        for ops in passes_of(graph, kernel) {
            let mut pass = PassCompiler {
                weights,
                graph,
                places,
                dims,
                ops: ops.clone(),
                slots: Slots::new(dims.tile),
                tiles: Vec::new(),
                steps: Vec::new(),
            };
            pass.compile()?;
            compiled.arena = compiled.arena.max(pass.slots.peak());
            compiled.passes.push(Pass { steps: pass.steps });
        }
        compiled.launches.push(Launch {
            name: kernel.name(graph),
            passes: first..compiled.passes.len(),
            writes: kernel
                .writes
                .iter()
                .filter_map(|id| Some((*id, places.operand(*id)?)))
                .collect(),
        });
    }
    Ok(compiled)
}

struct PassCompiler<'a> {
    weights: &'a PackedModel,
    graph: &'a Graph,
    places: &'a Places,
    dims: &'a Dims,
    ops: Range<usize>,
    slots: Slots,
    /// Tensors that have a tile at the moment.
    tiles: Vec<(TensorId, Operand)>,
    steps: Vec<Step>,
}

impl PassCompiler<'_> {
    fn compile(&mut self) -> Result<(), RunError> {
        let mut index = self.ops.start;
        while index < self.ops.end {
            let graph = self.graph;
            let node = graph
                .nodes
                .get(index)
                .ok_or_else(|| defect("a plan names an op that is not there"))?;
            let last = match node.op {
                OpKind::Qk | OpKind::Softmax | OpKind::Pv => self.attend(index)?,
                OpKind::Gate if self.holds_ffn(index) => self.ffn(index)?,
                _ => {
                    self.op(index, node)?;
                    index
                }
            };
            for done in index..=last {
                self.release(done);
            }
            index = last + 1;
        }
        Ok(())
    }

    /// Every op but attention.
    fn op(&mut self, index: usize, node: &Node) -> Result<(), RunError> {
        if node.op == OpKind::Embed {
            let out = self.output(node.writes, None);
            self.steps.push(Step::Embed { out });
            return self.finish(node.writes, out);
        }
        let x = self.source(read(node, 0)?)?;
        let again = match node.op {
            OpKind::Res1 | OpKind::Res2 | OpKind::Mul => Some(self.source(read(node, 1)?)?),
            _ => None,
        };
        // Ops that treat each element on its own may write over their input.
        let in_place = match node.op {
            OpKind::RopeQ | OpKind::RopeK | OpKind::Silu | OpKind::Mul => {
                self.dying_tile(index, read(node, 0)?)
            }
            OpKind::Res1 | OpKind::Res2 => self.dying_tile(index, read(node, 1)?),
            _ => None,
        };
        let out = self.output(node.writes, in_place);
        let step = match (node.op, again) {
            (OpKind::Norm1 | OpKind::Norm2 | OpKind::FinalNorm, _) => {
                let gamma = self.weights.gamma(weight(node)?)?;
                Step::Norm { x, out, gamma }
            }
            (OpKind::RopeQ, _) => Step::Rope {
                x,
                out,
                heads: self.dims.heads,
            },
            (OpKind::RopeK, _) => Step::Rope {
                x,
                out,
                heads: self.dims.kv_heads,
            },
            (OpKind::Silu, _) => Step::Silu { x, out },
            (OpKind::Mul, Some(b)) => Step::Mul { a: x, b, out },
            (OpKind::Res1 | OpKind::Res2, Some(b)) => Step::Add { a: x, b, out },
            _ => Step::Product {
                a: x,
                out,
                weight: self.weights.matrix(weight(node)?)?,
            },
        };
        self.steps.push(step);
        self.finish(node.writes, out)
    }

    /// The attention ops from `index` on that this pass holds; the index of
    /// the last of them.
    fn attend(&mut self, index: usize) -> Result<usize, RunError> {
        let mut step = Attend::default();
        let mut last = index;
        let graph = self.graph;
        for at in index..self.ops.end {
            let Some(node) = graph.nodes.get(at) else {
                break;
            };
            match node.op {
                OpKind::Qk => {
                    let queries = self.source(read(node, 0)?)?;
                    step.queries = Some((queries, self.memory(read(node, 1)?)?));
                    step.scores = self.places.operand(node.writes);
                }
                OpKind::Softmax => {
                    step.softmax = true;
                    if step.queries.is_none() {
                        step.scores = Some(self.memory(read(node, 0)?)?);
                    }
                    step.probabilities = self.places.operand(node.writes);
                }
                OpKind::Pv => {
                    if !step.softmax {
                        step.probabilities = Some(self.memory(read(node, 0)?)?);
                    }
                    let values = self.memory(read(node, 1)?)?;
                    let out = self.output(node.writes, None);
                    step.values = Some((values, out));
                }
                _ => break,
            }
            last = at;
        }
        let result = step.values.map(|(_, out)| out);
        self.steps.push(Step::Attend(step));
        if let (Some(out), Some(node)) = (result, graph.nodes.get(last)) {
            self.finish(node.writes, out)?;
        }
        Ok(last)
    }

    /// Whether gate, up, silu and mul follow one another here and keep what
    /// they make to themselves. Where threads share a tile they share columns,
    /// so each op is a step of its own.
    fn holds_ffn(&self, index: usize) -> bool {
        let Some(nodes) = self.graph.nodes.get(index..self.ops.end.min(index + 4)) else {
            return false;
        };
        let ops = nodes.iter().map(|n| n.op);
        self.dims.tiles() >= self.dims.threads
            && ops.eq(Ffn::OPS.into_iter().take(4))
            && nodes
                .iter()
                .take(3)
                .all(|n| self.places.operand(n.writes).is_none())
    }

    /// The FFN from `index` on; the index of the last of its ops.
    fn ffn(&mut self, index: usize) -> Result<usize, RunError> {
        let graph = self.graph;
        let node = |place: usize| {
            graph
                .nodes
                .get(index + place)
                .ok_or_else(|| defect("an FFN ends early"))
        };
        let m = node(3)?.writes;
        let inside = self.places.operand(m).is_none();
        let down = node(4)
            .ok()
            .filter(|n| n.op == OpKind::Down && index + 4 < self.ops.end && inside);
        let x = self.source(read(node(0)?, 0)?)?;
        let last = down.map_or(m, |n| n.writes);
        let out = self.output(last, None);
        let columns = Ffn::COLUMNS.min(self.dims.ffn);
        let [g, u] = [0; 2].map(|_| Operand::Tile {
            at: self.slots.take(columns),
            columns,
        });
        let down = match down {
            Some(node) => Some(self.weights.matrix(weight(node)?)?),
            None => None,
        };
        let until = index + if down.is_some() { 4 } else { 3 };
        self.steps.push(Step::Ffn(Ffn {
            x,
            gate: self.weights.matrix(weight(node(0)?)?)?,
            up: self.weights.matrix(weight(node(1)?)?)?,
            down,
            out,
            g,
            u,
        }));
        for tile in [g, u] {
            self.give_back(tile);
        }
        self.finish(last, out)?;
        Ok(until)
    }

    /// Rows of `id` in fp32: its tile, its memory, or a tile widened from it.
    fn source(&mut self, id: TensorId) -> Result<Operand, RunError> {
        if let Some((_, tile)) = self.tiles.iter().find(|(t, _)| *t == id) {
            return Ok(*tile);
        }
        let from = self.memory(id)?;
        if self.dims.dtype == Dtype::Fp32 {
            return Ok(from);
        }
        let to = self.new_tile(id);
        self.steps.push(Step::Widen { from, to });
        Ok(to)
    }

    fn memory(&self, id: TensorId) -> Result<Operand, RunError> {
        self.places.operand(id).ok_or_else(|| {
            defect(format!(
                "tensor {} has no memory where a kernel reads it",
                self.graph.tensor_at(id).full_name()
            ))
        })
    }

    /// Where an op writes `id` in fp32.
    fn output(&mut self, id: TensorId, in_place: Option<Operand>) -> Operand {
        match self.places.operand(id) {
            Some(memory) if self.dims.dtype == Dtype::Fp32 => memory,
            _ => match in_place {
                Some(tile) => {
                    self.tiles.retain(|(_, t)| *t != tile);
                    self.tiles.push((id, tile));
                    tile
                }
                None => self.new_tile(id),
            },
        }
    }

    /// After an op wrote `id`: rounds it to memory where that is bf16.
    fn finish(&mut self, id: TensorId, from: Operand) -> Result<(), RunError> {
        if let (Operand::Tile { .. }, Some(to)) = (from, self.places.operand(id)) {
            self.steps.push(Step::Narrow { from, to });
        }
        Ok(())
    }

    fn new_tile(&mut self, id: TensorId) -> Operand {
        let columns = self.dims.columns(self.graph.tensor_at(id).kind);
        let tile = Operand::Tile {
            at: self.slots.take(columns),
            columns,
        };
        self.tiles.push((id, tile));
        tile
    }

    /// The tile of `id` if op `index` is the last of this pass to read it.
    fn dying_tile(&self, index: usize, id: TensorId) -> Option<Operand> {
        let read_again = self.is_read_after(index, id);
        self.tiles
            .iter()
            .find(|(t, _)| *t == id && !read_again)
            .map(|(_, tile)| *tile)
    }

    fn is_read_after(&self, index: usize, id: TensorId) -> bool {
        self.graph
            .nodes
            .get(index + 1..self.ops.end)
            .is_some_and(|nodes| nodes.iter().any(|n| n.reads.contains(&id)))
    }

    /// Gives back the tiles that no op after `index` reads.
    fn release(&mut self, index: usize) {
        let (kept, done): (Vec<_>, Vec<_>) = std::mem::take(&mut self.tiles)
            .into_iter()
            .partition(|(id, _)| self.is_read_after(index, *id));
        self.tiles = kept;
        for (_, tile) in done {
            self.give_back(tile);
        }
    }

    fn give_back(&mut self, tile: Operand) {
        if let Operand::Tile { at, .. } = tile {
            self.slots.give_back(at);
        }
    }
}

fn read(node: &Node, place: usize) -> Result<TensorId, RunError> {
    node.reads
        .get(place)
        .copied()
        .ok_or_else(|| defect(format!("op {} lacks an operand", node.op.name())))
}

fn weight(node: &Node) -> Result<crate::model::WeightId, RunError> {
    node.weight
        .ok_or_else(|| defect(format!("op {} lacks its weight", node.op.name())))
}

/// Whether `kind` is kept by attention rather than by a slot.
pub(super) fn is_score(kind: TensorKind) -> bool {
    matches!(kind, TensorKind::Sc | TensorKind::Pr)
}

/// Used by [`Places`] to say where a tensor is.
impl Home {
    /// The operand of a home of `columns` columns.
    pub(super) fn operand(self, columns: usize) -> Operand {
        Operand::Memory {
            buffer: self.buffer,
            columns,
            rows: self.rows,
            first: self.first,
        }
    }
}

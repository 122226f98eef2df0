//! From a plan to steps on row tiles.
//!
//! A kernel becomes one pass over the row tiles, or several where attention
//! needs the keys of other rows that the same kernel makes. Within a pass a
//! tensor that nobody else reads is a tile of a worker's arena; one that a
//! later pass of the same kernel reads lives in scratch memory; one that the
//! plan writes is memory proper.

use std::ops::Range;

use super::dims::Dims;
use super::errors::defect;
use super::packed::PackedModel;
use super::place::Places;
use super::slots::Slots;
use super::step::{Attend, Compiled, Ffn, Launch, Operand, Pass, Step, passes_of};
use plan::fusion::Plan;
use plan::model::{Dtype, Graph, Node, OpKind, TensorId, WeightId};
use plan::run::RunError;

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
        let columns = self.dims.ffn_columns.min(self.dims.ffn);
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

fn weight(node: &Node) -> Result<WeightId, RunError> {
    node.weight
        .ok_or_else(|| defect(format!("op {} lacks its weight", node.op.name())))
}

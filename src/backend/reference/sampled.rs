//! Some rows of one kernel's outputs, recomputed in fp64 from the kernel's
//! actual inputs: the judge of models that are too large for a whole forward.
//!
//! What a row needs is found by walking the kernel's ops backwards: the same
//! row of most tensors, and all earlier keys and values of its sequence. Keys
//! and values that the kernel itself leaves in memory are taken from there, but
//! for the sampled rows, which are computed and judged.
//!
//! In bf16 every column stands twice: exact, and with each op's output rounded,
//! whose distance from the first is what bf16 costs by itself.

use std::collections::{BTreeMap, BTreeSet};

use half::bf16;
use nalgebra::DMatrix;

use super::{ReferenceError, attention, ops};
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::fusion::Kernel;
use plan::model::{Dtype, Graph, Node, OpKind, Shape, TensorId, TensorKind};

/// Rows of a tensor: row `b·S + s` is new token s of sequence b; a row of the
/// past is `b·(T − S) + position`. A column of `values` is a row of the tensor;
/// scores and probabilities have `H·T` values per row, head by head.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Which rows, ascending.
    pub rows: Vec<usize>,
    /// One column for each.
    pub values: DMatrix<f64>,
}

/// Rows of one kernel, and what they follow from.
#[derive(Debug)]
pub struct Sampled<'a> {
    graph: &'a Graph,
    kernel: &'a Kernel,
    shape: Shape,
    /// Rows of each tensor that are needed.
    needed: BTreeMap<TensorId, BTreeSet<usize>>,
    /// The rows that are judged.
    sample: Vec<usize>,
}

impl<'a> Sampled<'a> {
    /// What the rows of `sample` (each `b·S + s`) of a kernel need.
    pub fn new(
        graph: &'a Graph,
        kernel: &'a Kernel,
        shape: Shape,
        sample: impl IntoIterator<Item = usize>,
    ) -> Self {
        let sample: BTreeSet<usize> = sample.into_iter().collect();
        let mut this = Self {
            graph,
            kernel,
            shape,
            needed: BTreeMap::new(),
            sample: sample.iter().copied().collect(),
        };
        for id in &kernel.writes {
            this.needed.insert(*id, sample.clone());
        }
        for index in kernel.ops.clone().rev() {
            if let Some(node) = graph.nodes.get(index) {
                this.follow(node);
            }
        }
        this
    }

    /// Adds what one op reads for the rows of its result that are needed.
    fn follow(&mut self, node: &Node) {
        let rows = self.computed(node.writes);
        let (seq, past) = (self.seq(), self.past());
        for id in &node.reads {
            let kind = self.kind(*id);
            let gathers = matches!(node.op, OpKind::Qk | OpKind::Pv);
            let more: BTreeSet<usize> = match kind {
                TensorKind::PastK | TensorKind::PastV => rows
                    .iter()
                    .flat_map(|r| r / seq * past..(r / seq + 1) * past)
                    .collect(),
                TensorKind::Kr | TensorKind::V if gathers => {
                    rows.iter().flat_map(|r| r - r % seq..=*r).collect()
                }
                _ => rows.iter().copied().collect(),
            };
            self.needed.entry(*id).or_default().extend(more);
        }
    }

    fn seq(&self) -> usize {
        self.shape.seq as usize
    }

    fn past(&self) -> usize {
        (self.shape.context - self.shape.seq) as usize
    }

    fn kind(&self, id: TensorId) -> TensorKind {
        self.graph.tensor_at(id).kind
    }

    fn is_written(&self, id: TensorId) -> bool {
        self.kernel.writes.contains(&id)
    }

    /// Whether the kernel leaves it in memory, and other rows than the sampled
    /// ones can be taken from there.
    fn is_kept(&self, id: TensorId) -> bool {
        self.is_written(id) && matches!(self.kind(id), TensorKind::Kr | TensorKind::V)
    }

    /// The rows of a result that are computed here.
    fn computed(&self, id: TensorId) -> Vec<usize> {
        let needed = self.needed.get(&id);
        let kept = self.is_kept(id);
        needed
            .into_iter()
            .flatten()
            .copied()
            .filter(|row| !kept || self.sample.contains(row))
            .collect()
    }

    /// Tensors and rows that are needed from before the launch.
    pub fn inputs(&self) -> Vec<(TensorId, Vec<usize>)> {
        let reads = self.kernel.reads.iter();
        reads
            .filter(|id| self.kind(**id) != TensorKind::Ids)
            .filter_map(|id| Some((*id, self.needed.get(id)?.iter().copied().collect())))
            .collect()
    }

    /// Tensors and rows that are needed from after it: what is judged, and keys
    /// and values besides.
    pub fn outputs(&self) -> Vec<(TensorId, Vec<usize>)> {
        let writes = self.kernel.writes.iter();
        writes
            .filter_map(|id| Some((*id, self.needed.get(id)?.iter().copied().collect())))
            .collect()
    }

    /// The rows that are judged.
    pub fn sample(&self) -> &[usize] {
        &self.sample
    }

    /// Multiplications and additions of the products that it takes.
    pub fn flops(&self, weights: &Weights) -> u64 {
        let model = weights.model();
        let node = |index| self.graph.nodes.get(index);
        let products = self.kernel.ops.clone().filter_map(node);
        products
            .filter(|n| n.op.is_weight_product())
            .map(|n| {
                let (out, input) = n.weight.map_or((0, 0), |w| w.shape(model));
                2 * out * input * self.computed(n.writes).len() as u64
            })
            .sum()
    }

    /// The sampled rows of what the kernel writes, in the order of the graph;
    /// `given` holds inputs and outputs as they are in memory. The second of
    /// each pair is the plain bf16 path's; `None` in fp32.
    ///
    /// # Errors
    /// Weights that cannot be read, a tensor that was not given.
    pub fn compute(
        &self,
        weights: &Weights,
        tokens: &Tokens,
        given: &BTreeMap<TensorId, Values>,
    ) -> Result<Vec<(TensorId, Values, Option<Values>)>, ReferenceError> {
        let halves = match weights.dtype() {
            Dtype::Fp32 => 1,
            Dtype::Bf16 => 2,
        };
        let mut made: BTreeMap<TensorId, Values> = given
            .iter()
            .filter(|(id, _)| !self.is_written(**id))
            .map(|(id, values)| (*id, values.repeated(halves)))
            .collect();
        for index in self.kernel.ops.clone() {
            let Some(node) = self.graph.nodes.get(index) else {
                continue;
            };
            let rows = self.computed(node.writes);
            if rows.is_empty() {
                continue;
            }
            let mut values = self.op(node, &rows, halves, weights, tokens, &made)?;
            for mut column in values
                .columns_mut(rows.len(), values.ncols() - rows.len())
                .column_iter_mut()
            {
                column.apply(|v| *v = bf16::from_f64(*v).to_f64());
            }
            let mut all = Values { rows, values };
            if self.is_kept(node.writes)
                && let Some(memory) = given.get(&node.writes)
            {
                all = all.within(memory, halves);
            }
            made.insert(node.writes, all);
        }
        let writes = self.kernel.writes.iter();
        writes
            .map(|id| {
                let all = made.get(id).ok_or_else(|| missing(self.graph, *id))?;
                let exact = all.at(&self.sample, 0)?;
                let plain = match halves {
                    1 => None,
                    _ => Some(all.at(&self.sample, 1)?),
                };
                Ok((*id, exact, plain))
            })
            .collect()
    }

    /// One op's result in the rows that are asked for, each half in turn.
    fn op(
        &self,
        node: &Node,
        rows: &[usize],
        halves: usize,
        weights: &Weights,
        tokens: &Tokens,
        made: &BTreeMap<TensorId, Values>,
    ) -> Result<DMatrix<f64>, ReferenceError> {
        use OpKind as Op;
        let model = weights.model();
        let read = |which: usize| -> Result<&Values, ReferenceError> {
            let id = node.reads.get(which).copied();
            let id = id.ok_or_else(|| ReferenceError::new("an op without its operand"))?;
            made.get(&id).ok_or_else(|| missing(self.graph, id))
        };
        let operand = |which: usize| -> Result<DMatrix<f64>, ReferenceError> {
            read(which)?.columns_of(rows, halves)
        };
        let weight = || {
            let missing = || ReferenceError::new("a product without its weight");
            node.weight.ok_or_else(missing)
        };
        let (seq, past) = (self.seq(), self.past());
        Ok(match node.op {
            Op::Embed => {
                let (context, ids) = (tokens.context(), tokens.ids());
                let at = |row: &usize| row / seq * context + past + row % seq;
                let ids: Vec<u32> = rows
                    .iter()
                    .filter_map(|row| ids.get(at(row)).copied())
                    .collect();
                ops::embed(weights, &ids.repeat(halves))?
            }
            Op::Norm1 | Op::Norm2 | Op::FinalNorm => {
                let gamma = ops::gamma(weights, weight()?)?;
                ops::rms_norm(&operand(0)?, &gamma, model.norm_eps)
            }
            Op::Q | Op::K | Op::V | Op::O | Op::Gate | Op::Up | Op::Down | Op::LmHead => {
                ops::product(weights, weight()?, &operand(0)?)?
            }
            Op::RopeQ | Op::RopeK => {
                let position = |column: usize| {
                    let row = rows.get(column % rows.len()).copied().unwrap_or(0);
                    past + row % seq
                };
                let width = model.head_width() as usize;
                ops::rope(&operand(0)?, width, position, model.rope_theta)
            }
            Op::Res1 | Op::Res2 => operand(0)? + operand(1)?,
            Op::Silu => ops::silu(&operand(0)?),
            Op::Mul => operand(0)?.component_mul(&operand(1)?),
            Op::Qk | Op::Softmax | Op::Pv => {
                let heads = attention::Heads {
                    query: model.heads as usize,
                    key: model.kv_heads as usize,
                    width: model.head_width() as usize,
                };
                let first = operand(0)?;
                let context = self.shape.context as usize;
                let mut columns = Vec::with_capacity(halves * rows.len());
                for half in 0..halves {
                    for (i, row) in rows.iter().enumerate() {
                        let column = first.column(half * rows.len() + i).into_owned();
                        let seen = past + row % seq + 1;
                        columns.push(if node.op == Op::Softmax {
                            attention::softmax_row(&column, heads, seen, context)
                        } else {
                            // What was there before, then the new ones.
                            let mut memory = Vec::new();
                            if past > 0 {
                                let from = row / seq * past;
                                let rows: Vec<usize> = (from..from + past).collect();
                                memory.push(read(2)?.at(&rows, half)?.values);
                            }
                            let rows: Vec<usize> = (row - row % seq..=*row).collect();
                            memory.push(read(1)?.at(&rows, half)?.values);
                            let memory = beside(&memory);
                            if node.op == Op::Qk {
                                attention::scores_row(&column, &memory, heads, context)
                            } else {
                                attention::weighted_row(&column, &memory, heads, context)
                            }
                        });
                    }
                }
                DMatrix::from_columns(&columns)
            }
        })
    }
}

impl Values {
    /// The columns so many times, one after another.
    fn repeated(&self, times: usize) -> Self {
        Self {
            rows: self.rows.clone(),
            values: beside(&vec![self.values.clone(); times]),
        }
    }

    /// Some rows of one half.
    fn at(&self, rows: &[usize], half: usize) -> Result<Self, ReferenceError> {
        let mut columns = Vec::with_capacity(rows.len());
        for row in rows {
            let at = self.rows.binary_search(row).map_err(|_| {
                ReferenceError::new(format!("row {row} of an operand was not given"))
            })?;
            columns.push(self.values.column(half * self.rows.len() + at).into_owned());
        }
        Ok(Self {
            rows: rows.to_vec(),
            values: DMatrix::from_columns(&columns),
        })
    }

    /// Some rows of every half, one after another.
    fn columns_of(&self, rows: &[usize], halves: usize) -> Result<DMatrix<f64>, ReferenceError> {
        let halves: Result<Vec<_>, _> = (0..halves)
            .map(|half| self.at(rows, half).map(|v| v.values))
            .collect();
        Ok(beside(&halves?))
    }

    /// These rows in place of those of `memory`, which has more.
    fn within(&self, memory: &Self, halves: usize) -> Self {
        let mut all = memory.repeated(halves);
        for half in 0..halves {
            for (i, row) in self.rows.iter().enumerate() {
                if let Ok(at) = all.rows.binary_search(row) {
                    let column = self.values.column(half * self.rows.len() + i);
                    all.values.set_column(half * all.rows.len() + at, &column);
                }
            }
        }
        all
    }
}

/// Matrices of as many rows beside one another.
fn beside(parts: &[DMatrix<f64>]) -> DMatrix<f64> {
    let rows = parts.first().map_or(0, DMatrix::nrows);
    let columns = parts.iter().map(DMatrix::ncols).sum();
    let values = parts.iter().flat_map(|p| p.iter().copied());
    DMatrix::from_iterator(rows, columns, values)
}

fn missing(graph: &Graph, id: TensorId) -> ReferenceError {
    ReferenceError::new(format!("{} was not given", graph.tensor_at(id).full_name()))
}

#[cfg(test)]
mod tests;

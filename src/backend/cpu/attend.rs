//! Attention of one unit: a few query heads that share a key head, for the
//! rows of one tile.
//!
//! Scores are computed as keys × queries: the keys are used where they lie in
//! the cache, the tile's queries are turned once, and the softmax runs down
//! columns. In memory a tile's scores have that same layout
//! `[unit][key][head of the unit][row]`, so a plan that writes them and a plan
//! that keeps them do the same arithmetic; they are `B·H·S·T` elements either
//! way. All pairs are computed and the future is masked: no tile is skipped,
//! as the cost model counts by default.

use super::bound::Bound;
use super::dims::{Dims, Tile};
use super::micro::{Left, Out, Right, matmul};
use super::rows::{Source, Target, narrow, widen};
use super::softmax::{Running, Scores, divide_columns, scale_rows, softmax_block};
use super::step::{Attend, Operand};
use plan::model::Dtype;

/// Where the parts of a worker's attention scratch begin, in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScratchPlan {
    queries: usize,
    keys: usize,
    running: usize,
    lane: usize,
    /// Elements in all.
    pub len: usize,
}

impl ScratchPlan {
    /// The scratch that units of these sizes need. Whole columns of scores are
    /// held only where bf16 probabilities go to memory.
    pub fn new(dims: &Dims, whole_columns: bool) -> Self {
        let columns = dims.unit * dims.tile;
        let keys_held = if whole_columns && dims.dtype == Dtype::Bf16 {
            dims.context()
        } else {
            dims.key_block.min(dims.context())
        };
        let line = |n: usize| n.next_multiple_of(16);
        let lane = line(columns);
        let queries = line(keys_held * columns);
        let keys = queries + columns.next_multiple_of(dims.isa.panel_width()) * dims.width;
        let widened = if dims.dtype == Dtype::Bf16 {
            dims.key_block * dims.width
        } else {
            0
        };
        let running = line(keys + widened);
        Self {
            queries,
            keys: line(keys),
            running,
            lane,
            len: running + 16 + 4 * lane,
        }
    }
}

/// One unit at work.
struct Unit<'a> {
    bound: &'a Bound<'a>,
    tile: Tile,
    /// Queries: heads × rows.
    columns: usize,
    /// First query head.
    head: usize,
    /// The key head's first column in a row of keys or values.
    key_column: usize,
    scratch: *mut f32,
    plan: ScratchPlan,
}

/// Runs `step` for unit `unit` of `tile`.
///
/// # Safety
/// `arena` and `scratch` are this worker's and cover what was planned; no
/// other worker touches the rows of this tile and unit.
pub(super) unsafe fn attend(
    bound: &Bound<'_>,
    step: &Attend,
    tile: Tile,
    unit: usize,
    arena: *mut f32,
    scratch: *mut f32,
    plan: ScratchPlan,
) {
    let dims = bound.dims;
    let head = unit * dims.unit;
    let group = dims.heads / dims.kv_heads.max(1);
    let this = Unit {
        bound,
        tile,
        columns: dims.unit * tile.rows,
        head,
        key_column: head / group.max(1) * dims.width,
        scratch,
        plan,
    };
    // SAFETY: the caller's word.
    unsafe { this.run(step, arena) }
}

impl Unit<'_> {
    unsafe fn run(&self, step: &Attend, arena: *mut f32) {
        let context = self.bound.dims.context();
        // SAFETY: every pointer below stays in this unit's part of a tensor or
        // in the worker's scratch, both as long as planned.
        unsafe {
            let running = self.start();
            if let Some((queries, _)) = step.queries {
                self.turn_queries(self.bound.source(queries, self.tile, arena));
            }
            let block = if step.softmax && step.values.is_none() {
                context
            } else {
                self.bound.dims.key_block
            };
            for first in (0..context).step_by(block.max(1)) {
                let keys = block.min(context - first);
                let scores = self.scores(step, first, keys);
                if step.softmax {
                    self.softmax(step, scores, first, keys, running);
                }
                if let Some((values, out)) = step.values {
                    let probabilities = self.probabilities(step, first, keys);
                    let out = self.bound.target(out, self.tile, arena);
                    self.weigh(step, probabilities, values, first, keys, out, running);
                }
            }
        }
    }

    /// Clears the running state and notes each column's row.
    unsafe fn start(&self) -> Running {
        // SAFETY: the scratch holds four lanes after `running`.
        unsafe {
            let at = self.scratch.add(self.plan.running);
            let lane = self.plan.lane;
            let place = at.add(3 * lane);
            for column in 0..self.columns {
                *at.add(column) = f32::NEG_INFINITY;
                *at.add(lane + column) = 0.0;
                *place.add(column) = (column % self.tile.rows) as f32;
            }
            Running {
                max: at,
                sum: at.add(lane),
                shrink: at.add(2 * lane),
            }
        }
    }

    /// Turns the unit's queries into panels: head width × columns.
    unsafe fn turn_queries(&self, q: Source) {
        let (width, panel) = (self.bound.dims.width, self.bound.dims.isa.panel_width());
        // SAFETY: columns are padded to whole panels in the scratch.
        unsafe {
            let to = self.scratch.add(self.plan.queries);
            for h in 0..self.bound.dims.unit {
                for i in 0..self.tile.rows {
                    let from = q.at.add(i * q.row + (self.head + h) * width);
                    let column = h * self.tile.rows + i;
                    let out = to.add(column / panel * panel * width + column % panel);
                    for k in 0..width {
                        *out.add(k * panel) = *from.add(k);
                    }
                }
            }
        }
    }

    /// This unit's part of scores or probabilities in memory, in elements.
    fn in_memory(&self) -> usize {
        let d = self.bound.dims;
        let row = d.heads * d.context();
        (self.tile.sequence * d.seq + self.tile.first) * row
            + self.head * self.tile.rows * d.context()
    }

    /// The scores of a block of keys: computed, or read; in fp32.
    unsafe fn scores(&self, step: &Attend, first: usize, keys: usize) -> *mut f32 {
        let isa = self.bound.dims.isa;
        let at = self.in_memory() + first * self.columns;
        // SAFETY: as in `run`.
        unsafe {
            match (step.queries, step.scores) {
                (Some((_, k)), written) => {
                    // Computed where they are wanted next.
                    let to = match (self.bound.dims.dtype, written, step.probabilities) {
                        (Dtype::Fp32, Some(sc), _) => self.bound.buffer_f32(sc).add(at),
                        (Dtype::Fp32, None, Some(pr)) => self.bound.buffer_f32(pr).add(at),
                        _ => self.scratch,
                    };
                    self.multiply_keys(k, first, keys, to);
                    if let (Dtype::Bf16, Some(sc)) = (self.bound.dims.dtype, written) {
                        let n = keys * self.columns;
                        let from = Source { at: to, row: n };
                        narrow(isa, 1, n, from, self.bound.buffer_bf16(sc).add(at), n);
                    }
                    to
                }
                (None, Some(sc)) => match self.bound.dims.dtype {
                    Dtype::Fp32 => self.bound.buffer_f32(sc).add(at),
                    Dtype::Bf16 => self.widen_scores(sc, at, keys),
                },
                (None, None) => self.scratch,
            }
        }
    }

    unsafe fn widen_scores(&self, from: Operand, at: usize, keys: usize) -> *mut f32 {
        let n = keys * self.columns;
        let to = Target {
            at: self.scratch,
            row: n,
        };
        // SAFETY: as in `run`.
        unsafe {
            let from = self.bound.buffer_bf16(from).add(at);
            widen(self.bound.dims.isa, 1, n, from, n, to);
        }
        self.scratch
    }

    /// `to[key][column] = Σ k[key] · q[column]`.
    unsafe fn multiply_keys(&self, k: Operand, first: usize, keys: usize, to: *mut f32) {
        let d = self.bound.dims;
        let (from, row) = self.bound.sequence(k, self.tile.sequence);
        let at = first * row + self.key_column + from;
        let panel = d.isa.panel_width();
        // SAFETY: as in `run`; the widened keys have room for a block, and are
        // multiplied block by block.
        unsafe {
            let queries = Right {
                at: self.scratch.add(self.plan.queries).cast_const(),
                row: panel,
                panel: panel * d.width,
            };
            for done in (0..keys).step_by(d.key_block) {
                let n = d.key_block.min(keys - done);
                let left = match d.dtype {
                    Dtype::Fp32 => Left {
                        at: self.bound.buffer_f32(k).add(at + done * row),
                        row,
                        column: 1,
                    },
                    Dtype::Bf16 => {
                        let wide = self.scratch.add(self.plan.keys);
                        let from = self.bound.buffer_bf16(k).add(at + done * row);
                        let to = Target {
                            at: wide,
                            row: d.width,
                        };
                        widen(d.isa, n, d.width, from, row, to);
                        Left {
                            at: wide,
                            row: d.width,
                            column: 1,
                        }
                    }
                };
                let out = Out {
                    at: to.add(done * self.columns),
                    row: self.columns,
                    add: false,
                };
                matmul(d.isa, [n, self.columns, d.width], left, queries, out);
            }
        }
    }

    /// Exponentials of a block; whole columns are divided and left in memory.
    unsafe fn softmax(
        &self,
        step: &Attend,
        from: *mut f32,
        first: usize,
        keys: usize,
        running: Running,
    ) {
        let d = self.bound.dims;
        let memory = step.probabilities.filter(|_| step.values.is_none());
        // SAFETY: as in `run`.
        unsafe {
            let to = match (d.dtype, memory) {
                (Dtype::Fp32, Some(pr)) => self.bound.buffer_f32(pr).add(self.in_memory()),
                _ => self.scratch,
            };
            let scores = Scores {
                from,
                to,
                keys,
                columns: self.columns,
                first_key: first as isize - (d.past + self.tile.first) as isize,
                place: running.max.add(3 * self.plan.lane),
                scale: 1.0 / (d.width as f32).sqrt(),
            };
            softmax_block(d.isa, scores, running);
            if let Some(pr) = memory {
                divide_columns(d.isa, keys, self.columns, to, running.sum);
                if d.dtype == Dtype::Bf16 {
                    let n = keys * self.columns;
                    let out = self.bound.buffer_bf16(pr).add(self.in_memory());
                    narrow(d.isa, 1, n, Source { at: to, row: n }, out, n);
                }
            }
        }
    }

    /// The probabilities of a block, in fp32: just made, or read.
    unsafe fn probabilities(&self, step: &Attend, first: usize, keys: usize) -> *const f32 {
        let at = self.in_memory() + first * self.columns;
        // SAFETY: as in `run`.
        unsafe {
            match step.probabilities.filter(|_| !step.softmax) {
                None => self.scratch,
                Some(pr) => match self.bound.dims.dtype {
                    Dtype::Fp32 => self.bound.buffer_f32(pr).add(at),
                    Dtype::Bf16 => self.widen_scores(pr, at, keys),
                },
            }
        }
    }

    /// Adds a block's share to the result; divides after the last one.
    #[allow(clippy::too_many_arguments)]
    unsafe fn weigh(
        &self,
        step: &Attend,
        probabilities: *const f32,
        values: Operand,
        first: usize,
        keys: usize,
        out: Target,
        running: Running,
    ) {
        let d = self.bound.dims;
        let (from, row) = self.bound.sequence(values, self.tile.sequence);
        let at = from + first * row + self.key_column;
        let (rows, panel) = (self.tile.rows, d.isa.panel_width());
        let last = first + keys == d.context();
        // SAFETY: as in `run`.
        unsafe {
            for h in 0..d.unit {
                let left = Left {
                    at: probabilities.add(h * rows),
                    row: 1,
                    column: self.columns,
                };
                let out = Out {
                    at: out.at.add((self.head + h) * d.width),
                    row: out.row,
                    add: first > 0,
                };
                if first > 0 && step.softmax {
                    let shrink = running.shrink.add(h * rows);
                    scale_rows(d.isa, rows, d.width, out.at, out.row, shrink, false);
                }
                let extents = [rows, d.width, keys];
                match d.dtype {
                    Dtype::Fp32 => {
                        let at = self.bound.buffer_f32(values).add(at).cast_const();
                        matmul(d.isa, extents, left, Right { at, row, panel }, out);
                    }
                    Dtype::Bf16 => {
                        let at = self.bound.buffer_bf16(values).add(at).cast_const();
                        matmul(d.isa, extents, left, Right { at, row, panel }, out);
                    }
                }
                if last && step.softmax {
                    let sum = running.sum.add(h * rows);
                    scale_rows(d.isa, rows, d.width, out.at, out.row, sum, true);
                }
            }
        }
    }
}

//! Running one step on one tile.

use std::sync::Arc;

use super::attend::{ScratchPlan, attend};
use super::dims::{Dims, Tile};
use super::memory::Buffer;
use super::micro::{Left, Out};
use super::packed::PackedModel;
use super::rows::{Source, Target, add, mul, narrow, rms_norm, rope, silu_of, widen};
use super::step::{Ffn, Operand, Step};

/// What a running plan reads: everything that is the same for all tiles.
pub(super) struct Bound<'a> {
    pub dims: &'a Dims,
    pub buffers: &'a [Arc<Buffer>],
    pub weights: &'a PackedModel,
    /// New tokens, batch × seq.
    pub tokens: &'a [u32],
    pub angles: &'a Angles,
}

/// Rotary angles of the new positions: seq × half a head each.
#[derive(Debug)]
pub(super) struct Angles {
    pub cos: Vec<f32>,
    pub sin: Vec<f32>,
}

impl Angles {
    /// Angles of positions `past..past + seq`: position · theta^(−2j/d),
    /// computed in fp64.
    pub fn new(dims: &Dims, theta: f64) -> Self {
        let half = dims.width / 2;
        let mut cos = Vec::with_capacity(dims.seq * half);
        let mut sin = Vec::with_capacity(dims.seq * half);
        for position in dims.past..dims.past + dims.seq {
            for j in 0..half {
                let angle = position as f64 * theta.powf(-2.0 * j as f64 / dims.width as f64);
                cos.push(angle.cos() as f32);
                sin.push(angle.sin() as f32);
            }
        }
        Self { cos, sin }
    }
}

impl Bound<'_> {
    fn buffer(&self, operand: Operand) -> Option<&Buffer> {
        match operand {
            Operand::Memory { buffer, .. } => self.buffers.get(buffer).map(Arc::as_ref),
            Operand::Tile { .. } => None,
        }
    }

    /// The first element of an fp32 tensor in memory.
    pub fn buffer_f32(&self, operand: Operand) -> *mut f32 {
        self.buffer(operand)
            .map_or(std::ptr::null_mut(), Buffer::f32)
    }

    /// The first element of a bf16 tensor in memory, as bits.
    pub fn buffer_bf16(&self, operand: Operand) -> *mut u16 {
        self.buffer(operand)
            .map_or(std::ptr::null_mut(), Buffer::bf16)
    }

    /// Offset of a sequence's first position in a tensor of keys or values,
    /// and the elements of its rows.
    pub fn sequence(&self, operand: Operand, sequence: usize) -> (usize, usize) {
        match operand {
            Operand::Memory { columns, rows, .. } => (sequence * rows * columns, columns),
            Operand::Tile { at, columns } => (at, columns),
        }
    }

    /// Offset of the tile's first row in memory, and the elements of its rows.
    fn rows(&self, operand: Operand, tile: Tile) -> (usize, usize) {
        match operand {
            Operand::Memory {
                columns,
                rows,
                first,
                ..
            } => (
                (tile.sequence * rows + first + tile.first) * columns,
                columns,
            ),
            Operand::Tile { at, columns } => (at, columns),
        }
    }

    /// The tile's rows of an fp32 operand, to write.
    pub fn target(&self, operand: Operand, tile: Tile, arena: *mut f32) -> Target {
        let (offset, row) = self.rows(operand, tile);
        let base = match operand {
            Operand::Memory { .. } => self.buffer_f32(operand),
            Operand::Tile { .. } => arena,
        };
        Target {
            at: base.wrapping_add(offset),
            row,
        }
    }

    /// The tile's rows of an fp32 operand, to read.
    pub fn source(&self, operand: Operand, tile: Tile, arena: *mut f32) -> Source {
        let Target { at, row } = self.target(operand, tile, arena);
        Source { at, row }
    }

    /// Into how many parts a step can be split within a tile.
    pub fn parts(&self, step: &Step) -> usize {
        match step {
            Step::Product { weight, .. } => weight.count(),
            Step::Attend(_) => self.dims.units(),
            _ => 1,
        }
    }

    /// Runs parts `parts` of `step` on one tile.
    ///
    /// # Safety
    /// `arena` holds the pass's tiles of this tile, `scratch` is the worker's;
    /// nobody else writes what this step's parts write.
    pub unsafe fn step(
        &self,
        step: &Step,
        tile: Tile,
        parts: std::ops::Range<usize>,
        arena: *mut f32,
        scratch: (*mut f32, ScratchPlan),
    ) {
        let (isa, n) = (self.dims.isa, tile.rows);
        let source = |o: &Operand| self.source(*o, tile, arena);
        let target = |o: &Operand| self.target(*o, tile, arena);
        // SAFETY: operands were sized by the same dims that made the tile;
        // weights have as many inputs as their operand has columns.
        unsafe {
            match step {
                Step::Embed { out } => self.embed(tile, target(out)),
                Step::Norm { x, out, gamma } => {
                    let columns = gamma.len();
                    rms_norm(
                        isa,
                        n,
                        columns,
                        source(x),
                        gamma.as_ptr(),
                        self.dims.eps,
                        target(out),
                    );
                }
                Step::Product { a, out, weight } => {
                    let (a, out) = (source(a), target(out));
                    let left = Left {
                        at: a.at,
                        row: a.row,
                        column: 1,
                    };
                    let out = Out {
                        at: out.at,
                        row: out.row,
                        add: false,
                    };
                    weight.product(n, left, out, parts);
                }
                Step::Rope { x, out, heads } => {
                    let half = self.dims.width / 2;
                    let first = tile.first * half;
                    rope(
                        isa,
                        n,
                        *heads,
                        half,
                        source(x),
                        self.angles.cos.as_ptr().add(first),
                        self.angles.sin.as_ptr().add(first),
                        target(out),
                    );
                }
                Step::Ffn(ffn) => self.ffn(ffn, tile, arena),
                Step::Attend(what) => {
                    for unit in parts {
                        attend(self, what, tile, unit, arena, scratch.0, scratch.1);
                    }
                }
                Step::Add { a, b, out } => {
                    let out = target(out);
                    add(isa, n, out.row, source(a), source(b), out);
                }
                Step::Mul { a, b, out } => {
                    let out = target(out);
                    mul(isa, n, out.row, source(a), source(b), out);
                }
                Step::Silu { x, out } => {
                    let out = target(out);
                    silu_of(isa, n, out.row, source(x), out);
                }
                Step::Widen { from, to } => {
                    let (offset, row) = self.rows(*from, tile);
                    let at = self.buffer_bf16(*from).add(offset);
                    widen(isa, n, row, at, row, target(to));
                }
                Step::Narrow { from, to } => {
                    let (offset, row) = self.rows(*to, tile);
                    let at = self.buffer_bf16(*to).add(offset);
                    narrow(isa, n, row, source(from), at, row);
                }
            }
        }
    }

    /// The FFN of one tile, some columns at a time.
    ///
    /// # Safety
    /// As [`Bound::step`].
    unsafe fn ffn(&self, ffn: &Ffn, tile: Tile, arena: *mut f32) {
        let (isa, n) = (self.dims.isa, tile.rows);
        let [x, g, u] = [ffn.x, ffn.g, ffn.u].map(|o| self.source(o, tile, arena));
        let left = |from: Source| Left {
            at: from.at,
            row: from.row,
            column: 1,
        };
        let [to_g, to_u] = [ffn.g, ffn.u].map(|o| self.target(o, tile, arena));
        let new = |to: Target| Out {
            at: to.at,
            row: to.row,
            add: false,
        };
        let out = self.target(ffn.out, tile, arena);
        let step = (self.dims.ffn_columns / isa.panel_width()).max(1);
        for first in (0..ffn.gate.count()).step_by(step) {
            let panels = first..first + step;
            let columns = ffn.gate.columns(panels.clone());
            let width = columns.len();
            // SAFETY: g and u have room for these columns; out is as wide as
            // down's outputs, or as the FFN.
            unsafe {
                let inputs = 0..self.dims.hidden;
                ffn.gate
                    .part(n, left(x), new(to_g), panels.clone(), inputs.clone());
                ffn.up.part(n, left(x), new(to_u), panels, inputs);
                silu_of(isa, n, width, g, to_g);
                match &ffn.down {
                    Some(down) => {
                        mul(isa, n, width, g, u, to_g);
                        let sum = Out {
                            add: first > 0,
                            ..new(out)
                        };
                        down.part(n, left(g), sum, 0..down.count(), columns);
                    }
                    None => {
                        let to = Target {
                            at: out.at.add(columns.start),
                            ..out
                        };
                        mul(isa, n, width, g, u, to);
                    }
                }
            }
        }
    }

    /// # Safety
    /// `out` covers the tile's rows of `hidden` elements.
    unsafe fn embed(&self, tile: Tile, out: Target) {
        for i in 0..tile.rows {
            let token = self
                .tokens
                .get(tile.sequence * self.dims.seq + tile.first + i)
                .copied()
                .unwrap_or(0);
            // SAFETY: the caller vouches for the row.
            let row = unsafe {
                std::slice::from_raw_parts_mut(out.at.add(i * out.row), self.dims.hidden)
            };
            self.weights.embed(token, row);
        }
    }
}

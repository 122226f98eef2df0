//! Weights packed once for the micro-kernel.

use std::ops::Range;

use super::micro::{Left, Out, Right, matmul};
use super::simd::{Isa, bf16_bits};
use plan::model::Dtype;

/// Elements as they are stored.
#[derive(Debug)]
pub(super) enum Store {
    /// 4 bytes each.
    Fp32(Vec<f32>),
    /// 2 bytes each, as bits.
    Bf16(Vec<u16>),
}

impl Store {
    /// `len` zeros.
    ///
    /// # Errors
    /// The memory is not to be had.
    pub fn zeros(dtype: Dtype, len: usize) -> Result<Self, std::collections::TryReserveError> {
        match dtype {
            Dtype::Fp32 => {
                let mut v = Vec::new();
                v.try_reserve_exact(len)?;
                v.resize(len, 0.0);
                Ok(Self::Fp32(v))
            }
            Dtype::Bf16 => {
                let mut v = Vec::new();
                v.try_reserve_exact(len)?;
                v.resize(len, 0);
                Ok(Self::Bf16(v))
            }
        }
    }

    /// Every `step`-th element from `first` on, widened, as far as there are.
    pub fn strided(&self, first: usize, step: usize, out: &mut [f32]) {
        match self {
            Self::Fp32(v) => {
                let from = v.get(first..).unwrap_or_default().iter().step_by(step);
                for (x, e) in out.iter_mut().zip(from) {
                    *x = *e;
                }
            }
            Self::Bf16(v) => {
                let from = v.get(first..).unwrap_or_default().iter().step_by(step);
                for (x, e) in out.iter_mut().zip(from) {
                    *x = f32::from_bits(u32::from(*e) << 16);
                }
            }
        }
    }

    /// Writes element `at`, rounded to nearest even; nothing beyond the end.
    pub fn set(&mut self, at: usize, x: f32) {
        match self {
            Self::Fp32(v) => {
                if let Some(e) = v.get_mut(at) {
                    *e = x;
                }
            }
            Self::Bf16(v) => {
                if let Some(e) = v.get_mut(at) {
                    *e = bf16_bits(x);
                }
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Fp32(v) => v.len() as u64 * 4,
            Self::Bf16(v) => v.len() as u64 * 2,
        }
    }
}

/// A weight of shape `(out, in)`, as the right operand `in × out` of a
/// product: panels of [`Isa::panel_width`] outputs, each `in` rows deep, the
/// last one padded with zeros.
#[derive(Debug)]
pub(super) struct Panels {
    isa: Isa,
    inputs: usize,
    outputs: usize,
    store: Store,
}

impl Panels {
    /// Elements that a weight of this shape takes when packed.
    pub fn packed_len(isa: Isa, outputs: usize, inputs: usize) -> Option<usize> {
        outputs
            .div_ceil(isa.panel_width())
            .checked_mul(isa.panel_width())?
            .checked_mul(inputs)
    }

    /// Packs `weight`, row-major `(out, in)`.
    ///
    /// # Errors
    /// The memory is not to be had, or `weight` is too short (`None`).
    pub fn pack(
        isa: Isa,
        dtype: Dtype,
        weight: &[f32],
        outputs: usize,
        inputs: usize,
    ) -> Option<Self> {
        if weight.len() < outputs.checked_mul(inputs)? {
            return None;
        }
        let width = isa.panel_width();
        let len = Self::packed_len(isa, outputs, inputs)?;
        let mut store = Store::zeros(dtype, len).ok()?;
        if inputs > 0 {
            match &mut store {
                Store::Fp32(v) => pack_into(v, weight, inputs, width, |x| x),
                Store::Bf16(v) => pack_into(v, weight, inputs, width, bf16_bits),
            }
        }
        Some(Self {
            isa,
            inputs,
            outputs,
            store,
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// Panels side by side.
    pub fn count(&self) -> usize {
        self.outputs.div_ceil(self.isa.panel_width())
    }

    /// The row of output `j`: what the embedding of token `j` is when the head
    /// is tied to it.
    pub fn output_row(&self, j: usize, out: &mut [f32]) {
        let width = self.isa.panel_width();
        let first = (j / width) * width * self.inputs + j % width;
        self.store.strided(first, width, out);
    }

    /// `out[m × outputs] = a[m × inputs] · weight`, the outputs of `panels`
    /// only.
    ///
    /// # Safety
    /// `a` covers `m × inputs` elements and `out` `m × outputs` by its row
    /// stride; they do not overlap.
    pub unsafe fn product(&self, m: usize, a: Left, out: Out, panels: Range<usize>) {
        let first = self.columns(panels.clone()).start;
        // SAFETY: the same contract.
        unsafe {
            let out = Out {
                at: out.at.add(first),
                ..out
            };
            self.part(m, a, out, panels, 0..self.inputs);
        }
    }

    /// The share of inputs `inputs` in panels `panels` of the product. `a` has
    /// a column for each of these inputs; `out` begins at the first of these
    /// panels' outputs.
    ///
    /// # Safety
    /// As [`Panels::product`], for the extents of the part.
    pub unsafe fn part(
        &self,
        m: usize,
        a: Left,
        out: Out,
        panels: Range<usize>,
        inputs: Range<usize>,
    ) {
        let width = self.isa.panel_width();
        let to = panels.end.min(self.count());
        let from = panels.start.min(to);
        let columns = (to * width).min(self.outputs).saturating_sub(from * width);
        let k = inputs.end.min(self.inputs).saturating_sub(inputs.start);
        if columns == 0 {
            return;
        }
        let (row, panel) = (width, width * self.inputs);
        let first = from * panel + inputs.start.min(self.inputs) * row;
        let extents = [m, columns, k];
        // SAFETY: `first` is inside the store; the rest is the caller's word.
        unsafe {
            match &self.store {
                Store::Fp32(v) => {
                    let at = v.as_ptr().add(first);
                    matmul(self.isa, extents, a, Right { at, row, panel }, out);
                }
                Store::Bf16(v) => {
                    let at = v.as_ptr().add(first);
                    matmul(self.isa, extents, a, Right { at, row, panel }, out);
                }
            }
        }
    }

    /// The outputs of `panels`, as columns.
    pub fn columns(&self, panels: Range<usize>) -> Range<usize> {
        let width = self.isa.panel_width();
        let end = (panels.end * width).min(self.outputs);
        (panels.start * width).min(end)..end
    }
}

/// Transposes panels of `width` outputs, a few inputs at a time: what is
/// written to meanwhile stays in the cache.
fn pack_into<E>(
    to: &mut [E],
    weight: &[f32],
    inputs: usize,
    width: usize,
    store: impl Fn(f32) -> E,
) {
    const INPUTS: usize = 64;
    for (panel, rows) in to
        .chunks_exact_mut(width * inputs)
        .zip(weight.chunks(width * inputs))
    {
        for (block, panel) in panel.chunks_mut(width * INPUTS).enumerate() {
            for (j, row) in rows.chunks_exact(inputs).enumerate() {
                let row = row.get(block * INPUTS..).unwrap_or_default();
                for (out, x) in panel.iter_mut().skip(j).step_by(width).zip(row) {
                    *out = store(*x);
                }
            }
        }
    }
}

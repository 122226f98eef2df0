//! Tensors from device memory to fp32.

use half::bf16;

use crate::gpu::driver::{Driver, GpuError, Memory};
use crate::gpu::program::Written;
use plan::model::Dtype;

/// A tensor's values in the graph's order, `rows × width`.
///
/// # Errors
/// A copy that fails: here the errors of earlier launches show up.
pub(super) fn tensor(
    driver: &mut impl Driver,
    places: &[Memory],
    written: &Written,
    dtype: Dtype,
) -> Result<Vec<f32>, GpuError> {
    let seq = written.seq.max(1);
    let mut values = Vec::with_capacity((written.rows * written.width) as usize);
    for first in (0..written.rows).step_by(seq as usize) {
        let rows = seq.min(written.rows - first);
        values.extend(self::rows(
            driver,
            places,
            written,
            first..first + rows,
            dtype,
        )?);
    }
    Ok(values)
}

/// Neighbouring rows of one sequence of a tensor.
///
/// # Errors
/// As [`tensor`].
pub(super) fn rows(
    driver: &mut impl Driver,
    places: &[Memory],
    written: &Written,
    rows: std::ops::Range<u64>,
    dtype: Dtype,
) -> Result<Vec<f32>, GpuError> {
    let memory = places
        .get(written.buffer.0 as usize)
        .ok_or_else(|| GpuError::failed(format!("there is no buffer {}", written.buffer.0)))?;
    let seq = written.seq.max(1);
    let place = rows.start / seq * written.cap + written.past + rows.start % seq;
    let row_bytes = written.width * dtype.bytes();
    let mut bytes = vec![0; ((rows.end - rows.start) * row_bytes) as usize];
    driver.download(*memory, place * row_bytes, &mut bytes)?;
    Ok(to_f32(&bytes, dtype))
}

/// Little-endian elements as fp32.
fn to_f32(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    match dtype {
        Dtype::Fp32 => bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect(),
        Dtype::Bf16 => bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| bf16::from_le_bytes(*b).to_f32())
            .collect(),
    }
}

//! Weights from a seed.
//!
//! Element `i` of a tensor is a function of the seed, the tensor's name and `i`.
//! Draws are scaled by one exact multiplication: no function of a mathematics
//! library takes part, so that the values are the same on every platform, to the
//! last bit.

use std::thread;

use half::bf16;

use super::{WeightsError, elements};
use plan::model::random::Stream;
use plan::model::{Dtype, Model, WeightId, WeightKind};

/// Values from which a weight is made by several threads.
const SHARED: usize = 1 << 22;

/// Centre and half-width of a weight's uniform draws.
///
/// A uniform draw of half-width √3·σ has standard deviation σ. σ = 1/√in for a
/// product keeps `y = W·x` as large as `x`; embeddings have σ = 1, as a
/// normalised row has; a norm's weights lie in 0.5..1.5, so that forgetting
/// them shows.
fn spread(kind: WeightKind, fan_in: u64) -> (f32, f32) {
    match kind {
        WeightKind::Norm1 | WeightKind::Norm2 | WeightKind::FinalNorm => (1.0, 0.5),
        WeightKind::Embedding => (0.0, 3f32.sqrt()),
        _ => (0.0, (3.0 / fan_in as f32).sqrt()),
    }
}

/// The values of one weight, rounded to `dtype`: each a function of its place alone.
pub(super) struct Drawn {
    stream: Stream,
    centre: f32,
    half: f32,
    dtype: Dtype,
}

impl Drawn {
    pub(super) fn new(model: &Model, seed: u64, id: WeightId, dtype: Dtype) -> Self {
        let (centre, half) = spread(id.kind, id.shape(model).1);
        Self {
            stream: Stream::new(seed, &id.hugging_face_name()),
            centre,
            half,
            dtype,
        }
    }

    /// Values from place `from` on, as many as there is room for.
    pub(super) fn fill(&self, from: u64, values: &mut [f32]) {
        for (i, value) in (from..).zip(values.iter_mut()) {
            *value = self.centre + self.half * self.stream.centred(i);
        }
        if self.dtype == Dtype::Bf16 {
            for value in values {
                *value = bf16::from_f32(*value).to_f32();
            }
        }
    }
}

/// All values of one weight.
pub(super) fn tensor(
    model: &Model,
    seed: u64,
    id: WeightId,
    dtype: Dtype,
) -> Result<Vec<f32>, WeightsError> {
    let mut values = vec![0.0; elements(model, id)?];
    let drawn = Drawn::new(model, seed, id, dtype);
    if values.len() < SHARED {
        drawn.fill(0, &mut values);
        return Ok(values);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = values.len().div_ceil(threads).max(1);
    let drawn = &drawn;
    thread::scope(|scope| {
        for (part, values) in (0u64..).zip(values.chunks_mut(each)) {
            scope.spawn(move || drawn.fill(part * each as u64, values));
        }
    });
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_stated_centre_and_deviation() {
        // 65,536 draws: the mean is within 5σ/√n = 0.02σ, the variance within
        // 5·√(4/5)/√n = 1.8 % of σ² (kurtosis of a uniform draw is 9/5).
        let model = Model::new("m", 256, 1, 8, 4, 512, 256).unwrap();
        for (kind, layer, centre, sigma) in [
            (WeightKind::Q, Some(0), 0.0, 1.0 / 16.0),
            (WeightKind::Down, Some(0), 0.0, 1.0 / 512f64.sqrt()),
            (WeightKind::Embedding, None, 0.0, 1.0),
        ] {
            let values = tensor(&model, 3, WeightId { kind, layer }, Dtype::Fp32).unwrap();
            let n = values.len() as f64;
            let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
            let var = values
                .iter()
                .map(|v| (f64::from(*v) - mean).powi(2))
                .sum::<f64>()
                / n;
            assert!(
                (mean - centre).abs() < 0.02 * sigma,
                "{kind:?}: mean {mean}"
            );
            assert!(
                (var / (sigma * sigma) - 1.0).abs() < 0.018,
                "{kind:?}: variance {var}"
            );
        }
        let norm = WeightId::of_layer(WeightKind::Norm1, 0);
        let gamma = tensor(&model, 3, norm, Dtype::Fp32).unwrap();
        assert!(gamma.iter().all(|g| (0.5..1.5).contains(g)));
        assert!(gamma.iter().any(|g| *g < 0.7) && gamma.iter().any(|g| *g > 1.3));
    }

    #[test]
    fn what_several_threads_made_is_what_one_makes() {
        // 2048 × 2049 values are more than are made by one thread.
        let model = Model::new("m", 2048, 1, 8, 4, 2049, 16).unwrap();
        let up = WeightId::of_layer(WeightKind::Up, 0);
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            let values = tensor(&model, 5, up, dtype).unwrap();
            assert!(values.len() > SHARED);
            let mut alone = vec![0.0; values.len()];
            Drawn::new(&model, 5, up, dtype).fill(0, &mut alone);
            assert_eq!(values, alone);
        }
    }

    #[test]
    fn small_draws_stay_in_range() {
        let s = Stream::new(9, "tokens");
        assert!((0..1000).all(|i| s.below(i, 7) < 7));
        assert!((0..7).all(|k| (0..1000).any(|i| s.below(i, 7) == k)));
        assert_eq!(s.below(1, 0), 0);
        assert!((0..1000).all(|i| (-1.0..1.0).contains(&s.centred(i))));
    }
}

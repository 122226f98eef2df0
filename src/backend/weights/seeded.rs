//! Weights from a seed.
//!
//! Element `i` of a tensor is a function of the seed, the tensor's name and `i`.
//! Draws are scaled by one exact multiplication: no function of a mathematics
//! library takes part, so that the values are the same on every platform, to the
//! last bit.

use super::{WeightsError, elements};
use plan::model::random::Stream;
use plan::model::{Model, WeightId, WeightKind};

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

/// All values of one weight.
pub(crate) fn tensor(model: &Model, seed: u64, id: WeightId) -> Result<Vec<f32>, WeightsError> {
    let n = elements(model, id)?;
    let stream = Stream::new(seed, &id.hugging_face_name());
    let (centre, half) = spread(id.kind, id.shape(model).1);
    Ok((0..n as u64)
        .map(|i| centre + half * stream.centred(i))
        .collect())
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
            let values = tensor(&model, 3, WeightId { kind, layer }).unwrap();
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
        let gamma = tensor(&model, 3, WeightId::of_layer(WeightKind::Norm1, 0)).unwrap();
        assert!(gamma.iter().all(|g| (0.5..1.5).contains(g)));
        assert!(gamma.iter().any(|g| *g < 0.7) && gamma.iter().any(|g| *g > 1.3));
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

//! Weights from a seed.
//!
//! The generator counts: element `i` of a tensor is a function of the seed,
//! the tensor's name and `i`, so that any part can be made alone, in any order
//! and on any thread. Draws are uniform with 24 bits, scaled by one exact
//! multiplication: no function of a mathematics library takes part, so that
//! the values are the same on every platform, to the last bit.
//!
//! Source of the mixing function: G. Steele, D. Lea, C. Flood, "Fast
//! splittable pseudorandom number generators", 2014 (SplitMix64).

use super::{WeightsError, elements};
use crate::model::{Model, WeightId, WeightKind};

/// The step of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of random words, named; any position can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of this name under this seed.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        let key = name.bytes().fold(mix(seed.wrapping_add(GOLDEN)), |key, b| {
            mix(key ^ u64::from(b)).wrapping_add(GOLDEN)
        });
        Self { key }
    }

    /// Word `i`: 64 random bits.
    pub(crate) fn word(self, i: u64) -> u64 {
        mix(self.key.wrapping_add(i.wrapping_mul(GOLDEN)))
    }

    /// Draw `i` in `0..n` (0 where `n` is 0). The bias is below n / 2⁶⁴.
    pub(crate) fn below(self, i: u64, n: u64) -> u64 {
        ((u128::from(self.word(i)) * u128::from(n)) >> 64) as u64
    }

    /// Draw `i`, uniform in [−1, 1), a multiple of 2⁻²³.
    pub(crate) fn centred(self, i: u64) -> f32 {
        // 24 bits, signed: exact in an f32, and so is the scaling.
        let bits = (self.word(i) >> 40) as i32 - (1 << 23);
        bits as f32 / (1 << 23) as f32
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

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
    fn the_mixing_function_is_splitmix64() {
        // First outputs of SplitMix64 seeded with 1234567, as printed by the
        // reference program of S. Vigna (also on Rosetta Code).
        let words = [
            6_457_827_717_110_365_317u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        for (i, expected) in (1..).zip(words) {
            assert_eq!(
                mix(1_234_567u64.wrapping_add(GOLDEN.wrapping_mul(i))),
                expected
            );
        }
    }

    #[test]
    fn streams_differ_by_seed_and_name() {
        let first = |seed, name| Stream::new(seed, name).word(0);
        let all = [
            first(0, "a"),
            first(1, "a"),
            first(0, "b"),
            first(0, "ab"),
            first(0, "ba"),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all.iter().skip(i + 1).all(|b| a != b));
        }
    }

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

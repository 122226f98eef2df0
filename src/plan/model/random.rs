//! Random words from a seed and a name.
//!
//! The generator counts: word `i` of a stream is a function of the seed, the name
//! and `i`, so that any part can be made alone, in any order and on any thread.
//!
//! Source of the mixing function: G. Steele, D. Lea, C. Flood, "Fast
//! splittable pseudorandom number generators", 2014 (SplitMix64).

/// The step of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of random words, named; any position can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of this name under this seed.
    pub fn new(seed: u64, name: &str) -> Self {
        let key = name.bytes().fold(mix(seed.wrapping_add(GOLDEN)), |key, b| {
            mix(key ^ u64::from(b)).wrapping_add(GOLDEN)
        });
        Self { key }
    }

    /// Word `i`: 64 random bits.
    pub fn word(self, i: u64) -> u64 {
        mix(self.key.wrapping_add(i.wrapping_mul(GOLDEN)))
    }

    /// Draw `i` in `0..n` (0 where `n` is 0). The bias is below n / 2⁶⁴.
    pub fn below(self, i: u64, n: u64) -> u64 {
        ((u128::from(self.word(i)) * u128::from(n)) >> 64) as u64
    }

    /// Draw `i`, uniform in [−1, 1), a multiple of 2⁻²³.
    pub fn centred(self, i: u64) -> f32 {
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
}

//! Draws from a seed: the same seed, pattern and attempt draw the same question.

/// 2⁶⁴ divided by the golden ratio, made odd: the step of SplitMix64 (Steele,
/// Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of draws.
pub(super) struct Draw {
    state: u64,
}

impl Draw {
    /// The stream of a seed under a name.
    pub fn new(seed: u64, name: &str, attempt: u64) -> Self {
        let mut draw = Self { state: seed };
        for byte in name.bytes().map(u64::from).chain([attempt]) {
            draw.state = draw.word() ^ byte;
        }
        draw
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of several; `None` of none.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let n = u64::try_from(from.len()).ok().filter(|n| *n > 0)?;
        let at = (u128::from(self.word()) * u128::from(n)) >> 64;
        from.get(usize::try_from(at).ok()?)
    }

    /// True in so many of 100 cases.
    pub fn in_100(&mut self, cases: u64) -> bool {
        (u128::from(self.word()) * 100) >> 64 < u128::from(cases)
    }
}

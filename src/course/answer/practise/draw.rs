//! Draws from a seed: the same seed, pattern and attempt draw the same question.

use plan::model::random::Stream;

/// Draws, one after the other.
pub struct Draw {
    stream: Stream,
    drawn: u64,
}

impl Draw {
    /// The draws of a seed under a name.
    pub fn new(seed: u64, name: &str, attempt: u64) -> Self {
        Self {
            stream: Stream::new(seed, &format!("{name} {attempt}")),
            drawn: 0,
        }
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.drawn += 1;
        self.stream.below(self.drawn, n)
    }

    /// One of several; `None` of none.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let at = self.below(u64::try_from(from.len()).ok()?);
        from.get(usize::try_from(at).ok()?)
    }

    /// True in so many of 100 cases.
    pub fn in_100(&mut self, cases: u64) -> bool {
        self.below(100) < cases
    }
}

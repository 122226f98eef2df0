//! Times that were measured for a question, kept with the progress: what was right
//! once stays right, although no second run takes the same time.

use crate::answer::Records;
use crate::progress::{Event, Progress};
use plan::cost::Config;
use plan::run::{Report, Timing};
use plan::units::Quantity;

/// Nanoseconds of a microsecond.
const NANO: f64 = 1e3;

/// The time of a forward, in whole nanoseconds, with its spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Half of the runs were faster.
    pub median: u64,
    /// The fastest.
    pub min: u64,
    /// The slowest.
    pub max: u64,
    /// How many runs were timed.
    pub runs: u32,
}

impl Measured {
    /// What is kept of a timing.
    pub fn of(timing: &Timing) -> Self {
        // A float casts to the nearest number that there is.
        let nano = |us: f64| (us * NANO).round() as u64;
        Self {
            median: nano(timing.median),
            min: nano(timing.min),
            max: nano(timing.max),
            runs: timing.runs,
        }
    }

    fn timing(&self) -> Timing {
        let us = |nano: u64| nano as f64 / NANO;
        Timing {
            median: us(self.median),
            min: us(self.min),
            max: us(self.max),
            // Neither is kept, and nothing that is shown of a kept time asks for them.
            mad: f64::NAN,
            times: Vec::new(),
            runs: self.runs,
            how: "kept".to_owned(),
        }
    }

    /// The event that keeps the time of a report; `None` where it was not timed.
    pub fn event(config: &Config, report: &Report) -> Option<Event> {
        Some(Event::Measured {
            of: name(config),
            time: Self::of(report.time_us.as_ref()?),
        })
    }
}

/// The name under which the time of a configuration is kept: plan and shape for a
/// reader, and a digest of all that a time may depend on.
pub fn name(config: &Config) -> String {
    // FNV-1a (Fowler, Noll, Vo) of the whole configuration.
    let whole = format!("{config:?}");
    let digest = whole.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let shape = &config.shape;
    let (title, batch, seq) = (config.cut.title(), shape.batch, shape.seq);
    format!("{title} B{batch} S{seq} {digest:016x}")
}

/// Records in which kept times go before those of the runs at hand.
pub struct Kept<'a> {
    /// Where they are kept.
    pub progress: &'a Progress,
    /// Everything else.
    pub records: &'a dyn Records,
}

impl Records for Kept<'_> {
    fn report(&self, config: &Config) -> Option<&Report> {
        self.records.report(config)
    }

    fn time(&self, config: &Config) -> Option<Timing> {
        let kept = self.progress.measured.get(&name(config));
        kept.map(Measured::timing)
            .or_else(|| self.records.time(config))
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        self.records.recorded(id)
    }

    fn mutant(&self, name: &str) -> Result<f64, String> {
        self.records.mutant(name)
    }

    fn micro(&self, kernel: &str, value: u64, field: &str) -> Option<Quantity> {
        self.records.micro(kernel, value, field)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        self.records.verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        self.records.claims(verdict)
    }
}

//! Numbers in rows: `table`, `compare` and `roofline` blocks, with what this
//! machine and its runs add to them.

use super::env;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::study::bench_setup;
use course::present::{self, Facts, Grid, Ran};
use course::{Lesson, Live};
use plan::cost::Priced;
use plan::fusion::Cut;
use plan::model::Dtype;

/// The cells of a block.
///
/// # Errors
/// A setting, a shape or a GPU that cannot be. An expression that cannot be
/// evaluated says so in its own cell.
pub fn grid(shared: &Shared, lesson: &Lesson, live: &Live) -> Result<Grid, String> {
    let env = env(shared, lesson, &live.setup)?;
    let setup = bench_setup(&env.setup.config, shared.bench.setup().seed);
    let here = Here { shared, setup };
    let content = live.content.as_ref().ok();
    content
        .and_then(|block| present::grid(block, &env, &here))
        .unwrap_or_else(|| Err("this block has no cells".to_owned()))
}

/// What this machine is, and what ran on it with a block's setup.
struct Here<'s> {
    shared: &'s Shared,
    setup: Setup,
}

impl Facts for Here<'_> {
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64> {
        let ceilings = self.shared.machine.ceilings.as_ref()?;
        ceilings.floor(priced, dtype)
    }

    fn roof(&self) -> String {
        match &self.shared.machine.ceilings {
            Some(c) => format!("Floors under the roof of {}.", c.of),
            None => "Floors need a roof; Doctor says why there is none.".to_owned(),
        }
    }

    fn ran(&self, cut: Cut) -> Option<Ran> {
        let report = self.shared.runs.of(&self.setup, cut)?;
        Some(Ran {
            launches: report.launches.counted,
            micros: report.time_us.as_ref().map(|time| time.median),
        })
    }
}

//! Plans timed in turns: what the schedule asks for next is run, until it has enough or
//! somebody stops it.

use std::path::Path;

use backend::engine::Engine;
use plan::run::{Observer, Phase, Progress, RunError, RunErrorKind};
use study::timing::Rounds;

/// Runs what `rounds` asks for. The logits of the first run go to `logits` as npy.
///
/// # Errors
/// It was stopped; what was measured until then is in `rounds`.
pub fn carry_out(
    engine: &mut Engine,
    rounds: &mut Rounds,
    logits: Option<&Path>,
    observer: &dyn Observer,
) -> Result<(), RunError> {
    let mut logits = logits;
    while let Some(visit) = rounds.next() {
        let (done, total) = rounds.progress();
        let watch = InTurns {
            observer,
            visits: (rounds.plans() > 1).then_some((done, total)),
            again: visit.request.again,
        };
        match engine.run(&visit.request, logits.take(), &watch) {
            Err(stopped) if stopped.kind == RunErrorKind::Cancelled => return Err(stopped),
            result => rounds.take(result),
        }
    }
    Ok(())
}

/// Tells how many visits are over in place of the runs of one.
struct InTurns<'o> {
    observer: &'o dyn Observer,
    visits: Option<(u32, u32)>,
    /// It was made ready in a round before: that it is, is no step.
    again: bool,
}

impl Observer for InTurns<'_> {
    fn progress(&self, progress: Progress) {
        let quick = matches!(progress.phase, Phase::Timing | Phase::WarmUp);
        self.observer.progress(match self.visits {
            Some((done, total)) if quick => Progress::new(Phase::Timing, done, total),
            Some(_) if self.again => return,
            _ => progress,
        });
    }

    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}

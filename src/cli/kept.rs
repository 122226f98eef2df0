//! Runs that a shell made, kept beside those of the workshop: its lab shows them, and
//! `report` hands them in.

use super::out::complain;
use app::keep::Run;
use course::Places;
use plan::run::{BackendKind, Gemm, Report, Request, WeightsFrom};
use study::timing::Rounds;

/// Keeps what came of plans that were run in turns. Only what the lab would have asked for
/// is kept: it takes the runs for its own.
///
/// `reports` are theirs with what counters added afterwards.
pub(super) fn keep(
    places: &Places,
    requests: &[Request],
    rounds: &Rounds,
    reports: &[Option<&Report>],
) {
    let runs = requests.iter().enumerate().filter_map(|(at, request)| {
        let timed = rounds.of(at)?.ok()?;
        let mut report = reports.get(at).copied()??.clone();
        if !(is_plain(request) && is_right(&report)) {
            return None;
        }
        // What was counted line by line belongs to the sources of this build.
        report.kernels.iter_mut().for_each(|k| k.lines.clear());
        Some(Run {
            build: String::new(),
            backend: BackendKind::parse(&report.backend).ok()?,
            config: request.config.clone(),
            seed: request.seed,
            job: 0,
            among: requests.len(),
            rounds: timed
                .rounds
                .iter()
                .map(|time| Some(*time).filter(|t| t.is_finite()))
                .collect(),
            report,
        })
    });
    let runs: Vec<Run> = runs.collect();
    if runs.is_empty() {
        return;
    }
    if let Err(why) = host::keep_runs(places, runs) {
        complain(&why);
    }
}

/// Nothing was asked for that the lab has no setting for.
fn is_plain(request: &Request) -> bool {
    request.weights == WeightsFrom::Seed(request.seed)
        && request.tokens.is_none()
        && request.threads.is_none()
        && request.gemm == Gemm::Own
        && !request.graph
        && request.pause_ms == 0
}

/// The plan was run, and rightly.
fn is_right(report: &Report) -> bool {
    report.launches.matches(report.plan.launches)
        && report.check.as_ref().is_none_or(|check| check.pass)
}

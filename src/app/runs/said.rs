//! What is said of a run that ended, and what makes it doubtful.

use super::{Card, Running};
use plan::fusion::{Cut, Version};
use plan::run::Report;
use study::timing::{self, Timed, Trouble};

/// What is said of a job that is timed once more.
pub(super) fn again(running: &Running) -> String {
    match (running.cuts.len(), running.rounds.progress()) {
        (1, _) => "Something disturbed the times: they are taken once more.".to_owned(),
        (plans, (_, all)) => format!(
            "Something disturbed the times: as many rounds again, {all} runs of {plans} plans in all."
        ),
    }
}

/// The card of a result that is wrong.
pub(super) fn refused(cut: Cut, report: &Report) -> Option<Card> {
    let check = report.check.as_ref().filter(|c| !c.pass)?;
    let place = check
        .first_wrong
        .as_ref()
        .map_or(String::new(), |w| format!(" First at {w}."));
    let lines = vec![
        format!(
            "{} on {} gives wrong numbers: max error {:.1e}, tolerance {:.1e}.",
            cut.title(),
            report.backend,
            check.max_abs_error,
            check.tolerance
        ),
        format!("{place} No time is kept for a wrong result.")
            .trim()
            .to_owned(),
    ];
    Some(Card {
        word: "refused",
        lines,
    })
}

/// The message line of a job that gave results: of plans in turns, what can be said of
/// the first and the last.
pub(super) fn line(running: &Running, timed: &[(Cut, Timed)]) -> String {
    match timed {
        [(a, first), .., (b, last)]
            if first.report.time_us.is_some() && last.report.time_us.is_some() =>
        {
            let among = timed.len() - 1;
            let verdict = running.rounds.verdict(0, among, among);
            verdict.sentence(&a.title(), &b.title())
        }
        [(cut, only)] => sentence(&cut.title(), &only.report),
        // A staircase has a plan per step.
        plans if plans.len() > Version::WORKSHOP.len() => {
            format!("{} plans were counted #; no time.", plans.len())
        }
        plans => plans
            .iter()
            .map(|(cut, timed)| {
                let launches = &timed.report.launches;
                format!("{}: {} launches #", cut.title(), launches.counted)
            })
            .collect::<Vec<_>>()
            .join("; "),
    }
}

/// The message line of a run that gave a result.
fn sentence(title: &str, report: &Report) -> String {
    let launches = format!(
        "launches {} #, plan {} =",
        report.launches.counted, report.plan.launches
    );
    match &report.time_us {
        Some(t) => format!(
            "{title}: {}, {}; {launches}",
            timing::time(t),
            plan::units::figure::counted(u64::from(t.runs), "run", "runs"),
        ),
        None => format!("{title}: no time; {launches}"),
    }
}

/// The result of a job whose plans are not those that were launched.
pub(super) fn other_plan(title: &str, report: &Report) -> Option<String> {
    (!report.launches.matches(report.plan.launches)).then(|| {
        format!(
            "{title}: {} launches were counted # and the plan has {} =. The backend does not run this plan.",
            report.launches.counted, report.plan.launches
        )
    })
}

/// Why the time of a plan alone is doubtful. What ran in turns was disturbed alike, and its
/// interval is as wide as that made it.
pub(super) fn doubt(timed: &[(Cut, Timed)]) -> Option<String> {
    let [(cut, only)] = timed else {
        return None;
    };
    let time = only.report.time_us.as_ref()?;
    let trouble = only.trouble.as_ref().map(Trouble::brief)?;
    let title = cut.title();
    Some(format!(
        "{title}: {}; {trouble}. r runs again.",
        timing::time(time)
    ))
}

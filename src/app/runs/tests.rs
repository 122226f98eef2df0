//! Jobs of runs: what waits, what is kept, what is said.

use super::*;
use plan::fusion::Version;
use plan::run::Timing;

/// A report with one time and the launches of its plan.
pub(crate) fn report(launches: u64, micros: f64) -> Report {
    Report {
        time_us: Timing::of(&[micros], "clock"),
        ..Report::bare("cpu", "a CPU", launches)
    }
}

fn setup() -> Setup {
    Setup::preset("workshop").unwrap()
}

#[test]
fn a_newer_job_waits_and_never_stops_the_running_one() {
    let mut runs = Runs::default();
    let (first, _) = runs
        .ask(&setup(), vec![Version::V2.cut(), Version::V1.cut()], 0)
        .unwrap();
    assert!(runs.ask(&setup(), vec![Version::V3.cut()], 1).is_none());
    assert!(runs.ask(&setup(), vec![Version::V4.cut()], 2).is_none());
    let (outcome, next) = to_its_end(&mut runs, first, |_| 800.0);
    assert!(matches!(outcome, Outcome::Done(_)));
    let (_, request) = next.unwrap();
    assert_eq!(request.config.cut, Version::V4.cut(), "the newest wins");
    assert!(runs.of(&setup(), Version::V2.cut()).is_some());
}

#[test]
fn a_run_that_is_stopped_names_the_one_that_waits() {
    let mut runs = Runs::default();
    let (first, _) = runs.ask(&setup(), vec![Version::V1.cut()], 0).unwrap();
    assert!(runs.ask(&setup(), vec![Version::V3.cut()], 1).is_none());
    let (outcome, next) = runs.done(first, Err(RunError::cancelled(3, 30)), 2);
    let Outcome::Nothing(said) = outcome else {
        panic!("{next:?}");
    };
    assert!(
        said.ends_with("Nothing recorded. The next one runs."),
        "{said}"
    );
    let (second, _) = next.unwrap();
    let (outcome, next) = runs.done(second, Err(RunError::cancelled(3, 30)), 3);
    assert!(matches!(outcome, Outcome::Nothing(said) if said.ends_with("Nothing recorded.")));
    assert!(next.is_none());
}

/// Answers every run of the job that is under way with the launches of its plan;
/// `time` in microseconds by plan.
pub(crate) fn to_its_end(
    runs: &mut Runs,
    mut ticket: Ticket,
    time: impl Fn(Cut) -> f64,
) -> (Outcome, Option<(Ticket, Request)>) {
    loop {
        let cut = runs.running().unwrap().cut;
        let launches = price(&setup().config(cut)).unwrap().forward.launches();
        let (outcome, next) = runs.done(ticket, Ok(report(launches, time(cut))), 3);
        match (outcome, next) {
            (Outcome::GoesOn | Outcome::Again(_), Some((next, _))) => ticket = next,
            over => return over,
        }
    }
}

#[test]
fn plans_of_a_job_run_in_turns_and_are_compared_round_by_round() {
    let mut runs = Runs::default();
    let (v1, v2) = (Version::V1.cut(), Version::V2.cut());
    let (first, _) = runs.ask(&setup(), vec![v2, v1], 0).unwrap();
    let (outcome, next) = to_its_end(
        &mut runs,
        first,
        |cut| if cut == v1 { 1000.0 } else { 800.0 },
    );
    assert!(next.is_none() && runs.running().is_none());
    let said = "V2 takes 0.800 times the time of V1 @ (0.800 to 0.800, 15 rounds in turns).";
    assert_eq!(outcome, Outcome::Done(said.to_owned()));
    let (reports, verdict) = runs.in_turns(&setup(), v1, v2).unwrap();
    assert!(verdict.claimed());
    assert_eq!(
        reports.map(|r| r.time_us.as_ref().unwrap().median),
        [1000.0, 800.0]
    );
    // V3 ran at another time: nothing is said of it and V1.
    let (second, _) = runs.ask(&setup(), vec![Version::V3.cut()], 4).unwrap();
    to_its_end(&mut runs, second, |_| 700.0);
    assert_eq!(runs.in_turns(&setup(), v1, Version::V3.cut()), None);
    // An answer to a run that is over changes nothing.
    assert_eq!(runs.done(second, Ok(report(71, 1.0)), 3).0, Outcome::Stale);
}

/// Times that rise disturb a job: it is as long again, and that is said when it begins.
#[test]
fn times_of_two_jobs_are_apart_until_their_plans_run_in_turns() {
    let mut runs = Runs::default();
    let [v1, v2] = [Version::V1.cut(), Version::V2.cut()];
    let mut run = |cuts: &[Cut]| {
        let (first, _) = runs.ask(&setup(), cuts.to_vec(), 0).unwrap();
        to_its_end(&mut runs, first, |_| 800.0);
        runs.apart(&setup(), &[v1, v2, Version::V3.cut()])
    };
    assert!(!run(&[v1]), "one time has nothing beside it");
    assert!(run(&[v2]));
    assert!(!run(&[v1, v2]));
    assert!(run(&[v2]), "the newest is shown");
}

#[test]
fn a_job_that_is_repeated_says_how_long_it_is_now() {
    let mut runs = Runs::default();
    let cuts = vec![Version::V2.cut(), Version::V1.cut()];
    let (mut ticket, _) = runs.ask(&setup(), cuts, 0).unwrap();
    let (mut said, mut rounds) = (Vec::new(), 0.0);
    loop {
        // Between two visits the counter stays.
        let progress = runs.running().unwrap().progress.clone();
        assert!(progress.is_some_and(|p| p.total >= 30) || rounds == 0.0);
        let cut = runs.running().unwrap().cut;
        let launches = price(&setup().config(cut)).unwrap().forward.launches();
        rounds += 1.0;
        let time = 1000.0 + 20.0 * rounds;
        let (outcome, next) = runs.done(ticket, Ok(report(launches, time)), 3);
        match (outcome, next) {
            (Outcome::GoesOn, Some((next, _))) => ticket = next,
            (Outcome::Again(text), Some((next, _))) => {
                said.push(text);
                ticket = next;
            }
            _ => break,
        }
    }
    // Thirty runs of each plan, two in a round: fifteen rounds of two plans, and as many.
    assert_eq!(rounds, 60.0);
    assert_eq!(
        said,
        ["Something disturbed the times: as many rounds again, 60 runs of 2 plans in all."]
    );
}

#[test]
fn results_of_one_backend_are_not_shown_for_another() {
    let mut runs = Runs::default();
    runs.use_backend(BackendKind::Cuda);
    let v2 = Version::V2.cut();
    let (t, request) = runs.ask(&setup(), vec![v2], 0).unwrap();
    assert_eq!(request.backend, BackendKind::Cuda);
    runs.use_backend(BackendKind::Cpu);
    assert!(matches!(
        runs.done(t, Ok(report(47, 80.0)), 1).0,
        Outcome::Done(_)
    ));
    assert_eq!(runs.of(&setup(), v2), None);
    runs.use_backend(BackendKind::Cuda);
    assert!(runs.of(&setup(), v2).is_some());
}

#[test]
fn launches_that_differ_from_the_plan_are_said() {
    let mut runs = Runs::default();
    let (t, _) = runs.ask(&setup(), vec![Version::V2.cut()], 0).unwrap();
    let mut r = report(47, 800.0);
    r.launches.counted = 48;
    assert!(matches!(runs.done(t, Ok(r), 1).0, Outcome::Doubtful(_)));
}

#[test]
fn a_failed_run_opens_a_card_and_ends_its_job() {
    let mut runs = Runs::default();
    let (t, _) = runs
        .ask(&setup(), vec![Version::V2.cut(), Version::V1.cut()], 0)
        .unwrap();
    let (_, next) = runs.done(t, Err(RunError::failed("out of memory")), 1);
    assert!(next.is_none());
    assert_eq!(runs.card.as_ref().map(|c| c.word), Some("failed"));
}

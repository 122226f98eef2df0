//! What was measured or counted is judged by a run.

use super::*;
use crate::answer::Records;
use plan::cost::Config;
use plan::run::{LaunchReport, Report, Timing};
use plan::units::Quantity;

#[test]
fn what_was_counted_is_judged_by_a_run_and_never_by_the_plan() {
    let mut counted = key("run.launches.counted", "exact", "");
    counted.kind = Kind::Measured;
    assert_eq!(
        says("71", &counted, &[]),
        "unread: No run of this plan has this figure yet: run it first. Nothing was graded."
    );
    // A run that counted 70 where the plan says 71: its count is the answer.
    let gpus = GpuDatabase::embedded().unwrap();
    let ran = Ran(report(71, 70));
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &ran);
    let word = |typed| grade(typed, &counted, &env).unwrap().verdict.word();
    assert_eq!((word("70"), word("71")), ("right", "wrong"));
    let mut time = key("run.time.median", "exact", "us");
    time.kind = Kind::Measured;
    assert_eq!(
        says("71 us", &time, &[]),
        "unread: No run of this plan has this figure yet: run it first. Nothing was graded."
    );
}

#[test]
fn a_figure_of_a_run_that_is_near_is_of_another_run() {
    // 71 launches; 72 is 1.4 % off, inside four times 1 %.
    let mut counted = key("run.launches.counted * 1 us", "1 %", "us");
    counted.kind = Kind::Measured;
    let gpus = GpuDatabase::embedded().unwrap();
    let ran = Ran(report(71, 71));
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &ran);
    let judged = grade("72 us", &counted, &env).unwrap();
    assert_eq!(judged.verdict.word(), "close");
    let said = judged.sentence();
    assert!(said.contains("what your runs gave"), "{said}");
    assert!(!said.contains("rounded too early"), "{said}");
}

#[test]
fn a_measured_answer_is_right_a_minute_later() {
    // 71 launches in 700 us, with a spread: the cost of one by another run.
    let mut each = key("run.time.median / 71", "2 %", "us");
    each.kind = Kind::Measured;
    each.slips = vec![slip("run.time.median / 17", "This is one block.")];
    let gpus = GpuDatabase::embedded().unwrap();
    let mut timed = report(71, 71);
    timed.time_us = Some(Timing {
        median: 710.0,
        min: 660.0,
        max: 900.0,
        mad: 20.0,
        runs: 9,
        how: "wall".into(),
        times: vec![],
    });
    let ran = Ran(timed);
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &ran);
    for (typed, word) in [
        ("10 us", "right"),
        ("9.1 us", "right"),
        ("12.5 us", "right"),
        ("15.4 us", "right"),
        ("41.8 us", "slip"),
        ("3 us", "wrong"),
        ("10", "unread"),
    ] {
        let judged = grade(typed, &each, &env).unwrap();
        assert_eq!(
            judged.verdict.word(),
            word,
            "{typed}: {}",
            judged.sentence()
        );
    }
    // One run that waited for something else widens nothing: 1.3 * 1.3 * 10 us at most.
    let mut disturbed = report(71, 71);
    disturbed.time_us = ran.0.time_us.clone().map(|time| Timing {
        max: 9000.0,
        ..time
    });
    let ran = Ran(disturbed);
    let env = Env::new(Setup::workshop().unwrap(), &gpus, &ran);
    for (typed, word) in [("16.8 us", "right"), ("18 us", "wrong")] {
        let judged = grade(typed, &each, &env).unwrap();
        assert_eq!(judged.verdict.word(), word, "{typed}");
    }
}

/// One run of whatever is asked about.
struct Ran(Report);

impl Records for Ran {
    fn report(&self, _: &Config) -> Option<&Report> {
        Some(&self.0)
    }

    fn recorded(&self, _: &str) -> Option<Quantity> {
        None
    }
}

fn report(planned: u64, counted: u64) -> Report {
    Report {
        launches: LaunchReport {
            counted,
            library: 0,
        },
        ..Report::bare("cpu", "a CPU", planned)
    }
}

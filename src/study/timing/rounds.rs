//! Plans in turns: every round runs each of them once, in an order drawn anew, so that
//! what a machine does meanwhile meets all of them alike.

use super::quiet::{Trouble, trouble};
use super::verdict::Verdict;
use plan::model::random::Stream;
use plan::run::{Report, Request, RunError, Timing, mad, median};
use plan::units::figure;

/// Timed runs of a plan in one round of several, after one that warms its memory up. A
/// plan alone is timed in one round.
const IN_TURN: u32 = 2;

/// What is to run next.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// The plan, by its place among those that were asked for.
    pub plan: usize,
    /// Its request for this round.
    pub request: Request,
}

/// What came of one plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// The report of its first run, with the times of all rounds.
    pub report: Report,
    /// Microseconds, round by round: the median of its runs in that round; no number
    /// where a round was stopped before it.
    pub rounds: Vec<f64>,
    /// What disturbed its times.
    pub trouble: Option<Trouble>,
}

/// Requests that are run in turns. Carrying them out is for somebody else: ask for the
/// next visit, run it, hand in what came of it, until there is no more.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    plans: Vec<Plan>,
    seed: u64,
    /// Timed runs of a plan in one round.
    runs: u32,
    rounds: u32,
    round: u32,
    /// Plans that are still to run in this round, the next last.
    left: Vec<usize>,
    again: bool,
    /// It ends with the first plan that cannot be run.
    strict: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Plan {
    request: Request,
    report: Option<Result<Report, RunError>>,
    /// Microseconds of each run, round by round.
    times: Vec<Vec<f64>>,
}

impl Plan {
    /// Whether it is timed further: its first run gave a time.
    fn goes_on(&self) -> bool {
        matches!(&self.report, Some(Ok(report)) if report.time_us.is_some())
    }

    /// One time per round; no number where none was taken.
    fn rounds(&self) -> Vec<f64> {
        let times = self.times.iter();
        times.map(|t| median(t).unwrap_or(f64::NAN)).collect()
    }

    /// The round whose times lie closest together.
    fn quietest(&self) -> Option<&Vec<f64>> {
        let loose = |times: &Vec<f64>| Some(mad(times)? / median(times)?);
        self.times
            .iter()
            .filter_map(|times| Some((times, loose(times)?)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(times, _)| times)
    }
}

impl Rounds {
    /// Runs these plans in turns, as often as the first of them is to be timed. `seed`
    /// draws the order.
    pub fn new(requests: Vec<Request>, seed: u64) -> Self {
        let runs = requests.iter().map(|r| r.runs).max().unwrap_or(0);
        let plans = requests.into_iter().map(|request| Plan {
            request,
            report: None,
            times: Vec::new(),
        });
        let plans: Vec<Plan> = plans.collect();
        let in_turn = match plans.len() {
            1 => runs,
            _ => runs.min(IN_TURN),
        };
        let mut rounds = Self {
            plans,
            seed,
            runs: in_turn,
            rounds: runs.div_ceil(in_turn.max(1)).max(1),
            round: 0,
            left: Vec::new(),
            again: false,
            strict: false,
        };
        rounds.left = rounds.order();
        rounds
    }

    /// The same, over with the first plan that cannot be run.
    #[must_use]
    pub fn all_or_none(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The order of this round, the last first: as they were asked for where they are
    /// checked, then Fisher and Yates' shuffle.
    fn order(&self) -> Vec<usize> {
        if self.round == 0 {
            return (0..self.plans.len()).rev().collect();
        }
        let draws = Stream::new(self.seed, "order of a round");
        let mut order: Vec<usize> = (0..self.plans.len()).collect();
        for at in (1..order.len()).rev() {
            let step = u64::from(self.round) * self.plans.len() as u64 + at as u64;
            order.swap(at, draws.below(step, at as u64 + 1) as usize);
        }
        order
    }

    /// What is to run next; `None`: it is over.
    pub fn next(&self) -> Option<Visit> {
        let plan = *self.left.last()?;
        let asked = &self.plans.get(plan)?.request;
        let mut request = asked.clone();
        request.runs = asked.runs.min(self.runs);
        if self.round > 0 {
            // Checked and counted once.
            request.check = false;
            request.count_bytes = false;
            request.count_lines = false;
            if self.plans.len() > 1 {
                request.warm_up = asked.warm_up.min(1);
            }
        }
        Some(Visit { plan, request })
    }

    /// Takes what came of the visit that [`Self::next`] gave.
    pub fn take(&mut self, result: Result<Report, RunError>) {
        let Some(at) = self.left.pop() else { return };
        if self.strict && result.is_err() {
            self.left.clear();
            self.rounds = 0;
        }
        if let Some(plan) = self.plans.get_mut(at) {
            let times = match &result {
                Ok(report) => report.time_us.as_ref().map_or(&[][..], |t| &t.times),
                Err(_) => &[],
            };
            plan.times.push(times.to_vec());
            // What went wrong later does not undo what was measured before.
            plan.report.get_or_insert(result);
        }
        if self.left.is_empty() {
            self.turn();
        }
    }

    /// Begins the next round, if there is to be one.
    fn turn(&mut self) {
        self.round += 1;
        if self.round == self.rounds && !self.again && self.disturbed() {
            // Once, and no longer than it took so far.
            self.again = true;
            self.rounds *= 2;
        }
        if self.round >= self.rounds {
            return;
        }
        let order = self.order();
        let goes_on = |plan: &usize| self.plans.get(*plan).is_some_and(Plan::goes_on);
        self.left = order.into_iter().filter(goes_on).collect();
    }

    fn disturbed(&self) -> bool {
        self.plans.iter().any(|plan| self.trouble(plan).is_some())
    }

    /// What disturbed a plan: all of its rounds, or the quieter where it is alone.
    fn trouble(&self, plan: &Plan) -> Option<Trouble> {
        match self.plans.len() {
            1 => trouble(plan.quietest()?),
            _ => trouble(&plan.rounds()),
        }
    }

    /// Visits that are over, and all of them as far as is known.
    pub fn progress(&self) -> (u32, u32) {
        let each = self.plans.len() as u32;
        let left = self.left.len() as u32;
        let all = each * self.rounds;
        ((each * (self.round + 1)).saturating_sub(left).min(all), all)
    }

    /// Whether it was as long again, because something disturbed it.
    pub const fn repeated(&self) -> bool {
        self.again
    }

    /// Plans that were asked for.
    pub fn plans(&self) -> usize {
        self.plans.len()
    }

    /// What came of a plan so far; `None` where it did not run.
    pub fn of(&self, plan: usize) -> Option<Result<Timed, RunError>> {
        let plan = self.plans.get(plan)?;
        let report = match plan.report.clone()? {
            Ok(report) => report,
            Err(error) => return Some(Err(error)),
        };
        let how = report.time_us.as_ref().map(|t| match self.plans.len() {
            1 => t.how.clone(),
            plans => format!(
                "{}; {plans} plans in turns, {} in random order, {} each",
                t.how,
                figure::counted(plan.times.len() as u64, "round", "rounds"),
                figure::counted(u64::from(self.runs), "run", "runs"),
            ),
        });
        let times = match self.plans.len() {
            1 => plan.quietest().cloned().unwrap_or_default(),
            _ => plan.times.concat(),
        };
        let mut report = report;
        report.time_us = how.and_then(|how| Timing::of(&times, how));
        let trouble = self.trouble(plan);
        report.notes.extend(match (&trouble, self.again) {
            (Some(why), false) => Some(why.to_string()),
            (Some(why), true) => Some(format!("{why}, also when all of it was timed again")),
            (None, true) if self.plans.len() == 1 => Some(
                "something disturbed the first measurement; a second was made, and stands here"
                    .to_owned(),
            ),
            (None, true) => {
                Some("something disturbed the first rounds; as many were made again".to_owned())
            }
            (None, false) => None,
        });
        Some(Ok(Timed {
            report,
            rounds: plan.rounds(),
            trouble,
        }))
    }

    /// What can be said of the times of two plans, `among` so many comparisons.
    pub fn verdict(&self, a: usize, b: usize, among: usize) -> Verdict {
        match (self.plans.get(a), self.plans.get(b)) {
            (Some(a), Some(b)) => Verdict::of(&a.rounds(), &b.rounds(), among),
            _ => Verdict::Apart,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use plan::cost::Config;
    use plan::fusion::Version;

    fn rounds(runs: u32) -> Rounds {
        let request = |version: Version| Request {
            runs,
            count_bytes: true,
            ..Request::new(Config::preset("workshop", version.cut()).unwrap())
        };
        Rounds::new(Version::WORKSHOP.map(request).to_vec(), 7)
    }

    /// Runs all visits; the time of a plan in a round is `time`.
    fn carried_out(mut rounds: Rounds, time: impl Fn(usize, usize) -> f64) -> (Rounds, Vec<usize>) {
        let mut order = Vec::new();
        let mut done = vec![0; rounds.plans()];
        while let Some(visit) = rounds.next() {
            let first = done[visit.plan] == 0;
            assert_eq!(
                (visit.request.check, visit.request.count_bytes),
                (first, first)
            );
            assert_eq!(visit.request.warm_up, if first { 3 } else { 1 });
            let t = time(visit.plan, done[visit.plan]);
            rounds.take(Ok(report(&vec![t; visit.request.runs as usize])));
            done[visit.plan] += 1;
            order.push(visit.plan);
        }
        (rounds, order)
    }

    #[test]
    fn each_round_runs_every_plan_once_in_an_order_of_its_own() {
        let (rounds, order) = carried_out(rounds(30), |plan, _| 100.0 + plan as f64);
        assert_eq!(order.len(), 4 * 15);
        let mut orders = std::collections::BTreeSet::new();
        for round in order.chunks(4) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            orders.insert(round.to_vec());
        }
        // 15 draws of 24 orders: fewer than 5 different ones come once in 10⁹ times.
        assert!(orders.len() > 4, "{orders:?}");
        let timed = rounds.of(2).unwrap().unwrap();
        assert_eq!(timed.rounds, vec![102.0; 15]);
        assert_eq!(timed.report.time_us.unwrap().runs, 30);
        assert!(rounds.verdict(3, 0, 1).claimed());
        assert_eq!(rounds.progress(), (60, 60));
    }

    #[test]
    fn a_disturbed_measurement_is_made_as_long_again_once() {
        let (rounds, order) = carried_out(rounds(30), |_, round| 100.0 + 3.0 * round as f64);
        assert_eq!(order.len(), 4 * 30);
        assert!(rounds.repeated());
        let timed = rounds.of(0).unwrap().unwrap();
        assert!(matches!(timed.trouble, Some(Trouble::Drift(_))));
        assert!(
            timed
                .report
                .notes
                .iter()
                .any(|note| note.contains("rose by"))
        );
        // All plans drift alike: in turns they do not differ.
        assert!(!rounds.verdict(0, 3, 1).claimed());
    }

    #[test]
    fn what_has_no_time_or_fails_runs_once_and_the_others_go_on() {
        let mut rounds = rounds(20);
        let mut visits = [0; 4];
        while let Some(visit) = rounds.next() {
            visits[visit.plan] += 1;
            rounds.take(match visit.plan {
                0 => Err(RunError::failed("out of memory")),
                1 => Ok(report(&[])),
                _ => Ok(report(&[100.0, 101.0])),
            });
        }
        assert_eq!(visits, [1, 1, 10, 10]);
        assert!(rounds.of(0).unwrap().is_err());
        assert_eq!(rounds.of(1).unwrap().unwrap().report.time_us, None);
        assert_eq!(
            rounds.verdict(2, 3, 1),
            Verdict::Same {
                within: 0.0,
                rounds: 10
            }
        );
        assert_eq!(rounds.of(4), None);
    }

    #[test]
    fn all_or_none_ends_with_what_fails() {
        let mut rounds = rounds(20).all_or_none();
        rounds.take(Ok(report(&[100.0, 101.0])));
        let failed = rounds.next().unwrap().plan;
        rounds.take(Err(RunError::failed("out of memory")));
        assert_eq!(rounds.next(), None);
        assert!(rounds.of(failed).unwrap().is_err());
    }

    #[test]
    fn what_was_measured_before_a_stop_is_there() {
        let mut rounds = rounds(30);
        for _ in 0..6 {
            let visit = rounds.next().unwrap();
            rounds.take(Ok(report(&vec![100.0; visit.request.runs as usize])));
        }
        let (done, all) = rounds.progress();
        assert_eq!((done, all), (6, 60));
        let timed = (0..4).map(|plan| rounds.of(plan).unwrap().unwrap());
        let seen: usize = timed.map(|t| t.rounds.len()).sum();
        assert_eq!(seen, 6);
        assert!(!rounds.verdict(0, 1, 1).claimed());
    }

    #[test]
    fn a_plan_alone_is_timed_at_once_and_again_where_it_was_disturbed() {
        let alone = || {
            let request = Request::new(Config::preset("workshop", Version::V1.cut()).unwrap());
            Rounds::new(vec![request], 1)
        };
        let steady: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 3)).collect();
        let rising: Vec<f64> = (0..30).map(|i| 100.0 + 3.0 * f64::from(i)).collect();
        let made = |of: &[&Vec<f64>]| {
            let mut rounds = alone();
            for times in of {
                assert_eq!(rounds.next().unwrap().request.runs, 30);
                rounds.take(Ok(report(times)));
            }
            assert_eq!(rounds.next(), None);
            rounds.of(0).unwrap().unwrap()
        };
        assert_eq!(made(&[&steady]).report.notes, Vec::<String>::new());
        let second = made(&[&rising, &steady]);
        assert_eq!(second.report.time_us.unwrap().median, 101.0);
        assert!(second.trouble.is_none() && second.report.notes[0].contains("a second was made"));
        let both = made(&[&rising, &rising]);
        assert!(both.report.notes[0].contains("also when all of it was timed again"));
    }

    #[test]
    fn no_timed_runs_is_one_round() {
        let (_, order) = carried_out_untimed(rounds(0));
        assert_eq!(order, 4);
    }

    fn carried_out_untimed(mut rounds: Rounds) -> (Rounds, usize) {
        let mut made = 0;
        while let Some(visit) = rounds.next() {
            assert_eq!(visit.request.runs, 0);
            rounds.take(Ok(report(&[])));
            made += 1;
        }
        (rounds, made)
    }
}

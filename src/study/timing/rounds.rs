//! Plans in turns: every round runs each of them once, in an order drawn anew, so that
//! what a machine does meanwhile meets all of them alike.

use super::interval::LEAST;
use super::quiet::{self, Trouble, trouble};
use super::verdict::Verdict;
use plan::model::random::Stream;
use plan::run::{Report, Request, RunError, Timing, mad, median};
use plan::units::figure;
use std::ops::Range;

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
            request.trace = false;
            request.again = true;
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
        let alone = self.plans.iter().any(|plan| self.trouble(plan).is_some());
        alone || self.hidden().is_some()
    }

    /// What disturbed all plans together, where none has rounds enough to show it alone.
    pub fn hidden(&self) -> Option<Trouble> {
        let few = self.plans.len() > 1 && (self.round as usize) < quiet::LEAST;
        few.then(|| self.together(0..self.plans.len())).flatten()
    }

    /// What disturbed some plans, taken together: all of their times, round by round, each
    /// as a share of the median of its plan.
    pub fn together(&self, plans: Range<usize>) -> Option<Trouble> {
        let some = self.plans.get(plans)?.iter();
        let shares: Vec<Vec<f64>> = some
            .filter_map(|plan| {
                let times = plan.rounds();
                let known: Vec<f64> = times.iter().copied().filter(|t| t.is_finite()).collect();
                let middle = median(&known)?;
                Some(times.iter().map(|time| time / middle).collect())
            })
            .collect();
        let all = (0..self.round as usize)
            .flat_map(|round| shares.iter().filter_map(move |times| times.get(round)));
        trouble(&all.copied().filter(|t| t.is_finite()).collect::<Vec<f64>>())
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

    /// Why the runs that were asked for make fewer rounds than can show a difference, and
    /// how many make enough; `None` where they do, or where a plan is alone.
    pub fn too_few(&self) -> Option<String> {
        let asked = self.plans.iter().map(|p| p.request.runs).max()?;
        let (rounds, least) = (self.round as usize, LEAST as u32);
        (self.plans.len() > 1 && rounds < LEAST && self.runs > 0).then(|| {
            format!(
                "A round is {} of each: --runs {asked} made {}, and {LEAST}, the least that can show a difference, take --runs {}.",
                figure::counted(u64::from(self.runs), "run", "runs"),
                figure::counted(rounds as u64, "round", "rounds"),
                (least - 1) * IN_TURN + 1
            )
        })
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
mod tests;

//! Runs: the one in progress, the one that waits, and what was measured.

use std::collections::BTreeMap;

mod behind;
mod history;
mod said;

use super::clock::Millis;
use super::setup::Setup;
pub use behind::Behind;
use plan::cost::{Config, price};
use plan::fusion::Cut;
use plan::run::{
    BackendKind, MicroReport, Phase, Progress, Report, Request, RunError, RunErrorKind, WeightsFrom,
};
use study::timing::{Rounds, Timed, Verdict};

/// Number of a run; answers to older ones are told apart by it.
pub type Ticket = u64;

/// How many results are kept.
const KEPT: usize = 256;
/// A run shorter than this shows in the header only.
pub const CARD_AFTER: Millis = 500;

/// What was measured: of which plan, in which setup, on which backend.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    backend: BackendKind,
    setup: Setup,
    cut: Cut,
    /// The job in which it ran, by the number of its first run.
    job: Ticket,
    /// How many plans were timed in turns with it.
    among: usize,
    /// Its times, round by round of the job.
    rounds: Vec<f64>,
    /// Another build, or another device: it is shown as such, and compared with nothing.
    elsewhere: Option<String>,
    /// What the machine answered.
    pub report: Report,
}

/// A run in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// Its number.
    pub ticket: Ticket,
    /// What runs now.
    pub cut: Cut,
    /// What it is called, the plans after it included: `V2 beside V1`.
    pub title: String,
    /// On which backend.
    pub backend: BackendKind,
    /// In which setup.
    pub setup: Setup,
    /// The plans of the job.
    cuts: Vec<Cut>,
    /// The number of its first run.
    job: Ticket,
    /// The plans in turns.
    rounds: Rounds,
    /// How far it is.
    pub progress: Option<Progress>,
    /// When it began.
    pub since: Millis,
}

impl Running {
    /// Whether a plan is among those that run in turns.
    pub fn runs(&self, cut: Cut) -> bool {
        self.cuts.contains(&cut)
    }
}

/// A card: a run that did not end in a result. Its first word is its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// `failed`, `refused`, `stopped`, `missing`.
    pub word: &'static str,
    /// What is so, where, and the way out.
    pub lines: Vec<String>,
}

/// All about runs.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Behind whose cache runs are estimated from now on.
    pub behind: Behind,
    /// Which backend runs ask for, and whose results are shown.
    backend: BackendKind,
    measured: Vec<Measured>,
    running: Option<Running>,
    next: Option<(Setup, Vec<Cut>, BackendKind)>,
    last_ticket: Ticket,
    /// Seconds that a FLOP of a forward took on a backend, over the whole of its last
    /// run: checks, warm-up and repetitions.
    pace: Vec<(BackendKind, f64)>,
    /// A card waits to be folded away with Esc.
    pub card: Option<Card>,
    /// What the defective kernels of exercises yield, by name.
    pub mutants: BTreeMap<String, f64>,
    /// Experiments of the gym that were run, the newest last.
    pub micros: Vec<MicroReport>,
}

/// What became of a run that ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A result, and the sentence for the message row.
    Done(String),
    /// A result that is doubtful, and why.
    Doubtful(String),
    /// No result; a card says why, or the sentence alone.
    Nothing(String),
    /// The plans of the job go on in turns.
    GoesOn,
    /// They do, for as long again: something disturbed them; how long that makes it.
    Again(String),
    /// An answer to a run that was given up.
    Stale,
}

impl Runs {
    /// Runs ask for this backend from now on, and its results are shown.
    pub fn use_backend(&mut self, backend: BackendKind) {
        self.backend = backend;
    }

    /// Seconds that runs of so many FLOP in a forward will take, at the pace of the last
    /// run on this backend.
    pub fn expected(&self, flops: u64) -> Option<f64> {
        let pace = self.pace.iter().find(|(b, _)| *b == self.backend);
        pace.map(|(_, pace)| pace * flops as f64)
    }

    /// Takes the time that a run took.
    fn took(&mut self, running: &Running, now: Millis) {
        let cuts = running.cuts.iter();
        let prices = cuts.filter_map(|cut| price(&running.setup.config(*cut)).ok());
        let flops: u64 = prices.map(|cost| cost.forward.flops).sum();
        let seconds = now.saturating_sub(running.since) as f64 * 1e-3;
        let pace = seconds / flops.max(1) as f64;
        self.pace.retain(|(backend, _)| *backend != running.backend);
        self.pace.push((running.backend, pace));
    }

    /// The run in progress.
    pub fn running(&self) -> Option<&Running> {
        self.running.as_ref()
    }

    /// The run in progress, where this configuration is one of those that run in turns.
    pub fn runs(&self, config: &Config) -> Option<&Running> {
        let of = |running: &&Running| {
            let mut cuts = running.cuts.iter();
            cuts.any(|cut| running.setup.config(*cut) == *config)
        };
        self.running.as_ref().filter(of)
    }

    /// Whether this configuration is in the job that waits for the present one.
    pub fn waits(&self, config: &Config) -> bool {
        let next = self.next.as_ref();
        next.is_some_and(|(setup, cuts, _)| cuts.iter().any(|cut| setup.config(*cut) == *config))
    }

    /// Whether another job waits for the present one.
    pub fn waiting(&self) -> bool {
        self.next.is_some()
    }

    /// What this build measured on this machine, the newest first.
    fn here(&self) -> impl Iterator<Item = &Measured> {
        let all = self.measured.iter().rev();
        all.filter(|m| m.elsewhere.is_none())
    }

    /// What was measured of a plan, if it was.
    pub fn of(&self, setup: &Setup, cut: Cut) -> Option<&Report> {
        self.of_on(self.backend, setup, cut)
    }

    /// What was measured of a plan on a backend that is named.
    pub fn of_on(&self, backend: BackendKind, setup: &Setup, cut: Cut) -> Option<&Report> {
        self.here()
            .find(|m| m.cut == cut && m.setup == *setup && m.backend == backend)
            .map(|m| &m.report)
    }

    /// What the newest job in which both plans were timed in turns shows of them, and
    /// what can be said of their times.
    pub fn in_turns(&self, setup: &Setup, a: Cut, b: Cut) -> Option<([&Report; 2], Verdict)> {
        let of = |cut: Cut| {
            let all = self.here();
            all.filter(move |m| m.cut == cut && m.setup == *setup && m.backend == self.backend)
        };
        let (a, b) = of(a).find_map(|a| Some((a, of(b).find(|b| b.job == a.job)?)))?;
        let verdict = Verdict::of(&a.rounds, &b.rounds, a.among.saturating_sub(1));
        Some(([&a.report, &b.report], verdict))
    }

    /// Whether times of these plans stand beside each other that were not taken in turns.
    pub fn apart(&self, setup: &Setup, cuts: &[Cut]) -> bool {
        let newest = |cut: &Cut| {
            self.here()
                .find(|m| m.cut == *cut && m.setup == *setup && m.backend == self.backend)
                .filter(|m| m.report.time_us.is_some())
        };
        let mut jobs = cuts.iter().filter_map(newest).map(|m| m.job);
        let first = jobs.next();
        jobs.any(|job| Some(job) != first)
    }

    /// The bytes of a report that are estimated to reach DRAM behind the cache of the
    /// present device; none where another's was taken, or none.
    pub fn estimated(&self, report: &Report) -> Option<u64> {
        let bytes = report.bytes.estimated_dram;
        bytes.filter(|_| self.behind.made(&report.bytes))
    }

    /// What was counted of a plan line by line, if it was: on the SIMT machine,
    /// whatever backend runs use.
    pub fn counted(&self, setup: &Setup, cut: Cut) -> Option<&Report> {
        self.here()
            .filter(|m| m.cut == cut && m.setup == *setup)
            .map(|m| &m.report)
            .find(|report| report.kernels.iter().any(|k| !k.lines.is_empty()))
    }

    /// What was last measured of a configuration, whatever the seed.
    pub fn of_config(&self, config: &Config) -> Option<&Report> {
        self.here()
            .find(|m| m.setup.config(m.cut) == *config && m.backend == self.backend)
            .map(|m| &m.report)
    }

    /// Asks for plans to be run, in this order. Returns the request to start
    /// now; with a run in progress there is none, and the job waits in place
    /// of one that waited before.
    pub fn ask(&mut self, setup: &Setup, cuts: Vec<Cut>, now: Millis) -> Option<(Ticket, Request)> {
        self.ask_of(setup, cuts, self.backend, now)
    }

    /// Asks for a plan to be counted line by line, whatever backend runs use.
    pub fn ask_counts(
        &mut self,
        setup: &Setup,
        cut: Cut,
        now: Millis,
    ) -> Option<(Ticket, Request)> {
        let asked = self.ask_of(setup, vec![cut], BackendKind::Simt, now);
        // Nobody asked whether it is right: a check would only be waited for.
        asked.map(|(ticket, mut request)| {
            request.check = false;
            (ticket, request)
        })
    }

    fn ask_of(
        &mut self,
        setup: &Setup,
        cuts: Vec<Cut>,
        backend: BackendKind,
        now: Millis,
    ) -> Option<(Ticket, Request)> {
        if self.running.is_some() {
            self.next = Some((setup.clone(), cuts, backend));
            return None;
        }
        self.card = None;
        self.begin(setup.clone(), cuts, backend, now)
    }

    fn begin(
        &mut self,
        setup: Setup,
        cuts: Vec<Cut>,
        backend: BackendKind,
        now: Millis,
    ) -> Option<(Ticket, Request)> {
        let names: Vec<String> = cuts.iter().map(|c| c.title()).collect();
        let behind = self.behind.bytes;
        let request = |cut: &Cut| {
            let mut request = Request::new(setup.config(*cut));
            request.backend = backend;
            // Bytes are counted where the backend can count them.
            request.count_bytes = backend.runs_kernels();
            request.count_lines = backend == BackendKind::Simt;
            request.behind = Some(behind);
            // What counts has no clock for its kernels.
            request.trace = backend != BackendKind::Simt;
            request.seed = setup.seed;
            request.weights = WeightsFrom::Seed(setup.seed);
            request
        };
        let rounds = Rounds::new(cuts.iter().map(request).collect(), setup.seed).all_or_none();
        let visit = rounds.next()?;
        self.last_ticket += 1;
        self.running = Some(Running {
            ticket: self.last_ticket,
            cut: *cuts.get(visit.plan)?,
            title: names.join(" beside "),
            backend,
            setup,
            cuts,
            job: self.last_ticket,
            rounds,
            progress: None,
            since: now,
        });
        Some((self.last_ticket, visit.request))
    }

    /// Takes a progress report.
    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        if let Some(r) = &mut self.running
            && r.ticket == ticket
        {
            let quick = matches!(progress.phase, Phase::Timing | Phase::WarmUp);
            let (done, total) = r.rounds.progress();
            r.progress = Some(match quick && r.cuts.len() > 1 {
                true => Progress::new(Phase::Timing, done, total),
                false => progress,
            });
        }
    }

    /// Takes the end of a run. Returns what became of it and the request to
    /// start next, if any.
    pub fn done(
        &mut self,
        ticket: Ticket,
        result: Result<Report, RunError>,
        now: Millis,
    ) -> (Outcome, Option<(Ticket, Request)>) {
        let Some(mut running) = self.running.take_if(|r| r.ticket == ticket) else {
            return (Outcome::Stale, None);
        };
        let refused = result
            .as_ref()
            .ok()
            .and_then(|r| said::refused(running.cut, r));
        let outcome = match (refused, result) {
            (Some(card), _) => {
                let title = running.cut.title();
                self.card = Some(card);
                Outcome::Nothing(format!("refused: {title} gives wrong numbers."))
            }
            (None, Err(error)) => self.no_result(&running, &error),
            (None, Ok(report)) => {
                let repeated = running.rounds.repeated();
                running.rounds.take(Ok(report));
                if let Some(visit) = running.rounds.next() {
                    self.last_ticket += 1;
                    running.ticket = self.last_ticket;
                    running.cut = running.cuts.get(visit.plan).copied().unwrap_or(running.cut);
                    let (done, total) = running.rounds.progress();
                    // Between two visits it is as far as it was.
                    running.progress =
                        (running.cuts.len() > 1).then(|| Progress::new(Phase::Timing, done, total));
                    let outcome = match running.rounds.repeated() && !repeated {
                        true => Outcome::Again(said::again(&running)),
                        false => Outcome::GoesOn,
                    };
                    self.running = Some(running);
                    return (outcome, Some((self.last_ticket, visit.request)));
                }
                self.took(&running, now);
                self.keep(&running)
            }
        };
        let next = self.next.take();
        let next = next.and_then(|(setup, cuts, backend)| self.begin(setup, cuts, backend, now));
        let outcome = match outcome {
            Outcome::Nothing(text) if next.is_some() => {
                Outcome::Nothing(format!("{text} The next one runs."))
            }
            outcome => outcome,
        };
        (outcome, next)
    }

    /// Keeps what a job measured, and says what came of it.
    fn keep(&mut self, running: &Running) -> Outcome {
        let cuts = running.cuts.iter().enumerate();
        let timed = cuts.filter_map(|(at, cut)| Some((*cut, running.rounds.of(at)?.ok()?)));
        let timed: Vec<(Cut, Timed)> = timed.collect();
        let text = said::line(running, &timed);
        let other = timed
            .iter()
            .find_map(|(cut, timed)| said::other_plan(&cut.title(), &timed.report));
        let doubt = other.or_else(|| said::doubt(&timed));
        for (cut, timed) in timed {
            if self.measured.len() == KEPT {
                self.measured.remove(0);
            }
            self.measured.push(Measured {
                backend: running.backend,
                setup: running.setup.clone(),
                cut,
                job: running.job,
                among: running.cuts.len(),
                rounds: timed.rounds,
                elsewhere: None,
                report: timed.report,
            });
        }
        match doubt {
            Some(why) => Outcome::Doubtful(why),
            None => Outcome::Done(text),
        }
    }

    fn no_result(&mut self, running: &Running, error: &RunError) -> Outcome {
        let word = match error.kind {
            RunErrorKind::Cancelled if running.cuts.len() > 1 => {
                let (done, all) = running.rounds.progress();
                // What has no clock runs each plan once.
                let all = match running.backend {
                    BackendKind::Simt => running.cuts.len() as u32,
                    _ => all,
                };
                return Outcome::Nothing(RunError::cancelled(done, all).to_string());
            }
            RunErrorKind::Cancelled => return Outcome::Nothing(error.to_string()),
            RunErrorKind::BadRequest => "refused",
            RunErrorKind::Missing => "missing",
            RunErrorKind::Failed => "failed",
        };
        self.card = Some(Card {
            word,
            lines: vec![
                format!("{}: {error}", running.cut.title()),
                "The screen, your plan and your answers are as they were. No time was recorded."
                    .to_owned(),
            ],
        });
        Outcome::Nothing(format!("{word}: {error}"))
    }
}

#[cfg(test)]
pub(crate) mod tests;

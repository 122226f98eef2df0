//! What a parent lets an engine do: how long it may say nothing, how it is
//! stopped, and what happens after it died.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::child::{Child, News};
use super::program::Program;
use plan::run::{
    Answer, Ask, BackendState, Observer, Phase, Progress, Report, Request, RunError, RunErrorKind,
};

/// How often a parent looks whether it is to stop while an engine runs.
const LOOKS: Duration = Duration::from_millis(10);

/// How often one request may end the engine.
const STRIKES: u32 = 2;

/// How long an engine may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From its start to its greeting, and to the answer to a probe.
    pub greeting: Duration,
    /// Without a sign, while it does this.
    pub silence: fn(Phase) -> Duration,
    /// From being told to stop to having stopped.
    pub stops: Duration,
    /// From one that died to the next; doubled with each in a row.
    pub back_off: Duration,
    /// The longest of those waits.
    pub longest_back_off: Duration,
}

/// How many times as long everything may take under a debugger or a checker.
const WRAPPED: u32 = 60;

impl Limits {
    /// For this program: patient where a command stands in front of it.
    pub fn of(program: &Program) -> Self {
        let usual = Self::default();
        if !program.is_wrapped() {
            return usual;
        }
        Self {
            greeting: usual.greeting * WRAPPED,
            silence: |phase| silence(phase) * WRAPPED,
            ..usual
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(20),
            silence,
            stops: Duration::from_secs(2),
            back_off: Duration::from_millis(250),
            longest_back_off: Duration::from_secs(8),
        }
    }
}

/// How long a phase may go on without a sign. A step of a GPU's timing is one
/// forward, of compiling one kernel, of a check one layer in fp64 on the CPU.
fn silence(phase: Phase) -> Duration {
    Duration::from_secs(match phase {
        Phase::WarmUp | Phase::Timing => 10,
        Phase::Open | Phase::Prefill => 30,
        Phase::Compile => 120,
        Phase::Prepare | Phase::Count => 300,
        Phase::Check => 900,
    })
}

/// Runs requests in an engine process, one after another, and outlives it.
pub struct Supervisor {
    program: Program,
    limits: Limits,
    child: Option<Child>,
    last_ticket: u64,
    /// Ends in a row, and when the last was.
    ends: u32,
    ended_at: Option<Instant>,
    strikes: HashMap<String, u32>,
}

/// What an engine was doing when it was last heard of.
struct Watched {
    /// When.
    sign: Instant,
    /// The last that it said.
    last: Option<Progress>,
    /// Timed runs that were done, and all of them.
    done: u32,
    of: u32,
    /// When it was told to stop.
    told: Option<Instant>,
}

impl Watched {
    fn phase(&self) -> Phase {
        self.last.as_ref().map_or(Phase::Open, |p| p.phase)
    }

    /// `while compiling flash for sm_90a`.
    fn doing(&self) -> String {
        self.last
            .as_ref()
            .map_or("before it began".to_owned(), |p| format!("while {p}"))
    }
}

impl Supervisor {
    /// A supervisor of `program`. Nothing is started before there is a request.
    pub fn new(program: Program, limits: Limits) -> Self {
        Self {
            program,
            limits,
            child: None,
            last_ticket: 0,
            ends: 0,
            ended_at: None,
            strikes: HashMap::new(),
        }
    }

    /// Runs a request; the logits go to `logits` as npy. An engine is started
    /// where none runs.
    ///
    /// # Errors
    /// Whatever the run itself gives. An engine that ends, hangs, or says what
    /// is no answer: the run has failed, and the next starts a new engine. A
    /// request that ended two engines is not tried again.
    pub fn run(
        &mut self,
        request: &Request,
        logits: Option<&Path>,
        observer: &dyn Observer,
    ) -> Result<Report, RunError> {
        let fingerprint = fingerprint(request);
        let strikes = self.strikes.get(&fingerprint).copied().unwrap_or(0);
        if strikes >= STRIKES {
            return Err(RunError::failed(format!(
                "this run ended the engine {strikes} times and is set aside until the program is started again; the simt backend runs the same kernels and names the line"
            )));
        }
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        let stopped = || RunError::cancelled(0, request.runs);
        let Some(child) = self.ready(&|| observer.cancelled())? else {
            return Err(stopped());
        };
        child.say(Ask::Run {
            ticket,
            request: Box::new(request.clone()),
            logits: logits.map(Path::to_owned),
        });
        let result = self.watch(ticket, request, observer);
        match &result {
            Ok(Err(e)) if e.kind == RunErrorKind::Failed => {
                // A device that went wrong may stay wrong for its process.
                self.end();
            }
            Ok(_) => self.ends = 0,
            Err(_) => *self.strikes.entry(fingerprint).or_default() += 1,
        }
        result?
    }

    /// Looks which backends can run in an engine.
    ///
    /// # Errors
    /// An engine that does not start, or does not answer.
    pub fn probe(&mut self) -> Result<Vec<BackendState>, RunError> {
        let limit = self.limits.greeting;
        let Some(child) = self.ready(&|| false)? else {
            return Ok(Vec::new());
        };
        child.say(Ask::Probe);
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match child.wait(left) {
                News::Answer(Answer::Found(states)) => return Ok(states),
                News::Answer(_) => {}
                News::Silence => {
                    return Err(self.hung(limit, "while looking for devices"));
                }
                News::Garbage(why) => return Err(self.mad(&why, "while looking for devices")),
                News::Closed => return Err(self.died("while looking for devices")),
            }
        }
    }

    /// An engine that has greeted; `None`: it was to stop meanwhile.
    fn ready(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<&Child>, RunError> {
        // One that died while it had nothing to do is no run's fault. What it
        // said late about an older run is dropped.
        while let Some(child) = &self.child {
            match child.wait(Duration::ZERO) {
                News::Answer(_) => {}
                News::Silence => break,
                News::Garbage(_) | News::Closed => self.child = None,
            }
        }
        if self.child.is_none() {
            while let Some(left) = self.back_off() {
                if stop() {
                    return Ok(None);
                }
                std::thread::sleep(left.min(LOOKS));
            }
            let child = Child::start(&self.program).map_err(|e| {
                RunError::failed(format!("the engine process cannot be started: {e}"))
            })?;
            self.child = Some(child);
            self.greeted()?;
        }
        Ok(self.child.as_ref())
    }

    /// Waits for the greeting of a new engine.
    fn greeted(&mut self) -> Result<(), RunError> {
        let limit = self.limits.greeting;
        let news = match &self.child {
            Some(child) => child.wait(limit),
            None => News::Closed,
        };
        match news {
            News::Answer(Answer::Hello { build }) if build == super::program::build() => Ok(()),
            News::Answer(Answer::Hello { build }) => {
                self.end();
                Err(RunError::failed(format!(
                    "the engine is build {} and this is build {}: the program was replaced while it ran; start it again",
                    shown(&build),
                    super::program::build()
                )))
            }
            News::Answer(_) => Err(self.mad(&"no greeting", "at its start")),
            News::Garbage(why) => Err(self.mad(&why, "at its start")),
            News::Silence => Err(self.hung(limit, "at its start")),
            News::Closed => Err(self.died("at its start")),
        }
    }

    /// What is left of the wait before the next engine.
    fn back_off(&self) -> Option<Duration> {
        let since = self.ended_at?.elapsed();
        let doublings = self.ends.saturating_sub(1).min(16);
        let wait = self
            .limits
            .back_off
            .saturating_mul(1 << doublings)
            .min(self.limits.longest_back_off);
        wait.checked_sub(since).filter(|left| !left.is_zero())
    }

    /// Watches a run to its end, and gives what it gave. `Err`: the engine is
    /// gone, and why.
    fn watch(
        &mut self,
        ticket: u64,
        request: &Request,
        observer: &dyn Observer,
    ) -> Result<Result<Report, RunError>, RunError> {
        let mut watched = Watched {
            sign: Instant::now(),
            last: None,
            done: 0,
            of: request.runs,
            told: None,
        };
        loop {
            let Some(child) = &self.child else {
                return Err(RunError::failed("the engine is gone"));
            };
            match child.wait(LOOKS) {
                News::Answer(Answer::Progress(of, progress)) if of == ticket => {
                    watched.sign = Instant::now();
                    if progress.phase == Phase::Timing {
                        (watched.done, watched.of) = (progress.done, progress.total);
                    }
                    observer.progress(progress.clone());
                    watched.last = Some(progress);
                }
                News::Answer(Answer::Done(of, result)) if of == ticket => {
                    return Ok(result.map(|report| *report));
                }
                News::Answer(_) | News::Silence => {}
                News::Garbage(why) => return Err(self.mad(&why, &watched.doing())),
                News::Closed if watched.told.is_some() => {
                    self.end();
                    return Ok(Err(RunError::cancelled(watched.done, watched.of)));
                }
                News::Closed => return Err(self.died(&watched.doing())),
            }
            match watched.told {
                None if observer.cancelled() => {
                    watched.told = Some(Instant::now());
                    if let Some(child) = &self.child {
                        child.say(Ask::Cancel(ticket));
                    }
                }
                None => {
                    let limit = (self.limits.silence)(watched.phase());
                    if watched.sign.elapsed() >= limit {
                        return Err(self.hung(limit, &watched.doing()));
                    }
                }
                Some(told) if told.elapsed() >= self.limits.stops => {
                    self.end();
                    return Ok(Err(RunError::cancelled(watched.done, watched.of)));
                }
                Some(_) => {}
            }
        }
    }

    /// Ends the engine; it is nobody's fault.
    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill();
        }
    }

    /// The engine was not to end, and has.
    fn lost(&mut self) {
        self.ends = self.ends.saturating_add(1);
        self.ended_at = Some(Instant::now());
    }

    /// The engine closed its end.
    fn died(&mut self, doing: &str) -> RunError {
        let (ended, words) = match self.child.take() {
            Some(mut child) => (child.ended().to_string(), child.last_words()),
            None => ("is gone".to_owned(), String::new()),
        };
        self.lost();
        let said = match words.as_str() {
            "" => String::new(),
            words => format!(". Its last words: {words}"),
        };
        RunError::failed(format!(
            "the engine {ended} {doing}; the next run starts a new one{said}"
        ))
    }

    /// The engine said nothing for too long.
    fn hung(&mut self, limit: Duration, doing: &str) -> RunError {
        let ended = self.child.take().map(|mut child| child.kill());
        self.lost();
        let ended = match ended {
            Some(super::child::Ended::Never) => {
                "it cannot be ended either, so the GPU stays taken until it is"
            }
            _ => "it was ended, and the next run starts a new one",
        };
        RunError::failed(format!(
            "the engine gave no sign for {} {doing}: something that never ends, such as a grid barrier that nobody leaves, or a very slow step; {ended}",
            spoken(limit)
        ))
    }

    /// The engine said what is no answer.
    fn mad(&mut self, why: &dyn fmt::Display, doing: &str) -> RunError {
        let words = self.child.take().map(|mut child| {
            child.kill();
            child.last_words()
        });
        self.lost();
        let said = match words.as_deref() {
            None | Some("") => String::new(),
            Some(words) => format!(". Its last words: {words}"),
        };
        RunError::failed(format!(
            "the engine said something that is no answer {doing} ({}); it was ended, and the next run starts a new one{said}",
            shown(&why.to_string())
        ))
    }
}

/// What makes two requests the same as far as a crash is concerned: not how
/// often they are timed.
fn fingerprint(request: &Request) -> String {
    let same = Request {
        runs: 0,
        warm_up: 0,
        again: false,
        ..request.clone()
    };
    serde_json::to_string(&same).unwrap_or_default()
}

/// A duration as a sentence says it.
fn spoken(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// Words that came over the wire, short and without controls.
fn shown(words: &str) -> String {
    words
        .chars()
        .filter(|c| !c.is_control())
        .take(120)
        .collect()
}

#[cfg(test)]
mod tests;

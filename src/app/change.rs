//! Changes of the plan that all pages share, and runs of it: each says in the
//! message row what came of it.

mod sentence;

use super::intent::Out;
use super::merge::Merge;
use super::message::Effect;
use super::note::Tone;
use super::page::Page;
use super::setup::Setup;
use super::shared::Shared;
use course::answer::USUAL_GPU;
use plan::cost::{CostError, price};
use plan::fusion::{Boundary, Cut, Fusion, Version};
use plan::run::{BackendKind, Request};
use sentence::{Change, changed};

/// Seconds of one core that the SIMT machine takes for a FLOP of a forward: 2 to 4 ns, V1 of
/// the workshop at batch 1 and 4 on a server CPU. Only until a run shows the pace here.
const ON_SIMT: f64 = 3e-9;

/// Seconds from which on a run says beforehand how long it will take.
const WAITED: f64 = 3.0;

impl Shared {
    /// Flips a fusion of the plan.
    pub fn flip(&mut self, fusion: Fusion) {
        let cut = self.bench.flipped(fusion);
        self.put(cut, Change::Flip);
    }

    /// Takes a wall down, or puts it up.
    pub fn flip_wall(&mut self, wall: Boundary) {
        let cut = self.bench.wall_flipped(wall);
        self.put(cut, Change::Wall);
    }

    /// Goes to the next version, or the one before; from a plan of the learner's
    /// own to the first, or the last.
    pub fn next_version(&mut self, forward: bool) {
        let versions = Version::WORKSHOP;
        let at = versions.iter().position(|v| v.cut() == self.bench.cut());
        let to = match (at, forward) {
            (Some(i), true) => (i + 1) % versions.len(),
            (Some(i), false) => (i + versions.len() - 1) % versions.len(),
            (None, true) => 0,
            (None, false) => versions.len() - 1,
        };
        if let Some(v) = versions.get(to) {
            self.put(v.cut(), Change::Version);
        }
    }

    /// Puts the plan of another page, or of a block, on the bench, and says so where the
    /// learner's own was there.
    pub(super) fn hold(&mut self, cut: Cut) {
        let before = self.bench.cut();
        if let Err(error) = self.bench.put(cut) {
            self.notes.say(Tone::Bad, error.to_string());
        } else if let Some(back) = self.back_to(before) {
            let text = format!("The lab holds {} now. {back}", cut.title());
            self.notes.say(Tone::Plain, text);
        } else if before != cut {
            let text = format!(
                "The lab holds {} now, after {}.",
                cut.title(),
                before.title()
            );
            self.notes.say(Tone::Plain, text);
        }
    }

    /// How a plan of the learner's own comes back that the bench held; a version is one key
    /// away.
    fn back_to(&self, before: Cut) -> Option<String> {
        let own = Version::WORKSHOP.iter().all(|v| v.cut() != before);
        let place = match self.lacks(Page::Lab.least()) {
            true => "",
            false => " in the lab",
        };
        (own && before != self.bench.cut())
            .then(|| format!("u{place} brings back {}.", before.title()))
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        match self.changing(Change::Flip, |shared| shared.bench.undo()) {
            Ok(true) | Err(_) => {}
            Ok(false) => self.notes.say(Tone::Plain, "Nothing to undo."),
        }
    }

    fn put(&mut self, cut: Cut, change: Change) {
        // The sentence is said where nothing changes, too.
        let _ = self.changing(change, |shared| shared.bench.put(cut).map(|()| true));
    }

    /// Changes the plan and says what that changed; `false`: nothing did.
    fn changing(
        &mut self,
        change: Change,
        how: impl FnOnce(&mut Shared) -> Result<bool, CostError>,
    ) -> Result<bool, CostError> {
        let (before, walls) = (self.bench.cost().clone(), self.bench.effective_cut());
        let done = how(self);
        match &done {
            Ok(true) => {
                if self.look.motion {
                    self.merge = Merge::of(walls, self.bench.effective_cut(), self.now);
                }
                let mut text = changed(&before, self.bench.cost(), self.bench.v1(), change);
                let back = self.back_to(before.config.cut);
                if let Some(back) = back.filter(|_| change == Change::Version) {
                    text = format!("{text}. {back}");
                }
                self.notes.say(Tone::Plain, text);
            }
            Ok(false) => {}
            Err(error) => self.notes.say(Tone::Bad, error.to_string()),
        }
        done
    }

    /// Runs this plan in turns with V1, which its times are compared with. What is
    /// counted has no time: V1 is counted once.
    pub fn run(&mut self, out: &mut Out) {
        let plan = self.bench.cut();
        let v1 = Version::V1.cut();
        let counts = self.machine.kind() == BackendKind::Simt;
        let known = counts && self.runs.of(self.bench.setup(), v1).is_some();
        let mut cuts = vec![plan];
        if plan != v1 && !known {
            cuts.push(v1);
        }
        self.start(cuts, out);
    }

    /// Runs this plan and V1 again.
    pub fn run_all(&mut self, out: &mut Out) {
        let mut cuts = vec![self.bench.cut(), Version::V1.cut()];
        cuts.dedup();
        self.start(cuts, out);
    }

    /// Asks for plans to be run in the setup of the bench.
    pub fn start(&mut self, cuts: Vec<Cut>, out: &mut Out) {
        let setup = self.bench.setup().clone();
        self.start_in(&setup, cuts, out);
    }

    /// Asks for plans to be run in a setup of their own, or says what the backend lacks. The
    /// bench stays as it is.
    pub fn start_in(&mut self, setup: &Setup, cuts: Vec<Cut>, out: &mut Out) {
        if self.studies.making().is_some() {
            let text = "A study is being made, which a run would disturb; Ctrl-C stops it.";
            self.notes.say(Tone::Plain, text);
            return;
        }
        if let Some(backend) = self.machine.backend() {
            let missing = cuts
                .iter()
                .flat_map(|c| c.largest_fusions())
                .find(|f| backend.lacks.contains(f));
            if let Some(fusion) = missing {
                let text = format!(
                    "{} has no kernel for {}. The model prices it; cpu can run it (in the lab: p, backend).",
                    backend.name,
                    fusion.name()
                );
                self.notes.say(Tone::Warn, text);
                return;
            }
        }
        let first = cuts.first().copied().unwrap_or(Version::V1.cut());
        let flops = match price(&setup.config(first)) {
            Ok(cost) => cost.forward.flops,
            Err(error) => return self.notes.say(Tone::Bad, error.to_string()),
        };
        self.say_how_long(flops * cuts.len() as u64);
        let asked = self.runs.ask(setup, cuts, self.now);
        self.begin(asked, out);
    }

    /// Says how long runs of so many FLOP take, where one waits for them.
    fn say_how_long(&mut self, flops: u64) {
        let known = self.runs.expected(flops);
        let usual = (self.machine.kind() == BackendKind::Simt).then_some(ON_SIMT * flops as f64);
        let Some(seconds) = known.or(usual).filter(|seconds| *seconds > WAITED) else {
            return;
        };
        let about = match seconds < 120.0 {
            true => format!("About {seconds:.0} s"),
            false => format!("About {:.0} min", seconds / 60.0),
        };
        let (tone, why) = match known {
            Some(_) => (Tone::Plain, ", at the pace of the last run"),
            None => (Tone::Warn, " of one core, instruction by instruction"),
        };
        let text = format!("{about}{why}. Ctrl-C stops.");
        self.notes.say(tone, text);
    }

    /// Counts the plan line by line on the SIMT machine.
    pub fn count_lines(&mut self, out: &mut Out) {
        let cut = self.bench.cut();
        let asked = self.runs.ask_counts(self.bench.setup(), cut, self.now);
        self.begin(asked, out);
    }

    fn begin(&mut self, asked: Option<(super::runs::Ticket, Request)>, out: &mut Out) {
        match asked {
            Some((ticket, request)) => out.push(Effect::StartRun(ticket, Box::new(request))),
            None => self.notes.say(
                Tone::Plain,
                "A run is in progress; this one is next. Ctrl-C stops the run.",
            ),
        }
    }

    /// Asks for the ceilings of the device that runs, and says so; not during a
    /// run, which would slow the measurement down.
    pub fn measure(&mut self, text: &str, out: &mut Out) {
        if self.runs.running().is_some() {
            let text = "A run is under way; R measures the ceilings when it has ended.";
            self.notes.say(Tone::Plain, text);
        } else {
            out.push(Effect::Measure(self.machine.kind()));
            self.notes.say(Tone::Plain, text);
        }
    }

    /// The plan and its setup as a command line of this program.
    pub fn command(&self, subcommand: &str) -> String {
        let plan = self.bench.cut().as_options();
        // What is priced needs no seed.
        let setup = match subcommand {
            "cost" => self.bench.setup().config(Cut::v1()).as_options(),
            _ => self.bench.setup().as_options(),
        };
        let on = match subcommand {
            "run" => self.on_device() + &self.on_backend(),
            _ => self.on_device(),
        };
        format!("{NAME} {subcommand} {plan}{setup}{on}")
    }

    /// The backend as an option of what runs, where the learner picked one.
    pub(crate) fn on_backend(&self) -> String {
        let picked = self.machine.backend().filter(|_| self.machine.picked);
        picked.map_or(String::new(), |b| format!(" --backend {}", b.name))
    }

    /// The device of the course as an option; none where a shell takes the same anyway.
    pub(crate) fn on_device(&self) -> String {
        match self.study.course.gpu() {
            USUAL_GPU => String::new(),
            gpu => format!(" --gpu {gpu}"),
        }
    }
}

/// The program's name, as its commands begin.
pub(super) const NAME: &str = "tinyllama-tutor";

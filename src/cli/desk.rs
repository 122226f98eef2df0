//! What the learner's commands share: the course, the learner's files, and the
//! figures that texts refer to.

use std::cell::{Cell, OnceCell};

use super::args::OutputArgs;
use super::failure::Failure;
use backend::submission::mutant;
use backend::{Runner, microbenchmark};
use course::answer::{self, Env, Records, Setup};
use course::{
    Course, Event, Exercise, Fault, Figures, Inline, Key, Ledger, Lesson, Level, Places, Progress,
    Sheet, Store, Surroundings, fill,
};
use plan::cost::{Config, GpuDatabase};
use plan::model::Shape;
use plan::run::{BackendKind, Metric, MicroRequest, Report, Request, RunError, Unwatched};
use plan::units::Quantity;

/// The course and the learner's files.
pub(super) struct Desk {
    pub(super) places: Places,
    pub(super) course: Course,
    gpus: OnceCell<GpuDatabase>,
    store: Store,
    progress: OnceCell<Progress>,
    /// Texts are folded to ASCII.
    pub(super) ascii: bool,
    /// Nothing is written, neither progress nor sheets.
    pub(super) read_only: bool,
    /// Something that was to be kept could not be.
    pub(super) lost: Cell<bool>,
    /// An expression of the course had no value.
    pub(super) failed: Cell<bool>,
}

/// Timed runs of a measured question, and runs before them that do not count.
const TIMED: u32 = 9;
const WARM_UP: u32 = 2;

/// Runs that were made for the answers at hand.
#[derive(Default)]
pub(super) struct Runs {
    reports: Vec<(Config, Report)>,
}

impl Runs {
    /// Makes every run that the answer and the slips of `key` ask, unless it was
    /// made already: timed where a time is asked for, checked where an error is,
    /// and narrow where launches alone are.
    pub(super) fn make(&mut self, key: &answer::Key, setup: &Setup) -> Result<(), RunError> {
        for (config, figures) in key.runs(setup) {
            let asks = |what: &str| figures.iter().any(|figure| figure.starts_with(what));
            let known = self.reports.iter().position(|(known, _)| *known == config);
            let lacks = |report: &Report| {
                asks("time.") && report.time_us.is_none()
                    || asks("check.") && report.check.is_none()
                    || asks("held") && report.held_bytes.is_none()
            };
            match known.and_then(|at| self.reports.get(at)) {
                Some((_, report)) if !lacks(report) => continue,
                _ => {}
            }
            let narrow = figures.iter().all(|figure| figure.starts_with("launches."));
            let timed = asks("time.");
            let request = Request {
                runs: if timed { TIMED } else { 0 },
                warm_up: if timed { WARM_UP } else { 0 },
                check: asks("check."),
                ..Request::new(if narrow {
                    narrowed(&config)
                } else {
                    config.clone()
                })
            };
            let report = Runner::all().run(&request, &Unwatched)?.report;
            self.reports.retain(|(known, _)| *known != config);
            self.reports.push((config, report));
        }
        Ok(())
    }
}

/// The same plan and the same layers for one token, two columns per head wide.
/// It starts as many kernels, and a verdict need not wait for the products.
fn narrowed(config: &Config) -> Config {
    let mut narrow = config.clone();
    narrow.model.hidden = 2 * config.model.heads;
    narrow.model.ffn = 2;
    narrow.model.vocab = 2;
    narrow.shape = Shape::prefill(1, 1);
    narrow
}

/// Says what is wrong with a text that is used all the same, and gives the
/// exit code: 4 where it is more than a warning.
pub(super) fn complaints(faults: &[Fault]) -> u8 {
    let mut code = 0;
    for fault in faults.iter().filter(|f| f.level == Level::Error) {
        super::out::complain(&fault.to_string());
        code = 4;
    }
    code
}

impl Records for Runs {
    fn report(&self, config: &Config) -> Option<&Report> {
        self.reports
            .iter()
            .find(|(known, _)| known == config)
            .map(|(_, report)| report)
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        Figures::built_in().recorded(id)
    }

    /// Counts are the same every time and had in no time: they are made here.
    fn micro(&self, kernel: &str, value: u64, field: &str) -> Option<Quantity> {
        let value = u32::try_from(value).ok()?;
        let request = MicroRequest::new(kernel, &[value], BackendKind::Simt).ok()?;
        let report = microbenchmark::run(&request).ok()?;
        Metric::find(field)?.quantity(report.rows.first()?)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Ledger::built_in().verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Ledger::built_in().count(verdict)
    }

    fn mutant(&self, name: &str) -> Result<f64, String> {
        mutant(name).map_err(|e| e.to_string())
    }
}

impl Desk {
    pub(super) fn open(output: &OutputArgs) -> Self {
        let places = Places::find(
            &Surroundings::here(),
            output.state.as_deref(),
            output.course.as_deref(),
        );
        Self {
            course: Course::open(&places),
            store: Store::new(&places),
            gpus: OnceCell::new(),
            progress: OnceCell::new(),
            ascii: output.ascii,
            read_only: false,
            lost: Cell::new(false),
            failed: Cell::new(false),
            places,
        }
    }

    /// The course, refused where the one that was asked for is not there or empty.
    /// A file that could not be taken up is said, and the rest is used.
    pub(super) fn whole(self) -> Result<Self, Failure> {
        let desk = self.found()?;
        complaints(desk.course.faults());
        Ok(desk)
    }

    /// The same, and files that could not be taken up are left to the caller.
    pub(super) fn found(self) -> Result<Self, Failure> {
        let Some(fault) = self.course.astray() else {
            return Ok(self);
        };
        let sentence = fault.to_string();
        let there = self.places.faults.is_empty()
            && self.places.overlays.iter().all(|folder| folder.is_dir());
        Err(if there {
            Failure::content(sentence)
        } else {
            Failure::usage(sentence)
        })
    }

    pub(super) fn gpus(&self) -> Result<&GpuDatabase, Failure> {
        if let Some(gpus) = self.gpus.get() {
            return Ok(gpus);
        }
        let gpus = GpuDatabase::embedded()?;
        Ok(self.gpus.get_or_init(|| gpus))
    }

    /// Progress as it is on disk; a note about a broken file goes to standard error.
    pub(super) fn progress(&self) -> &Progress {
        self.progress.get_or_init(|| {
            let (progress, note) = match self.read_only {
                true => self.store.look(),
                false => self.store.load(),
            };
            if let Some(note) = note {
                super::out::complain(&note);
            }
            progress
        })
    }

    /// Keeps events and gives the progress with them; what cannot be kept is
    /// said and remembered in `lost`, and the command goes on.
    pub(super) fn record(&self, events: &[Event]) -> Progress {
        let mut progress = self.progress().clone();
        if events.is_empty() {
            return progress;
        }
        if !self.read_only {
            match self.store.record(events) {
                Ok(progress) => return progress,
                Err(fault) => {
                    super::out::complain(&fault.to_string());
                    self.lost.set(true);
                }
            }
        }
        events.iter().for_each(|event| progress.apply(event));
        progress
    }

    /// Keeps events, or says why that cannot be.
    pub(super) fn must_record(&self, events: &[Event]) -> Result<(), Failure> {
        self.store
            .record(events)
            .map(drop)
            .map_err(|fault| Failure::usage(fault.to_string()))
    }

    /// Merges the progress of another file into this one.
    pub(super) fn take_in(&self, other: &Progress) -> Result<Progress, Failure> {
        self.store
            .take_in(other)
            .map_err(|fault| Failure::usage(fault.to_string()))
    }

    /// An exercise by name, with the nearest where there is none.
    pub(super) fn exercise(&self, typed: &str) -> Result<&Exercise, Failure> {
        self.course.exercise(typed).map_err(Failure::usage)
    }

    /// An exercise in the variant that is asked for, else in the one that its
    /// sheet answers.
    pub(super) fn varied(
        &self,
        exercise: &Exercise,
        asked: Option<usize>,
    ) -> Result<Exercise, Failure> {
        let number = asked.unwrap_or_else(|| match Sheet::open(&self.places, exercise) {
            Ok(sheet) => sheet.variant(),
            // A sheet that cannot be read is complained of where it is needed.
            Err(_) => self.progress().variant(&exercise.id),
        });
        exercise.variant(number).map_err(Failure::usage)
    }

    /// A lesson by id or number.
    pub(super) fn lesson(&self, typed: &str) -> Result<&Lesson, Failure> {
        self.course.lesson(typed).map_err(Failure::usage)
    }

    /// A key by name or by number.
    pub(super) fn key<'e>(&self, exercise: &'e Exercise, typed: &str) -> Result<&'e Key, Failure> {
        exercise.key(typed).ok_or_else(|| {
            let say = course::no_such_key(exercise, typed);
            match exercise.unreadable() {
                Some(_) => Failure::content(say),
                None => Failure::usage(say),
            }
        })
    }

    /// The environment of a text's own configuration.
    pub(super) fn env<'d>(
        &'d self,
        setup: &course::Setup,
        records: &'d dyn Records,
    ) -> Result<Env<'d>, Failure> {
        Ok(Env::new(
            Setup::workshop()?.with(&setup.meaning()),
            self.gpus()?,
            records,
        ))
    }

    /// A text with its inline numbers filled in.
    pub(super) fn filled(&self, text: &str, env: &Env<'_>) -> String {
        fill(text, |inline: &Inline| self.shown(inline, env))
    }

    /// A number as it is shown, or why it cannot be.
    pub(super) fn shown(&self, inline: &Inline, env: &Env<'_>) -> String {
        inline
            .show(env)
            .unwrap_or_else(|(_, say)| self.unshown(&say))
    }

    /// What stands in the place of a number that has no value.
    pub(super) fn unshown(&self, say: &str) -> String {
        self.has_failed();
        format!("({say})")
    }

    /// Something that was to be shown has no value.
    pub(super) fn has_failed(&self) {
        self.failed.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::price;
    use plan::fusion::{Fusion, Version};

    #[test]
    fn a_narrow_run_starts_as_many_kernels() {
        let versions = Version::ALL.into_iter().map(Version::cut);
        let fusions = Fusion::ALL.into_iter().map(|f| Version::V1.cut().fuse(f));
        for cut in versions.chain(fusions) {
            let mut config = Config::preset("workshop", cut).unwrap();
            for split in [false, true] {
                config.conventions.rope_split = split;
                let launches = |config| price(config).unwrap().forward.launches();
                assert_eq!(launches(&narrowed(&config)), launches(&config));
            }
        }
    }
}

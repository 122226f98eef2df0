//! The course as it is read here, what the learner made of it, and what its
//! expressions may look at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::question::Asked;
use super::runs::Runs;
use course::answer::{Env, Records, gpu_id};
use course::{self, Course, Exercise, Figures, Key, Ledger, Lesson, Progress};
use plan::cost::{Config, GpuDatabase};
use plan::run::{Metric, Report};
use plan::units::Quantity;

/// What was typed, by exercise and key.
pub type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// How settings begin that keep a judgement of a claim.
pub(super) const CLAIM: &str = "claim ";

/// Everything that is loaded after the first frame.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// Lessons, exercises, solutions.
    pub course: Arc<Course>,
    /// What was read, answered and guessed.
    pub progress: Progress,
    /// Data sheets, for expressions that name a GPU.
    pub gpus: Option<Arc<GpuDatabase>>,
    /// Answers of the sheets that were opened.
    pub answers: Answers,
    /// What the sheets of refused answers held when the workshop was opened.
    pub found: Answers,
    /// Exercises that are answered in another variant than the printed one.
    pub varied: BTreeMap<String, Exercise>,
    /// Exercises whose answers are about another GPU than that of the course, with its id.
    pub devices: BTreeMap<String, String>,
    /// It has been loaded.
    pub loaded: bool,
}

impl Study {
    /// The lesson at a place of the contents.
    pub fn lesson(&self, index: usize) -> Option<&Lesson> {
        self.course.lessons().nth(index)
    }

    /// The place of a lesson in the contents, by its id.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        self.course.lessons().position(|l| l.id == id)
    }

    /// Whether a claim was judged, or its evidence asked for.
    pub fn looked_at(&self, claim: &str) -> bool {
        let settings = &self.progress.settings;
        settings.contains_key(&format!("{CLAIM}{claim}"))
    }

    /// An exercise by its id, in the variant that is answered.
    pub fn exercise(&self, id: &str) -> Option<&Exercise> {
        self.varied
            .get(id)
            .or_else(|| self.course.exercise(id).ok())
    }

    /// Takes up the variants that the learner's progress names, and the devices that the
    /// sheets name.
    pub fn vary(&mut self) {
        let ids: BTreeSet<&String> = self
            .progress
            .variants
            .keys()
            .chain(self.devices.keys())
            .collect();
        let varied = ids.into_iter().filter_map(|id| {
            let exercise = self.course.exercise(id).ok()?;
            let on = self.devices.get(id).and_then(|gpu| gpu_id(gpu).ok());
            let on = on.map(|gpu| exercise.on(gpu));
            let on = on.as_ref().unwrap_or(exercise);
            let varied = on.variant(self.progress.variant(id)).ok()?;
            Some((id.clone(), varied))
        });
        self.varied = varied.collect();
    }

    /// A question of an exercise.
    pub fn key(&self, exercise: &str, key: &str) -> Option<&Key> {
        let found = self.exercise(exercise)?;
        found.keys.iter().find(|k| k.name.text == key)
    }

    /// The question that a block of a lesson asks: the named one, else the first
    /// that is open.
    pub fn question(&self, exercise: &str, key: Option<&str>) -> Option<Asked> {
        let found = self.exercise(exercise)?;
        let solved = |k: &&Key| self.progress.key(&found.id, &k.name.text).solved;
        let key = match key {
            Some(name) => found.keys.iter().find(|k| k.name.text == name)?,
            None => found
                .keys
                .iter()
                .find(|k| !solved(k))
                .or_else(|| found.keys.first())?,
        };
        Some(Asked {
            exercise: found.id.clone(),
            key: key.name.text.clone(),
        })
    }

    /// The first exercise that was begun and has questions left, by its place in the list.
    pub fn begun(&self) -> Option<usize> {
        let begun = |exercise: &Exercise| {
            let tally = self.progress.tally(exercise);
            self.progress.exercises.contains_key(&exercise.id) && tally.done() < tally.all
        };
        self.course.exercises().position(begun)
    }

    /// The key behind a question.
    pub fn key_of(&self, asked: &Asked) -> Option<&Key> {
        self.key(&asked.exercise, &asked.key)
    }

    /// What the sheet of an exercise holds, as far as it was read.
    pub fn held(&self, exercise: &str) -> Option<&BTreeMap<String, String>> {
        let answers = self.answers.get(exercise);
        answers.or_else(|| self.found.get(exercise))
    }

    /// What is typed for a question; empty while it is open.
    pub fn typed(&self, exercise: &str, key: &str) -> &str {
        self.answers
            .get(exercise)
            .and_then(|keys| keys.get(key))
            .map_or("", String::as_str)
    }

    /// Keeps what is typed for a question.
    pub fn type_in(&mut self, exercise: &str, key: &str, typed: &str) {
        self.answers
            .entry(exercise.to_owned())
            .or_default()
            .insert(key.to_owned(), typed.to_owned());
    }

    /// What expressions of a text with this configuration may look at.
    ///
    /// # Errors
    /// A sentence: the course is not there yet, or the workshop preset is not.
    pub fn env<'s>(
        &'s self,
        setup: &course::Setup,
        records: &'s dyn Records,
    ) -> Result<Env<'s>, String> {
        let gpus = self
            .gpus
            .as_ref()
            .ok_or("The course is still being loaded.")?;
        let setup = setup.answer().map_err(|e| e.to_string())?;
        Ok(Env::new(setup, gpus, records))
    }
}

impl Records for Runs {
    fn report(&self, config: &Config) -> Option<&Report> {
        self.of_config(config)
    }

    fn recorded(&self, id: &str) -> Option<Quantity> {
        Figures::built_in().recorded(id)
    }

    fn micro(&self, kernel: &str, value: u64, field: &str) -> Option<Quantity> {
        let value = u32::try_from(value).ok()?;
        let newest = self.micros.iter().rev().filter(|m| m.kernel == kernel);
        let row = newest.flat_map(|m| &m.rows).find(|r| r.value == value)?;
        Metric::find(field)?.quantity(row)
    }

    fn verdict(&self, id: &str) -> Result<String, String> {
        Ledger::built_in().verdict(id)
    }

    fn claims(&self, verdict: &str) -> Result<u64, String> {
        Ledger::built_in().count(verdict)
    }

    fn mutant(&self, name: &str) -> Result<f64, String> {
        let found = self.mutants.get(name).copied();
        found.ok_or_else(|| "the defective kernel is not run yet; try again in a moment".to_owned())
    }
}

//! An exercise: its questions, expected answers as expressions, known slips and hints.

mod court;
mod derived;
mod device;
mod draw;
mod elsewhere;
mod kernel;
mod pass;
mod read;
mod renamed;
mod table;
mod tasks;
mod variant;

pub(crate) use device::{asks_of_bf16, asks_of_gpu, caveat};
pub use draw::Draw;
pub use pass::{Marked, Pass};
pub(crate) use renamed::renamed;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::block::{self, Block, Sample};
use super::bounds::bounded;
use super::document::{Stretch, stretches};
use super::fault::{Fault, Level, Place, way_out};
use super::fields::{Phrase, Toml};
use super::setup::{Setup, reasons};
use super::text::Text;
use crate::answer::{Env, Key, Records};
use plan::cost::{CostError, GpuDatabase};

/// An exercise, usable even where parts of it are broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Exercise {
    /// File stem, such as `ex1`: sheets and progress are kept under it.
    pub id: String,
    /// Title; the id when the front matter has none.
    pub title: String,
    /// The lesson that leads to it.
    pub lesson: Option<Phrase>,
    /// Time it takes.
    pub minutes: u64,
    /// Configuration of its expressions.
    pub setup: Setup,
    /// GPUs that its expressions name, each with the reason why it is this one.
    pub named: Vec<(Phrase, Phrase)>,
    /// Further configurations on top of `config`, for `--variant 1` and so on.
    pub variants: Vec<Setup>,
    /// Setups on top of `config` under which the questions are asked again.
    pub tasks: Vec<Setup>,
    /// What is said before each question of a task.
    pub task: Option<Phrase>,
    /// What further variants draw.
    pub draw: Option<Draw>,
    /// What is enough, where not all of it has to be right.
    pub pass: Option<Pass>,
    /// Which of them this is; 0 is the printed one.
    pub number: usize,
    /// The GPU that its questions ask of; none where they ask of none, or the author
    /// names one.
    pub gpu: Option<&'static str>,
    /// The printed configuration.
    printed: Setup,
    /// The questions as written.
    written: Vec<Key>,
    /// Where `draw` stands.
    drawn_at: Place,
    /// What is enough in the printed variant.
    printed_pass: Option<Pass>,
    /// Questions in order; those that cannot be read are left out.
    pub keys: Vec<Key>,
    /// Markdown shown above the form.
    pub body: String,
    /// Line of the first character of `body`.
    pub body_line: usize,
    /// Samples of profiles in the body, with the lines of their fences, counted
    /// from 0 in the body.
    pub samples: Vec<(RangeInclusive<usize>, Sample)>,
    /// Everything that is wrong with the file.
    pub faults: Vec<Fault>,
    /// The text itself, cleaned.
    pub text: Text,
}

impl Exercise {
    /// No slip names the claim that prints it.
    pub(crate) fn without_court(&mut self) {
        let keys = self.keys.iter_mut().chain(&mut self.written);
        for slip in keys.flat_map(|key| &mut key.slips) {
            slip.claim = None;
        }
    }

    /// Reads an exercise. Never fails: what is wrong is in [`Exercise::faults`].
    pub fn read(id: &str, file: &str, raw: &str) -> Self {
        let (text, mut faults) = Text::new(file, raw);
        let (front, body) = text.front(&mut faults);
        let mut exercise = Self {
            id: id.to_owned(),
            title: id.to_owned(),
            lesson: None,
            minutes: 0,
            setup: Setup::default(),
            named: Vec::new(),
            variants: Vec::new(),
            tasks: Vec::new(),
            task: None,
            draw: None,
            pass: None,
            number: 0,
            gpu: None,
            printed: Setup::default(),
            written: Vec::new(),
            drawn_at: Place { line: 1, column: 1 },
            printed_pass: None,
            keys: Vec::new(),
            body: String::new(),
            body_line: 1,
            samples: Vec::new(),
            faults: Vec::new(),
            text: text.clone(),
        };
        if !front.is_empty() {
            Toml {
                text: &text,
                range: front,
            }
            .read(&mut faults, |fields| {
                fields.called("the front matter");
                if let Some(title) = fields.need_text("title", "title = \"…\"") {
                    exercise.title = title.text;
                }
                exercise.lesson = fields.text("lesson");
                exercise.minutes = fields.count("minutes").unwrap_or(0);
                exercise.setup = fields.table("config", Setup::read).unwrap_or_default();
                exercise.named = fields.table("named", reasons).unwrap_or_default();
                exercise.variants = fields.tables("variants", Setup::read);
                exercise.tasks = fields.tables("tasks", Setup::read);
                exercise.task = fields.text("task");
                exercise.read_draw(fields);
                let setup = exercise.setup.clone();
                exercise.printed = setup.clone();
                exercise.take_device();
                let keys = fields.tables("key", |fields| read::key(fields, &setup));
                if keys.is_empty() {
                    fields.report(
                        "the exercise asks nothing; add a [[key]] with name, ask and answer.",
                    );
                }
                for key in keys.into_iter().flatten() {
                    let same = |other: &Key| other.name.text == key.name.text;
                    if exercise.written.iter().any(same) {
                        fields.report_at(
                            key.name.at,
                            format!("there are two keys named “{}”; rename one.", key.name.text),
                        );
                    } else {
                        exercise.written.push(key);
                    }
                }
                exercise.keys = exercise.asked(&exercise.setups());
                let names: Vec<String> =
                    exercise.keys.iter().map(|k| k.name.text.clone()).collect();
                exercise.printed_pass = fields.table("pass", |fields| Pass::read(fields, &names));
                exercise.pass.clone_from(&exercise.printed_pass);
                fields.close();
            });
        }
        let body = bounded(&text, body, &mut faults);
        let written = text.slice(body.clone());
        let shown = written.trim_start();
        let start = body.start + written.len() - shown.len();
        exercise.body = shown.trim_end().to_owned();
        exercise.body_line = text.place(start).line;
        let base = body.start;
        let drawn = stretches(&text, body, &["profile"]);
        for live in drawn.iter().flat_map(Stretch::lives) {
            let span = text.slice(base + live.span.start..base + live.span.end);
            let first = live.place.line.saturating_sub(exercise.body_line);
            let lines = first..=first + span.trim_end().matches('\n').count();
            match block::read(&text, live, base, 0).content {
                Ok(Block::Profile(sample)) => exercise.samples.push((lines, sample)),
                Ok(_) => {}
                Err(found) => faults.extend(found),
            }
        }
        faults.sort();
        exercise.faults = faults;
        exercise
    }

    /// The environment in which its keys are judged.
    ///
    /// # Errors
    /// Those of [`crate::answer::Setup::workshop`].
    pub fn env<'e>(
        &self,
        gpus: &'e GpuDatabase,
        records: &'e dyn Records,
    ) -> Result<Env<'e>, CostError> {
        Ok(Env::new(self.setup.answer()?, gpus, records))
    }

    /// The body with its samples written out in the exercise's configuration.
    pub fn shown_body(&self, gpus: &GpuDatabase) -> Cow<'_, str> {
        if self.samples.is_empty() {
            return Cow::Borrowed(&self.body);
        }
        let config = self.setup.answer().map(|setup| setup.config);
        let mut out = String::new();
        for (at, line) in self.body.lines().enumerate() {
            match self.samples.iter().find(|(lines, _)| lines.contains(&at)) {
                None => {
                    out.push_str(line);
                    out.push('\n');
                }
                Some((lines, sample)) if *lines.start() == at => {
                    let shown = match &config {
                        Ok(config) => sample.show(config, gpus).map(|e| e.markdown()),
                        Err(e) => Err(e.to_string()),
                    };
                    out.push_str(&shown.unwrap_or_else(|why| format!("({why})\n")));
                }
                Some(_) => {}
            }
        }
        Cow::Owned(out)
    }

    /// The first thing for which a part of it was left out.
    pub fn unreadable(&self) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.level == Level::Error)
    }

    /// A key by its name, or by its number from 1.
    pub fn key(&self, name_or_number: &str) -> Option<&Key> {
        let by_number = || {
            name_or_number
                .parse()
                .ok()
                .and_then(|n: usize| self.keys.get(n.checked_sub(1)?))
        };
        self.keys
            .iter()
            .find(|key| key.name.text == name_or_number)
            .or_else(by_number)
    }
}

/// Can this name a key of a sheet or a file of the course?
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('-')
}

/// `there is no key "blok"; did you mean "block"?`
pub fn no_such_key(exercise: &Exercise, typed: &str) -> String {
    let names: Vec<&str> = exercise.keys.iter().map(|key| key.name.as_str()).collect();
    let id = &exercise.id;
    let known = match names.as_slice() {
        [] => format!("{id} has no question that can be read"),
        names => format!("{id} has no key “{typed}”; {}", way_out(typed, names)),
    };
    match exercise.unreadable() {
        Some(fault) => format!("{} ({fault})", known.trim_end_matches('.')),
        None => known,
    }
}

//! An exercise: its questions, expected answers as expressions, known slips and hints.

mod kernel;
mod table;
mod variant;

pub use kernel::{Kernel, KernelTask};
pub use table::Table;

use super::fault::{Fault, Place, way_out};
use super::fields::{Fields, Phrase, Toml};
use super::scan;
use super::setup::{Setup, sentence};
use super::text::Text;
use crate::answer::{Env, Expr, Kind, Records, Tolerance};
use crate::cost::{CostError, GpuDatabase};
use crate::units::Spec;

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
    /// Further configurations on top of `config`, for `--variant 1` and so on.
    pub variants: Vec<Setup>,
    /// Which of them this is; 0 is the printed one.
    pub number: usize,
    /// The printed configuration.
    printed: Setup,
    /// Questions in order; those that cannot be read are left out.
    pub keys: Vec<Key>,
    /// Markdown shown above the form.
    pub body: String,
    /// Line of the first character of `body`.
    pub body_line: usize,
    /// Everything that is wrong with the file.
    pub faults: Vec<Fault>,
    /// The text itself, cleaned.
    pub text: Text,
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Name: sheets and progress are kept under it.
    pub name: Phrase,
    /// The question.
    pub ask: Phrase,
    /// How it is answered.
    pub kind: Kind,
    /// Expression of the expected answer; none of a table and of free text.
    pub answer: Option<Phrase>,
    /// The table to be filled in.
    pub table: Option<Table>,
    /// The worked answer of free text, shown after it was answered.
    pub model: Option<Phrase>,
    /// Free text must hold a number.
    pub needs_number: bool,
    /// The kernel that it is about: a line to be found (a choice among line
    /// numbers), or the kernel to be written (free text, judged by a trial).
    pub kernel: Option<Kernel>,
    /// How near is right.
    pub tolerance: Tolerance,
    /// Unit expected and printed.
    pub unit: Option<Phrase>,
    /// What to choose from.
    pub options: Vec<Phrase>,
    /// Known wrong answers, and right ones counted another way.
    pub slips: Vec<Slip>,
    /// Hints, from gentle to plain.
    pub hints: Vec<Phrase>,
    /// The exercise's configuration with the key's own on top.
    pub setup: Setup,
    /// The key's own configuration.
    own: Setup,
}

/// A wrong answer whose cause is known, or a right one under another convention.
#[derive(Debug, Clone, PartialEq)]
pub struct Slip {
    /// Expression of the slip's value; none: the key's own answer.
    pub answer: Option<Phrase>,
    /// Counted this other way.
    pub convention: Setup,
    /// A value as some document prints it.
    pub printed: Option<Phrase>,
    /// The claim that prints it.
    pub claim: Option<Phrase>,
    /// The row of a table that it is about; none: all.
    pub row: Option<Phrase>,
    /// The column of a table that it is about.
    pub column: Option<Phrase>,
    /// Is it right, counted that way?
    pub accept: bool,
    /// The sentence that explains it.
    pub say: Phrase,
}

impl Exercise {
    /// Reads an exercise. Never fails: what is wrong is in [`Exercise::faults`].
    pub fn read(id: &str, file: &str, raw: &str) -> Self {
        let (text, mut faults) = Text::new(file, raw);
        let (front, body) = scan::front(&text, &mut faults);
        let mut exercise = Self {
            id: id.to_owned(),
            title: id.to_owned(),
            lesson: None,
            minutes: 0,
            setup: Setup::default(),
            variants: Vec::new(),
            number: 0,
            printed: Setup::default(),
            keys: Vec::new(),
            body: String::new(),
            body_line: 1,
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
                exercise.variants = fields.tables("variants", Setup::read);
                let setup = exercise.setup.clone();
                exercise.printed = setup.clone();
                let keys = fields.tables("key", |fields| key(fields, &setup));
                if keys.is_empty() {
                    fields.report(
                        "the exercise asks nothing; add a [[key]] with name, ask and answer.",
                    );
                }
                for key in keys.into_iter().flatten() {
                    if exercise
                        .keys
                        .iter()
                        .any(|other| other.name.text == key.name.text)
                    {
                        fields.report_at(
                            key.name.at,
                            format!("there are two keys named “{}”; rename one.", key.name.text),
                        );
                    } else {
                        exercise.keys.push(key);
                    }
                }
                fields.close();
            });
        }
        let written = text.slice(body.clone());
        let shown = written.trim_start();
        let start = body.start + written.len() - shown.len();
        exercise.body = shown.trim_end().to_owned();
        exercise.body_line = text.place(start).line;
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

impl Key {
    /// Where its answer is written.
    pub fn place(&self) -> Place {
        let cell = || self.table.as_ref()?.answers.first()?.first();
        let written = self.answer.as_ref().or_else(cell).or(self.model.as_ref());
        written.map_or(self.name.at, |phrase| phrase.at)
    }
}

fn key(fields: &mut Fields<'_, '_>, base: &Setup) -> Option<Key> {
    let mut fields = fields.renamed("a key");
    let name = fields.need_text("name", "name = \"block\"").filter(|name| {
        let taken = name.text == super::sheet::VARIANT;
        if taken {
            let say = "a sheet says under this name which variant it answers; take another.";
            fields.report_at(name.at, say);
        } else if !is_name(&name.text) {
            fields.report_at(
                name.at,
                format!(
                    "“{}” cannot name a key; use letters, digits, _ and -, such as block_bytes.",
                    name.text
                ),
            );
        }
        !taken && is_name(&name.text)
    });
    let ask = fields.need_text("ask", "ask = \"How many …?\"");
    let kinds: Vec<&str> = Kind::ALL
        .iter()
        .map(|(name, _)| *name)
        .chain(["line", "write"])
        .collect();
    let kind = fields.one_of("kind", &kinds);
    let (kind, kernel) = match kind.as_ref().map(Phrase::as_str) {
        Some("line") => (Kind::Choice, Some(Kernel::read(&mut fields, false)?)),
        Some("write") => (Kind::Text, Some(Kernel::read(&mut fields, true)?)),
        kind => (kind.and_then(Kind::parse).unwrap_or_default(), None),
    };
    let answer = match kind {
        Kind::Table | Kind::Text => None,
        _ if kernel.is_some() => {
            let marked = kernel.as_ref().zip(name.as_ref());
            let line = marked.and_then(|(kernel, name)| kernel.answer(name));
            if line.is_none() && name.is_some() {
                fields
                    .report("no line of the excerpt is marked // defect and the name of this key.");
            }
            Some(line?)
        }
        _ => {
            let answer = fields.need_text("answer", "answer = \"block.launches\"");
            Some(answer.filter(|answer| is_sound(&mut fields, answer))?)
        }
    };
    let table = match kind {
        Kind::Table => Some(Table::read(&mut fields)?),
        _ => None,
    };
    let (mut model, mut needs_number) = (None, false);
    if kind == Kind::Text && kernel.is_none() {
        model = fields.need_text("model", "model = \"a worked answer\"");
        needs_number = fields.flag("needs_number").unwrap_or(false);
    }
    let tolerance = fields.text("tolerance").map(|written| {
        let read = Tolerance::parse(&written.text);
        read.unwrap_or_else(|say| {
            fields.report_at(written.at, sentence(&say));
            Tolerance::default()
        })
    });
    let unit = fields
        .text("unit")
        .filter(|unit| match Spec::parse(&unit.text) {
            Ok(_) => true,
            Err(error) => {
                fields.report_at(unit.at, sentence(&error.message));
                false
            }
        });
    let mut options = fields.texts("options");
    if let (Some(kernel), Some(name)) = (&kernel, &name) {
        options = kernel.options(name);
    }
    let chosen = matches!(kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    if chosen && options.len() < 2 && !fields.has("options") && kernel.is_none() {
        fields.report(
            "a key to choose from has no options; add options = [\"memory\", \"compute\"].",
        );
    } else if !chosen && kind != Kind::Table && !options.is_empty() {
        fields.report(
            "a key with options needs a kind; add kind = \"choice\", \"choices\" or \"ranking\".",
        );
    }
    let slips = fields.tables("slips", slip).into_iter().flatten().collect();
    let hints = fields.texts("hints");
    let setup = fields.table("config", Setup::read).unwrap_or_default();
    fields.close();
    Some(Key {
        name: name?,
        ask: ask?,
        kind,
        answer,
        table,
        model,
        needs_number,
        kernel,
        tolerance: tolerance.unwrap_or_default(),
        unit,
        options,
        slips,
        hints,
        setup: base.with(&setup),
        own: setup,
    })
}

/// Can the judge read this expression? If not, the fault stands at the column where it fails.
fn is_sound(fields: &mut Fields<'_, '_>, written: &Phrase) -> bool {
    match Expr::parse(&written.text) {
        Ok(_) => true,
        Err(error) => {
            let at = written.at.right(error.column.saturating_sub(1));
            fields.report_at(at, sentence(&error.message));
            false
        }
    }
}

fn slip(fields: &mut Fields<'_, '_>) -> Option<Slip> {
    let mut fields = fields.renamed("a slip");
    let answer = fields.text("answer");
    let sound = answer
        .as_ref()
        .is_none_or(|answer| is_sound(&mut fields, answer));
    let convention = fields.table("convention", Setup::read);
    let printed = fields.text("printed");
    let claim = fields.text("claim");
    let row = fields.text("row");
    let column = fields.text("column");
    let accept = fields.flag("accept").unwrap_or(false);
    let say = fields.need_text("say", "say = \"what was counted, and why it differs\"");
    fields.close();
    match (&answer, &printed) {
        (None, None) if convention.is_none() => {
            fields.report(
                "a slip has no value; add answer = \"…\", convention = { … } or printed = \"…\".",
            );
            return None;
        }
        (Some(answer), Some(_)) => {
            fields.report_at(
                answer.at,
                "a slip takes answer or printed, not both; drop one.",
            );
        }
        _ => {}
    }
    let convention = convention.unwrap_or_default();
    sound.then_some(Slip {
        answer,
        convention,
        printed,
        claim,
        row,
        column,
        accept,
        say: say?,
    })
}

/// Can this name a key of a sheet or a file of the course?
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('-')
}

/// `there is no key "blok"; did you mean "block"?`
pub fn no_such_key(exercise: &Exercise, typed: &str) -> String {
    let names: Vec<&str> = exercise.keys.iter().map(|key| key.name.as_str()).collect();
    format!(
        "{} has no key “{typed}”; {}",
        exercise.id,
        way_out(typed, &names)
    )
}

//! An exercise: its questions, expected answers as expressions, known slips and hints.

use super::fault::{Fault, Place, way_out};
use super::fields::{Fields, Phrase, Toml};
use super::scan;
use super::setup::{Setup, sentence};
use super::text::Text;
use crate::answer::{Env, Expr, Key, Kind, Records, Slip, SlipValue, Tolerance};
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
    /// Questions in order; those that cannot be read are left out.
    pub questions: Vec<Question>,
    /// Markdown shown above the form.
    pub body: String,
    /// Line of the first character of `body`.
    pub body_line: usize,
    /// Everything that is wrong with the file.
    pub faults: Vec<Fault>,
    /// The text itself, cleaned.
    pub text: Text,
}

/// One question: the key as the judge takes it, and where its parts stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// For [`crate::answer::grade`], with the exercise's [`Exercise::env`].
    pub key: Key,
    /// The exercise's configuration with the key's own on top.
    pub setup: Setup,
    /// Where `name` stands.
    pub at: Place,
    /// Where the question stands.
    pub ask_at: Place,
    /// Where the answer stands.
    pub answer_at: Place,
    /// Where the value of each slip stands, and its sentence.
    pub slips_at: Vec<(Place, Place)>,
    /// Where each hint stands.
    pub hints_at: Vec<Place>,
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
            questions: Vec::new(),
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
                let setup = exercise.setup.clone();
                let asked = fields.tables("key", |fields| question(fields, &setup));
                if asked.is_empty() {
                    fields.report(
                        "the exercise asks nothing; add a [[key]] with name, ask and answer.",
                    );
                }
                for question in asked.into_iter().flatten() {
                    let name = &question.key.name;
                    if exercise
                        .question(name)
                        .is_some_and(|other| &other.key.name == name)
                    {
                        fields.report_at(
                            question.at,
                            format!("there are two keys named “{name}”; rename one."),
                        );
                    } else {
                        exercise.questions.push(question);
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

    /// A question by the name of its key, or by its number from 1.
    pub fn question(&self, name_or_number: &str) -> Option<&Question> {
        let by_number = || {
            let number: usize = name_or_number.parse().ok()?;
            self.questions.get(number.checked_sub(1)?)
        };
        self.questions
            .iter()
            .find(|question| question.key.name == name_or_number)
            .or_else(by_number)
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
}

fn question(fields: &mut Fields<'_, '_>, base: &Setup) -> Option<Question> {
    let mut fields = fields.renamed("a key");
    let name =
        fields.need_text("name", "name = \"block\"").filter(|name| {
            let fits = is_name(&name.text);
            if !fits {
                fields.report_at(name.at, format!(
                "“{}” cannot name a key; use letters, digits, _ and -, such as block_bytes.",
                name.text
            ));
            }
            fits
        });
    let ask = fields.need_text("ask", "ask = \"How many …?\"");
    let kinds = Kind::ALL.map(|(word, _)| word);
    let kind = fields
        .one_of("kind", &kinds)
        .and_then(|kind| Kind::parse(&kind.text))
        .unwrap_or_default();
    // Free text has no expected answer, and 0 is never compared with it.
    let answer = match kind {
        Kind::Text => Some(fields.text("answer").unwrap_or_else(|| Phrase {
            text: "0".into(),
            at: fields.place(),
        })),
        _ => fields.need_text("answer", "answer = \"block.launches\""),
    };
    let expr = answer.as_ref().and_then(|answer| expr(&mut fields, answer));
    let tolerance =
        fields
            .text("tolerance")
            .and_then(|written| match Tolerance::parse(&written.text) {
                Ok(tolerance) => Some(tolerance),
                Err(say) => {
                    fields.report_at(written.at, sentence(&say));
                    None
                }
            });
    let unit = fields
        .text("unit")
        .and_then(|unit| match Spec::parse(&unit.text) {
            Ok(spec) => Some(spec),
            Err(error) => {
                fields.report_at(unit.at, sentence(&error.message));
                None
            }
        });
    let options = fields.texts("options");
    let chosen = matches!(kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    if chosen && !fields.has("options") {
        fields.report(
            "a key to choose from has no options; add options = [\"memory\", \"compute\"].",
        );
    } else if !chosen && !options.is_empty() {
        fields.report(
            "a key with options needs a kind; add kind = \"choice\", \"choices\" or \"ranking\".",
        );
    }
    let slips: Vec<(Slip, (Place, Place))> =
        fields.tables("slips", slip).into_iter().flatten().collect();
    let hints = fields.texts("hints");
    let setup = fields.table("config", Setup::read).unwrap_or_default();
    fields.close();
    let (slips, slips_at) = slips.into_iter().unzip();
    let (name, ask) = (name?, ask?);
    Some(Question {
        setup: base.with(&setup),
        at: name.at,
        ask_at: ask.at,
        answer_at: answer?.at,
        slips_at,
        hints_at: hints.iter().map(|hint| hint.at).collect(),
        key: Key {
            name: name.text,
            ask: ask.text,
            kind,
            answer: expr?,
            tolerance: tolerance.unwrap_or_default(),
            unit,
            options: options.into_iter().map(|option| option.text).collect(),
            slips,
            hints: hints.into_iter().map(|hint| hint.text).collect(),
            settings: setup.meaning(),
        },
    })
}

/// Parses an expression; a fault stands at the column where it fails.
fn expr(fields: &mut Fields<'_, '_>, written: &Phrase) -> Option<Expr> {
    match Expr::parse(&written.text) {
        Ok(expr) => Some(expr),
        Err(error) => {
            fields.report_at(
                written.at.right(error.column.saturating_sub(1)),
                sentence(&error.message),
            );
            None
        }
    }
}

fn slip(fields: &mut Fields<'_, '_>) -> Option<(Slip, (Place, Place))> {
    let mut fields = fields.renamed("a slip");
    let answer = fields.text("answer");
    let value = answer.as_ref().map(|answer| expr(&mut fields, answer));
    let convention = fields.table("convention", Setup::read);
    let printed = fields.text("printed");
    let claim = fields.text("claim").map(|claim| claim.text);
    let accept = fields.flag("accept").unwrap_or(false);
    let say = fields.need_text("say", "say = \"what was counted, and why it differs\"");
    fields.close();
    if let (Some(answer), Some(_)) = (&answer, &printed) {
        fields.report_at(
            answer.at,
            "a slip takes answer or printed, not both; drop one.",
        );
    }
    let at = printed
        .as_ref()
        .or(answer.as_ref())
        .map_or(fields.place(), |phrase| phrase.at);
    let value = match (printed, value) {
        (Some(printed), _) => SlipValue::Printed(printed.text),
        (None, Some(expr)) => SlipValue::Expr(expr?),
        (None, None) if convention.is_some() => SlipValue::SameAnswer,
        (None, None) => {
            fields.report(
                "a slip has no value; add answer = \"…\", convention = { … } or printed = \"…\".",
            );
            return None;
        }
    };
    let say = say?;
    let settings = convention.unwrap_or_default().meaning();
    Some((
        Slip {
            value,
            settings,
            accept,
            say: say.text,
            claim,
        },
        (at, say.at),
    ))
}

/// Can this name a key of a sheet or a file of the course?
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('-')
}

/// `there is no key "blok"; did you mean "block"?`
pub fn no_such_key(exercise: &Exercise, typed: &str) -> String {
    let names: Vec<&str> = exercise
        .questions
        .iter()
        .map(|question| question.key.name.as_str())
        .collect();
    format!(
        "{} has no key “{typed}”; {}",
        exercise.id,
        way_out(typed, &names)
    )
}

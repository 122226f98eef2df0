//! Expressions: all of them are evaluated, in the configuration they stand in.

use super::names::at_column;
use crate::answer::{Env, Expr, Setup as AnswerSetup, Value};
use crate::cost::GpuDatabase;
use crate::course::block::{Block, Cell, Live, swept};
use crate::course::exercise::{Exercise, Key, Kind, Slip, Tolerance};
use crate::course::fault::{Fault, Place};
use crate::course::fields::Phrase;
use crate::course::lesson::{Lesson, Part};
use crate::course::number::{Inline, numbers, print};
use crate::course::recorded::Figures;
use crate::course::setup::{Setup, sentence};
use crate::course::solution::Solution;
use crate::units::{Asked, Quantity, Spec, read_as};

/// Counts below this are too common for a hint to give one away.
const SMALL: i128 = 20;

/// Evaluates what texts of the course hold.
pub(super) struct Figurer {
    gpus: GpuDatabase,
    start: AnswerSetup,
}

impl Figurer {
    /// None where the built-in tables cannot be read, which their own tests rule out.
    pub fn new() -> Option<Self> {
        Some(Self {
            gpus: GpuDatabase::embedded().ok()?,
            start: AnswerSetup::workshop().ok()?,
        })
    }

    fn env(&self, setup: &Setup) -> Env<'_> {
        Env::new(
            self.start.with(&setup.meaning()),
            &self.gpus,
            Figures::built_in(),
        )
    }

    /// All expressions of a lesson.
    pub fn lesson(&self, lesson: &Lesson, faults: &mut Vec<Fault>) {
        let mut look = Look {
            env: self.env(&lesson.setup),
            file: lesson.text.file(),
            faults,
        };
        for part in lesson.sections.iter().flat_map(|section| &section.parts) {
            match part {
                Part::Prose { numbers, .. } => look.inlines(numbers),
                Part::Live(live) => self.live(lesson, live, &mut look),
            }
        }
    }

    fn live(&self, lesson: &Lesson, live: &Live, outer: &mut Look<'_>) {
        let env = self.env(&lesson.setup.with(&live.setup));
        let mut look = Look {
            env,
            file: outer.file,
            faults: outer.faults,
        };
        for predict in &live.predict {
            look.shown(&predict.answer, predict.unit.as_deref());
            look.phrase(&predict.ask);
            predict.note.iter().for_each(|note| look.phrase(note));
        }
        match &live.content {
            Ok(Block::Table { rows, columns }) => {
                columns.iter().for_each(|column| look.phrase(column));
                for cell in rows.iter().flatten() {
                    match cell {
                        Cell::Text(text) => look.phrase(text),
                        Cell::Number(inline) => look.inline(inline),
                    }
                }
            }
            Ok(Block::Steps { steps, .. }) => steps.iter().for_each(|step| look.phrase(step)),
            Ok(Block::Chart {
                x,
                range,
                unit,
                series,
                ..
            }) => {
                let env = look.env.clone();
                for series in series {
                    // The first point that fails says enough.
                    let before = look.faults.len();
                    for value in range {
                        look.env = env.with(&swept(x, *value));
                        look.shown(&series.y, unit.as_deref());
                        if look.faults.len() > before {
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// All expressions of an exercise.
    pub fn exercise(&self, exercise: &Exercise, faults: &mut Vec<Fault>) {
        let env = self.env(&exercise.setup);
        let mut look = Look {
            env,
            file: exercise.text.file(),
            faults,
        };
        let start = Place {
            line: exercise.body_line,
            column: 1,
        };
        look.inlines(&numbers(&exercise.body, start));
        for key in &exercise.keys {
            look.env = self.env(&key.setup);
            look.key(key);
        }
    }

    /// All expressions of a solution, each in its key's configuration.
    pub fn solution(&self, exercise: &Exercise, solution: &Solution, faults: &mut Vec<Fault>) {
        let env = self.env(&exercise.setup);
        let mut look = Look {
            env,
            file: solution.text.file(),
            faults,
        };
        for part in &solution.parts {
            look.env = self.env(
                exercise
                    .key(&part.key)
                    .map_or(&exercise.setup, |key| &key.setup),
            );
            look.inlines(&part.numbers);
        }
    }
}

/// One configuration, one file, and where findings go.
struct Look<'a> {
    env: Env<'a>,
    file: &'a str,
    faults: &'a mut Vec<Fault>,
}

impl Look<'_> {
    fn report(&mut self, at: Place, say: &str) {
        self.faults.push(Fault::at(self.file, at, sentence(say)));
    }

    fn value(&mut self, expr: &Phrase) -> Option<Value> {
        let value = Expr::parse(&expr.text).and_then(|parsed| parsed.check(&self.env));
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(at_column(expr.at, error.column), &error.message);
                None
            }
        }
    }

    /// Evaluates and prints; both must work.
    fn shown(&mut self, expr: &Phrase, unit: Option<&str>) -> Option<Value> {
        let value = self.value(expr)?;
        if let Err(say) = print(&value, unit) {
            self.report(expr.at, &say);
        }
        Some(value)
    }

    fn inline(&mut self, inline: &Inline) {
        self.shown(&inline.expr, inline.unit.as_deref());
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        inlines.iter().for_each(|inline| self.inline(inline));
    }

    fn phrase(&mut self, phrase: &Phrase) {
        self.inlines(&numbers(&phrase.text, phrase.at));
    }

    fn key(&mut self, key: &Key) {
        self.phrase(&key.ask);
        let answer = match Quoted::of(&key.answer.text) {
            Some(Quoted(text)) => Some(Value::Text(text.to_owned())),
            None => self.shown(&key.answer, key.unit.as_ref().map(Phrase::as_str)),
        };
        if let Some(answer) = &answer {
            self.fits(key, answer);
        }
        for slip in &key.slips {
            self.slip(key, slip, answer.as_ref());
        }
        for hint in &key.hints {
            let found = numbers(&hint.text, hint.at);
            self.inlines(&found);
            for inline in found {
                self.gives_away(&inline, answer.as_ref());
            }
        }
    }

    /// Does the answer have the form that the key's kind asks for?
    fn fits(&mut self, key: &Key, answer: &Value) {
        let known = |name: &String| key.options.iter().any(|option| &option.text == name);
        let options: Vec<&str> = key.options.iter().map(Phrase::as_str).collect();
        let say = match (key.kind, answer) {
            (Kind::Number | Kind::Measured, Value::Quantity(_)) => return,
            (Kind::Number | Kind::Measured, other) => {
                format!("the answer is “{other}” and no number; give the key a kind and options")
            }
            (Kind::Choice, Value::Text(name)) if known(name) => return,
            (Kind::Choice, Value::Text(name)) => {
                format!(
                    "the answer is “{name}”, which is none of the options {}",
                    options.join(", ")
                )
            }
            (Kind::Choices, Value::List(names)) => match names.iter().find(|name| !known(name)) {
                None => return,
                Some(name) => format!(
                    "“{name}” is right and none of the options {}",
                    options.join(", ")
                ),
            },
            (Kind::Choices, Value::Text(names)) => {
                match names
                    .split(',')
                    .map(str::trim)
                    .find(|name| !options.contains(name))
                {
                    None => return,
                    Some(name) => format!(
                        "“{name}” is right and none of the options {}",
                        options.join(", ")
                    ),
                }
            }
            (Kind::Ranking, Value::List(names)) => {
                let missing = names.iter().find(|name| !known(name));
                match missing {
                    None if names.len() == options.len() => return,
                    None => format!(
                        "the order has {} names and the key {} options",
                        names.len(),
                        options.len()
                    ),
                    Some(name) => format!(
                        "“{name}” is in the order and none of the options {}",
                        options.join(", ")
                    ),
                }
            }
            (_, other) => {
                format!("the answer is “{other}”, which is no name; make the key's kind a number")
            }
        };
        self.report(key.answer.at, &say);
    }

    /// A slip must differ from the answer, or say that it is accepted.
    fn slip(&mut self, key: &Key, slip: &Slip, answer: Option<&Value>) {
        self.phrase(&slip.say);
        let outer = self.env.clone();
        self.env = outer.with(&slip.convention.meaning());
        let (at, value) = match (&slip.printed, &slip.answer) {
            (Some(printed), _) => (printed.at, self.printed(key, printed, answer)),
            (None, Some(expr)) => (
                expr.at,
                match Quoted::of(&expr.text) {
                    Some(Quoted(text)) => Some(Value::Text(text.to_owned())),
                    None => self.value(expr),
                },
            ),
            (None, None) => (slip.say.at, self.value(&key.answer)),
        };
        self.env = outer;
        let (Some(value), Some(answer)) = (value, answer) else {
            return;
        };
        match (&value, answer) {
            (Value::Quantity(slipped), Value::Quantity(right)) => {
                if !slipped.dimension().agrees(right.dimension()) {
                    let say = format!(
                        "this slip is {} and the answer {}",
                        slipped.dimension().noun(),
                        right.dimension().noun()
                    );
                    self.report(at, &say);
                } else if coincide(slipped, right, key.tolerance) && !slip.accept {
                    self.report(at, "this slip is right by the key's tolerance, so it can never be told apart; change the shape or drop it");
                }
            }
            (slipped, right) if slipped == right && !slip.accept => {
                self.report(at, "this slip is the answer itself; drop it");
            }
            _ => {}
        }
    }

    /// A value as a document prints it: a name for a choice, else a number.
    fn printed(&mut self, key: &Key, printed: &Phrase, answer: Option<&Value>) -> Option<Value> {
        let Some(Value::Quantity(right)) = answer else {
            return Some(Value::Text(printed.text.clone()));
        };
        let unit = key
            .unit
            .as_ref()
            .and_then(|unit| Spec::parse(&unit.text).ok());
        let asked = match unit {
            Some(spec) if spec.unit.dimension().agrees(right.dimension()) => {
                Asked::in_unit(spec.unit)
            }
            _ => Asked::new(right.dimension()),
        };
        match read_as(&printed.text, asked) {
            Ok(typed) => Some(Value::Quantity(typed.quantity)),
            Err(error) => {
                self.report(printed.at, &error.to_string());
                None
            }
        }
    }

    /// A hint may not hold the number that is asked for.
    fn gives_away(&mut self, inline: &Inline, answer: Option<&Value>) {
        let value = Expr::parse(&inline.expr.text)
            .and_then(|expr| expr.check(&self.env))
            .ok();
        let (Some(Value::Quantity(shown)), Some(Value::Quantity(right))) = (value, answer) else {
            return;
        };
        let small = right.exact().is_some_and(|n| n.abs() < SMALL);
        if !small
            && shown.dimension().agrees(right.dimension())
            && coincide(&shown, right, Tolerance::Exact)
        {
            self.report(
                inline.expr.at,
                "this hint shows the answer; stop one step before it",
            );
        }
    }
}

/// Is `other` right for a key whose answer is `right`?
fn coincide(other: &Quantity, right: &Quantity, tolerance: Tolerance) -> bool {
    let (a, b) = (other.value(), right.value());
    let reach = match tolerance {
        Tolerance::Exact => 1e-12 * b.abs(),
        Tolerance::Relative(percent) => percent / 100.0 * b.abs(),
        Tolerance::Points(points) => points / 100.0,
    };
    (a - b).abs() <= reach
}

/// `'memory'`: an option's text in single quotes in place of an expression.
struct Quoted<'a>(&'a str);

impl<'a> Quoted<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let inner = text.trim().strip_prefix('\'')?.strip_suffix('\'')?;
        (!inner.contains('\'')).then_some(Self(inner))
    }
}

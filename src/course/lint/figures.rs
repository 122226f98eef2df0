//! Expressions: all of them are evaluated, in the configuration they stand in.

use crate::answer::{self, Env, Expr, Value};
use crate::cost::GpuDatabase;
use crate::course::block::{Block, Cell, Live, swept};
use crate::course::exercise::{Exercise, Question};
use crate::course::fault::{Fault, Place};
use crate::course::fields::Phrase;
use crate::course::lesson::{Lesson, Part};
use crate::course::number::{Inline, numbers, print};
use crate::course::recorded::Figures;
use crate::course::setup::{Setup, sentence};
use crate::course::solution::Solution;

/// Counts below this are too common for a hint to give one away.
const SMALL: i128 = 20;
/// Relative difference below which two figures print alike.
const SAME: f64 = 1e-9;

/// Evaluates what texts of the course hold.
pub(super) struct Figurer {
    gpus: GpuDatabase,
    start: answer::Setup,
}

impl Figurer {
    /// None where the built-in tables cannot be read, which their own tests rule out.
    pub fn new() -> Option<Self> {
        Some(Self {
            gpus: GpuDatabase::embedded().ok()?,
            start: answer::Setup::workshop().ok()?,
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
        for question in &exercise.questions {
            let env = self.env(&exercise.setup);
            look.judged(question, answer::lint(&question.key, &env));
            look.env = self.env(&question.setup);
            look.question(question);
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
                    .question(&part.key)
                    .map_or(&exercise.setup, |question| &question.setup),
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
                self.report(
                    expr.at.right(error.column.saturating_sub(1)),
                    &error.message,
                );
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

    /// What the judge says about a key begins with the part that it is about.
    fn judged(&mut self, question: &Question, sentences: Vec<String>) {
        for say in sentences {
            let (part, rest) = say.split_once([',', ' ']).unwrap_or((&say, ""));
            let slip: Option<usize> = match part {
                "slip" => rest
                    .split(|c: char| !c.is_ascii_digit())
                    .next()
                    .and_then(|n| n.parse().ok()),
                _ => None,
            };
            let at = slip
                .and_then(|number| question.slips_at.get(number.checked_sub(1)?))
                .map_or(question.answer_at, |(at, _)| *at);
            let column = say.split_once("column ").and_then(|(before, rest)| {
                let stands = before.ends_with(", ") && before.len() < 12;
                rest.split(':')
                    .next()
                    .filter(|_| stands)?
                    .parse::<usize>()
                    .ok()
            });
            match (column, say.split_once(": ")) {
                (Some(column), Some((_, message))) => {
                    self.report(at.right(column.saturating_sub(1)), message)
                }
                _ => self.report(at, &say),
            }
        }
    }

    /// Numbers in the question's texts; none may be the answer.
    fn question(&mut self, question: &Question) {
        let key = &question.key;
        self.inlines(&numbers(&key.ask, question.ask_at));
        for (slip, (_, say_at)) in key.slips.iter().zip(&question.slips_at) {
            self.inlines(&numbers(&slip.say, *say_at));
        }
        let answer = key.answer.check(&self.env).ok();
        for (hint, at) in key.hints.iter().zip(&question.hints_at) {
            let found = numbers(hint, *at);
            self.inlines(&found);
            for inline in found {
                self.gives_away(&inline, answer.as_ref());
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
        let same = (shown.value() - right.value()).abs() <= SAME * right.value().abs();
        if same && !small && shown.dimension().agrees(right.dimension()) {
            self.report(
                inline.expr.at,
                "this hint shows the answer; stop one step before it",
            );
        }
    }
}

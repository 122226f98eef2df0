//! What a lesson shows must not be the answer to what it asks there or later on: an open
//! guess, or a question of its pages.

use super::figures::{Figurer, LARGE, alike};
use crate::answer::{Expr, Key, Value};
use crate::block::{Block, Cell, Live};
use crate::fault::{Fault, Place};
use crate::fields::{Phrase, Typed};
use crate::lesson::{Lesson, Part};
use crate::library::Course;
use crate::number::{Inline, numbers};
use crate::setup::Setup;

/// Where something stands in its lesson.
#[derive(Clone, Copy)]
struct Spot {
    section: usize,
    part: usize,
}

/// Something that is asked, with its answer.
struct Asked {
    spot: Spot,
    answer: Value,
    name: String,
}

/// A number that is shown.
struct Shown {
    spot: Spot,
    /// It comes once what its block asks is answered, or the claim above it judged; all
    /// else is read with its section.
    folded: bool,
    at: Place,
    value: Value,
}

impl Shown {
    fn before(&self, asked: &Asked) -> bool {
        match self.folded {
            true => self.spot.part < asked.spot.part,
            false => self.spot.section <= asked.spot.section,
        }
    }
}

impl Figurer {
    /// Warns of numbers of a lesson that answer what is asked behind them.
    pub(super) fn told(&self, course: &Course, lesson: &Lesson, faults: &mut Vec<Fault>) {
        let mut look = Look {
            figurer: self,
            spot: Spot {
                section: 0,
                part: 0,
            },
            folded: false,
            asked: Vec::new(),
            shown: Vec::new(),
        };
        let sections = lesson.sections.iter().enumerate();
        let parts =
            sections.flat_map(|(section, text)| text.told().map(move |told| (section, told)));
        for (part, (section, (text, claim))) in parts.enumerate() {
            look.spot = Spot { section, part };
            look.folded = claim.is_some();
            match text {
                Part::Prose { numbers, .. } => look.inlines(numbers, &lesson.setup),
                Part::Live(live) => look.live(lesson, live, course),
            }
        }
        for shown in &look.shown {
            let asks = |asked: &&Asked| shown.before(asked) && same(&shown.value, &asked.answer);
            for asked in look.asked.iter().filter(asks) {
                let say = format!(
                    "this number is the answer of {}, which is asked behind it; show another, or show it there.",
                    asked.name
                );
                faults.push(Fault::at(lesson.text.file(), shown.at, say).warning());
            }
        }
    }
}

/// Whether two values are one number that does not come about by chance.
fn same(shown: &Value, answer: &Value) -> bool {
    let (Some(shown), Some(answer)) = (shown.quantity(), answer.quantity()) else {
        return false;
    };
    let telling = match answer.exact() {
        Some(whole) => whole.abs() >= LARGE,
        // Halves, thirds and the like stand for many things.
        None if answer.value().abs() >= LARGE as f64 => true,
        None => [1.0, 3.0]
            .iter()
            .all(|n| (answer.value() * 8.0 * n).fract() != 0.0),
    };
    telling && alike(&shown, &answer)
}

struct Look<'l> {
    figurer: &'l Figurer,
    spot: Spot,
    folded: bool,
    asked: Vec<Asked>,
    shown: Vec<Shown>,
}

impl Look<'_> {
    fn inlines(&mut self, inlines: &[Inline], setup: &Setup) {
        for inline in inlines {
            let read = Expr::parse(&inline.expr.text).ok();
            let value = read.and_then(|expr| expr.check(&self.figurer.env(setup)).ok());
            self.show(inline.expr.at, value);
        }
    }

    fn show(&mut self, at: Place, value: Option<Value>) {
        let (spot, folded) = (self.spot, self.folded);
        let shown = value.map(|value| Shown {
            spot,
            folded,
            at,
            value,
        });
        self.shown.extend(shown);
    }

    fn ask(&mut self, answer: Option<Value>, name: String) {
        let spot = self.spot;
        self.asked
            .extend(answer.map(|answer| Asked { spot, answer, name }));
    }

    fn phrase(&mut self, phrase: &Phrase, setup: &Setup) {
        self.inlines(&numbers(&phrase.text, phrase.at), setup);
    }

    fn live(&mut self, lesson: &Lesson, live: &Live, course: &Course) {
        let setup = lesson.setup.with(&live.setup);
        // A figure of the question itself is its author's choice.
        let outside = std::mem::replace(&mut self.folded, true);
        for predict in &live.predict {
            self.phrase(&predict.ask, &setup);
        }
        self.folded = outside || !live.predict.is_empty();
        for predict in &live.predict {
            let answer = predict.answer.value.check(&self.figurer.env(&setup)).ok();
            self.show(predict.answer.written.at, answer.clone());
            self.ask(answer, format!("“{}”", predict.ask.text));
            predict
                .note
                .iter()
                .for_each(|note| self.phrase(note, &setup));
        }
        match &live.content {
            Ok(Block::Table { rows, columns }) => {
                columns
                    .iter()
                    .for_each(|column| self.phrase(column, &setup));
                for cell in rows.iter().flatten() {
                    match cell {
                        Cell::Text(text) => self.phrase(text, &setup),
                        Cell::Number(inline) => self.inlines(std::slice::from_ref(inline), &setup),
                    }
                }
            }
            Ok(Block::Steps { steps, .. }) => {
                steps.iter().for_each(|step| self.phrase(step, &setup));
            }
            Ok(Block::Question { exercise, key }) => {
                let Ok(found) = course.exercise(&exercise.text) else {
                    return;
                };
                let named =
                    |asked: &&Key| key.as_ref().is_none_or(|key| key.text == asked.name.text);
                for key in found.keys.iter().filter(named) {
                    self.question(&exercise.text, key);
                }
            }
            _ => {}
        }
    }

    fn question(&mut self, exercise: &str, key: &Key) {
        let value = |answer: &Typed<Expr>| answer.value.check(&self.figurer.env(&key.setup)).ok();
        let answer = key.answer.as_ref().and_then(value);
        self.ask(answer, format!("{exercise} {}", key.name.text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let text = format!(
            "+++\ntitle = \"A\"\nconfig = {{ preset = \"workshop\", batch = 1 }}\n+++\n{text}"
        );
        let lesson = Lesson::read("01-a", "a.md", &text);
        let mut faults = Vec::new();
        let figurer = Figurer::new().unwrap();
        figurer.told(&Course::built_in(), &lesson, &mut faults);
        faults.iter().map(|fault| fault.at.line).collect()
    }

    #[test]
    fn a_number_is_not_shown_before_it_is_asked_for() {
        let none = Vec::<usize>::new();
        let told = "It saves `= price(silu, mul) | B`.\n";
        let asks = |answer: &str| {
            format!(
                "```compare\nplans = [\"v1\"]\nmetrics = [\"bytes\"]\npredict = {{ ask = \"?\", answer = \"{answer}\", unit = \"B\" }}\n```\n"
            )
        };
        // The same number, two trips of a tensor that is I wide.
        let guess = asks("2 * 4 B * B*S*I");
        assert_eq!(found(&format!("## A\n\n{told}\n## B\n\n{guess}")), [7]);
        // Below it, but on its page; then on a later one.
        assert_eq!(found(&format!("## A\n\n{guess}\n{told}")), [13]);
        assert_eq!(found(&format!("## A\n\n{guess}\n## B\n\n{told}")), none);
        // Its outcome tells what the next page asks, here and in an exercise.
        assert_eq!(found(&format!("## A\n\n{guess}\n## B\n\n{guess}")), [10]);
        let question = "```question\nexercise = \"ex17\"\nkey = \"two\"\n```\n";
        let outcome = asks("price(qk, softmax) + price(softmax, pv)");
        assert_eq!(found(&format!("## A\n\n{outcome}\n{question}")), [10]);
        assert_eq!(found(&format!("## A\n\n{question}\n{outcome}")), none);
        // Small counts and other dimensions stand for many things.
        assert_eq!(
            found(&format!("## A\n\n`= 2 * 4 * B*S*I`\n\n{guess}")),
            none
        );
    }
}

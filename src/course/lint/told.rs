//! What a lesson shows must not be the answer to what it asks there or later on: an open
//! guess, or a question of its pages; nor what a path asks behind the pages that it reads.

use super::figures::{Figurer, LARGE, alike};
use crate::answer::{Expr, Key, Value};
use crate::block::{Block, Cell, Live, swept};
use crate::claims::Ledger;
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
    /// The answer as it is written.
    written: String,
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
    /// As it is written.
    written: String,
    /// It is the outcome of a guess or of a claim: what was asked before.
    guess: bool,
}

impl Shown {
    /// Whether it is the number asked for: by its value, or, small as it may be, because
    /// the guess asked for the same.
    fn answers(&self, asked: &Asked) -> bool {
        let one = |a: &Value, b: &Value| match (a.quantity(), b.quantity()) {
            (Some(a), Some(b)) => alike(&a, &b),
            _ => false,
        };
        if self.guess && self.written == asked.written {
            return one(&self.value, &asked.answer);
        }
        // Weights may be as many bytes as a tensor, and are never meant by it.
        let weights = |written: &str| written.contains("weight");
        let like = weights(&self.written) == weights(&asked.written);
        like && same(&self.value, &asked.answer)
    }

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
        let look = self.look(course, lesson, |_| true);
        for shown in &look.shown {
            let asks = |asked: &&Asked| shown.before(asked) && shown.answers(asked);
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

impl Figurer {
    /// What some sections of a lesson show and ask.
    fn look(&self, course: &Course, lesson: &Lesson, read: impl Fn(usize) -> bool) -> Look<'_> {
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
        let parts = sections
            .filter(|(section, _)| read(*section))
            .flat_map(|(section, text)| text.told().map(move |told| (section, told)));
        for (part, (section, (text, claim))) in parts.enumerate() {
            look.spot = Spot { section, part };
            look.folded = claim.is_some();
            match text {
                Part::Prose { numbers, .. } => look.inlines(numbers, &lesson.setup),
                Part::Live(live) => look.live(lesson, live, course),
            }
        }
        look
    }

    /// Warns of questions of the paths whose answer an earlier page of the path shows.
    pub(super) fn along(&self, course: &Course, faults: &mut Vec<Fault>) {
        for route in course.own_routes().filter(|route| !route.everything) {
            let mut read: Vec<(&Lesson, Shown)> = Vec::new();
            for leg in route.legs(course) {
                let look = self.look(course, leg.lesson, |at| leg.sections.contains(&at));
                let here = look.shown.into_iter().map(|shown| (leg.lesson, shown));
                let before = read.len();
                read.extend(here);
                for (exercise, name) in &leg.asked {
                    let Some(asked) = self.key(course, exercise, name) else {
                        continue;
                    };
                    // What stands on a page of this lesson is looked at with the lesson.
                    let placed = look.asked.iter().any(|other| other.name == asked.name);
                    let seen = if placed { before } else { read.len() };
                    let told = read.iter().take(seen);
                    for (lesson, shown) in told.filter(|(_, shown)| shown.answers(&asked)) {
                        let say = format!(
                            "{} asks {}, and its answer is shown before: {}:{}; ask something else, or leave that section out.",
                            route.name.text,
                            asked.name,
                            lesson.text.file(),
                            shown.at.line
                        );
                        let at = route.name.at;
                        faults.push(Fault::at(course.routes_file(), at, say).warning());
                    }
                }
            }
        }
    }

    /// A question of an exercise, with its answer as a value.
    fn key(&self, course: &Course, exercise: &str, name: &str) -> Option<Asked> {
        let found = course.exercise(exercise).ok()?;
        let key = found.key(name)?;
        let answer = key.answer.as_ref()?;
        Some(Asked {
            spot: Spot {
                section: 0,
                part: 0,
            },
            answer: answer.value.check(&self.env(&key.setup)).ok()?,
            written: bare(&answer.written.text),
            name: format!("{exercise} {name}"),
        })
    }
}

/// An expression without its white space.
fn bare(written: &str) -> String {
    written.split_whitespace().collect()
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
            self.show(inline.expr.at, value, bare(&inline.expr.text), false);
        }
    }

    fn show(&mut self, at: Place, value: Option<Value>, written: String, guess: bool) {
        let (spot, folded) = (self.spot, self.folded);
        let shown = value.map(|value| Shown {
            spot,
            folded,
            at,
            value,
            written,
            guess,
        });
        self.shown.extend(shown);
    }

    fn ask(&mut self, answer: Option<Value>, written: String, name: String) {
        let spot = self.spot;
        self.asked.extend(answer.map(|answer| Asked {
            spot,
            answer,
            written,
            name,
        }));
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
            let written = bare(&predict.answer.written.text);
            let at = predict.answer.written.at;
            self.show(at, answer.clone(), written.clone(), true);
            self.ask(answer, written, format!("“{}”", predict.ask.text));
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
            Ok(Block::Chart {
                x, range, series, ..
            }) => {
                let env = self.figurer.env(&setup);
                for (one, at) in series
                    .iter()
                    .flat_map(|one| range.iter().map(move |at| (one, at)))
                {
                    let here = env.with(&swept(x, *at));
                    // A chart rounds: a whole number is not read off it.
                    let rounded = |v: &Value| v.quantity().is_some_and(|q| q.exact().is_none());
                    let value = one.y.value.check(&here).ok().filter(rounded);
                    // An expression at some point is not that of a question.
                    let written = format!("{} at {x} {at}", bare(&one.y.written.text));
                    self.show(one.y.written.at, value, written, false);
                }
            }
            Ok(Block::Claim { id }) => self.claim(id),
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

    /// What the model says of a claim, once it was judged.
    fn claim(&mut self, id: &Phrase) {
        let Ok(claim) = Ledger::built_in().find(&id.text) else {
            return;
        };
        self.folded = true;
        let truth = numbers(&claim.truth.text, id.at);
        let said = truth.iter().map(|inline| inline.expr.text.as_str());
        let figures = claim.figures.iter().map(|f| f.expr.text.as_str());
        for expr in figures.chain(said) {
            let read = Expr::parse(expr).ok();
            let value = read.and_then(|read| read.check(&self.figurer.env(&claim.setup)).ok());
            self.show(id.at, value, bare(expr), true);
        }
    }

    fn question(&mut self, exercise: &str, key: &Key) {
        let value = |answer: &Typed<Expr>| answer.value.check(&self.figurer.env(&key.setup)).ok();
        let answer = key.answer.as_ref().and_then(value);
        let written = key.answer.as_ref().map(|answer| bare(&answer.written.text));
        let name = format!("{exercise} {}", key.name.text);
        self.ask(answer, written.unwrap_or_default(), name);
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
    fn a_path_asks_nothing_that_its_earlier_pages_showed() {
        let course = Course::built_in();
        let (figurer, mut faults) = (Figurer::new().unwrap(), Vec::new());
        figurer.along(&course, &mut faults);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(said.is_empty(), "{}", said.join("\n"));
        // Lesson 08 lists what mul moves at batch 8: ex19 asks for as much.
        let steps = |question: &str| {
            format!(
                "[[path]]\nname = \"a\"\ntitle = \"A\"\nabout = \"B.\"\nminutes = 90\n[[path.step]]\nlesson = \"08-v1-bottleneck\"\nminutes = 40\n[[path.step]]\nlesson = \"14-tiles\"\nquestions = [\"{question}\"]\nminutes = 50\n"
            )
        };
        let told = |question: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("lessons")).unwrap();
            let file = folder.path().join("lessons/paths.toml");
            std::fs::write(&file, steps(question)).unwrap();
            let places = crate::paths::Places::find(
                &crate::paths::Surroundings {
                    current: folder.path().to_owned(),
                    ..Default::default()
                },
                None,
                Some(folder.path()),
            );
            let course = Course::open(&places);
            let mut faults = Vec::new();
            figurer.along(&course, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(
            told("ex19 bytes")[0].contains("a asks ex19 bytes, and its answer is shown before")
        );
        assert!(told("ex20 sectors").is_empty());
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
        // A small count is one that was guessed, where the guess asks for the same.
        let count = "```question\nexercise = \"ex1\"\nkey = \"products\"\n```\n";
        let guess_of = |answer: &str| asks(answer).replace(", unit = \"B\"", "");
        let guessed = guess_of("block(v1).products");
        assert_eq!(
            found(&format!("## A\n\n{guessed}\n## B\n\n{count}")).len(),
            0
        );
        let guessed = guess_of("block.products");
        assert_eq!(found(&format!("## A\n\n{guessed}\n## B\n\n{count}")), [10]);
        // So is what the model says of a claim, once it was judged.
        let claim = "```claim\nid = \"Q-2030\"\n```\n";
        let share = asks("save(v1, v1+qkv, preset=part-c)").replace("\"B\"", "\"%\"");
        assert_eq!(found(&format!("## A\n\n{claim}\n## B\n\n{share}")), [8]);
        assert_eq!(found(&format!("## A\n\n{share}\n{claim}")), none);
        // A point of a chart is a number too.
        let share = "```question\nexercise = \"ex15\"\nkey = \"gateup\"\n```\n";
        let chart = |tokens: &str| {
            format!(
                "```chart\nx = \"tokens\"\nrange = [{tokens}]\nunit = \"%\"\nseries = [{{ name = \"A\", y = \"save(group(v1, gate up), group(v1+gate_up, gate up))\" }}]\n```\n"
            )
        };
        let shown = |tokens: &str| found(&format!("## A\n\n{}\n## B\n\n{share}", chart(tokens)));
        assert_eq!(shown("128, 1024").len(), 1);
        assert_eq!(shown("128, 2048"), none);
        // Small counts and other dimensions stand for many things.
        assert_eq!(
            found(&format!("## A\n\n`= 2 * 4 * B*S*I`\n\n{guess}")),
            none
        );
    }
}

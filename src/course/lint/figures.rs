//! Expressions: all of them are evaluated, in the configuration they stand in.

use super::running::running_of;
use crate::answer::{self, Env, Expr, ExprError, Key, USUAL_GPU, Value, data_sheets};
use crate::block::{Block, Cell, Live, swept};
use crate::exercise::Exercise;
use crate::fault::{Fault, Place};
use crate::fields::{Phrase, Typed};
use crate::lesson::{Lesson, Part};
use crate::number::{Inline, numbers, print};
use crate::recorded::Figures;
use crate::setup::{Setup, sentence};
use crate::solution::Solution;
use plan::cost::GpuDatabase;
use plan::units::{Quantity, Spec};

/// Counts below this are too common for a hint to give one away.
const SMALL: i128 = 20;
/// Numbers from here on do not stand in a hint by chance.
pub(super) const LARGE: i128 = 1000;
/// Relative difference below which two figures print alike.
const SAME: f64 = 1e-9;

/// Whether two figures are one number of one dimension.
pub(super) fn alike(shown: &Quantity, right: &Quantity) -> bool {
    let same = (shown.value() - right.value()).abs() <= SAME * right.value().abs();
    same && shown.dimension().agrees(right.dimension())
}

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

    pub(super) fn env(&self, setup: &Setup) -> Env<'_> {
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
            look.printed(&predict.answer, predict.unit.as_ref());
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
            Ok(Block::Profile(sample)) => {
                if let Err(say) = sample.show(&look.env.setup.config, &self.gpus) {
                    look.faults
                        .push(Fault::at(look.file, sample.at, sentence(&say)));
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
                series.iter().for_each(|series| look.phrase(&series.name));
                for series in series {
                    // The first point that fails says enough.
                    let before = look.faults.len();
                    for value in range {
                        look.env = env.with(&swept(x, *value));
                        look.printed(&series.y, unit.as_ref());
                        if look.faults.len() > before {
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// All expressions of an exercise, in each of its variants.
    pub fn exercise(&self, exercise: &Exercise, faults: &mut Vec<Fault>) {
        let mut printed = Vec::new();
        self.variant(exercise, &mut printed);
        for number in 1..=exercise.looked_at() {
            let Ok(varied) = exercise.variant(number) else {
                continue;
            };
            let mut found = Vec::new();
            self.variant(&varied, &mut found);
            of_variant(number, &printed, found, faults);
            if !exercise
                .keys
                .iter()
                .zip(&varied.keys)
                .any(|(a, b)| self.differs(a, b))
            {
                let say = format!(
                    "variant {number} changes no answer; choose another shape or leave it out."
                );
                faults.push(exercise.text.fault(0, say).warning());
            }
        }
        faults.extend(printed);
    }

    /// Expressions about the device of the course, on every GPU of the data sheets: what
    /// is found on one of them and not on the usual one.
    pub fn devices<T>(
        &self,
        on: impl Fn(&'static str) -> T,
        look: impl Fn(&Self, &T, &mut Vec<Fault>),
        faults: &mut Vec<Fault>,
    ) {
        let mut usual = Vec::new();
        look(self, &on(USUAL_GPU), &mut usual);
        let sheets = data_sheets().into_iter().flat_map(|all| all.all());
        // Where a GPU has no bf16 the text says so in the number's place.
        for gpu in sheets.filter(|gpu| gpu.bf16_tflops.is_some()) {
            let mut found = Vec::new();
            look(self, &on(&gpu.id), &mut found);
            let new = found.into_iter().filter(|fault| !usual.contains(fault));
            faults.extend(new.map(|mut fault| {
                fault.say = format!("on {}: {}", gpu.id, fault.say);
                fault
            }));
        }
    }

    /// Whether two variants of a key have different answers.
    fn differs(&self, a: &Key, b: &Key) -> bool {
        let values = |key: &Key| {
            let env = self.env(&key.setup);
            let cells = key
                .table
                .iter()
                .flat_map(|table| table.answers.iter().flatten());
            let value = |answer: &Typed<Expr>| answer.value.check(&env).ok();
            key.answer
                .iter()
                .chain(cells)
                .map(value)
                .collect::<Vec<_>>()
        };
        values(a) != values(b)
    }

    pub fn variant(&self, exercise: &Exercise, faults: &mut Vec<Fault>) {
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
        for (_, sample) in &exercise.samples {
            if let Err(say) = sample.show(&look.env.setup.config, &self.gpus) {
                look.faults
                    .push(Fault::at(look.file, sample.at, sentence(&say)));
            }
        }
        for key in &exercise.keys {
            look.env = self.env(&key.setup);
            look.key(key);
        }
    }

    /// All expressions of a solution, each in its key's configuration and in
    /// every variant of the exercise.
    pub fn solution(&self, exercise: &Exercise, solution: &Solution, faults: &mut Vec<Fault>) {
        let mut printed = Vec::new();
        self.derivations(exercise, solution, &mut printed);
        for number in 1..=exercise.looked_at() {
            let mut found = Vec::new();
            if let Ok(varied) = exercise.variant(number) {
                self.derivations(&varied, solution, &mut found);
            }
            of_variant(number, &printed, found, faults);
        }
        faults.extend(printed);
    }

    fn derivations(&self, exercise: &Exercise, solution: &Solution, faults: &mut Vec<Fault>) {
        let env = self.env(&exercise.setup);
        let mut look = Look {
            env,
            file: solution.text.file(),
            faults,
        };
        for key in &exercise.keys {
            look.env = self.env(&key.setup);
            if let Some(part) = solution.of(key) {
                look.inlines(&part.numbers);
            }
        }
    }
}

/// Adds what a variant has beyond the printed configuration.
fn of_variant(number: usize, printed: &[Fault], found: Vec<Fault>, faults: &mut Vec<Fault>) {
    let new = |fault: &Fault| !printed.contains(fault);
    for mut fault in found.into_iter().filter(new) {
        fault.say = format!("in variant {number}: {}", fault.say);
        faults.push(fault);
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
        self.checked(expr, Expr::parse(&expr.text))
    }

    fn checked(&mut self, expr: &Phrase, parsed: Result<Expr, ExprError>) -> Option<Value> {
        match parsed.and_then(|parsed| parsed.check(&self.env)) {
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
    fn shown(&mut self, expr: &Phrase, unit: Option<&str>) {
        if let Some(Err(say)) = self.value(expr).map(|value| print(&value, unit)) {
            self.report(expr.at, &say);
        }
    }

    /// The same with what was read at load.
    fn printed(&mut self, expr: &Typed<Expr>, unit: Option<&Typed<Spec>>) {
        let value = self.checked(&expr.written, Ok(expr.value.clone()));
        if let Some(Err(say)) = value.map(|value| print(&value, unit.map(Typed::as_str))) {
            self.report(expr.written.at, &say);
        }
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

    /// What the judge finds, and the numbers in the key's texts.
    fn key(&mut self, key: &Key) {
        if let Some(kernel) = &key.kernel
            && let Err((written, say)) = kernel.bounds(&key.slips, &self.env)
        {
            self.report(written.at, &say);
        }
        let faults = answer::lint(key, &self.env);
        faults.iter().for_each(|say| self.judged(key, say));
        // Two slips of one value are both named; a value that is right and a slip is a fault.
        for (first, second) in answer::twins(key, &self.env) {
            let Some((a, b)) = key.slips.get(first).zip(key.slips.get(second)) else {
                continue;
            };
            if a.accept != b.accept {
                let say = format!(
                    "slips {} and {} of {} have the same value at these parameters, and only one of them is accepted: say in its sentence what the other says, or choose another shape.",
                    first + 1,
                    second + 1,
                    key.name.text
                );
                self.faults
                    .push(Fault::at(self.file, b.say.at, say).warning());
            }
        }
        self.phrase(&key.ask);
        key.slips.iter().for_each(|slip| self.phrase(&slip.say));
        if let Some(model) = &key.model {
            self.phrase(model);
        }
        let answer = key.answer.as_ref();
        let answer = answer.and_then(|answer| answer.value.check(&self.env).ok());
        for slip in &key.slips {
            for inline in numbers(&slip.say.text, slip.say.at) {
                self.gives_away(&inline, answer.as_ref());
            }
        }
        for hint in &key.hints {
            let found = numbers(&hint.text, hint.at);
            self.inlines(&found);
            for inline in &found {
                self.gives_away(inline, answer.as_ref());
            }
            self.one_step_away(hint, &found, answer.as_ref());
            self.says(hint, answer.as_ref());
        }
    }

    /// A sentence of the judge begins with the part that it is about: `slip 2, column 7: …`.
    fn judged(&mut self, key: &Key, say: &str) {
        let number = |rest: &str| {
            rest.split(|c: char| !c.is_ascii_digit())
                .next()
                .and_then(|n| n.parse::<usize>().ok())
        };
        let slip = say
            .strip_prefix("slip ")
            .and_then(number)
            .and_then(|number| key.slips.get(number.checked_sub(1)?));
        let at = slip.map_or(key.place(), |slip| slip.written().at);
        let column = say
            .split_once(", column ")
            .filter(|(before, _)| before.len() < "slip 1000".len());
        match column.and_then(|(_, rest)| Some((number(rest)?, rest.split_once(": ")?.1))) {
            Some((column, message)) => self.report(at.right(column.saturating_sub(1)), message),
            None => self.report(at, say),
        }
    }

    /// A hint may not say the number that is asked for, digit by digit: a small
    /// one only as “the answer is 15”, for it may stand there for something else.
    fn says(&mut self, hint: &Phrase, answer: Option<&Value>) {
        let Some(right) = (match answer {
            Some(Value::Quantity(right)) => right.exact(),
            _ => None,
        }) else {
            return;
        };
        let running = running_of(&hint.text, hint.at);
        let plain = running.iter().flat_map(|words| {
            let ranges = words.unquoted().into_iter();
            ranges.map(|range| words.text.get(range).unwrap_or_default())
        });
        for text in plain {
            let words: Vec<&str> = text.split_whitespace().collect();
            for (at, word) in words.iter().enumerate() {
                let digits: String = word.chars().filter(char::is_ascii_digit).collect();
                let only = word
                    .chars()
                    .all(|c| c.is_ascii_digit() || ",._;:)".contains(c));
                let before = words.get(at.saturating_sub(2)..at).unwrap_or_default();
                let told = matches!(before, ["answer", "is" | "="] | [.., "answer:"]);
                if only && digits.parse() == Ok(right) && (told || right.abs() >= LARGE) {
                    self.report(
                        hint.at,
                        "this hint shows the answer; stop one step before it",
                    );
                }
            }
        }
    }

    /// Nor may its numbers leave one addition or subtraction: of two of them, or of
    /// all.
    fn one_step_away(&mut self, hint: &Phrase, found: &[Inline], answer: Option<&Value>) {
        let Some(Value::Quantity(right)) = answer else {
            return;
        };
        if right.exact().is_some_and(|n| n.abs() < SMALL) {
            return;
        }
        let shown: Vec<f64> = found
            .iter()
            .filter_map(|inline| Expr::parse(&inline.expr.text).ok()?.check(&self.env).ok())
            .filter_map(|value| value.quantity())
            .filter(|shown| shown.dimension().agrees(right.dimension()))
            .map(|shown| shown.value())
            .collect();
        let same = |sum: f64| (sum - right.value()).abs() <= SAME * right.value().abs();
        let of_two = shown.iter().enumerate().any(|(i, a)| {
            let rest = shown.get(i + 1..).unwrap_or_default();
            rest.iter().any(|b| same(a + b) || same((a - b).abs()))
        });
        if of_two || shown.len() > 2 && same(shown.iter().sum()) {
            let say = "one addition makes the answer of this hint's numbers; show one of them less";
            self.report(hint.at, say);
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
        if alike(&shown, right) && !small {
            self.report(
                inline.expr.at,
                "this hint shows the answer; stop one step before it",
            );
        }
    }
}

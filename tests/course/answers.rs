//! Answers as people type them, and the verdicts that a fair instructor gives.
//!
//! `tests/data/answers.toml` holds them with the reasons; this file grades each
//! and compares.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use serde::Deserialize;
use tinyllama_tutor::answer::{
    Env, Judgement, Key, Kind, SlipValue, Tolerance, Value, Verdict, grade,
};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{Course, Exercise, Figures, fill};
use tinyllama_tutor::units::{Dimension, Unit};

#[derive(Deserialize)]
struct Corpus {
    question: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    /// `ex1.block`
    key: String,
    /// What is typed, the verdict, and a text that must stand in what is said.
    answers: Vec<Vec<String>>,
}

fn judged(course: &Course, gpus: &GpuDatabase, key: &str, typed: &str) -> Judgement {
    let (exercise, name) = key.split_once('.').expect("exercise.key");
    let exercise = course.exercise(exercise).unwrap();
    let key = exercise.key(name).unwrap();
    let env = exercise.env(gpus, Figures::built_in()).unwrap();
    grade(typed, key, &env).unwrap()
}

#[test]
fn every_answer_gets_the_verdict_of_a_fair_instructor() {
    let corpus: Corpus = toml::from_str(include_str!("../data/answers.toml")).unwrap();
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut unlike = Vec::new();
    let mut judged_in_all = 0;
    for question in &corpus.question {
        for answer in &question.answers {
            let [typed, verdict, says @ ..] = answer.as_slice() else {
                panic!("{}: an answer without a verdict", question.key);
            };
            judged_in_all += 1;
            let judgement = judged(&course, &gpus, &question.key, typed);
            let (word, said) = (judgement.verdict.word(), judgement.sentence());
            if word != verdict || says.iter().any(|part| !said.contains(part.as_str())) {
                unlike.push(format!(
                    "{} “{typed}”: {word}, not {verdict} {says:?}: {said}",
                    question.key
                ));
            }
        }
    }
    assert!(judged_in_all >= 300, "{judged_in_all} answers are too few");
    assert!(
        unlike.is_empty(),
        "{} of {judged_in_all}:\n{}",
        unlike.len(),
        unlike.join("\n")
    );
}

/// A value with all the digits that it has, as somebody careful types it.
fn in_full(value: &Value, key: &Key) -> String {
    let Value::Quantity(q) = value else {
        return value.to_string();
    };
    let unit = match key.unit.as_ref().map(|unit| unit.value) {
        Some(spec) if spec.unit.dimension().agrees(q.dimension()) => spec.unit,
        _ => Unit::base(q.dimension()),
    };
    match q.exact() {
        Some(n) if unit.size() == 1.0 => format!("{n} {unit}"),
        _ => format!("{:.15e} {unit}", q.in_unit(unit)),
    }
}

/// A text with its inline numbers.
fn filled(text: &str, env: &Env<'_>) -> String {
    fill(text, |inline| match inline.show(env) {
        Ok(shown) => shown,
        Err((_, say)) => panic!("{text}: {say}"),
    })
}

/// Every key that needs no run, each cell of a table as one.
fn asked(exercise: &Exercise) -> Vec<Key> {
    let keys = exercise.keys.iter();
    keys.flat_map(|key| match &key.table {
        Some(table) => table
            .places()
            .filter_map(|(row, column)| key.cell(row, column))
            .collect(),
        None => vec![key.clone()],
    })
    .filter(|key| key.answer.is_some() && !key.asks_for_a_run())
    .collect()
}

#[test]
fn every_question_of_every_variant_knows_its_answer_and_its_slips() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let (mut unlike, mut slips) = (Vec::new(), 0);
    for printed in course.exercises() {
        for exercise in variants(printed) {
            let number = exercise.number;
            let env = exercise.env(&gpus, Figures::built_in()).unwrap();
            for key in asked(&exercise) {
                let place = format!("{} {} variant {number}", exercise.id, key.name.text);
                let env = env.with(&key.settings());
                // What a defective kernel yields is known once it ran.
                let Ok(answer) = key.answer.as_ref().unwrap().value.evaluate(&env) else {
                    continue;
                };
                let typed = in_full(&answer, &key);
                let verdict = grade(&typed, &key, &env).unwrap().verdict;
                if !verdict.is_done() {
                    unlike.push(format!("{place}: the answer {typed} is {}", verdict.word()));
                }
                for (index, slip) in key.slips.iter().enumerate() {
                    let SlipValue::Expr(expr) = &slip.value else {
                        continue;
                    };
                    let Ok(value) = expr.value.evaluate(&env.with(&slip.settings)) else {
                        continue;
                    };
                    let typed = in_full(&value, &key);
                    let judged = grade(&typed, &key, &env).unwrap();
                    slips += 1;
                    let named = match &judged.verdict {
                        Verdict::Slip(fits) => {
                            let say = filled(&slip.say.text, &env);
                            fits.iter().any(|f| f.say == say)
                        }
                        Verdict::Right { accepted } => accepted.is_some() && slip.accept,
                        Verdict::Kept => true,
                        _ => false,
                    };
                    if !named {
                        unlike.push(format!(
                            "{place}: slip {} as {typed} is {}: {}",
                            index + 1,
                            judged.verdict.word(),
                            judged.sentence()
                        ));
                    }
                }
            }
        }
    }
    assert!(slips > 100, "{slips} slips are too few");
    assert!(
        unlike.is_empty(),
        "{}:\n{}",
        unlike.len(),
        unlike.join("\n")
    );
}

/// Draws of every kind of variant that is drawn.
const DRAWS: usize = 200;

/// The variants of an exercise that are compared: all that are listed, or as many
/// of those that are drawn.
fn variants(printed: &Exercise) -> Vec<Exercise> {
    let last = match printed.draw {
        Some(_) => DRAWS,
        None => printed.looked_at(),
    };
    (0..=last).map(|n| printed.variant(n).unwrap()).collect()
}

/// The answers of an exercise that are numbers or options, by the name of the key.
fn answers(exercise: &Exercise, gpus: &GpuDatabase) -> Vec<(Key, Value)> {
    let env = exercise.env(gpus, Figures::built_in()).unwrap();
    let found = asked(exercise).into_iter().filter_map(|key| {
        let value = key
            .answer
            .as_ref()?
            .value
            .evaluate(&env.with(&key.settings()))
            .ok()?;
        Some((key, value))
    });
    found.collect()
}

/// Whether an answer of one variant is right in another.
fn same(key: &Key, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Quantity(a), Value::Quantity(b)) => {
            let share = match key.tolerance {
                Tolerance::Relative(share) => share,
                _ => 1e-4,
            };
            (a.value() - b.value()).abs() <= share * b.value().abs()
        }
        (a, b) => a == b,
    }
}

#[test]
fn no_variant_asks_for_the_numbers_of_another() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut alike = Vec::new();
    for printed in course.exercises().filter(|e| e.draw.is_none()) {
        let all: Vec<_> = variants(printed)
            .iter()
            .map(|variant| answers(variant, &gpus))
            .collect();
        for (j, b) in all.iter().enumerate() {
            for (i, a) in all.iter().take(j).enumerate() {
                let differ = a.iter().any(|(key, value)| {
                    let theirs = b.iter().find(|(other, _)| other.name == key.name);
                    theirs.is_some_and(|(_, other)| !same(key, value, other))
                });
                if !differ {
                    alike.push(format!("{} variants {i} and {j}", printed.id));
                }
            }
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

/// The same number draws the same questions, and two numbers draw two sheets.
#[test]
fn no_draw_is_a_copy_of_another() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut drawn = 0;
    for printed in course.exercises().filter(|e| e.draw.is_some()) {
        let sheets: Vec<Vec<String>> = variants(printed)
            .iter()
            .map(|variant| {
                let each = answers(variant, &gpus).into_iter();
                each.map(|(key, value)| format!("{}: {value}", key.ask.text))
                    .collect()
            })
            .collect();
        for (j, sheet) in sheets.iter().enumerate() {
            assert!(!sheet.is_empty(), "{} {j}", printed.id);
            let copy = sheets.iter().take(j).position(|other| other == sheet);
            assert_eq!(copy, None, "{}: {j} asks the same", printed.id);
        }
        drawn += sheets.len();
    }
    assert!(drawn > 2 * DRAWS, "{drawn} draws are too few");
}

/// What the solution of an exercise says of a key.
fn solution(exercise: &str, key: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("solutions");
    let text = std::fs::read_to_string(folder.join(format!("{exercise}.md"))).unwrap();
    let mut sections = text
        .split("\n## ")
        .map(|section| section.trim_start_matches("## "));
    let found = sections.find(|section| section.lines().next() == Some(key));
    found.unwrap_or_default().to_owned()
}

/// What an exercise and its solution say in words was written for the printed
/// shape. It stays true where every choice and every order has the answer that it
/// has there; where one has another, the solution says the answer by an expression.
#[test]
fn what_is_said_in_words_holds_in_every_variant() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut untrue = Vec::new();
    for printed in course.exercises().filter(|e| e.draw.is_none()) {
        let first = answers(printed, &gpus);
        for variant in variants(printed).iter().skip(1) {
            for (key, value) in answers(variant, &gpus) {
                let there = first.iter().find(|(other, _)| other.name == key.name);
                let words = !matches!(value, Value::Quantity(_));
                let by_expression = variant.key(&key.name.text).is_some_and(|asked| {
                    let answer = asked.answer.as_ref().map_or("", |answer| answer.as_str());
                    let section = solution(&variant.id, &key.name.text);
                    !answer.starts_with('\'') && section.contains(&format!("`= {answer}`"))
                });
                if words && !by_expression && there.is_some_and(|(_, printed)| *printed != value) {
                    let place = format!(
                        "{} {}, variant {}",
                        variant.id, key.name.text, variant.number
                    );
                    untrue.push(format!("{place}: {value}"));
                }
            }
        }
    }
    assert!(untrue.is_empty(), "{}", untrue.join("\n"));
}

#[test]
fn every_text_of_every_draw_is_filled_in() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut looked_at = 0;
    for printed in course.exercises() {
        for exercise in variants(printed) {
            for key in &exercise.keys {
                let mut setup = exercise.env(&gpus, Figures::built_in()).unwrap();
                setup = setup.with(&key.setup.meaning());
                let asked = std::iter::once(&key.ask).chain(&key.hints);
                for text in asked.chain(key.slips.iter().map(|slip| &slip.say)) {
                    let shown = filled(&text.text, &setup);
                    assert!(!shown.contains("`="), "{} {shown}", exercise.id);
                    looked_at += 1;
                }
            }
        }
    }
    assert!(looked_at > 100 * DRAWS, "{looked_at} texts are too few");
}

/// What is shown as a model of a count would be right itself: four digits.
#[test]
fn models_of_counts_have_four_digits() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let lesson = std::fs::read_to_string(folder.join("lessons/00-welcome.md")).unwrap();
    let (_, typed) = lesson.split_once("## How answers are typed").unwrap();
    let (typed, _) = typed.split_once("\n## ").unwrap();
    let examples = app::question::examples(false);
    let dimensions = [Dimension::Bytes, Dimension::Flop].map(Dimension::example);
    let mut models = 0;
    for text in [typed, examples].into_iter().chain(dimensions) {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "`,".contains(c))
            .collect();
        for pair in words.windows(2) {
            let unit = ["B", "kB", "MB", "MiB", "GB", "FLOP", "MFLOP", "GFLOP"].contains(&pair[1]);
            let number = pair[0].starts_with(|c: char| c.is_ascii_digit());
            if unit && number {
                let digits = pair[0].chars().filter(char::is_ascii_digit).count();
                assert!(digits >= 4, "{} {}", pair[0], pair[1]);
                models += 1;
            }
        }
    }
    assert!(models >= 6, "{models} models are too few");
}

/// Examples are read before the first question: none of them answers one.
#[test]
fn no_example_of_what_is_typed_is_an_answer() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let lesson = std::fs::read_to_string(folder.join("lessons/00-welcome.md")).unwrap();
    let table = lesson.lines().filter(|line| line.starts_with("| `"));
    let cells = table.filter_map(|line| line.split('|').nth(1));
    let codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    // The last of these is the word of an option, and keys are named in the same way.
    let mut examples: Vec<&str> = codes
        .filter(|code| code.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert_eq!(examples.len(), 7, "{examples:?}");
    let beside = app::question::examples(false).split("   ");
    examples.extend(beside.inspect(|example| assert!(!example.is_empty())));
    let mut given_away = Vec::new();
    let mut asked = 0;
    for exercise in course.exercises() {
        let env = exercise.env(&gpus, Figures::built_in()).unwrap();
        for key in exercise.keys.iter().filter(|key| key.kind == Kind::Number) {
            asked += 1;
            for example in &examples {
                let graded = grade(example, key, &env);
                if graded.is_ok_and(|said| matches!(said.verdict, Verdict::Right { .. })) {
                    given_away.push(format!("{} {}: {example}", exercise.id, key.name.text));
                }
            }
        }
    }
    assert!(asked > 100, "{asked}");
    assert!(given_away.is_empty(), "{}", given_away.join("\n"));
}

/// A count that is wanted to four digits or more says so before it is answered.
#[test]
fn a_question_says_that_it_wants_every_digit() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let mut silent = Vec::new();
    for exercise in course.exercises() {
        for (key, value) in answers(exercise, &gpus) {
            let large = matches!(value, Value::Quantity(q) if q.value() >= 1e4);
            let graded = matches!(key.kind, Kind::Number | Kind::Table);
            let said = key.ask.text.contains("our digits") || exercise.body.contains("four digits");
            if key.tolerance == Tolerance::Exact && large && graded && !said {
                silent.push(format!("{} {}", exercise.id, key.name.text));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

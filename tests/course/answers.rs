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
use tinyllama_tutor::answer::{Judgement, Key, SlipValue, Value, Verdict, grade};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{Course, Exercise, Figures};
use tinyllama_tutor::units::Unit;

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
    let key = exercise.key(name).unwrap().judged().unwrap();
    let env = exercise.env(gpus, Figures::built_in()).unwrap();
    grade(typed, &key, &env).unwrap()
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
    let unit = match key.unit {
        Some(spec) if spec.unit.dimension().agrees(q.dimension()) => spec.unit,
        _ => Unit::base(q.dimension()),
    };
    match q.exact() {
        Some(n) if unit.size() == 1.0 => format!("{n} {unit}"),
        _ => format!("{:.15e} {unit}", q.in_unit(unit)),
    }
}

/// Every key that needs no run, each cell of a table as one.
fn asked(exercise: &Exercise) -> Vec<Key> {
    let keys = exercise.keys.iter().map(|key| key.judged().unwrap());
    keys.flat_map(|key| match &key.grid {
        Some(grid) => grid
            .places()
            .filter_map(|(row, column)| {
                let cell = key.cell(row, column)?;
                Some(Key {
                    settings: key.settings.clone(),
                    ..cell
                })
            })
            .collect(),
        None => vec![key],
    })
    .filter(|key| key.answer.is_some() && !key.asks_for_a_run())
    .collect()
}

#[test]
fn every_question_of_every_variant_knows_its_answer_and_its_slips() {
    let (course, gpus) = (Course::built_in(), GpuDatabase::embedded().unwrap());
    let (mut unlike, mut slips) = (Vec::new(), 0);
    for printed in course.exercises() {
        for number in 0..=printed.looked_at() {
            let exercise = printed.variant(number).unwrap();
            let env = exercise.env(&gpus, Figures::built_in()).unwrap();
            for key in asked(&exercise) {
                let place = format!("{} {} variant {number}", exercise.id, key.name);
                let env = env.with(&key.settings);
                // What a defective kernel yields is known once it ran.
                let Ok(answer) = key.answer.as_ref().unwrap().evaluate(&env) else {
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
                    let Ok(value) = expr.evaluate(&env.with(&slip.settings)) else {
                        continue;
                    };
                    let typed = in_full(&value, &key);
                    let judged = grade(&typed, &key, &env).unwrap();
                    slips += 1;
                    let named = match &judged.verdict {
                        Verdict::Slip(fits) => fits.iter().any(|f| f.say == slip.say),
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

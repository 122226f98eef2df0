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
use tinyllama_tutor::answer::{Judgement, grade};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{Course, Figures};

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
    let corpus: Corpus = toml::from_str(include_str!("data/answers.toml")).unwrap();
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

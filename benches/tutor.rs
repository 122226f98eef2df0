//! What a learner waits for besides runs: prices, course texts, verdicts.
//!
//! `cargo bench --bench tutor`. The group `process` times whole processes from
//! start to exit, as a shell does; what it must reach is in its name. Answers
//! and progress go to a temporary folder.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench may stop at the first surprise"
)]

use std::hint::black_box;
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};
use tinyllama_tutor::answer::{Env, grade};
use tinyllama_tutor::cost::{Config, GpuDatabase, price};
use tinyllama_tutor::course::{Course, Figures, Part, fill, lint};
use tinyllama_tutor::fusion::Cut;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tinyllama-tutor");

/// ex1 answered right; `counted` needs a run and is timed apart.
const ANSWERS: [(&str, &str); 4] = [
    ("block", "17"),
    ("products", "9"),
    ("forward", "71"),
    ("outside", "embed, final_norm, lm_head"),
];

fn model(c: &mut Criterion) {
    let config = Config::preset("tinyllama-1.1b", Cut::v1()).unwrap();
    c.bench_function("price of tinyllama-1.1b", |b| {
        b.iter(|| price(black_box(&config)).unwrap());
    });
    c.bench_function("GPU database", |b| {
        b.iter(|| GpuDatabase::embedded().unwrap());
    });
}

fn course(c: &mut Criterion) {
    c.bench_function("course opened", |b| b.iter(Course::built_in));
    c.bench_function("course opened, every text parsed", |b| {
        b.iter(|| {
            let course = Course::built_in();
            let lessons: usize = course.lessons().map(|l| l.sections.len()).sum();
            let keys: usize = course.exercises().map(|e| e.keys.len()).sum();
            lessons + keys + course.solutions().len()
        });
    });
    let course = Course::built_in();
    let gpus = GpuDatabase::embedded().unwrap();
    let exercise = course.exercise("ex1").unwrap();
    c.bench_function("ex1 graded, without a run", |b| {
        b.iter(|| {
            let env = exercise.env(&gpus, Figures::built_in()).unwrap();
            for (name, typed) in ANSWERS {
                let key = exercise.key(name).unwrap();
                let judgement = grade(typed, key, &env).unwrap();
                assert!(judgement.verdict.is_right(), "{name}");
            }
        });
    });
    let lesson = course.lesson("02-counting").unwrap();
    c.bench_function("numbers of lesson 02", |b| {
        b.iter(|| {
            let env = Env::new(lesson.setup.answer().unwrap(), &gpus, Figures::built_in());
            let parts = lesson.sections.iter().flat_map(|s| &s.parts);
            let prose = parts.filter_map(|part| match part {
                Part::Prose { text, .. } => Some(text),
                Part::Live(_) => None,
            });
            prose
                .map(|text| fill(text, |inline| inline.show(&env).unwrap()).len())
                .sum::<usize>()
        });
    });
    let mut slow = c.benchmark_group("slow");
    slow.sample_size(10);
    slow.bench_function("lint of the course", |b| b.iter(|| lint(&course).len()));
    slow.finish();
}

/// Runs the program once, in `home`, and wants `code`.
fn process(home: &std::path::Path, args: &[&str], code: i32) {
    let status = Command::new(PROGRAM)
        .args(args)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(code), "{args:?}");
}

fn processes(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let mut answer = vec!["check".to_owned(), "ex1".to_owned()];
    for (key, typed) in ANSWERS {
        answer.extend(["--answer".to_owned(), format!("{key}={typed}")]);
    }
    let answer: Vec<&str> = answer.iter().map(String::as_str).collect();
    process(home, &answer, 1);
    let mut group = c.benchmark_group("process");
    group.bench_function("--version, the cost of a process", |b| {
        b.iter(|| process(home, &["--version"], 0));
    });
    group.bench_function("check ex1 (at most 10 ms)", |b| {
        b.iter(|| process(home, &["check", "ex1"], 1));
    });
    group.bench_function("check ex1, one more wrong try kept", |b| {
        b.iter(|| process(home, &["check", "ex2", "--answer", "qkv=1"], 1));
    });
    group.bench_function("cost --model tinyllama-1.1b (at most 5 ms)", |b| {
        b.iter(|| process(home, &["cost", "--model", "tinyllama-1.1b"], 0));
    });
    process(home, &["check", "ex1", "--answer", "counted=71"], 0);
    group.bench_function("check ex1 with the counted run (at most 10 ms)", |b| {
        b.iter(|| process(home, &["check", "ex1"], 0));
    });
    group.sample_size(20);
    group.bench_function("run of the workshop, checked, 1 timed", |b| {
        b.iter(|| process(home, &["run", "--runs", "1"], 0));
    });
    group.finish();
}

criterion_group!(benches, model, course, processes);
criterion_main!(benches);

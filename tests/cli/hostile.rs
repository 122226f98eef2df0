//! Files, folders and words that mean harm: each case makes a folder of its own, runs
//! the real binary on it, and holds what holds for all of them.
//!
//! The program ends in time and in bounded memory, with the code that is expected; it
//! says what is meant, without a panic and without a character that a terminal would
//! obey; and what stood there before stands there afterwards, byte for byte and kind
//! for kind, unless the case says that it is what the command writes.
//!
//! `TUTOR=path/to/tinyllama-tutor cargo test --test cli hostile` runs it against another
//! build, `CASE=pipe` those with this in their name, and `TELL=1` says how each went.

mod course;
mod learner;
mod machine;
mod shop;
mod words;

use shop::Shop;

/// Runs the cases of a group and fails with all that went wrong.
fn all(cases: &[Case]) {
    let only = std::env::var("CASE").unwrap_or_default();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case.name.contains(&only)) {
        let shop = Shop::new();
        (case.make)(&shop);
        let found = shop.run(case);
        if std::env::var_os("TELL").is_some() {
            println!(
                "{:<34} {}",
                case.name,
                found
                    .as_ref()
                    .map_or_else(|e| format!("FAIL {e}"), |s| format!("ok {s}"))
            );
        }
        wrong.extend(found.err().map(|why| format!("{}: {why}", case.name)));
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// One hostile thing and what is to come of it.
pub struct Case {
    /// What is tried.
    pub name: &'static str,
    /// Makes the folder.
    pub make: fn(&Shop),
    /// The words of the command line.
    pub args: &'static [&'static str],
    /// Codes that are right.
    pub codes: &'static [i32],
    /// What standard output and error say together; each of the parts.
    pub says: &'static [&'static str],
}

/// A case in one line.
pub const fn case(
    name: &'static str,
    args: &'static [&'static str],
    codes: &'static [i32],
    says: &'static [&'static str],
    make: fn(&Shop),
) -> Case {
    Case {
        name,
        make,
        args,
        codes,
        says,
    }
}

#[test]
fn texts_of_a_course() {
    all(course::CASES);
}

#[test]
fn what_a_learner_keeps() {
    all(learner::CASES);
}

#[test]
fn what_a_machine_reads() {
    all(machine::CASES);
}

#[test]
fn words_and_outputs() {
    all(words::CASES);
}

//! What was answered: as typed, with the verdict that it earns.

use crate::cli::desk::{Desk, Runs};
use crate::cli::failure::Failure;
use crate::cli::show::setting;
use course::answer::grade;
use course::present::{Grid, Piece, Prose, Weight};
use course::{Exercise, Key, Kind, Mark, Tally};

/// An answer as it stands.
pub(super) struct Answer {
    pub(super) exercise: String,
    pub(super) key: String,
    /// The question, its numbers filled in.
    asked: String,
    pub(super) typed: String,
    /// The verdict's word; empty: it was typed and not checked.
    verdict: &'static str,
    misses: u64,
    hints: u64,
    pub(super) given_up: bool,
}

impl Answer {
    /// It is right, or kept where nothing is graded.
    pub(super) fn is_earned(&self) -> bool {
        !self.typed.is_empty() && ["right", "kept"].contains(&self.verdict)
    }
}

/// What was answered of an exercise, in the variant that its sheet answers.
pub(super) fn of(desk: &Desk, exercise: &Exercise) -> Result<Vec<Answer>, Failure> {
    let sheet = desk.sheet(exercise)?;
    let answered = sheet.of(exercise).ok();
    let exercise = answered.as_ref().unwrap_or(exercise);
    let mut all = Vec::new();
    for key in &exercise.keys {
        let name = &key.name.text;
        let mark = desk.progress().key(&exercise.id, name);
        let typed = sheet.answer(name).unwrap_or_default();
        if typed.is_empty() && !mark.given_up {
            continue;
        }
        let runs = Runs::default();
        let env = desk.env(&key.setup, &runs)?;
        all.push(Answer {
            exercise: exercise.id.clone(),
            key: name.clone(),
            asked: desk.filled(&key.ask.text, &env),
            verdict: match again(key, &typed) {
                true => grade(&typed, key, &env).map_or("", |found| found.verdict.word()),
                false => mark.verdict.map_or("", Mark::word),
            },
            misses: mark.tries,
            hints: mark.hints,
            given_up: mark.given_up,
            typed,
        });
    }
    Ok(all)
}

/// Whether an answer is graded as it stands now: where that takes no run and no judge of
/// kernels. Of others the verdict of the last check is told.
fn again(key: &Key, typed: &str) -> bool {
    !typed.is_empty()
        && key.kernel.is_none()
        && !matches!(key.kind, Kind::Measured | Kind::Predict)
        && !key.asks_for_a_run()
}

/// A table for each exercise that was begun, below what its questions are read with, and
/// the sum.
pub(super) fn pieces(desk: &Desk, answers: &[Answer]) -> Result<Vec<Piece>, Failure> {
    let mut out = Vec::new();
    let tallies = desk.course.exercises().map(|e| desk.progress().tally(e));
    let tally: Tally = tallies.sum();
    if !answers.is_empty() {
        let typed = answers.iter().filter(|a| !a.typed.is_empty()).count();
        let given_up = answers.iter().filter(|a| a.given_up).count();
        let read = match given_up {
            0 => String::new(),
            n => format!("; {n} given up"),
        };
        let said = format!("{typed} typed; {}{read}.", tally.line());
        out.push(Piece::Words(Weight::Text, said));
    }
    for named in desk.course.exercises() {
        let of_it = answers.iter().filter(|a| a.exercise == named.id);
        let rows: Vec<Vec<String>> = of_it.map(row).collect();
        if rows.is_empty() {
            continue;
        }
        let exercise = desk.varied(named, None)?;
        out.push(Piece::Words(Weight::Title, exercise.heading()));
        out.push(Piece::Words(Weight::Text, setting(&exercise)?));
        let runs = Runs::default();
        let env = desk.env(&exercise.setup, &runs)?;
        let body = exercise.shown_body(desk.gpus()?);
        out.push(Piece::Text(Prose::of(&body, &env)));
        let head = ["question", "asked", "answer", "verdict", "misses", "hints"];
        out.push(Piece::Table(Grid {
            head: head.map(str::to_owned).to_vec(),
            rows,
            ..Grid::default()
        }));
    }
    Ok(out)
}

fn row(answer: &Answer) -> Vec<String> {
    let verdict = match (answer.given_up, answer.verdict) {
        (true, _) => "given up",
        (false, "") => "not checked",
        (false, word) => word,
    };
    vec![
        answer.key.clone(),
        answer.asked.clone(),
        answer.typed.clone(),
        verdict.to_owned(),
        answer.misses.to_string(),
        answer.hints.to_string(),
    ]
}

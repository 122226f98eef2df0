//! What helps with a question: hints, tries so far, the worked solution.

use super::form::styled;
use crate::tui::pen::width as columns_of;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::question::Asked;
use course::Key;

/// The hints that were seen, and how many there are; the line at which the newest begins.
pub fn hints(state: &State, asked: &Asked, key: &Key, width: usize) -> (Vec<Row>, usize) {
    if !state.shared.questions.question(asked).hints {
        return (tally(state, asked, key, width), 0);
    }
    let seen = state
        .shared
        .study
        .progress
        .key(&asked.exercise, &asked.key)
        .hints as usize;
    let mut rows = vec![Row::default()];
    let (all, mut newest) = (key.hints.len(), 0);
    for (i, hint) in key.hints.iter().take(seen).enumerate() {
        let label = format!("hint {} of {all}", i + 1);
        let lines = styled(state, &key.setup, &hint.text, 1, width.saturating_sub(14));
        newest = rows.len();
        for (j, line) in lines.into_iter().enumerate() {
            let head = if j == 0 { label.as_str() } else { "" };
            let mut row = Row::of(head, Role::Accent).at(14, "", Role::Text);
            row.spans.extend(line.spans);
            rows.push(row);
        }
    }
    rows.extend(tally(state, asked, key, width));
    (rows, newest)
}

/// Hints and wrong tries so far, and how the solution can be had.
fn tally(state: &State, asked: &Asked, key: &Key, width: usize) -> Vec<Row> {
    if state.page != app::Page::Exercises {
        return Vec::new();
    }
    let kept = state.shared.study.progress.key(&asked.exercise, &asked.key);
    let free = if kept.solved || kept.given_up {
        "s shows the solution"
    } else {
        "solution: once solved, or s twice"
    };
    let seen = kept.hints.min(key.hints.len() as u64);
    let folded = seen > 0 && !state.shared.questions.question(asked).hints;
    let text = format!(
        "hints {seen} of {} seen{}   misses {}   {free}",
        key.hints.len(),
        if folded { ", h shows them" } else { "" },
        kept.tries
    );
    let mut rows = vec![Row::default()];
    // What stands on one line is parted; a part that does not fit goes below.
    let mut line = String::new();
    for part in text.split("   ") {
        let gap = if line.is_empty() { "" } else { "   " };
        if columns_of(&line) + gap.len() + columns_of(part) > width {
            rows.push(Row::of(std::mem::take(&mut line), Role::Dim));
            line.push_str(part);
        } else {
            line.push_str(gap);
            line.push_str(part);
        }
    }
    rows.push(Row::of(line, Role::Dim));
    rows
}

/// The worked solution, where it is shown.
pub fn solution(state: &State, asked: &Asked, key: &Key, width: usize) -> Vec<Row> {
    if !state.shared.questions.question(asked).solution {
        return Vec::new();
    }
    let solution = state.shared.study.course.solution(&asked.exercise);
    let Some(part) = solution.and_then(|s| s.of(key)) else {
        return Vec::new();
    };
    let title = format!("─ worked solution, {} {} ", asked.exercise, asked.key);
    let rule = "─".repeat(width.saturating_sub(columns_of(&title)));
    let mut rows = vec![Row::default(), Row::of(title + &rule, Role::Dim)];
    rows.extend(styled(state, &key.setup, &part.body, part.body_line, width));
    let kept = state.shared.study.progress.key(&asked.exercise, &asked.key);
    if kept.given_up && !kept.solved {
        rows.push(Row::default());
        let counts = state
            .shared
            .study
            .progress
            .as_read(&asked.exercise, &asked.key);
        let text = format!("Seen before solving, it {counts}.");
        rows.extend(words(&text, width, Role::Dim));
    }
    rows
}

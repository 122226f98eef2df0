//! The form: the exercise's text, its questions, and what was said to the one
//! under the cursor.

use super::question;
use crate::tui::lesson::resolved;
use crate::tui::pen::Pen;
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use app::State;
use app::exercise::Shown;
use app::question::Asked;
use course::Exercise;
use course::answer::data_sheets;
use text::{self, Layout};

/// A form laid out.
pub struct Laid {
    /// Its lines.
    pub rows: Vec<Row>,
    /// Where the question under the cursor stands.
    pub current: Shown,
}

/// Draws the part of the form that is in view.
pub fn draw(state: &State, laid: Option<&Laid>, pen: &mut Pen<'_>) {
    let Some(laid) = laid else { return };
    let from = state.exercises.form.as_ref().map_or(0, |f| f.scroll);
    for (y, row) in (0..pen.height()).zip(laid.rows.iter().skip(from)) {
        row.draw(pen, 1, y);
    }
    if from > 0 {
        pen.put(0, 0, "▲", Role::Dim);
    }
    if from + usize::from(pen.height()) < laid.rows.len() {
        pen.put(0, pen.height().saturating_sub(1), "▼", Role::Dim);
    }
}

/// Lays the form out in `columns` columns and `room` lines: with the other questions in
/// full where all of it fits, with a line of each where not.
pub fn lay(state: &State, exercise: &Exercise, columns: usize, room: usize) -> Laid {
    let brief = laid(state, exercise, columns, false);
    if brief.rows.len() >= room {
        return brief;
    }
    let full = laid(state, exercise, columns, true);
    match full.rows.len() <= room {
        true => full,
        false => brief,
    }
}

fn laid(state: &State, exercise: &Exercise, columns: usize, full: bool) -> Laid {
    let width = columns.saturating_sub(2);
    let mut rows = vec![Row::default()];
    if state.shared.two_panes() {
        rows.push(Row::of(exercise.heading(), Role::Strong).right(
            width,
            &setup(exercise),
            Role::Dim,
        ));
        rows.push(Row::default());
    }
    if exercise.number > 0 {
        let text = format!("Variant {}: {}", exercise.number, setup(exercise));
        rows.push(Row::of(text, Role::Dim));
        rows.push(Row::default());
    }
    let body = match &state.shared.study.gpus {
        Some(gpus) => exercise.shown_body(gpus),
        None => exercise.body.as_str().into(),
    };
    rows.extend(markdown(state, exercise, &body, width));
    let right = |name: &str| state.shared.study.progress.key(&exercise.id, name).solved;
    if let Some(marked) = exercise.marked(right) {
        let role = if marked.passed() {
            Role::Good
        } else {
            Role::Dim
        };
        rows.push(Row::default());
        rows.push(Row::of(format!("{marked}."), role));
    }
    rows.push(Row::default());
    let cursor = state.exercises.form.as_ref().map(|f| f.row);
    let mut current = Shown::default();
    for (i, key) in exercise.keys.iter().enumerate() {
        let asked = Asked {
            exercise: exercise.id.clone(),
            key: key.name.text.clone(),
        };
        let here = cursor == Some(i);
        let from = rows.len();
        let (shown, parts) = question::in_form(state, &asked, i + 1, (here, full), width);
        if here {
            let at = |part: question::Part| part.map(|(at, lines)| (from + at, lines));
            current = Shown {
                question: (from, shown.len()),
                cursor: at(question::cursor(state, &asked, &shown)),
                verdict: at(parts.verdict),
                hint: at(parts.hint),
                solution: at(parts.solution),
            };
        }
        rows.extend(shown);
    }
    for fault in &exercise.faults {
        rows.push(Row::default());
        rows.extend(crate::tui::rows::words(
            &fault.to_string(),
            width,
            Role::Bad,
        ));
    }
    Laid { rows, current }
}

/// Model and shape of the exercise, which is not that of the bench, and the GPU that it
/// asks of.
pub fn setup(exercise: &Exercise) -> String {
    if !exercise.tasks.is_empty() {
        return format!("{} tasks", 1 + exercise.tasks.len());
    }
    match exercise.setup.answer() {
        Ok(setup) => {
            let title = app::Setup::of(&setup.config, 0).title();
            match exercise.gpu {
                Some(gpu) => {
                    let sheet = data_sheets().and_then(|all| all.get(gpu).ok());
                    format!("{title}, {}", sheet.map_or(gpu, |gpu| &gpu.short))
                }
                None => title,
            }
        }
        Err(error) => error.to_string(),
    }
}

/// Text of the exercise with its numbers, in the exercise's configuration.
pub fn markdown(state: &State, exercise: &Exercise, text: &str, width: usize) -> Vec<Row> {
    styled(state, &exercise.setup, text, exercise.body_line, width)
}

/// Markdown with inline numbers evaluated in a configuration.
pub fn styled(
    state: &State,
    setup: &course::Setup,
    text: &str,
    line: usize,
    width: usize,
) -> Vec<Row> {
    let env = state.shared.study.env(setup, &state.shared.runs);
    let resolve = |value: &text::Value| resolved(&env, value);
    let parsed = text::parse(text, line, &[]);
    let layout = Layout::new(width, &resolve)
        .ascii(state.shared.look.ascii)
        .whole();
    let mut rows = Vec::new();
    for section in &parsed.sections {
        let page = layout.section(section);
        rows.extend(page.lines.iter().map(Row::of_markup));
    }
    rows
}

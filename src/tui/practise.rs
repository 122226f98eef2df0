//! Practice: the question, what is typed, the verdict, and what went wrong elsewhere.

use super::exercise::question::typing;
use super::exercise::verdict::word_role;
use super::frame;
use super::live::note;
use super::pen::Pen;
use super::rows::{Row, words};
use super::theme::Role;
use app::State;
use app::mouse::Target;
use app::practise::again;
use course::answer::practise::{Task, Topic};
use course::present::example_of;

/// Columns of the text at most.
const WIDEST: u16 = 80;

/// First row of the text, and how many rows it has.
fn area(state: &State) -> (u16, usize) {
    let top = if state.shared.two_panes() { 3 } else { 2 };
    // Below are a blank row, the message and the keys.
    let below = state.shared.size.1.saturating_sub(3);
    (top, usize::from(below.saturating_sub(top)))
}

/// Tells the page how long its text is, and what of it is to be seen.
pub fn fit(state: &mut State) {
    let (rows, seen) = lay(state);
    let (_, room) = area(state);
    state.practise.fit(rows.len(), room, seen);
}

/// The text, its field's row, and the row behind what is to be seen of the answer.
fn lay(state: &State) -> (Vec<Row>, (usize, usize)) {
    let columns = usize::from(state.shared.size.0.min(WIDEST)).saturating_sub(4);
    let practise = &state.practise;
    let mut rows = vec![topics(state), Row::default()];
    match &practise.task {
        Some(task) => rows.extend(question(state, task, columns)),
        None => rows.push(Row::of("No question can be drawn yet.", Role::Dim)),
    }
    let field = rows.iter().position(|row| row.text().starts_with("[ "));
    let said = rows.len();
    let (asked, right) = practise.tally;
    if asked > 0 {
        let text = format!("{right} of {asked} right at the first answer.");
        rows.extend([Row::default(), Row::of(text, Role::Dim)]);
    }
    let missed = again(&state.shared);
    if !missed.is_empty() {
        let ids: Vec<String> = missed
            .iter()
            .map(|asked| format!("{} {}", asked.exercise, asked.key))
            .collect();
        let text = format!(
            "Went wrong in exercises: {}. ↓ opens the first.",
            ids.join(", ")
        );
        rows.push(Row::default());
        rows.extend(words(&text, columns, Role::Text));
    }
    // Behind the answer all that is below it.
    let end = if practise.over() { rows.len() } else { said };
    (rows, (field.unwrap_or(0), end))
}

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let (top, room) = area(state);
    let (rows, _) = lay(state);
    let from = state.practise.scroll();
    for (y, row) in (top..).zip(rows.iter().skip(from).take(room)) {
        row.draw(pen, 2, y);
    }
    let below = match from + room < rows.len() {
        true => "PgDn: more below",
        false => "",
    };
    frame::message(state, "", below, pen, last - 1);
}

/// The topics, the present one marked.
fn topics(state: &State) -> Row {
    let practise = &state.practise;
    Topic::ALL
        .iter()
        .enumerate()
        .fold(Row::default(), |row, (at, (name, topic))| {
            let here = *topic == practise.topic;
            let (sign, role) = match here {
                true => ("►", Role::Accent),
                false => (" ", Role::Dim),
            };
            row.and(format!("{sign}{name} "), role)
                .clicked(name.len() + 1, Target::Row(at))
        })
}

fn question(state: &State, task: &Task, columns: usize) -> Vec<Row> {
    let practise = &state.practise;
    let mut rows = words(&task.key.ask.text, columns, Role::Strong);
    for line in &task.premise {
        rows.extend(words(line, columns, Role::Text));
    }
    if !task.key.options.is_empty() {
        let options = format!("Type one of: {}.", task.options());
        rows.extend(words(&options, columns, Role::Text));
    }
    rows.push(Row::default());
    let unit = task
        .key
        .unit
        .as_ref()
        .map_or_else(String::new, |unit| example_of(&unit.value));
    rows.push(match practise.over() {
        true => Row::of(format!("[ {} ]", practise.field.text()), Role::Text),
        false => typing(Row::default(), &practise.field, &unit),
    });
    if let Some(judgement) = &practise.judgement {
        let word = judgement.verdict.word();
        rows.push(Row::default());
        rows.extend(note(word, word_role(word), &judgement.read_as(), columns));
    }
    if practise.hinted {
        rows.push(Row::default());
        rows.extend(note("hint", Role::Dim, task.hint(), columns));
    }
    if let Some(shown) = &practise.shown {
        rows.extend([
            Row::default(),
            Row::of(format!("It is {shown}."), Role::Text),
        ]);
    }
    if practise.over() {
        for (at, step) in practise.derived.iter().enumerate() {
            let label = if at == 0 { "why" } else { "" };
            rows.extend(note(label, Role::Dim, step, columns));
        }
        let command = task.command.as_ref();
        if let Some(command) = command.filter(|_| practise.derived.is_empty()) {
            rows.extend([
                Row::default(),
                Row::of("Term by term, in a shell:", Role::Dim),
            ]);
            rows.extend(words(command, columns, Role::Text));
        }
        rows.extend([
            Row::default(),
            Row::of("Enter asks the next one.", Role::Dim),
        ]);
    }
    rows
}

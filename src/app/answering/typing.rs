//! The field of a question, while something is typed in it.

use super::{check, drop_draft, echo, grid, now};
use crate::field::Field;
use crate::intent::Out;
use crate::key::{Code, Key as Pressed};
use crate::message::Effect;
use crate::note::Tone;
use crate::shared::Shared;
use course::attempt::tried_by;

/// A key while an answer is typed. `false`: the field is left for the next
/// part of the page, which the page knows.
pub fn press(shared: &mut Shared, key: Pressed, out: &mut Out) -> bool {
    let Some((asked, _)) = &shared.questions.field else {
        return true;
    };
    let asked = asked.clone();
    let table = shared.study.key_of(&asked).and_then(|k| k.table.clone());
    if let Some(table) = &table
        && leaves_cell(shared, key)
    {
        leave_field(shared, out);
        match key.code {
            Code::Up | Code::Down => drop(grid::row(shared, &asked, key.code == Code::Up)),
            _ => grid::step(shared, &asked, table, key.code == Code::Left),
        }
        return true;
    }
    if let Some(table) =
        table.filter(|_| matches!(key.code, Code::Enter | Code::Tab | Code::BackTab))
    {
        // A table is graded when that is asked for, not cell by cell.
        leave_field(shared, out);
        grid::step(shared, &asked, &table, key.code == Code::BackTab);
        let typed = grid::typed(shared, &asked, &table);
        if key.code != Code::Enter || typed.is_empty() {
            shared.questions.field = Some((asked, Field::with(&typed)));
        } else {
            let text = "Enter at a filled cell checks the table, i changes the cell.";
            shared.notes.say(Tone::Plain, text);
        }
        return true;
    }
    match key.code {
        Code::Enter => {
            if let Some((_, field)) = shared.questions.field.take() {
                check::write(shared, &asked, field.text().trim(), out);
            }
            check::lock(shared, &asked, out);
            check::check(shared, &asked, out);
            // What cannot be read is mended where it stands; what only waits for a
            // run leaves the keys free for it.
            let typed = now(shared, &asked);
            let unread = match super::written(shared, &asked) {
                // What the judge will say of letters that are none is known before.
                Some(kernel) => !typed.is_empty() && tried_by(kernel, &typed).is_empty(),
                None => {
                    let judged = shared.questions.question(&asked).judgement;
                    judged.is_some_and(|j| j.verdict.word() == "unread")
                        && echo(shared, &asked, &typed).is_err()
                }
            };
            if unread {
                shared.questions.field = Some((asked, Field::with(&typed)));
            }
        }
        Code::Esc => leave_field(shared, out),
        Code::Tab | Code::BackTab => {
            leave_field(shared, out);
            return false;
        }
        _ => {
            if let Some((_, field)) = &mut shared.questions.field {
                field.press(key);
            }
        }
    }
    true
}

/// Whether an arrow leads out of the cell that is typed: up and down, and where the text
/// ends on its side.
fn leaves_cell(shared: &Shared, key: Pressed) -> bool {
    let halves = shared.questions.field.as_ref().map(|(_, f)| f.halves());
    let Some((before, behind)) = halves.filter(|_| !key.ctrl) else {
        return false;
    };
    match key.code {
        Code::Up | Code::Down => true,
        Code::Left => before.is_empty(),
        Code::Right => behind.is_empty(),
        _ => false,
    }
}

/// Closes the field; what was typed goes into the sheet.
pub fn leave_field(shared: &mut Shared, out: &mut Out) {
    if let Some((asked, field)) = shared.questions.field.take() {
        let typed = field.text().trim().to_owned();
        match shared.study.key_of(&asked).and_then(|k| k.table.clone()) {
            Some(table) => grid::put(shared, &asked, &table, &typed, out),
            None if shared.questions.draft_of(&asked).is_some() => {
                drop_draft(shared);
            }
            None => check::save(shared, &asked, &typed, out),
        }
    }
}

/// What is being typed goes into its sheet as it stands, and its field stays open: neither
/// a crash nor a dead battery takes it. Nothing is graded, what was said of the answer before
/// stays, and so does a right answer that is being changed.
pub(crate) fn in_hand(shared: &mut Shared, out: &mut Out) {
    let Some((asked, field)) = &shared.questions.field else {
        return;
    };
    let (asked, text) = (asked.clone(), field.text().trim().to_owned());
    if text.is_empty() {
        return;
    }
    let table = shared
        .study
        .key_of(&asked)
        .and_then(|key| key.table.as_ref());
    let typed = match table {
        Some(table) => grid::with(shared, &asked, table, &text),
        None => text,
    };
    if shared.questions.draft_of(&asked).is_some() {
        shared.questions.change = Some((asked, typed));
        return;
    }
    let ahead = shared
        .questions
        .ahead
        .as_ref()
        .filter(|(of, _)| *of == asked);
    let held = ahead.map_or_else(
        || shared.study.typed(&asked.exercise, &asked.key),
        |(_, held)| held.as_str(),
    );
    if held != typed {
        out.push(Effect::SaveAnswer {
            exercise: asked.exercise.clone(),
            key: asked.key.clone(),
            typed: typed.clone(),
        });
        shared.questions.ahead = Some((asked, typed));
    }
}

/// Pasted text while an answer is typed.
pub fn paste(shared: &mut Shared, text: &str) {
    let field = shared.questions.field.as_mut();
    if let Some(said) = field.and_then(|(_, field)| field.paste(text)) {
        shared.notes.say(Tone::Warn, said);
    }
}

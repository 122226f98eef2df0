//! Answering a question, in the form or in a lesson: what keys do, what is
//! checked, which sheet it goes to.

pub mod check;
pub mod grid;
pub mod kernel;
mod options;
mod runs;
pub mod sheet;
mod typing;
pub mod variant;

use super::field::Field;
use super::intent::Out;
use super::keymap::Action;
use super::mouse::Target;
use super::note::Tone;
use super::question::{Asked, Asks};
use super::shared::Shared;
use course::answer::Verdict;
use course::{Kernel, Key, Kind, Mark, Table};

pub use check::{Standing, derived, echo, echo_cell, now, refused, right, standing, tolerance};
pub use course::answer::marked;
pub use kernel::written;
pub(super) use options::rank;
pub use options::{here, leads_on, marks_here, placed};
use options::{mark, marks, unmarked, warned};
pub(super) use runs::came as runs_came;
pub use runs::{asked_figures, asked_runs, micros, runs, under_way};
pub use sheet::open as open_sheet;
pub(super) use typing::in_hand;
pub use typing::{leave_field, paste, press};

/// Moves among the lines of a kernel; `false`: there are none, or none further.
pub(super) fn line(shared: &mut Shared, asked: &Asked, up: bool) -> bool {
    let lines = shared
        .study
        .key_of(asked)
        .filter(|key| key.kernel.as_ref().is_some_and(|k| !k.is_written()))
        .map_or(0, |key| key.options.len());
    let at = here(shared, asked);
    let to = match up {
        true => at.checked_sub(1),
        false => Some(at + 1).filter(|to| *to < lines),
    };
    // At a right answer there is no line to look for.
    let moved = to.filter(|_| lines > 0 && !right(shared, asked));
    if let Some(to) = moved {
        shared.questions.question_mut(asked).option = Some(to);
        shared.questions.reveal = true;
    }
    moved.is_some()
}

/// What digits mean to a question that has the keys.
pub fn asks(shared: &Shared, asked: &Asked) -> Asks {
    let Some(key) = shared.study.key_of(asked) else {
        return Asks::Untyped;
    };
    if right(shared, asked) || predicted(shared, asked) {
        return Asks::Right;
    }
    match key.kind {
        _ if key
            .kernel
            .as_ref()
            .is_some_and(|kernel| !kernel.is_written()) =>
        {
            Asks::Line(key.options.len())
        }
        _ if key.kernel.is_some() => Asks::Untyped,
        Kind::Table if !key.options.is_empty() => Asks::Untyped,
        Kind::Choice | Kind::Choices => Asks::Option(key.options.len()),
        Kind::Ranking => Asks::Rank(key.options.len()),
        // A cell that was refused is written anew; what else stands in one stays.
        Kind::Table => match key.table.as_ref() {
            Some(table) if !grid::is_free(shared, asked, table) => Asks::Begun,
            _ => Asks::Value,
        },
        // What was said to an answer is of the run that there was: it is typed anew.
        Kind::Measured if was_judged(shared, asked) => Asks::Value,
        // A new answer takes the place of one that was refused, or could not be read.
        _ if !now(shared, asked).is_empty()
            && !unread(shared, asked)
            && !refused(shared, asked) =>
        {
            Asks::Begun
        }
        Kind::Number | Kind::Measured | Kind::Predict | Kind::Text => Asks::Value,
    }
}

/// Whether something was said to the answer that stands, now or before this start.
fn was_judged(shared: &Shared, asked: &Asked) -> bool {
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    kept.verdict.is_some() || shared.questions.question(asked).judgement.is_some()
}

/// Acts on one question, in the form or in a lesson. `false`: the action is no affair
/// of the question, and is the page's own.
pub fn question(shared: &mut Shared, asked: &Asked, action: Action, out: &mut Out) -> bool {
    let Some(key) = shared.study.key_of(asked).cloned() else {
        return false;
    };
    let chosen = matches!(key.kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    let options = key.options.len();
    if action != Action::Solution {
        shared.questions.disarm();
    }
    let written = key.kernel.as_ref().is_some_and(Kernel::is_written);
    match action {
        Action::Change => {
            change(shared, asked, &key);
            return true;
        }
        // What is right stays as it is: Space goes on.
        Action::Flip if right(shared, asked) => return false,
        Action::Open if !written && right(shared, asked) => {
            shared.notes.say(Tone::Plain, stands(shared, asked));
            return true;
        }
        _ => {}
    }
    if let Some(table) = &key.table
        && in_table(shared, asked, &key, table, action, out)
    {
        return true;
    }
    let locked = || {
        shared
            .study
            .progress
            .key(&asked.exercise, &asked.key)
            .locked
    };
    if key.kind == Kind::Predict
        && matches!(action, Action::Open | Action::Flip)
        && let Some(locked) = locked()
    {
        if shared.study.typed(&asked.exercise, &asked.key) != locked {
            check::save(shared, asked, &locked, out);
        }
        if action == Action::Flip {
            return false;
        }
        shared.notes.say(Tone::Plain, PREDICTED);
        check::check(shared, asked, out);
        return true;
    }
    match action {
        // Enter checks and marks nothing.
        Action::Open if chosen && unmarked(shared, asked, &key) => {}
        // A mark may be out of sight: it is named before it is graded.
        Action::Open if key.kind == Kind::Choice && warned(shared, asked, &key) => {}
        Action::Open if chosen => check::check(shared, asked, out),
        // What was checked stays as it is: Space goes on.
        Action::Flip if leads_on(shared, asked) => return false,
        // The one mark stays: another option takes its place.
        Action::Flip if key.kind == Kind::Choice && marks(shared, asked, &key) => {
            shared.notes.say(Tone::Plain, "Marked. Enter checks it.");
        }
        // A place in an order stays.
        Action::Flip if placed(shared, asked) => {
            let text = "It has its place: a digit gives it another, 0 takes it back.";
            shared.notes.say(Tone::Plain, text);
        }
        Action::Flip if chosen => mark(shared, asked, &key, out),
        Action::Left | Action::Right if chosen && options > 0 => {
            let at = here(shared, asked);
            let step = if action == Action::Right {
                1
            } else {
                options - 1
            };
            shared.questions.question_mut(asked).option = Some((at + step) % options);
            shared.questions.reveal = true;
        }
        Action::Edit => kernel::edit(shared, asked, out),
        Action::Open if written => kernel::judge(shared, asked, out),
        // The gap form of a kernel.
        Action::Flip if written => open_field(shared, asked),
        Action::Open => open_field(shared, asked),
        Action::Hint => check::hint(shared, asked, &key, out),
        Action::Solution => check::solution(shared, asked, &key, out),
        Action::Run | Action::RunAll => runs::run(shared, asked, out),
        _ => return false,
    }
    true
}

/// What is said to Enter, and to what is typed, where the right answer stands.
const STANDS: &str = "This is answered right: i changes it, H shows the contents.";

/// What is said to both where a prediction was made.
const PREDICTED: &str = "A prediction stays as it was made. H shows the contents.";

/// What is said to Enter, and to what is typed, where nothing is taken any more.
pub fn stands(shared: &Shared, asked: &Asked) -> &'static str {
    match predicted(shared, asked) {
        true => PREDICTED,
        false => STANDS,
    }
}

/// The place of the next question of an exercise that is neither solved nor given up, round
/// at the end.
pub fn next_open(shared: &Shared, asked: &Asked) -> Option<usize> {
    let keys = &shared.study.exercise(&asked.exercise)?.keys;
    let at = keys.iter().position(|key| key.name.text == asked.key)?;
    let kept = &shared.study.progress;
    let open = |place: &usize| {
        let key = keys.get(*place);
        key.is_some_and(|key| {
            let mark = kept.key(&asked.exercise, &key.name.text);
            !mark.solved && !mark.given_up
        })
    };
    (at + 1..keys.len()).chain(0..at).find(open)
}

/// Whether a prediction was made, which nothing changes.
pub fn predicted(shared: &Shared, asked: &Asked) -> bool {
    let kept = &shared.study.progress;
    kept.key(&asked.exercise, &asked.key).locked.is_some()
}

/// Whether the answer could not be read.
pub(super) fn unread(shared: &Shared, asked: &Asked) -> bool {
    let judgement = shared.questions.question(asked).judgement;
    judgement.is_some_and(|j| matches!(j.verdict, Verdict::Unread { .. }))
}

/// Opens the field with what is typed so far.
fn open_field(shared: &mut Shared, asked: &Asked) {
    let typed = now(shared, asked);
    // A new answer takes the place of one that is wrong, or was of another run; one that could
    // not be read is mended.
    let key = shared.study.key_of(asked);
    let measured = key.is_some_and(|key| key.kind == Kind::Measured);
    // What was found of a kernel is not judged again at a new start.
    let gaps = written(shared, asked).is_some()
        && matches!(
            standing(shared, asked),
            Standing::Judged(Mark::Wrong | Mark::Slip)
        );
    let field = match measured && was_judged(shared, asked)
        || refused(shared, asked) && !unread(shared, asked)
        || gaps
    {
        true => Field::replacing(&typed),
        false => Field::with(&typed),
    };
    shared.questions.field = Some((asked.clone(), field));
}

/// `i`: the answer is typed or, where it is right, changed. What was right stays in the
/// sheet until the new one has a verdict.
fn change(shared: &mut Shared, asked: &Asked, key: &Key) {
    if predicted(shared, asked) {
        shared.notes.say(Tone::Plain, PREDICTED);
        return;
    }
    if right(shared, asked) {
        let begun = shared.questions.change.as_ref();
        let begun = begun.and_then(|(of, typed)| (of == asked).then(|| typed.clone()));
        let text = match begun {
            Some(_) => {
                "What you had begun stands here. Enter checks it, Esc leaves the answer as it was."
            }
            None if key.kernel.is_some() && now(shared, asked).is_empty() => {
                "The file is what Enter judges; letters are where it cannot be compiled. Esc leaves it as it was."
            }
            None => "Enter checks the new answer; until then, and after Esc, the old one stays.",
        };
        let typed = begun.unwrap_or_else(|| now(shared, asked));
        shared.questions.draft = Some((asked.clone(), typed));
        shared.notes.say(Tone::Plain, text);
    }
    match &key.table {
        _ if !key.options.is_empty() => {}
        Some(table) => {
            let typed = grid::typed(shared, asked, table);
            let field = match grid::is_free(shared, asked, table) {
                true => Field::replacing(&typed),
                false => Field::with(&typed),
            };
            shared.questions.field = Some((asked.clone(), field));
        }
        None if refused(shared, asked) => {
            // A new answer takes the place of the one that was not right.
            let typed = now(shared, asked);
            shared.questions.field = Some((asked.clone(), Field::replacing(&typed)));
        }
        None => open_field(shared, asked),
    }
}

/// What stands in the cell under the cursor; nothing where a question is no table.
pub fn now_in_cell(shared: &Shared, asked: &Asked) -> String {
    let table = shared
        .study
        .key_of(asked)
        .and_then(|key| key.table.as_ref());
    table.map_or(String::new(), |table| grid::typed(shared, asked, table))
}

/// Something begins a value in a cell that holds one: the cell is opened as it stands, and
/// nothing is added to it; one that was found right stays closed.
pub(super) fn into_cell(shared: &mut Shared, asked: &Asked) {
    let text = match grid::is_right(shared, asked) {
        true => "This cell is right: i changes it, Enter checks the table.".to_owned(),
        false => {
            let held = now_in_cell(shared, asked);
            shared.questions.field = Some((asked.clone(), Field::with(&held)));
            format!("{held} stands here: Backspace takes it back, Enter keeps the cell.")
        }
    };
    shared.questions.reveal = true;
    shared.notes.say(Tone::Plain, text);
}

/// A change of a right answer that was not checked is given up. `false`: none was begun.
pub fn drop_draft(shared: &mut Shared) -> bool {
    let dropped = forget_draft(shared);
    if let Some(asked) = &dropped {
        let text = match written(shared, asked) {
            Some(_) => "The letters stay as they were.",
            None => "The answer stays as it was.",
        };
        shared.notes.say(Tone::Plain, text);
    }
    dropped.is_some()
}

/// The same without a word. What was said of the answer that stays is said of it again.
pub(super) fn forget_draft(shared: &mut Shared) -> Option<Asked> {
    let asked = shared.questions.drop_draft()?;
    // What was found of a file is not found of letters.
    if written(shared, &asked).is_none() || unread(shared, &asked) {
        shared.questions.question_mut(&asked).judgement = None;
        check::said_again(shared, &asked);
    }
    Some(asked)
}

/// A click on an option or a cell of a question.
pub fn click(shared: &mut Shared, asked: &Asked, target: Target, out: &mut Out) {
    leave_field(shared, out);
    match target {
        Target::Option(at) => {
            shared.questions.question_mut(asked).option = Some(at);
            let key = shared.study.key_of(asked).cloned();
            match key.filter(|key| key.kind == Kind::Ranking && options::ranked(shared, asked, key))
            {
                // A second click takes the place back, as 0 does.
                Some(_) if !right(shared, asked) => rank(shared, asked, 0, out),
                _ => drop(question(shared, asked, Action::Flip, out)),
            }
        }
        Target::Cell(at) => shared.questions.question_mut(asked).cell = at,
        _ => {}
    }
}

/// Acts on a table; `false`: the action is no affair of its cells.
fn in_table(
    shared: &mut Shared,
    asked: &Asked,
    key: &Key,
    table: &Table,
    action: Action,
    out: &mut Out,
) -> bool {
    match action {
        Action::Left | Action::Right => grid::step(shared, asked, table, action == Action::Left),
        Action::Flip if !key.options.is_empty() => grid::turn(shared, asked, key, table, out),
        // Enter types into an empty cell; at a filled one it checks the table.
        Action::Open
            if !key.options.is_empty() || !grid::typed(shared, asked, table).is_empty() =>
        {
            check::check(shared, asked, out);
        }
        Action::Open => {
            shared.questions.field = Some((asked.clone(), Field::default()));
        }
        _ => return false,
    }
    true
}

//! The keys that the footer names on the exercise page.

use super::{Exercises, current, variant};
use crate::answering;
use crate::keymap::{Action, Footer, FooterItem, renamed, without};
use crate::onward;
use crate::page::Page;
use crate::question::Asked;
use crate::shared::Shared;
use course::Kind;

/// The keys that the footer names now; on the path the one that leads back on it, too.
pub fn footer(page: &Exercises, shared: &Shared) -> Footer {
    let mut keys = offered(page, shared);
    let follows = page.follows();
    if follows && shared.questions.field.is_none() {
        let at = keys.len().min(2);
        keys.to_mut().insert(at, (&[Action::PathBack], "path back"));
    }
    keys
}

/// The keys of what has them.
fn offered(page: &Exercises, shared: &Shared) -> Footer {
    if page.form.is_none() {
        return LIST.into();
    }
    let table = tabled(page, shared);
    if shared.questions.field.is_some() {
        return table.map_or(FIELD, |_| CELL_FIELD).into();
    }
    let Some(asked) = current(page, shared) else {
        return FORM.into();
    };
    if answering::right(shared, &asked) {
        let keys = goes_on(page, shared, DONE);
        return match variant::after(page, shared) {
            Some(_) => keys,
            None => without(&keys, &[Action::Variant]),
        };
    }
    let key = shared.study.key_of(&asked);
    let runs = key.is_some_and(|key| answering::runs(shared, key));
    let kind = key.map(|key| key.kind);
    match (table, kind) {
        (Some(true), _) => CELL_OPTIONS.into(),
        (Some(false), _) => match answering::now_in_cell(shared, &asked).is_empty() {
            true => CELL.into(),
            false => CELL_FILLED.into(),
        },
        _ if answering::written(shared, &asked).is_some() => WRITE.into(),
        (_, Some(Kind::Choice | Kind::Choices | Kind::Ranking)) => {
            let keys = match lines(shared, &asked) {
                true => LINES,
                false => CHOICE,
            };
            match answering::leads_on(shared, &asked) || looked_at(page, shared, &asked) {
                true => goes_on(page, shared, keys),
                false if answering::placed(shared, &asked) => without(keys, &[Action::Flip]),
                false => keys.into(),
            }
        }
        _ => {
            let keys = goes_on(page, shared, FORM);
            let now = key.is_some_and(|key| answering::under_way(shared, key));
            let run: &[Action] = match runs && !now {
                true => &[],
                false => &[Action::Run],
            };
            let open: &[Action] = match answering::predicted(shared, &asked) {
                true => &[Action::Open],
                false => &[],
            };
            without(&keys, &[run, open].concat())
        }
    }
}

/// Whether the path that is followed asks the question under the cursor: Space does not
/// lead on from there.
fn waits(page: &Exercises, shared: &Shared) -> bool {
    let follows = page.follows();
    follows && current(page, shared).is_some_and(|asked| onward::is_next(shared, &asked))
}

/// Whether the path leads on from a question whose solution was looked at.
fn looked_at(page: &Exercises, shared: &Shared, asked: &Asked) -> bool {
    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
    let follows = page.follows();
    kept.given_up && follows && !waits(page, shared)
}

/// The keys with what Space does: it goes on with the path where that led here and asks
/// something else now, behind its end to the contents, else to the next open question, where there is one.
fn goes_on(page: &Exercises, shared: &Shared, keys: &'static [FooterItem]) -> Footer {
    let follows = page.follows();
    let route = shared.contents.route.as_ref();
    match follows {
        true if waits(page, shared) => without(keys, &[Action::Flip]),
        true if route.is_some_and(|route| route.walk.next.is_none()) => {
            renamed(keys, Action::Flip, "contents")
        }
        true => renamed(keys, Action::Flip, "path goes on"),
        false => match current(page, shared) {
            Some(asked) if answering::next_open(shared, &asked).is_none() => {
                without(keys, &[Action::Flip])
            }
            _ => renamed(keys, Action::Flip, "next open"),
        },
    }
}

/// Whether the question under the cursor is a table, and one of options.
fn tabled(page: &Exercises, shared: &Shared) -> Option<bool> {
    let key = shared.study.key_of(&current(page, shared)?)?;
    key.table.as_ref().map(|_| !key.options.is_empty())
}

/// Whether a question asks for a line of a kernel.
fn lines(shared: &Shared, asked: &Asked) -> bool {
    let kernel = shared
        .study
        .key_of(asked)
        .and_then(|key| key.kernel.as_ref());
    kernel.is_some_and(|kernel| !kernel.is_written())
}

/// Keys on the lines of a kernel.
const LINES: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "line"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::NextPart], "next question"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys on a kernel to be written.
const WRITE: &[FooterItem] = &[
    (&[Action::Edit], "editor"),
    (&[Action::Open], "judge"),
    (&[Action::Flip], "gap form"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys on an empty cell of a table of numbers.
const CELL: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "cell"),
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Open], "type"),
    (&[Action::NextPart], "next question"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys on a cell in which something stands.
const CELL_FILLED: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "cell"),
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Change], "change"),
    (&[Action::Open], "check"),
    (&[Action::NextPart], "next question"),
    (&[Action::Hint], "hint"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys on a table of options.
const CELL_OPTIONS: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "cell"),
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Flip], "next option"),
    (&[Action::Open], "check"),
    (&[Action::NextPart], "next question"),
    (&[Action::Hint], "hint"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys while a cell is typed.
const CELL_FIELD: &[FooterItem] = &[
    (&[Action::Open], "keep, next cell"),
    (&[Action::NextPart, Action::PreviousPart], "cell"),
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Back], "leave the table's field"),
];

/// Keys on a question that is answered right.
const DONE: &[FooterItem] = &[
    (&[Action::Flip], "next open"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Change], "change it"),
    (&[Action::Solution], "solution"),
    (&[Action::Variant], "another shape"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys of the list.
const LIST: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "exercise"),
    (&[Action::Open], "open"),
    (&[Action::Practise], "practise"),
    (&[Action::Go(Page::Home)], "contents"),
    (&[Action::Find], "find"),
    (&[Action::Palette], "do"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys of the form on a number, outside its field.
const FORM: &[FooterItem] = &[
    (&[Action::Open], "type, check"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Flip], "next open"),
    (&[Action::Run], "run"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Keys while an answer or a prediction is typed.
const FIELD: &[FooterItem] = &[
    (&[Action::Open], "check"),
    (&[Action::NextPart], "next field"),
    (&[Action::Back], "leave: h hint, s solution, ? help"),
];

/// Keys of the form on options.
const CHOICE: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "option"),
    (&[Action::Flip], "mark"),
    (&[Action::Open], "check"),
    (&[Action::Hint], "hint"),
    (&[Action::Solution], "solution"),
    (&[Action::Up, Action::Down], "question"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

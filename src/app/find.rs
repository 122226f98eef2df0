//! `/`: find text on the page, `n` and `N` for the next and the one before.

use super::claims;
use super::field::Field;
use super::kernel;
use super::key::{Code, Key};
use super::keymap::TABLE;
use super::lesson;
use super::note::Tone;
use super::page::Page;
use super::ribbon::SLOTS;
use super::roofline;
use super::setup_page::ITEMS;
use super::state::State;
use plan::fusion::Fusion;

/// What is searched for.
#[derive(Clone, Debug, Default)]
pub struct Find {
    /// The text.
    pub field: Field,
    /// It is still being typed.
    pub typing: bool,
}

/// Opens the line.
pub fn open(state: &mut State) {
    state.find = Some(Find {
        field: Field::default(),
        typing: true,
    });
}

/// A key while the text is typed.
pub fn press(state: &mut State, key: Key) {
    match key.code {
        Code::Esc => state.find = None,
        Code::Enter | Code::Tab => {
            if let Some(find) = &mut state.find {
                find.typing = false;
            }
            next(state, true);
        }
        _ => {
            if let Some(find) = &mut state.find {
                find.field.press(key);
            }
        }
    }
}

/// Goes to the next match, or the one before; round at the ends.
pub fn next(state: &mut State, forward: bool) {
    let Some(find) = &state.find else {
        state
            .notes
            .say(Tone::Plain, "Nothing to find yet; / asks for a text.");
        return;
    };
    let needle = find.field.text().to_lowercase();
    if needle.is_empty() {
        state.find = None;
        return;
    }
    let items = items(state);
    let here = place(state);
    let count = items.len();
    let found = (1..=count)
        .map(|step| {
            if forward {
                (here + step) % count
            } else {
                (here + count - step % count) % count
            }
        })
        .find(|i| {
            items
                .get(*i)
                .is_some_and(|text| text.to_lowercase().contains(&needle))
        });
    match found {
        Some(at) => jump(state, at),
        None if state.page == Page::Lesson && lesson::find_beyond(state, &needle, forward) => {}
        None => state.notes.say(
            Tone::Plain,
            format!("“{needle}” is not on this page. : searches everywhere."),
        ),
    }
}

/// The texts of a page, in the order of its cursor.
fn items(state: &State) -> Vec<String> {
    match state.page {
        Page::Home => state.home.lessons.iter().map(|l| l.title.clone()).collect(),
        Page::Lesson => state.reader.extent.text.clone(),
        Page::Exercises => state
            .study
            .course
            .exercises()
            .map(|e| format!("{} {}", e.id, e.title))
            .collect(),
        Page::Claims => claims::listed(state)
            .iter()
            .map(|c| format!("{} {}", c.id.text, c.title))
            .collect(),
        Page::Lab => Fusion::ALL
            .iter()
            .map(|f| f.name().to_owned())
            .chain(SLOTS.iter().map(|s| s.label.trim().to_owned()))
            .collect(),
        Page::Roofline => roofline::names(state),
        Page::Kernel => kernel::source(state).map_or_else(Vec::new, |s| {
            s.lines.iter().map(|l| l.text.clone()).collect()
        }),
        Page::Setup => ITEMS.iter().map(|i| i.label().to_owned()).collect(),
        Page::Help => TABLE
            .iter()
            .map(|e| format!("{} {}", e.label(), e.says))
            .collect(),
        Page::Messages => state.notes.log().map(|n| n.text.clone()).collect(),
        Page::Why => state.why.as_ref().map_or_else(Vec::new, |w| {
            w.flatten().iter().map(|(_, w)| w.label.clone()).collect()
        }),
        _ => Vec::new(),
    }
}

fn place(state: &State) -> usize {
    match state.page {
        Page::Home => state.home.cursor,
        Page::Lab => state.lab.toggle,
        Page::Roofline => state.roofline.view().here,
        Page::Kernel => state.kernel.line,
        Page::Lesson => state.reader.scroll,
        Page::Exercises => state.exercises.cursor,
        Page::Claims => state.claims.cursor,
        Page::Setup => state.setup.row,
        _ => state.scroll,
    }
}

fn jump(state: &mut State, at: usize) {
    match state.page {
        Page::Home => state.home.cursor = at,
        Page::Lab if at < Fusion::ALL.len() => state.lab.toggle = at,
        Page::Lab => state.lab.slot = at - Fusion::ALL.len(),
        Page::Roofline => roofline::jump(state, at),
        Page::Setup => state.setup.row = at,
        Page::Kernel => state.kernel.line = at,
        Page::Lesson => state.reader.scroll = at,
        Page::Exercises => state.exercises.cursor = at,
        Page::Claims => claims::jump(state, at),
        _ => state.scroll = at,
    }
}

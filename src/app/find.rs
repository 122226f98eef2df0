//! `/`: find text on the page, `n` and `N` for the next and the one before.

use super::field::Field;
use super::intent::Out;
use super::key::{Code, Key};
use super::note::Tone;
use super::screen::Screen;
use super::shared::Shared;

/// What is searched for.
#[derive(Clone, Debug, Default)]
pub struct Find {
    /// The text.
    pub field: Field,
    /// It is still being typed.
    pub typing: bool,
}

/// Opens the line.
pub(super) fn open() -> Option<Find> {
    Some(Find {
        field: Field::default(),
        typing: true,
    })
}

/// A key while the text is typed.
pub(super) fn press(
    find: &mut Option<Find>,
    screen: &mut dyn Screen,
    shared: &mut Shared,
    key: Key,
    out: &mut Out,
) {
    let Some(line) = find else { return };
    match key.code {
        Code::Esc => *find = None,
        Code::Enter | Code::Tab => {
            line.typing = false;
            seek(find, screen, shared, (true, false), out);
        }
        _ => {
            line.field.press(key);
        }
    }
}

/// Goes to the next match, or the one before, behind the last of a page to what lies beyond;
/// round at the ends.
pub(super) fn next(
    find: &mut Option<Find>,
    screen: &mut dyn Screen,
    shared: &mut Shared,
    forward: bool,
    out: &mut Out,
) {
    seek(find, screen, shared, (forward, true), out);
}

/// `on`: what lies beyond the page comes before what was passed on it.
fn seek(
    find: &mut Option<Find>,
    screen: &mut dyn Screen,
    shared: &mut Shared,
    (forward, on): (bool, bool),
    out: &mut Out,
) {
    let Some(line) = find else {
        let text = "Nothing is searched for here; / asks for a text.";
        shared.notes.say(Tone::Plain, text);
        return;
    };
    let typed = line.field.text().to_owned();
    let needle = typed.to_lowercase();
    if needle.is_empty() {
        *find = None;
        return;
    }
    let items = screen.items(shared);
    let here = screen.place(shared);
    let count = items.len();
    let hits: Vec<usize> = (0..count)
        .filter(|i| items[*i].to_lowercase().contains(&needle))
        .collect();
    // What is searched for anew may stand where one is.
    let first = usize::from(on);
    let found = (first..first + count)
        .map(|step| {
            if forward {
                (here + step) % count
            } else {
                (here + count - step % count) % count
            }
        })
        .find(|i| hits.contains(i));
    let round = found.is_some_and(|at| if forward { at <= here } else { at >= here });
    if on && round && screen.find_beyond(shared, &typed, forward, out) {
        return;
    }
    match found {
        Some(at) => {
            let nth = 1 + hits.iter().take_while(|hit| **hit != at).count();
            // A place is a line, or a row of a list: it may hold the text more than once.
            let text = format!("“{typed}”: place {nth} of {} here.", hits.len());
            shared.notes.say(Tone::Plain, text);
            screen.jump(shared, at);
        }
        None if screen.find_beyond(shared, &typed, forward, out) => {}
        None => shared.notes.say(
            Tone::Plain,
            format!(
                "“{typed}” is not {}. : finds lessons, exercises and commands by name.",
                match items.is_empty() {
                    true => "looked for here: this page has no list",
                    false => screen.searched(),
                }
            ),
        ),
    }
}

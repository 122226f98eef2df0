//! One table of keys. Dispatch, help and footer all read it, so they cannot
//! differ.

mod action;
mod table;

use super::key::{Code, Key, names};
use super::page::Page;

pub use action::Action;
pub use table::TABLE;

/// Where an entry of the table works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Everywhere; moving about.
    Moving,
    /// On these pages; goes before the other two.
    Here(&'static [Page]),
    /// Everywhere.
    Anywhere,
}

/// A line of the table: keys that belong together and what help says of them.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Where it works.
    pub on: On,
    /// Keys that are shown, with what they ask for.
    pub keys: &'static [(Key, Action)],
    /// Other keys for the same, bound but not shown.
    pub also: &'static [(Key, Action)],
    /// Shown in place of the key names where they are too many.
    pub shown: &'static str,
    /// What help says.
    pub says: &'static str,
}

impl Entry {
    /// The keys as help prints them.
    pub fn label(&self) -> String {
        if self.shown.is_empty() {
            names(self.keys.iter().map(|(k, _)| k))
        } else {
            self.shown.to_owned()
        }
    }

    fn bound(&self) -> impl Iterator<Item = &(Key, Action)> {
        self.keys.iter().chain(self.also)
    }

    /// Whether the entry works on `page` before those that work everywhere.
    pub fn is_here(&self, page: Page) -> bool {
        matches!(self.on, On::Here(pages) if pages.contains(&page))
    }
}

/// What a key asks for on a page, outside text fields. The page's own entries
/// go before those that work everywhere.
pub fn resolve(page: Page, pressed: Key) -> Option<Action> {
    let find = |here: bool| {
        TABLE
            .iter()
            .filter(|e| matches!(e.on, On::Here(_)) == here && (!here || e.is_here(page)))
            .flat_map(Entry::bound)
            .find(|(k, _)| *k == pressed)
            .map(|(_, action)| *action)
    };
    find(true).or_else(|| find(false))
}

/// The key that footers and messages name for an action on a page: of several
/// the first, but a letter before a digit, because letters are remembered.
pub fn key_of(page: Page, action: Action) -> Option<Key> {
    // The page's own keys go before those that work everywhere.
    let keys = |here: bool| {
        TABLE
            .iter()
            .filter(move |e| matches!(e.on, On::Here(_)) == here && (!here || e.is_here(page)))
            .flat_map(Entry::bound)
            .filter(move |(k, a)| *a == action && resolve(page, *k) == Some(action))
            .map(|(k, _)| *k)
    };
    let digit = |k: &Key| matches!(k.code, Code::Char('0'..='9'));
    let all = || keys(true).chain(keys(false));
    all().find(|k| !digit(k)).or_else(|| all().next())
}

/// A footer item: actions, whose keys are shown, and a word or two.
pub type FooterItem = (&'static [Action], &'static str);

/// The footer line for a page: keys that work now, at most nine, help last.
/// Items that do not fit into `width` are left out, help never.
pub fn footer(page: Page, items: &[FooterItem], width: usize) -> String {
    placed(page, items, width).0
}

/// The footer line, and where the key of each item stands: column, columns, action.
pub fn placed(
    page: Page,
    items: &[FooterItem],
    width: usize,
) -> (String, Vec<(usize, usize, Action)>) {
    let text = |(actions, word): &FooterItem| {
        let keys: Vec<Key> = actions.iter().filter_map(|a| key_of(page, *a)).collect();
        format!("{} {word}", names(&keys))
    };
    let help = items.last().map(text).unwrap_or_default();
    let room = width.saturating_sub(help.chars().count() + 1);
    let mut line = String::new();
    let mut places = Vec::new();
    let first = |item: &FooterItem| item.0.first().copied();
    for item in items.iter().take(items.len().saturating_sub(1)) {
        let next = text(item);
        if 1 + line.chars().count() + next.chars().count() + 2 > room + 1 {
            continue;
        }
        let at = 1 + line.chars().count();
        places.extend(first(item).map(|action| (at, next.chars().count(), action)));
        line.push_str(&next);
        line.push_str("  ");
    }
    let at = 1 + line.chars().count();
    let last = items.last().and_then(first);
    places.extend(last.map(|action| (at, help.chars().count(), action)));
    (format!(" {line}{help}"), places)
}

#[cfg(test)]
mod tests {
    use super::super::key::{ch, key};
    use super::*;
    use Action::*;
    use Page::{Doctor, Exercises, Home, Lab, Lesson, Roofline};

    #[test]
    fn no_page_binds_a_key_twice() {
        for page in Page::ALL {
            for here in [true, false] {
                let mut seen = Vec::new();
                for (k, _) in TABLE
                    .iter()
                    .filter(|e| matches!(e.on, On::Here(_)) == here && (!here || e.is_here(page)))
                    .flat_map(Entry::bound)
                {
                    assert!(!seen.contains(k), "{k} twice on {page:?}");
                    seen.push(*k);
                }
            }
        }
    }

    #[test]
    fn keys_that_terminals_swallow_are_not_used() {
        // tmux and screen prefixes, flow control, and the letters that are
        // Backspace, Tab, Enter and Escape with Ctrl.
        for e in TABLE {
            for (k, _) in e.bound() {
                assert!(
                    !(k.ctrl && matches!(k.code, Code::Char(c) if "basqhim[".contains(c))),
                    "{k}"
                );
            }
        }
    }

    #[test]
    fn h_is_left_except_in_exercises() {
        assert_eq!(resolve(Lab, ch('h')), Some(Left));
        assert_eq!(resolve(Exercises, ch('h')), Some(Hint));
        assert_eq!(key_of(Exercises, Left), Some(key(Code::Left)));
    }

    #[test]
    fn every_listed_page_is_reached_by_its_digit_and_by_a_letter() {
        for page in Page::LISTED {
            let digit = page.digit().map(ch);
            assert_eq!(digit.and_then(|d| resolve(Doctor, d)), Some(Go(page)));
        }
        assert_eq!(resolve(Lesson, ch('x')), Some(Go(Roofline)));
    }

    #[test]
    fn help_is_never_cut_from_a_footer() {
        let items: &[FooterItem] = &[(&[Open], "open"), (&[Quit], "leave"), (&[Help], "help")];
        assert_eq!(footer(Home, items, 80), " Enter open  q leave  ? help");
        assert_eq!(footer(Home, items, 20), " Enter open  ? help");
    }
}

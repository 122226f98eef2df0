//! Keys that the learner chose in place of those of the table.

use super::{Action, Entry, FooterItem, On, TABLE};
use crate::key::{Code, Key, names};
use crate::page::Page;

/// The table as this learner has it. A chosen key stands in place of an action's
/// letters wherever those work; arrows, Enter, Esc, Tab and digits stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<(Action, Key)>);

/// Letters can be moved, keys that every program has cannot.
const fn is_letter(key: Key) -> bool {
    key.ctrl || matches!(key.code, Code::Char(c) if !c.is_ascii_digit())
}

impl Keys {
    /// Puts a key in place of an action's letters.
    ///
    /// # Errors
    /// A sentence: the key asks for something else on a page where the action works, or
    /// a terminal keeps it for itself.
    pub fn choose(&mut self, action: Action, key: Key) -> Result<(), String> {
        // tmux and screen prefixes, flow control, and the letters that are Backspace,
        // Tab, Enter and Escape with Ctrl.
        if key.ctrl && matches!(key.code, Code::Char(c) if "abchilmqsz[".contains(c)) {
            return Err(format!(
                "{key} belongs to the terminal; choose another key."
            ));
        }
        if !is_letter(key) {
            return Err(format!(
                "{key} is not a letter; those keys stay what they are."
            ));
        }
        let mut tried = self.clone();
        tried.0.retain(|(other, _)| *other != action);
        tried.0.push((action, key));
        for page in Page::ALL {
            let works = |here| tried.on(page, here).any(|(_, a)| a == action);
            if let Some(other) = self.resolve(page, key).filter(|other| *other != action)
                && (works(true) || works(false))
            {
                return Err(taken(key, other, page));
            }
        }
        *self = tried;
        Ok(())
    }

    fn chosen(&self, action: Action) -> Option<Key> {
        let found = self.0.iter().find(|(other, _)| *other == action);
        found.map(|(_, key)| *key)
    }

    /// The bindings of an entry as they work: those shown first.
    fn bound<'k>(&'k self, entry: &'k Entry) -> impl Iterator<Item = (Key, Action)> + 'k {
        let letter = |action: Action| {
            let mut letters = entry
                .bound()
                .filter(move |(k, a)| *a == action && is_letter(*k));
            letters.next().map(|(k, _)| *k)
        };
        let moved = move |(key, action): &(Key, Action)| match self.chosen(*action) {
            Some(_) if is_letter(*key) && letter(*action) != Some(*key) => None,
            Some(new) if is_letter(*key) => Some((new, *action)),
            _ => Some((*key, *action)),
        };
        let added = self.0.iter().filter_map(move |(action, key)| {
            let named = entry.keys.iter().any(|(_, a)| a == action);
            (named && letter(*action).is_none()).then_some((*key, *action))
        });
        entry.bound().filter_map(moved).chain(added)
    }

    /// The bindings of a page: its own, or those that work everywhere.
    pub(super) fn on(&self, page: Page, here: bool) -> impl Iterator<Item = (Key, Action)> + '_ {
        TABLE
            .iter()
            .filter(move |e| matches!(e.on, On::Here(_)) == here && (!here || e.is_here(page)))
            .flat_map(move |entry| self.bound(entry))
    }

    /// What a key asks for on a page, outside text fields. The page's own entries
    /// go before those that work everywhere.
    pub fn resolve(&self, page: Page, pressed: Key) -> Option<Action> {
        let find = |here| self.on(page, here).find(|(k, _)| *k == pressed);
        find(true).or_else(|| find(false)).map(|(_, action)| action)
    }

    /// The key that footers and messages name for an action on a page: of several
    /// the first, but a letter before a digit, because letters are remembered.
    pub fn key_of(&self, page: Page, action: Action) -> Option<Key> {
        let works =
            move |(k, a): &(Key, Action)| *a == action && self.resolve(page, *k) == Some(action);
        let all = || {
            self.on(page, true)
                .chain(self.on(page, false))
                .filter(works)
        };
        let digit = |k: &Key| matches!(k.code, Code::Char('0'..='9'));
        let mut keys = all().map(|(k, _)| k);
        keys.find(|k| !digit(k))
            .or_else(|| all().map(|(k, _)| k).next())
    }

    /// The keys of an entry as help prints them, those that do it on that page.
    pub fn label(&self, entry: &Entry, page: Page) -> String {
        if !entry.shown.is_empty() {
            return entry.shown.to_owned();
        }
        let shown = Entry {
            also: &[],
            ..*entry
        };
        let works = |(key, action): &(Key, Action)| self.resolve(page, *key) == Some(*action);
        let keys: Vec<Key> = self
            .bound(&shown)
            .filter(works)
            .map(|(key, _)| key)
            .collect();
        names(&keys)
    }

    /// The footer line for a page, and where the key of each item stands: column,
    /// columns, action. Keys that work now, help last; items that do not fit into `width`
    /// are left out, help never.
    pub fn placed(
        &self,
        page: Page,
        items: &[FooterItem],
        width: usize,
    ) -> (String, Vec<(usize, usize, Action)>) {
        let text = |(actions, word): &FooterItem| {
            let keys = actions.iter().filter_map(|a| self.key_of(page, *a));
            format!("{} {word}", names(&keys.collect::<Vec<Key>>()))
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
}

fn taken(key: Key, other: Action, page: Page) -> String {
    let name = Action::NAMES.iter().find(|(_, action)| *action == other);
    let name = name.map_or_else(|| format!("{other:?}"), |(name, _)| (*name).to_owned());
    format!(
        "{key} is {name} on {} already; choose a free key, or move {name} first.",
        page.title().to_lowercase()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{ch, ctrl, key};

    #[test]
    fn a_chosen_key_stands_in_place_of_the_letters() {
        let mut keys = Keys::default();
        keys.choose(Action::Go(Page::Roofline), ch('O')).unwrap();
        assert_eq!(keys.resolve(Page::Lab, ch('x')), None);
        assert_eq!(
            keys.resolve(Page::Lab, ch('O')),
            Some(Action::Go(Page::Roofline))
        );
        // The digit stays, and the letter is what is named.
        assert_eq!(
            keys.resolve(Page::Lab, ch('5')),
            Some(Action::Go(Page::Roofline))
        );
        assert_eq!(
            keys.key_of(Page::Lab, Action::Go(Page::Roofline)),
            Some(ch('O'))
        );
        // Its old letter is free now, and arrows stay beside what replaces j.
        keys.choose(Action::Down, ch('x')).unwrap();
        assert_eq!(keys.resolve(Page::Lab, ch('j')), None);
        assert_eq!(keys.resolve(Page::Lab, key(Code::Down)), Some(Action::Down));
        assert_eq!(keys.resolve(Page::Lab, ch('x')), Some(Action::Down));
        // An action without a letter gets one.
        keys.choose(Action::Open, ctrl('o')).unwrap();
        assert_eq!(keys.resolve(Page::Home, ctrl('o')), Some(Action::Open));
        assert_eq!(
            keys.resolve(Page::Home, key(Code::Enter)),
            Some(Action::Open)
        );
    }

    #[test]
    fn a_key_that_means_something_else_is_refused_with_its_page() {
        let mut keys = Keys::default();
        let refused = keys
            .choose(Action::Go(Page::Roofline), ch('v'))
            .unwrap_err();
        assert!(
            refused.contains("version") && refused.contains("v is"),
            "{refused}"
        );
        assert!(keys.choose(Action::Quit, ctrl('s')).is_err());
        assert!(keys.choose(Action::Quit, key(Code::Enter)).is_err());
        assert_eq!(keys, Keys::default());
    }

    #[test]
    fn every_action_that_has_a_name_has_a_key_and_names_are_different() {
        for (i, (name, action)) in Action::NAMES.iter().enumerate() {
            let bound = Page::ALL
                .iter()
                .any(|page| Keys::default().key_of(*page, *action).is_some());
            assert!(bound, "{name}");
            assert!(
                Action::NAMES[..i]
                    .iter()
                    .all(|(n, a)| n != name && a != action),
                "{name}"
            );
        }
    }
}

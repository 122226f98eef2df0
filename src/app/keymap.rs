//! One table of keys. Dispatch, help and footer all read it, so they cannot
//! differ.

mod action;
mod keys;
mod table;

use super::key::Key;
use super::page::Page;

pub use action::Action;
pub use keys::Keys;
pub use table::TABLE;

/// Where an entry of the table works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Everywhere; moving about.
    Moving,
    /// Moving about on these pages; on others there is nothing to move to.
    Across(&'static [Page]),
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
    fn bound(&self) -> impl Iterator<Item = &(Key, Action)> {
        self.keys.iter().chain(self.also)
    }

    /// Whether the entry works on `page` before those that work everywhere.
    pub fn is_here(&self, page: Page) -> bool {
        matches!(self.on, On::Here(pages) if pages.contains(&page))
    }

    /// Whether the entry moves about on `page`.
    pub fn moves(&self, page: Page) -> bool {
        match self.on {
            On::Moving => true,
            On::Across(pages) => pages.contains(&page),
            On::Here(_) | On::Anywhere => false,
        }
    }
}

/// A footer item: actions, whose keys are shown, and a word or two.
pub type FooterItem = (&'static [Action], &'static str);

/// The items of a footer: a list that stands, or one with what works now.
pub type Footer = std::borrow::Cow<'static, [FooterItem]>;

/// A footer without the keys that do nothing now.
pub(super) fn without(keys: &[FooterItem], gone: &[Action]) -> Footer {
    let lead = |(actions, _): &FooterItem| actions.first().copied();
    let stays = |item: &&FooterItem| lead(item).is_none_or(|action| !gone.contains(&action));
    keys.iter().filter(stays).copied().collect()
}

/// A footer with another word for a key that means something else now.
pub(super) fn renamed(keys: &[FooterItem], action: Action, word: &'static str) -> Footer {
    let named = |(actions, usual): &FooterItem| match *actions {
        [one] if *one == action => (*actions, word),
        _ => (*actions, *usual),
    };
    keys.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::super::key::{Code, ch, key};
    use super::*;
    use Action::*;
    use Page::{Doctor, Exercises, Home, Lab, Lesson, Roofline};

    fn resolve(page: Page, pressed: Key) -> Option<Action> {
        Keys::default().resolve(page, pressed)
    }

    #[test]
    fn no_page_binds_a_key_twice() {
        for page in Page::ALL {
            for here in [true, false] {
                let mut seen = Vec::new();
                for (k, _) in Keys::default().on(page, here) {
                    assert!(!seen.contains(&k), "{k} twice on {page:?}");
                    seen.push(k);
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
    fn space_and_b_page_where_help_says_so() {
        for page in [Page::Glossary, Page::Kernel, Page::Claims, Roofline] {
            assert_eq!(resolve(page, ch(' ')), Some(PageDown), "{page:?}");
            assert_eq!(resolve(page, ch('b')), Some(PageUp), "{page:?}");
        }
    }

    #[test]
    fn h_is_left_except_in_exercises() {
        assert_eq!(resolve(Lab, ch('h')), Some(Left));
        assert_eq!(resolve(Exercises, ch('h')), Some(Hint));
        assert_eq!(
            Keys::default().key_of(Exercises, Left),
            Some(key(Code::Left))
        );
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
    fn what_a_key_does_fits_its_column_of_the_help() {
        // The right column begins behind 48 of 80.
        let own = TABLE.iter().filter(|e| matches!(e.on, On::Here(_)));
        let long: Vec<&str> = own.map(|e| e.says).filter(|s| s.len() > 32).collect();
        assert_eq!(long, [""; 0]);
    }

    #[test]
    fn help_is_never_cut_from_a_footer() {
        let items: &[FooterItem] = &[(&[Open], "open"), (&[Quit], "leave"), (&[Help], "help")];
        let footer = |width| Keys::default().placed(Home, items, width).0;
        assert_eq!(footer(80), " Enter open  q leave  ? help");
        assert_eq!(footer(20), " Enter open  ? help");
    }
}

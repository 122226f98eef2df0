//! What a page is to the others: a [`Screen`].

use super::intent::Out;
use super::key::Key;
use super::keymap::{Action, Footer, FooterItem};
use super::mouse::Target;
use super::page::{Mark, Page};
use super::question::{Asked, Asks};
use super::shared::Shared;
use course::present::Grid;

/// A page: it has its own small state, sees what pages share, and knows no
/// other page.
pub trait Screen {
    /// The keys that the footer names now.
    fn footer(&self, shared: &Shared) -> Footer;

    /// Answers what a key asks for.
    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out);

    /// The page as a command line.
    fn command(&self, shared: &Shared) -> String {
        shared.command("run")
    }

    /// What is said behind the command line.
    fn command_aside(&self) -> &'static str {
        ""
    }

    /// Cursor and scroll, for the way back.
    fn mark(&self, _: &Shared) -> Mark {
        Mark::default()
    }

    /// Puts cursor and scroll back.
    fn restore(&mut self, _: &mut Shared, _: Mark) {}

    /// It is on the screen now, and was not before.
    fn opened(&mut self) {}

    /// It was reached by its key, or the course has come; `from`: the lesson
    /// that the page before is about.
    fn entered(&mut self, _: &mut Shared, _from: Option<String>, _: &mut Out) {}

    /// Esc. `false`: there is nothing to step out of but the page.
    fn leave(&mut self, _: &mut Shared) -> bool {
        false
    }

    /// The key of another page. `false`: it has no other meaning here.
    fn departs(&mut self, _: &mut Shared, _to: Page, _: &mut Out) -> bool {
        false
    }

    /// The workshop is left: what is being typed is kept.
    fn put_away(&mut self, _: &mut Shared, _: &mut Out) {}

    /// What is being typed is kept as it stands, and goes on being typed.
    fn in_hand(&mut self, _: &mut Shared, _: &mut Out) {}

    /// Brings what is derived up to date, after every event.
    fn settle(&mut self, _: &mut Shared, _: &mut Out) {}

    /// Keys are typed into a line of text.
    fn typing(&self, _: &Shared) -> bool {
        false
    }

    /// A key while something is typed.
    fn press(&mut self, _: &mut Shared, _: Key, _: &mut Out) {}

    /// Something of the page was clicked: a row takes the cursor, and again does what Enter
    /// does there. A field that is open keeps its row.
    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        match target {
            Target::Row(_) if self.typing(shared) => {}
            Target::Row(at) if at == self.place(shared) => self.act(shared, Action::Open, out),
            Target::Row(at) => self.jump(shared, at),
            _ => {}
        }
    }

    /// The wheel was turned: it moves the cursor. A field that is open keeps its row.
    fn wheel(&mut self, shared: &mut Shared, up: bool, out: &mut Out) {
        if !self.typing(shared) {
            self.act(shared, if up { Action::Up } else { Action::Down }, out);
        }
    }

    /// Pasted text while something is typed.
    fn paste(&mut self, _: &mut Shared, _: &str) {}

    /// The question that has the keys.
    fn asked(&self, _: &Shared) -> Option<Asked> {
        None
    }

    /// What has the keys here: where something is asked, digits belong to it.
    fn asks(&self, _: &Shared) -> Asks {
        Asks::Nothing
    }

    /// The numbers of the page in rows, for a spreadsheet.
    fn numbers(&self, _: &Shared) -> Vec<Grid> {
        Vec::new()
    }

    /// The texts that are searched, in the order of the cursor.
    fn items(&self, _: &Shared) -> Vec<String> {
        Vec::new()
    }

    /// The words of the page, for the glossary: those under the cursor, and all.
    fn words(&self, shared: &Shared) -> (String, String) {
        let items = self.items(shared);
        let under = items.get(self.place(shared)).cloned();
        (under.unwrap_or_default(), items.join("\n"))
    }

    /// Which of them the cursor is on.
    fn place(&self, _: &Shared) -> usize {
        0
    }

    /// Puts the cursor on one of them.
    fn jump(&mut self, _: &mut Shared, _at: usize) {}

    /// Finds a text beyond what is shown. `false`: there is none.
    fn find_beyond(&mut self, _: &mut Shared, _typed: &str, _forward: bool, _: &mut Out) -> bool {
        false
    }

    /// Where a text was looked for that was not found, behind “it is not”: among the rows of
    /// the list, where a page shows more than that.
    fn searched(&self) -> &'static str {
        "on this page"
    }

    /// The lesson that the page is about, by its id.
    fn lesson(&self, _: &Shared) -> Option<String> {
        None
    }
}

/// Keys of a page that is read and searched.
pub(super) const READ: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "scroll"),
    (&[Action::Find], "find"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// Moves over a page of so many lines, of which so many are shown.
pub(super) fn scrolled(at: usize, (lines, room): (usize, usize), action: Action) -> usize {
    let to = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => at + 1,
        Action::PageUp => at.saturating_sub(room),
        Action::PageDown => at + room,
        Action::Top => 0,
        Action::End => usize::MAX,
        _ => at,
    };
    to.min(lines.saturating_sub(room))
}

/// What every page has that is only read.
macro_rules! read_only {
    () => {
        fn mark(&self, _: &Shared) -> Mark {
            Mark {
                item: 0,
                scroll: self.scroll,
            }
        }

        fn restore(&mut self, _: &mut Shared, mark: Mark) {
            self.scroll = mark.scroll;
        }

        fn opened(&mut self) {
            self.scroll = 0;
        }

        fn place(&self, _: &Shared) -> usize {
            self.scroll
        }

        fn jump(&mut self, _: &mut Shared, at: usize) {
            self.scroll = at;
        }
    };
}
pub(super) use read_only;

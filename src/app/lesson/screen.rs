//! The lesson page as the others see it.

use super::turn::{act, click, leave, open_form, turned};
use super::{Focus, Reader, arrived, find, focused, footer, lesson, section, stopped_on_path};
use crate::answering;
use crate::change::NAME;
use crate::contents::stopped;
use crate::intent::Out;
use crate::key::{Code, Key};
use crate::keymap::{Action, Footer};
use crate::live;
use crate::mouse::{LINES, Target};
use crate::page::{Mark, Page};
use crate::question::{Asked, Asks};
use crate::screen::Screen;
use crate::shared::Shared;
use course::present::Grid;
use course::{Live, Part};

impl Screen for Reader {
    fn footer(&self, shared: &Shared) -> Footer {
        footer::footer(self, shared)
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        act(self, shared, action, out);
    }

    fn command(&self, shared: &Shared) -> String {
        match lesson(self, shared) {
            Some(found) => format!("{NAME} show {}", found.id),
            None => format!("{NAME} lessons"),
        }
    }

    /// Those of the section's live blocks that are shown: none whose prediction is open, and
    /// none behind a claim that was not judged.
    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        let (Some(lesson), Some(section)) = (lesson(self, shared), section(self, shared)) else {
            return Vec::new();
        };
        let shown = section
            .told()
            .filter(|(_, claim)| !claim.is_some_and(|claim| live::withheld(self, shared, claim)));
        let blocks = shown.filter_map(|(part, _)| match part {
            Part::Live(block) => Some(block),
            Part::Prose { .. } => None,
        });
        let known = |block: &&Live| live::predict::open(&shared.study, lesson, block).is_none();
        let pieces = blocks
            .filter(known)
            .filter_map(|block| live::presented(self, shared, lesson, block).ok());
        pieces
            .flatten()
            .filter_map(|piece| piece.numbers())
            .collect()
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.lesson,
            scroll: self.section,
        }
    }

    fn restore(&mut self, shared: &mut Shared, mark: Mark) {
        if (self.lesson, self.section) != (mark.item, mark.scroll) {
            self.turn(mark.item, mark.scroll);
        }
        live::back(self, shared);
    }

    /// The lesson that was open, or where the learner stopped, or the first.
    fn entered(&mut self, shared: &mut Shared, _: Option<String>, out: &mut Out) {
        (self.visiting, self.unfinished) = (false, false);
        if !self.opened {
            let (lesson, section) = stopped(&shared.study).unwrap_or((0, 0));
            self.turn(lesson, section);
            self.path = stopped_on_path(shared, lesson, section);
            self.opened = shared.study.loaded;
        }
        arrived(self, shared, out);
    }

    fn leave(&mut self, shared: &mut Shared) -> bool {
        leave(self, shared)
    }

    /// In a question the key of the exercises opens its form.
    fn departs(&mut self, shared: &mut Shared, to: Page, out: &mut Out) -> bool {
        to == Page::Exercises && open_form(self, shared, out)
    }

    fn put_away(&mut self, shared: &mut Shared, out: &mut Out) {
        live::leave(self, shared, out);
    }

    fn in_hand(&mut self, shared: &mut Shared, out: &mut Out) {
        answering::in_hand(shared, out);
        live::in_hand(self, shared, out);
    }

    fn settle(&mut self, shared: &mut Shared, out: &mut Out) {
        self.lent.shown((self.lesson, self.section), shared);
        let asked = &mut shared.questions;
        match (
            std::mem::take(&mut asked.judged),
            std::mem::take(&mut asked.reveal),
        ) {
            (true, _) => self.reveal_end(),
            (false, true) => self.reveal(),
            (false, false) => {}
        }
        live::ask::settle(self, shared, out);
    }

    fn typing(&self, shared: &Shared) -> bool {
        self.field_open() || shared.questions.field.is_some()
    }

    fn press(&mut self, shared: &mut Shared, key: Key, out: &mut Out) {
        if matches!(key.code, Code::PageUp | Code::PageDown) {
            turned(self, shared, key.code == Code::PageDown);
        } else if key.code == Code::Esc {
            // One Esc leads into the text, from wherever.
            live::leave(self, shared, out);
            self.focus = Focus::Text;
        } else if shared.questions.field.is_none() {
            live::predict::press(self, shared, key, out);
        } else if !answering::press(shared, key, out) {
            let on = key.code == Code::Tab;
            let to = if on {
                Action::NextPart
            } else {
                Action::PreviousPart
            };
            act(self, shared, to, out);
        }
    }

    fn paste(&mut self, shared: &mut Shared, text: &str) {
        if shared.questions.field.is_some() {
            answering::paste(shared, text);
        } else {
            live::predict::paste(self, shared, text);
        }
    }

    fn asks(&self, shared: &Shared) -> Asks {
        live::asks(self, shared)
    }

    fn asked(&self, shared: &Shared) -> Option<Asked> {
        live::asked(shared, focused(self, shared)?.1)
    }

    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        click(self, shared, target, out);
    }

    fn wheel(&mut self, _: &mut Shared, up: bool, _: &mut Out) {
        let last = self.last();
        self.scroll = match up {
            true => self.scroll.saturating_sub(LINES),
            false => self.scroll.saturating_add(LINES).min(last),
        };
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        self.extent.text.clone()
    }

    fn words(&self, _: &Shared) -> (String, String) {
        let e = &self.extent;
        // What has the keys, else what is in view.
        let (from, count) = match self.focus {
            Focus::Block(i) => e.blocks.get(i).copied().unwrap_or_default(),
            _ => (self.scroll, self.view().len()),
        };
        let under: Vec<&str> = e.text.iter().skip(from).take(count).map(|l| &**l).collect();
        (under.join("\n"), e.text.join("\n"))
    }

    fn place(&self, _: &Shared) -> usize {
        // The end of a page shows lines to which it cannot be scrolled.
        match self.found {
            Some(at) if self.scroll == at.min(self.last()) => at,
            _ => self.scroll,
        }
    }

    fn jump(&mut self, _: &mut Shared, at: usize) {
        (self.scroll, self.found) = (at, Some(at));
    }

    fn find_beyond(
        &mut self,
        shared: &mut Shared,
        typed: &str,
        forward: bool,
        out: &mut Out,
    ) -> bool {
        find::beyond(self, shared, typed, forward, out)
    }

    fn searched(&self) -> &'static str {
        "on this page, nor found in other sections, where figures, code, runs and what is not shown yet are left out"
    }

    fn lesson(&self, shared: &Shared) -> Option<String> {
        lesson(self, shared).map(|l| l.id.clone())
    }
}

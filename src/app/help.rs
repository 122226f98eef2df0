//! The keys that work where the learner came from, out of the one table.

use super::intent::Out;
use super::keymap::{Action, Entry, Footer, FooterItem, On, TABLE};
use super::page::{Mark, Page, SMALL};
use super::screen::{Screen, scrolled};
use super::shared::Shared;

/// A line of the list: a heading, a key with what it does, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// It heads what is below it.
    pub heading: bool,
    /// The heading, or the keys.
    pub keys: String,
    /// What they do.
    pub says: String,
}

impl Line {
    fn heading(text: String) -> Self {
        Line {
            heading: true,
            keys: text,
            says: String::new(),
        }
    }

    fn row([keys, says]: [String; 2]) -> Self {
        Line {
            heading: false,
            keys,
            says,
        }
    }
}

/// What the page remembers.
#[derive(Clone, Debug)]
pub struct Help {
    /// The page whose keys are listed.
    pub(super) of: Page,
    /// First line shown.
    pub scroll: usize,
    /// Column and line of what was searched for.
    pub found: Option<(usize, usize)>,
}

impl Default for Help {
    fn default() -> Self {
        Help {
            of: Page::Home,
            scroll: 0,
            found: None,
        }
    }
}

/// Rows of a page beside its lines: header, a blank one, footer.
const FRAME: u16 = 3;
/// Entries that work anywhere and stand in the left one of two columns.
const LEFT: usize = 8;

impl Help {
    /// The lines, in one column or in two.
    pub fn columns(&self, shared: &Shared) -> Vec<Vec<Line>> {
        let rows = |picked: &dyn Fn(&Entry) -> bool| -> Vec<Line> {
            let picked = TABLE.iter().filter(|e| picked(e));
            let row = |e: &Entry| Line::row([shared.keys.label(e, self.of), e.says.to_owned()]);
            picked
                .map(row)
                .filter(|line| !line.keys.is_empty())
                .collect()
        };
        let moving = rows(&|e| e.moves(self.of));
        let here = rows(&|e| e.is_here(self.of));
        // Nothing is offered that this terminal has no room for.
        let room = |e: &Entry| {
            let lacks =
                |action| matches!(action, Action::Go(page) if shared.lacks(Page::least(page)));
            !e.keys.iter().all(|(_, action)| lacks(*action))
        };
        let mut anywhere =
            rows(&|e| e.on == On::Anywhere && !e.says.starts_with("this help") && room(e));
        let one = shared.size.0 < SMALL.0;
        // What does not fit below the left one of two columns goes on in the right one.
        let stays = if one { anywhere.len() } else { LEFT };
        let rest = anywhere.split_off(anywhere.len().min(stays));
        let signs = [
            ["=", "modelled: from the cost model"],
            ["#", "issued: counted in the machine"],
            ["@", "measured on this machine"],
            ["–", "not available, with reason"],
            ["·", "not run yet"],
        ];
        let signs = signs.map(|r| Line::row(r.map(str::to_owned))).to_vec();
        let where_ = match self.of {
            Page::Lab => "in the lab".to_owned(),
            Page::Lesson => "in a lesson".to_owned(),
            Page::Exercises => "in an exercise".to_owned(),
            page => format!("on {}", page.title().to_lowercase()),
        };
        let part = |title: &str, rows: Vec<Line>| {
            let mut lines = Vec::new();
            if rows.is_empty() {
                return lines;
            }
            if !title.is_empty() {
                lines.extend([Line::heading(title.to_owned()), Line::default()]);
            }
            lines.extend(rows);
            lines.push(Line::default());
            lines
        };
        let [moving, here] = [part("moving", moving), part(&where_, here)];
        let [anywhere, signs] = [part("anywhere", anywhere), part("with numbers", signs)];
        let mut columns = match one {
            true => vec![[here, moving, anywhere, signs].concat()],
            false => vec![
                [moving, anywhere].concat(),
                [here, signs, part("", rest)].concat(),
            ],
        };
        for column in &mut columns {
            while column.last() == Some(&Line::default()) {
                column.pop();
            }
        }
        columns
    }

    /// Where each of the texts that are searched stands.
    fn places(&self, shared: &Shared) -> Vec<(usize, usize)> {
        let columns = self.columns(shared);
        let of = |(at, lines): (usize, &Vec<Line>)| -> Vec<_> {
            (0..lines.len()).map(|line| (at, line)).collect()
        };
        columns.iter().enumerate().flat_map(of).collect()
    }

    /// Lines of the longer column, and lines that the page shows.
    fn extent(&self, shared: &Shared) -> (usize, usize) {
        let lines = self.columns(shared).iter().map(Vec::len).max();
        let room = usize::from(shared.size.1.saturating_sub(FRAME));
        (lines.unwrap_or(0), room)
    }
}

impl Screen for Help {
    fn footer(&self, _: &Shared) -> Footer {
        const KEYS: &[FooterItem] = &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::Find], "find a key"),
            (&[Action::Back, Action::Help], "closes"),
        ];
        KEYS.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, _: &mut Out) {
        self.scroll = scrolled(self.scroll, self.extent(shared), action);
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: 0,
            scroll: self.scroll,
        }
    }

    fn restore(&mut self, _: &mut Shared, mark: Mark) {
        (self.scroll, self.found) = (mark.scroll, None);
    }

    fn opened(&mut self) {
        (self.scroll, self.found) = (0, None);
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        let lines = self.columns(shared).into_iter().flatten();
        lines.map(|l| format!("{} {}", l.keys, l.says)).collect()
    }

    /// Before anything is found, the end: the search begins at the top.
    fn place(&self, shared: &Shared) -> usize {
        let places = self.places(shared);
        let at = places.iter().position(|place| Some(*place) == self.found);
        at.unwrap_or(places.len().saturating_sub(1))
    }

    fn jump(&mut self, shared: &mut Shared, at: usize) {
        self.found = self.places(shared).get(at).copied();
        let Some((_, line)) = self.found else { return };
        let (lines, room) = self.extent(shared);
        // The last row may hold what is searched for.
        let least = (line + 2).saturating_sub(room);
        self.scroll = self.scroll.clamp(least.min(line), line);
        self.scroll = self.scroll.min(lines.saturating_sub(room));
    }
}

#[cfg(test)]
mod tests {
    use crate::key::{Code, ch, key};
    use crate::{Event, Look, Message, State, update};

    /// Help of the first page at a size, after a search.
    fn searched(size: (u16, u16), word: &str) -> State {
        let mut state = State::new(size, Look::default()).unwrap();
        let typed = format!("?/{word}");
        let keys = typed.chars().map(ch).chain([key(Code::Enter)]);
        for message in keys.map(Message::Key) {
            update(&mut state, Event { at: 0, message });
        }
        state
    }

    #[test]
    fn what_is_searched_for_is_among_the_lines_that_are_shown() {
        for size in [(60, 18), (80, 24), (120, 40)] {
            for word in ["suspend", "gloss", "line, item", "not run yet"] {
                let state = searched(size, word);
                let help = &state.help;
                let columns = help.columns(&state.shared);
                let (column, line) = help.found.expect(word);
                assert!(columns[column][line].says.contains(word), "{word}");
                let room = usize::from(size.1) - 3;
                assert!((help.scroll..help.scroll + room).contains(&line), "{word}");
            }
        }
    }

    #[test]
    fn a_page_is_offered_where_it_has_room() {
        for (size, offered) in [((60, 18), false), ((80, 24), true)] {
            let state = searched(size, "");
            let lines = state.help.columns(&state.shared).concat();
            let says = |text: &str| lines.iter().any(|line| line.says == text);
            assert_eq!(says("lab, compare, roofline"), offered, "{size:?}");
            assert!(says("home, claims, doctor"), "{size:?}");
        }
    }

    #[test]
    fn the_last_page_is_full() {
        let mut state = searched((60, 18), "");
        for _ in 0..9 {
            let message = Message::Key(ch(' '));
            update(&mut state, Event { at: 0, message });
        }
        let lines = state.help.columns(&state.shared)[0].len();
        assert_eq!(state.help.scroll + 15, lines);
    }
}

//! One table of keys. Dispatch, help and footer all read it, so they cannot
//! differ.

use super::key::{Code, Key, ch, ctrl, key, names};
use super::page::Page;

/// What a key asks for. What it means in detail is the page's affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Go to a page.
    Go(Page),
    /// One line or item up.
    Up,
    /// One line or item down.
    Down,
    /// One kernel, column or value to the left.
    Left,
    /// One kernel, column or value to the right.
    Right,
    /// A page or section back.
    PageUp,
    /// A page or section on.
    PageDown,
    /// To the first item.
    Top,
    /// To the last item.
    End,
    /// To the next part of the page.
    NextPart,
    /// To the previous part of the page.
    PreviousPart,
    /// Open, check, edit.
    Open,
    /// Back the way the learner came, or out of a field.
    Back,
    /// Find text on this page.
    Find,
    /// Next match or idea.
    FindNext,
    /// Previous match or idea.
    FindPrevious,
    /// The command palette.
    Palette,
    /// Keys that work here.
    Help,
    /// This page as a command line.
    CommandLine,
    /// The terms behind a modelled number.
    Why,
    /// Model, shape, dtype, backend, seed.
    Setup,
    /// Stop the run; twice with none running: leave.
    Interrupt,
    /// Stop this process and give the terminal back.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Leave the program.
    Quit,
    /// Flip the fusion under the cursor, or mark a choice.
    Flip,
    /// Take the wall right of the cursor down, or put it up.
    Wall,
    /// Next version.
    NextVersion,
    /// Previous version.
    PreviousVersion,
    /// Undo the last flip.
    Undo,
    /// Kind of number on the ribbon.
    Bytes,
    /// Run this plan and V1.
    Run,
    /// Run everything again.
    RunAll,
    /// Per block or per forward.
    Scope,
    /// Pin the plan of the lab as a column.
    Pin,
    /// Next theme.
    Theme,
    /// ASCII or Unicode.
    Ascii,
    /// Start a workshop folder here.
    Init,
    /// Next lesson.
    NextLesson,
    /// Previous lesson.
    PreviousLesson,
    /// Sections of the lesson.
    Outline,
    /// A hint for this question.
    Hint,
    /// The worked solution of this question.
    Solution,
    /// One pane alone, and back.
    Zoom,
}

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

const fn entry(
    on: On,
    keys: &'static [(Key, Action)],
    also: &'static [(Key, Action)],
    says: &'static str,
) -> Entry {
    Entry {
        on,
        keys,
        also,
        shown: "",
        says,
    }
}

use Action::*;
use Page::{Compare, Doctor, Exercises, FirstRun, Home, Lab, Lesson};

/// Pages that show what runs can fill.
const RUNS: &[Page] = &[Lab, Compare, Lesson, Exercises];
/// Pages with the lab's keys: its own, and the lesson that it stands beside.
const LABS: &[Page] = &[Lab, Lesson];
/// Pages that turn over like a book.
const TEXT: &[Page] = &[Lesson];

/// Every key of the workshop outside text fields.
pub const TABLE: &[Entry] = &[
    Entry {
        on: On::Moving,
        keys: &[
            (ch('1'), Go(Home)),
            (ch('2'), Go(Lesson)),
            (ch('3'), Go(Lab)),
            (ch('4'), Go(Compare)),
            (ch('7'), Go(Exercises)),
            (ch('9'), Go(Doctor)),
        ],
        also: &[],
        shown: "1 … 9",
        says: "go to a screen",
    },
    entry(
        On::Moving,
        &[
            (key(Code::Up), Up),
            (key(Code::Down), Down),
            (ch('j'), Down),
            (ch('k'), Up),
        ],
        &[],
        "line, item",
    ),
    entry(
        On::Moving,
        &[
            (key(Code::Left), Left),
            (key(Code::Right), Right),
            (ch('h'), Left),
            (ch('l'), Right),
        ],
        &[],
        "kernel, column",
    ),
    entry(
        On::Moving,
        &[(key(Code::PageUp), PageUp), (key(Code::PageDown), PageDown)],
        &[(ctrl('u'), PageUp), (ctrl('d'), PageDown)],
        "page (Space, b)",
    ),
    entry(
        On::Moving,
        &[(ch('g'), Top), (ch('G'), End)],
        &[(key(Code::Home), Top), (key(Code::End), End)],
        "top, end",
    ),
    entry(
        On::Moving,
        &[(key(Code::Tab), NextPart)],
        &[(key(Code::BackTab), PreviousPart)],
        "next part of screen",
    ),
    entry(On::Moving, &[(key(Code::Enter), Open)], &[], "open, check"),
    entry(
        On::Moving,
        &[(key(Code::Esc), Back)],
        &[],
        "back, leave field",
    ),
    // The pages' own keys.
    entry(
        On::Here(&[Lab]),
        &[(ch(' '), Flip)],
        &[],
        "flip the fusion under the cursor",
    ),
    entry(
        On::Here(LABS),
        &[(ch('w'), Wall)],
        &[],
        "wall to the right: down or up",
    ),
    entry(
        On::Here(LABS),
        &[(ch('v'), NextVersion), (ch('V'), PreviousVersion)],
        &[],
        "next, previous version",
    ),
    entry(
        On::Here(RUNS),
        &[(ch('m'), Bytes)],
        &[],
        "kind of number: MB, FLOP/B, µs",
    ),
    entry(
        On::Here(&[Lab, Compare, Lesson, Home, Doctor]),
        &[(ch('p'), Setup)],
        &[],
        "setup: model, shape, backend",
    ),
    entry(
        On::Here(RUNS),
        &[(ch('r'), Run), (ch('R'), RunAll)],
        &[],
        "run this plan, run all again",
    ),
    entry(
        On::Here(LABS),
        &[(ch('u'), Undo)],
        &[],
        "undo the last flip",
    ),
    entry(
        On::Here(&[Lab]),
        &[(ch('='), Why)],
        &[],
        "the terms behind the number",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('b'), Scope)],
        &[],
        "per block or per forward",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('P'), Pin)],
        &[],
        "pin the lab's plan as a column",
    ),
    entry(
        On::Here(&[Compare]),
        &[(ch('='), Why)],
        &[],
        "the terms behind the number",
    ),
    entry(
        On::Here(TEXT),
        &[(ch(' '), Flip), (ch('b'), PageUp)],
        &[],
        "next, previous section",
    ),
    entry(
        On::Here(TEXT),
        &[(ch('['), PreviousLesson), (ch(']'), NextLesson)],
        &[],
        "previous, next lesson",
    ),
    entry(
        On::Here(TEXT),
        &[(ch('o'), Outline)],
        &[],
        "sections of this lesson",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('h'), Hint)],
        &[],
        "next hint for this question",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch('s'), Solution)],
        &[],
        "solution: once solved, or twice",
    ),
    entry(
        On::Here(&[Exercises]),
        &[(ch(' '), Flip)],
        &[],
        "mark a choice",
    ),
    entry(
        On::Here(&[FirstRun]),
        &[(ch('a'), Ascii)],
        &[],
        "ASCII or Unicode",
    ),
    entry(
        On::Here(&[FirstRun, Doctor]),
        &[(ch('t'), Theme)],
        &[],
        "theme: dark, light, contrast",
    ),
    entry(
        On::Here(&[FirstRun]),
        &[(ch('i'), Init)],
        &[],
        "a workshop folder here",
    ),
    entry(
        On::Here(&[Doctor]),
        &[(ch('a'), Ascii)],
        &[],
        "ASCII or Unicode",
    ),
    entry(
        On::Here(&[Doctor]),
        &[(ch('R'), RunAll)],
        &[],
        "look at this machine again",
    ),
    // Everywhere.
    entry(
        On::Anywhere,
        &[(ch('/'), Find)],
        &[(ch('n'), FindNext), (ch('N'), FindPrevious)],
        "find in this screen",
    ),
    entry(On::Anywhere, &[(ch(':'), Palette)], &[], "command, lesson"),
    entry(
        On::Anywhere,
        &[(ch('L'), Go(Lab)), (ch('c'), Go(Compare))],
        &[],
        "lab, compare",
    ),
    entry(
        On::Anywhere,
        &[(ch('e'), Go(Exercises)), (ch('D'), Go(Doctor))],
        &[],
        "exercises, doctor",
    ),
    entry(
        On::Anywhere,
        &[(ch('y'), CommandLine)],
        &[],
        "this screen as command",
    ),
    entry(
        On::Anywhere,
        &[(ctrl('c'), Interrupt)],
        &[],
        "cancel the run",
    ),
    entry(On::Anywhere, &[(ctrl('l'), Redraw)], &[], "draw again"),
    entry(
        On::Anywhere,
        &[(ctrl('z'), Suspend)],
        &[],
        "suspend; a run goes on",
    ),
    entry(
        On::Anywhere,
        &[(ch('q'), Quit)],
        &[],
        "leave; everything is saved",
    ),
    entry(On::Anywhere, &[(ch('?'), Help)], &[], "this help"),
];

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
    let find = |here: bool| {
        TABLE
            .iter()
            .filter(|e| matches!(e.on, On::Here(_)) == here && (!here || e.is_here(page)))
            .flat_map(Entry::bound)
            .find(|(k, a)| *a == action && resolve(page, *k) == Some(action))
            .map(|(k, _)| *k)
    };
    find(true).or_else(|| find(false))
}

/// A footer item: actions, whose keys are shown, and a word or two.
pub type FooterItem = (&'static [Action], &'static str);

/// The footer line for a page: keys that work now, at most nine, help last.
/// Items that do not fit into `width` are left out, help never.
pub fn footer(page: Page, items: &[FooterItem], width: usize) -> String {
    let text = |(actions, word): &FooterItem| {
        let keys: Vec<Key> = actions.iter().filter_map(|a| key_of(page, *a)).collect();
        format!("{} {word}", names(&keys))
    };
    let help = items.last().map(text).unwrap_or_default();
    let room = width.saturating_sub(help.chars().count() + 1);
    let mut line = String::new();
    for item in items.iter().take(items.len().saturating_sub(1)) {
        let next = text(item);
        if 1 + line.chars().count() + next.chars().count() + 2 > room + 1 {
            continue;
        }
        line.push_str(&next);
        line.push_str("  ");
    }
    format!(" {line}{help}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Page; 11] = [
        Home,
        Lesson,
        Lab,
        Compare,
        Exercises,
        Doctor,
        FirstRun,
        Page::Setup,
        Page::Why,
        Page::Messages,
        Page::Help,
    ];

    #[test]
    fn no_page_binds_a_key_twice() {
        for page in ALL {
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
    fn digits_of_pages_to_come_do_nothing() {
        for c in ['5', '6', '8'] {
            assert_eq!(resolve(Home, ch(c)), None);
        }
    }

    #[test]
    fn help_is_never_cut_from_a_footer() {
        let items: &[FooterItem] = &[(&[Open], "open"), (&[Quit], "leave"), (&[Help], "help")];
        assert_eq!(footer(Home, items, 80), " Enter open  q leave  ? help");
        assert_eq!(footer(Home, items, 20), " Enter open  ? help");
    }
}

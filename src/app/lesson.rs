//! The lesson reader: which lesson, which section, and which live block takes
//! the keys. How many lines a section has is known only when it is laid out;
//! [`Reader::fit`] takes that in.

mod contents;
mod footer;
pub mod time;
mod turn;

use std::collections::BTreeMap;

use super::exercise;
use super::live::{self, Block};
use super::message::Effect;
use super::page::{Mark, Page};
use super::state::State;
use course::{Event, Lesson, Live, Section};

pub use contents::{lines, stopped, stopped_line};
pub use footer::footer;
pub use turn::{act, leave, open_form, read};

/// The lesson and section on the page, by their ids.
pub fn place(state: &State) -> Option<(String, String)> {
    let (lesson, section) = (lesson(state)?, section(state)?);
    Some((lesson.id.clone(), section.id.clone()))
}

/// What takes the keys on the lesson page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// The text.
    #[default]
    Text,
    /// A live block, counted from 0 within the section.
    Block(usize),
    /// The lab beside the lesson, where there is room for it.
    Lab,
}

/// How a section came out when it was laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Lines of the section.
    pub lines: usize,
    /// Lines that the page shows at once.
    pub room: usize,
    /// Steps sideways until the widest table has been seen.
    pub shift: usize,
    /// First line and number of lines of every live block.
    pub blocks: Vec<(usize, usize)>,
    /// Lines at which a page may begin, so that nothing is cut in two.
    pub breaks: Vec<usize>,
    /// Text of every line, for finding.
    pub text: Vec<String>,
}

/// What the reader remembers.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Place of the lesson in the contents.
    pub lesson: usize,
    /// Section, from 0.
    pub section: usize,
    /// First line shown.
    pub scroll: usize,
    /// Steps sideways.
    pub shift: usize,
    /// What takes the keys.
    pub focus: Focus,
    /// The section under the cursor of the outline, while that is open.
    pub outline: Option<usize>,
    /// What was done in live blocks, by lesson and number of the block.
    blocks: BTreeMap<(String, usize), Block>,
    /// How the section came out.
    pub extent: Extent,
    /// The focused block is to be scrolled into view.
    reveal: bool,
    /// The lesson was opened, and not only looked at by number.
    pub opened: bool,
    /// What the log was told about the time.
    beat: time::Beat,
}

impl Reader {
    /// Lesson and section, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.lesson,
            scroll: self.section,
        }
    }

    /// Puts lesson and section back.
    pub fn restore(&mut self, mark: Mark) {
        if (self.lesson, self.section) != (mark.item, mark.scroll) {
            self.turn(mark.item, mark.scroll);
        }
    }

    /// Shows another section from its beginning.
    fn turn(&mut self, lesson: usize, section: usize) {
        self.lesson = lesson;
        self.section = section;
        self.scroll = 0;
        self.shift = 0;
        self.focus = Focus::Text;
        self.outline = None;
        self.reveal = false;
    }

    /// What was done in a live block.
    pub fn block(&self, lesson: &str, number: usize) -> Block {
        let key = (lesson.to_owned(), number);
        self.blocks.get(&key).cloned().unwrap_or_default()
    }

    /// The same to be changed.
    pub(super) fn block_mut(&mut self, lesson: &str, number: usize) -> &mut Block {
        self.blocks.entry((lesson.to_owned(), number)).or_default()
    }

    /// Keys are typed into a field of a live block.
    pub fn typing(&self) -> bool {
        self.focus != Focus::Text && self.blocks.values().any(|b| b.field.is_some())
    }

    /// Closes every field of a live block.
    pub(super) fn leave_fields(&mut self) {
        for block in self.blocks.values_mut() {
            block.field = None;
        }
    }

    /// The block that has the keys is to be in view, whatever its size is now.
    pub(super) fn reveal(&mut self) {
        self.reveal = true;
    }

    /// Takes in how the section came out: scroll and shift stay inside it, and
    /// a block that was just entered is brought into view.
    pub fn fit(&mut self, extent: Extent) {
        let last = extent.lines.saturating_sub(extent.room);
        if let (true, Focus::Block(i)) = (self.reveal, self.focus)
            && let Some((first, lines)) = extent.blocks.get(i)
        {
            let below = (first + lines).saturating_sub(extent.room);
            self.scroll = self.scroll.max(below).min(*first);
        }
        self.reveal = false;
        self.scroll = self.scroll.min(last);
        self.shift = self.shift.min(extent.shift);
        self.extent = extent;
    }

    /// The line to begin with so that nothing seen is shown again and nothing
    /// is cut; `None` where the section ends on this page.
    fn page_below(&self) -> Option<usize> {
        let e = &self.extent;
        let end = self.scroll + e.room;
        if end >= e.lines {
            return None;
        }
        let fresh = |line: &&usize| **line > self.scroll && **line <= end;
        Some(e.breaks.iter().filter(fresh).max().copied().unwrap_or(end))
    }

    /// The line to begin with one page up.
    fn page_above(&self) -> Option<usize> {
        if self.scroll == 0 {
            return None;
        }
        let from = self.scroll.saturating_sub(self.extent.room);
        let whole = |line: &&usize| **line >= from && **line < self.scroll;
        let found = self.extent.breaks.iter().find(whole).copied();
        Some(found.unwrap_or(from))
    }
}

/// The lesson on the page.
pub fn lesson(state: &State) -> Option<&Lesson> {
    state.study.lesson(state.reader.lesson)
}

/// The section on the page.
pub fn section(state: &State) -> Option<&Section> {
    lesson(state)?.sections.get(state.reader.section)
}

/// Whether a prediction of the section on the screen is still open: the lab
/// beside it would give the answer away.
pub fn waits(state: &State) -> bool {
    let (Some(lesson), Some(section)) = (lesson(state), section(state)) else {
        return false;
    };
    section
        .live()
        .any(|block| live::predict::open(&state.study.progress, lesson, block).is_some())
}

/// Whether the section on the screen still asks something: a prediction, or a
/// question that is neither solved nor given up. What a claim's model says may
/// be the answer.
pub fn asks(state: &State) -> bool {
    let questions = section(state).into_iter().flat_map(Section::live);
    let open = |live: &Live| match &live.content {
        Ok(course::Block::Question { exercise, key }) => {
            let name = key.as_ref().map(|k| k.text.as_str());
            exercise::asked(state, &exercise.text, name).is_some_and(|asked| {
                let kept = state.study.progress.key(&asked.exercise, &asked.key);
                !kept.solved && !kept.given_up
            })
        }
        _ => false,
    };
    waits(state) || questions.into_iter().any(open)
}

/// The live block that takes the keys.
pub fn focused(state: &State) -> Option<(&Lesson, &Live)> {
    let Focus::Block(i) = state.reader.focus else {
        return None;
    };
    let found = section(state)?
        .live()
        .filter(|b| live::takes_keys(b))
        .nth(i)?;
    Some((lesson(state)?, found))
}

/// The number that lists show for a lesson: the digits its id begins with.
pub fn number(id: &str) -> &str {
    let end = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
    id.get(..end).unwrap_or_default()
}

/// Opens a lesson where the learner stopped in it, or at its beginning.
pub fn open(state: &mut State, index: usize, effects: &mut Vec<Effect>) {
    if !state.study.loaded {
        // Whoever is faster than the disk gets the lesson when it comes.
        state.go(Page::Lesson);
        return;
    }
    let Some(found) = state.study.lesson(index) else {
        return;
    };
    let last = state
        .study
        .progress
        .lessons
        .get(&found.id)
        .and_then(|mark| mark.last.as_deref());
    let section = found
        .sections
        .iter()
        .position(|s| Some(s.id.as_str()) == last)
        .unwrap_or(0);
    state.go(Page::Lesson);
    show(state, index, section, effects);
}

/// Shows a section and takes note that it was read.
pub fn show(state: &mut State, lesson: usize, section: usize, effects: &mut Vec<Effect>) {
    state.reader.turn(lesson, section);
    state.reader.opened = true;
    arrived(state, effects);
}

/// Takes note that the section on the page was read, and asks for the sheets
/// of its questions.
pub fn arrived(state: &mut State, effects: &mut Vec<Effect>) {
    let asked: Vec<String> = section(state)
        .into_iter()
        .flat_map(Section::live)
        .filter_map(|live| match &live.content {
            Ok(course::Block::Question { exercise, .. }) => Some(exercise.text.clone()),
            _ => None,
        })
        .collect();
    for exercise in asked {
        exercise::open_sheet(state, &exercise, effects);
    }
    let Some((found, section)) = lesson(state).zip(section(state)) else {
        return;
    };
    let event = Event::Read {
        lesson: found.id.clone(),
        section: section.id.clone(),
    };
    let known = state
        .study
        .progress
        .stopped
        .as_ref()
        .is_some_and(|(l, s)| *l == found.id && *s == section.id);
    if !known {
        note(state, event, effects);
    }
}

/// Applies an event to the learner's progress and has it written.
pub fn note(state: &mut State, event: Event, effects: &mut Vec<Effect>) {
    state.study.progress.apply(&event);
    state.list_lessons();
    effects.push(Effect::Record(event));
}

/// The page was reached by its digit: the lesson that was open, or where the
/// learner stopped, or the first.
pub fn entered(state: &mut State, effects: &mut Vec<Effect>) {
    if !state.reader.opened {
        let at = stopped(&state.study);
        let (lesson, section) = at.unwrap_or((0, 0));
        state.reader.turn(lesson, section);
        state.reader.opened = state.study.loaded;
    }
    arrived(state, effects);
}

/// The course was read again: lesson and section stay by their ids, the place
/// on the page by its number.
pub fn reloaded(state: &mut State, before: Option<(String, String)>) {
    let Some((id, section)) = before else {
        return;
    };
    let reader = &mut state.reader;
    if let Some(index) = state.study.place_of(&id) {
        reader.lesson = index;
    }
    let sections = state
        .study
        .lesson(reader.lesson)
        .map_or(&[][..], |l| l.sections.as_slice());
    let same = sections.iter().position(|s| s.id == section);
    reader.section = same
        .unwrap_or(reader.section)
        .min(sections.len().saturating_sub(1));
    let blocks = sections
        .get(reader.section)
        .map_or(0, |s| s.live().filter(|b| live::takes_keys(b)).count());
    if matches!(reader.focus, Focus::Block(i) if i >= blocks) {
        reader.focus = Focus::Text;
    }
}

/// Finds a text in the other sections of the lesson, from the present one on
/// and round; shows the section that holds it. `false`: none does.
pub fn find_beyond(state: &mut State, needle: &str, forward: bool) -> bool {
    let Some(found) = lesson(state) else {
        return false;
    };
    let count = found.sections.len();
    let here = state.reader.section;
    let holds = |section: &Section| {
        let range = section.lines.clone();
        let lines = range.map(|l| found.text.slice(found.text.line(l)));
        lines.into_iter().any(|l| l.to_lowercase().contains(needle))
    };
    let at = (1..count)
        .map(|step| {
            if forward {
                (here + step) % count
            } else {
                (here + count - step) % count
            }
        })
        .find(|i| found.sections.get(*i).is_some_and(holds));
    let Some(section) = at else { return false };
    let lesson = state.reader.lesson;
    state.reader.turn(lesson, section);
    true
}

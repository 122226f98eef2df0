//! The lesson reader: which lesson, which section, and which live block takes
//! the keys. How many lines a section has is known only when it is laid out;
//! [`Reader::fit`] takes that in.

mod find;
mod footer;
mod rest;
mod screen;
mod turn;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::answering::open_sheet;
use super::contents::stopped;
use super::followed::{Spot, is_stop};
use super::intent::Out;
use super::live::{self, Block};
use super::note::Tone;
use super::onward;
use super::shared::Shared;
use course::answer::claim::Evidence;
use course::{Event, Ledger, Lesson, Live, Next, Section};

pub use turn::{act, read};

/// The lesson and section on the page, by their ids.
pub fn place(reader: &Reader, shared: &Shared) -> Option<(String, String)> {
    let (lesson, section) = (lesson(reader, shared)?, section(reader, shared)?);
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
    /// First line and number of lines of what is under the cursor of the question with the
    /// keys: the field, an option, a cell.
    pub cursor: Option<(usize, usize)>,
    /// The line that is typed in, while one is.
    pub field: Option<usize>,
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
    pub extent: Arc<Extent>,
    /// The focused block is to be scrolled into view.
    reveal: bool,
    /// Its end is what is new: where it is longer than the page, the end is shown.
    reveal_end: bool,
    /// The lesson was opened, and not only looked at by number.
    pub opened: bool,
    /// What a block of this section put in the place of the learner's own.
    pub(super) lent: live::Lent,
    /// The path that is followed led here, and Space keeps to its sections.
    pub(super) path: bool,
    /// The last of them was read to its end: Space leaves the lesson.
    pub(super) through: bool,
    /// The line to which a search led.
    found: Option<usize>,
    /// A text in this section, yet to be laid out, to which a search led: its first line that
    /// has it, or its last.
    sought: Option<(String, bool)>,
    /// Lesson and section of the path that were left before their end, until the path goes on.
    pub(super) left: Option<(String, String)>,
    /// They were, and the page was not drawn since.
    unfinished: bool,
    /// Esc was pressed in this section: what is asked in it takes no digits from the text
    /// where it is not the one thing that does.
    pub(super) aside: bool,
    /// Another page led here to look something up: Esc leads back there.
    pub(super) visiting: bool,
}

impl Reader {
    /// Shows another section from its beginning.
    fn turn(&mut self, lesson: usize, section: usize) {
        self.lesson = lesson;
        self.section = section;
        self.scroll = 0;
        self.shift = 0;
        self.focus = Focus::Text;
        self.outline = None;
        self.reveal = false;
        self.through = false;
        (self.found, self.sought) = (None, None);
        (self.unfinished, self.aside) = (false, false);
    }

    /// Shows a section to which the path led.
    pub(super) fn on_path(
        &mut self,
        shared: &mut Shared,
        lesson: usize,
        section: usize,
        out: &mut Out,
    ) {
        (self.visiting, self.path) = (false, true);
        show(self, shared, lesson, section, out);
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
    pub fn field_open(&self) -> bool {
        self.focus != Focus::Text && self.blocks.values().any(|b| b.field.is_some())
    }

    /// What is being typed in live blocks, by lesson and number.
    pub(super) fn typed(&self) -> Vec<((String, usize), String)> {
        let open = self.blocks.iter().filter_map(|(place, block)| {
            let field = block.field.as_ref()?;
            Some((place.clone(), field.text().trim().to_owned()))
        });
        open.collect()
    }

    /// Closes every field of a live block: by lesson and number, what was typed there.
    pub(super) fn leave_fields(&mut self) -> Vec<((String, usize), String)> {
        let blocks = self.blocks.iter_mut();
        let closed = blocks.filter_map(|(place, block)| {
            let field = block.field.take()?;
            Some((place.clone(), field.text().trim().to_owned()))
        });
        closed.collect()
    }

    /// The block that has the keys is to be in view, whatever its size is now.
    pub(super) fn reveal(&mut self) {
        self.reveal = true;
    }

    /// What was added to its end is to be in view.
    pub(super) fn reveal_end(&mut self) {
        (self.reveal, self.reveal_end) = (true, true);
    }

    /// Takes in how the section came out: scroll and shift stay inside it, and
    /// a block that was just entered is brought into view.
    ///
    /// `turned`: the learner turned the page while something is typed.
    pub fn fit(&mut self, extent: Arc<Extent>, turned: bool) {
        if let (true, Focus::Block(i)) = (self.reveal, self.focus)
            && let Some((first, lines)) = extent.blocks.get(i)
        {
            let below = (first + lines).saturating_sub(extent.room);
            let top = if self.reveal_end {
                below.max(*first)
            } else {
                *first
            };
            self.scroll = self.scroll.max(below).min(top);
            // Of a block that is longer than the page, what is under its cursor.
            if let (false, Some((first, lines))) = (self.reveal_end, extent.cursor) {
                let below = (first + lines).saturating_sub(extent.room);
                self.scroll = self.scroll.max(below).min(first);
            }
        }
        (self.reveal, self.reveal_end) = (false, false);
        if let (false, Some(at)) = (turned, extent.field) {
            let below = (at + 1).saturating_sub(extent.room);
            self.scroll = self.scroll.max(below).min(at);
        }
        self.shift = self.shift.min(extent.shift);
        // A kernel's source may come later, and moves the lines below it.
        let sought = self.sought.as_ref();
        let line = sought
            .filter(|_| !Arc::ptr_eq(&self.extent, &extent))
            .and_then(|(needle, forward)| find::line(&extent.text, needle, *forward));
        if let Some(at) = line {
            (self.scroll, self.found) = (at, Some(at));
        }
        self.extent = extent;
        self.scroll = self.scroll.min(self.last());
    }

    /// A hand goes on from what a search led to.
    pub(super) fn goes_from(&mut self) {
        self.sought = None;
    }

    /// The last line that a page begins with.
    pub(super) fn last(&self) -> usize {
        let e = &self.extent;
        e.lines.saturating_sub(e.room)
    }

    /// Whether nothing of what is under the cursor of the block with the keys is on the
    /// page, or nothing of the block.
    pub(super) fn out_of_view(&self) -> bool {
        let Focus::Block(at) = self.focus else {
            return false;
        };
        let place = self.extent.cursor.or(self.extent.blocks.get(at).copied());
        let view = self.view();
        let unseen = |(first, lines)| first >= view.end || first + lines <= view.start;
        // What comes into view with the next page is seen.
        !self.reveal && place.is_some_and(unseen)
    }

    /// Whether what has the keys was not on the page, which is said: it is there now.
    pub(super) fn unseen(&mut self, shared: &mut Shared) -> bool {
        let unseen = self.out_of_view();
        if unseen {
            self.reveal();
            let text = "This is what has the keys: the same key again acts on it.";
            shared.notes.say(Tone::Plain, text);
        }
        unseen
    }

    /// The lines that are on the page.
    pub fn view(&self) -> Range<usize> {
        let e = &self.extent;
        self.scroll..e.lines.min(self.scroll.saturating_add(e.room))
    }

    /// The block that Tab takes from the text: the first that begins on the page, else one of
    /// which something is seen there, else the first.
    pub(super) fn seen(&self) -> usize {
        let (view, blocks) = (self.view(), &self.extent.blocks);
        let begins = blocks.iter().position(|(first, _)| view.contains(first));
        let part = || (0..blocks.len()).find(|at| self.sees(*at));
        begins.or_else(part).unwrap_or(0)
    }

    /// Whether something of a block is on the page.
    pub(super) fn sees(&self, at: usize) -> bool {
        let (view, block) = (self.view(), self.extent.blocks.get(at));
        block.is_some_and(|(first, lines)| *first < view.end && first + lines > view.start)
    }

    /// The section goes on below the page.
    pub fn goes_on(&self) -> bool {
        self.view().end < self.extent.lines
    }

    /// The line to begin with so that nothing seen is shown again and nothing
    /// is cut; `None` where the section ends on this page.
    fn page_below(&self) -> Option<usize> {
        let e = &self.extent;
        let end = self.view().end;
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
pub fn lesson<'s>(reader: &Reader, shared: &'s Shared) -> Option<&'s Lesson> {
    shared.study.lesson(reader.lesson)
}

/// The section on the page.
pub fn section<'s>(reader: &Reader, shared: &'s Shared) -> Option<&'s Section> {
    lesson(reader, shared)?.sections.get(reader.section)
}

/// Whether a prediction of the section on the screen is still open: the lab
/// beside it would give the answer away.
pub fn waits(reader: &Reader, shared: &Shared) -> bool {
    let (Some(lesson), Some(section)) = (lesson(reader, shared), section(reader, shared)) else {
        return false;
    };
    section
        .live()
        .any(|block| live::predict::open(&shared.study, lesson, block).is_some())
}

/// Whether the section on the screen has a claim that was not judged and that counts or
/// the model settle: the lab beside it would show what.
pub fn unjudged(reader: &Reader, shared: &Shared) -> bool {
    let open = |live: &Live| match &live.content {
        Ok(course::Block::Claim { id }) => {
            let claim = Ledger::built_in().get(id.as_str());
            claim.is_some_and(|claim| {
                matches!(claim.evidence, Evidence::Count | Evidence::Model)
                    && !shared.study.looked_at(&claim.id.text)
            })
        }
        _ => false,
    };
    section(reader, shared).is_some_and(|section| section.live().any(open))
}

/// Whether the section on the screen still asks something: a prediction, or a
/// question that is neither solved nor given up. What a claim's model says may
/// be the answer.
pub fn asks(reader: &Reader, shared: &Shared) -> bool {
    let questions = section(reader, shared).into_iter().flat_map(Section::live);
    let open = |live: &Live| match &live.content {
        Ok(course::Block::Question { exercise, key }) => {
            let name = key.as_ref().map(|k| k.text.as_str());
            shared
                .study
                .question(&exercise.text, name)
                .is_some_and(|asked| {
                    let kept = shared.study.progress.key(&asked.exercise, &asked.key);
                    !kept.solved && !kept.given_up
                })
        }
        _ => false,
    };
    waits(reader, shared) || questions.into_iter().any(open)
}

/// The live block that takes the keys.
pub fn focused<'s>(reader: &Reader, shared: &'s Shared) -> Option<(&'s Lesson, &'s Live)> {
    let Focus::Block(i) = reader.focus else {
        return None;
    };
    let found = section(reader, shared)?
        .live()
        .filter(|b| live::takes_keys(b))
        .nth(i)?;
    Some((lesson(reader, shared)?, found))
}

/// Opens a lesson at a section, else where the learner stopped in it, or at its beginning.
pub(super) fn open(
    reader: &mut Reader,
    shared: &mut Shared,
    index: usize,
    section: Option<usize>,
    out: &mut Out,
) {
    let Some(found) = shared.study.lesson(index) else {
        return;
    };
    let last = shared
        .study
        .progress
        .lessons
        .get(&found.id)
        .and_then(|mark| mark.last.as_deref());
    let left = |s: &Section| Some(s.id.as_str()) == last;
    let goes_on = section.is_none();
    let section = section
        .or_else(|| found.sections.iter().position(left))
        .unwrap_or_default();
    if reader.rest_of_path(&shared.study) != Some((index, section)) {
        reader.left = reader.rest(shared);
        reader.path = goes_on && stopped_on_path(shared, index, section);
    }
    show(reader, shared, index, section, out);
}

/// Whether the learner stopped at this section as the path led there: it is what the path
/// waits for, or the stop before that.
fn stopped_on_path(shared: &Shared, lesson: usize, section: usize) -> bool {
    let route = shared.contents.route.as_ref();
    let (Some(next), Some(spot)) = (
        route.and_then(|route| route.walk.next.as_ref()),
        Spot::section(&shared.study, lesson, section),
    ) else {
        return false;
    };
    stopped(&shared.study) == Some((lesson, section))
        && (*next == Next::Section(lesson, section) || spot.forth() == Some(next))
}

/// Shows a section and takes note that it was read.
fn show(reader: &mut Reader, shared: &mut Shared, lesson: usize, section: usize, out: &mut Out) {
    // Whichever way it is come back to, the path goes on there.
    if reader.rest_of_path(&shared.study) == Some((lesson, section)) {
        (reader.left, reader.path) = (None, true);
    }
    reader.turn(lesson, section);
    reader.opened = true;
    // Beside the path one reads as in any lesson.
    reader.path &= is_stop(&shared.study, lesson, section);
    if reader.path {
        onward::reached(shared, Next::Section(lesson, section));
    }
    arrived(reader, shared, out);
}

/// Takes note that the section on the page was read, and asks for the sheets
/// of its questions.
fn arrived(reader: &Reader, shared: &mut Shared, out: &mut Out) {
    let asked: Vec<String> = section(reader, shared)
        .into_iter()
        .flat_map(Section::live)
        .filter_map(|live| match &live.content {
            Ok(course::Block::Question { exercise, .. }) => Some(exercise.text.clone()),
            _ => None,
        })
        .collect();
    for exercise in asked {
        open_sheet(shared, &exercise, out);
    }
    let Some((found, section)) = lesson(reader, shared).zip(section(reader, shared)) else {
        return;
    };
    let event = Event::Read {
        lesson: found.id.clone(),
        section: section.id.clone(),
    };
    let known = shared
        .study
        .progress
        .stopped
        .as_ref()
        .is_some_and(|(l, s)| *l == found.id && *s == section.id);
    if !known {
        shared.record(event, out);
    }
}

/// The course was read again: lesson and section stay by their ids, the place
/// on the page by its number.
pub(super) fn reloaded(reader: &mut Reader, shared: &mut Shared, before: Option<(String, String)>) {
    let Some((id, section)) = before else {
        return;
    };
    if let Some(index) = shared.study.place_of(&id) {
        reader.lesson = index;
    }
    let sections = shared
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

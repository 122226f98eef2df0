//! What keys do on the lesson page: turning pages, walking over live blocks.

use super::{Focus, Reader, focused, lesson, section, show};
use crate::contents::{ended, number};
use crate::followed::Spot;
use crate::intent::{Intent, Out};
use crate::keymap::Action;
use crate::mouse::Target;
use crate::note::Tone;
use crate::onward;
use crate::page::Page;
use crate::shared::Shared;
use crate::{answering, live};
use course::{Block, Live, Next};

/// Acts on the lesson page.
pub fn act(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    if reader.outline.is_some() {
        outline(reader, shared, action, out);
        return;
    }
    // What is typed while the text has the keys goes to the question in view.
    if action == Action::Change
        && let Some(at) = live::alone(reader, shared)
    {
        reader.focus = Focus::Block(at);
        reader.reveal = true;
        live::enter(reader, shared);
    }
    match action {
        Action::NextPart | Action::PreviousPart => {
            walk_parts(reader, shared, action == Action::NextPart, out);
        }
        Action::NextLesson | Action::PreviousLesson => {
            turn_lesson(reader, shared, action == Action::NextLesson, out);
        }
        Action::Outline => reader.outline = Some(reader.section),
        // What is not seen is not graded, and no option of it marked.
        _ if marks(reader, shared, action) && reader.unseen(shared) => {}
        _ => match reader.focus {
            Focus::Text => {
                read(reader, shared, action, out);
                out.moved_only = moves(action);
            }
            Focus::Block(_) => live::act(reader, shared, action, out),
            Focus::Lab => beside(reader, shared, action, out),
        },
    }
}

/// Whether a key grades or marks what has the keys.
fn marks(reader: &Reader, shared: &Shared, action: Action) -> bool {
    let asked = || live::asked(shared, focused(reader, shared)?.1);
    action == Action::Open
        || action == Action::Flip && asked().is_some_and(|a| answering::marks_here(shared, &a))
}

/// Said before what comes next, where a lesson ends that the path did not lead to.
const LESSON_ENDS: &str = "The end of this lesson. Space goes on with the path:";

/// Said where nothing of a lesson lies before.
const LESSON_BEGINS: &str = "This lesson begins here. H shows the contents.";

/// Said of a key of the lab where that is a page of its own.
const OF_LAB: &str = "This is a key of the lab: L leads there.";

/// The same where there is no room for it.
const LARGER: &str = "This is a key of the lab, which needs a larger window.";

/// PgUp and PgDn while something is typed: within the section, and what is typed stays.
pub(super) fn turned(reader: &mut Reader, shared: &mut Shared, down: bool) {
    let to = match down {
        true => reader.page_below().map(|line| line.min(reader.last())),
        false => reader.page_above(),
    };
    reader.scroll = to.unwrap_or(reader.scroll);
    shared.questions.turned = true;
}

/// Whether a key of the text only moves over it; to another section at most.
const fn moves(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Up | A::Down | A::Top | A::End | A::Flip | A::PageDown | A::PageUp
    )
}

/// The keys of the text: what turns pages and moves over them.
pub fn read(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    let last = reader.last();
    let along = matches!(
        action,
        Action::Up | Action::Down | Action::Top | Action::End
    );
    let across = matches!(action, Action::Left | Action::Right);
    if along && last == 0 {
        let text = match is_end(reader, shared) {
            // A block has its own use for Space.
            _ if reader.focus != Focus::Text => "All of this section is on the page.",
            true => "All of this section is on the page, the last of the lesson. b goes back.",
            false => "All of this section is on the page. Space goes on, b goes back.",
        };
        shared.notes.say(Tone::Plain, text);
    } else if across && reader.extent.shift == 0 {
        let text = "Nothing is cut at the sides of this section.";
        shared.notes.say(Tone::Plain, text);
    }
    match action {
        Action::Up => reader.scroll = reader.scroll.saturating_sub(1),
        Action::Down => reader.scroll = reader.scroll.saturating_add(1).min(last),
        Action::Left => reader.shift = reader.shift.saturating_sub(1),
        Action::Right => reader.shift = (reader.shift + 1).min(reader.extent.shift),
        Action::Top => reader.scroll = 0,
        Action::End => reader.scroll = last,
        Action::Flip | Action::PageDown => match reader.page_below() {
            Some(line) => reader.scroll = line.min(last),
            None => turn_section(reader, shared, true, out),
        },
        Action::PageUp => match reader.page_above() {
            Some(line) => reader.scroll = line,
            None => turn_section(reader, shared, false, out),
        },
        Action::Open => walk_parts(reader, shared, true, out),
        Action::Change => shared.notes.say(
            Tone::Plain,
            match asks_something(reader, shared) {
                false if guessed(reader, shared) => {
                    "Nothing is asked here any more: a guess stays as it was made."
                }
                false => "Nothing on this page is answered.",
                true => "Tab leads to what is asked; there i answers, and changes a right answer.",
            },
        ),
        Action::Run => shared.notes.say(
            Tone::Plain,
            match section(reader, shared).is_some_and(|s| s.live().any(|b| live::runs(shared, b))) {
                false => "Nothing in this section runs.",
                true => "Tab leads to live blocks; r runs the one that has the keys.",
            },
        ),
        Action::Wall
        | Action::Undo
        | Action::NextVersion
        | Action::PreviousVersion
        | Action::RunAll
        | Action::Bytes => shared.notes.say(
            Tone::Plain,
            match (reader.focus, shared.lacks(Page::Lab.least())) {
                // No block has them.
                (Focus::Text, true) if matches!(action, Action::Wall | Action::Bytes) => LARGER,
                (Focus::Text, false) if matches!(action, Action::Wall | Action::Bytes) => OF_LAB,
                (Focus::Text, true) => "This is a key of plans: Tab leads to live blocks.",
                (Focus::Text, false) => {
                    "This is a key of plans: Tab leads to live blocks, L to the lab."
                }
                (_, true) => LARGER,
                (_, false) => OF_LAB,
            },
        ),
        _ => {}
    }
}

/// Whether something in the section takes an answer or a guess.
fn asks_something(reader: &Reader, shared: &Shared) -> bool {
    let Some(lesson) = lesson(reader, shared) else {
        return false;
    };
    let guess = |live: &Live| live::predict::open(&shared.study, lesson, live).is_some();
    let takes = |live: &Live| live::asked(shared, live).is_some() || guess(live);
    section(reader, shared).is_some_and(|section| section.live().any(takes))
}

/// Whether a guess was asked for in the section.
fn guessed(reader: &Reader, shared: &Shared) -> bool {
    section(reader, shared).is_some_and(|s| s.live().any(|live| !live.predict.is_empty()))
}

/// The lab beside the lesson answers the keys that it has on its own page.
fn beside(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    match action {
        Action::Open => out.want(Intent::Open(Page::Lab)),
        Action::PageUp => turn_section(reader, shared, false, out),
        _ => out.want(Intent::Lab(action)),
    }
}

fn turn_section(reader: &mut Reader, shared: &mut Shared, forward: bool, out: &mut Out) {
    let (at, section) = (reader.lesson, reader.section);
    let count = lesson(reader, shared).map_or(0, |l| l.sections.len());
    if forward && reader.path {
        on_path(reader, shared, out);
    } else if forward {
        if section + 1 < count {
            show(reader, shared, at, section + 1, out);
        } else if !reader.visiting && goes_on(shared).is_some() {
            path_leads(reader, shared, LESSON_ENDS, out);
        } else if let Some(next) = shared.study.lesson(at + 1) {
            let text = format!(
                "The end of this lesson. ] goes on with {} {}",
                number(&next.id),
                ended(&next.title)
            );
            shared.notes.say(Tone::Plain, text);
        } else {
            shared
                .notes
                .say(Tone::Plain, "The end of the course. H shows the contents.");
        }
    } else {
        let spot = Spot::section(&shared.study, at, section).filter(|_| reader.path);
        let before = match &spot {
            Some(spot) => spot.back().cloned(),
            None => section
                .checked_sub(1)
                .map(|before| Next::Section(at, before)),
        };
        match before {
            Some(Next::Section(lesson, section)) => {
                show(reader, shared, lesson, section, out);
                // Back means: to the end of what was read before.
                reader.scroll = usize::MAX;
            }
            Some(at) => out.want(Intent::Stop { at, end: true }),
            None if reader.path => shared.notes.say(Tone::Plain, onward::BEGINS),
            None => shared.notes.say(Tone::Plain, LESSON_BEGINS),
        }
    }
}

/// The next section that the path reads; behind the last one, what was passed already, or
/// what comes next.
fn on_path(reader: &mut Reader, shared: &mut Shared, out: &mut Out) {
    let place = reader.lesson;
    let spot = Spot::section(&shared.study, place, reader.section);
    let next = spot.as_ref().and_then(Spot::forth);
    let again = spot
        .as_ref()
        .and_then(|s| s.again(shared.furthest.as_ref()));
    match (next, again) {
        (Some(Next::Section(lesson, next)), _) if *lesson == place => {
            show(reader, shared, place, *next, out);
        }
        (_, Some(at)) => out.want(Intent::Stop {
            at: at.clone(),
            end: false,
        }),
        _ => path_leads(reader, shared, "Space goes on:", out),
    }
}

/// Whether Space leads nowhere from here: the lesson ends, and nothing led here that goes on.
pub(super) fn is_end(reader: &Reader, shared: &Shared) -> bool {
    let count = lesson(reader, shared).map_or(0, |l| l.sections.len());
    let last = reader.section + 1 >= count && reader.page_below().is_none();
    let leads = !reader.visiting && goes_on(shared).is_some();
    last && !reader.path && !leads
}

/// What comes next on the path, in words; `None` where it is through.
fn goes_on(shared: &Shared) -> Option<String> {
    let next = shared.contents.route.as_ref().map(|f| f.next.clone());
    next.filter(|next| !next.is_empty())
}

/// At the end of a lesson: where the path leads, and with the second key there.
fn path_leads(reader: &mut Reader, shared: &mut Shared, says: &str, out: &mut Out) {
    if std::mem::replace(&mut reader.through, true) {
        onward::go_on(shared, out);
        return;
    }
    let text = match reader.leads(shared) {
        Some(next) => format!("{says} {next}"),
        None => "This path is through. Space shows the contents.".to_owned(),
    };
    shared.notes.say(Tone::Plain, text);
}

fn turn_lesson(reader: &Reader, shared: &mut Shared, forward: bool, out: &mut Out) {
    let at = reader.lesson;
    let to = if forward {
        at.checked_add(1)
    } else {
        at.checked_sub(1)
    };
    match to.filter(|i| shared.study.lesson(*i).is_some()) {
        Some(index) => {
            out.want(Intent::Lesson(index));
        }
        None => shared.notes.say(
            Tone::Plain,
            if forward {
                "This is the last lesson. H shows the contents."
            } else {
                "This is the first lesson. H shows the contents."
            },
        ),
    }
}

/// How many live blocks of the section take keys.
fn blocks(reader: &Reader, shared: &Shared) -> usize {
    section(reader, shared).map_or(0, |s| s.live().filter(|b| live::takes_keys(b)).count())
}

/// Tab: text, live blocks, the lab where it stands beside, text.
fn walk_parts(reader: &mut Reader, shared: &mut Shared, forward: bool, out: &mut Out) {
    live::leave(reader, shared, out);
    let mut parts = vec![Focus::Text];
    parts.extend((0..blocks(reader, shared)).map(Focus::Block));
    if shared.two_panes() {
        parts.push(Focus::Lab);
    }
    let at = parts.iter().position(|f| *f == reader.focus).unwrap_or(0);
    let to = if forward {
        (at + 1) % parts.len()
    } else {
        (at + parts.len() - 1) % parts.len()
    };
    let focus = match parts.get(to).copied().unwrap_or_default() {
        Focus::Block(_) if forward && reader.focus == Focus::Text => {
            Focus::Block(half_typed(reader, shared).unwrap_or_else(|| reader.seen()))
        }
        focus => focus,
    };
    if parts.len() == 1 {
        shared
            .notes
            .say(Tone::Plain, "This section has no live block.");
    }
    reader.focus = focus;
    reader.reveal = true;
    if matches!(focus, Focus::Block(_)) {
        live::enter(reader, shared);
    }
}

/// The block on the page whose guess was left half typed.
fn half_typed(reader: &Reader, shared: &Shared) -> Option<usize> {
    let lesson = lesson(reader, shared)?;
    let begun = |live: &Live| {
        let typed = shared.study.progress.begun(&lesson.id, live.number as u64);
        !typed.is_empty() && live::predict::open(&shared.study, lesson, live).is_some()
    };
    let mut blocks = section(reader, shared)?
        .live()
        .filter(|b| live::takes_keys(b));
    blocks.position(begun).filter(|at| reader.sees(*at))
}

/// A click: a block takes the keys, and what is in it is flipped or marked.
pub(super) fn click(reader: &mut Reader, shared: &mut Shared, target: Target, out: &mut Out) {
    match target {
        Target::Row(section) => show(reader, shared, reader.lesson, section, out),
        Target::Block(at) if reader.focus != Focus::Block(at) => {
            live::leave(reader, shared, out);
            reader.focus = Focus::Block(at);
            live::enter(reader, shared);
        }
        Target::Switch(at) => live::switch(reader, shared, at, out),
        Target::Option(_) | Target::Cell(_) => {
            let asked = focused(reader, shared).and_then(|(_, live)| live::asked(shared, live));
            if let Some(asked) = asked {
                answering::click(shared, &asked, target, out);
            }
        }
        Target::Point(block, line, at) => {
            if let Some(text) = live::point(reader, shared, block, line, at) {
                shared.notes.say(Tone::Plain, text);
            }
        }
        Target::Toggle(_) | Target::Slot(_) | Target::Figure(_) => {
            live::leave(reader, shared, out);
            reader.focus = Focus::Lab;
            out.want(Intent::LabClick(target));
        }
        _ => {}
    }
}

fn outline(reader: &mut Reader, shared: &mut Shared, action: Action, out: &mut Out) {
    let last = lesson(reader, shared).map_or(0, |l| l.sections.len().saturating_sub(1));
    let at = reader.outline.unwrap_or(0).min(last);
    let to = match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(last),
        Action::PageUp => at.saturating_sub(reader.extent.room),
        Action::PageDown => (at + reader.extent.room).min(last),
        Action::Top => 0,
        Action::End => last,
        Action::Open | Action::Flip => {
            show(reader, shared, reader.lesson, at, out);
            return;
        }
        Action::Outline => {
            reader.outline = None;
            return;
        }
        _ => at,
    };
    reader.outline = Some(to);
}

/// `e` in a question opens its form. `false`: no question has the keys.
pub fn open_form(reader: &Reader, shared: &mut Shared, out: &mut Out) -> bool {
    let asked = focused(reader, shared).and_then(|(_, live)| match &live.content {
        Ok(Block::Question { exercise: id, key }) => shared
            .study
            .question(&id.text, key.as_ref().map(|k| k.as_str())),
        _ => None,
    });
    match asked {
        Some(asked) => {
            answering::leave_field(shared, out);
            out.want(Intent::Question(asked));
            true
        }
        None => false,
    }
}

/// Esc: out of what has the keys, into the text, and no further: a lesson is left by
/// the key of another page. `false`: the lesson was looked up from elsewhere.
pub fn leave(reader: &mut Reader, shared: &mut Shared) -> bool {
    if reader.outline.take().is_some() {
        return true;
    }
    answering::drop_draft(shared);
    if std::mem::take(&mut reader.focus) != Focus::Text {
        return true;
    }
    if std::mem::take(&mut reader.visiting) {
        return false;
    }
    let text = "You are in the text. H shows the contents, q leaves the workshop.";
    shared.notes.say(Tone::Plain, text);
    true
}

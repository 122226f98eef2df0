//! What the blocks of a section ask, which of them waits for what is typed, and what a
//! point of a chart says.

use super::{predict, presented, takes_keys};
use crate::answering;
use crate::lesson::{self, Focus, Reader};
use crate::question::{Asked, Asks};
use crate::shared::Shared;
use course::present::Piece;
use course::{Block, Lesson, Live};

/// The question that a block asks.
pub fn asked(shared: &Shared, live: &Live) -> Option<Asked> {
    match &live.content {
        Ok(Block::Question { exercise, key }) => {
            let key = key.as_ref().map(|k| &*k.text);
            shared.study.question(&exercise.text, key)
        }
        _ => None,
    }
}

/// What digits mean to the block that has the keys, or to the one in view that waits for
/// a value while the text has them.
pub fn asks(reader: &Reader, shared: &Shared) -> Asks {
    match lesson::focused(reader, shared) {
        Some((lesson, live)) => wants(shared, lesson, live),
        None if waiting(reader, shared).is_some() => Asks::Value,
        None if reader.aside || open(reader, shared, BEGUN).is_empty() => Asks::Nothing,
        None => Asks::Several,
    }
}

/// The one block in view that waits for a value, while the text has the keys. What was
/// left half typed waits for Tab: a key for a page is no part of it.
pub(crate) fn waiting(reader: &Reader, shared: &Shared) -> Option<usize> {
    match open(reader, shared, ASKED)[..] {
        [(at, Asks::Value)] => Some(at),
        _ => None,
    }
}

/// Rows of a block in which its question and its field stand, at least.
const ASKED: usize = 6;

/// Rows of a block in which one sees that something is asked: its border and a line.
const BEGUN: usize = 2;

/// The one block in view that is not answered, while the text has the keys.
pub(crate) fn alone(reader: &Reader, shared: &Shared) -> Option<usize> {
    match open(reader, shared, ASKED)[..] {
        [(at, _)] => Some(at),
        _ => None,
    }
}

/// The blocks of which so many rows are in view and that are not answered, while the text
/// has the keys, and what digits mean to each.
fn open(reader: &Reader, shared: &Shared, rows: usize) -> Vec<(usize, Asks)> {
    match reader.focus {
        Focus::Text => in_view(reader, shared, rows),
        _ => Vec::new(),
    }
}

/// Whether one block in view would take digits if the text had the keys.
pub(crate) fn would_take(reader: &Reader, shared: &Shared) -> bool {
    matches!(in_view(reader, shared, ASKED)[..], [(_, Asks::Value)])
}

/// The blocks in view that are not answered, whatever has the keys.
fn in_view(reader: &Reader, shared: &Shared, rows: usize) -> Vec<(usize, Asks)> {
    let view = reader.view();
    let seen = |at: usize| {
        let place = reader.extent.blocks.get(at);
        place.is_some_and(|(first, lines)| {
            let (from, to) = ((*first).max(view.start), (first + lines).min(view.end));
            // A border alone, or the beginning of what is asked, shows not where one types.
            to.saturating_sub(from) >= rows.min(lines.saturating_sub(1)).max(1)
        })
    };
    let found = lesson::lesson(reader, shared).zip(lesson::section(reader, shared));
    let Some((lesson, section)) = found else {
        return Vec::new();
    };
    let blocks = section.live().filter(|live| takes_keys(live)).enumerate();
    let seen = blocks.filter(|(at, _)| seen(*at));
    seen.map(|(at, live)| (at, wants(shared, lesson, live)))
        .filter(|(_, wants)| matches!(wants, Asks::Value | Asks::Begun))
        .collect()
}

/// What a point of a chart says: its line, the parameter's value, its own.
pub(crate) fn point(
    reader: &Reader,
    shared: &Shared,
    block: usize,
    line: usize,
    at: usize,
) -> Option<String> {
    let lesson = lesson::lesson(reader, shared)?;
    let section = lesson::section(reader, shared)?;
    let live = section.live().find(|live| live.number == block)?;
    let found = presented(reader, shared, lesson, live).ok()?;
    let chart = found.iter().find_map(|piece| match piece {
        Piece::Chart(chart) => Some(chart),
        _ => None,
    })?;
    let (line, parameter) = (chart.lines.get(line)?, chart.at.get(at)?);
    let name = match line.name.as_str() {
        "" => String::new(),
        name => format!("{name}, "),
    };
    Some(format!(
        "{name}{} {parameter}: {} =",
        chart.x,
        line.said.get(at)?
    ))
}

/// Whether a block is the only one of its section that waits for a value, and the text has
/// the keys: what is typed goes to it.
pub fn waits_alone(reader: &Reader, shared: &Shared, live: &Live) -> bool {
    if reader.focus != Focus::Text {
        return false;
    }
    let found = lesson::lesson(reader, shared).zip(lesson::section(reader, shared));
    let Some((lesson, section)) = found else {
        return false;
    };
    let blocks = section.live().filter(|block| takes_keys(block));
    let mut waiting = blocks
        .map(|block| (block.number, wants(shared, lesson, block)))
        .filter(|(_, wants)| matches!(wants, Asks::Value | Asks::Begun));
    waiting.next() == Some((live.number, Asks::Value)) && waiting.next().is_none()
}

fn wants(shared: &Shared, lesson: &Lesson, live: &Live) -> Asks {
    if predict::open(&shared.study, lesson, live).is_some() {
        let begun = &shared.study.progress;
        return match begun.begun(&lesson.id, live.number as u64) {
            "" => Asks::Value,
            _ => Asks::Begun,
        };
    }
    match asked(shared, live) {
        Some(asked) => answering::asks(shared, &asked),
        None => Asks::Untyped,
    }
}

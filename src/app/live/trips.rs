//! A `trips` block: one walks from kernel to kernel, and its fusions are flipped.

use super::{pass, presented, put_on_bench, take, toggles};
use crate::intent::{Intent, Out};
use crate::keymap::Action;
use crate::lesson::Reader;
use crate::note::Tone;
use crate::page::Page;
use crate::shared::Shared;
use course::present::Piece;
use course::{Lesson, Live};

/// Kernels that a `trips` block walks through.
fn walked(reader: &Reader, shared: &Shared, lesson: &Lesson, live: &Live) -> usize {
    let found = presented(reader, shared, lesson, live).unwrap_or_default();
    let kernels = found.iter().find_map(|piece| match piece {
        Piece::Trips(trips) => Some(trips.kernels.len()),
        _ => None,
    });
    kernels.unwrap_or(0)
}

/// Whether a `trips` block shows its last kernel: Space goes on from there.
pub fn walked_through(reader: &Reader, shared: &Shared, lesson: &Lesson, live: &Live) -> bool {
    let reached = reader.block(&lesson.id, live.number).steps;
    reached >= walked(reader, shared, lesson, live)
}

/// Space goes from kernel to kernel, first of all to the first; Enter flips the fusion
/// under the cursor, or opens the lab where there is none.
pub(super) fn act(
    reader: &mut Reader,
    shared: &mut Shared,
    lesson: &Lesson,
    live: &Live,
    action: Action,
    out: &mut Out,
) {
    let kernels = walked(reader, shared, lesson, live);
    let offered = toggles(live);
    let last = offered.len().saturating_sub(1);
    let block = reader.block_mut(&lesson.id, live.number);
    block.steps = block.steps.min(kernels);
    match action {
        Action::Flip | Action::Right if block.steps < kernels => block.steps += 1,
        Action::Left if block.steps > 0 => block.steps -= 1,
        Action::Up if block.cursor > 0 => block.cursor -= 1,
        Action::Down if block.cursor < last => block.cursor += 1,
        Action::Open | Action::Undo | Action::NextVersion | Action::PreviousVersion => {
            change(reader, shared, lesson, live, action, out);
        }
        _ => return pass(reader, shared, action, out),
    }
    reader.reveal();
}

/// Changes the plan of the block, on the bench.
fn change(
    reader: &mut Reader,
    shared: &mut Shared,
    lesson: &Lesson,
    live: &Live,
    action: Action,
    out: &mut Out,
) {
    let block = reader.block(&lesson.id, live.number);
    if action == Action::Undo && block.plan.is_none() {
        shared.notes.say(Tone::Plain, "Nothing was flipped here.");
        return;
    }
    let fusion = toggles(live).get(block.cursor).copied();
    put_on_bench(reader, shared, lesson, live);
    match (action, fusion) {
        (Action::Open, Some(fusion)) => shared.flip(fusion),
        (Action::Open, None) => out.want(Intent::Open(Page::Lab)),
        (Action::Undo, _) => shared.undo(),
        _ => shared.next_version(action == Action::NextVersion),
    }
    take(reader, shared, lesson, live);
}

//! A `trips` block: one walks from kernel to kernel, and its fusions are flipped.

use super::{pass, presented, put_on_bench, toggles};
use crate::intent::{Intent, Out};
use crate::keymap::Action;
use crate::lesson::Reader;
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
        Action::Open => {
            let fusion = offered.get(block.cursor).copied();
            put_on_bench(reader, shared, lesson, live);
            match fusion {
                Some(fusion) => shared.flip(fusion),
                None => out.want(Intent::Open(Page::Lab)),
            }
        }
        Action::Undo => shared.undo(),
        Action::NextVersion | Action::PreviousVersion => {
            put_on_bench(reader, shared, lesson, live);
            shared.next_version(action == Action::NextVersion);
        }
        _ => return pass(reader, shared, action, out),
    }
    reader.reveal();
}

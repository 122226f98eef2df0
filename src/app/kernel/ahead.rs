//! Keys that come before the source that they are about.

use super::{KernelPage, View, before, book};
use crate::keymap::Action;
use crate::shared::Shared;

/// Whether an action is about the text that is shown.
pub(super) fn reads(action: Action) -> bool {
    use Action::{Down, End, Flip, Less, More, PageDown};
    use Action::{NextIdea, NextPart, PreviousIdea, PreviousPart, Ptx, Torch};
    matches!(
        action,
        NextIdea | PreviousIdea | NextPart | PreviousPart | Ptx | Torch
    ) || matches!(action, Down | End | Flip | Less | More | PageDown)
}

/// Whether what the page shows is still being looked up.
pub(super) fn is_awaited(page: &KernelPage, shared: &Shared) -> bool {
    let cut = shared.bench.cut();
    let older = before(cut).filter(|_| page.view == View::Diff);
    let awaited = |cut| book(page, shared, cut).is_none();
    awaited(cut) || older.is_some_and(awaited)
}

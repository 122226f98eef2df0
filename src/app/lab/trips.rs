//! What travels between memory and chip, in place of the ribbon: kernel by kernel, and
//! with a fusion flipped.

use super::Lab;
use crate::bench::Bench;
use crate::keymap::{Action, FooterItem};
use crate::ribbon;
use crate::shared::Shared;
use course::present::{Trips, Within};
use plan::fusion::Fusion;

/// Keys of the picture.
pub(super) const KEYS: &[FooterItem] = &[
    (&[Action::Flip], "next kernel"),
    (&[Action::Up, Action::Down], "fusion"),
    (&[Action::Open], "flip"),
    (&[Action::Wall], "wall"),
    (&[Action::NextVersion], "version"),
    (&[Action::Trips], "ribbon"),
    (&[Action::Help], "help"),
];

/// The journeys of a block of the plan.
pub fn trips(bench: &Bench) -> Trips {
    Trips::of(bench.cost(), bench.v1(), Within::default())
}

/// Answers a key of the picture; false: it means what it means in the lab.
pub(super) fn act(page: &mut Lab, shared: &mut Shared, action: Action) -> bool {
    let kernels = shared.bench.cost().block.kernels.len();
    let reached = page.trips.unwrap_or(0).min(kernels);
    let last = Fusion::ALL.len() - 1;
    match action {
        Action::Trips => page.trips = None,
        // Behind the last kernel all of them stand again.
        Action::Flip | Action::Right | Action::NextKernel => {
            walk(page, shared, (reached + 1) % (kernels + 1));
        }
        Action::Left | Action::PreviousKernel => {
            walk(page, shared, reached.checked_sub(1).unwrap_or(kernels));
        }
        Action::Top => walk(page, shared, 1),
        Action::End => walk(page, shared, kernels),
        Action::Up => page.toggle = page.toggle.saturating_sub(1),
        Action::Down => page.toggle = (page.toggle + 1).min(last),
        Action::Open => shared.flip(page.fusion()),
        Action::Wall => {
            let wall = ribbon::selected(&shared.bench, shared.slot);
            if let Some(wall) = wall.and_then(|group| ribbon::wall_after(group.last)) {
                shared.flip_wall(wall);
            }
        }
        _ => return false,
    }
    true
}

/// Goes to a kernel; the cursor of the ribbon goes with it.
fn walk(page: &mut Lab, shared: &mut Shared, reached: usize) {
    page.trips = Some(reached);
    let at = reached.checked_sub(1);
    let kernel = at.and_then(|at| shared.bench.cost().block.kernels.get(at));
    let op = kernel.and_then(|kernel| kernel.flop_terms.first());
    if let Some(slot) = op.and_then(|term| ribbon::slot_of(term.op)) {
        shared.select(slot);
    }
}

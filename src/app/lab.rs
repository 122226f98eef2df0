//! The lab: flip fusions and walls, see launches and bytes.

mod boxes;
mod counts;
mod sentence;
mod table;

use super::keymap::{Action, FooterItem};
use super::message::Effect;
use super::note::Tone;
use super::page::Mark;
use super::ribbon::{self, COUNT, SLOTS};
use super::state::State;
use plan::fusion::{Cut, Fusion, Version};
use plan::run::BackendKind;
use plan::units::{self, Quantity};

pub use boxes::{BoxCost, bound, kernel_of, kernels_of, selected};
pub use counts::{box_bytes, counted, counted_kernel, fitted};
pub use sentence::hint;
use sentence::{Change, changed};
pub use table::{Origin, Row, table};

/// A part of the page that takes the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The toggles.
    #[default]
    Fusions,
    /// This plan against V1.
    Table,
    /// The kernel ribbon.
    Ribbon,
}

/// The kind of number on the ribbon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of the model.
    #[default]
    Bytes,
    /// Bytes that a run counted.
    Issued,
    /// FLOP per byte of the model.
    Intensity,
    /// Floor under the present roof.
    Floor,
}

impl Kind {
    /// The next kind; counted bytes only where a run has counted them.
    fn next(self, counted: bool) -> Self {
        match self {
            Kind::Bytes if counted => Kind::Issued,
            Kind::Bytes | Kind::Issued => Kind::Intensity,
            Kind::Intensity => Kind::Floor,
            Kind::Floor => Kind::Bytes,
        }
    }
}

/// What the lab remembers.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// The part that takes the keys.
    pub part: Part,
    /// The slot under `▼`; the kernel that holds it is selected.
    pub slot: usize,
    /// The toggle under `►`.
    pub toggle: usize,
    /// The row of the table under the cursor.
    pub row: usize,
    /// The kind of number on the ribbon.
    pub kind: Kind,
    /// The line under the page where no message stands.
    pub hint: Hint,
}

/// A line about what the cursor is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// From the left edge.
    pub text: String,
    /// At the right edge, where there is room.
    pub aside: String,
}

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::NextVersion], "version"),
    (&[Action::Wall], "wall"),
    (&[Action::Bytes], "unit"),
    (&[Action::Setup], "setup"),
    (&[Action::Run], "run"),
    (&[Action::Go(super::Page::Compare)], "compare"),
    (&[Action::Why], "why"),
    (&[Action::Help], "help"),
];

/// The line under the page where no message stands.
pub fn line(state: &State) -> Hint {
    if state.lab.kind == Kind::Issued
        && let Some(text) = counts::said(state)
    {
        return Hint {
            text,
            aside: String::new(),
        };
    }
    // Where the cursor stands in the table: the fusions have hints of their own.
    if state.lab.part == Part::Table
        && let Some(text) = table::beaten(&state.bench, &state.machine, &state.runs)
    {
        return Hint {
            text,
            aside: String::new(),
        };
    }
    hint(&state.bench, &state.machine, state.lab.fusion()).unwrap_or_default()
}

/// Number of rows of the table.
pub const ROWS: usize = 8;

impl Lab {
    /// Cursor and scroll, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.slot,
            scroll: self.toggle,
        }
    }

    /// Puts cursor and scroll back.
    pub fn restore(&mut self, mark: Mark) {
        self.slot = mark.item.min(COUNT - 1);
        self.toggle = mark.scroll.min(Fusion::ALL.len() - 1);
    }

    /// The fusion under `►`.
    pub fn fusion(&self) -> Fusion {
        Fusion::ALL.get(self.toggle).copied().unwrap_or(Fusion::Qkv)
    }
}

/// Acts on the lab; the same keys serve the live block of a lesson.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::NextPart => state.lab.part = next_part(state.lab.part),
        Action::PreviousPart => state.lab.part = next_part(next_part(state.lab.part)),
        Action::Up | Action::Down | Action::Top | Action::End => walk(state, action),
        Action::Left => step(state, false),
        Action::Right => step(state, true),
        Action::Flip => flip(state, state.lab.fusion()),
        Action::Wall => wall(state),
        Action::NextVersion => version(state, true),
        Action::PreviousVersion => version(state, false),
        Action::Undo => undo(state),
        Action::Bytes => {
            let known = counted(&state.bench, &state.runs).is_some();
            state.lab.kind = state.lab.kind.next(known);
        }
        Action::Run => run(state, effects),
        Action::RunAll => run_all(state, effects),
        Action::Open if state.lab.part != Part::Table => state.go(super::Page::Kernel),
        Action::Why | Action::Open => why(state),
        _ => {}
    }
}

/// Flips a fusion of the plan and says what that changes.
pub fn flip(state: &mut State, fusion: Fusion) {
    let cut = state.bench.flipped(fusion);
    put(state, cut, Change::Flip);
}

fn next_part(part: Part) -> Part {
    match part {
        Part::Fusions => Part::Table,
        Part::Table => Part::Ribbon,
        Part::Ribbon => Part::Fusions,
    }
}

fn walk(state: &mut State, action: Action) {
    let lab = &mut state.lab;
    let moved = |at: usize, count: usize| match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(count - 1),
        Action::Top => 0,
        _ => count - 1,
    };
    match lab.part {
        Part::Fusions => lab.toggle = moved(lab.toggle, Fusion::ALL.len()),
        Part::Table => lab.row = moved(lab.row, ROWS),
        Part::Ribbon => match action {
            Action::Top => lab.slot = 0,
            Action::End => lab.slot = COUNT - 1,
            // The other row, to the slot that stands nearest.
            _ => {
                let from = SLOTS.get(lab.slot).copied().unwrap_or(SLOTS[0]);
                let row = u16::from(action == Action::Down);
                let nearest = (0..COUNT)
                    .filter(|i| SLOTS[*i].row == row)
                    .min_by_key(|i| SLOTS[*i].x.abs_diff(from.x));
                lab.slot = nearest.unwrap_or(lab.slot);
            }
        },
    }
}

/// To the next kernel of the ribbon, left or right. Where the ribbon takes
/// the keys it is the next slot: walls inside a kernel can be reached too.
fn step(state: &mut State, right: bool) {
    if state.lab.part == Part::Ribbon {
        let slot = state.lab.slot;
        state.lab.slot = if right {
            (slot + 1).min(COUNT - 1)
        } else {
            slot.saturating_sub(1)
        };
        return;
    }
    let Some(group) = selected(&state.bench, state.lab.slot) else {
        return;
    };
    let slot = if right {
        (group.last + 1).min(COUNT - 1)
    } else {
        let left = group.first.saturating_sub(1);
        selected(&state.bench, left).map_or(left, |g| g.first)
    };
    state.lab.slot = slot;
}

fn put(state: &mut State, cut: Cut, change: Change) {
    let before = state.bench.cost().clone();
    match state.bench.put(cut) {
        Ok(()) => {
            let text = changed(&before, state.bench.cost(), state.bench.v1(), change);
            state.notes.say(Tone::Plain, text);
        }
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// Flips the wall right of the kernel under the cursor.
fn wall(state: &mut State) {
    let Some(group) = selected(&state.bench, state.lab.slot) else {
        return;
    };
    // Where the ribbon takes the keys, the wall right of the slot is meant; it
    // may stand inside the kernel and go up again.
    let slot = match state.lab.part {
        Part::Ribbon => state.lab.slot,
        _ => group.last,
    };
    if let Some(wall) = ribbon::wall_after(slot) {
        let cut = state.bench.wall_flipped(wall);
        put(state, cut, Change::Wall);
    }
}

fn version(state: &mut State, forward: bool) {
    let versions = Version::WORKSHOP;
    let at = versions.iter().position(|v| v.cut() == state.bench.cut());
    let to = match (at, forward) {
        (Some(i), true) => (i + 1) % versions.len(),
        (Some(i), false) => (i + versions.len() - 1) % versions.len(),
        // From a plan of the learner's own, back to the first version.
        (None, true) => 0,
        (None, false) => versions.len() - 1,
    };
    if let Some(v) = versions.get(to) {
        put(state, v.cut(), Change::Version);
    }
}

fn undo(state: &mut State) {
    let before = state.bench.cost().clone();
    match state.bench.undo() {
        Ok(true) => {
            let text = changed(&before, state.bench.cost(), state.bench.v1(), Change::Flip);
            state.notes.say(Tone::Plain, text);
        }
        Ok(false) => state.notes.say(Tone::Plain, "Nothing to undo."),
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// Runs this plan, and V1 beside it where it was not run yet.
fn run(state: &mut State, effects: &mut Vec<Effect>) {
    let plan = state.bench.cut();
    let v1 = Version::V1.cut();
    let mut cuts = vec![plan];
    if plan != v1 && state.runs.of(state.bench.setup(), v1).is_none() {
        cuts.push(v1);
    }
    start(state, cuts, effects);
}

/// Runs this plan and V1 again.
fn run_all(state: &mut State, effects: &mut Vec<Effect>) {
    let mut cuts = vec![state.bench.cut(), Version::V1.cut()];
    cuts.dedup();
    start(state, cuts, effects);
}

/// Work of a forward, in FLOP, from which on the SIMT machine is not waited for.
const LONG_ON_SIMT: u64 = 10_000_000_000;

/// Asks for plans to be run, or says what the backend lacks.
pub fn start(state: &mut State, cuts: Vec<Cut>, effects: &mut Vec<Effect>) {
    if let Some(backend) = state.machine.backend() {
        let missing = cuts
            .iter()
            .flat_map(|c| c.largest_fusions())
            .find(|f| backend.lacks.contains(f));
        if let Some(fusion) = missing {
            let text = format!(
                "{} has no kernel for {}. The model prices it; cpu can run it (p, backend).",
                backend.name,
                fusion.name()
            );
            state.notes.say(Tone::Warn, text);
            return;
        }
    }
    let flops = state.bench.cost().forward.flops;
    if state.machine.kind() == BackendKind::Simt && flops > LONG_ON_SIMT {
        let text = format!(
            "{}, instruction by instruction: minutes. Ctrl-C stops; p: smaller.",
            units::format(&Quantity::flop(flops))
        );
        state.notes.say(Tone::Warn, text);
    }
    let setup = state.bench.setup().clone();
    let now = state.now;
    match state.runs.ask(&setup, cuts, now) {
        Some((ticket, request)) => effects.push(Effect::StartRun(ticket, Box::new(request))),
        None => state.notes.say(
            Tone::Plain,
            "A run is in progress; this one is next. Ctrl-C stops the run.",
        ),
    }
}

/// Opens the terms behind the number under the cursor.
fn why(state: &mut State) {
    let key = match state.lab.part {
        Part::Table => match table(&state.bench, &state.machine, &state.runs)
            .get(state.lab.row)
            .and_then(|row| row.key)
        {
            Some(key) => key.to_owned(),
            None => {
                let text = counts::said(state).unwrap_or_else(|| {
                    "No terms of the cost model stand behind this row: see the ceilings in Doctor."
                        .to_owned()
                });
                state.notes.say(Tone::Plain, text);
                return;
            }
        },
        _ => {
            let group = selected(&state.bench, state.lab.slot);
            let kernel = group.and_then(|g| kernel_of(state.bench.cost(), &g));
            let op = kernel.and_then(|k| k.flop_terms.first()).map(|t| t.op);
            let Some(op) = op else { return };
            let field = match state.lab.kind {
                Kind::Bytes | Kind::Issued | Kind::Floor => "bytes",
                Kind::Intensity => "intensity",
            };
            format!("kernel.{}.{field}", op.name())
        }
    };
    state.open_why(&key);
}

#[cfg(test)]
mod tests;

//! The roofline: every kernel of a block under the roof of a device.
//!
//! The plan, the setup and the kernel under the cursor are those of the lab;
//! what is the page's own is whose roof is drawn.

mod view;

use super::keymap::{Action, FooterItem};
use super::lab;
use super::machine::{Ceilings, Machine, Source};
use super::message::Effect;
use super::note::Tone;
use super::page::Page;
use super::ribbon::{SLOTS, slot_of};
use super::setup::Setup;
use super::state::State;
use super::update::measure;
use plan::cost::{Cost, GpuDatabase};
use plan::fusion::Version;
use plan::model::OpKind;
use plan::run::BackendKind;

pub use view::{Achieved, Roofs, Side, Spot, View};

/// The GPU whose data sheet stands in where no device has a roof.
const STAND_IN: &str = "h200";

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct Roofline {
    /// The kernel under the cursor, by an op that it holds.
    op: Option<OpKind>,
    /// Numbers in place of the plot, once the learner chose.
    table: Option<bool>,
    /// A data sheet's roof in place of the measured one.
    sheet: bool,
    /// The GPU whose roof is drawn beside, by its place in the database.
    what_if: Option<usize>,
    /// Prices of V1 to V4, made anew when the setup changes.
    versions: Option<(Setup, Vec<Cost>)>,
    view: View,
}

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "kernel"),
    (&[Action::NextVersion], "version"),
    (&[Action::WhatIf], "what-if"),
    (&[Action::DataSheet], "data sheet"),
    (&[Action::Run], "run"),
    (&[Action::Table], "table"),
    (&[Action::Why], "why"),
    (&[Action::Open], "source"),
    (&[Action::Help], "help"),
];

impl Roofline {
    /// What is drawn.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Whether numbers stand in place of the plot: where only ASCII is drawn
    /// they do, until the learner chooses.
    pub fn table(&self, ascii: bool) -> bool {
        self.table.unwrap_or(ascii)
    }

    /// Whose roof is drawn, and whether it is that of the device that runs.
    fn roof(&self, machine: &Machine, gpus: Option<&GpuDatabase>) -> Option<(Ceilings, bool)> {
        let present = machine.ceilings.as_ref();
        if !self.sheet
            && let Some(ceilings) = present
        {
            return Some((ceilings.clone(), machine.roof_is_own()));
        }
        let sheet = |id: &str| {
            let gpu = gpus?.all().iter().find(|gpu| gpu.id == id)?;
            Some(Ceilings::of_gpu(gpu))
        };
        let own = present
            .filter(|_| machine.roof_is_own())
            .and_then(|c| sheet(&c.of.to_lowercase()));
        match own {
            Some(ceilings) => Some((ceilings, true)),
            None => {
                let other = machine.sheet.clone().or_else(|| sheet(STAND_IN))?;
                Some((other, false))
            }
        }
    }
}

/// Brings what is drawn up to date with the plan, the machine and the runs.
pub(super) fn settle(state: &mut State) {
    let setup = state.bench.setup();
    if state.roofline.versions.as_ref().map(|(s, _)| s) != Some(setup) {
        let prices = Version::WORKSHOP
            .iter()
            .filter_map(|v| state.bench.price_of(v.cut()).ok())
            .collect();
        state.roofline.versions = Some((setup.clone(), prices));
    }
    // The lab's cursor leads, wherever it was moved.
    let slot = state.lab.slot;
    if state.roofline.op.and_then(slot_of) != Some(slot) {
        state.roofline.op = SLOTS.get(slot).map(|s| s.op);
    }
    let page = &state.roofline;
    let gpus = state.study.gpus.as_deref();
    let what_if = page
        .what_if
        .and_then(|at| gpus?.all().get(at))
        .map(Ceilings::of_gpu);
    let (roof, own) = page
        .roof(&state.machine, gpus)
        .map_or((None, false), |(roof, own)| (Some(roof), own));
    let roofs = Roofs { roof, own, what_if };
    let versions = page.versions.as_ref().map_or(&[][..], |(_, v)| v);
    state.roofline.view = View::of(roofs, &state.bench, versions, &state.runs, page.op);
}

/// Acts on the page.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let last = state.roofline.view.spots.len().saturating_sub(1);
    let here = state.roofline.view.here;
    match action {
        Action::Left | Action::Up => jump(state, here.saturating_sub(1)),
        Action::Right | Action::Down => jump(state, (here + 1).min(last)),
        Action::Top => jump(state, 0),
        Action::End => jump(state, last),
        Action::NextVersion | Action::PreviousVersion | Action::Run => {
            lab::act(state, action, effects);
        }
        Action::RunAll if state.machine.kind() == BackendKind::Simt => state.notes.say(
            Tone::Plain,
            "The SIMT machine counts and has no clock: no roof. p chooses another backend.",
        ),
        Action::RunAll => measure(
            state,
            "Measuring the roof of the device that runs.",
            effects,
        ),
        Action::WhatIf => what_if(state, true),
        Action::PreviousWhatIf => what_if(state, false),
        Action::DataSheet => sheet(state),
        Action::Table => {
            let shown = state.roofline.table(state.look.ascii);
            state.roofline.table = Some(!shown);
        }
        Action::Open => state.go(Page::Kernel),
        Action::Why => {
            if let Some(spot) = state.roofline.view.spots.get(here) {
                let key = format!("kernel.{}.intensity", spot.op.name());
                state.open_why(&key);
            }
        }
        _ => {}
    }
}

/// Puts the cursor on a kernel, by its place along the roof.
pub(super) fn jump(state: &mut State, at: usize) {
    let Some(spot) = state.roofline.view.spots.get(at) else {
        return;
    };
    state.roofline.op = Some(spot.op);
    if let Some(slot) = slot_of(spot.op) {
        state.lab.slot = slot;
    }
}

/// The kernels by name, in the order of the cursor.
pub(super) fn names(state: &State) -> Vec<String> {
    let kernels = &state.bench.cost().block.kernels;
    let spots = state.roofline.view.spots.iter();
    spots
        .map(|s| {
            kernels
                .get(s.kernel)
                .map_or(String::new(), |k| k.ops.join(" "))
        })
        .collect()
}

/// The next GPU of the database, or the one before; none behind the last.
fn what_if(state: &mut State, forward: bool) {
    let Some(gpus) = state.study.gpus.clone() else {
        let text = "The GPU database is still being read.";
        state.notes.say(Tone::Plain, text);
        return;
    };
    let count = gpus.all().len();
    let at = match (state.roofline.what_if, forward) {
        (None, true) => 0,
        (None, false) => count.saturating_sub(1),
        (Some(at), true) => at + 1,
        (Some(0), false) => count,
        (Some(at), false) => at - 1,
    };
    state.roofline.what_if = (at < count).then_some(at);
    settle(state);
    let text = match gpus.all().get(at) {
        Some(gpu) => state
            .roofline
            .view
            .told(&gpu.name, state.bench.setup().dtype),
        None => "No what-if GPU.".to_owned(),
    };
    state.notes.say(Tone::Plain, text);
}

/// A data sheet's roof in place of the measured one, and back.
fn sheet(state: &mut State) {
    let measured = |c: &Ceilings| c.source == Source::Measured;
    if !state.machine.ceilings.as_ref().is_some_and(measured) {
        let of = state
            .roofline
            .view
            .roofs
            .roof
            .as_ref()
            .map(|c| c.of.clone());
        let text = match of {
            Some(of) => format!("This roof is a data sheet's already, {of}'s. R measures one."),
            None => "There is no roof yet. R measures one.".to_owned(),
        };
        state.notes.say(Tone::Plain, text);
        return;
    }
    state.roofline.sheet ^= true;
    settle(state);
    let roofs = &state.roofline.view.roofs;
    let text = match (&roofs.roof, state.roofline.sheet) {
        (_, false) => "The roof as it was measured here.".to_owned(),
        (Some(c), true) if roofs.own => format!("The roof of the data sheet of {}.", c.of),
        (Some(c), true) => format!(
            "No data sheet of this device is known; this is {}'s. d goes back.",
            c.of
        ),
        (None, true) => "No data sheet is known yet.".to_owned(),
    };
    state.notes.say(Tone::Plain, text);
}

/// The option of `cost` that names the GPU of the page: the what-if GPU, else
/// that of a data sheet. Empty for the one that `cost` takes by itself.
pub(super) fn gpu_option(state: &State) -> String {
    let roofs = &state.roofline.view.roofs;
    let sheet = roofs
        .roof
        .as_ref()
        .filter(|c| c.source == Source::DataSheet);
    match roofs
        .what_if
        .as_ref()
        .or(sheet)
        .map(|c| c.of.to_lowercase())
    {
        Some(id) if id != STAND_IN => format!(" --gpu {id}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;

//! The roofline: every kernel of a block under the roof of a device.
//!
//! The plan, the setup and the kernel under the cursor are those of the lab;
//! what is the page's own is whose roof is drawn.

mod point;
mod view;

use super::field::Field;
use super::intent::{Intent, Out};
use super::key::Key;
use super::keymap::{Action, Footer, FooterItem};
use super::machine::{Ceilings, Machine, Source};
use super::mouse::Target;
use super::note::Tone;
use super::numbers::kernels;
use super::page::{Mark, Page};
use super::ribbon::{SLOTS, slot_of};
use super::screen::Screen;
use super::setup::Setup;
use super::shared::Shared;
use super::study::Study;
use course::present::Grid;
use plan::cost::{self, Cost};
use plan::fusion::Version;
use plan::model::OpKind;
use plan::run::BackendKind;

pub use view::{Achieved, Ran, Roofs, Side, Spot, View};

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
    /// What is typed of the learner's own point.
    pub field: Option<Field>,
    /// That point, FLOP/B.
    own: Option<f64>,
    view: View,
}

impl Roofline {
    /// A roof was measured, under which the page shows floors from now on.
    pub(super) fn under_own(&mut self) {
        self.sheet = false;
    }
}

/// Keys that the footer names.
const FOOTER: &[FooterItem] = &[
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

/// Keys while the learner's own point is typed.
const FIELD: &[FooterItem] = &[
    (&[Action::Open], "keep"),
    (&[Action::Back], "leave"),
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
    /// The roof that is drawn, and whether it is this machine's own; where no device has
    /// one, that of the course's device.
    fn roof(&self, machine: &Machine, study: &Study) -> Option<(Ceilings, bool)> {
        let gpus = study.gpus.as_deref();
        let present = machine.ceilings.as_ref();
        if !self.sheet
            && let Some(ceilings) = present
        {
            return Some((ceilings.clone(), machine.roof_is_own()));
        }
        let sheet = |named: &str| {
            let mut all = gpus?.all().iter();
            let gpu = all.find(|gpu| gpu.id == named || gpu.short == named)?;
            Some(Ceilings::of_gpu(gpu))
        };
        let own = present
            .filter(|_| machine.roof_is_own())
            .and_then(|c| sheet(&c.of));
        match own {
            Some(ceilings) => Some((ceilings, true)),
            None => {
                let other = machine
                    .sheet
                    .clone()
                    .or_else(|| sheet(study.course.gpu()))?;
                Some((other, false))
            }
        }
    }
}

/// Brings what is drawn up to date with the plan, the machine and the runs.
fn settle(page: &mut Roofline, shared: &Shared) {
    let setup = shared.bench.setup();
    if page.versions.as_ref().map(|(s, _)| s) != Some(setup) {
        let prices = Version::WORKSHOP
            .iter()
            .filter_map(|v| shared.bench.price_of(v.cut()).ok())
            .collect();
        page.versions = Some((setup.clone(), prices));
    }
    // The lab's cursor leads, wherever it was moved.
    let slot = shared.slot;
    if page.op.and_then(slot_of) != Some(slot) {
        page.op = SLOTS.get(slot).map(|s| s.op);
    }
    let gpus = shared.study.gpus.as_deref();
    let what_if = page
        .what_if
        .and_then(|at| gpus?.all().get(at))
        .map(Ceilings::of_gpu);
    let (roof, own) = page
        .roof(&shared.machine, &shared.study)
        .map_or((None, false), |(roof, own)| (Some(roof), own));
    let roofs = Roofs { roof, own, what_if };
    let versions = page.versions.as_ref().map_or(&[][..], |(_, v)| v);
    page.view = View::of(roofs, &shared.bench, versions, &shared.runs, page.op);
    page.view.own = page.own;
}

impl Screen for Roofline {
    fn footer(&self, _: &Shared) -> Footer {
        let keys = match self.field {
            Some(_) => FIELD,
            None => FOOTER,
        };
        keys.into()
    }

    fn typing(&self, _: &Shared) -> bool {
        self.field.is_some()
    }

    fn press(&mut self, shared: &mut Shared, key: Key, _: &mut Out) {
        point::press(self, shared, key);
    }

    fn paste(&mut self, _: &mut Shared, text: &str) {
        if let Some(field) = &mut self.field {
            field.paste(text);
        }
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        let last = self.view.spots.len().saturating_sub(1);
        let here = self.view.here;
        match action {
            Action::Left | Action::Up => jump(self, shared, here.saturating_sub(1)),
            Action::Right | Action::Down => jump(self, shared, (here + 1).min(last)),
            Action::Top => jump(self, shared, 0),
            Action::End => jump(self, shared, last),
            Action::NextVersion => shared.next_version(true),
            Action::PreviousVersion => shared.next_version(false),
            Action::Run => shared.run(out),
            Action::RunAll if shared.machine.kind() == BackendKind::Simt => {
                shared.notes.say(Tone::Plain, shared.machine.of_roofs());
            }
            Action::RunAll => shared.measure("Measuring the roof of the device that runs.", out),
            Action::Change => point::begin(self),
            Action::WhatIf => what_if(self, shared, true),
            Action::PreviousWhatIf => what_if(self, shared, false),
            Action::DataSheet => sheet(self, shared),
            Action::Table => {
                let shown = self.table(shared.look.ascii);
                self.table = Some(!shown);
            }
            Action::Open => out.want(Intent::Open(Page::Kernel)),
            Action::Why => {
                if let Some(spot) = self.view.spots.get(here) {
                    let key = format!("kernel.{}.intensity", spot.op.name());
                    let why = cost::why(shared.bench.cost(), &key);
                    shared.explain(why, out);
                }
            }
            _ => {}
        }
    }

    /// A letter of the plot or a row of the table takes the cursor; again, its source.
    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        let at = match target {
            Target::Row(at) | Target::Point(_, _, at) => at,
            _ => return,
        };
        match self.view.here == at && matches!(target, Target::Row(_)) {
            true => self.act(shared, Action::Open, out),
            false => jump(self, shared, at),
        }
    }

    fn command(&self, shared: &Shared) -> String {
        let of_course = shared.on_device();
        let command = shared.command("cost");
        let command = command.strip_suffix(&of_course).unwrap_or(&command);
        format!("{command}{}", gpu_option(self, shared))
    }

    fn command_aside(&self) -> &'static str {
        match self.what_if {
            Some(_) => " (the what-if GPU: its own --gpu)",
            None => "",
        }
    }

    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        vec![kernels(shared, self.view.roofs.roof.as_ref())]
    }

    fn mark(&self, shared: &Shared) -> Mark {
        Mark {
            item: shared.slot,
            scroll: 0,
        }
    }

    fn restore(&mut self, shared: &mut Shared, mark: Mark) {
        shared.select(mark.item);
    }

    fn settle(&mut self, shared: &mut Shared, _: &mut Out) {
        settle(self, shared);
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        names(self, shared)
    }

    fn searched(&self) -> &'static str {
        "among the points"
    }

    fn place(&self, _: &Shared) -> usize {
        self.view.here
    }

    fn jump(&mut self, shared: &mut Shared, at: usize) {
        jump(self, shared, at);
    }
}

/// Puts the cursor on a kernel, by its place along the roof.
fn jump(page: &mut Roofline, shared: &mut Shared, at: usize) {
    let Some(spot) = page.view.spots.get(at) else {
        return;
    };
    page.op = Some(spot.op);
    if let Some(slot) = slot_of(spot.op) {
        shared.slot = slot;
    }
}

/// The kernels by name, in the order of the cursor.
fn names(page: &Roofline, shared: &Shared) -> Vec<String> {
    let kernels = &shared.bench.cost().block.kernels;
    let spots = page.view.spots.iter();
    spots
        .map(|s| {
            kernels
                .get(s.kernel)
                .map_or(String::new(), |k| k.ops.join(" "))
        })
        .collect()
}

/// The GPU that a what-if begins with.
const FIRST: &str = "mi300x";

/// The next GPU of the database, or the one before; none behind the last.
fn what_if(page: &mut Roofline, shared: &mut Shared, forward: bool) {
    let Some(gpus) = shared.study.gpus.clone() else {
        let text = "The GPU database is still being read.";
        shared.notes.say(Tone::Plain, text);
        return;
    };
    let count = gpus.all().len();
    // The list is one of a vendor after the other, oldest first: the walk begins in it.
    let first = gpus.all().iter().position(|gpu| gpu.id == FIRST);
    let first = first.unwrap_or(0);
    let before = |at: usize| (at + count - 1) % count.max(1);
    page.what_if = match (page.what_if, forward) {
        _ if count == 0 => None,
        (None, true) => Some(first),
        (None, false) => Some(before(first)),
        (Some(at), true) => Some((at + 1) % count).filter(|next| *next != first),
        (Some(at), false) => Some(before(at)).filter(|_| at != first),
    };
    settle(page, shared);
    let text = match page.what_if.and_then(|at| gpus.all().get(at)) {
        Some(gpu) => page.view.told(&gpu.name, shared.bench.setup().dtype),
        None => "No what-if GPU.".to_owned(),
    };
    shared.notes.say(Tone::Plain, text);
}

/// A data sheet's roof in place of the measured one, and back.
fn sheet(page: &mut Roofline, shared: &mut Shared) {
    let measured = |c: &Ceilings| c.source == Source::Measured;
    if !shared.machine.ceilings.as_ref().is_some_and(measured) {
        let of = page.view.roofs.roof.as_ref().map(|c| c.of.clone());
        let text = match of {
            Some(of) => format!("This roof is already the data sheet of {of}."),
            None => "There is no roof yet.".to_owned(),
        };
        let text = format!("{text} {}", shared.machine.of_roofs());
        shared.notes.say(Tone::Plain, text);
        return;
    }
    page.sheet ^= true;
    settle(page, shared);
    let roofs = &page.view.roofs;
    let text = match (&roofs.roof, page.sheet) {
        (_, false) => "The roof as it was measured here.".to_owned(),
        (Some(c), true) if roofs.own => format!("The roof of the data sheet of {}.", c.of),
        (Some(c), true) => format!(
            "No data sheet of this device is known; this is {}'s. d goes back.",
            c.of
        ),
        (None, true) => "No data sheet is known yet.".to_owned(),
    };
    shared.notes.say(Tone::Plain, text);
}

/// The option of `cost` that names the GPU whose roof the page judges by, where it is of a
/// data sheet: the what-if GPU is drawn beside it. Empty for the one that `cost` takes by
/// itself.
fn gpu_option(page: &Roofline, shared: &Shared) -> String {
    let roofs = &page.view.roofs;
    let sheet = roofs
        .roof
        .as_ref()
        .filter(|c| c.source == Source::DataSheet);
    let meant = sheet;
    let gpus = shared.study.gpus.iter().flat_map(|gpus| gpus.all());
    let named = meant.and_then(|c| gpus.into_iter().find(|gpu| gpu.short == c.of));
    match named.map(|gpu| &gpu.id) {
        Some(id) if id != shared.study.course.gpu() => format!(" --gpu {id}"),
        _ => shared.on_device(),
    }
}

#[cfg(test)]
mod tests;

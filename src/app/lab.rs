//! The lab: flip fusions and walls, see launches and bytes.

mod counts;
mod hint;
mod table;
mod trips;
mod why;

use super::change::NAME;
use super::intent::{Intent, Out};
use super::keymap::{Action, Footer, FooterItem};
use super::merit::{self, Pane, TERMS};
use super::mouse::Target;
use super::note::Tone;
use super::numbers::kernels;
use super::page::{Mark, Page};
use super::ribbon::{self, COUNT, SLOTS, selected};
use super::screen::Screen;
use super::shared::Shared;
use course::present::Grid;
use plan::cost::Cost;
use plan::fusion::Fusion;

pub use counts::{box_bytes, counted, counted_kernel};
pub use hint::hint;
pub use table::{Row, Terms, table};
pub use trips::trips;

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
    /// The toggle under `►`.
    pub toggle: usize,
    /// The row of the table under the cursor.
    pub row: usize,
    /// The kind of number on the ribbon.
    pub kind: Kind,
    /// The journeys of tensors are shown in place of the ribbon, up to so many kernels;
    /// of none: all.
    pub trips: Option<usize>,
    /// Figures of merit stand in place of all of it.
    pub pane: Pane,
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

/// Keys where the fusions have them.
const FUSIONS: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::NextVersion], "version"),
    (&[Action::Setup], "setup"),
    (&[Action::Run], "run"),
    (&[Action::Trips], "trips"),
    (&[Action::Figures], "figures"),
    (&[Action::NextPart], "table"),
    (&[Action::PreviousKernel, Action::NextKernel], "kernel"),
    (&[Action::Help], "help"),
];

/// Keys where the table has them.
const TABLE: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "row"),
    (&[Action::Why], "why"),
    (&[Action::NextVersion], "version"),
    (&[Action::Run], "run"),
    (&[Action::Go(Page::Compare)], "compare"),
    (&[Action::NextPart], "ribbon"),
    (&[Action::Help], "help"),
];

/// Keys where the ribbon has them.
const RIBBON: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "op"),
    (&[Action::Wall], "wall"),
    (&[Action::Open], "source"),
    (&[Action::Bytes], "unit"),
    (&[Action::Why], "why"),
    (&[Action::Run], "run"),
    (&[Action::NextPart], "fusions"),
    (&[Action::Help], "help"),
];

/// Keys where the figures of merit stand.
const FIGURES: &[FooterItem] = &[
    (&[Action::NextVersion], "version"),
    (&[Action::Run], "run"),
    (&[Action::RunAll], "beside V1"),
    (&[Action::Figures], "figures, hotspots, lab"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

/// What acts while they stand there; the rest acts on what is not seen.
const FIGURED: &[Action] = &[
    Action::Figures,
    Action::Why,
    Action::Trips,
    Action::NextVersion,
    Action::PreviousVersion,
    Action::Undo,
    Action::Run,
    Action::RunAll,
];

/// Toggles in the first of the two columns that list them.
pub const COLUMN: usize = Fusion::ALL.len() / 2;

/// The line under the page where no message stands.
fn line(page: &Lab, shared: &Shared) -> Hint {
    if page.pane != Pane::Off {
        let next = match page.pane {
            Pane::Figures => "hotspots",
            _ => "the lab",
        };
        return Hint {
            text: format!("r runs the plan beside V1 where that is another; f: {next}."),
            aside: String::new(),
        };
    }
    if page.kind == Kind::Issued
        && let Some(text) = counts::said(shared)
    {
        return Hint {
            text,
            aside: String::new(),
        };
    }
    // Where the cursor stands in the table: the fusions have hints of their own.
    if page.part == Part::Table
        && let Some(text) = table::said(page.row, &shared.bench, &shared.machine, &shared.runs)
    {
        return Hint {
            text,
            aside: String::new(),
        };
    }
    let mut hint = hint(&shared.bench, &shared.machine, page.fusion()).unwrap_or_default();
    if table::paired(&shared.bench, &shared.runs).is_some() {
        hint.aside = "saved @: by rounds".to_owned();
    }
    hint
}

/// Number of rows of the table.
pub const ROWS: usize = 8;

impl Lab {
    /// The fusion under `►`.
    pub fn fusion(&self) -> Fusion {
        Fusion::ALL.get(self.toggle).copied().unwrap_or(Fusion::Qkv)
    }
}

impl Screen for Lab {
    fn footer(&self, _: &Shared) -> Footer {
        let keys = match self.part {
            _ if self.pane != Pane::Off => FIGURES,
            _ if self.trips.is_some() => trips::KEYS,
            Part::Fusions => FUSIONS,
            Part::Table => TABLE,
            Part::Ribbon => RIBBON,
        };
        keys.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        if self.trips.is_some() && trips::act(self, shared, action) {
            return;
        }
        if self.pane != Pane::Off && !FIGURED.contains(&action) {
            let text = "This acts on the lab: f goes on to it.";
            shared.notes.say(Tone::Plain, text);
            return;
        }
        match action {
            Action::Figures => (self.pane, self.trips) = (self.pane.next(), None),
            Action::Why if self.pane != Pane::Off => shared.notes.say(Tone::Plain, TERMS),
            Action::Trips => (self.pane, self.trips) = (Pane::Off, Some(0)),
            Action::NextPart => self.part = next_part(self.part),
            Action::PreviousPart => self.part = next_part(next_part(self.part)),
            Action::Up | Action::Down | Action::Top | Action::End => walk(self, shared, action),
            Action::Left | Action::Right if self.part == Part::Fusions => {
                self.toggle = across(self.toggle, action == Action::Right);
            }
            Action::Left | Action::PreviousKernel => step(self, shared, false),
            Action::Right | Action::NextKernel => step(self, shared, true),
            Action::Flip => shared.flip(self.fusion()),
            Action::Wall => wall(self, shared),
            Action::NextVersion => shared.next_version(true),
            Action::PreviousVersion => shared.next_version(false),
            Action::Undo => shared.undo(),
            Action::Bytes => {
                let known = counted(&shared.bench, &shared.runs).is_some();
                self.kind = self.kind.next(known);
            }
            Action::Run => shared.run(out),
            Action::RunAll => shared.run_all(out),
            Action::Open if self.part != Part::Table => out.want(Intent::Open(Page::Kernel)),
            Action::Why | Action::Open => why::open(self, shared, out),
            _ => {}
        }
    }

    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        match self.trips {
            _ if self.pane != Pane::Off => {
                let compared = compared(shared);
                let titles: Vec<String> = compared.iter().map(|c| c.config.cut.title()).collect();
                let merits: Vec<_> = compared.iter().map(|c| merit::of(shared, c)).collect();
                merit::numbers(&titles, &merits, 0)
            }
            Some(_) => vec![trips(&shared.bench).numbers()],
            None => vec![kernels(shared, shared.machine.ceilings.as_ref())],
        }
    }

    fn mark(&self, shared: &Shared) -> Mark {
        Mark {
            item: shared.slot,
            scroll: self.toggle,
        }
    }

    fn restore(&mut self, shared: &mut Shared, mark: Mark) {
        shared.select(mark.item);
        self.toggle = mark.scroll.min(Fusion::ALL.len() - 1);
    }

    fn command(&self, shared: &Shared) -> String {
        match self.pane {
            Pane::Off => shared.command("run"),
            _ => {
                let plans: Vec<String> = compared(shared)
                    .iter()
                    .map(|c| format!("'{}'", c.config.cut.groups()))
                    .collect();
                let options = shared.bench.setup().as_options() + &shared.on_device();
                let on = shared.on_backend();
                format!("{NAME} compare {}{options} --run{on}", plans.join(" "))
            }
        }
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        if std::mem::take(&mut self.pane) != Pane::Off {
            return true;
        }
        self.trips.take().is_some()
    }

    fn settle(&mut self, shared: &mut Shared, _: &mut Out) {
        self.hint = line(self, shared);
    }

    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        match target {
            Target::Toggle(at) => {
                (self.part, self.toggle) = (Part::Fusions, at);
                let flips = match self.trips {
                    Some(_) => Action::Open,
                    None => Action::Flip,
                };
                self.act(shared, flips, out);
            }
            Target::Slot(at) => {
                self.part = Part::Ribbon;
                shared.select(at);
            }
            Target::Figure(at) => (self.part, self.row) = (Part::Table, at),
            _ => {}
        }
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        let fusions = Fusion::ALL.iter().map(|f| f.name().to_owned());
        let slots = SLOTS.iter().map(|s| s.label.trim().to_owned());
        fusions.chain(slots).collect()
    }

    fn searched(&self) -> &'static str {
        "among the fusions and kernels"
    }

    fn words(&self, shared: &Shared) -> (String, String) {
        let rows = table(&shared.bench, &shared.machine, &shared.runs);
        let under = match self.part {
            Part::Table => rows.get(self.row).map(|row| row.label.clone()),
            Part::Fusions => Some(self.fusion().summary().to_owned()),
            Part::Ribbon => SLOTS.get(shared.slot).map(|s| s.label.trim().to_owned()),
        };
        let rows = rows.into_iter().map(|row| row.label);
        let rows: Vec<String> = rows.chain([shared.bench.cut().full_title()]).collect();
        (under.unwrap_or_default(), rows.join("\n"))
    }

    fn place(&self, _: &Shared) -> usize {
        self.toggle
    }

    fn jump(&mut self, shared: &mut Shared, at: usize) {
        match at.checked_sub(Fusion::ALL.len()) {
            None => self.toggle = at,
            Some(slot) => shared.select(slot),
        }
    }
}

/// The plans whose figures of merit stand side by side: the one on the bench, and V1.
pub fn compared(shared: &Shared) -> Vec<&Cost> {
    let (cost, v1) = (shared.bench.cost(), shared.bench.v1());
    let own = cost.config.cut != v1.config.cut;
    std::iter::once(cost).chain(own.then_some(v1)).collect()
}

/// The toggle beside one, in the other of the two columns.
fn across(toggle: usize, right: bool) -> usize {
    let other = match right {
        true => toggle + COLUMN,
        false => toggle.saturating_sub(COLUMN),
    };
    match (right, toggle < COLUMN) {
        (true, true) | (false, false) => other.min(Fusion::ALL.len() - 1),
        _ => toggle,
    }
}

fn next_part(part: Part) -> Part {
    match part {
        Part::Fusions => Part::Table,
        Part::Table => Part::Ribbon,
        Part::Ribbon => Part::Fusions,
    }
}

fn walk(page: &mut Lab, shared: &mut Shared, action: Action) {
    let (lab, slot) = (page, &mut shared.slot);
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
            Action::Top => *slot = 0,
            Action::End => *slot = COUNT - 1,
            // The other row, to the slot that stands nearest.
            _ => {
                let from = SLOTS.get(*slot).copied().unwrap_or(SLOTS[0]);
                let row = u16::from(action == Action::Down);
                let nearest = (0..COUNT)
                    .filter(|i| SLOTS[*i].row == row)
                    .min_by_key(|i| SLOTS[*i].x.abs_diff(from.x));
                *slot = nearest.unwrap_or(*slot);
            }
        },
    }
}

/// To the next kernel of the ribbon, left or right. Where the ribbon takes
/// the keys it is the next slot: walls inside a kernel can be reached too.
fn step(page: &Lab, shared: &mut Shared, right: bool) {
    if page.part == Part::Ribbon {
        let slot = shared.slot;
        shared.slot = if right {
            (slot + 1).min(COUNT - 1)
        } else {
            slot.saturating_sub(1)
        };
        return;
    }
    let Some(group) = selected(&shared.bench, shared.slot) else {
        return;
    };
    let slot = if right {
        (group.last + 1).min(COUNT - 1)
    } else {
        let left = group.first.saturating_sub(1);
        selected(&shared.bench, left).map_or(left, |g| g.first)
    };
    shared.slot = slot;
}

/// Flips the wall right of the kernel under the cursor.
fn wall(page: &Lab, shared: &mut Shared) {
    let Some(group) = selected(&shared.bench, shared.slot) else {
        return;
    };
    // Where the ribbon takes the keys, the wall right of the slot is meant; it
    // may stand inside the kernel and go up again.
    let slot = match page.part {
        Part::Ribbon => shared.slot,
        _ => group.last,
    };
    if let Some(wall) = ribbon::wall_after(slot) {
        shared.flip_wall(wall);
    }
}

#[cfg(test)]
mod tests;

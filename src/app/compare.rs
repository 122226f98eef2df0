//! Versions and pinned plans side by side, and the staircase from one to the other.

mod rows;
mod said;
mod staircase;

pub use rows::{Row, rows};
pub use said::{CACHED, hint};
pub use staircase::Stairs;

use super::bench::Bench;
use super::change::NAME;
use super::intent::{Intent, Out};
use super::keymap::{Action, Footer, FooterItem};
use super::merit::{self, Pane};
use super::mouse::Target;
use super::note::Tone;
use super::page::Page;
use super::screen::Screen;
use super::setup::Setup;
use super::shared::Shared;
use course::present::Grid;
use plan::cost::Cost;
use plan::fusion::{Cut, Fusion, Version};
pub use study::lab::Scope;
use study::lab::merit::Merit;

/// What the compare page remembers.
#[derive(Clone, Debug, Default)]
pub struct Compare {
    /// Per block or per forward.
    pub scope: Scope,
    /// The column under the cursor.
    pub column: usize,
    /// The row under the cursor, among those that have a number.
    pub row: usize,
    /// A plan that stands in the first column in place of V1.
    pub pinned: Option<Cut>,
    /// Figures of merit stand in place of the costs.
    pub pane: Pane,
    /// The staircase stands in place of the versions.
    pub climbing: bool,
    /// A lesson opened it: Esc leads back there at once.
    sent: bool,
    /// The steps, in the order in which they were left.
    pub stairs: Stairs,
    /// Prices of the columns, made anew when setup or columns change.
    prices: Vec<Cost>,
    priced_for: Option<(Setup, Vec<Cut>)>,
}

/// Keys that the footer names.
const FOOTER: &[FooterItem] = &[
    (&[Action::Run], "run"),
    (&[Action::RunAll], "all"),
    (&[Action::Figures], "figures"),
    (&[Action::Scope], "block/forward"),
    (&[Action::Pin], "pin"),
    (&[Action::Table], "staircase"),
    (&[Action::Why], "why"),
    (&[Action::Open], "lab"),
    (&[Action::Help], "help"),
];

/// Keys where the figures of merit stand.
const FIGURES: &[FooterItem] = &[
    (&[Action::Left, Action::Right], "plan"),
    (&[Action::Run], "run"),
    (&[Action::RunAll], "all"),
    (&[Action::Figures], "figures, hotspots, costs"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl Compare {
    /// The figures of merit of the columns; none where nothing was run.
    pub fn merits(&self, shared: &Shared) -> Vec<Option<Merit>> {
        let costs = self.prices.iter();
        costs.map(|cost| merit::of(shared, cost)).collect()
    }

    /// The staircase with its steps in this order, of one block as lessons show it.
    pub(super) fn climb(&mut self, order: Vec<Fusion>) {
        self.stairs.take(order);
        (self.climbing, self.sent, self.scope) = (true, true, Scope::Block);
    }

    /// The plans of the columns.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = Version::WORKSHOP.iter().map(|v| v.cut()).collect();
        if let (Some(pinned), Some(first)) = (self.pinned, cuts.first_mut()) {
            *first = pinned;
        }
        cuts
    }

    /// The prices of the columns.
    pub fn prices(&self) -> &[Cost] {
        &self.prices
    }

    /// Prices the columns anew where setup or columns changed.
    pub fn refresh(&mut self, bench: &Bench) {
        let wanted = (bench.setup().clone(), self.cuts());
        if self.priced_for.as_ref() == Some(&wanted) {
            return;
        }
        self.prices = wanted
            .1
            .iter()
            .filter_map(|cut| bench.price_of(*cut).ok())
            .collect();
        self.priced_for = Some(wanted);
    }
}

impl Screen for Compare {
    fn footer(&self, _: &Shared) -> Footer {
        let keys = match self.climbing {
            true => staircase::FOOTER,
            false if self.pane != Pane::Off => FIGURES,
            false => FOOTER,
        };
        keys.into()
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        if std::mem::take(&mut self.pane) != Pane::Off {
            return true;
        }
        let sent = std::mem::take(&mut self.sent);
        std::mem::take(&mut self.climbing) && !sent
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        if action == Action::Table {
            (self.climbing, self.sent) = (!self.climbing, false);
            self.pane = Pane::Off;
            return;
        }
        if self.climbing && self.stairs.act(self.scope, shared, action, out) {
            return;
        }
        let columns = Version::WORKSHOP.len();
        match action {
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column = (self.column + 1).min(columns - 1),
            Action::Up => self.row = self.row.saturating_sub(1),
            Action::Down => self.row = (self.row + 1).min(ROWS - 1),
            Action::Top => self.row = 0,
            Action::End => self.row = ROWS - 1,
            Action::Figures if self.climbing => {
                (self.climbing, self.sent, self.pane) = (false, false, Pane::Figures);
            }
            Action::Figures => self.pane = self.pane.next(),
            Action::Scope if self.pane != Pane::Off && !self.climbing => {
                let text = "Figures and hotspots are per forward. Esc leads back to the table.";
                shared.notes.say(Tone::Plain, text);
            }
            Action::Scope => {
                self.scope = match self.scope {
                    Scope::Forward => Scope::Block,
                    Scope::Block => Scope::Forward,
                }
            }
            Action::Pin => pin(self, shared),
            Action::Open => {
                if let Some(cut) = self.cuts().get(self.column).copied() {
                    shared.hold(cut);
                    out.want(Intent::Open(Page::Lab));
                }
            }
            Action::Run => {
                let cut = self.cuts().get(self.column).copied();
                shared.start(cut.into_iter().collect(), out);
            }
            Action::RunAll => {
                let cuts = self.cuts();
                shared.start(cuts, out);
            }
            Action::Why => said::why(self, shared, out),
            Action::Bytes => shared.notes.say(
                Tone::Plain,
                "Bytes: = modelled, # counted on simt or a GPU, @ by the device's own counters.",
            ),
            _ => {}
        }
    }

    fn words(&self, shared: &Shared) -> (String, String) {
        let rows = rows(self, &shared.bench, &shared.machine, &shared.runs);
        let labels: Vec<String> = rows.into_iter().map(|row| row.label).collect();
        let under = labels.get(self.row).filter(|_| !self.climbing).cloned();
        (under.unwrap_or_default(), labels.join("\n"))
    }

    /// A row takes the cursor, a cell its column too, and so does a head; again, Enter.
    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        let (cursor, at) = match target {
            Target::Row(at) if self.climbing => (&mut self.stairs.row, at),
            Target::Row(at) => return self.row = at,
            Target::Cell(at) => {
                (self.row, self.column) = (at / COLUMNS, at % COLUMNS);
                return;
            }
            Target::Column(at) => (&mut self.column, at),
            _ => return,
        };
        if std::mem::replace(cursor, at) == at {
            self.act(shared, Action::Open, out);
        }
    }

    fn command(&self, shared: &Shared) -> String {
        if self.climbing {
            let stairs = self.stairs.command(self.scope, shared);
            return format!("{NAME} {stairs}{}", shared.on_device());
        }
        let run = match self.pane {
            Pane::Off => String::new(),
            _ => format!(" --run{}", shared.on_backend()),
        };
        let options = shared.bench.setup().as_options() + &shared.on_device() + &run;
        match self.pinned {
            Some(cut) => format!("{NAME} compare '{}' v2 v3 v4{options}", cut.groups()),
            None => format!("{NAME} compare v1 v2 v3 v4{options}"),
        }
    }

    fn command_aside(&self) -> &'static str {
        match self.scope {
            Scope::Block if !self.climbing => " (prints per forward)",
            Scope::Block | Scope::Forward => "",
        }
    }

    fn numbers(&self, shared: &Shared) -> Vec<Grid> {
        match self.climbing {
            true => self.stairs.numbers(),
            false if self.pane != Pane::Off => {
                let titles: Vec<String> = self.cuts().iter().map(|cut| cut.title()).collect();
                merit::numbers(&titles, &self.merits(shared), self.column)
            }
            false => vec![compared(self, shared)],
        }
    }

    fn settle(&mut self, shared: &mut Shared, _: &mut Out) {
        self.refresh(&shared.bench);
        if self.climbing {
            self.stairs.refresh(self.scope, shared);
        }
    }
}

/// The columns of the compare page as they stand there.
fn compared(page: &Compare, shared: &Shared) -> Grid {
    let scope = page.scope.heading();
    let titles = page.cuts().into_iter().map(|cut| cut.title());
    let rows = rows(page, &shared.bench, &shared.machine, &shared.runs);
    Grid {
        head: std::iter::once(scope.to_owned()).chain(titles).collect(),
        rows: rows
            .into_iter()
            .map(|row| {
                let label = row.label.trim().to_owned();
                std::iter::once(label).chain(row.cells).collect()
            })
            .collect(),
        ..Grid::default()
    }
}

/// Number of rows that hold numbers.
pub const ROWS: usize = 14;
/// Plans of the page.
const COLUMNS: usize = Version::WORKSHOP.len();

/// Pins the plan of the lab in the first column, or takes it away.
fn pin(page: &mut Compare, shared: &mut Shared) {
    let plan = shared.bench.cut();
    if page.pinned.take().is_some() {
        shared
            .notes
            .say(Tone::Plain, "The first column is V1 again.");
    } else if Version::WORKSHOP.iter().any(|v| v.cut() == plan) {
        shared.notes.say(
            Tone::Plain,
            format!(
                "The lab's plan is {}, which has a column. Flip a fusion there, then P.",
                plan.title()
            ),
        );
    } else {
        page.pinned = Some(plan);
        page.column = 0;
        shared.notes.say(
            Tone::Plain,
            format!("{} is shown in place of V1. P removes it.", plan.title()),
        );
    }
}

#[cfg(test)]
mod tests;

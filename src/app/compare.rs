//! Versions and pinned plans side by side, and the staircase from one to the other.

mod staircase;

pub use staircase::Stairs;

use super::bench::Bench;
use super::change::NAME;
use super::intent::{Intent, Out};
use super::keymap::{Action, Footer, FooterItem};
use super::machine::{Machine, Source};
use super::note::Tone;
use super::page::Page;
use super::runs::Runs;
use super::screen::Screen;
use super::setup::Setup;
use super::shared::Shared;
use course::present::Grid;
use plan::cost::Cost;
use plan::fusion::{Cut, Fusion, Version};
use plan::run::{BytesReport, Report, Timing};
use plan::units::figure::{self, Clock, Origin};
use study::lab::counted::{of_block, surplus};
use study::timing;

/// What is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole forward.
    #[default]
    Forward,
    /// One block.
    Block,
}

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
    (&[Action::Scope], "block/forward"),
    (&[Action::Pin], "pin plan"),
    (&[Action::Table], "staircase"),
    (&[Action::Why], "why"),
    (&[Action::Open], "lab"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

impl Compare {
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
            false => FOOTER,
        };
        keys.into()
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        let sent = std::mem::take(&mut self.sent);
        std::mem::take(&mut self.climbing) && !sent
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        if action == Action::Table {
            (self.climbing, self.sent) = (!self.climbing, false);
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
            Action::Why => why(self, shared, out),
            Action::Bytes => shared.notes.say(
                Tone::Plain,
                "Bytes: = modelled, # counted on simt or a GPU, @ by the device's own counters.",
            ),
            _ => {}
        }
    }

    fn command(&self, shared: &Shared) -> String {
        if self.climbing {
            let stairs = self.stairs.command(self.scope, shared);
            return format!("{NAME} {stairs}{}", shared.on_device());
        }
        let options = shared.bench.setup().as_options() + &shared.on_device();
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
    let scope = match page.scope {
        Scope::Forward => "per forward",
        Scope::Block => "per block",
    };
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

/// Opens the terms behind the number under the cursor.
fn why(page: &Compare, shared: &mut Shared, out: &mut Out) {
    let scope = match page.scope {
        Scope::Forward => "forward",
        Scope::Block => "block",
    };
    let field = match page.row {
        0 => "launches",
        1 | 3 => "bytes",
        2 => "weight_bytes",
        8 => "intensity",
        9 => "",
        row @ 4..=7 => {
            let text = match row {
                7 => {
                    "A GPU's profiler measures these: run --counters in a shell, where the driver permits it."
                }
                _ => {
                    "Counted on simt or a GPU, what reaches DRAM estimated with an A100's L2 cache. To count: : backend simt, then r."
                }
            };
            shared.notes.say(Tone::Plain, text);
            return;
        }
        _ => {
            let text = shared.machine.no_terms();
            shared.notes.say(Tone::Plain, text);
            return;
        }
    };
    let key = if field.is_empty() {
        "peak".to_owned()
    } else {
        format!("{scope}.{field}")
    };
    let Some(cost) = page.prices.get(page.column) else {
        return;
    };
    let why = plan::cost::why(cost, &key);
    shared.explain(why, out);
}

/// A row of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is, its unit and its source.
    pub label: String,
    /// A cell per column.
    pub cells: Vec<String>,
    /// Values for bars below the row, where it has bars.
    pub bars: Option<Vec<f64>>,
    /// An empty row stands before it.
    pub gap: bool,
    /// Where the numbers come from.
    pub origin: Origin,
}

/// The rows of the page.
pub fn rows(compare: &Compare, bench: &Bench, machine: &Machine, runs: &Runs) -> Vec<Row> {
    let prices = compare.prices();
    let scope = compare.scope;
    let part = |c: &Cost| match scope {
        Scope::Forward => c.forward.clone(),
        Scope::Block => c.block.clone(),
    };
    let parts: Vec<_> = prices.iter().map(part).collect();
    let dtype = bench.setup().dtype;
    let largest = parts.iter().map(|p| p.bytes()).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    let unit = column.unit().symbol();
    let size = |bytes: u64| figure::bytes(column, bytes);
    let row = |label: &str, cells: Vec<String>| Row {
        label: label.to_owned(),
        cells,
        ..Row::default()
    };
    let each = |f: &dyn Fn(&plan::cost::Priced) -> String| parts.iter().map(f).collect();
    let bars = |f: &dyn Fn(&plan::cost::Priced) -> f64| Some(parts.iter().map(f).collect());
    let none = || vec!["–".to_owned(); parts.len()];
    let mut rows = vec![
        Row {
            bars: bars(&|p| p.launches() as f64),
            ..row("launches", each(&|p| p.launches().to_string()))
        },
        Row {
            bars: bars(&|p| p.bytes() as f64),
            ..row(&format!("bytes {unit} ="), each(&|p| size(p.bytes())))
        },
        row("  weights =", each(&|p| size(p.weight_bytes))),
        row(
            "  activations =",
            each(&|p| size(p.read_bytes + p.written_bytes)),
        ),
    ];
    let counted = |label: &str, origin: Origin, of: fn(&BytesReport) -> Option<u64>| Row {
        origin,
        ..row(
            &format!("{label} {}", origin.sign()),
            reported(compare, bench, runs, of, &size),
        )
    };
    rows.extend([
        counted("issued", Origin::Issued, |b| b.issued),
        counted("compulsory", Origin::Issued, |b| b.compulsory),
        // With that device's L2, whatever the floors below are of.
        counted("DRAM, est., A100", Origin::Modelled, |b| b.estimated_dram),
        counted("DRAM", Origin::Measured, |b| b.measured_dram),
        row("FLOP/B =", each(&|p| format!("{:.3}", p.intensity()))),
        peaks(prices),
    ]);
    let ceilings = machine.ceilings.as_ref();
    let floors: Option<Vec<f64>> =
        ceilings.and_then(|c| parts.iter().map(|p| c.floor(p, dtype)).collect());
    let slowest = floors.iter().flatten().copied().fold(0.0, f64::max);
    let clock = Clock::of(slowest);
    rows.push(Row {
        gap: true,
        cells: floors
            .as_ref()
            .map_or_else(none, |f| f.iter().map(|s| clock.number(*s)).collect()),
        bars: floors.clone(),
        ..row(&format!("floor {} =", clock.unit), Vec::new())
    });
    let launch = ceilings.and_then(|c| c.launch);
    let label = match launch {
        Some(l) if l.source == Source::Recorded => {
            format!("launch × {:.2} rec. =", l.seconds * 1e6)
        }
        Some(l) => format!("launches × {:.2} =", l.seconds * 1e6),
        None => "launches × cost =".to_owned(),
    };
    let cost_of = |p: &plan::cost::Priced| launch.map_or(0.0, |l| p.launches() as f64 * l.seconds);
    rows.push(Row {
        cells: if launch.is_some() {
            each(&|p| figure::micros(cost_of(p)))
        } else {
            none()
        },
        ..row(&label, Vec::new())
    });
    // A time says something about a roof only where both are one device's.
    let floors = floors.filter(|_| machine.roof_is_own());
    rows.extend(measured(compare, bench, runs, floors.as_deref()));
    rows
}

/// Peak activations, in a unit of their own: they may be a thousandth of the
/// bytes that move.
fn peaks(prices: &[Cost]) -> Row {
    let largest = prices.iter().map(|c| c.peak.bytes).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    Row {
        label: format!("peak act. {} =", column.unit().symbol()),
        cells: prices
            .iter()
            .map(|c| figure::bytes(column, c.peak.bytes))
            .collect(),
        ..Row::default()
    }
}

/// Bytes that a report holds, `·` where no run was made and `–` where the
/// backend cannot say.
fn reported(
    compare: &Compare,
    bench: &Bench,
    runs: &Runs,
    of: fn(&BytesReport) -> Option<u64>,
    size: &dyn Fn(u64) -> String,
) -> Vec<String> {
    let scoped = |cost: &Cost, report: &Report| match compare.scope {
        Scope::Forward => of(&report.bytes),
        // What a run counted kernel by kernel it counted of a block, too.
        Scope::Block => of(&of_block(report, &cost.block)?),
    };
    let columns = compare.cuts().into_iter().zip(compare.prices());
    columns
        .map(|(cut, cost)| match runs.of(bench.setup(), cut) {
            None => "·".to_owned(),
            Some(report) => scoped(cost, report).map_or("–".to_owned(), size),
        })
        .collect()
}

/// What stands where a run was faster than the roof allows.
const BEATEN: &str = ">100 %";

/// Measured time, and the part of the roof that it is.
fn measured(compare: &Compare, bench: &Bench, runs: &Runs, floors: Option<&[f64]>) -> Vec<Row> {
    let forward = compare.scope == Scope::Forward;
    let cuts = compare.cuts();
    let timings: Vec<Option<&Timing>> = cuts
        .iter()
        .map(|cut| runs.of(bench.setup(), *cut)?.time_us.as_ref())
        .collect();
    let seconds = timings.iter().map(|t| Some(t.as_ref()?.median * 1e-6));
    let times: Vec<Option<f64>> = seconds.collect();
    // A bar states a difference: each stands only where all of them do.
    let others = cuts.iter().skip(1);
    let mut verdicts = others.map(|cut| runs.in_turns(bench.setup(), *cuts.first()?, *cut));
    let differ = verdicts.all(|found| found.is_some_and(|(_, verdict)| verdict.claimed()));
    let clock = Clock::of(times.iter().flatten().copied().fold(0.0, f64::max));
    let time = |t: &Option<&Timing>| match t {
        // A run measures forwards; what a block takes of it is not known.
        _ if !forward => "–".to_owned(),
        Some(t) => timing::median(t, clock),
        None => "·".to_owned(),
    };
    let mut rows = vec![Row {
        cells: timings.iter().map(time).collect(),
        origin: Origin::Measured,
        label: format!("time {} @", clock.unit),
        bars: (forward && differ && times.iter().all(Option::is_some))
            .then(|| times.iter().flatten().copied().collect()),
        ..Row::default()
    }];
    if let Some(floors) = floors {
        let part = |(t, floor): (&Option<f64>, &f64)| match t {
            _ if !forward => "–".to_owned(),
            // Faster than the memory allows: the data sat in a cache.
            Some(t) if floor > t => BEATEN.to_owned(),
            Some(t) => format!("{:.1} %", 100.0 * floor / t),
            None => "·".to_owned(),
        };
        rows.push(Row {
            cells: times.iter().zip(floors).map(part).collect(),
            label: "of the roof".into(),
            origin: Origin::Measured,
            ..Row::default()
        });
    }
    rows
}

/// What the plan of the column moves beyond the model, kernel by kernel the
/// most: where a run counted it.
fn more(page: &Compare, shared: &Shared) -> Option<String> {
    let cut = page.cuts().get(page.column).copied()?;
    let report = shared.runs.of(shared.bench.setup(), cut)?;
    let kernel = report
        .kernels
        .iter()
        .max_by_key(|k| k.between_phases())
        .filter(|k| k.between_phases() > 0)?;
    let text = format!("{}: {}.", kernel.name, surplus(kernel)?);
    Some(figure::fitted(&text, shared.size.0))
}

/// The line under the page where no message stands.
pub fn hint(page: &Compare, shared: &Shared, rows: &[Row]) -> String {
    if page.climbing {
        let said = page.stairs.said(shared);
        let said = said.map(|said| figure::fitted(&said, shared.size.0));
        let keys = "saves: behind the steps before it; alone: from V1. [ and ] move a step.";
        return said.unwrap_or_else(|| keys.to_owned());
    }
    let machine = &shared.machine;
    let own = machine.roof_is_own();
    if rows
        .iter()
        .flat_map(|r| &r.cells)
        .any(|cell| cell == BEATEN)
    {
        return "Faster than DRAM allows: the data sat in cache.".into();
    }
    if let Some(said) = more(page, shared) {
        return said;
    }
    match machine.backend() {
        Some(b) if b.name == "cpu" && own => {
            "Times and floors are of this CPU; what its caches hold can beat a floor.".into()
        }
        Some(b) if b.name == "cpu" => {
            "Times are of this CPU @; floors and launches are a GPU's. Bytes: modelled only.".into()
        }
        _ => "r runs the plan of the column, R all four; Enter opens it in the lab.".into(),
    }
}

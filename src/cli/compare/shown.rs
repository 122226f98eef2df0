//! What came of comparing plans, as it is written: side by side, read out, as JSON.

use serde::Serialize;

use super::merit::{self, ran_on};
use crate::cli::counted::{KINDS, lines as counted_kernels};
use crate::cli::out::Out;
use crate::cli::table::{Align, Table};
use crate::cli::words::{counted, wrapped};
use plan::cost::{CostJson, Gpu, Priced, cost_json};
use plan::run::{BytesReport, Report, Timing};
use plan::units::figure::{self, NOT_HAD, NOT_RUN, of_run, percent};
use plan::units::{Column, Quantity, Unit, format};
use study::lab::merit::{Merit, rows, sources};
use study::lab::{Column as Compared, Comparison, Scope};
use study::timing::{Verdict, VerdictJson};

/// A run's report with the price beside it; the price alone where nothing ran.
#[derive(Serialize)]
pub(super) struct Document {
    #[serde(flatten)]
    report: Measured,
    cost: CostJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    merit: Option<Merit>,
    /// The first plan's time over this one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_over_this: Option<VerdictJson>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Measured {
    Run(Box<Report>),
    Not { schema: u32 },
}

/// What came of it, as it is written.
pub(super) struct Shown<'g> {
    /// The plans.
    pub comparison: Comparison,
    /// The figures of merit of its columns.
    pub merits: Vec<Option<Merit>>,
    /// The device of the course.
    pub gpu: &'g Gpu,
    /// What was asked of the runs and does nothing there.
    pub idle: Vec<String>,
}

impl Shown<'_> {
    /// `compare --json`: one document per plan.
    pub(super) fn documents(&self) -> Vec<Document> {
        let columns = self.comparison.columns.iter().zip(&self.merits).enumerate();
        let document = |(at, (column, merit)): (usize, (&Compared, &Option<Merit>))| Document {
            report: match &column.report {
                // What came of the record stands in the figures.
                Some(report) => Measured::Run(Box::new(Report {
                    trace: None,
                    ..report.clone()
                })),
                None => Measured::Not { schema: 1 },
            },
            cost: cost_json(&column.cost),
            merit: merit.clone(),
            first_over_this: match at {
                0 => None,
                at => self.comparison.against_first(at).map(Verdict::json),
            },
        };
        columns.map(document).collect()
    }
}

/// What is compared: `workshop B1 S128 fp32, per forward`.
fn title(comparison: &Comparison) -> String {
    let scope = comparison.scope.heading();
    comparison.columns.first().map_or(String::new(), |c| {
        format!("{}, {scope}", c.cost.config.title())
    })
}

pub(super) fn side_by_side(shown: &Shown<'_>, out: &mut Out) {
    let Shown {
        comparison,
        merits,
        gpu,
        idle,
    } = shown;
    let columns = &comparison.columns;
    let scope = comparison.scope;
    let head = format!("{} · roof: {}, data sheet", title(comparison), gpu.name);
    out.lines(wrapped(&head, "", "  "));
    out.gap();
    let mut heads = vec![(String::new(), Align::Left)];
    heads.extend(columns.iter().map(|c| (c.title.clone(), Align::Right)));
    let heads: Vec<(&str, Align)> = heads.iter().map(|(h, a)| (h.as_str(), *a)).collect();
    let mut table = Table::new(&heads);
    let mut row = |name: String, cells: Vec<String>| {
        table.row(std::iter::once(name).chain(cells).collect());
    };
    let of = |figure: &dyn Fn(&Priced) -> u64| -> Vec<Quantity> {
        columns
            .iter()
            .map(|c| Quantity::bytes(figure(c.priced(scope))))
            .collect()
    };
    let bytes = of(&|p| p.bytes());
    let weights = of(&|p| p.weight_bytes);
    let activations = of(&|p| p.bytes() - p.weight_bytes);
    let peaks: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::bytes(c.cost.peak.bytes))
        .collect();
    let unit = Column::fit(&bytes).decimals(3);
    let launches = |c: &Compared| c.priced(scope).launches().to_string();
    row(
        "launches =".to_owned(),
        columns.iter().map(launches).collect(),
    );
    row(format!("bytes {} =", unit.unit()), unit.cells(&bytes));
    row("  weights".to_owned(), unit.cells(&weights));
    row("  activations".to_owned(), unit.cells(&activations));
    row(
        "FLOP/B =".to_owned(),
        columns
            .iter()
            .map(|c| figure::fixed(c.priced(scope).intensity(), 3))
            .collect(),
    );
    row(
        format!("{} {} =", scope.peak(), unit.unit()),
        unit.cells(&peaks),
    );
    let floors: Vec<Quantity> = columns
        .iter()
        .map(|c| Quantity::seconds(c.floor_seconds))
        .collect();
    let time_unit = Column::with_unit(&floors, Unit::parse("us").unwrap_or(Unit::NONE)).decimals(2);
    row("floor µs =".to_owned(), time_unit.cells(&floors));
    if columns.iter().any(|c| c.report.is_some()) {
        let counted = |c: &Compared| {
            let launches = c.report.as_ref().map(|r| Some(r.launches.counted));
            of_run(launches, |launches| launches.to_string())
        };
        row(
            "launches #, forward".to_owned(),
            columns.iter().map(counted).collect(),
        );
        let bytes_of = |of: fn(&BytesReport) -> Option<u64>| -> Option<Vec<Option<u64>>> {
            let all: Vec<_> = columns
                .iter()
                .map(|c| c.report.as_ref().and_then(|r| of(&r.bytes)))
                .collect();
            all.iter().any(Option::is_some).then_some(all)
        };
        let counted: Vec<_> = KINDS
            .into_iter()
            .skip(1)
            .filter_map(|kind| Some((kind.head(&gpu.short), bytes_of(kind.of)?)))
            .collect();
        // One unit for all kinds: they are read one below the other.
        let known: Vec<Quantity> = counted
            .iter()
            .flat_map(|(_, all)| all.iter().flatten())
            .map(|b| Quantity::bytes(*b))
            .collect();
        let unit = Column::fit(&known).decimals(3);
        for (head, all) in counted {
            row(
                format!("{} {head}, forward", unit.unit()),
                all.iter()
                    .map(|b| b.map_or("–".to_owned(), |b| unit.number(&Quantity::bytes(b))))
                    .collect(),
            );
        }
        let timed = |cell: &dyn Fn(&Timing) -> String| -> Vec<String> {
            let of = |c: &Compared| {
                let time = c.report.as_ref().map(|report| report.time_us.as_ref());
                of_run(time, cell)
            };
            columns.iter().map(of).collect()
        };
        row(
            "time µs @, forward".to_owned(),
            timed(&|t| figure::fixed(t.median, 1)),
        );
        row(
            "  ± median dev.".to_owned(),
            timed(&|t| figure::shown(t.mad, 1)),
        );
        row(
            "  least–most".to_owned(),
            timed(&|t| format!("{:.1}–{:.1}", t.min, t.max)),
        );
        if let Some(parts) = of_the_roof(comparison, gpu) {
            row("  floor / time".to_owned(), parts);
        }
        for figure in rows(merits) {
            row(figure.label, figure.cells);
        }
        let check = |c: &Compared| {
            c.report
                .as_ref()
                .and_then(|r| r.check.as_ref())
                .map_or("none", |k| if k.pass { "pass" } else { "failed" })
                .to_owned()
        };
        row("check".to_owned(), columns.iter().map(check).collect());
    }
    for part in table.parted() {
        out.lines(part.lines());
        out.gap();
    }
    for column in columns {
        let kernels = column.report.as_ref();
        let kernels = kernels.map(|report| counted_kernels(report, &gpu.short));
        if let Some(lines) = kernels.filter(|lines| !lines.is_empty()) {
            out.line(format!("{}, forward, kernel by kernel", column.title));
            out.lines(lines);
            out.gap();
        }
    }
    for (column, merit) in columns.iter().zip(merits) {
        if let Some(lines) = merit.as_ref().and_then(|m| merit::hot(&column.title, m)) {
            out.lines(lines);
            out.gap();
        }
    }
    for said in sources(merits) {
        out.lines(wrapped(&said, "", ""));
    }
    out.lines(closing(comparison, idle));
    let costs = columns.iter().map(|column| &column.cost);
    if let Some(note) = scope.note(costs) {
        out.lines(wrapped(&note, "note ", "     "));
    }
    let beaten = |parts: Vec<String>| parts.iter().any(|part| part == BEATEN);
    if of_the_roof(comparison, gpu).is_some_and(beaten) {
        out.lines(wrapped(app::compare::CACHED, "", ""));
    }
}

/// What stands where a run was faster than the roof allows.
const BEATEN: &str = ">100 %";

/// Floor over time of each plan, where the roof is that of the GPU that ran and
/// both are of a forward.
fn of_the_roof(comparison: &Comparison, gpu: &Gpu) -> Option<Vec<String>> {
    let ran_here = |c: &Compared| {
        let report = c.report.as_ref()?;
        ran_on(report, gpu).then_some(())
    };
    if comparison.scope != Scope::Forward {
        return None;
    }
    comparison.columns.iter().find_map(ran_here)?;
    let part = |c: &Compared| {
        let time = c.report.as_ref().map(|report| report.time_us.as_ref());
        of_run(time, |time| match c.floor_seconds / (time.median * 1e-6) {
            part if part > 1.0 => BEATEN.to_owned(),
            part => percent(part),
        })
    };
    Some(comparison.columns.iter().map(part).collect())
}

/// What was saved, and how it was measured.
fn closing(comparison: &Comparison, idle: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let (first, last) = match comparison.columns.as_slice() {
        [first, .., last] => (first, last),
        _ => return lines,
    };
    let changed = format!(
        "{} to {}: {}; {}.",
        first.title,
        last.title,
        changed(comparison.saved(Priced::launches), "launches"),
        changed(comparison.saved(Priced::bytes), "bytes")
    );
    lines.extend(wrapped(&changed, "", "  "));
    let others = comparison.columns.iter().enumerate().skip(1);
    let verdicts = others.filter_map(|(at, other)| {
        let verdict = comparison.against_first(at)?;
        Some(verdict.sentence(&first.title, &other.title))
    });
    lines.extend(verdicts.flat_map(|said| wrapped(&said, "", "  ")));
    if let Some(report) = &first.report {
        let on = format!("Measured on {}: {}.", report.backend, report.device);
        lines.extend(wrapped(&on, "", "  "));
        let idle = idle.iter().map(|said| format!("{said}."));
        lines.extend(idle.flat_map(|said| wrapped(&said, "", "  ")));
        if let Some(t) = &report.time_us {
            let how = format!("{} each, {}.", counted(u64::from(t.runs), "run"), t.how);
            lines.extend(wrapped(&how, "", ""));
        }
        let troubles = comparison.troubles().into_iter();
        lines.extend(troubles.flat_map(|said| wrapped(&said, "", "")));
    }
    lines
}

/// `90.14 % fewer launches`; `10.14 times as many launches` where there are more.
fn changed(saved: Option<f64>, what: &str) -> String {
    match saved {
        None => format!("no {what} in either"),
        Some(0.0) => format!("as many {what}"),
        Some(saved) if saved > 0.0 => format!("{:.2} % fewer {what}", 100.0 * saved),
        Some(saved) => format!("{:.2} times as many {what}", 1.0 - saved),
    }
}

pub(super) fn spoken(shown: &Shown<'_>, out: &mut Out) {
    let Shown {
        comparison,
        merits,
        gpu,
        idle,
    } = shown;
    out.line(format!(
        "Compare, {}. Roof: {}, data sheet.",
        title(comparison),
        gpu.name
    ));
    let figures = rows(merits);
    for (at, c) in comparison.columns.iter().enumerate() {
        let p = c.priced(comparison.scope);
        let time = match c.report.as_ref().and_then(|r| r.time_us.as_ref()) {
            Some(t) => format!(
                "time {:.1} us measured, median of {}, median deviation {:.1} us",
                t.median,
                counted(u64::from(t.runs), "run"),
                t.mad
            ),
            None => "time not run".to_owned(),
        };
        let kinds: String = KINDS
            .iter()
            .skip(1)
            .filter_map(|kind| {
                let bytes = (kind.of)(&c.report.as_ref()?.bytes)?;
                Some(format!(
                    ", {} {}",
                    format(&Quantity::bytes(bytes)),
                    kind.word
                ))
            })
            .collect();
        out.line(format!(
            "{}: {}; {} modelled, {} of them weights{kinds}; {:.3} FLOP/B; floor {:.2} us modelled; {time}.",
            c.title,
            counted(p.launches(), "launch"),
            format(&Quantity::bytes(p.bytes())),
            format(&Quantity::bytes(p.weight_bytes)),
            p.intensity(),
            c.floor_seconds * 1e6,
        ));
        for figure in &figures {
            let said = |cell: &&String| ![NOT_RUN, NOT_HAD].contains(&cell.as_str());
            if let Some(cell) = figure.cells.get(at).filter(said) {
                out.line(format!("{}: {} {cell}.", c.title, figure.label.trim()));
            }
        }
    }
    for said in sources(merits) {
        out.line(said);
    }
    out.lines(closing(comparison, idle));
}

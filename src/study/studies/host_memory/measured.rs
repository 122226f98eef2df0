//! On a GPU: a table for each case, and what its rounds let be said.

use super::HostMemory;
use super::priced::times;
use crate::evidence::Evidence;
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use crate::studies::fit::line;
use crate::studies::hierarchy::size;
use crate::timing::{ALARMS, Interval, Verdict, of_median};
use plan::cost::{Gpu, GpuDatabase};
use plan::run::{HostCase, HostReport, HostSeries, HostWay, mad, median};

/// Statements that one study makes at once, at the most: an interval misses as rarely as
/// all of them may together.
const AMONG: usize = 20;

/// A direction: how it is said, and its ways.
struct To {
    said: &'static str,
    pageable: HostWay,
    pinned: HostWay,
    after: HostWay,
    beside: HostWay,
}

const DIRECTIONS: [To; 2] = [
    To {
        said: "to the device",
        pageable: HostWay::PageableUp,
        pinned: HostWay::PinnedUp,
        after: HostWay::AfterUp,
        beside: HostWay::BesideUp,
    },
    To {
        said: "to the host",
        pageable: HostWay::PageableDown,
        pinned: HostWay::PinnedDown,
        after: HostWay::AfterDown,
        beside: HostWay::BesideDown,
    },
];

impl HostMemory {
    /// What came of the cases; one that failed says why, and the others go on.
    pub(super) fn measured(&self, evidence: &Evidence) -> Findings {
        let mut found = Findings::default();
        let mut shared = false;
        let sheets = GpuDatabase::embedded().ok();
        for (case, report) in self.cases.iter().zip(&evidence.host) {
            let report = match report {
                Ok(report) => report,
                Err(why) => {
                    found.notes.push(format!("{}: {why}", case.name()));
                    continue;
                }
            };
            if found.title.is_empty() {
                found.title.clone_from(&report.device);
            }
            // A driver that does not know the question leaves it to the data sheet.
            let own = sheets.as_ref().and_then(|all| all.named_in(&report.device));
            let sheet = own.is_some_and(Gpu::shares_memory);
            shared |= sheet || report.integrated == Some(true);
            match report.case {
                HostCase::Copies => self.copied(report, &mut found),
                HostCase::Batches => batches(report, &mut found),
                HostCase::Overlap => overlap(report, &mut found),
                HostCase::Mapped => mapped(report, &mut found),
                HostCase::Pool => pool(report, &mut found),
            }
            if report.stopped {
                let name = report.case.name();
                found
                    .notes
                    .push(format!("{name}: stopped before all rounds were made."));
            }
            for note in &report.notes {
                if !found.notes.contains(note) {
                    found.notes.push(note.clone());
                }
            }
        }
        if shared {
            found.sentences.insert(
                0,
                "Host and device have one memory here: a copy moves bytes within it, and all of its time is saved by reading them where they lie.".to_owned(),
            );
        }
        found
    }

    fn copied(&self, report: &HostReport, found: &mut Findings) {
        let mut sizes: Vec<u64> = report.series.iter().map(|s| s.bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for to in &DIRECTIONS {
            let mut columns = vec![Column::given("size")];
            columns.extend(timed("pageable"));
            columns.extend(timed("pinned"));
            columns.push(Column::measured("pinned", "GB/s", 1));
            let moves = match self.gpu.shares_memory() {
                true => "memory",
                false => "link",
            };
            columns.push(Column::modelled(moves, "µs", 1));
            let mut sheet = Sheet::new(format!("copies {}", to.said), columns);
            for bytes in &sizes {
                let of = |way| report.us(way, *bytes, 1);
                let (pageable, pinned) = (of(to.pageable), of(to.pinned));
                if pageable.or(pinned).is_none() {
                    continue;
                }
                let mut cells: Vec<Cell> = vec![size(*bytes).into()];
                cells.extend(shown(pageable));
                cells.extend(shown(pinned));
                let rate = pinned.and_then(median).map(|us| 1e-3 * *bytes as f64 / us);
                cells.extend([rate.into(), self.copy_us(*bytes).into()]);
                sheet.rows.push(cells);
            }
            found.sheets.push(sheet);
            let largest = sizes.last().copied().unwrap_or(0);
            found.sentences.extend(compared(
                report,
                (to.pageable, largest, 1),
                (to.pinned, largest, 1),
                &format!("A pageable copy of {} {}", size(largest), to.said),
                "a pinned one",
            ));
            let pinned: Vec<&HostSeries> = sorted(report, to.pinned, |s| s.bytes);
            if let Some((begin, each)) = fitted(&pinned, |s| s.bytes as f64) {
                let (low, high) = (1e-3 / each.high, 1e-3 / each.low);
                found.sentences.push(format!(
                    "{} a pinned copy takes {:.1} µs to begin ({:.1} to {:.1}) and moves {:.1} GB/s from there ({low:.1} to {high:.1}) @: time = a + bytes/b over {} sizes.",
                    capital(to.said),
                    begin.middle,
                    begin.low,
                    begin.high,
                    1e-3 / each.middle,
                    pinned.len()
                ));
            }
            let at = |way: HostWay| -> Vec<Option<f64>> {
                let of = |bytes: &u64| median(report.us(way, *bytes, 1)?);
                sizes.iter().map(of).collect()
            };
            found.plots.push(Plot {
                x: format!("KiB {}", to.said),
                at: sizes.iter().map(|b| *b as f64 / 1024.0).collect(),
                unit: "µs".to_owned(),
                log: true,
                lines: vec![
                    ("pageable".to_owned(), Source::Measured, at(to.pageable)),
                    ("pinned".to_owned(), Source::Measured, at(to.pinned)),
                ],
            });
        }
    }
}

fn batches(report: &HostReport, found: &mut Findings) {
    let Some(bytes) = report.series.first().map(|s| s.bytes) else {
        return;
    };
    let mut columns = vec![Column::given("copies"), Column::given("each")];
    columns.extend(DIRECTIONS.iter().flat_map(|to| timed(to.said)));
    let mut sheet = Sheet::new(format!("{} as so many pinned copies", size(bytes)), columns);
    for of in sorted(report, HostWay::PinnedUp, |s| s.times) {
        let mut cells: Vec<Cell> = vec![
            of.times.to_string().into(),
            size(bytes / of.times.max(1)).into(),
        ];
        let ways = DIRECTIONS.iter();
        cells.extend(ways.flat_map(|to| shown(report.us(to.pinned, bytes, of.times))));
        sheet.rows.push(cells);
    }
    found.sheets.push(sheet);
    for to in &DIRECTIONS {
        let all = sorted(report, to.pinned, |s| s.times);
        let most = all.last().map_or(1, |s| s.times);
        if most < 2 {
            continue;
        }
        found.sentences.extend(compared(
            report,
            (to.pinned, bytes, most),
            (to.pinned, bytes, 1),
            &format!("Moving {} {} by {most} copies", size(bytes), to.said),
            "one copy of them",
        ));
        if let Some((_, each)) = fitted(&all, |s| s.times as f64) {
            found.sentences.push(format!(
                "Each copy more {} in a row costs {:.2} µs ({:.2} to {:.2}) @.",
                to.said, each.middle, each.low, each.high
            ));
        }
    }
}

fn overlap(report: &HostReport, found: &mut Findings) {
    let Some(bytes) = report.series.first().map(|s| s.bytes) else {
        return;
    };
    let mut columns = vec![Column::given("copy")];
    for name in ["alone", "kernel", "behind it", "beside it"] {
        columns.extend(timed(name));
    }
    columns.push(Column::given("saved"));
    let mut sheet = Sheet::new(
        format!("a pinned copy of {} and a kernel", size(bytes)),
        columns,
    );
    for to in &DIRECTIONS {
        let of = |way| report.us(way, bytes, 1);
        let ways = [to.pinned, HostWay::Kernel, to.after, to.beside];
        if of(to.after).is_none() {
            continue;
        }
        let mut cells: Vec<Cell> = vec![to.said.into()];
        cells.extend(ways.into_iter().flat_map(|way| shown(of(way))));
        let verdict = verdict(report, (to.after, bytes, 1), (to.beside, bytes, 1));
        cells.push(verdict.map_or("–".to_owned(), Verdict::cell).into());
        sheet.rows.push(cells);
        found.sentences.extend(compared(
            report,
            (to.after, bytes, 1),
            (to.beside, bytes, 1),
            &format!("A copy {} behind a kernel", to.said),
            "one beside it",
        ));
    }
    found.sheets.push(sheet);
}

fn mapped(report: &HostReport, found: &mut Findings) {
    let Some(bytes) = report.series.first().map(|s| s.bytes) else {
        return;
    };
    let mut columns = vec![Column::given("reads")];
    columns.extend(timed("where they lie"));
    columns.extend(timed("copied first"));
    let mut sheet = Sheet::new(format!("{} of the host, read", size(bytes)), columns);
    let all = sorted(report, HostWay::Mapped, |s| s.times);
    let mut verdicts: Vec<(u64, Verdict)> = Vec::new();
    for of in &all {
        let of = of.times;
        let us = |way| report.us(way, bytes, of);
        let mut cells: Vec<Cell> = vec![of.to_string().into()];
        cells.extend(shown(us(HostWay::Mapped)));
        cells.extend(shown(us(HostWay::Copied)));
        sheet.rows.push(cells);
        let said = verdict(
            report,
            (HostWay::Mapped, bytes, of),
            (HostWay::Copied, bytes, of),
        );
        verdicts.extend(said.map(|verdict| (of, verdict)));
    }
    found.sheets.push(sheet);
    if let Some((n, first)) = verdicts.first() {
        found.sentences.push(first.sentence(
            &format!(
                "Reading {} of the host {} where they lie",
                size(bytes),
                times(*n)
            ),
            "copying them first",
        ));
    }
    let wins = |v: &Verdict| matches!(v, Verdict::Differ { low, .. } if *low > 1.0);
    let from = verdicts.iter().rev().take_while(|(_, v)| wins(v)).last();
    let claimed = verdicts.iter().any(|(_, v)| v.claimed());
    found.sentences.extend(match (from, verdicts.last()) {
        (Some((1, _)), _) => Some("Copying first takes less time from the first read on @.".into()),
        (Some((n, _)), _) => Some(format!(
            "With {n} reads and more, copying first takes less time @."
        )),
        (None, Some((most, _))) if claimed => Some(format!(
            "Up to {most} reads copying first is not seen to take less time @."
        )),
        _ => None,
    });
    let line = |way| {
        let of = |s: &&HostSeries| median(report.us(way, bytes, s.times)?);
        all.iter().map(of).collect()
    };
    found.plots.push(Plot {
        x: "reads".to_owned(),
        at: all.iter().map(|s| s.times as f64).collect(),
        unit: "µs".to_owned(),
        log: true,
        lines: vec![
            (
                "where they lie".to_owned(),
                Source::Measured,
                line(HostWay::Mapped),
            ),
            (
                "copied first".to_owned(),
                Source::Measured,
                line(HostWay::Copied),
            ),
        ],
    });
}

fn pool(report: &HostReport, found: &mut Findings) {
    let mut columns = vec![Column::given("a step takes")];
    for name in ["each time", "from a pool", "kept"] {
        columns.extend(timed(name));
    }
    let mut sheet = Sheet::new("memory of the device, taken and given back", columns);
    let all = sorted(report, HostWay::Each, |s| s.bytes);
    for of in &all {
        let mut cells: Vec<Cell> = vec![size(of.bytes).into()];
        let ways = [HostWay::Each, HostWay::Pool, HostWay::Kept];
        cells.extend(
            ways.into_iter()
                .flat_map(|way| shown(report.us(way, of.bytes, 1))),
        );
        sheet.rows.push(cells);
    }
    found.sheets.push(sheet);
    let Some(bytes) = all.last().map(|s| s.bytes) else {
        return;
    };
    let each = format!("A step that takes {} and gives them back", size(bytes));
    let ways = [
        (
            HostWay::Each,
            HostWay::Pool,
            each.as_str(),
            "one with a pool",
        ),
        (
            HostWay::Each,
            HostWay::Kept,
            each.as_str(),
            "one that keeps them",
        ),
    ];
    for (a, b, first, second) in ways {
        let said = compared(report, (a, bytes, 1), (b, bytes, 1), first, second);
        found.sentences.extend(said);
    }
}

/// Columns of a time and its deviation.
fn timed(name: &str) -> [Column; 2] {
    [
        Column::measured(name, "µs", 1),
        Column::measured("±", "µs", 1),
    ]
}

/// Their cells.
fn shown(us: Option<&[f64]>) -> [Cell; 2] {
    [us.and_then(median).into(), us.and_then(mad).into()]
}

/// The series of a way that have times, by what varied.
fn sorted(report: &HostReport, way: HostWay, by: fn(&HostSeries) -> u64) -> Vec<&HostSeries> {
    let of = report.series.iter();
    let mut of: Vec<&HostSeries> = of.filter(|s| s.way == way && !s.us.is_empty()).collect();
    of.sort_by_key(|s| by(s));
    of
}

/// Way, bytes, times.
type Of = (HostWay, u64, u64);

fn verdict(report: &HostReport, a: Of, b: Of) -> Option<Verdict> {
    let of = |(way, bytes, times): Of| report.us(way, bytes, times);
    Some(Verdict::of(of(a)?, of(b)?, AMONG))
}

/// What the rounds let be said of two ways.
fn compared(report: &HostReport, a: Of, b: Of, first: &str, second: &str) -> Option<String> {
    Some(verdict(report, a, b)?.sentence(first, second))
}

/// Constant and slope of time over what varied, each fitted round by round: their medians
/// and where they lie.
fn fitted(of: &[&HostSeries], x: fn(&HostSeries) -> f64) -> Option<(Interval, Interval)> {
    if of.len() < 3 {
        return None;
    }
    let at: Vec<f64> = of.iter().map(|s| x(s)).collect();
    let rounds = of.iter().map(|s| s.us.len()).min()?;
    let lines: Vec<[f64; 2]> = (0..rounds)
        .filter_map(|round| {
            let us: Vec<f64> = of.iter().filter_map(|s| s.us.get(round).copied()).collect();
            line(&at, &us)
        })
        .collect();
    let interval = |part: usize| {
        let values = lines.iter().filter_map(|line| line.get(part).copied());
        of_median(&values.collect::<Vec<f64>>(), ALARMS / AMONG as f64)
    };
    // What its rounds do not tell from nothing is no cost and no rate.
    let each = interval(1).filter(|each| each.low > 0.0)?;
    Some((interval(0)?, each))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

//! What a load waits and how fast many are, over the working set: the steps at which a
//! cache ends.

mod quiet;
mod steps;

use super::notes::listed;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use plan::cost::{Gpu, GpuDatabase};
use plan::run::{CacheSize, MemoryReport, MemoryRequest, MemoryRow, mad, median};

use steps::{Step, steps};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "hierarchy",
    asks: "How long does a load wait, how fast are many, and at which working set does that change?",
    varies: "the working set, from 4 KiB on",
    held: "the machine, the order of the loads (random), who reads (one core, all)",
    finds: "ns of a load in a chain and GB/s of sums, five samples each (@); sizes of caches (given)",
    reduced: "steps above what the samples spread, each beside the caches that end there",
    ends: "the steps, and the cache that each is",
    lessons: &["20"],
    models: false,
};

/// `study hierarchy`.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// What is measured.
    pub request: MemoryRequest,
}

impl Study for Hierarchy {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks {
            memory: Some(self.request.clone()),
            ..Asks::default()
        }
    }

    fn smaller(&self) -> &'static str {
        "a smaller --to"
    }

    fn once_more(&self, evidence: &Evidence) -> Asks {
        let rows = match &evidence.memory {
            Some(Ok(report)) => quiet::disturbed(&report.rows),
            _ => Vec::new(),
        };
        let memory = (!rows.is_empty()).then_some(MemoryRequest {
            backend: self.request.backend,
            sizes: rows,
        });
        Asks {
            memory,
            ..Asks::default()
        }
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let report = match &evidence.memory {
            Some(Ok(report)) => report,
            Some(Err(why)) => return Err(why.to_string()),
            None => return Err("nothing was measured".to_owned()),
        };
        let (caches, whence) = known(report);
        let mut found = Findings {
            title: format!(
                "memory of {}, {} to {}",
                report.device,
                size(report.rows.first().map_or(0, |r| r.bytes)),
                size(report.rows.last().map_or(0, |r| r.bytes)),
            ),
            sheets: vec![sets(report, &caches)],
            plots: plots(report),
            notes: report.notes.clone(),
            ..Findings::default()
        };
        let disturbed = quiet::disturbed(&report.rows);
        let is_quiet = |row: &&MemoryRow| !disturbed.contains(&row.bytes);
        let rest: Vec<MemoryRow> = report.rows.iter().filter(is_quiet).cloned().collect();
        let steps = steps(&rest);
        let mut sheet = Sheet::new(
            "steps of the latency",
            [
                Column::given("between"),
                Column::measured("from", "ns", 1),
                Column::measured("to", "ns", 1),
                Column::given("ends there"),
            ],
        );
        for step in &steps {
            let ends: Vec<String> = step.caches(&caches).map(named).collect();
            let between = format!("{} and {}", size(step.fits), size(step.spills));
            found.sentences.push(format!(
                "Between {between} a load comes to wait {:.1} times as long ({:.1} ns, then {:.1} ns @): {}.",
                step.to / step.from,
                step.from,
                step.to,
                match ends.as_slice() {
                    [] => "no cache whose size is known ends there".to_owned(),
                    [one] => format!("there {one} ends"),
                    many => format!("there {} end", listed(many)),
                }
            ));
            let ends = match ends.is_empty() {
                true => "?".to_owned(),
                false => ends.join(", "),
            };
            sheet.rows.push(vec![
                between.into(),
                step.from.into(),
                step.to.into(),
                ends.into(),
            ]);
        }
        if steps.is_empty() {
            let said = match (disturbed.len(), rest.len()) {
                (0, _) => "No step is seen: at no size do all later sets wait longer.",
                (_, 0 | 1) => {
                    "No step could be looked for: fewer than two working sets were left undisturbed; make it again when nothing else uses this machine."
                }
                _ => "No step is seen between the working sets that were not disturbed.",
            };
            found.sentences.push(said.to_owned());
        }
        found
            .sentences
            .extend(quiet::sentence(&disturbed, &report.rows, evidence.again));
        found.sentences.extend(unseen(&caches, &steps, &rest));
        found.sentences.extend(speeds(report));
        found.sheets.push(sheet);
        if !whence.is_empty() {
            found.notes.push(whence);
        }
        if report.rows.len() < self.request.sizes.len() {
            found
                .notes
                .push("Stopped before the largest sets.".to_owned());
        }
        found.sheets.retain(|sheet| !sheet.rows.is_empty());
        Ok(found)
    }
}

/// `48 KiB`, `1.5 MiB`: caches have powers of two.
pub(super) fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(power, _)| bytes >> power > 0);
    let (power, name) = unit.unwrap_or((0, "B"));
    format!("{} {name}", bytes as f64 / f64::from(1_u32 << power))
}

fn named(cache: &CacheSize) -> String {
    format!("{} ({})", cache.name, size(cache.bytes))
}

/// Caches that the system names, else those of the device's data sheet; and where they
/// come from.
fn known(report: &MemoryReport) -> (Vec<CacheSize>, String) {
    if !report.caches.is_empty() {
        return (report.caches.clone(), String::new());
    }
    let database = GpuDatabase::embedded().ok();
    let gpu = database
        .as_ref()
        .and_then(|all| all.named_in(&report.device));
    match gpu {
        Some(gpu) => (
            of_gpu(gpu),
            format!(
                "sizes of caches: the data sheet of {}; its first level shares its room with shared memory",
                gpu.name
            ),
        ),
        None => (
            Vec::new(),
            "no sizes of caches are known of this device".to_owned(),
        ),
    }
}

/// The levels that a data sheet names. The first is the memory that blocks share, too.
fn of_gpu(gpu: &Gpu) -> Vec<CacheSize> {
    let mib = |mib: f64| (mib * f64::from(1_u32 << 20)) as u64;
    let levels = [
        ("L1 with shared memory", gpu.shared_kb_per_cu << 10),
        ("L2", mib(gpu.l2_mb)),
        ("L3", mib(gpu.l3_mb)),
    ];
    let there = levels.into_iter().filter(|(_, bytes)| *bytes > 0);
    there
        .map(|(name, bytes)| CacheSize {
            name: name.to_owned(),
            bytes,
        })
        .collect()
}

/// Known caches at whose end no step is seen though it was looked for: sets on both sides
/// were measured, and nothing disturbed them.
fn unseen(caches: &[CacheSize], steps: &[Step], rows: &[MemoryRow]) -> Option<String> {
    let (smallest, largest) = (rows.first()?.bytes, rows.last()?.bytes);
    let missed = caches.iter().filter(|cache| {
        let between = smallest <= cache.bytes && cache.bytes * 2 <= largest;
        between && !steps.iter().any(|s| s.caches(caches).any(|c| c == *cache))
    });
    let missed: Vec<String> = missed.map(named).collect();
    (!missed.is_empty()).then(|| format!("At the end of {} no step is seen.", listed(&missed)))
}

/// The most that is read per second, and what is read from the largest set.
fn speeds(report: &MemoryReport) -> Vec<String> {
    let told = |name: &str, of: fn(&MemoryRow) -> &Vec<f64>| {
        let known = report.rows.iter();
        let known = known.filter_map(|row| Some((row.bytes, median(of(row))?)));
        let known: Vec<(u64, f64)> = known.collect();
        let (small, fast) = known.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (large, slow) = known.last()?;
        if format!("{fast:.0}") == format!("{slow:.0}") {
            return Some(format!(
                "{name} {fast:.0} GB/s from {} as well as from {} @.",
                size(*small),
                size(*large)
            ));
        }
        Some(format!(
            "{name} {fast:.0} GB/s at most ({}) and {slow:.0} GB/s from {} @.",
            size(*small),
            size(*large)
        ))
    };
    let one = told("One alone reads", |row| &row.one_gbs);
    let all = match report.units {
        2 => "Both together read".to_owned(),
        units => format!("All {units} together read"),
    };
    let all = told(&all, |row| &row.all_gbs);
    one.into_iter().chain(all).collect()
}

/// A row per working set.
fn sets(report: &MemoryReport, caches: &[CacheSize]) -> Sheet {
    let mut sheet = Sheet::new(
        "working sets",
        [
            Column::given("set"),
            Column::measured("a load", "ns", 2),
            Column::measured("± dev.", "ns", 2),
            Column::measured("one", "GB/s", 1),
            Column::measured("all", "GB/s", 1),
            Column::given("fits in"),
        ],
    );
    for row in &report.rows {
        let fits = caches.iter().find(|cache| row.bytes <= cache.bytes);
        let cells: Vec<Cell> = vec![
            size(row.bytes).into(),
            median(&row.latency_ns).into(),
            mad(&row.latency_ns).into(),
            median(&row.one_gbs).into(),
            median(&row.all_gbs).into(),
            fits.map_or("memory".to_owned(), |c| c.name.clone()).into(),
        ];
        sheet.rows.push(cells);
    }
    sheet
}

fn plots(report: &MemoryReport) -> Vec<Plot> {
    let at: Vec<f64> = report
        .rows
        .iter()
        .map(|r| r.bytes as f64 / 1024.0)
        .collect();
    let line =
        |of: fn(&MemoryRow) -> &Vec<f64>| report.rows.iter().map(|r| median(of(r))).collect();
    let plot = |unit: &str, lines| Plot {
        x: "working set KiB".to_owned(),
        at: at.clone(),
        unit: unit.to_owned(),
        log: true,
        lines,
    };
    let measured = |name: &str, values| (name.to_owned(), Source::Measured, values);
    vec![
        plot("ns", vec![measured("a load", line(|r| &r.latency_ns))]),
        plot("GB/s", vec![measured("one", line(|r| &r.one_gbs))]),
        plot("GB/s", vec![measured("all", line(|r| &r.all_gbs))]),
    ]
}

#[cfg(test)]
mod tests;

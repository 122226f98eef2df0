//! What a load waits and how fast many are, over the working set: the steps at which a
//! cache ends.

use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use plan::cost::{Gpu, GpuDatabase};
use plan::run::{CacheSize, MemoryReport, MemoryRequest, MemoryRow, mad, median};

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
};

/// `study hierarchy`.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// What is measured.
    pub request: MemoryRequest,
}

/// How many times as long a load waits, or as fast a read was, for a step to be said.
const STEP: f64 = 1.3;
/// Median deviations of both sides that a step is higher than: three standard deviations
/// of a normal distribution.
const DEVIATIONS: f64 = 3.0 * 1.4826;
/// The same between two neighbouring working sets, for the second to be part of a step.
const PART: f64 = 1.08;

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
        let steps = steps(&report.rows);
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
            found
                .sentences
                .push("No step is seen: at no size do all later sets wait longer.".to_owned());
        }
        found.sentences.extend(unseen(&caches, &steps, report));
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
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(power, _)| bytes >> power > 0);
    let (power, name) = unit.unwrap_or((0, "B"));
    format!("{} {name}", bytes as f64 / f64::from(1_u32 << power))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        all => all.concat(),
    }
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

/// A step of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    /// The last working set below it.
    fits: u64,
    /// The first above it.
    spills: u64,
    /// Nanoseconds below and above.
    from: f64,
    to: f64,
}

impl Step {
    /// The caches that end between the two sets. A set that is a little larger than a
    /// cache still hits most of the time.
    fn caches<'c>(&self, all: &'c [CacheSize]) -> impl Iterator<Item = &'c CacheSize> {
        let (fits, spills) = (self.fits, self.spills);
        all.iter()
            .filter(move |cache| 3 * cache.bytes >= 2 * fits && cache.bytes < spills)
    }
}

/// Sets between which every later one waits longer than every earlier one, and by more
/// than their samples spread; neighbouring ones are one step.
fn steps(rows: &[MemoryRow]) -> Vec<Step> {
    let known: Vec<(u64, f64, f64)> = rows
        .iter()
        .filter_map(|row| {
            let samples = &row.latency_ns;
            Some((row.bytes, median(samples)?, mad(samples)?))
        })
        .collect();
    let rises = |at: usize| -> Option<bool> {
        let (_, below, loose) = known.get(at)?;
        let (_, above, spread) = known.get(at + 1)?;
        let before = known.get(..=at)?.iter().map(|k| k.1).fold(0.0, f64::max);
        let behind = known.get(at + 1..)?.iter().map(|k| k.1);
        let behind = behind.fold(f64::INFINITY, f64::min);
        Some(above - below > DEVIATIONS * (loose + spread) && behind > PART * before)
    };
    let mut found = Vec::new();
    let mut begun: Option<usize> = None;
    for at in 0..known.len() {
        if rises(at) == Some(true) {
            begun.get_or_insert(at);
            continue;
        }
        let Some(first) = begun.take() else { continue };
        if let (Some(below), Some(above)) = (known.get(first), known.get(at))
            && above.1 >= STEP * below.1
        {
            found.push(Step {
                fits: below.0,
                spills: above.0,
                from: below.1,
                to: above.1,
            });
        }
    }
    found
}

/// Known caches at whose end no step is seen though it was looked for.
fn unseen(caches: &[CacheSize], steps: &[Step], report: &MemoryReport) -> Option<String> {
    let largest = report.rows.last()?.bytes;
    let missed = caches.iter().filter(|cache| {
        cache.bytes * 2 <= largest && !steps.iter().any(|s| s.caches(caches).any(|c| c == *cache))
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
        Some(format!(
            "{name} {fast:.0} GB/s at most ({}) and {slow:.0} GB/s from {} @.",
            size(*small),
            size(*large)
        ))
    };
    let one = told("One alone reads", |row| &row.one_gbs);
    let all = format!("All {} together read", report.units);
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
mod tests {
    use super::*;
    use plan::run::{BackendKind, RunError};

    /// Rows of sets in KiB with a latency, each sample off by up to `noise` of it.
    fn rows(of: &[(u64, f64)], noise: f64) -> Vec<MemoryRow> {
        let sample = |ns: f64, i: i32| ns * (1.0 + noise * f64::from((i * 7) % 5 - 2) / 2.0);
        let row = |&(kib, ns): &(u64, f64)| MemoryRow {
            bytes: kib << 10,
            latency_ns: (0..5).map(|i| sample(ns, i)).collect(),
            one_gbs: vec![100.0 / ns; 5],
            all_gbs: Vec::new(),
        };
        of.iter().map(row).collect()
    }

    fn cache(name: &str, kib: u64) -> CacheSize {
        CacheSize {
            name: name.to_owned(),
            bytes: kib << 10,
        }
    }

    /// L1 of 48 KiB, L2 of 2 MiB: a jump at the first, a slope over the second.
    const STAIRS: [(u64, f64); 9] = [
        (16, 1.5),
        (32, 1.5),
        (48, 1.5),
        (64, 4.5),
        (512, 5.0),
        (1024, 5.0),
        (2048, 9.0),
        (4096, 20.0),
        (8192, 21.0),
    ];

    fn study(rows: Vec<MemoryRow>) -> Findings {
        let request = MemoryRequest {
            backend: BackendKind::Cpu,
            sizes: rows.iter().map(|r| r.bytes).collect(),
        };
        let report = MemoryReport {
            schema: 1,
            device: "a CPU".into(),
            units: 2,
            caches: vec![cache("L1", 48), cache("L2", 2048)],
            rows,
            notes: Vec::new(),
        };
        let evidence = Evidence {
            memory: Some(Ok(report)),
            ..Evidence::default()
        };
        Hierarchy { request }.reduce(&evidence).unwrap()
    }

    #[test]
    fn a_step_is_named_by_the_cache_that_ends_in_it() {
        let found = study(rows(&STAIRS, 0.02));
        assert_eq!(
            found.sentences[..2],
            [
                // 4.5 / 1.5; from 64 to 512 KiB it goes up by 1.11, so that the step goes on.
                "Between 48 KiB and 512 KiB a load comes to wait 3.3 times as long (1.5 ns, then 5.0 ns @): there L1 (48 KiB) ends.",
                // The slope from 1 to 4 MiB is one step.
                "Between 1 MiB and 4 MiB a load comes to wait 4.0 times as long (5.0 ns, then 20.0 ns @): there L2 (2 MiB) ends.",
            ]
        );
        let fits = |at: usize| found.sheets[0].rows[at][5].clone();
        assert_eq!(
            (fits(2), fits(3), fits(8)),
            ("L1".into(), "L2".into(), "memory".into())
        );
        assert_eq!(found.sheets[1].rows.len(), 2);
    }

    #[test]
    fn nothing_is_said_of_what_spreads_further_than_it_rises() {
        for (name, of, noise) in [
            (
                "flat",
                vec![(16, 2.0), (64, 2.02), (256, 1.99), (1024, 2.01)],
                0.02,
            ),
            (
                "a spike",
                vec![(16, 2.0), (64, 9.0), (256, 2.0), (1024, 2.0)],
                0.02,
            ),
            (
                "small rises",
                vec![(16, 2.0), (64, 2.2), (256, 2.3), (1024, 2.4)],
                0.02,
            ),
            (
                "noise",
                vec![(16, 2.0), (64, 3.0), (256, 4.0), (1024, 5.0)],
                0.9,
            ),
        ] {
            let found = study(rows(&of, noise));
            assert!(
                found.sentences[0].starts_with("No step is seen"),
                "{name}: {:?}",
                found.sentences
            );
        }
        let flat = study(rows(&[(16, 2.0), (256, 2.0)], 0.0));
        assert_eq!(
            flat.sentences[1],
            "At the end of L1 (48 KiB) no step is seen."
        );
    }

    #[test]
    fn a_gpu_s_caches_are_those_of_its_data_sheet() {
        let report = MemoryReport {
            schema: 1,
            device: "NVIDIA H200 (sm_90a), CUDA 13.0 driver".into(),
            units: 132,
            caches: Vec::new(),
            rows: rows(&STAIRS, 0.0),
            notes: Vec::new(),
        };
        let (caches, whence) = known(&report);
        // assets/gpus.toml: 228 KiB per multiprocessor, 60 MiB.
        assert_eq!(
            caches,
            [cache("L1 with shared memory", 228), cache("L2", 60 << 10)]
        );
        assert!(whence.contains("H200"));
    }

    #[test]
    fn what_failed_is_a_sentence() {
        let request = MemoryRequest::new(BackendKind::Cpu, 4 << 10, 1 << 20).unwrap();
        let evidence = Evidence {
            memory: Some(Err(RunError::missing("no room"))),
            ..Evidence::default()
        };
        let said = Hierarchy { request }.reduce(&evidence).unwrap_err();
        assert_eq!(said, "no room");
    }
}

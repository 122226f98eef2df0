//! Eight sick runs: each a symptom that can be made again, with the number that reveals
//! it, beside the same without it.

use std::collections::BTreeMap;

use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Sheet};
use plan::cost::{Config, Gpu, floor_seconds, occupancy, price};
use plan::fusion::Version;
use plan::run::{BackendKind, MicroRequest, MicroRow, Request, Troubles};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "sick",
    asks: "How does each of eight troubles show itself, and in which number?",
    varies: "one thing: addresses, banks, local memory, room, launches, waits, the clock, an exponential",
    held: "what is computed",
    finds: "counts of the SIMT machine (#), the calculator and the plan (=), on a GPU times (@), else what was recorded on an H200",
    reduced: "sick beside healthy, and their ratio",
    ends: "the number to look at, trouble by trouble",
    lessons: &["25", "95"],
};

/// `study sick`.
#[derive(Debug, Clone)]
pub struct Sick {
    /// Who runs the small kernels: simt counts, a GPU times as well.
    pub backend: BackendKind,
    /// Whose limits and floors.
    pub gpu: Gpu,
    /// What has too many launches.
    pub config: Config,
    /// What was recorded once, on an H200.
    pub recorded: Recorded,
    /// The only trouble that is shown, by name.
    pub only: Option<String>,
}

/// Figures of an H200 that need a GPU's clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Recorded {
    /// Seconds of a launch.
    pub launch: Option<f64>,
    /// Seconds of a launch with a wait and a copy behind each, and without.
    pub copies: Option<(f64, f64)>,
    /// Seconds of a product under load, and after a rest.
    pub clock: Option<(f64, f64)>,
}

/// Names of the troubles, in order.
pub const NAMES: [&str; 8] = [
    "uncoalesced",
    "bank-conflict",
    "spill",
    "low-occupancy",
    "launches",
    "copies",
    "clock",
    "nan",
];

/// Defective kernels that are run: scores that `exp` holds, and scores that it does not.
const FITS: &str = "bare_80";
const OVER: &str = "bare_100";

/// The room at which one block of a copy fits.
const ROOM: u32 = 160;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Counted,
    Modelled,
    Measured,
    Recorded,
}

impl From {
    const fn said(self) -> &'static str {
        match self {
            Self::Counted => "#",
            Self::Modelled => "=",
            Self::Measured => "@",
            Self::Recorded => "recorded, H200",
        }
    }
}

/// One line of the table.
struct Shown {
    name: &'static str,
    number: &'static str,
    sick: f64,
    healthy: f64,
    from: From,
}

impl Sick {
    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }

    /// The experiments of the troubles that are shown: name, experiment, sick, healthy.
    fn sweeps(&self) -> Vec<(&'static str, &'static str, [u32; 2])> {
        let all = [
            ("uncoalesced", "stride", [32, 1]),
            ("bank-conflict", "columns", [0, 1]),
            ("spill", "held", [1, 0]),
            ("low-occupancy", "resident", [ROOM, 0]),
        ];
        let wanted = all.into_iter().filter(|(name, ..)| self.wants(name));
        // Without a clock the counts of the last are the same on both sides.
        let counted = |name: &str| name != "low-occupancy" || self.backend.is_gpu();
        wanted.filter(|(name, ..)| counted(name)).collect()
    }
}

impl Study for Sick {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let request = |(_, kernel, sweep): (&str, &'static str, [u32; 2])| {
            MicroRequest::new(kernel, &sweep, self.backend).ok()
        };
        let gpu = self.backend.is_gpu();
        let run = |version: Version| Request {
            backend: self.backend,
            ..Request::new(self.config.with_cut(version.cut()))
        };
        Asks {
            sweeps: self.sweeps().into_iter().filter_map(request).collect(),
            runs: match gpu && self.wants("launches") {
                true => vec![run(Version::V1), run(Version::V4)],
                false => Vec::new(),
            },
            mutants: match self.wants("nan") {
                true => vec![FITS.to_owned(), OVER.to_owned()],
                false => Vec::new(),
            },
            troubles: (gpu && (self.wants("copies") || self.wants("clock")))
                .then_some(self.backend),
            ..Asks::default()
        }
    }

    fn smaller(&self) -> &'static str {
        "one trouble by its name"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let mut found = Findings {
            title: match &self.only {
                Some(name) => name.clone(),
                None => "eight troubles".to_owned(),
            },
            ..Findings::default()
        };
        let mut shown = Vec::new();
        for ((name, kernel, [sick, healthy]), report) in
            self.sweeps().into_iter().zip(&evidence.sweeps)
        {
            let report = match report {
                Ok(report) => report,
                Err(why) => {
                    found.notes.push(format!("{name}: {why}"));
                    continue;
                }
            };
            let of = |value: u32| report.rows.iter().find(|row| row.value == value);
            if let (Some(sick), Some(healthy)) = (of(sick), of(healthy)) {
                shown.extend(of_rows(name, kernel, sick, healthy));
            }
        }
        if self.wants("low-occupancy") {
            shown.extend(self.room());
        }
        if self.wants("launches") {
            self.launches(evidence, &mut shown, &mut found)?;
        }
        self.clocked(evidence.troubles.as_ref(), &mut shown, &mut found);
        if self.wants("nan") {
            shown.extend(nan(&evidence.mutants));
        }
        shown.sort_by_key(|s| NAMES.iter().position(|name| *name == s.name));
        found.sentences = shown.iter().map(sentence).collect();
        found.sheets = vec![sheet(&shown)];
        if shown.is_empty() {
            return Err(found.notes.first().cloned().unwrap_or_else(|| {
                "nothing shows this trouble here: it needs a GPU (--backend cuda)".to_owned()
            }));
        }
        Ok(found)
    }
}

/// What an experiment shows of its trouble: the counts, and the times where all launches
/// of one lie above all of the other.
fn of_rows(name: &'static str, kernel: &str, sick: &MicroRow, healthy: &MicroRow) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut counted = |number, of: &dyn Fn(&MicroRow) -> f64| {
        shown.push(Shown {
            name,
            number,
            sick: of(sick),
            healthy: of(healthy),
            from: From::Counted,
        });
    };
    match kernel {
        "stride" => counted("sectors per load of a warp", &|row| {
            row.counts.sectors as f64 / (row.counts.issued as f64 / 2.0 / 128.0)
        }),
        "columns" => counted("passes per access of shared memory", &|row| {
            row.counts.bank_passes as f64 / row.counts.shared_requests as f64
        }),
        "held" => counted("warp instructions", &|row| row.counts.instructions as f64),
        _ => {}
    }
    if let (Some(slow), Some(fast)) = (&sick.time_us, &healthy.time_us)
        && slow.min > fast.max
    {
        shown.push(Shown {
            name,
            number: "µs of the kernel",
            sick: slow.median,
            healthy: fast.median,
            from: From::Measured,
        });
    }
    shown
}

impl Sick {
    /// Blocks of the copy that fit, with room and without.
    fn room(&self) -> Option<Shown> {
        let fits = |kib: u32| occupancy(&self.gpu, 32, 256, u64::from(kib) << 10).ok();
        Some(Shown {
            name: "low-occupancy",
            number: "% of the warps that fit",
            sick: 100.0 * fits(ROOM)?.fraction(),
            healthy: 100.0 * fits(0)?.fraction(),
            from: From::Modelled,
        })
    }

    /// V1 beside V4: launches by the plan, what they cost beside what the bytes ask for.
    fn launches(
        &self,
        evidence: &Evidence,
        shown: &mut Vec<Shown>,
        found: &mut Findings,
    ) -> Result<(), String> {
        let cost = |version: Version| {
            price(&self.config.with_cut(version.cut())).map_err(|e| e.to_string())
        };
        let (many, few) = (cost(Version::V1)?, cost(Version::V4)?);
        let launches = |cost: &plan::cost::Cost| cost.forward.kernels.len() as f64;
        shown.push(Shown {
            name: "launches",
            number: "kernels of a forward",
            sick: launches(&many),
            healthy: launches(&few),
            from: From::Modelled,
        });
        if let Some(launch) = self.recorded.launch {
            let floor = floor_seconds(&many.forward, &self.gpu, self.config.dtype)
                .map_err(|e| e.to_string())?;
            found.notes.push(format!(
                "launches: {:.0} of them at {:.2} µs (recorded on an H200) are {:.0} µs, and {} asks for {:.1} µs of FLOPs and bytes =",
                launches(&many),
                1e6 * launch,
                1e6 * launch * launches(&many),
                self.gpu.name,
                1e6 * floor
            ));
        }
        if let Some(rounds) = &evidence.rounds {
            found.notes.push(format!(
                "launches: {}",
                rounds.verdict(0, 1, 1).sentence("V1", "V4")
            ));
        }
        Ok(())
    }

    /// What needs a clock: measured on a GPU, else recorded.
    fn clocked(
        &self,
        troubles: Option<&Result<Troubles, plan::run::RunError>>,
        shown: &mut Vec<Shown>,
        found: &mut Findings,
    ) {
        let measured = match troubles {
            Some(Ok(troubles)) => Some(troubles),
            Some(Err(why)) => {
                found.notes.push(format!("copies, clock: {why}"));
                None
            }
            None => None,
        };
        type Pair = (f64, f64);
        let of = |here: Option<Pair>, recorded: Option<Pair>| match (here, recorded) {
            (Some(here), _) => Some((here, From::Measured)),
            (None, Some(once)) => Some((once, From::Recorded)),
            (None, None) => None,
        };
        let all = [
            (
                "copies",
                "µs per launch",
                of(measured.and_then(|t| t.copies()), self.recorded.copies),
            ),
            (
                "clock",
                "µs of a product",
                of(measured.and_then(|t| t.clock()), self.recorded.clock),
            ),
        ];
        for (name, number, pair) in all {
            if !self.wants(name) {
                continue;
            }
            match pair {
                Some(((sick, healthy), from)) => shown.push(Shown {
                    name,
                    number,
                    sick: 1e6 * sick,
                    healthy: 1e6 * healthy,
                    from,
                }),
                None => found.notes.push(match measured {
                    Some(_) => format!("{name}: the times overlap; nothing is seen"),
                    None => format!("{name}: needs a GPU (--backend cuda)"),
                }),
            }
        }
    }
}

/// Probabilities that are no numbers, of 256.
fn nan(mutants: &BTreeMap<String, f64>) -> Option<Shown> {
    Some(Shown {
        name: "nan",
        number: "of 256 probabilities no number",
        sick: *mutants.get(OVER)?,
        healthy: *mutants.get(FITS)?,
        from: From::Counted,
    })
}

/// What is different in the sick run, and what is to be done.
fn about(name: &str) -> (&'static str, &'static str) {
    match name {
        "uncoalesced" => (
            "each lane reads 128 bytes from the next",
            "let neighbours read neighbours",
        ),
        "bank-conflict" => (
            "a column of a tile lies in one bank",
            "a column more per row",
        ),
        "spill" => (
            "sums lie in local memory",
            "places known when it is compiled, fewer values",
        ),
        "low-occupancy" => (
            "a block asks for 160 KiB that it does not use",
            "less shared memory, smaller blocks",
        ),
        "launches" => ("a kernel for every op", "fuse, or replay a graph"),
        "copies" => (
            "the host reads back after every launch",
            "read once, at the end",
        ),
        "clock" => (
            "the device has worked for seconds",
            "rest before a run, say the clock",
        ),
        _ => (
            "exp of scores of 100 without the maximum taken off",
            "take the maximum off",
        ),
    }
}

fn sentence(shown: &Shown) -> String {
    let (what, way) = about(shown.name);
    format!(
        "{}: {what}; {} {}, healthy {} {}. Way out: {way}.",
        shown.name,
        shown.number,
        number(shown.sick),
        number(shown.healthy),
        shown.from.said()
    )
}

/// Whole numbers as such, others with two decimals.
fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.2}"),
    }
}

fn sheet(shown: &[Shown]) -> Sheet {
    let mut sheet = Sheet::new(
        "sick and healthy",
        [
            Column::given("trouble"),
            Column::given("number"),
            Column::given("sick"),
            Column::given("healthy"),
            Column::given("times"),
            Column::given("from"),
        ],
    );
    for of in shown {
        let times = of.sick / of.healthy;
        let cells: Vec<Cell> = vec![
            of.name.into(),
            of.number.into(),
            number(of.sick).into(),
            number(of.healthy).into(),
            match times.is_finite() {
                true => format!("{times:.2}").into(),
                false => "–".into(),
            },
            of.from.said().into(),
        ];
        sheet.rows.push(cells);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::GpuDatabase;
    use plan::fusion::Cut;
    use plan::run::{MicroCounts, MicroReport, Timing};

    fn study(only: Option<&str>, backend: BackendKind) -> Sick {
        let database = GpuDatabase::embedded().unwrap();
        Sick {
            backend,
            gpu: database.get("h200").unwrap().clone(),
            config: Config::preset("workshop", Cut::v1()).unwrap(),
            recorded: Recorded {
                launch: Some(2.85e-6),
                copies: Some((20e-6, 4e-6)),
                clock: None,
            },
            only: only.map(str::to_owned),
        }
    }

    fn report(kernel: &str, rows: Vec<MicroRow>) -> MicroReport {
        MicroReport {
            schema: 1,
            kernel: kernel.into(),
            swept: String::new(),
            backend: "simt".into(),
            device: "a machine".into(),
            rows,
            notes: Vec::new(),
        }
    }

    fn row(value: u32, counts: MicroCounts, times: &[f64]) -> MicroRow {
        MicroRow {
            value,
            label: value.to_string(),
            counts,
            time_us: Timing::of(times, "a clock"),
        }
    }

    #[test]
    fn what_needs_a_clock_is_asked_of_a_gpu_only() {
        let asks = study(None, BackendKind::Simt).asks();
        assert_eq!(
            (asks.sweeps.len(), asks.runs.len(), asks.troubles),
            (3, 0, None)
        );
        assert_eq!(asks.mutants, [FITS, OVER]);
        let asks = study(None, BackendKind::Cuda).asks();
        assert_eq!((asks.sweeps.len(), asks.runs.len()), (4, 2));
        assert_eq!(asks.troubles, Some(BackendKind::Cuda));
        let asks = study(Some("nan"), BackendKind::Cuda).asks();
        assert!(asks.sweeps.is_empty() && asks.runs.is_empty() && asks.troubles.is_none());
    }

    #[test]
    fn sectors_are_those_of_a_warp_s_load() {
        // 4096 loads and stores of 4 bytes: 128 loads of a warp; 32 sectors each, or 4.
        let counts = |sectors| MicroCounts {
            issued: 2 * 4 * 4096,
            sectors,
            ..MicroCounts::default()
        };
        let rows = vec![row(32, counts(4096), &[]), row(1, counts(512), &[])];
        let evidence = Evidence {
            sweeps: vec![Ok(report("stride", rows))],
            ..Evidence::default()
        };
        let found = study(Some("uncoalesced"), BackendKind::Simt)
            .reduce(&evidence)
            .unwrap();
        assert_eq!(
            found.sentences,
            [
                "uncoalesced: each lane reads 128 bytes from the next; sectors per load of a warp 32, healthy 4 #. Way out: let neighbours read neighbours."
            ]
        );
        assert_eq!(found.sheets[0].rows[0][4], "8.00".into());
    }

    #[test]
    fn times_are_shown_where_every_launch_is_slower() {
        let none = MicroCounts::default();
        let told = |slow: &[f64], fast: &[f64]| {
            let rows = vec![row(ROOM, none, slow), row(0, none, fast)];
            let evidence = Evidence {
                sweeps: vec![Ok(report("resident", rows))],
                ..Evidence::default()
            };
            let study = study(Some("low-occupancy"), BackendKind::Cuda);
            study.reduce(&evidence).unwrap().sheets[0].rows.len()
        };
        // The calculator's line is always there.
        assert_eq!(told(&[20.0, 21.0], &[10.0, 11.0]), 2);
        assert_eq!(told(&[10.5, 21.0], &[10.0, 11.0]), 1);
    }

    #[test]
    fn launches_rooms_and_recorded_figures_need_no_machine() {
        let found = study(Some("launches"), BackendKind::Simt).reduce(&Evidence::default());
        // README: 71 and 7 launches of the workshop's forward; 71 x 2.85 = 202.
        let found = found.unwrap();
        assert!(found.sentences[0].contains("kernels of a forward 71, healthy 7 ="));
        assert!(found.notes[0].contains("are 202 µs"), "{:?}", found.notes);
        // One of eight blocks fits: 160 + 1 KiB of 228.
        let found = study(Some("low-occupancy"), BackendKind::Simt).reduce(&Evidence::default());
        assert!(found.unwrap().sentences[0].contains("12.50, healthy 100 ="));
        let found = study(Some("copies"), BackendKind::Simt).reduce(&Evidence::default());
        assert!(found.unwrap().sentences[0].contains("20, healthy 4 recorded, H200"));
        let said = study(Some("clock"), BackendKind::Simt).reduce(&Evidence::default());
        assert_eq!(said.unwrap_err(), "clock: needs a GPU (--backend cuda)");
    }

    #[test]
    fn numbers_that_are_none_are_counted() {
        let mutants = [(FITS.to_owned(), 0.0), (OVER.to_owned(), 256.0)];
        let evidence = Evidence {
            mutants: mutants.into(),
            ..Evidence::default()
        };
        let found = study(Some("nan"), BackendKind::Simt)
            .reduce(&evidence)
            .unwrap();
        assert!(found.sentences[0].contains("no number 256, healthy 0 #"));
        assert_eq!(found.sheets[0].rows[0][4], "–".into());
    }
}

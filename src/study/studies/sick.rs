//! Eight sick runs: each a symptom that can be made again, with the number that reveals
//! it, beside the same without it.

mod shown;

use std::collections::BTreeMap;

use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::Findings;
use plan::cost::{Config, Gpu, Vendor, floor_seconds, occupancy, price};
use plan::fusion::Version;
use plan::run::{BackendKind, MicroRequest, Request, Troubles};

use shown::{From, Shown, of_rows, sentence, sheet};

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
    models: true,
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

/// Rooms in KiB at which one block of a copy fits, the first that a device has: of more than
/// 160, of 99 or of 64.
const ROOMS: [u32; 2] = [160, 60];

impl Sick {
    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }

    /// The experiments of the troubles that are shown: name, experiment, sick values of
    /// which the first that the device can do counts, healthy.
    fn sweeps(&self) -> Vec<(&'static str, &'static str, &'static [u32], u32)> {
        let all: [(_, _, &[u32], _); 4] = [
            ("uncoalesced", "stride", &[32], 1),
            ("bank-conflict", "columns", &[0], 1),
            ("spill", "held", &[1], 0),
            ("low-occupancy", "resident", &ROOMS, 0),
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
        let request = |(_, kernel, sick, healthy): (&str, &'static str, &[u32], u32)| {
            let sweep = [sick, &[healthy]].concat();
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

    fn models(&self) -> Option<&Gpu> {
        Some(&self.gpu)
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
        for ((name, kernel, sick, healthy), report) in
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
            let all = || sick.iter().filter_map(|value| of(*value));
            let sick = all().find(|row| row.time_us.is_some()).or(all().next());
            if let (Some(sick), Some(healthy)) = (sick, of(healthy)) {
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
                "nothing shows this trouble here: it needs a GPU (--backend cuda or hip)".to_owned()
            }));
        }
        Ok(found)
    }
}

impl Sick {
    /// Blocks of the copy that fit, with room and without.
    fn room(&self) -> Option<Shown> {
        let fits = |kib: u64| occupancy(&self.gpu, 32, 256, kib << 10).ok();
        // A block of another device may not ask for as much.
        let room = u64::from(ROOMS[0]).min(self.gpu.shared_kb_per_block);
        Some(Shown {
            name: "low-occupancy",
            number: match self.gpu.vendor {
                Vendor::Nvidia => "warps that fit, %",
                Vendor::Amd => "waves that fit, %",
            },
            sick: 100.0 * fits(room)?.fraction(),
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
            Some(Ok(troubles)) => {
                found.notes.extend(troubles.notes.iter().cloned());
                Some(troubles)
            }
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
                    None => format!("{name}: needs a GPU (--backend cuda or hip)"),
                }),
            }
        }
    }
}

/// Probabilities that are no numbers, of 256.
fn nan(mutants: &BTreeMap<String, f64>) -> Option<Shown> {
    Some(Shown {
        name: "nan",
        number: "no number among 256 probabilities",
        sick: *mutants.get(OVER)?,
        healthy: *mutants.get(FITS)?,
        from: From::Counted,
    })
}

#[cfg(test)]
mod tests;

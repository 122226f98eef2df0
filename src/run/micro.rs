//! The gym: kernels of a few lines that are run over and over with one thing
//! changed, to see what it costs. Which there are, what is asked, what comes back.

use serde::{Deserialize, Serialize};

use super::{BackendKind, RunError, Timing};
use crate::units::{Quantity, format};

/// Most values of one sweep: a table that a page holds.
const MOST: usize = 12;

/// A kernel of `kernels/gym/` and what is changed about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Experiment {
    /// Its name, and that of its file.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub title: &'static str,
    /// What is swept.
    pub swept: &'static str,
    /// The values of a sweep where none are given.
    pub usual: &'static [u32],
    /// The values that it takes.
    pub takes: Takes,
    /// What is shown where nothing is said.
    pub shows: &'static [Metric],
}

/// Which values may be swept.
#[derive(Debug, PartialEq, Eq)]
pub enum Takes {
    /// From the first to the last.
    Range(u32, u32),
    /// These, as one kernel each was compiled.
    Only(&'static [u32]),
    /// These by name: 0 is the first.
    Named(&'static [&'static str]),
}

/// Every experiment.
pub const EXPERIMENTS: [Experiment; 8] = [
    Experiment {
        name: "stride",
        title: "a copy of every step-th element: what addresses cost",
        swept: "step",
        usual: &[1, 2, 4, 8, 16, 32],
        takes: Takes::Range(0, 64),
        shows: &[
            Metric::Issued,
            Metric::Sectors,
            Metric::Useful,
            Metric::Time,
        ],
    },
    Experiment {
        name: "columns",
        title: "a transpose through shared memory: which bank holds a column",
        swept: "pad",
        usual: &[0, 1, 2, 4],
        takes: Takes::Range(0, 8),
        shows: &[
            Metric::Requests,
            Metric::Passes,
            Metric::Conflicts,
            Metric::Time,
        ],
    },
    Experiment {
        name: "branch",
        title: "neighbours that go different ways: a warp executes both",
        swept: "group",
        usual: &[1, 8, 16, 32, 64],
        takes: Takes::Range(1, 256),
        shows: &[
            Metric::Divergent,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "select",
        title: "two short sides: both are computed and one is picked",
        swept: "group",
        usual: &[1, 8, 16, 32, 64],
        takes: Takes::Range(1, 256),
        shows: &[
            Metric::Divergent,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "width",
        title: "a copy with loads of 4, 8 or 16 bytes",
        swept: "elements per load",
        usual: &[1, 2, 4],
        takes: Takes::Only(&[1, 2, 4]),
        shows: &[
            Metric::Instructions,
            Metric::Issued,
            Metric::Sectors,
            Metric::Useful,
            Metric::Time,
        ],
    },
    Experiment {
        name: "tile",
        title: "a small matrix product in square tiles: how often an element is read",
        swept: "tile",
        usual: &[4, 8, 16, 32],
        takes: Takes::Only(&[4, 8, 16, 32]),
        shows: &[
            Metric::Issued,
            Metric::Compulsory,
            Metric::Barriers,
            Metric::Instructions,
            Metric::Time,
        ],
    },
    Experiment {
        name: "row_sum",
        title: "the sum of a row, through shared memory or by shuffles",
        swept: "by",
        usual: &[0, 1],
        takes: Takes::Named(&["shared memory", "shuffles"]),
        shows: &[
            Metric::Barriers,
            Metric::Requests,
            Metric::Instructions,
            Metric::Lanes,
            Metric::Time,
        ],
    },
    Experiment {
        name: "mask",
        title: "tiles of 256 over n elements: who has nothing to do in the last",
        swept: "n",
        usual: &[1000, 1024],
        takes: Takes::Range(1, 1 << 20),
        shows: &[
            Metric::Blocks,
            Metric::Divergent,
            Metric::Lanes,
            Metric::Issued,
            Metric::Time,
        ],
    },
];

impl Experiment {
    /// The experiment of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        EXPERIMENTS.iter().find(|e| e.name == name)
    }

    /// Every name.
    pub fn names() -> [&'static str; EXPERIMENTS.len()] {
        EXPERIMENTS.each_ref().map(|e| e.name)
    }

    /// Its file under `kernels/`.
    pub fn source(&self) -> String {
        format!("gym/{}.cu", self.name)
    }

    /// Whether it takes this value.
    pub fn accepts(&self, value: u32) -> bool {
        match self.takes {
            Takes::Range(first, last) => (first..=last).contains(&value),
            Takes::Only(values) => values.contains(&value),
            Takes::Named(names) => (value as usize) < names.len(),
        }
    }

    /// The values that it takes, in words.
    pub fn range(&self) -> String {
        let list = |values: Vec<String>| values.join(", ");
        match self.takes {
            Takes::Range(first, last) => format!("{first} to {last}"),
            Takes::Only(values) => list(values.iter().map(u32::to_string).collect()),
            Takes::Named(names) => list(
                (0..names.len())
                    .zip(names)
                    .map(|(i, name)| format!("{i} ({name})"))
                    .collect(),
            ),
        }
    }

    /// A value as tables show it.
    pub fn label(&self, value: u32) -> String {
        match self.takes {
            Takes::Named(names) => names
                .get(value as usize)
                .map_or_else(|| value.to_string(), |name| (*name).to_owned()),
            _ => value.to_string(),
        }
    }
}

/// One column of the table: a thing that is counted, or the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Bytes that loads and stores ask for.
    Issued,
    /// Distinct sectors touched, in bytes.
    Compulsory,
    /// Sectors of 32 bytes that the loads move.
    Sectors,
    /// Sectors that the stores move.
    SectorsWritten,
    /// Share of the loaded sectors that was asked for.
    Useful,
    /// Warp instructions that touch shared memory.
    Requests,
    /// Passes through the banks of shared memory.
    Passes,
    /// Passes that conflicts add.
    Conflicts,
    /// Branches at which a warp's lanes went both ways.
    Divergent,
    /// Active lanes per warp instruction.
    Lanes,
    /// Warp instructions.
    Instructions,
    /// Barriers that blocks passed.
    Barriers,
    /// Additions and multiplications.
    Flops,
    /// Blocks of the grid.
    Blocks,
    /// Microseconds on a GPU.
    Time,
}

impl Metric {
    /// Every column with its name in a block and its head.
    pub const ALL: [(&'static str, Self, &'static str); 15] = [
        ("issued", Self::Issued, "issued #"),
        ("compulsory", Self::Compulsory, "compulsory #"),
        ("sectors", Self::Sectors, "sectors read #"),
        ("sectors_written", Self::SectorsWritten, "sectors written #"),
        ("efficiency", Self::Useful, "useful #"),
        ("requests", Self::Requests, "shared requests #"),
        ("passes", Self::Passes, "bank passes #"),
        ("conflicts", Self::Conflicts, "conflicts #"),
        ("divergent", Self::Divergent, "divergent #"),
        ("lanes", Self::Lanes, "lanes active #"),
        ("instructions", Self::Instructions, "warp instr. #"),
        ("barriers", Self::Barriers, "barriers #"),
        ("flops", Self::Flops, "FLOP #"),
        ("blocks", Self::Blocks, "blocks #"),
        ("time", Self::Time, "time µs @"),
    ];

    /// The column of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, ..)| *n == name).map(|m| m.1)
    }

    /// Every name.
    pub fn names() -> [&'static str; Self::ALL.len()] {
        Self::ALL.map(|(name, ..)| name)
    }

    /// What stands above the column.
    pub fn head(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|m| m.1 == self)
            .map_or("", |(.., head)| head)
    }

    /// The figure of a row with its unit; `None` where it has none.
    pub fn quantity(self, row: &MicroRow) -> Option<Quantity> {
        let c = &row.counts;
        Some(match self {
            Self::Issued => Quantity::bytes(c.issued),
            Self::Compulsory => Quantity::bytes(c.compulsory),
            Self::Sectors => Quantity::count(c.sectors),
            Self::SectorsWritten => Quantity::count(c.sectors_written),
            Self::Useful => Quantity::ratio(c.useful()?),
            Self::Requests => Quantity::count(c.shared_requests),
            Self::Passes => Quantity::count(c.bank_passes),
            Self::Conflicts => Quantity::count(c.bank_conflicts),
            Self::Divergent => Quantity::count(c.divergent),
            Self::Lanes => Quantity::ratio(c.lanes()?),
            Self::Instructions => Quantity::count(c.instructions),
            Self::Barriers => Quantity::count(c.barriers),
            Self::Flops => Quantity::flop(c.flops),
            Self::Blocks => Quantity::count(c.blocks),
            Self::Time => Quantity::seconds(row.time_us.as_ref()?.median * 1e-6),
        })
    }

    /// The figure as tables show it; a dash where there is none.
    pub fn of(self, row: &MicroRow) -> String {
        let Some(quantity) = self.quantity(row) else {
            return "–".to_owned();
        };
        let value = quantity.value();
        match self {
            Self::Issued | Self::Compulsory => format(&quantity),
            Self::Useful | Self::Lanes => format!("{:.1} %", 100.0 * value),
            Self::Time => format!("{:.1}", 1e6 * value),
            _ => format!("{value:.0}"),
        }
    }
}

/// One experiment to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroRequest {
    /// Name of the experiment.
    pub kernel: String,
    /// The values, in order.
    pub sweep: Vec<u32>,
    /// `simt`, or `cuda` for times as well.
    pub backend: BackendKind,
}

impl MicroRequest {
    /// A request; an empty sweep stands for the usual one.
    ///
    /// # Errors
    /// An experiment or a value that is none; a backend without gym.
    pub fn new(kernel: &str, sweep: &[u32], backend: BackendKind) -> Result<Self, RunError> {
        let Some(experiment) = Experiment::find(kernel) else {
            return Err(RunError::bad_request(format!(
                "there is no experiment “{kernel}”; there are {}",
                Experiment::names().join(", ")
            )));
        };
        if let Some(value) = sweep.iter().find(|value| !experiment.accepts(**value)) {
            return Err(RunError::bad_request(format!(
                "{kernel} does not take {} {value}; it takes {}",
                experiment.swept,
                experiment.range()
            )));
        }
        if sweep.len() > MOST {
            return Err(RunError::bad_request(format!(
                "a sweep has at most {MOST} values, and this has {}",
                sweep.len()
            )));
        }
        let backend = match backend {
            BackendKind::Auto | BackendKind::Simt => BackendKind::Simt,
            BackendKind::Cuda => BackendKind::Cuda,
            other => {
                return Err(RunError::bad_request(format!(
                    "the gym's kernels are counted on simt and timed on cuda; {} has neither",
                    other.name()
                )));
            }
        };
        Ok(Self {
            kernel: kernel.to_owned(),
            sweep: match sweep {
                [] => experiment.usual.to_vec(),
                some => some.to_vec(),
            },
            backend,
        })
    }
}

/// What an experiment showed: `micro --json`, schema 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MicroReport {
    /// Version of this document.
    pub schema: u32,
    /// Name of the experiment.
    pub kernel: String,
    /// What was swept.
    pub swept: String,
    /// `simt` or `cuda`.
    pub backend: String,
    /// The machine in words.
    pub device: String,
    /// A row per value.
    pub rows: Vec<MicroRow>,
    /// What was computed, and how it was checked and timed.
    pub notes: Vec<String>,
}

/// One value of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MicroRow {
    /// The value.
    pub value: u32,
    /// The value as tables show it.
    pub label: String,
    /// Counted by the SIMT machine.
    pub counts: MicroCounts,
    /// Measured on a GPU, at a size worth measuring.
    pub time_us: Option<Timing>,
}

/// What one launch did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroCounts {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Bytes that loads and stores ask for.
    pub issued: u64,
    /// Bytes of distinct sectors touched.
    pub compulsory: u64,
    /// Sectors that loads move.
    pub sectors: u64,
    /// Sectors that the same loads move where their bytes lie side by side.
    pub sectors_ideal: u64,
    /// Sectors that stores move.
    pub sectors_written: u64,
    /// Warp instructions that touch shared memory.
    pub shared_requests: u64,
    /// Passes through the banks.
    pub bank_passes: u64,
    /// Passes that conflicts add.
    pub bank_conflicts: u64,
    /// Branches whose lanes went both ways.
    pub divergent: u64,
    /// Lanes, summed over the warp instructions.
    pub lane_instructions: u64,
    /// Warp instructions.
    pub instructions: u64,
    /// Barriers that blocks passed.
    pub barriers: u64,
    /// Additions, multiplications, divisions.
    pub flops: u64,
}

impl MicroCounts {
    /// Share of the loaded bytes that was asked for. Above 1 where lanes share
    /// an element.
    pub fn useful(&self) -> Option<f64> {
        (self.sectors > 0).then(|| self.sectors_ideal as f64 / self.sectors as f64)
    }

    /// Active lanes per warp instruction, as a share of 32.
    pub fn lanes(&self) -> Option<f64> {
        let all = 32 * self.instructions;
        (all > 0).then(|| self.lane_instructions as f64 / all as f64)
    }
}

impl MicroReport {
    /// The table: its head, and a row per value. `shows` empty: what the
    /// experiment usually shows. A column without any figure is left out.
    pub fn table(&self, shows: &[Metric]) -> (Vec<String>, Vec<Vec<String>>) {
        let usual = Experiment::find(&self.kernel).map_or(&[][..], |e| e.shows);
        let timed = self.rows.iter().any(|row| row.time_us.is_some());
        let shows: Vec<Metric> = if shows.is_empty() { usual } else { shows }
            .iter()
            .copied()
            .filter(|metric| timed || *metric != Metric::Time)
            .collect();
        let mut head = vec![self.swept.clone()];
        head.extend(shows.iter().map(|metric| metric.head().to_owned()));
        let rows = self.rows.iter().map(|row| {
            let mut cells = vec![row.label.clone()];
            cells.extend(shows.iter().map(|metric| metric.of(row)));
            cells
        });
        (head, rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_experiment_does_not_take_is_refused_in_a_sentence() {
        let refused = |kernel: &str, sweep: &[u32], backend| {
            MicroRequest::new(kernel, sweep, backend)
                .unwrap_err()
                .to_string()
        };
        assert!(refused("strides", &[], BackendKind::Simt).contains("there are stride, columns"));
        assert!(refused("width", &[3], BackendKind::Simt).contains("it takes 1, 2, 4"));
        assert!(refused("stride", &[1; 13], BackendKind::Simt).contains("at most 12"));
        assert!(refused("stride", &[], BackendKind::Cpu).contains("cuda"));
        let request = MicroRequest::new("row_sum", &[], BackendKind::Auto).unwrap();
        assert_eq!(
            (request.sweep, request.backend),
            (vec![0, 1], BackendKind::Simt)
        );
    }

    #[test]
    fn names_are_unique_and_usual_sweeps_are_accepted() {
        for (at, experiment) in EXPERIMENTS.iter().enumerate() {
            let same = |other: &Experiment| other.name == experiment.name;
            assert_eq!(EXPERIMENTS.iter().position(same), Some(at));
            assert!(experiment.usual.iter().all(|v| experiment.accepts(*v)));
        }
    }

    #[test]
    fn time_has_a_column_only_where_it_was_measured() {
        let row = MicroRow {
            value: 8,
            label: "8".to_owned(),
            counts: MicroCounts {
                sectors: 32,
                sectors_ideal: 4,
                ..MicroCounts::default()
            },
            time_us: None,
        };
        let mut report = MicroReport {
            schema: 1,
            kernel: "stride".to_owned(),
            swept: "step".to_owned(),
            backend: "simt".to_owned(),
            device: String::new(),
            rows: vec![row],
            notes: Vec::new(),
        };
        let (head, rows) = report.table(&[Metric::Useful, Metric::Time]);
        assert_eq!(head, ["step", "useful #"]);
        assert_eq!(rows, [["8", "12.5 %"]]);
        report.rows[0].time_us = Timing::of(&[2.0], "clock");
        assert_eq!(report.table(&[]).0.len(), 5);
    }
}

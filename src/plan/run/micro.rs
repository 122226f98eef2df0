//! Microbenchmarks (the gym, as learners know it): kernels of a few lines that are run
//! over and over with one thing changed, to see what it costs. What is asked, and what comes back.

mod experiments;
mod metric;

pub use experiments::{EXPERIMENTS, Experiment, Takes};
pub use metric::Metric;

use serde::{Deserialize, Serialize};

use super::{BackendKind, RunError, Timing};

/// Most values of one sweep: a table that a page holds.
const MOST: usize = 12;

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
            gpu if gpu.is_gpu() => gpu,
            other => {
                return Err(RunError::bad_request(format!(
                    "the gym's kernels are counted on simt and timed on cuda and hip; {} does neither",
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
    /// `simt`, `cuda` or `hip`.
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
        let hip = MicroRequest::new("stride", &[], BackendKind::Hip).unwrap();
        assert_eq!(hip.backend, BackendKind::Hip);
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

//! What a machine answers: `run --json`, schema 1.

use serde::{Deserialize, Deserializer, Serialize};

use super::{KernelReport, TraceReport};

/// Everything that a run found out. Figures that this backend cannot know are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this document.
    pub schema: u32,
    /// `cpu`, `simt`, `cuda` or `hip`: never `auto`.
    pub backend: String,
    /// The machine in words.
    pub device: String,
    /// What was run.
    pub plan: PlanReport,
    /// Launches.
    pub launches: LaunchReport,
    /// Times, where the run was timed.
    pub time_us: Option<Timing>,
    /// Bytes, by kind.
    pub bytes: BytesReport,
    /// The comparison with the reference, where one was made.
    pub check: Option<CheckReport>,
    /// The logits in short.
    pub output: OutputReport,
    /// Bytes that were held while it ran, weights included, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_bytes: Option<u64>,
    /// What was counted of each kernel, in the order of launches; empty where
    /// nothing was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelReport>,
    /// When each kernel ran, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceReport>,
    /// What else is to be said, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// JSON has no NaN and no infinity: they are written as null, and read as NaN.
fn null_is_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// The same for a list.
fn nulls_are_nan<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f32>, D::Error> {
    let list = Vec::<Option<f32>>::deserialize(from)?;
    Ok(list.into_iter().map(|x| x.unwrap_or(f32::NAN)).collect())
}

/// What was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReport {
    /// Named fusions that are on.
    pub fusions: Vec<String>,
    /// The groups of the block, as `--groups` takes them.
    pub groups: String,
    /// Launches that the plan says.
    pub launches: u64,
}

/// Launches, counted where kernels are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// Kernels of ours that were started in one forward.
    pub counted: u64,
    /// Kernels of a library, listed apart.
    pub library: u64,
}

impl LaunchReport {
    /// Whether these are the launches of a plan. A kernel of the plan whose
    /// product a library computes may become several of the library's.
    pub const fn matches(&self, planned: u64) -> bool {
        match self.library {
            0 => self.counted == planned,
            library => self.counted < planned && self.counted + library >= planned,
        }
    }
}

/// Times of one forward in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Half of the runs were faster.
    pub median: f64,
    /// The fastest.
    pub min: f64,
    /// The slowest.
    pub max: f64,
    /// Median of the distances from the median: half of the runs were nearer.
    #[serde(default)]
    pub mad: f64,
    /// How many runs were timed.
    pub runs: u32,
    /// How it was timed, in words.
    pub how: String,
    /// Every run, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
}

/// Half of the values are below it; `None` where there are none. Values that are no
/// numbers do not count.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    if sorted.len().is_multiple_of(2) {
        return Some(f64::midpoint(*sorted.get(half - 1)?, upper));
    }
    Some(upper)
}

/// Median absolute deviation: the median of the distances from the median.
pub fn mad(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    median(&distances)
}

impl Timing {
    /// The statistics of some times in microseconds; `None` where there are none.
    pub fn of(times_us: &[f64], how: impl Into<String>) -> Option<Self> {
        // A clock that jumps gives what is no time.
        let times: Vec<f64> = times_us
            .iter()
            .copied()
            .filter(|t| t.is_finite() && *t > 0.0)
            .collect();
        Some(Self {
            median: median(&times)?,
            min: times.iter().copied().reduce(f64::min)?,
            max: times.iter().copied().reduce(f64::max)?,
            mad: mad(&times)?,
            runs: u32::try_from(times.len()).unwrap_or(u32::MAX),
            how: how.into(),
            times,
        })
    }
}

/// Bytes of one forward, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BytesReport {
    /// By the cost model.
    pub modelled: Option<u64>,
    /// Asked for by load and store instructions.
    pub issued: Option<u64>,
    /// Distinct sectors touched.
    pub compulsory: Option<u64>,
    /// Estimated to reach DRAM.
    pub estimated_dram: Option<u64>,
    /// Bytes of the cache behind which that was estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u64>,
    /// Counted by the device's counters.
    pub measured_dram: Option<u64>,
    /// What its L2 was asked for, by the same counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2: Option<LookUps>,
}

/// What a cache was asked for, in its own unit: sectors of 32 bytes on NVIDIA's GPUs,
/// requests on AMD's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LookUps {
    /// What it held.
    pub hits: u64,
    /// What it had to fetch.
    pub misses: u64,
}

impl LookUps {
    /// Hits as a share of all; none where nothing was asked for.
    pub fn rate(self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
        }
    }
}

/// The comparison of the outputs with a reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// What it was compared with.
    pub reference: String,
    /// Largest absolute difference of a logit.
    #[serde(deserialize_with = "null_is_nan")]
    pub max_abs_error: f64,
    /// Root mean square of the logits' differences, over that of the logits.
    #[serde(deserialize_with = "null_is_nan")]
    pub rel_error: f64,
    /// What `rel_error` may be.
    pub tolerance: f64,
    /// Whether every tensor is within its tolerance.
    pub pass: bool,
    /// The first tensor that is not: where, and both values.
    pub first_wrong: Option<String>,
    /// Every tensor that was compared, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tensors: Vec<TensorReport>,
    /// What wrong programs would have given, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<WrongReport>,
}

/// A program with a known defect, computed in fp64, beside the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrongReport {
    /// What is wrong with it.
    pub what: String,
    /// Of its logits: root mean square of the differences over that of the reference.
    #[serde(deserialize_with = "null_is_nan")]
    pub rel_error: f64,
    /// Of its logits: the largest absolute difference.
    #[serde(deserialize_with = "null_is_nan")]
    pub max_abs_error: f64,
    /// The first tensor in which the check of an fp32 program would see it.
    pub first_wrong: Option<String>,
}

/// How one tensor compares with the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorReport {
    /// Its name, with its block: `block 2: n1`.
    pub name: String,
    /// Its block, where it has one.
    pub layer: Option<u32>,
    /// Root mean square of the differences over that of the reference.
    #[serde(deserialize_with = "null_is_nan")]
    pub rel_error: f64,
    /// Largest absolute difference.
    #[serde(deserialize_with = "null_is_nan")]
    pub max_abs_error: f64,
    /// What `rel_error` may be.
    pub tolerance: f64,
}

/// The logits in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputReport {
    /// batch, seq, vocab.
    pub shape: Vec<u64>,
    /// SHA-256 of the logits as little-endian fp32, in hexadecimal.
    pub sha256: String,
    /// The first few logits of the last token of the first sequence.
    #[serde(deserialize_with = "nulls_are_nan")]
    pub sample: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_cross_a_wire() {
        let check = CheckReport {
            reference: "fp64".to_owned(),
            max_abs_error: f64::INFINITY,
            rel_error: f64::NAN,
            tolerance: 1.1e-6,
            pass: false,
            first_wrong: None,
            tensors: vec![],
            wrong: vec![],
        };
        let text = serde_json::to_string(&check).unwrap();
        let read: CheckReport = serde_json::from_str(&text).unwrap();
        assert!(read.max_abs_error.is_nan() && read.rel_error.is_nan());
        assert_eq!(read.tolerance, 1.1e-6);
        let output = OutputReport {
            shape: vec![1],
            sha256: String::new(),
            sample: vec![0.1, f32::NAN],
        };
        let text = serde_json::to_string(&output).unwrap();
        let read: OutputReport = serde_json::from_str(&text).unwrap();
        assert!(read.sample[0] == 0.1 && read.sample[1].is_nan());
    }

    #[test]
    fn a_library_takes_over_some_of_the_launches() {
        let of = |counted, library| LaunchReport { counted, library };
        assert!(of(71, 0).matches(71) && !of(70, 0).matches(71));
        assert!(of(42, 29).matches(71), "a product each");
        assert!(of(34, 37).matches(47), "qkv became three");
        assert!(!of(71, 1).matches(71), "nothing was replaced");
        assert!(!of(42, 20).matches(71), "some are missing");
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let t = Timing::of(&[4.0, 1.0, 3.0, 2.0], "clock").unwrap();
        assert_eq!((t.median, t.min, t.max, t.runs), (2.5, 1.0, 4.0, 4));
        // Distances from 2.5: 1.5, 1.5, 0.5, 0.5.
        assert_eq!(
            (t.mad, t.times.as_slice()),
            (1.0, &[4.0, 1.0, 3.0, 2.0][..])
        );
        let one = Timing::of(&[7.0], "clock").unwrap();
        assert_eq!((one.median, one.mad), (7.0, 0.0));
        let jumped = Timing::of(&[5.0, -3.0, f64::NAN, f64::INFINITY, 0.0], "clock").unwrap();
        assert_eq!((jumped.median, jumped.runs), (5.0, 1));
        assert_eq!(Timing::of(&[], "clock"), None);
    }
}

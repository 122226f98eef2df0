//! What `rocprof-compute analyze` prints (Omniperf before): tables of bars and dashes
//! between titles. Its kernels (0.1) and the metrics of its system speed of light (2.1)
//! are read. As AMD's training examples and public reports of users have it.

use super::gathered::Gathered;
use super::table::number;
use super::{KernelRow, Metric, Profile, ProfileError, Resources, Tool};

/// Most metrics that are kept.
const MOST_METRICS: usize = 256;

/// Reads the tables, line by line.
pub(super) struct Analyze {
    all: Gathered,
    metrics: Vec<Metric>,
    /// The columns of the table that is being read.
    head: Vec<String>,
    /// A row of kernels, whose name goes on in the next line.
    row: Option<KernelRow>,
}

/// The cells between bars.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let inner = line.strip_prefix(['|', '│'])?.strip_suffix(['|', '│'])?;
    Some(inner.split(['|', '│']).map(str::trim).collect())
}

impl Analyze {
    /// A reader, if this line is the title of the first table.
    pub(super) fn begins(line: &str) -> Option<Self> {
        let title = line.trim();
        let known = ["0. Top Stat", "0.1 Top Kernels", "0. Top Stats"];
        known.contains(&title).then(|| Self {
            all: Gathered::new(Tool::RocprofAnalyze, false),
            metrics: Vec::new(),
            head: Vec::new(),
            row: None,
        })
    }

    /// A line behind it.
    pub(super) fn line(&mut self, line: &str, place: usize) -> Result<(), ProfileError> {
        let Some(cells) = cells(line) else {
            // A title, a frame, nothing: the table may go on behind a frame.
            let frame = line.trim().chars().all(|c| !c.is_alphanumeric());
            if !frame {
                self.head.clear();
            }
            return self.whole();
        };
        let is_head = cells
            .iter()
            .any(|cell| matches!(*cell, "Kernel_Name" | "KernelName" | "Metric_ID" | "Index"));
        if is_head {
            self.whole()?;
            self.head = cells.iter().map(|cell| (*cell).to_owned()).collect();
            return Ok(());
        }
        let cell = |names: &[&str]| {
            let at = self
                .head
                .iter()
                .position(|head| names.contains(&head.as_str()))?;
            cells.get(at).copied()
        };
        let wrong = |what: &str, text: &str| {
            ProfileError::at(
                place,
                1,
                format!(
                    "“{text}” stands where {what} is expected; write the output of analyze to a file again"
                ),
            )
        };
        if let (Some(name), Some(count), Some(sum)) = (
            cell(&["Kernel_Name", "KernelName"]),
            cell(&["Count"]),
            cell(&["Sum(ns)", "Sum (ns)"]),
        ) {
            if count.is_empty() && sum.is_empty() {
                if let Some(row) = &mut self.row {
                    row.name.push_str(name);
                }
                return Ok(());
            }
            let calls = number(count)
                .filter(|n| *n >= 0.0)
                .ok_or_else(|| wrong("a number of calls", count))?;
            let total = number(sum)
                .filter(|n| *n >= 0.0)
                .ok_or_else(|| wrong("a time", sum))?;
            let row = KernelRow {
                name: name.to_owned(),
                calls: calls.round() as u64,
                total_ns: Some(total),
                min_ns: None,
                max_ns: None,
                resources: Resources::default(),
            };
            self.whole()?;
            self.row = Some(row);
            return Ok(());
        }
        let id = cell(&["Metric_ID", "Index"]).unwrap_or_default();
        if id.starts_with("2.1.")
            && let (Some(name), Some(value)) = (cell(&["Metric"]), cell(&["Avg", "Value"]))
            && let Some(value) = number(value)
            && self.metrics.len() < MOST_METRICS
        {
            let share = cell(&["Pct of Peak", "PoP"]).and_then(number);
            self.metrics.push(Metric {
                name: name.to_owned(),
                value,
                unit: cell(&["Unit"]).unwrap_or_default().to_owned(),
                of_peak: share.map(|percent| percent / 100.0),
            });
        }
        Ok(())
    }

    /// The row that was being read has ended.
    fn whole(&mut self) -> Result<(), ProfileError> {
        match self.row.take() {
            Some(row) => self.all.sum(row),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<Profile, ProfileError> {
        self.whole()?;
        let mut profile = self.all.finish()?;
        profile.metrics = self.metrics;
        Ok(profile)
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::read;

    /// As AMD's training examples print it, the metrics added in the same form.
    const FILE: &str = "Analysis mode = cli
[analysis] deriving Omniperf metrics...

0. Top Stats
0.1 Top Kernels
-----------------------------------------------------------------------------------------------------------------
|    | Kernel_Name                              |   Count |      Sum(ns) |     Mean(ns) |   Median(ns) |    Pct |
-----|------------------------------------------|---------|--------------|--------------|--------------|---------
|  0 | yax(double*, double*, double*, int, int, |    1.00 | 751342314.00 | 751342314.00 | 751342314.00 | 100.00 |
|    |  double*) [clone .kd]                    |         |              |              |              |        |
-----------------------------------------------------------------------------------------------------------------
-------------------------------------------------------------------------------------------------
|    |   Dispatch_ID | Kernel_Name                                                   |   GPU_ID |
-----|---------------|---------------------------------------------------------------|-----------
|  0 |             1 | yax(double*, double*, double*, int, int, double*) [clone .kd] |        2 |
-------------------------------------------------------------------------------------------------

2. System Speed-of-Light
2.1 Speed-of-Light
| Metric_ID   | Metric            |    Avg | Unit | Peak | Pct of Peak |
| 2.1.16      | L2 Cache Hit Rate |  81.50 | Pct  | 100.00 | 81.50 |
| 2.1.17      | LDS Latency       |        | Cycles |  |  |
7. Wavefront
| 7.1.0       | Grid Size        | 256.00 | 256.00 | 256.00 | Work items |
";

    #[test]
    fn kernels_and_the_speed_of_light_as_published() {
        let profile = read(FILE.as_bytes()).unwrap();
        assert_eq!(profile.tool.name(), "rocprof-compute-analyze");
        let [kernel] = profile.kernels.as_slice() else {
            panic!("{:?}", profile.kernels)
        };
        assert_eq!(
            kernel.name,
            "yax(double*, double*, double*, int, int,double*) [clone .kd]"
        );
        assert_eq!((kernel.calls, kernel.total_ns), (1, Some(751_342_314.0)));
        let [metric] = profile.metrics.as_slice() else {
            panic!("{:?}", profile.metrics)
        };
        assert_eq!(
            (metric.name.as_str(), metric.of_peak),
            ("L2 Cache Hit Rate", Some(0.815))
        );
    }

    /// The frame of another release, as a user's report has it.
    #[test]
    fn the_other_frame_reads_the_same() {
        let text = "0. Top Stat
╒════╤══════════════════════════════════════════╤═════════╤═══════════════╤══════════════╤══════════════╤═══════╕
│    │ KernelName                               │   Count │       Sum(ns) │     Mean(ns) │   Median(ns) │   Pct │
╞════╪══════════════════════════════════════════╪═════════╪═══════════════╪══════════════╪══════════════╪═══════╡
│  0 │ s_convert_conservative_to_primitive_vari │   30.00 │ 5320256325.25 │ 177341877.51 │ 176818215.38 │ 58.28 │
│    │ ables$m_variables_conversion_$ck_L890_1_ │         │               │              │              │       │
├────┼──────────────────────────────────────────┼─────────┼───────────────┼──────────────┼──────────────┼───────┤
│  1 │ s_weno$m_weno_$ck_L581_5.kd              │  120.00 │  234018088.00 │   1950150.73 │   1950257.62 │  2.56 │
";
        let profile = read(text.as_bytes()).unwrap();
        assert_eq!(profile.kernels.len(), 2);
        assert!(
            profile.kernels[0]
                .name
                .ends_with("variables$m_variables_conversion_$ck_L890_1_")
        );
        assert_eq!(profile.calls(), 150);
        let e = read(text.replace("120.00", "many").as_bytes()).unwrap_err();
        assert!(e.line == 8 && e.message.contains("number of calls"), "{e}");
        let e = read(text.get(..60).unwrap().as_bytes()).unwrap_err();
        assert!(e.message.contains("without a kernel"), "{e}");
    }
}

//! When each kernel of a forward ran: spans on one axis.

use serde::{Deserialize, Serialize};

use super::{mad, median};

/// What the axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Microseconds.
    Microseconds,
    /// Warp instructions, kernel after kernel: no time.
    Instructions,
}

impl Axis {
    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Microseconds => "µs",
            Self::Instructions => "instr.",
        }
    }
}

/// One forward on an axis that begins with its first kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceReport {
    /// What the axis counts.
    pub axis: Axis,
    /// How it was recorded, in words.
    pub how: String,
    /// Forwards that were recorded: this is the one of median length.
    pub forwards: u32,
    /// Its kernels in the order of launches.
    pub spans: Vec<SpanReport>,
    /// What multiprocessors did inside a kernel, where that was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseReport>,
}

/// A kernel on the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpanReport {
    /// The plan's name of it, with its block: `block 2: q+k+v`.
    pub name: String,
    /// The plan's kernel that it is, by index.
    pub kernel: usize,
    /// Its first thread block begins.
    pub from: f64,
    /// Its last ends.
    pub to: f64,
    /// How long it took in each forward, from the end of what is in front of it where it
    /// begins before: until then it may only wait.
    pub took: Vec<f64>,
}

impl SpanReport {
    /// Median over the forwards.
    pub fn median(&self) -> f64 {
        median(&self.took).unwrap_or(self.to - self.from)
    }

    /// Median absolute deviation over the forwards.
    pub fn mad(&self) -> f64 {
        mad(&self.took).unwrap_or(0.0)
    }
}

/// What one multiprocessor did for a while, inside a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// The kernel, by its place among the spans.
    pub span: usize,
    /// `attention`, `waits`.
    pub name: String,
    /// The multiprocessor.
    pub unit: u32,
    /// It begins.
    pub from: f64,
    /// It ends.
    pub to: f64,
}

impl TraceReport {
    /// Of forwards that were recorded one after another, each kernel after kernel as
    /// begin and end: the one of median length, its axis beginning at 0.
    pub fn of(
        axis: Axis,
        how: impl Into<String>,
        names: &[(String, usize)],
        forwards: &[Vec<(f64, f64)>],
    ) -> Option<Self> {
        let length = |forward: &Vec<(f64, f64)>| -> f64 {
            let ends = forward.iter().map(|span| span.1).fold(0.0, f64::max);
            ends - begin(forward)
        };
        let mut order: Vec<&Vec<(f64, f64)>> = forwards.iter().collect();
        order.sort_by(|a, b| length(a).total_cmp(&length(b)));
        let middle = order.get(order.len() / 2)?;
        let zero = begin(middle);
        let alone: Vec<Vec<f64>> = forwards.iter().map(|forward| alone(forward)).collect();
        let spans = names.iter().zip(middle.iter()).enumerate();
        let spans = spans.map(|(at, ((name, kernel), (from, to)))| SpanReport {
            name: name.clone(),
            kernel: *kernel,
            from: from - zero,
            to: to - zero,
            took: alone
                .iter()
                .filter_map(|took| took.get(at).copied())
                .collect(),
        });
        Some(Self {
            axis,
            how: how.into(),
            forwards: forwards.len() as u32,
            spans: spans.collect(),
            phases: Vec::new(),
        })
    }

    /// From the first begin to the last end.
    pub fn length(&self) -> f64 {
        self.spans.iter().map(|span| span.to).fold(0.0, f64::max)
    }
}

/// How long each kernel ran after all in front of it had ended.
fn alone(forward: &[(f64, f64)]) -> Vec<f64> {
    let mut ended = f64::NEG_INFINITY;
    let took = forward.iter().map(|(from, to)| {
        let took = (to - from.max(ended)).max(0.0);
        ended = ended.max(*to);
        took
    });
    took.collect()
}

fn begin(forward: &[(f64, f64)]) -> f64 {
    let begins = forward.iter().map(|span| span.0);
    begins.reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forward_of_median_length_stands_for_all() {
        let names = [("a".to_owned(), 0), ("b".to_owned(), 1)];
        // Lengths 10, 30, 20; they begin where the clock happened to stand.
        let forwards = [
            vec![(100.0, 104.0), (104.0, 110.0)],
            vec![(200.0, 212.0), (211.0, 230.0)],
            vec![(300.0, 307.0), (306.0, 320.0)],
        ];
        let trace = TraceReport::of(Axis::Microseconds, "clock", &names, &forwards).unwrap();
        assert_eq!((trace.forwards, trace.length()), (3, 20.0));
        assert_eq!((trace.spans[1].from, trace.spans[1].to), (6.0, 20.0));
        // In the second and third it begins 1 before the first has ended.
        assert_eq!(trace.spans[1].took, [6.0, 18.0, 13.0]);
        // Median 13; distances 7, 5, 0.
        assert_eq!((trace.spans[1].median(), trace.spans[1].mad()), (13.0, 5.0));
        assert_eq!(TraceReport::of(Axis::Microseconds, "", &names, &[]), None);
    }
}

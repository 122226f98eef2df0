//! What the SIMT machine counted, beside the lines that caused it.
//!
//! Counts come with a run on the SIMT machine ([`plan::run::KernelReport::lines`]),
//! which executes the sm_80 build: while they are shown, so is that build.

use super::KernelPage;
use crate::intent::Out;
use crate::note::Tone;
use crate::ribbon;
use crate::shared::Shared;
use plan::run::{KernelReport, WorkReport};
use plan::units::figure;
use plan::units::{Quantity, format, group_thousands};
use study::lab::counted::of_kernel;

/// The GPU whose grids the machine launches.
pub(super) const GPU: &str = "a100_80gb";

/// The architecture whose build it executes: another device of it has the same.
pub(super) const ARCH: &str = "sm_80";

/// Work of a forward up to which a key press starts counting without being
/// asked twice: a few seconds.
const AT_ONCE: u64 = 5_000_000_000;

/// What the column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Warp instructions.
    Instructions,
    /// Bytes of global memory that lanes asked for.
    Bytes,
    /// Sectors of 32 bytes per request of global memory.
    Sectors,
    /// Passes through the banks of shared memory beyond those needed.
    Conflicts,
    /// Branches at which a warp's lanes went both ways.
    Divergence,
}

impl Metric {
    const ALL: [Metric; 5] = [
        Metric::Instructions,
        Metric::Bytes,
        Metric::Sectors,
        Metric::Conflicts,
        Metric::Divergence,
    ];

    /// Over the column.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Instructions => "warp instructions #",
            Metric::Bytes => "issued bytes, global #",
            Metric::Sectors => "sectors per request #",
            Metric::Conflicts => "bank conflicts #",
            Metric::Divergence => "divergent branches #",
        }
    }

    /// The value of some work; `None` where there was nothing of the kind.
    pub fn value(self, work: &WorkReport) -> Option<f64> {
        let some = |happened: u64, value: u64| (happened > 0).then_some(value as f64);
        match self {
            Metric::Instructions => some(work.instructions, work.instructions),
            Metric::Bytes => some(work.requests, work.bytes),
            Metric::Sectors => work.sectors_per_request(),
            Metric::Conflicts => some(work.shared_requests, work.conflicts),
            Metric::Divergence => some(work.branches, work.divergent),
        }
    }

    /// A value in at most seven columns.
    pub fn text(self, value: f64) -> String {
        match self {
            Metric::Sectors => format!("{value:.1}"),
            _ => short(value),
        }
    }
}

/// A count in at most six columns: `9,999`, `12.3k`, `1.23M`.
fn short(value: f64) -> String {
    match value {
        v if v < 10_000.0 => group_thousands(v as i128),
        v if v < 999_950.0 => format!("{:.1}k", v / 1e3),
        v if v < 9_995_000.0 => format!("{:.2}M", v / 1e6),
        v if v < 999_950_000.0 => format!("{:.1}M", v / 1e6),
        v => format!("{:.1}G", v / 1e9),
    }
}

/// What was counted of the kernel under the cursor.
pub fn counts(shared: &Shared) -> Option<&KernelReport> {
    let cut = shared.bench.cut();
    let report = shared.runs.counted(shared.bench.setup(), cut)?;
    let cost = shared.bench.cost();
    let group = super::group(shared)?;
    let kernel = ribbon::kernel_of(cost, &group).and_then(|k| of_kernel(report, k));
    // Where the whole forward is one kernel it is no kernel of the block.
    kernel.or(match report.kernels.as_slice() {
        [all] => Some(all),
        _ => None,
    })
}

/// What a line of a file did.
pub fn of_line<'k>(kernel: &'k KernelReport, file: &str, number: usize) -> Option<&'k WorkReport> {
    let line = kernel
        .lines
        .iter()
        .find(|l| l.file == file && l.line as usize == number)?;
    Some(&line.work)
}

/// What the lines of a file did together.
pub fn of_file(kernel: &KernelReport, file: &str) -> WorkReport {
    let mut all = WorkReport::default();
    let lines = kernel.lines.iter().filter(|l| l.file == file);
    lines.for_each(|l| all.add(&l.work));
    all
}

/// The file that most of the kernel's instructions are of, and how many.
fn hottest(kernel: &KernelReport) -> Option<(&str, f64)> {
    let all = kernel.work?.instructions.max(1) as f64;
    let of = |file: &str| of_file(kernel, file).instructions;
    let files = kernel.lines.iter().map(|l| l.file.as_str());
    let file = files.max_by_key(|file| of(file))?;
    Some((file, of(file) as f64 / all))
}

/// The largest value of a line of the kernel: what the others are drawn against.
pub fn most(kernel: &KernelReport, metric: Metric) -> f64 {
    let values = kernel.lines.iter().filter_map(|l| metric.value(&l.work));
    values.fold(0.0, f64::max)
}

/// The line under the page: everything about the line under the cursor, or why
/// there is nothing.
pub fn line(page: &KernelPage, shared: &Shared) -> Option<String> {
    super::metric(page)?;
    let Some(kernel) = counts(shared) else {
        return Some(match shared.runs.running() {
            Some(_) => "Counting on the SIMT machine; Ctrl-C stops it.".to_owned(),
            None => "Not counted yet: r counts this plan on the SIMT machine.".to_owned(),
        });
    };
    let source = super::source(page, shared)?;
    let here = source.lines.get(page.line)?;
    let Some(work) = of_line(kernel, &source.file, here.number) else {
        let text = format!("Line {}: no instruction is of this line.", here.number);
        return Some(match hottest(kernel) {
            Some((file, share)) if file != source.file => {
                format!("{text} {:.0} % # are of {file}: Tab.", 100.0 * share)
            }
            _ => text,
        });
    };
    Some(figure::fitted(&said(here.number, work), shared.size.0))
}

/// A line's counts in words, as far as there are any.
fn said(number: usize, work: &WorkReport) -> String {
    let count = |n: u64| group_thousands(i128::from(n));
    let mut parts = vec![format!("{} instr. #", count(work.instructions))];
    if let (Some(sectors), Some(ideal)) = (work.sectors_per_request(), work.side_by_side()) {
        parts.push(format!(
            "{} in {}, {sectors:.1} sectors each ({ideal:.1} side by side)",
            format(&Quantity::bytes(work.bytes)),
            figure::counted(work.requests, "request", "requests"),
        ));
    }
    if work.shared_requests > 0 {
        parts.push(figure::counted(
            work.conflicts,
            "bank conflict",
            "bank conflicts",
        ));
    }
    if work.branches > 0 {
        parts.push(format!(
            "{} of {} branches diverge",
            count(work.divergent),
            count(work.branches)
        ));
    }
    format!("Line {number}: {}", parts.join(" · "))
}

/// To the next kind of count, after the last none; the first counts the plan
/// where nobody has.
pub(super) fn next(page: &mut KernelPage, shared: &mut Shared, out: &mut Out) {
    let at = Metric::ALL.iter().position(|m| Some(*m) == page.metric);
    let next = at.map_or(0, |at| at + 1);
    page.metric = Metric::ALL.get(next).copied();
    page.view = super::View::Source;
    let first = at.is_none() && shared.runs.running().is_none();
    if first && counts(shared).is_none() {
        let flops = shared.bench.cost().forward.flops;
        if flops <= AT_ONCE {
            return count(page, shared, out);
        }
        let text = format!(
            "Counting executes {} on this CPU. r counts it anyway; p sets a smaller shape.",
            format(&Quantity::flop(flops))
        );
        shared.notes.say(Tone::Warn, text);
    }
}

/// Counts the plan on the SIMT machine.
pub(super) fn count(page: &mut KernelPage, shared: &mut Shared, out: &mut Out) {
    page.metric = page.metric.or(Metric::ALL.first().copied());
    shared.count_lines(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_within_six_columns() {
        for (value, text) in [
            (0.0, "0"),
            (9_999.0, "9,999"),
            (10_000.0, "10.0k"),
            (999_949.0, "999.9k"),
            (999_950.0, "1.00M"),
            (1_185_872.0, "1.19M"),
            (123_456_789.0, "123.5M"),
            (5.0e9, "5.0G"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_line_says_what_it_did_and_nothing_else() {
        let load = WorkReport {
            instructions: 64,
            bytes: 8192,
            requests: 64,
            sectors: 1024,
            ideal_sectors: 256,
            ..WorkReport::default()
        };
        let text = said(7, &load);
        assert_eq!(
            text,
            "Line 7: 64 instr. # · 8,192 B in 64 requests, 16.0 sectors each (4.0 side by side)"
        );
        assert_eq!(Metric::Sectors.value(&load), Some(16.0));
        // No branch, no shared memory: no number, not a zero.
        assert_eq!(Metric::Divergence.value(&load), None);
        assert_eq!(Metric::Conflicts.value(&load), None);
    }
}

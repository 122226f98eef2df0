//! Counted bytes beside modelled ones: of a kernel of the block, of a block, of
//! all launches of a kernel; and which buffer a surplus is due to.

use plan::cost::{KernelCost, Priced};
use plan::run::{BufferReport, BytesReport, KernelReport, Report};
use plan::units::{Quantity, format};

/// Buffers that a sentence names.
const NAMED: usize = 6;
/// A buffer is named as asked for again from this many times on.
const AGAIN: f64 = 1.05;

/// The launches of one kernel in a forward, taken together.
#[derive(Debug, Clone, PartialEq)]
pub struct Launches<'r> {
    /// The first of them.
    pub first: &'r KernelReport,
    /// How many.
    pub launches: u64,
    /// Their bytes.
    pub bytes: BytesReport,
}

/// The kernels of a forward in order, launches of the same ops together.
pub fn together(report: &Report) -> Vec<Launches<'_>> {
    let mut all: Vec<Launches<'_>> = Vec::new();
    for kernel in &report.kernels {
        match all.iter_mut().find(|l| l.first.ops == kernel.ops) {
            Some(same) => {
                same.launches += 1;
                same.bytes = sum(&same.bytes, &kernel.bytes);
            }
            None => all.push(Launches {
                first: kernel,
                launches: 1,
                bytes: kernel.bytes,
            }),
        }
    }
    all
}

/// Sums kind by kind; a kind that one of both lacks is lacking.
fn sum(a: &BytesReport, b: &BytesReport) -> BytesReport {
    let add = |of: fn(&BytesReport) -> Option<u64>| Some(of(a)? + of(b)?);
    BytesReport {
        modelled: add(|b| b.modelled),
        issued: add(|b| b.issued),
        compulsory: add(|b| b.compulsory),
        estimated_dram: add(|b| b.estimated_dram),
        behind: a.behind.filter(|_| a.behind == b.behind),
        measured_dram: add(|b| b.measured_dram),
        l2: a.l2.zip(b.l2).map(|(a, b)| a.and(b)),
    }
}

/// What was counted of a kernel of the block. Where the whole forward is one
/// kernel, its counts are of the forward, and a block has none.
pub fn of_kernel<'r>(report: &'r Report, cost: &KernelCost) -> Option<&'r KernelReport> {
    report.kernels.iter().find(|k| {
        let ops = k.ops.iter().map(String::as_str);
        ops.eq(cost.ops.iter().copied())
    })
}

/// Bytes of some kernels of the block together, by kind; `None` where one of
/// them was not counted.
pub fn of_kernels<'c>(
    report: &Report,
    kernels: impl IntoIterator<Item = &'c KernelCost>,
) -> Option<BytesReport> {
    let mut kernels = kernels.into_iter();
    let first = of_kernel(report, kernels.next()?)?.bytes;
    kernels.try_fold(first, |all, k| {
        Some(sum(&all, &of_kernel(report, k)?.bytes))
    })
}

/// Bytes of one block by kind.
pub fn of_block(report: &Report, block: &Priced) -> Option<BytesReport> {
    of_kernels(report, &block.kernels)
}

/// Why a kernel moves more than the model says, or asks for more than must
/// move: the buffers by name. `None` where there is nothing to explain.
pub fn surplus(kernel: &KernelReport) -> Option<String> {
    let inside = names(kernel);
    if !inside.is_empty() {
        return Some(format!(
            "{} # between its phases, of which the model prices nothing: {inside}",
            format(&Quantity::bytes(kernel.between_phases()))
        ));
    }
    let (buffer, times) = again(kernel)?;
    Some(format!(
        "{} is asked for {times:.1} times #: {} to move {} at least",
        buffer.name,
        format(&Quantity::bytes(buffer.issued)),
        format(&Quantity::bytes(buffer.compulsory)),
    ))
}

/// The same in a few columns: `m, h, att …`, `×33.0 n1`. What is cut there is a name.
pub fn short_surplus(kernel: &KernelReport) -> Option<String> {
    let inside = names(kernel);
    if !inside.is_empty() {
        return Some(inside);
    }
    let (buffer, times) = again(kernel)?;
    Some(format!("×{times:.1} {}", buffer.name))
}

/// Names of the buffers that the model prices nothing of, the largest first.
fn names(kernel: &KernelReport) -> String {
    let mut inside: Vec<&BufferReport> = kernel.inside().collect();
    inside.sort_by_key(|b| std::cmp::Reverse(b.compulsory));
    let all = kernel.between_phases();
    // Counters and addresses of a hundred bytes explain nothing.
    inside.retain(|b| b.compulsory * 100 >= all);
    let more = inside.len() > NAMED;
    inside.truncate(NAMED);
    let plain = |b: &BufferReport| b.name.replace(" between phases", "");
    let mut names = inside.into_iter().map(plain).collect::<Vec<_>>().join(", ");
    if more {
        names.push_str(" …");
    }
    names
}

/// The buffer that is asked for again most, and how many times.
fn again(kernel: &KernelReport) -> Option<(&BufferReport, f64)> {
    let buffer = kernel.read_again()?;
    let times = buffer.issued as f64 / buffer.compulsory.max(1) as f64;
    (times >= AGAIN).then_some((buffer, times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::{Config, price};
    use plan::fusion::Version;

    fn kernel(ops: &[&str], issued: u64, buffers: Vec<BufferReport>) -> KernelReport {
        KernelReport {
            name: String::new(),
            ops: ops.iter().map(|op| (*op).to_owned()).collect(),
            bytes: BytesReport {
                issued: Some(issued),
                ..BytesReport::default()
            },
            buffers,
            work: None,
            lines: vec![],
        }
    }

    fn report(kernels: Vec<KernelReport>) -> Report {
        let launches = kernels.len() as u64;
        Report {
            kernels,
            ..Report::bare("simt", "", launches)
        }
    }

    fn buffer(name: &str, issued: u64, compulsory: u64, inside: bool) -> BufferReport {
        BufferReport {
            name: name.to_owned(),
            issued,
            compulsory,
            inside,
        }
    }

    #[test]
    fn launches_of_one_kernel_are_taken_together() {
        let report = report(vec![
            kernel(&["embed"], 1, vec![]),
            kernel(&["norm1"], 10, vec![]),
            kernel(&["q"], 100, vec![]),
            kernel(&["norm1"], 10, vec![]),
        ]);
        let all = together(&report);
        let told: Vec<(u64, Option<u64>)> =
            all.iter().map(|l| (l.launches, l.bytes.issued)).collect();
        assert_eq!(told, [(1, Some(1)), (2, Some(20)), (1, Some(100))]);
        // No kernel was compared with DRAM's counters: no sum of them either.
        assert_eq!(all[1].bytes.measured_dram, None);
    }

    #[test]
    fn a_block_is_known_where_each_of_its_kernels_is() {
        let config = Config::preset("workshop", Version::V1.cut()).unwrap();
        let cost = price(&config).unwrap();
        let all: Vec<KernelReport> = cost
            .block
            .kernels
            .iter()
            .map(|k| kernel(&k.ops, 3, vec![]))
            .collect();
        let whole = report(all.clone());
        let block = of_block(&whole, &cost.block).unwrap();
        assert_eq!(block.issued, Some(3 * 17));
        let lacking = report(all.into_iter().skip(1).collect());
        assert_eq!(of_block(&lacking, &cost.block), None);
        assert_eq!(of_kernel(&lacking, &cost.block.kernels[0]), None);
    }

    #[test]
    fn a_surplus_names_its_buffers() {
        let phases = kernel(
            &["block"],
            0,
            vec![
                buffer("x", 900, 100, false),
                buffer("h between phases", 700, 32_768, true),
                buffer("m between phases", 700, 65_536, true),
                buffer("grid barrier", 6480, 64, true),
            ],
        );
        let said = surplus(&phases).unwrap();
        assert!(said.ends_with("nothing: m, h"), "{said}");
        assert_eq!(short_surplus(&phases).as_deref(), Some("m, h"));
        let tiles = kernel(
            &["q"],
            0,
            vec![
                buffer("Wq of block 0", 262_144, 262_144, false),
                buffer("n1", 262_144, 16_384, false),
            ],
        );
        let said = surplus(&tiles).unwrap();
        assert!(said.starts_with("n1 is asked for 16.0 times #"), "{said}");
        assert_eq!(short_surplus(&tiles).as_deref(), Some("×16.0 n1"));
        let plain = kernel(&["mul"], 0, vec![buffer("m", 64, 64, false)]);
        assert_eq!((surplus(&plain), short_surplus(&plain)), (None, None));
    }
}

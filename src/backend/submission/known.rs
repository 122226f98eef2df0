//! Does a known mistake do exactly what this kernel does?

use super::judge::{Ran, sectors};
use plan::run::Criterion;
use simt::{Access, Finding, Memory, Problem};

/// Relative difference below which two values are the same mistake's.
const NEAR: f32 = 1e-5;

/// Whether two runs of one case went wrong alike.
pub(super) fn same(a: &Ran, b: &Ran, criterion: Criterion) -> bool {
    match (a, b) {
        (
            Ran::Values { outputs, counts },
            Ran::Values {
                outputs: others,
                counts: theirs,
            },
        ) => {
            let alike = outputs.iter().flatten().zip(others.iter().flatten());
            let bytes = |counts: &simt::Counts| {
                let lanes: u64 = counts.buffers.iter().map(|b| b.read + b.written).sum();
                (lanes, sectors(counts))
            };
            match criterion {
                Criterion::Bytes => bytes(counts) == bytes(theirs),
                _ => alike.into_iter().all(|(a, b)| equal(*a, *b)),
            }
        }
        (Ran::Found(a), Ran::Found(b)) => kind(a) == kind(b),
        _ => false,
    }
}

fn equal(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits()
        || a.is_nan() && b.is_nan()
        || (a - b).abs() <= NEAR * a.abs().max(b.abs())
}

/// What a finding is about, places left out.
fn kind(finding: &Finding) -> (u8, Option<&str>, Option<Access>, Option<Access>) {
    fn name(memory: &Memory) -> Option<&str> {
        match memory {
            Memory::Buffer { name, .. } => Some(name),
            Memory::Shared { .. } => Some("shared memory"),
            _ => None,
        }
    }
    match &finding.problem {
        Problem::OutOfBounds { access, memory, .. } => (1, name(memory), Some(*access), None),
        Problem::Misaligned { access, memory, .. } => (2, name(memory), Some(*access), None),
        Problem::NeverWritten { memory, .. } => (3, name(memory), None, None),
        Problem::Race { now, earlier, .. } => (4, None, Some(*now), Some(earlier.access)),
        Problem::BlocksRace {
            memory,
            now,
            earlier,
            ..
        } => (14, name(memory), Some(*now), Some(*earlier)),
        Problem::Unordered {
            memory,
            now,
            earlier,
            ..
        } => (15, name(memory), Some(*now), Some(*earlier)),
        Problem::Overcounted { .. } => (16, None, None, None),
        Problem::LanesCollide { .. } => (5, None, None, None),
        Problem::BarrierSkipped { .. } => (6, None, None, None),
        Problem::BarriersDiffer { .. } => (7, None, None, None),
        Problem::LanesMissing { .. } => (8, None, None, None),
        Problem::InactiveSource { .. } => (9, None, None, None),
        Problem::Trap => (10, None, None, None),
        Problem::NeverEnds { .. } => (11, None, None, None),
        Problem::Deadlock { .. } => (12, None, None, None),
        Problem::Unsupported { .. } => (13, None, None, None),
    }
}

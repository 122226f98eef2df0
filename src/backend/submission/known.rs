//! Does a known mistake do exactly what this kernel does?

use super::judge::{Ran, sectors};
use super::values::{Right, equal};
use plan::run::Criterion;
use simt::{Access, Finding, Memory, Problem};

/// How alike two kernels have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// Findings of one kind: for a text that has the lines of the mistake.
    Kind,
    /// Findings at one place by one thread as well.
    Place,
}

/// Whether two runs of one case went wrong alike.
pub(super) fn same(a: &Ran, b: &Ran, criterion: Criterion, rights: &[Right], how: Alike) -> bool {
    match (a, b) {
        (
            Ran::Values { outputs, counts },
            Ran::Values {
                outputs: others,
                counts: theirs,
            },
        ) => {
            let bytes = |counts: &simt::Counts| {
                let lanes: u64 = counts.buffers.iter().map(|b| b.read + b.written).sum();
                (lanes, sectors(counts))
            };
            match criterion {
                Criterion::Bytes => bytes(counts) == bytes(theirs),
                _ => rights
                    .iter()
                    .zip(outputs.iter().zip(others))
                    .all(|(right, (a, b))| {
                        a.iter().zip(b).all(|(a, b)| equal(*a, *b, right.allowed))
                    }),
            }
        }
        (Ran::Found(a), Ran::Found(b)) => {
            kind(a) == kind(b) && (how == Alike::Kind || place(a) == place(b))
        }
        _ => false,
    }
}

/// Who did it, and how far from the beginning of the memory.
fn place(finding: &Finding) -> ([u32; 3], [u32; 3], Option<i64>) {
    let offset = match &finding.problem {
        Problem::OutOfBounds { offset, .. }
        | Problem::Misaligned { offset, .. }
        | Problem::NeverWritten { offset, .. } => Some(*offset),
        Problem::BlocksRace { offset, .. } | Problem::Unordered { offset, .. } => {
            Some(*offset as i64)
        }
        Problem::Race { address, .. } | Problem::LanesCollide { address, .. } => {
            Some(*address as i64)
        }
        _ => None,
    };
    (finding.block, finding.thread, offset)
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
        Problem::BarrierMissed { .. } => (17, None, None, None),
        Problem::BarriersDiffer { .. } => (7, None, None, None),
        Problem::LanesMissing { .. } => (8, None, None, None),
        Problem::InactiveSource { .. } => (9, None, None, None),
        Problem::Trap => (10, None, None, None),
        Problem::NeverEnds { .. } => (11, None, None, None),
        Problem::Deadlock { .. } => (12, None, None, None),
        Problem::Unsupported { .. } => (13, None, None, None),
    }
}

//! What the machine counted of a launch, as a run reports it.

use crate::gpu::program::{BufferSpec, Contents};
use plan::cost::KernelCost;
use plan::run::{BufferReport, LineReport, WorkReport};
use simt::{BufferTraffic, Counts, SECTOR, Work};

/// The buffers of a launch, the one it asked most of first. Those of which the
/// model prices nothing are told by `specs`, and by the tensors that `cost`
/// moves.
pub fn buffers(
    counts: &Counts,
    specs: &[BufferSpec],
    cost: Option<&KernelCost>,
) -> Vec<BufferReport> {
    let inside = |b: &BufferTraffic| {
        let spec = specs.iter().find(|s| s.name == b.name);
        spec.is_some_and(|s| is_inside(b, &s.contents, cost))
    };
    let mut told: Vec<BufferReport> = counts
        .buffers
        .iter()
        .map(|b| BufferReport {
            name: b.name.clone(),
            issued: b.read + b.written,
            compulsory: distinct(b),
            inside: inside(b),
        })
        .collect();
    told.sort_by_key(|b| std::cmp::Reverse(b.issued));
    told
}

fn distinct(buffer: &BufferTraffic) -> u64 {
    (buffer.distinct_read + buffer.distinct_written) * SECTOR
}

/// Whether the model prices nothing of a buffer that the kernel touched.
fn is_inside(buffer: &BufferTraffic, contents: &Contents, cost: Option<&KernelCost>) -> bool {
    match contents {
        Contents::Scratch | Contents::Zeroed | Contents::Addresses(_) | Contents::TensorMaps(_) => {
            true
        }
        // Handed from one phase to the next, where the model has it stay on the
        // chip. What a kernel makes and does not read again leaves it.
        Contents::Activation => {
            let handed = buffer.distinct_read > 0 && buffer.distinct_written > 0;
            let priced = |cost: &KernelCost| cost.moved.iter().any(|m| m.name == buffer.name);
            handed && !cost.is_some_and(priced)
        }
        Contents::Ids
        | Contents::CacheK(_)
        | Contents::CacheV(_)
        | Contents::Weight(_)
        | Contents::WeightTimesGamma { .. } => false,
    }
}

/// What the warps of a launch, or of one line, did.
pub fn work(work: &Work) -> WorkReport {
    let (read, written) = (work.global_read, work.global_written);
    let (loads, stores) = (work.shared_read, work.shared_written);
    WorkReport {
        instructions: work.warp_instructions(),
        lanes: work.lanes,
        flops: work.flops,
        bytes: read.bytes + written.bytes,
        requests: read.requests + written.requests,
        sectors: read.sectors + written.sectors,
        ideal_sectors: read.ideal_sectors + written.ideal_sectors,
        shared_requests: loads.requests + stores.requests,
        conflicts: loads.conflicts() + stores.conflicts(),
        branches: work.branches,
        divergent: work.divergent,
    }
}

/// The lines of a launch. A line that was inlined counts where it stands in its
/// own file.
pub fn lines(counts: &Counts) -> Vec<LineReport> {
    let mut told: Vec<LineReport> = Vec::new();
    for line in counts.lines.iter().filter(|l| !l.location.file.is_empty()) {
        let work = work(&line.work);
        let (file, number) = (&line.location.file, line.location.line);
        // The same line may have been inlined in several places.
        match told
            .iter_mut()
            .find(|l| l.line == number && l.file == *file)
        {
            Some(same) => same.work.add(&work),
            None => told.push(LineReport {
                file: file.clone(),
                line: number,
                work,
            }),
        }
    }
    told
}

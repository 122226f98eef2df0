//! What a launch did, counted: as a whole, by line of source, by buffer.

use std::collections::BTreeMap;

use super::finding::{Location, locate};
use super::grid::Setup;
use super::machine::Options;
use super::memory::{Global, SECTOR};
use super::program::{Class, End, Info, Kernel, Program};
use super::tally::{READ, READ_FIRST, Tally, WRITTEN};

/// Accesses of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlobalTraffic {
    /// Warp instructions that touched memory with at least one lane.
    pub requests: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
    /// Sectors of 32 bytes that the requests touched, each request for itself.
    pub sectors: u64,
    /// Sectors that the same bytes fill when they lie side by side.
    pub ideal_sectors: u64,
}

impl GlobalTraffic {
    fn add(&mut self, other: GlobalTraffic) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
    }
}

/// Accesses of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedTraffic {
    /// Warp instructions.
    pub requests: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
    /// Passes through the banks: a model of hardware, not cycles.
    pub passes: u64,
    /// Passes without conflicts.
    pub ideal_passes: u64,
}

impl SharedTraffic {
    /// Passes beyond those that the width needs.
    pub fn conflicts(&self) -> u64 {
        self.passes - self.ideal_passes
    }

    fn add(&mut self, other: SharedTraffic) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.passes += other.passes;
        self.ideal_passes += other.ideal_passes;
    }
}

/// Warp instructions by class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts([u64; Class::ALL.len()]);

impl ClassCounts {
    /// Those of one class.
    pub fn get(&self, class: Class) -> u64 {
        self.0.get(class as usize).copied().unwrap_or(0)
    }

    /// Every class that occurs, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Class, u64)> {
        Class::ALL
            .into_iter()
            .zip(self.0)
            .filter(|(_, count)| *count > 0)
    }

    /// All classes together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn add(&mut self, class: Class, count: u64) {
        if let Some(sum) = self.0.get_mut(class as usize) {
            *sum += count;
        }
    }
}

/// Counts of a kernel, or of one line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Warp instructions by class.
    pub instructions: ClassCounts,
    /// Lanes that were active, summed over the warp instructions.
    pub lanes: u64,
    /// Loads of global memory; atomics are counted by buffer only.
    pub global_read: GlobalTraffic,
    /// Stores to global memory.
    pub global_written: GlobalTraffic,
    /// Loads of shared memory.
    pub shared_read: SharedTraffic,
    /// Stores to shared memory.
    pub shared_written: SharedTraffic,
    /// Branches that a warp executed with a condition.
    pub branches: u64,
    /// Those at which its lanes went both ways.
    pub divergent: u64,
    /// Additions, multiplications, divisions of active lanes; a fused
    /// multiply-add is two, `mma.m16n8k16` is 4096.
    pub flops: u64,
}

impl Work {
    /// Warp instructions in all.
    pub fn warp_instructions(&self) -> u64 {
        self.instructions.total()
    }
}

/// Counts of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineWork {
    /// The line; its PTX fields are those of the first instruction.
    pub location: Location,
    /// What it did.
    pub work: Work,
}

/// Traffic with one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferTraffic {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Bytes that lanes read.
    pub read: u64,
    /// Bytes that lanes wrote.
    pub written: u64,
    /// Sectors of all reading requests.
    pub read_sectors: u64,
    /// Sectors of all writing requests.
    pub written_sectors: u64,
    /// Different sectors that were read.
    pub distinct_read: u64,
    /// Different sectors that were written.
    pub distinct_written: u64,
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Name of the kernel.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// The whole kernel.
    pub total: Work,
    /// Line by line, in the order of the source.
    pub lines: Vec<LineWork>,
    /// Buffer by buffer, those that were touched.
    pub buffers: Vec<BufferTraffic>,
    /// Barriers that whole blocks passed.
    pub barriers: u64,
    /// Estimated bytes read from memory by a cache of the size in the options.
    pub estimated_dram_read: Option<u64>,
    /// Estimated bytes written to memory.
    pub estimated_dram_written: Option<u64>,
}

impl Counts {
    /// Bytes of different sectors read: what must move at least once.
    pub fn compulsory_read(&self) -> u64 {
        self.buffers
            .iter()
            .map(|buffer| buffer.distinct_read * SECTOR)
            .sum()
    }

    /// Bytes of different sectors written.
    pub fn compulsory_written(&self) -> u64 {
        self.buffers
            .iter()
            .map(|buffer| buffer.distinct_written * SECTOR)
            .sum()
    }

    /// Lane instructions: warp instructions times active lanes.
    pub fn lane_instructions(&self) -> u64 {
        self.total.lanes
    }
}

/// Turns a tally into what people read.
pub(crate) fn report(
    program: &Program,
    kernel: &Kernel,
    global: &Global,
    tally: &Tally,
    setup: &Setup<'_>,
    options: &Options,
) -> Counts {
    let mut total = Work::default();
    let mut lines: BTreeMap<u32, LineWork> = BTreeMap::new();
    for (at, info) in kernel.info.iter().enumerate() {
        if !executed(tally, at, info) {
            continue;
        }
        add(&mut total, kernel, tally, at, info);
        let line = lines.entry(info.place).or_insert_with(|| LineWork {
            location: locate(program, kernel, at as u32),
            work: Work::default(),
        });
        add(&mut line.work, kernel, tally, at, info);
    }
    let mut lines: Vec<LineWork> = lines.into_values().collect();
    lines.sort_by(|a, b| {
        let key = |line: &LineWork| (line.location.line, line.location.ptx_line);
        a.location
            .file
            .cmp(&b.location.file)
            .then(key(a).cmp(&key(b)))
    });
    let estimate = options
        .cache_bytes
        .filter(|_| options.count)
        .map(|_| dram(tally, setup));
    Counts {
        kernel: kernel.name.clone(),
        blocks: setup.blocks(),
        threads: setup.threads(),
        total,
        lines,
        buffers: buffers(global, tally),
        barriers: tally.barriers,
        estimated_dram_read: estimate.map(|(read, _)| read),
        estimated_dram_written: estimate.map(|(_, written)| written),
    }
}

fn executed(tally: &Tally, at: usize, info: &Info) -> bool {
    let runs = tally
        .blocks
        .get(info.block as usize)
        .is_some_and(|block| block.runs > 0);
    runs || tally.sites.get(at).is_some_and(|site| site.requests > 0)
}

/// Adds the counts of one PTX instruction.
fn add(work: &mut Work, kernel: &Kernel, tally: &Tally, at: usize, info: &Info) {
    // The reading half of a `cp.async` belongs to no block: it is no instruction.
    if let Some(block) = tally.blocks.get(info.block as usize) {
        work.instructions.add(info.class, block.runs);
        work.lanes += block.lanes;
        work.flops += block.lanes * u64::from(info.flops);
        let end = kernel
            .blocks
            .get(info.block as usize)
            .map(|block| block.end_kind);
        if let Some(End::Branch {
            at: branch,
            predicated: false,
            ..
        }) = end
            && branch as usize == at
        {
            work.branches += block.runs;
            work.divergent += block.divergent;
        }
    }
    let Some(site) = tally.sites.get(at).filter(|site| site.requests > 0) else {
        return;
    };
    let bytes = site.lanes * u64::from(info.bytes);
    let global = GlobalTraffic {
        requests: site.requests,
        bytes,
        sectors: site.parts,
        ideal_sectors: site.ideal,
    };
    let shared = SharedTraffic {
        requests: site.requests,
        bytes,
        passes: site.parts,
        ideal_passes: site.ideal,
    };
    match info.class {
        Class::GlobalLoad => work.global_read.add(global),
        Class::GlobalStore => work.global_written.add(global),
        Class::SharedLoad => work.shared_read.add(shared),
        Class::SharedStore | Class::Copy => work.shared_written.add(shared),
        _ => {}
    }
}

/// Estimated bytes from and to memory: the cache's, or where everything fits into
/// it, each sector once.
fn dram(tally: &Tally, setup: &Setup<'_>) -> (u64, u64) {
    if let Some(cache) = &tally.cache {
        return cache.traffic();
    }
    // What a block of a cooperative grid reads, another may have written before.
    let cooperative = setup.launch.cooperative;
    let read = |&&seen: &&u8| seen & READ_FIRST != 0 && !(cooperative && seen & WRITTEN != 0);
    let written = |&&seen: &&u8| seen & WRITTEN != 0;
    let sectors = |count: usize| count as u64 * SECTOR;
    (
        sectors(tally.touched.iter().filter(read).count()),
        sectors(tally.touched.iter().filter(written).count()),
    )
}

fn buffers(global: &Global, tally: &Tally) -> Vec<BufferTraffic> {
    let each = global.buffers.iter().zip(&tally.buffers);
    each.filter(|(_, counted)| counted.read + counted.written > 0)
        .map(|(buffer, counted)| {
            let first = buffer.first_sector as usize;
            let touched = tally
                .touched
                .get(first..first + buffer.written.len())
                .unwrap_or_default();
            let distinct = |how: u8| touched.iter().filter(|&&seen| seen & how != 0).count() as u64;
            BufferTraffic {
                name: buffer.name.clone(),
                bytes: buffer.bytes,
                read: counted.read,
                written: counted.written,
                read_sectors: counted.read_sectors,
                written_sectors: counted.written_sectors,
                distinct_read: distinct(READ),
                distinct_written: distinct(WRITTEN),
            }
        })
        .collect()
}

//! What the lowering gives: buffers and launches, as data.

use super::source::CompileUnit;
use plan::cost::Vendor;
use plan::model::{TensorId, WeightId};

/// The device for which a plan is lowered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// Whose compiler it is.
    pub vendor: Vendor,
    /// `sm_90a`, `sm_80`, `gfx90a` …
    pub arch: String,
    /// Threads in lockstep: 32 or 64.
    pub warp: u32,
    /// Multiprocessors or compute units.
    pub sms: u32,
    /// Most shared memory that one block may have, in bytes.
    pub shared_per_block: u32,
}

impl Target {
    /// The architecture as a number: 900 for `sm_90a`, 0 on AMD.
    pub fn sm(&self) -> u32 {
        let digits = self.arch.strip_prefix("sm_").unwrap_or_default();
        let number = digits.trim_end_matches(|c: char| c.is_ascii_lowercase());
        number.parse::<u32>().unwrap_or(0) * 10
    }

    /// Whether warpgroup products and bulk tensor copies are there: sm_90a.
    pub fn is_hopper(&self) -> bool {
        self.arch == "sm_90a"
    }

    /// Whether bf16 has AMD's matrix units: the architectures for which
    /// `kernels/prefix/mfma.cu` knows them.
    pub fn has_mfma(&self) -> bool {
        matches!(
            self.arch.as_str(),
            "gfx908" | "gfx90a" | "gfx942" | "gfx950"
        )
    }

    /// Whether a lane has 256 registers and no second file beside them, so that what is
    /// too much goes to memory: gfx906.
    pub fn has_few_registers(&self) -> bool {
        self.arch == "gfx906"
    }
}

/// A buffer's place in [`Program::buffers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// One piece of device memory.
#[derive(Debug, Clone, PartialEq)]
pub struct BufferSpec {
    /// What the screen calls it: `n1`, `Wq of block 2`, `partial sums`.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// What is in it before the first launch.
    pub contents: Contents,
}

/// What a buffer holds before the first launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// The ids of the new tokens, `[B][S]`, i32.
    Ids,
    /// An activation, written by one launch and read by later ones. Poisoned
    /// (not-a-number) before a checked run.
    Activation,
    /// Keys of one block with the past in front, `[B][cap][Dkv]`. The same in
    /// all programs of a run: a prefill fills what a decode reads.
    CacheK(u32),
    /// Values of one block, likewise.
    CacheV(u32),
    /// A weight, `[out][in]`.
    Weight(WeightId),
    /// A weight whose column i is multiplied by gamma\[i\], rounded to the
    /// element type: what a norm that is fused into a product needs.
    WeightTimesGamma {
        /// The product's weight.
        weight: WeightId,
        /// The norm's.
        gamma: WeightId,
    },
    /// What a kernel hands from one of its phases to the next.
    Scratch,
    /// Counters: zero at first, and left zero (or in step) by every launch.
    Zeroed,
    /// Device addresses, u64 each: a buffer and an offset in bytes.
    Addresses(Vec<(BufferId, u64)>),
    /// Tensor maps, 128 bytes each.
    TensorMaps(Vec<TensorMap>),
}

/// A bf16 matrix as Hopper's bulk copies see it, in tiles of `box_rows` ×
/// `box_columns`, swizzled over the bytes of a tile's row, zeros outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// Where it lies.
    pub buffer: BufferId,
    /// First byte.
    pub offset: u64,
    /// Rows.
    pub rows: u64,
    /// Elements of a row.
    pub columns: u64,
    /// From row to row, in bytes; a multiple of 16.
    pub stride: u64,
    /// Rows of one tile, at most 256.
    pub box_rows: u32,
    /// Elements of one tile's row: 64 with the 128-byte swizzle, 32 with that of 64.
    pub box_columns: u32,
    /// Where not 0: rows come in groups of so many, and a tile is `box_rows` rows of
    /// one group and the same of the next (the halves of a head that turn together).
    pub group: u64,
}

/// One argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg {
    /// Address of a buffer.
    Buffer(BufferId),
    /// Address within a buffer, in bytes.
    At(BufferId, u64),
    /// A null pointer.
    Null,
    /// `int`.
    I32(i32),
    /// `unsigned`.
    U32(u32),
    /// `long`.
    I64(i64),
    /// `float`.
    F32(f32),
    /// `const __grid_constant__ TensorMap`.
    Map(TensorMap),
}

/// How many blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// So many, x y z.
    Blocks([u32; 3]),
    /// As many as are resident at once, at most so many per multiprocessor:
    /// what a grid-wide wait needs. The driver asks the device.
    Resident {
        /// Limit per multiprocessor.
        per_sm: u32,
    },
}

/// A tensor of the graph that a step leaves in memory, and where a check finds
/// it: `rows` rows of `width` elements, row r at
/// `(r / seq) · cap + past + r % seq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Which tensor.
    pub tensor: TensorId,
    /// In which buffer.
    pub buffer: BufferId,
    /// Rows of the tensor.
    pub rows: u64,
    /// Elements of a row.
    pub width: u64,
    /// Rows per sequence.
    pub seq: u64,
    /// Rows per sequence that the buffer has.
    pub cap: u64,
    /// Rows in front of each sequence's first.
    pub past: u64,
}

/// One launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// The plan's kernel that it is, by index.
    pub kernel: usize,
    /// The plan's name of it, with its block: `block 2: q+k+v`.
    pub name: String,
    /// What is compiled.
    pub unit: CompileUnit,
    /// Blocks.
    pub grid: Grid,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
    /// Whether blocks wait for one another.
    pub cooperative: bool,
    /// Whether it may start while the launch before it ends: the kernel itself
    /// waits (programmatic dependent launch) where the device can.
    pub overlap: bool,
    /// Arguments in the order of the kernel's parameters.
    pub args: Vec<Arg>,
    /// What it writes that is a tensor of the graph.
    pub written: Vec<Written>,
}

/// A product that a library computes in place of a kernel of ours:
/// `c[m][n] = Σ a[m][k] · w[n][k]`.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryGemm {
    /// The plan's kernel that it is, by index.
    pub kernel: usize,
    /// As in [`Launch::name`].
    pub name: String,
    /// Left operand, `[m][k]`.
    pub a: BufferId,
    /// Weight, `[n][k]`.
    pub w: BufferId,
    /// Result, `[m][n]`, and the first byte of it.
    pub c: (BufferId, u64),
    /// Rows.
    pub m: u64,
    /// Columns.
    pub n: u64,
    /// Length of the sums.
    pub k: u64,
    /// What it writes that is a tensor of the graph.
    pub written: Vec<Written>,
}

/// One kernel of the plan, as it is run.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A kernel of ours.
    Own(Launch),
    /// A library's product.
    Library(LibraryGemm),
}

impl Step {
    /// The plan's name of it, with its block.
    pub fn name(&self) -> &str {
        match self {
            Self::Own(launch) => &launch.name,
            Self::Library(gemm) => &gemm.name,
        }
    }

    /// What it writes that is a tensor of the graph.
    pub fn written(&self) -> &[Written] {
        match self {
            Self::Own(launch) => &launch.written,
            Self::Library(gemm) => &gemm.written,
        }
    }
}

/// A plan, lowered: memory and launches of one forward.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Memory; [`BufferId`] is the index.
    pub buffers: Vec<BufferSpec>,
    /// One per kernel of the plan, in order.
    pub steps: Vec<Step>,
    /// Tensors that are there before the first launch: the past.
    pub given: Vec<Written>,
    /// Where the logits are in the end.
    pub logits: BufferId,
    /// What is to be said of it, in sentences.
    pub notes: Vec<String>,
}

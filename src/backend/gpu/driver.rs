//! What a driver can do. CUDA, HIP and the SIMT machine each fill this in;
//! everything above it is shared.

use std::fmt;

use super::program::{Target, TensorMap};
use super::source::CompileUnit;
use plan::run::RunError;
use simt::Counts;

/// A loaded kernel, as the driver numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function(pub u32);

/// Device memory, as the driver numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Memory(pub u32);

/// A point in the stream of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(pub u32);

/// Recorded work that can be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphId(pub u32);

/// What the compiler and the device say of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelFacts {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub shared: u32,
    /// Local memory per thread in bytes: spills and run-time indexed arrays.
    pub local: u32,
    /// Threads that a block may have with so many registers.
    pub max_threads: u32,
}

/// One argument as the device takes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// 4 bytes.
    Word(u32),
    /// 8 bytes, aligned to 8.
    Long(u64),
    /// 128 bytes, aligned to 64.
    Map([u64; 16]),
}

/// One launch, resolved.
#[derive(Debug, Clone)]
pub struct Call<'c> {
    /// Which kernel.
    pub function: Function,
    /// Blocks, x y z.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Whether blocks wait for one another: all must be resident.
    pub cooperative: bool,
    /// Whether it may start while the launch before it ends.
    pub overlap: bool,
    /// Arguments in order.
    pub parameters: &'c [Parameter],
}

/// A library's product, resolved: `c[m][n] = Σ a[m][k] · w[n][k]`, addresses on
/// the device, rows contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmCall {
    /// Whether elements are bf16; fp32 otherwise (true fp32).
    pub bf16: bool,
    /// `[m][k]`.
    pub a: u64,
    /// `[n][k]`.
    pub w: u64,
    /// `[m][n]`.
    pub c: u64,
    /// Rows.
    pub m: u64,
    /// Columns.
    pub n: u64,
    /// Length of the sums.
    pub k: u64,
}

/// Bytes of global memory that launches asked for and touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Asked for by loads.
    pub read: u64,
    /// Asked for by stores.
    pub written: u64,
    /// Distinct sectors touched, where that is counted.
    pub compulsory: Option<u64>,
    /// Estimated to reach DRAM, where that is estimated.
    pub dram: Option<u64>,
    /// What the last launch did, where the device sees that.
    pub last: Option<Box<Counts>>,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuErrorKind {
    /// This machine, driver or build lacks it.
    Missing,
    /// The compiler refused or is not there.
    Compile,
    /// No memory left.
    OutOfMemory,
    /// A launch or copy went wrong; the context may be lost.
    Failed,
}

/// One sentence: what, where, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuError {
    /// What kind of failure it was.
    pub kind: GpuErrorKind,
    message: String,
}

impl GpuError {
    /// An error with its sentence.
    pub fn new(kind: GpuErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Something that this machine, driver or build lacks.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(GpuErrorKind::Missing, message)
    }

    /// Something that went wrong on the device.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(GpuErrorKind::Failed, message)
    }

    /// The same, in the kernel of this name.
    #[must_use]
    pub fn in_kernel(self, name: &str) -> Self {
        Self::new(self.kind, format!("{name}: {}", self.message))
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GpuError {}

impl From<GpuError> for RunError {
    fn from(e: GpuError) -> Self {
        match e.kind {
            GpuErrorKind::Missing | GpuErrorKind::OutOfMemory => Self::missing(e.message),
            GpuErrorKind::Compile | GpuErrorKind::Failed => Self::failed(e.message),
        }
    }
}

/// Pinned memory of the host, as the driver numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pinned(pub u32);

/// Where work is handed in: the driver's own stream, or one beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The stream that launches go to.
    Main,
    /// Another one, which waits for nothing of the first.
    Beside,
}

/// A copy between pinned memory and memory of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostCopy {
    /// To the device; to the host otherwise.
    pub up: bool,
    /// The pinned memory, and where in it.
    pub pinned: Pinned,
    /// Bytes from its beginning.
    pub at: u64,
    /// Address on the device.
    pub device: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// What a driver does with memory of the host, and with memory of the device in the order of
/// its stream: what `study host-memory` measures.
pub trait HostMemory {
    /// Memory of the host that stays where it is and that kernels can read; all zero.
    fn pin(&mut self, name: &str, bytes: u64) -> Result<Pinned, GpuError>;

    /// Gives it back; waits for copies of it.
    fn unpin(&mut self, pinned: Pinned);

    /// Puts bytes at its beginning; waits for copies of it.
    fn write(&mut self, pinned: Pinned, bytes: &[u8]) -> Result<(), GpuError>;

    /// Its first bytes; waits for copies of it.
    fn read(&mut self, pinned: Pinned, bytes: &mut [u8]) -> Result<(), GpuError>;

    /// The address at which a kernel reads it.
    fn mapped(&self, pinned: Pinned) -> Result<u64, GpuError>;

    /// Hands in a copy and does not wait.
    fn copy(&mut self, copy: &HostCopy, lane: Lane) -> Result<(), GpuError>;

    /// Sets bytes at an address of the device, in order of the main lane.
    fn set(&mut self, device: u64, byte: u8, bytes: u64) -> Result<(), GpuError>;

    /// Waits for what was handed in to a lane.
    fn wait(&mut self, lane: Lane) -> Result<(), GpuError>;

    /// Device memory from the device's pool, in order of the main lane; its address.
    fn take(&mut self, bytes: u64) -> Result<u64, GpuError>;

    /// Gives memory of the pool back, in order of the main lane.
    fn give(&mut self, device: u64) -> Result<(), GpuError>;

    /// Lets the pool keep what it is given back, until the driver is closed.
    fn keep_pool(&mut self) -> Result<(), GpuError>;

    /// Whether the device says that it has no memory but the host's.
    fn integrated(&self) -> Option<bool>;
}

/// A device with its compiler, one stream of work.
pub trait Driver {
    /// What plans are lowered for.
    fn target(&self) -> &Target;

    /// The device in words, with driver and compiler.
    fn describe(&self) -> String;

    /// Bytes of device memory that are free, where the device says so.
    fn free_memory(&mut self) -> Option<u64>;

    /// Compiles units ahead of [`Driver::load`], several at a time where the
    /// compiler can. `done` is told of each that is ready: how many are, of how
    /// many, and which.
    fn prepare(
        &mut self,
        units: &[&CompileUnit],
        done: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let _ = (units, done);
        Ok(())
    }

    /// Compiles and loads a unit; the same unit gives the same function.
    /// `shared` is the most dynamic shared memory that it will be launched with.
    fn load(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError>;

    /// The assembly text of a unit (PTX), as it would be loaded.
    fn assembly(&mut self, unit: &CompileUnit) -> Result<String, GpuError> {
        Err(GpuError::missing(format!(
            "this backend has no assembly text of {}",
            unit.title()
        )))
    }

    /// Loads a kernel from assembly text, as [`Driver::assembly`] gives it.
    fn load_assembly(
        &mut self,
        entry: &str,
        text: &str,
        shared: u32,
    ) -> Result<Function, GpuError> {
        let _ = (text, shared);
        Err(GpuError::missing(format!(
            "this backend loads no assembly text ({entry})"
        )))
    }

    /// Compiles a source text that stands in no unit for this very device, and loads its
    /// kernel.
    fn load_source(&mut self, entry: &str, source: &str) -> Result<Function, GpuError> {
        let _ = source;
        Err(GpuError::missing(format!(
            "this backend compiles no text of its own ({entry})"
        )))
    }

    /// What the launches since the last call moved, where the device counts it
    /// by itself.
    fn traffic(&mut self) -> Option<Traffic> {
        None
    }

    /// Tells an outside profiler where what it shall see begins, and ends.
    /// Nothing where the device knows no profiler.
    fn profile(&mut self, on: bool) -> Result<(), GpuError> {
        let _ = on;
        Ok(())
    }

    /// Names what is handed in from here on, for a vendor's timeline; `None` ends the name
    /// that began last. Nothing where the device has no such thing.
    fn named(&mut self, _: Option<&str>) {}

    /// Whether races and reads of unwritten memory are looked for, where the device
    /// can; on at first.
    fn look_for_races(&mut self, _: bool) {}

    /// Bytes of the cache behind which what reaches memory is estimated, on a device that
    /// estimates it; none: its own.
    fn estimate_behind(&mut self, _: Option<u64>) {}

    /// What the device says of its own work since the last call, in a sentence.
    fn told(&mut self) -> Option<String> {
        None
    }

    /// Registers, memory, limits of a loaded kernel.
    fn facts(&self, function: Function) -> KernelFacts;

    /// Blocks of a kernel that fit on one multiprocessor at once.
    fn resident_blocks(
        &mut self,
        function: Function,
        threads: u32,
        shared: u32,
    ) -> Result<u32, GpuError>;

    /// Device memory; its contents are undefined. `name` is for messages.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<Memory, GpuError>;

    /// Gives memory back.
    fn free(&mut self, memory: Memory);

    /// Where it lies on the device, aligned to 256 bytes.
    fn address(&self, memory: Memory) -> u64;

    /// Copies to the device; waits until `bytes` may be reused.
    fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError>;

    /// Copies from the device, after the work that was handed in before.
    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError>;

    /// Memory of the host as the device sees it.
    fn host(&mut self) -> Result<&mut dyn HostMemory, GpuError> {
        Err(GpuError::missing(
            "this backend has no device that copies of the host's memory go to",
        ))
    }

    /// Sets every byte, after the work that was handed in before.
    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError>;

    /// A tensor map for a buffer at `address` (of the buffer, without the map's
    /// offset).
    fn tensor_map(&mut self, address: u64, map: &TensorMap) -> Result<[u64; 16], GpuError>;

    /// Hands in one launch. Errors of the kernel itself show up later, in
    /// [`Driver::synchronize`] or a copy.
    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError>;

    /// The same. A driver that executes the launch here asks `stop` while it does,
    /// from several threads; what a device was given runs to its end.
    fn launch_until(
        &mut self,
        call: &Call<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), GpuError> {
        let _ = stop;
        self.launch(call)
    }

    /// Hands in a library's product; the number of launches that it is counted
    /// as (each call is one; helpers of the library are not seen).
    fn library_gemm(&mut self, gemm: &GemmCall) -> Result<u32, GpuError>;

    /// Waits for everything that was handed in.
    fn synchronize(&mut self) -> Result<(), GpuError>;

    /// Whether it can be timed. What cannot is not warmed up, either.
    fn has_clock(&self) -> bool {
        true
    }

    /// Marks a point in the stream; `None` where the device has no clock.
    fn mark(&mut self) -> Result<Option<Mark>, GpuError>;

    /// Microseconds on the device between two marks; waits for the second.
    fn elapsed_us(&mut self, from: Mark, to: Mark) -> Result<f64, GpuError>;

    /// Begins to record what is handed in instead of doing it.
    fn begin_graph(&mut self) -> Result<(), GpuError>;

    /// Ends recording.
    fn end_graph(&mut self) -> Result<GraphId, GpuError>;

    /// Hands in everything that was recorded.
    fn replay(&mut self, graph: GraphId) -> Result<(), GpuError>;
}

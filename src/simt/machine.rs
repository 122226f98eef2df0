//! The machine as its users see it: memory, launches, options.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::Mutex;

use super::causal::Causal;
use super::counts::Counts;
use super::finding::Finding;
use super::grid;
use super::memory::{Global, LONGEST, Located};
use super::program::Program;

/// What a machine observes, and how long it lets kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Count instructions, bytes, sectors, conflicts.
    pub count: bool,
    /// Look for races in shared memory and for reads of what was never written.
    pub check: bool,
    /// Threads of this computer to use; 0 for all.
    pub threads: usize,
    /// Warp instructions after which one block counts as endless.
    pub step_limit: u64,
    /// Size of the cache whose misses are estimated, if any.
    pub cache_bytes: Option<u64>,
    /// Most bytes of memory that may be allocated.
    pub memory_limit: u64,
    /// Follow what happens before what exactly, warp by warp, in an order of blocks and
    /// warps that this number chooses. For small grids whose protocol is to be shown
    /// right: it costs a clock per warp.
    pub order: Option<u64>,
    /// Blocks that are resident at once, where `order` is chosen; 0 for the whole grid.
    pub resident: u32,
    /// Threads that have returned are missed at a barrier of their block, which GPUs since
    /// Volta let the others pass and CUDA C++ promises nobody.
    pub strict_barriers: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            count: true,
            check: false,
            threads: 0,
            step_limit: 2_000_000_000,
            cache_bytes: None,
            memory_limit: 8 << 30,
            order: None,
            resident: 0,
            strict_barriers: false,
        }
    }
}

/// Extents of a grid or a block: x, y, z.
pub type Extent = [u32; 3];

/// One launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchRequest<'a> {
    /// Name of the kernel.
    pub entry: &'a str,
    /// Blocks of the grid.
    pub grid: Extent,
    /// Threads of a block.
    pub block: Extent,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Parameters as CUDA packs them: each aligned to its size.
    pub params: &'a [u8],
    /// All blocks are resident together and may wait for each other.
    pub cooperative: bool,
}

/// Why the machine did not do what was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineError {
    /// The request itself is wrong: what, and the way out.
    Request(String),
    /// The kernel did something wrong.
    Found(Box<Finding>),
    /// It was stopped before its end.
    Stopped,
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachineError::Request(message) => f.write_str(message),
            MachineError::Found(finding) => finding.fmt(f),
            MachineError::Stopped => f.write_str("the launch was stopped before its end"),
        }
    }
}

impl Error for MachineError {}

impl From<Finding> for MachineError {
    fn from(finding: Finding) -> Self {
        MachineError::Found(Box::new(finding))
    }
}

/// A GPU without a GPU: memory, and kernels that run in it.
#[derive(Default)]
pub struct Machine {
    options: Options,
    global: Global,
    allocated: u64,
    /// Where the variables of each program lie.
    variables: HashMap<u64, Vec<u64>>,
}

impl Machine {
    /// A machine with no memory allocated.
    pub fn new(options: Options) -> Machine {
        Machine {
            options,
            ..Machine::default()
        }
    }

    /// Looks for races and reads of unwritten memory from now on, or does not.
    pub fn set_check(&mut self, check: bool) {
        self.options.check = check;
    }

    /// What reaches memory is estimated behind a cache of so many bytes from now on.
    pub fn set_cache(&mut self, bytes: u64) {
        self.options.cache_bytes = Some(bytes);
    }

    /// What it observes.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Allocates `bytes` of memory that nobody has written yet; the address is
    /// aligned to 256 bytes. `name` is what findings and counts call it.
    ///
    /// # Errors
    /// More memory than the options permit.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, MachineError> {
        let total = self.allocated.saturating_add(bytes);
        if total > self.options.memory_limit || bytes > LONGEST {
            let message = format!(
                "`{name}` of {bytes} bytes does not fit: the machine may use {} bytes, of which {} \
                 are taken; choose a smaller shape",
                self.options.memory_limit, self.allocated
            );
            return Err(MachineError::Request(message));
        }
        self.allocated = total;
        Ok(self.global.add(name, bytes))
    }

    /// Frees the allocation that begins at `address`, which is dead from now on.
    pub fn free(&mut self, address: u64) {
        if let Some(at) = self.global.locate(address) {
            let bytes = self
                .global
                .buffers
                .get(at.buffer)
                .map_or(0, |buffer| buffer.bytes);
            self.allocated = self.allocated.saturating_sub(bytes);
            self.global.remove(at.buffer);
        }
    }

    /// Sets every byte of a range.
    ///
    /// # Errors
    /// The range does not lie in one allocation.
    pub fn fill(&mut self, address: u64, bytes: u64, byte: u8) -> Result<(), MachineError> {
        let at = self.range(address, bytes)?;
        self.global.fill(at, bytes, byte, true);
        Ok(())
    }

    /// Sets every byte of a range that from now on counts as never written.
    ///
    /// # Errors
    /// The range does not lie in one allocation.
    pub fn poison(&mut self, address: u64, bytes: u64, byte: u8) -> Result<(), MachineError> {
        let at = self.range(address, bytes)?;
        self.global.fill(at, bytes, byte, false);
        Ok(())
    }

    /// Frees every allocation; addresses given so far are dead.
    pub fn clear(&mut self) {
        self.global = Global::default();
        self.variables.clear();
        self.allocated = 0;
    }

    /// Copies bytes to an address.
    ///
    /// # Errors
    /// The range does not lie in one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MachineError> {
        let at = self.range(address, bytes.len() as u64)?;
        self.global.write(at, bytes);
        Ok(())
    }

    /// Copies bytes from an address.
    ///
    /// # Errors
    /// The range does not lie in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MachineError> {
        let at = self.range(address, bytes.len() as u64)?;
        self.global.read(at, bytes);
        Ok(())
    }

    /// Whether every byte of a range was written, by a kernel or from outside.
    ///
    /// # Errors
    /// The range does not lie in one allocation.
    pub fn is_written(&self, address: u64, bytes: u64) -> Result<bool, MachineError> {
        let at = self.range(address, bytes)?;
        let buffer = self.global.buffers.get(at.buffer);
        Ok(buffer.is_some_and(|buffer| buffer.is_written(at.offset as u64, bytes)))
    }

    fn range(&self, address: u64, bytes: u64) -> Result<Located, MachineError> {
        let at = self.global.locate(address);
        let inside = at.filter(|at| {
            self.global
                .buffers
                .get(at.buffer)
                .is_some_and(|buffer| at.offset >= 0 && at.offset as u64 + bytes <= buffer.bytes)
        });
        inside.ok_or_else(|| {
            let message = format!(
                "{bytes} bytes at {address:#x} do not lie in one allocation; copy within a buffer"
            );
            MachineError::Request(message)
        })
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// A request that no GPU would take, or what the kernel did wrong.
    pub fn launch(
        &mut self,
        program: &Program,
        request: &LaunchRequest<'_>,
    ) -> Result<Counts, MachineError> {
        self.launch_until(program, request, &|| false)
    }

    /// The same; `stop` is asked between two blocks, by several threads.
    ///
    /// # Errors
    /// As for [`launch`](Self::launch), and [`MachineError::Stopped`].
    pub fn launch_until(
        &mut self,
        program: &Program,
        request: &LaunchRequest<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Counts, MachineError> {
        let Some(kernel) = program.kernel(request.entry) else {
            let known: Vec<&str> = program.entries().collect();
            let message = format!(
                "there is no kernel `{}` in this text; it has {}",
                request.entry,
                known.join(", ")
            );
            return Err(MachineError::Request(message));
        };
        if !self.variables.contains_key(&program.id) {
            let mut addresses = Vec::new();
            for variable in &program.globals {
                let address = self.alloc(&variable.name, variable.bytes.len() as u64)?;
                self.write(address, &variable.bytes)?;
                addresses.push(address);
            }
            self.variables.insert(program.id, addresses);
        }
        let exact = self.options.check && (kernel.exact || self.options.order.is_some());
        self.global.causal = None;
        if exact {
            grid::most_exact(kernel, request)?;
            let extent = |of: Extent| of.iter().product::<u32>();
            let warps = extent(request.block).div_ceil(32);
            let granule = kernel.granule.min(kernel.global_granule);
            let causal = Causal::new(extent(request.grid), warps, granule);
            self.global.causal = Some(Mutex::new(causal));
        } else if self.options.check {
            let blocks = request.grid.iter().map(|&n| u64::from(n)).product();
            let lengths = self.global.buffers.iter().map(|buffer| buffer.bytes);
            self.global
                .order
                .begin(lengths, kernel.global_granule, blocks);
        }
        let variables = self
            .variables
            .get(&program.id)
            .map_or(&[][..], Vec::as_slice);
        grid::launch(
            program,
            kernel,
            &self.global,
            variables,
            request,
            &self.options,
            stop,
        )
    }
}

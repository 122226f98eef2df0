//! The kernels of a driver: loaded ones by unit, and code that waits to be loaded.

use std::collections::HashMap;

use super::super::compile::{Cache, Compiler, Form, compile_all};
use super::super::driver::{Function, GpuError};
use super::super::source::CompileUnit;

/// Kernels of one device; `L` is what the driver keeps of a loaded one.
pub struct Kernels<L> {
    /// Code that was compiled ahead.
    ahead: HashMap<CompileUnit, Vec<u8>>,
    /// Each with its title.
    functions: Vec<(L, String)>,
    by_unit: HashMap<CompileUnit, Function>,
}

impl<L> Default for Kernels<L> {
    fn default() -> Self {
        Self {
            ahead: HashMap::new(),
            functions: Vec::new(),
            by_unit: HashMap::new(),
        }
    }
}

impl<L> Kernels<L> {
    /// Compiles those of `units` that are not there yet, several at a time.
    ///
    /// # Errors
    /// A unit that does not compile.
    pub fn prepare(
        &mut self,
        compiler: &dyn Compiler,
        cache: Option<&Cache>,
        units: &[&CompileUnit],
        arch: &str,
        done: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let mut open: Vec<&CompileUnit> = Vec::new();
        for unit in units {
            let known = self.by_unit.contains_key(*unit) || self.ahead.contains_key(*unit);
            if !known && !open.contains(unit) {
                open.push(unit);
            }
        }
        let built = compile_all(compiler, cache, &open, arch, Form::Machine, done)?;
        for (unit, built) in open.into_iter().zip(built) {
            self.ahead.insert(unit.clone(), built.image);
        }
        Ok(())
    }

    /// The code of a unit that was compiled ahead, once.
    pub fn take(&mut self, unit: &CompileUnit) -> Option<Vec<u8>> {
        self.ahead.remove(unit)
    }

    /// The loaded kernel of a unit.
    pub fn of(&self, unit: &CompileUnit) -> Option<Function> {
        self.by_unit.get(unit).copied()
    }

    /// Keeps a loaded kernel; of `unit`, where it is one's.
    pub fn keep(&mut self, unit: Option<&CompileUnit>, loaded: L, title: String) -> Function {
        let function = Function(self.functions.len() as u32);
        self.functions.push((loaded, title));
        if let Some(unit) = unit {
            self.by_unit.insert(unit.clone(), function);
        }
        function
    }

    /// A loaded kernel and its title.
    ///
    /// # Errors
    /// A number that none has.
    pub fn get(&self, function: Function) -> Result<&(L, String), GpuError> {
        let found = self.functions.get(function.0 as usize);
        found.ok_or_else(not_loaded)
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// A number that none has.
    #[cfg(feature = "cuda")]
    pub fn get_mut(&mut self, function: Function) -> Result<&mut (L, String), GpuError> {
        let found = self.functions.get_mut(function.0 as usize);
        found.ok_or_else(not_loaded)
    }

    /// All of them, to be unloaded.
    pub fn loaded(&self) -> impl Iterator<Item = &L> {
        self.functions.iter().map(|(loaded, _)| loaded)
    }
}

fn not_loaded() -> GpuError {
    GpuError::failed("a kernel that was not loaded")
}

/// What a driver with `api`, `kernels`, `stream` and `heap` passes on to them: the part
/// of [`Driver`] in which the vendors do not differ.
///
/// [`Driver`]: super::super::driver::Driver
macro_rules! passed_on {
    () => {
        fn free_memory(&mut self) -> Option<u64> {
            self.heap.left()
        }

        fn facts(&self, function: Function) -> KernelFacts {
            let found = self.kernels.get(function);
            found.map_or_else(|_| KernelFacts::default(), |(loaded, _)| loaded.facts)
        }

        fn resident_blocks(
            &mut self,
            function: Function,
            threads: u32,
            shared: u32,
        ) -> Result<u32, GpuError> {
            let (loaded, title) = self.kernels.get(function)?;
            kernel::resident_blocks(&self.api.native, loaded.function, title, threads, shared)
        }

        fn alloc(&mut self, name: &str, bytes: u64) -> Result<Memory, GpuError> {
            self.heap.take(&self.stream, name, bytes)
        }

        fn free(&mut self, memory: Memory) {
            self.heap.give_back(memory);
        }

        fn address(&self, memory: Memory) -> u64 {
            self.heap.address(memory)
        }

        fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
            self.heap.upload(&mut self.stream, memory, offset, bytes)
        }

        fn download(
            &mut self,
            memory: Memory,
            offset: u64,
            bytes: &mut [u8],
        ) -> Result<(), GpuError> {
            self.heap.download(&mut self.stream, memory, offset, bytes)
        }

        fn host(&mut self) -> Result<&mut dyn HostMemory, GpuError> {
            self.stream.not_recording("memory cannot be copied")?;
            Ok(&mut self.host)
        }

        fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
            self.heap.fill(&self.stream, memory, byte)
        }

        fn synchronize(&mut self) -> Result<(), GpuError> {
            self.stream.synchronize()
        }

        fn mark(&mut self) -> Result<Option<Mark>, GpuError> {
            self.stream.mark().map(Some)
        }

        fn elapsed_us(&mut self, from: Mark, to: Mark) -> Result<f64, GpuError> {
            self.stream.elapsed_us(from, to)
        }

        fn begin_graph(&mut self) -> Result<(), GpuError> {
            self.stream.begin_graph()
        }

        fn end_graph(&mut self) -> Result<GraphId, GpuError> {
            self.stream.end_graph()
        }

        fn replay(&mut self, graph: GraphId) -> Result<(), GpuError> {
            self.stream.replay(graph)
        }
    };
}
pub(crate) use passed_on;

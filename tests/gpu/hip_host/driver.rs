//! The host as a driver: memory, and libraries that are called as kernels.

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::library::{Change, Loaded, build, folder};
use tempfile::TempDir;
use tinyllama_tutor::backend::gpu::{
    Call, CompileUnit, Driver, Function, GemmCall, GpuError, GraphId, KernelFacts, Mark, Memory,
    Parameter, Target, TensorMap,
};
use tinyllama_tutor::cost::Vendor;

/// Memory of the "device", aligned to 256 bytes.
struct Block {
    words: Vec<u64>,
    skip: usize,
    bytes: usize,
}

impl Block {
    fn new(bytes: u64) -> Self {
        let words = vec![0u64; bytes as usize / 8 + 33];
        let skip = words.as_ptr().cast::<u8>().align_offset(256);
        Self {
            words,
            skip,
            bytes: bytes as usize,
        }
    }

    fn bytes(&mut self) -> &mut [u8] {
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        &mut all[self.skip..self.skip + self.bytes]
    }

    fn address(&self) -> u64 {
        self.words.as_ptr() as u64 + self.skip as u64
    }
}

/// The host as an AMD GPU.
pub(super) struct Host {
    target: Target,
    pub(super) change: Change,
    folder: TempDir,
    functions: Vec<(CompileUnit, Loaded)>,
    by_unit: HashMap<CompileUnit, Function>,
    memory: Vec<Option<Block>>,
    /// Whether this forward runs backwards, and whether it has begun.
    backwards: bool,
    begun: bool,
}

impl Host {
    pub(super) fn new(arch: &str) -> Self {
        let warp = if arch.starts_with("gfx9") { 64 } else { 32 };
        Self {
            target: Target {
                vendor: Vendor::Amd,
                arch: arch.to_owned(),
                warp,
                // Few, so that a cooperative grid is small and each block has
                // several tiles.
                sms: 3,
                shared_per_block: 65_536,
            },
            change: None,
            folder: folder(warp),
            functions: Vec::new(),
            by_unit: HashMap::new(),
            memory: Vec::new(),
            backwards: false,
            begun: false,
        }
    }

    fn add(&mut self, unit: &CompileUnit, loaded: Loaded) -> Function {
        self.functions.push((unit.clone(), loaded));
        let function = Function(self.functions.len() as u32 - 1);
        self.by_unit.insert(unit.clone(), function);
        function
    }

    fn block(&mut self, memory: Memory) -> &mut Block {
        self.memory[memory.0 as usize].as_mut().unwrap()
    }
}

impl Driver for Host {
    fn target(&self) -> &Target {
        &self.target
    }

    fn describe(&self) -> String {
        format!("{} on the host", self.target.arch)
    }

    fn free_memory(&mut self) -> Option<u64> {
        None
    }

    /// As many compilers at a time as there are cores.
    fn prepare(
        &mut self,
        units: &[&CompileUnit],
        _: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let known = &self.by_unit;
        let fresh: Vec<&CompileUnit> = units
            .iter()
            .filter(|u| !known.contains_key(**u))
            .copied()
            .collect();
        let (first, next) = (self.functions.len(), AtomicUsize::new(0));
        let built = Mutex::new(Vec::new());
        let (folder, target) = (self.folder.path(), &self.target);
        let change = self.change;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..cores.min(fresh.len()) {
                scope.spawn(|| {
                    while let Some((i, unit)) = {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        fresh.get(i).map(|unit| (i, *unit))
                    } {
                        let loaded = build(folder, first + i, unit, target, change);
                        built.lock().unwrap().push((i, unit, loaded));
                    }
                });
            }
        });
        let mut built = built.into_inner().unwrap();
        built.sort_by_key(|(i, ..)| *i);
        for (_, unit, loaded) in built {
            if !self.by_unit.contains_key(unit) {
                self.add(unit, loaded);
            }
        }
        Ok(())
    }

    fn load(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError> {
        assert!(shared <= self.target.shared_per_block, "{}", unit.title());
        if let Some(function) = self.by_unit.get(unit) {
            return Ok(*function);
        }
        let number = self.functions.len() + 1000;
        let loaded = build(self.folder.path(), number, unit, &self.target, self.change);
        Ok(self.add(unit, loaded))
    }

    fn facts(&self, function: Function) -> KernelFacts {
        KernelFacts {
            shared: self.functions[function.0 as usize].1.shared,
            max_threads: 1024,
            ..KernelFacts::default()
        }
    }

    fn resident_blocks(&mut self, _: Function, _: u32, shared: u32) -> Result<u32, GpuError> {
        Ok((65_536 / shared.max(1)).clamp(1, 2))
    }

    fn alloc(&mut self, _: &str, bytes: u64) -> Result<Memory, GpuError> {
        self.memory.push(Some(Block::new(bytes)));
        Ok(Memory(self.memory.len() as u32 - 1))
    }

    fn free(&mut self, memory: Memory) {
        self.memory[memory.0 as usize] = None;
    }

    fn address(&self, memory: Memory) -> u64 {
        self.memory[memory.0 as usize]
            .as_ref()
            .map_or(0, Block::address)
    }

    fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let at = offset as usize;
        self.block(memory).bytes()[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError> {
        let at = offset as usize;
        bytes.copy_from_slice(&self.block(memory).bytes()[at..at + bytes.len()]);
        Ok(())
    }

    /// A forward begins with poison; the next one goes the other way round.
    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
        if byte != 0 && self.begun {
            self.backwards = !self.backwards;
            self.begun = false;
        }
        self.block(memory).bytes().fill(byte);
        Ok(())
    }

    fn tensor_map(&mut self, _: u64, _: &TensorMap) -> Result<[u64; 16], GpuError> {
        Err(GpuError::missing("AMD has no tensor maps"))
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        self.begun = true;
        let (unit, loaded) = &self.functions[call.function.0 as usize];
        assert!(loaded.shared + call.shared <= 65_536, "{}", unit.title());
        assert_eq!(call.threads % self.target.warp, 0, "{}", unit.title());
        let mut parameters = call.parameters.to_vec();
        let mut addresses: Vec<*mut c_void> = parameters
            .iter_mut()
            .map(|parameter| match parameter {
                Parameter::Word(word) => std::ptr::from_mut(word).cast(),
                Parameter::Long(long) => std::ptr::from_mut(long).cast(),
                Parameter::Map(_) => panic!("{} takes a tensor map", unit.title()),
            })
            .collect();
        // SAFETY: the kernel's parameters in order, each an address of a value of
        // its size; buffers live and are as large as the program says.
        let wrong = unsafe {
            (loaded.launch)(
                call.grid.as_ptr(),
                call.threads as c_int,
                call.shared as usize,
                c_int::from(call.cooperative),
                c_int::from(self.backwards),
                addresses.as_mut_ptr(),
            )
        };
        if wrong.is_null() {
            return Ok(());
        }
        // SAFETY: a string literal of the library, which stays open.
        let wrong = unsafe { CStr::from_ptr(wrong) };
        Err(GpuError::failed(wrong.to_string_lossy()).in_kernel(&unit.title()))
    }

    fn library_gemm(&mut self, _: &GemmCall) -> Result<u32, GpuError> {
        Err(GpuError::missing("the host has no library"))
    }

    fn synchronize(&mut self) -> Result<(), GpuError> {
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Mark>, GpuError> {
        Ok(None)
    }

    fn elapsed_us(&mut self, _: Mark, _: Mark) -> Result<f64, GpuError> {
        Err(GpuError::missing("the host has no clock"))
    }

    fn begin_graph(&mut self) -> Result<(), GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }

    fn end_graph(&mut self) -> Result<GraphId, GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }

    fn replay(&mut self, _: GraphId) -> Result<(), GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }
}

//! AMD GPUs: HIP's runtime and HIPRTC, opened at run time. A machine that lacks
//! one of them gets a sentence that says which, and what to do.

mod agents;
mod apart;
mod api;
mod device;
mod facts;
mod hiprtc;
mod launch;
mod library;
mod module;
pub mod rocprof;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::time::Duration;

use super::compile::{Cache, Compiler, Form, compile, compile_all};
use super::devices::Open;
use super::driver::{
    Call, Driver, Function, GemmCall, GpuError, GraphId, KernelFacts, Mark, Memory,
};
use super::native::heap::Heap;
use super::native::kernel;
use super::native::stream::Stream;
use super::program::{Target, TensorMap};
use super::source::Unit;
use api::Api;
use module::Loaded;
use plan::run::{BackendKind, BackendState};

pub use apart::{COMMAND, child, compile_with};
pub use device::Device;
pub use facts::{HipFacts, facts};
pub use hiprtc::Hiprtc;

/// How long the compiler may take to show that it works when a device is opened,
/// for which the engine is given 30 s.
const OPENING: Duration = Duration::from_secs(25);

/// One device with its compiler, one stream of work. Used on the thread that
/// opened it.
pub struct Hip {
    api: &'static Api,
    device: Device,
    stream: Stream,
    hiprtc: Result<Hiprtc, GpuError>,
    cache: Option<Cache>,
    /// Code that was compiled ahead and waits to be loaded.
    ahead: HashMap<Unit, Vec<u8>>,
    functions: Vec<(Loaded, String)>,
    by_unit: HashMap<Unit, Function>,
    heap: Heap,
    /// A device is set on one thread.
    here: PhantomData<*const ()>,
}

impl Hip {
    /// Opens a device by its number, as `HIP_VISIBLE_DEVICES` numbers them.
    ///
    /// # Errors
    /// No runtime, no device, or a device that cannot be used.
    pub fn open(index: u32) -> Result<Self, GpuError> {
        let api = Api::get()?;
        let device = Device::find(api, index)?;
        // SAFETY: the device is there.
        let code = unsafe { (api.hipSetDevice)(device.index) };
        api.check(code, || format!("taking {} into use", device.name))?;
        let cache = Cache::of_user();
        let hiprtc = Hiprtc::find(api).and_then(|hiprtc| {
            let quick = hiprtc.clone().within(OPENING);
            quick.knows(&device.target.arch, cache.as_ref())?;
            Ok(hiprtc)
        });
        Ok(Self {
            api,
            device,
            stream: Stream::new(&api.native)?,
            hiprtc,
            cache,
            ahead: HashMap::new(),
            functions: Vec::new(),
            by_unit: HashMap::new(),
            heap: Heap::new(&api.native),
            here: PhantomData,
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn hiprtc(&self) -> Result<&Hiprtc, GpuError> {
        self.hiprtc.as_ref().map_err(Clone::clone)
    }

    fn loaded(&self, function: Function) -> Result<&(Loaded, String), GpuError> {
        self.functions
            .get(function.0 as usize)
            .ok_or_else(|| GpuError::failed("a kernel that was not loaded"))
    }
}

impl Open for Hip {
    const KIND: BackendKind = BackendKind::Hip;
    const WAITS_FOR: Option<&'static str> = Some("ROCm");

    fn open_first() -> Result<Self, GpuError> {
        Self::open(0)
    }

    fn stands() -> BackendState {
        facts().state()
    }
}

impl Driver for Hip {
    fn target(&self) -> &Target {
        &self.device.target
    }

    fn describe(&self) -> String {
        let compiler = match &self.hiprtc {
            Ok(hiprtc) => hiprtc.version(),
            Err(_) => self.api.release(),
        };
        format!(
            "{} ({}), {compiler}",
            self.device.title(),
            self.device.target.arch
        )
    }

    fn free_memory(&mut self) -> Option<u64> {
        self.heap.left()
    }

    fn prepare(
        &mut self,
        units: &[&Unit],
        done: &mut dyn FnMut(usize, usize, &Unit),
    ) -> Result<(), GpuError> {
        let mut open: Vec<&Unit> = Vec::new();
        for unit in units {
            let known = self.by_unit.contains_key(*unit) || self.ahead.contains_key(*unit);
            if !known && !open.contains(unit) {
                open.push(unit);
            }
        }
        let arch = &self.device.target.arch;
        let cache = self.cache.as_ref();
        let built = compile_all(self.hiprtc()?, cache, &open, arch, Form::Machine, done)?;
        for (unit, built) in open.into_iter().zip(built) {
            self.ahead.insert(unit.clone(), built.image);
        }
        Ok(())
    }

    fn load(&mut self, unit: &Unit, shared: u32) -> Result<Function, GpuError> {
        let function = match self.by_unit.get(unit) {
            Some(function) => *function,
            None => {
                self.stream.not_recording("a kernel cannot be loaded")?;
                let title = unit.title();
                let image = match self.ahead.remove(unit) {
                    Some(image) => image,
                    None => {
                        let arch = &self.device.target.arch;
                        let cache = self.cache.as_ref();
                        compile(self.hiprtc()?, cache, unit, arch, Form::Machine)?.image
                    }
                };
                let loaded = module::load(self.api, &image, unit.entry, &title)?;
                let function = Function(self.functions.len() as u32);
                self.functions.push((loaded, title));
                self.by_unit.insert(unit.clone(), function);
                function
            }
        };
        let (loaded, title) = self.loaded(function)?;
        module::allow_shared(loaded, shared, self.device.target.shared_per_block, title)?;
        Ok(function)
    }

    fn assembly(&mut self, _: &Unit) -> Result<String, GpuError> {
        Err(GpuError::missing(
            "counting rewrites PTX, which no AMD GPU takes; --backend simt counts those of the \
             same kernels",
        ))
    }

    fn facts(&self, function: Function) -> KernelFacts {
        self.loaded(function)
            .map_or_else(|_| KernelFacts::default(), |(loaded, _)| loaded.facts)
    }

    fn resident_blocks(
        &mut self,
        function: Function,
        threads: u32,
        shared: u32,
    ) -> Result<u32, GpuError> {
        let (loaded, title) = self.loaded(function)?;
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

    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.heap.download(&mut self.stream, memory, offset, bytes)
    }

    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
        self.heap.fill(&self.stream, memory, byte)
    }

    fn tensor_map(&mut self, _: u64, _: &TensorMap) -> Result<[u64; 16], GpuError> {
        Err(GpuError::missing(
            "AMD's GPUs have no bulk tensor copies; their plans need none",
        ))
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        let (loaded, title) = self.loaded(call.function)?;
        launch::launch(self.api, &self.device, &self.stream, loaded, title, call)
    }

    fn library_gemm(&mut self, _: &GemmCall) -> Result<u32, GpuError> {
        Err(GpuError::missing(
            "the hip backend has no library of products; --gemm own runs the kernels of this \
             program",
        ))
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
}

impl Drop for Hip {
    fn drop(&mut self) {
        // Nothing may be in flight when what it uses goes; after a lost context
        // every call here fails, which changes nothing.
        let _ = self.stream.synchronize();
        for (loaded, _) in &self.functions {
            module::unload(self.api, loaded);
        }
        self.heap.close();
        self.stream.close();
    }
}

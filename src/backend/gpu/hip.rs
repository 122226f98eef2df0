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

use std::marker::PhantomData;
use std::time::Duration;

use super::compile::{Cache, Compiler, Form, compile};
use super::devices::Open;
use super::driver::{
    Call, Driver, Function, GemmCall, GpuError, GpuErrorKind, GraphId, KernelFacts, Mark, Memory,
};
use super::native::heap::Heap;
use super::native::kernel;
use super::native::kernels::{Kernels, passed_on};
use super::native::ranges::Ranges;
use super::native::stream::Stream;
use super::program::{Target, TensorMap};
use super::source::CompileUnit;
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
    kernels: Kernels<Loaded>,
    heap: Heap,
    ranges: Option<Ranges>,
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
            kernels: Kernels::default(),
            heap: Heap::new(&api.native),
            ranges: Ranges::roctx(),
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

    fn prepare(
        &mut self,
        units: &[&CompileUnit],
        done: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let hiprtc = self.hiprtc.as_ref().map_err(Clone::clone)?;
        let (cache, arch) = (self.cache.as_ref(), &self.device.target.arch);
        self.kernels.prepare(hiprtc, cache, units, arch, done)
    }

    fn load(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError> {
        let function = match self.kernels.of(unit) {
            Some(function) => function,
            None => {
                self.stream.not_recording("a kernel cannot be loaded")?;
                let title = unit.title();
                let image = match self.kernels.take(unit) {
                    Some(image) => image,
                    None => {
                        let arch = &self.device.target.arch;
                        let cache = self.cache.as_ref();
                        compile(self.hiprtc()?, cache, unit, arch, Form::Machine)?.image
                    }
                };
                let loaded = module::load(self.api, &image, unit.entry, &title)?;
                self.kernels.keep(Some(unit), loaded, title)
            }
        };
        let (loaded, title) = self.kernels.get(function)?;
        module::allow_shared(loaded, shared, self.device.target.shared_per_block, title)?;
        Ok(function)
    }

    fn load_source(&mut self, entry: &str, source: &str) -> Result<Function, GpuError> {
        self.stream.not_recording("a kernel cannot be loaded")?;
        let hiprtc = self.hiprtc()?;
        let options = hiprtc.options(
            &CompileUnit::new("", &[]),
            &self.device.target.arch,
            Form::Machine,
        );
        let built = hiprtc
            .build(source, &options, Form::Machine)
            .map_err(|why| GpuError::new(GpuErrorKind::Compile, why.to_string()))?;
        let loaded = module::load(self.api, &built.image, entry, entry)?;
        Ok(self.kernels.keep(None, loaded, entry.to_owned()))
    }

    fn assembly(&mut self, _: &CompileUnit) -> Result<String, GpuError> {
        Err(GpuError::missing(
            "counting rewrites PTX, which no AMD GPU takes; --backend simt counts those of the \
             same kernels",
        ))
    }

    fn tensor_map(&mut self, _: u64, _: &TensorMap) -> Result<[u64; 16], GpuError> {
        Err(GpuError::missing(
            "AMD's GPUs have no bulk tensor copies; their plans need none",
        ))
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        let (loaded, title) = self.kernels.get(call.function)?;
        launch::launch(self.api, &self.device, &self.stream, loaded, title, call)
    }

    fn library_gemm(&mut self, _: &GemmCall) -> Result<u32, GpuError> {
        Err(GpuError::missing(
            "the hip backend has no library of products; --gemm own runs the kernels of this \
             program",
        ))
    }

    fn named(&mut self, name: Option<&str>) {
        if let Some(ranges) = &self.ranges {
            ranges.mark(name);
        }
    }

    passed_on!();
}

impl Drop for Hip {
    fn drop(&mut self) {
        // Nothing may be in flight when what it uses goes; after a lost context
        // every call here fails, which changes nothing.
        let _ = self.stream.synchronize();
        for loaded in self.kernels.loaded() {
            module::unload(self.api, loaded);
        }
        self.heap.close();
        self.stream.close();
    }
}

//! NVIDIA GPUs: the driver's library, NVRTC and cuBLASLt, all opened at run
//! time. A machine that lacks one of them gets a sentence that says which, and
//! what to do.

mod api;
mod blaslt;
mod device;
mod facts;
mod launch;
mod library;
mod module;
mod nvrtc;

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;

use super::compile::{Cache, Compiler, Form, PREBUILT, compile};
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
use api::{Api, version_text};
use blaslt::Blas;
use module::{LoadError, Loaded};
use plan::run::{BackendKind, BackendState};

pub use device::Device;
pub use facts::{CudaFacts, facts};
pub use nvrtc::Nvrtc;

/// One device with its compiler, one stream of work. Used on the thread that
/// opened it.
pub struct Cuda {
    api: &'static Api,
    device: Device,
    _context: Context,
    stream: Stream,
    nvrtc: Result<&'static Nvrtc, GpuError>,
    cache: Option<Cache>,
    kernels: Kernels<Loaded>,
    heap: Heap,
    ranges: Option<Ranges>,
    blas: Option<Blas>,
    /// A context is current on one thread.
    here: PhantomData<*const ()>,
}

/// The primary context of a device, given back in the end.
struct Context {
    api: &'static Api,
    device: c_int,
}

impl Context {
    fn of(api: &'static Api, device: &Device) -> Result<Self, GpuError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the driver is initialised and the device there.
        let code = unsafe { (api.cuDevicePrimaryCtxRetain)(&mut handle, device.handle) };
        api.check(code, || format!("taking {} into use", device.name))?;
        let context = Self {
            api,
            device: device.handle,
        };
        // SAFETY: retained above.
        let code = unsafe { (api.cuCtxSetCurrent)(handle) };
        api.check(code, || format!("taking {} into use", device.name))?;
        Ok(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once by `of`.
        unsafe { (self.api.cuDevicePrimaryCtxRelease_v2)(self.device) };
    }
}

impl Cuda {
    /// Opens a device by its number, as `CUDA_VISIBLE_DEVICES` numbers them.
    /// NVRTC may be missing: then the prebuilt PTX is used.
    ///
    /// # Errors
    /// No driver, no device, or a device that cannot be used.
    pub fn open(index: u32) -> Result<Self, GpuError> {
        let api = Api::get()?;
        let device = Device::find(api, index)?;
        let context = Context::of(api, &device)?;
        let stream = Stream::new(&api.native)?;
        Ok(Self {
            api,
            device,
            _context: context,
            stream,
            nvrtc: Nvrtc::find(api.version() / 1000),
            cache: Cache::of_user(),
            kernels: Kernels::default(),
            heap: Heap::new(&api.native),
            ranges: Ranges::nvtx(),
            blas: None,
            here: PhantomData,
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether a launch of this kernel may start before the one before it has
    /// ended: the code has the instruction that waits (compute capability 9.0).
    pub fn may_overlap(&self, function: Function) -> bool {
        let found = self.kernels.get(function);
        found.is_ok_and(|(loaded, _)| loaded.waits)
    }

    /// Compiles a unit to what the driver loads: a cubin, or PTX where the
    /// compiler does not know the device; else takes the prebuilt PTX.
    fn image(&self, unit: &CompileUnit) -> Result<Vec<u8>, GpuError> {
        let nvrtc = match &self.nvrtc {
            Ok(nvrtc) => *nvrtc,
            Err(why) => return self.prebuilt(unit, why),
        };
        if nvrtc.knows(&self.device.target.arch) {
            let arch = &self.device.target.arch;
            return Ok(compile(nvrtc, self.cache.as_ref(), unit, arch, Form::Machine)?.image);
        }
        let text = self.assembly_of(unit)?;
        Ok(module::ptx_for(self.api.version(), &text))
    }

    fn prebuilt(&self, unit: &CompileUnit, why: &GpuError) -> Result<Vec<u8>, GpuError> {
        let archs: &[&str] = if self.device.target.is_hopper() {
            &["sm_90a", "sm_80"]
        } else if self.device.target.sm() >= 800 {
            &["sm_80"]
        } else {
            &[]
        };
        let found = PREBUILT.find(unit, archs).ok_or_else(|| {
            GpuError::missing(format!(
                "{} was not compiled ahead for {}, and {why}",
                unit.title(),
                self.device.target.arch
            ))
        })?;
        Ok(module::ptx_for(self.api.version(), &found.ptx))
    }
}

impl Open for Cuda {
    const KIND: BackendKind = BackendKind::Cuda;
    const WAITS_FOR: Option<&'static str> = Some("the NVIDIA driver");

    fn open_first() -> Result<Self, GpuError> {
        Self::open(0)
    }

    fn stands() -> BackendState {
        facts().state()
    }
}

impl Driver for Cuda {
    fn target(&self) -> &Target {
        &self.device.target
    }

    fn describe(&self) -> String {
        let compiler = match &self.nvrtc {
            Ok(nvrtc) => nvrtc.version(),
            Err(_) => "prebuilt PTX".to_owned(),
        };
        format!(
            "{} ({}), CUDA {} driver, {compiler}",
            self.device.name,
            self.device.target.arch,
            version_text(self.api.version()),
        )
    }

    fn prepare(
        &mut self,
        units: &[&CompileUnit],
        done: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let Ok(nvrtc) = self.nvrtc else {
            return Ok(());
        };
        let arch = &self.device.target.arch;
        if !nvrtc.knows(arch) {
            return Ok(());
        }
        let cache = self.cache.as_ref();
        self.kernels.prepare(nvrtc, cache, units, arch, done)
    }

    fn load(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError> {
        let function = match self.kernels.of(unit) {
            Some(function) => function,
            None => {
                self.stream.not_recording("a kernel cannot be loaded")?;
                let title = unit.title();
                let image = match self.kernels.take(unit) {
                    Some(image) => image,
                    None => self.image(unit)?,
                };
                let loaded = match module::load(self.api, &image, unit.entry, &title) {
                    // A cubin of a newer toolkit than the driver's: its PTX may do.
                    Err(LoadError::Refused(_)) if self.nvrtc.is_ok() => {
                        let text = self.assembly_of(unit)?;
                        let ptx = module::ptx_for(self.api.version(), &text);
                        module::load(self.api, &ptx, unit.entry, &title)?
                    }
                    result => result?,
                };
                self.kernels.keep(Some(unit), loaded, title)
            }
        };
        let (loaded, title) = self.kernels.get_mut(function)?;
        module::allow_shared(self.api, loaded, shared, title)?;
        Ok(function)
    }

    fn assembly(&mut self, unit: &CompileUnit) -> Result<String, GpuError> {
        self.assembly_of(unit)
    }

    fn load_assembly(
        &mut self,
        entry: &str,
        text: &str,
        shared: u32,
    ) -> Result<Function, GpuError> {
        self.stream.not_recording("a kernel cannot be loaded")?;
        let ptx = module::ptx_for(self.api.version(), text);
        let mut loaded = module::load(self.api, &ptx, entry, entry)?;
        module::allow_shared(self.api, &mut loaded, shared, entry)?;
        Ok(self.kernels.keep(None, loaded, entry.to_owned()))
    }

    /// By NVRTC to PTX, which the driver compiles for the device.
    fn load_source(&mut self, entry: &str, source: &str) -> Result<Function, GpuError> {
        let nvrtc = self.nvrtc.as_ref().map_err(Clone::clone)?;
        let device = &self.device.target.arch;
        let arch = nvrtc
            .nearest(device)
            .ok_or_else(|| GpuError::missing(format!("{} knows no {device}", nvrtc.version())))?;
        let options = nvrtc.options(&CompileUnit::new("", &[]), &arch, Form::Assembly);
        let built = nvrtc
            .build(source, &options, Form::Assembly)
            .map_err(|why| GpuError::new(GpuErrorKind::Compile, why.to_string()))?;
        let text = String::from_utf8_lossy(&built.image).into_owned();
        self.load_assembly(entry, &text, 0)
    }

    fn tensor_map(&mut self, address: u64, map: &TensorMap) -> Result<[u64; 16], GpuError> {
        launch::tensor_map(self.api, address, map)
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        let (loaded, title) = self.kernels.get(call.function)?;
        launch::launch(self.api, &self.stream, loaded, title, call)
    }

    fn library_gemm(&mut self, gemm: &GemmCall) -> Result<u32, GpuError> {
        if !self.blas.as_ref().is_some_and(|blas| blas.is_planned(gemm)) {
            self.stream
                .not_recording("a library's product cannot be planned")?;
        }
        if self.blas.is_none() {
            let found = blaslt::find(self.api.version() / 1000)?;
            let workspace = self.alloc("cuBLASLt", blaslt::WORKSPACE_BYTES)?;
            self.blas = Some(Blas::new(&found, self.address(workspace))?);
        }
        let Some(blas) = self.blas.as_mut() else {
            return Err(GpuError::missing("no cuBLASLt is here"));
        };
        blas.run(gemm, self.stream.handle)?;
        Ok(1)
    }

    fn profile(&mut self, on: bool) -> Result<(), GpuError> {
        let call = match on {
            true => self.api.cuProfilerStart,
            false => self.api.cuProfilerStop,
        };
        let call = call.ok_or_else(|| {
            GpuError::missing("the NVIDIA driver does not let a profiler be started")
        })?;
        // SAFETY: the call takes nothing; without a profiler it does nothing.
        let code = unsafe { call() };
        self.api
            .check(code, || "the profiler is not told".to_owned())
    }

    fn named(&mut self, name: Option<&str>) {
        if let Some(ranges) = &self.ranges {
            ranges.mark(name);
        }
    }

    passed_on!();
}

impl Cuda {
    fn assembly_of(&self, unit: &CompileUnit) -> Result<String, GpuError> {
        let nvrtc = match &self.nvrtc {
            Ok(nvrtc) => *nvrtc,
            Err(why) => {
                let mut text = self.prebuilt(unit, why)?;
                text.pop();
                return String::from_utf8(text)
                    .map_err(|_| GpuError::failed("the prebuilt PTX is damaged"));
            }
        };
        let device = &self.device.target.arch;
        let arch = if nvrtc.knows(device) {
            device.clone()
        } else {
            nvrtc.nearest(device).ok_or_else(|| {
                GpuError::new(
                    GpuErrorKind::Missing,
                    format!(
                        "{} ({}) is for newer devices than {} ({device}); an older one serves it",
                        nvrtc.version(),
                        nvrtc.place(),
                        self.device.name
                    ),
                )
            })?
        };
        let built = compile(nvrtc, self.cache.as_ref(), unit, &arch, Form::Assembly)?;
        String::from_utf8(built.image)
            .map_err(|_| GpuError::failed(format!("the PTX of {} is not text", unit.title())))
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Nothing may be in flight when what it uses goes; after a lost context
        // every call here fails, which changes nothing.
        let _ = self.stream.synchronize();
        self.blas = None;
        for loaded in self.kernels.loaded() {
            module::unload(self.api, loaded);
        }
        self.heap.close();
        self.stream.close();
    }
}

#[cfg(test)]
mod tests;

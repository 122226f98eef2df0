//! The driver's functions, found by name when the library is opened.
//!
//! Types are cudarc's. Its functions are not used: they panic where the library
//! lacks a name, and their results are a Rust enum, in which a code that a newer
//! driver has and the enum has not would be undefined behaviour.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUlaunchConfig, CUmodule, CUstream,
    CUstreamCaptureMode, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill,
    CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle,
};

use super::super::driver::{GpuError, GpuErrorKind};
use super::library::functions;

/// The oldest driver that is used: CUDA 12.0 has everything that is called.
const OLDEST: u32 = 12_000;

/// What a call of the driver gives back: 0 is success.
pub(super) type Code = c_int;

const OUT_OF_MEMORY: Code = 2;
const NO_DEVICE: Code = 100;

functions! {
    /// Pointers to the functions of the driver's library (cuda.h), which is never
    /// closed.
    struct Api;
    fn cuInit(c_uint);
    fn cuDriverGetVersion(*mut c_int);
    fn cuGetErrorString(c_int, *mut *const c_char);
    fn cuDeviceGetCount(*mut c_int);
    fn cuDeviceGet(*mut CUdevice, c_int);
    fn cuDeviceGetName(*mut c_char, c_int, CUdevice);
    fn cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    fn cuDeviceTotalMem_v2(*mut usize, CUdevice);
    fn cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(CUdevice);
    fn cuCtxSetCurrent(CUcontext);
    fn cuStreamCreate(*mut CUstream, c_uint);
    fn cuStreamDestroy_v2(CUstream);
    fn cuStreamSynchronize(CUstream);
    fn cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    fn cuStreamEndCapture(CUstream, *mut CUgraph);
    fn cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    fn cuGraphUpload(CUgraphExec, CUstream);
    fn cuGraphLaunch(CUgraphExec, CUstream);
    fn cuGraphDestroy(CUgraph);
    fn cuGraphExecDestroy(CUgraphExec);
    fn cuEventCreate(*mut CUevent, c_uint);
    fn cuEventDestroy_v2(CUevent);
    fn cuEventRecord(CUevent, CUstream);
    fn cuEventSynchronize(CUevent);
    fn cuEventElapsedTime(*mut f32, CUevent, CUevent);
    fn cuMemGetInfo_v2(*mut usize, *mut usize);
    fn cuMemAlloc_v2(*mut CUdeviceptr, usize);
    fn cuMemFree_v2(CUdeviceptr);
    fn cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    fn cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    fn cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
    fn cuModuleLoadDataEx(
        *mut CUmodule,
        *const c_void,
        c_uint,
        *mut sys::CUjit_option,
        *mut *mut c_void,
    );
    fn cuModuleUnload(CUmodule);
    fn cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    fn cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    fn cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    fn cuLaunchKernelEx(
        *const CUlaunchConfig,
        CUfunction,
        *mut *mut c_void,
        *mut *mut c_void,
    );
    fn cuTensorMapEncodeTiled(
        *mut CUtensorMap,
        CUtensorMapDataType,
        c_uint,
        *mut c_void,
        *const u64,
        *const u64,
        *const c_uint,
        *const c_uint,
        CUtensorMapInterleave,
        CUtensorMapSwizzle,
        CUtensorMapL2promotion,
        CUtensorMapFloatOOBfill,
    );
    optional fn cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
    optional fn cuProfilerStart();
    optional fn cuProfilerStop();
}

impl Api {
    /// The driver of this machine, opened and initialised once.
    ///
    /// # Errors
    /// No library, a driver older than CUDA 12.0, no device.
    pub fn get() -> Result<&'static Self, GpuError> {
        static API: OnceLock<Result<Api, GpuError>> = OnceLock::new();
        API.get_or_init(Self::open).as_ref().map_err(Clone::clone)
    }

    fn open() -> Result<Self, GpuError> {
        // SAFETY: opening libcuda runs its initialisers and nothing of ours.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::missing(
                "no NVIDIA driver is here (libcuda.so.1 is not found); --backend cpu needs none",
            ));
        }
        // SAFETY: the library is present, so that this does not panic.
        let library = unsafe { sys::culib() };
        let api = Self::of(library).map_err(|name| {
            GpuError::missing(format!(
                "the NVIDIA driver is too old: it lacks {name}; CUDA 12.0 (R525) or newer is needed"
            ))
        })?;
        let version = api.version();
        if version < OLDEST {
            return Err(GpuError::missing(format!(
                "the NVIDIA driver is for CUDA {}; 12.0 (R525) or newer is needed",
                version_text(version)
            )));
        }
        // SAFETY: the flags must be 0; may be called at any time.
        match unsafe { (api.cuInit)(0) } {
            0 => Ok(api),
            NO_DEVICE => Err(GpuError::missing(
                "the NVIDIA driver is here, but no device that it can use",
            )),
            code => Err(GpuError::missing(format!(
                "the NVIDIA driver does not start: {}",
                api.says(code)
            ))),
        }
    }

    /// The newest CUDA that the driver knows: 13000 for 13.0.
    pub fn version(&self) -> u32 {
        let mut version = 0;
        // SAFETY: writes one int; may be called before cuInit.
        let code = unsafe { (self.cuDriverGetVersion)(&mut version) };
        if code == 0 {
            u32::try_from(version).unwrap_or(0)
        } else {
            0
        }
    }

    /// The driver's own words for a code.
    pub fn says(&self, code: Code) -> String {
        let mut text = ptr::null();
        // SAFETY: writes a pointer to a constant string, or null for a code
        // that it does not know.
        let known = unsafe { (self.cuGetErrorString)(code, &mut text) };
        if known != 0 || text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: not null, ends with a zero byte, lives as long as the library.
        let text = unsafe { CStr::from_ptr(text) };
        format!("{} (error {code})", text.to_string_lossy())
    }

    /// An error with what was being done, for any code but 0.
    pub fn check(&self, code: Code, doing: impl FnOnce() -> String) -> Result<(), GpuError> {
        match code {
            0 => Ok(()),
            code => Err(self.error(code, &doing())),
        }
    }

    fn error(&self, code: Code, doing: &str) -> GpuError {
        let kind = match code {
            OUT_OF_MEMORY => GpuErrorKind::OutOfMemory,
            _ => GpuErrorKind::Failed,
        };
        let way_out = match code {
            OUT_OF_MEMORY => "; a smaller model, batch or context fits",
            // Sticky errors: the context answers nothing else from now on.
            700 | 702 | 714..=719 => "; the device's context is lost and needs a fresh process",
            _ => "",
        };
        GpuError::new(kind, format!("{doing}: {}{way_out}", self.says(code)))
    }
}

/// `13.0` for 13000.
pub(super) fn version_text(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

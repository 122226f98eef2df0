//! The driver's functions, found by name when the library is opened.
//!
//! Types are cudarc's. Its functions are not used: they panic where the library
//! lacks a name, and their results are a Rust enum, in which a code that a newer
//! driver has and the enum has not would be undefined behaviour.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ops::Deref;
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUfunction, CUfunction_attribute,
    CUlaunchConfig, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill,
    CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle,
};

use super::super::driver::GpuError;
use super::super::native::library::functions;
use super::super::native::{Calls, Handle, NO_DEVICE, Native};

/// The oldest driver that is used: CUDA 12.0 has everything that is called.
const OLDEST: u32 = 12_000;

functions! {
    /// Pointers to the functions of the driver's library (cuda.h) that AMD's has
    /// not alike.
    struct Functions;
    fn cuInit(c_uint);
    fn cuDriverGetVersion(*mut c_int);
    fn cuDeviceGetCount(*mut c_int);
    fn cuDeviceGet(*mut CUdevice, c_int);
    fn cuDeviceGetName(*mut c_char, c_int, CUdevice);
    fn cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    fn cuDeviceTotalMem_v2(*mut usize, CUdevice);
    fn cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(CUdevice);
    fn cuCtxSetCurrent(CUcontext);
    fn cuModuleLoadDataEx(
        *mut Handle,
        *const c_void,
        c_uint,
        *mut sys::CUjit_option,
        *mut *mut c_void,
    );
    fn cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
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

/// The driver's library, which is never closed.
pub(super) struct Api {
    pub native: Native,
    own: Functions,
}

impl Deref for Api {
    type Target = Functions;

    fn deref(&self) -> &Functions {
        &self.own
    }
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
                "no NVIDIA driver is here (libcuda.so.1 is not found); cpu and simt need none",
            ));
        }
        // SAFETY: the library is present, so that this does not panic.
        let library = unsafe { sys::culib() };
        let lacks = |name| {
            GpuError::missing(format!(
                "the NVIDIA driver is too old: it lacks {name}; CUDA 12.0 (R525) or newer is needed"
            ))
        };
        let calls = Calls::of(library, |[cuda, _]| cuda).map_err(lacks)?;
        // SAFETY: where the name is exported, it has the signature of cuda.h.
        let words = unsafe { library.get::<Words>(b"cuGetErrorString\0") };
        let words = *words.map_err(|_| lacks("cuGetErrorString"))?;
        let api = Self {
            native: Native::new(calls, move |code| says(words, code)),
            own: Functions::of(library).map_err(lacks)?,
        };
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
                api.native.says(code)
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

    /// An error with what was being done, for any code but 0.
    pub fn check(&self, code: c_int, doing: impl FnOnce() -> String) -> Result<(), GpuError> {
        self.native.check(code, doing)
    }
}

type Words = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// The driver's own words for a code.
fn says(words: Words, code: c_int) -> Option<String> {
    let mut text = ptr::null();
    // SAFETY: writes a pointer to a constant string, or null for a code that it
    // does not know.
    let known = unsafe { words(code, &mut text) };
    if known != 0 || text.is_null() {
        return None;
    }
    // SAFETY: not null, ends with a zero byte, lives as long as the library.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// `13.0` for 13000.
pub(super) fn version_text(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

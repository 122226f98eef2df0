//! HIP's functions, found by name when the library is opened.
//!
//! Types and constants are hip-sys's; its functions are not referenced, so that
//! nothing is linked. `hipGetDeviceProperties` is never called: its structure
//! changed its size in ROCm 6.

use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hip_sys::hiprt::{hipDevice_t, hipDeviceAttribute_t, hipError_t};

use super::super::driver::GpuError;
use super::super::native::library::{self, functions};
use super::super::native::{self, Calls, Code, Handle, Native};
use super::library::{HIP_LIBRARY, Places, module, release};

/// The kernel driver's door, which every program on an AMD GPU goes through.
const KERNEL_DRIVER: &str = "/dev/kfd";

/// What hides devices from a process, in the order in which ROCm obeys.
const HIDING: [&str; 4] = [
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
];

functions! {
    /// Pointers to the functions of the runtime's library (hip_runtime_api.h)
    /// that NVIDIA's has not alike.
    struct Functions;
    fn hipInit(c_uint);
    fn hipRuntimeGetVersion(*mut c_int);
    fn hipGetDeviceCount(*mut c_int);
    fn hipSetDevice(c_int);
    fn hipDeviceGet(*mut hipDevice_t, c_int);
    fn hipDeviceGetName(*mut c_char, c_int, hipDevice_t);
    fn hipDeviceTotalMem(*mut usize, hipDevice_t);
    fn hipDeviceGetAttribute(*mut c_int, hipDeviceAttribute_t, c_int);
    fn hipModuleLoadData(*mut Handle, *const c_void);
    fn hipModuleLaunchKernel(
        Handle,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        Handle,
        *mut *mut c_void,
        *mut *mut c_void,
    );
    optional fn hipModuleLaunchCooperativeKernel(
        Handle,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        Handle,
        *mut *mut c_void,
    );
}

/// The runtime's library, which is never closed.
pub(super) struct Api {
    pub native: Native,
    /// Path or name by which it was opened.
    pub place: PathBuf,
    own: Functions,
}

impl Deref for Api {
    type Target = Functions;

    fn deref(&self) -> &Functions {
        &self.own
    }
}

impl Api {
    /// The runtime of this machine, opened and initialised once.
    ///
    /// # Errors
    /// No library, one that lacks a function, no device.
    pub fn get() -> Result<&'static Self, GpuError> {
        static API: OnceLock<Result<Api, GpuError>> = OnceLock::new();
        API.get_or_init(Self::open).as_ref().map_err(Clone::clone)
    }

    fn open() -> Result<Self, GpuError> {
        let places = Places::of_process();
        let opened = library::first(&places.hip_candidates())
            .ok_or_else(|| GpuError::missing(no_library(places.hip.as_deref())))?;
        let lacks = |name| {
            GpuError::missing(format!(
                "{} lacks {name}; ROCm 5.2 or newer is needed",
                opened.place.display()
            ))
        };
        let calls = Calls::of(opened.library, |[_, hip]| hip).map_err(lacks)?;
        // SAFETY: where the name is exported, it has the signature of
        // hip_runtime_api.h.
        let words = unsafe { opened.library.get::<Words>(b"hipGetErrorString\0") };
        let words = *words.map_err(|_| lacks("hipGetErrorString"))?;
        let api = Self {
            native: Native::new(calls, move |code| says(words, code)),
            own: Functions::of(opened.library).map_err(lacks)?,
            place: opened.place,
        };
        // SAFETY: the flags must be 0; may be called at any time.
        match unsafe { (api.hipInit)(0) } {
            0 => Ok(api),
            native::NO_DEVICE => Err(GpuError::missing(no_device())),
            code if code == hipError_t::hipErrorInvalidDevice as Code => {
                Err(GpuError::missing(no_device()))
            }
            code => Err(GpuError::missing(format!(
                "HIP does not start: {}",
                api.native.says(code)
            ))),
        }
    }

    /// The runtime's version as major, minor, patch: (6, 2, 41133).
    pub fn version(&self) -> (u32, u32, u32) {
        let mut version = 0;
        // SAFETY: writes one int.
        let code = unsafe { (self.hipRuntimeGetVersion)(&mut version) };
        match (code, u32::try_from(version)) {
            (0, Ok(version)) => (
                version / 10_000_000,
                version / 100_000 % 100,
                version % 100_000,
            ),
            _ => (0, 0, 0),
        }
    }

    /// `ROCm 6.2.0-66`, or `HIP 6.2.41133` where the library's folder does not
    /// say the release.
    pub fn release(&self) -> String {
        release(&self.place).unwrap_or_else(|| {
            let (major, minor, patch) = self.version();
            format!("HIP {major}.{minor}.{patch}")
        })
    }

    /// An error with what was being done, for any code but 0.
    pub fn check(&self, code: Code, doing: impl FnOnce() -> String) -> Result<(), GpuError> {
        self.native.check(code, doing)
    }
}

type Words = unsafe extern "C" fn(c_int) -> *const c_char;

/// The library's own words for a code.
fn says(words: Words, code: c_int) -> Option<String> {
    // SAFETY: gives a constant string for every code, or null.
    let text = unsafe { words(code) };
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, ends with a zero byte, lives as long as the library.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// Why HIP's library was not opened, and what to do.
fn no_library(named: Option<&Path>) -> String {
    if let Some(file) = named {
        return format!(
            "{HIP_LIBRARY} names {}, which is no library that can be opened",
            file.display()
        );
    }
    if !Path::new(KERNEL_DRIVER).exists() {
        return format!(
            "no AMD GPU and no ROCm are here (neither {KERNEL_DRIVER} nor libamdhip64.so is \
             found); cpu and simt need none"
        );
    }
    let load = match module() {
        Some(module) => format!("module load {module}"),
        None => "ROCm 5.2 or newer has it".to_owned(),
    };
    format!(
        "an AMD GPU is here, but ROCm's libamdhip64.so is not found: {load}, or name the file \
         in {HIP_LIBRARY}"
    )
}

/// Why HIP sees no device, and what to do.
pub(super) fn no_device() -> String {
    let hides = HIDING.into_iter().find_map(|name| {
        let value = env::var_os(name)?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    match hides {
        Some((name, value)) if value.trim().is_empty() => {
            format!("{name} is empty, which hides every GPU; unset it, or set it to 0")
        }
        Some((name, value)) => format!(
            "{name} is “{}”, which leaves no GPU; unset it, or name one that is there",
            value.escape_debug()
        ),
        None => no_door(Path::new(KERNEL_DRIVER)),
    }
}

/// What stands between HIP and a device that nothing hides.
fn no_door(door: &Path) -> String {
    let shown = door.display();
    match std::fs::File::options().read(true).write(true).open(door) {
        Ok(_) => format!("ROCm is here and {shown} can be opened, but HIP finds no device"),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            format!("ROCm is here, but no AMD GPU: {shown} is not there")
        }
        Err(_) => format!(
            "ROCm is here, but {shown} may not be opened: this user has to be in the group that \
             owns it (render, or video)"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_that_is_not_there_and_one_that_is_locked_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let door = folder.path().join("kfd");
        assert!(no_door(&door).contains("is not there"));
        std::fs::write(&door, "").unwrap();
        assert!(no_door(&door).contains("finds no device"));
        // A folder cannot be opened for writing, whoever asks.
        assert!(no_door(folder.path()).contains("in the group"));
    }
}

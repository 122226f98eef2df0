//! What CUDA's driver and HIP's runtime have alike, once: the same calls under
//! two names, memory, one stream of work, what a loaded kernel needs.
//!
//! | file | idea |
//! |---|---|
//! | `library` | opens a library at run time, finds its functions by name |
//! | `heap` | device memory within its bounds |
//! | `stream` | one stream: waiting, marks in time, recorded graphs |
//! | `kernel` | a kernel in a loaded module, its needs, its arguments |
//! | `kernels` | loaded kernels by unit; the calls that a driver passes on |
//! | `ranges` | names of launches for a vendor's timeline |
//! | `nvtx` | the protocol of NVTX 3, by which a tool takes them |
//! | `compiler` | one source through the vendor's compiler |

pub mod compiler;
pub mod heap;
pub mod kernel;
pub mod kernels;
pub mod library;
#[cfg(feature = "cuda")]
pub mod nvtx;
pub mod ranges;
pub mod stream;

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

use super::driver::{GpuError, GpuErrorKind};

/// What a call gives back: 0 is success. A number and no enum: a newer library
/// may have codes that the enum has not.
pub type Code = c_int;

/// A stream, an event, a graph, a module, a function of the library.
pub type Handle = *mut c_void;

// Numbers that both vendors give the same meaning.
pub const OUT_OF_MEMORY: Code = 2;
pub const NO_DEVICE: Code = 100;
const CAPTURE_UNSUPPORTED: Code = 900;

macro_rules! calls {
    (
        $(fn $ours:ident = $cuda:ident | $hip:ident ($($argument:ty),* $(,)?);)*
        $(optional fn $extra:ident = $cudas:ident | $hips:ident ($($taken:ty),* $(,)?);)*
    ) => {
        /// The calls by one name. Both vendors' have the same arguments; handles
        /// and addresses are 8 bytes in either.
        #[derive(Clone, Copy)]
        pub struct Calls {
            $(pub $ours: unsafe extern "C" fn($($argument),*) -> Code,)*
            $(pub $extra: Option<unsafe extern "C" fn($($taken),*) -> Code>,)*
        }

        impl Calls {
            /// Finds them; `which` takes CUDA's or HIP's name of the two.
            ///
            /// # Errors
            /// The first name that the library lacks.
            pub fn of(
                library: &'static Library,
                which: fn([&'static str; 2]) -> &'static str,
            ) -> Result<Self, &'static str> {
                Ok(Self {
                    $($ours: {
                        let name = which([stringify!($cuda), stringify!($hip)]);
                        // SAFETY: where the name is exported, it has the
                        // signature of the vendor's header.
                        *unsafe { library.get(name.as_bytes()) }.map_err(|_| name)?
                    },)*
                    $($extra: {
                        let name = which([stringify!($cudas), stringify!($hips)]);
                        // SAFETY: as above.
                        let symbol = unsafe { library.get(name.as_bytes()) };
                        symbol.ok().map(|symbol| *symbol)
                    },)*
                })
            }
        }
    };
}

calls! {
    fn stream_create = cuStreamCreate | hipStreamCreateWithFlags(*mut Handle, c_uint);
    fn stream_destroy = cuStreamDestroy_v2 | hipStreamDestroy(Handle);
    fn stream_synchronize = cuStreamSynchronize | hipStreamSynchronize(Handle);
    fn stream_begin_capture = cuStreamBeginCapture_v2 | hipStreamBeginCapture(Handle, c_int);
    fn stream_end_capture = cuStreamEndCapture | hipStreamEndCapture(Handle, *mut Handle);
    fn graph_instantiate = cuGraphInstantiateWithFlags | hipGraphInstantiateWithFlags(*mut Handle, Handle, u64);
    fn graph_launch = cuGraphLaunch | hipGraphLaunch(Handle, Handle);
    fn graph_destroy = cuGraphDestroy | hipGraphDestroy(Handle);
    fn graph_exec_destroy = cuGraphExecDestroy | hipGraphExecDestroy(Handle);
    fn event_create = cuEventCreate | hipEventCreateWithFlags(*mut Handle, c_uint);
    fn event_destroy = cuEventDestroy_v2 | hipEventDestroy(Handle);
    fn event_record = cuEventRecord | hipEventRecord(Handle, Handle);
    fn event_synchronize = cuEventSynchronize | hipEventSynchronize(Handle);
    fn event_elapsed = cuEventElapsedTime | hipEventElapsedTime(*mut f32, Handle, Handle);
    fn memory_info = cuMemGetInfo_v2 | hipMemGetInfo(*mut usize, *mut usize);
    fn memory_alloc = cuMemAlloc_v2 | hipMalloc(*mut u64, usize);
    fn memory_free = cuMemFree_v2 | hipFree(u64);
    fn copy_to_device = cuMemcpyHtoDAsync_v2 | hipMemcpyHtoDAsync(u64, *const c_void, usize, Handle);
    fn copy_to_host = cuMemcpyDtoHAsync_v2 | hipMemcpyDtoHAsync(*mut c_void, u64, usize, Handle);
    fn set_bytes = cuMemsetD8Async | hipMemsetD8Async(u64, u8, usize, Handle);
    fn module_unload = cuModuleUnload | hipModuleUnload(Handle);
    fn module_function = cuModuleGetFunction | hipModuleGetFunction(*mut Handle, Handle, *const c_char);
    fn function_attribute = cuFuncGetAttribute | hipFuncGetAttribute(*mut c_int, c_int, Handle);
    fn resident_blocks = cuOccupancyMaxActiveBlocksPerMultiprocessor | hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, Handle, c_int, usize);
    optional fn graph_upload = cuGraphUpload | hipGraphUpload(Handle, Handle);
}

/// The calls, and the library's own words for a code.
pub struct Native {
    pub calls: Calls,
    words: Box<dyn Fn(Code) -> Option<String> + Send + Sync>,
}

impl Native {
    pub fn new(
        calls: Calls,
        words: impl Fn(Code) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            calls,
            words: Box::new(words),
        }
    }

    /// The library's own words for a code, and the code.
    pub fn says(&self, code: Code) -> String {
        match (self.words)(code) {
            Some(words) => format!("{words} (error {code})"),
            None => format!("error {code}"),
        }
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
            CAPTURE_UNSUPPORTED => "; without --graph it is launched as it is",
            _ => "",
        };
        GpuError::new(kind, format!("{doing}: {}{way_out}", self.says(code)))
    }
}

/// Something that is there, or why it is not.
pub type Fact<T> = Result<T, GpuError>;

/// A table's lines, a word and a sentence each, as sentences.
pub fn notes(lines: Vec<(&'static str, String)>) -> Vec<String> {
    lines
        .into_iter()
        .map(|(word, text)| match word {
            "" => text,
            word => format!("{word}: {text}"),
        })
        .collect()
}

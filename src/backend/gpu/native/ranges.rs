//! Names of what is launched, for a vendor's timeline: NVTX's and ROCTX's ranges. Who
//! takes them is looked for when a device is opened; where nobody does, nothing is named.

use std::ffi::{CString, c_char, c_int};
use std::path::PathBuf;

use super::library;
#[cfg(feature = "cuda")]
use super::nvtx;

/// Begins a range of a name, and ends the one that began last.
pub type Push = unsafe extern "C" fn(*const c_char) -> c_int;
pub type Pop = unsafe extern "C" fn() -> c_int;

/// How a library calls its two functions, and itself, the newest first.
struct Names {
    push: &'static str,
    pop: &'static str,
    files: &'static [&'static str],
}

/// NVTX up to CUDA 12.
#[cfg(feature = "cuda")]
const NVTX: Names = Names {
    push: "nvtxRangePushA",
    pop: "nvtxRangePop",
    files: &["libnvToolsExt.so.1"],
};

#[cfg(feature = "hip")]
const ROCTX: Names = Names {
    push: "roctxRangePushA",
    pop: "roctxRangePop",
    files: &[
        "librocprofiler-sdk-roctx.so.1",
        "librocprofiler-sdk-roctx.so.0",
        "libroctx64.so.4",
    ],
};

/// Who takes ranges.
#[derive(Clone, Copy)]
pub enum Ranges {
    /// A library that is open.
    Library(Push, Pop),
    /// A tool, by the protocol of NVTX 3.
    #[cfg(feature = "cuda")]
    Tool,
}

impl Ranges {
    /// NVTX: the tool that the environment names, else the library.
    #[cfg(feature = "cuda")]
    pub fn nvtx() -> Option<Self> {
        match nvtx::attached() {
            true => Some(Self::Tool),
            false => Self::find(&NVTX),
        }
    }

    /// ROCTX.
    #[cfg(feature = "hip")]
    pub fn roctx() -> Option<Self> {
        Self::find(&ROCTX)
    }

    /// The first of the files that has both functions.
    fn find(names: &Names) -> Option<Self> {
        names.files.iter().find_map(|file| {
            let opened = library::first(&[PathBuf::from(file)])?;
            // SAFETY: where they are exported, both have the signatures of NVTX's and
            // ROCTX's headers, which are the same.
            unsafe {
                let push: Push = *opened.library.get(names.push.as_bytes()).ok()?;
                let pop: Pop = *opened.library.get(names.pop.as_bytes()).ok()?;
                Some(Self::Library(push, pop))
            }
        })
    }

    fn functions(&self) -> Option<(Push, Pop)> {
        match self {
            Self::Library(push, pop) => Some((*push, *pop)),
            #[cfg(feature = "cuda")]
            Self::Tool => nvtx::functions(),
        }
    }

    /// Begins a range of this name; `None` ends the one that began last.
    pub fn mark(&self, name: Option<&str>) {
        let Some((push, pop)) = self.functions() else {
            return;
        };
        match name {
            Some(name) => {
                let name = CString::new(name).unwrap_or_default();
                // SAFETY: the text ends with a zero byte and is copied.
                unsafe { push(name.as_ptr()) };
            }
            None => {
                // SAFETY: takes nothing; without a range it says so and does nothing.
                unsafe { pop() };
            }
        }
    }
}

//! Names of what is launched, for a vendor's timeline: NVTX's and ROCTX's ranges. Their
//! library is opened where it is there; where it is not, nothing is named.

use std::ffi::{CString, c_char, c_int};
use std::path::PathBuf;

use super::library;

/// How a library calls its two functions, and itself, the newest first.
pub struct Names {
    pub push: &'static str,
    pub pop: &'static str,
    pub files: &'static [&'static str],
}

#[cfg(feature = "cuda")]
pub const NVTX: Names = Names {
    push: "nvtxRangePushA",
    pop: "nvtxRangePop",
    files: &["libnvToolsExt.so.1"],
};

#[cfg(feature = "hip")]
pub const ROCTX: Names = Names {
    push: "roctxRangePushA",
    pop: "roctxRangePop",
    files: &[
        "librocprofiler-sdk-roctx.so.1",
        "librocprofiler-sdk-roctx.so.0",
        "libroctx64.so.4",
    ],
};

/// The library, open.
#[derive(Clone, Copy)]
pub struct Ranges {
    push: unsafe extern "C" fn(*const c_char) -> c_int,
    pop: unsafe extern "C" fn() -> c_int,
}

impl Ranges {
    /// The first of the files that has both functions.
    pub fn find(names: &Names) -> Option<Self> {
        names.files.iter().find_map(|file| {
            let opened = library::first(&[PathBuf::from(file)])?;
            // SAFETY: where they are exported, both have the signatures of NVTX's and
            // ROCTX's headers, which are the same.
            unsafe {
                Some(Self {
                    push: *opened.library.get(names.push.as_bytes()).ok()?,
                    pop: *opened.library.get(names.pop.as_bytes()).ok()?,
                })
            }
        })
    }

    /// Begins a range of this name; `None` ends the one that began last.
    pub fn mark(&self, name: Option<&str>) {
        match name {
            Some(name) => {
                let name = CString::new(name).unwrap_or_default();
                // SAFETY: the text ends with a zero byte and is copied.
                unsafe { (self.push)(name.as_ptr()) };
            }
            None => {
                // SAFETY: takes nothing; without a range it says so and does nothing.
                unsafe { (self.pop)() };
            }
        }
    }
}

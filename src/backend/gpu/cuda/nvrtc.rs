//! NVRTC: from a kernel's source to a cubin or PTX, without a toolkit.
//!
//! Opened at run time from wherever it is; versions 12 and 13 have the same
//! functions. Bound by hand: cudarc's `nvrtc` opens the library by the names of the
//! toolkit that it was built for, takes no path (a Python environment's file,
//! `NVRTC_LIBRARY`), panics where it finds none, and shares nothing with HIPRTC.

use std::ffi::{c_char, c_int};
use std::sync::OnceLock;

use super::super::compile::{Built, Compiler, CompilerError, Form};
use super::super::driver::GpuError;
use super::super::native::compiler::{Calls, Program};
use super::super::native::library::{Opened, functions};
use super::super::source::CompileUnit;
use super::library::{self, Places};

functions! {
    /// Of nvrtc.h, since NVRTC 11.2.
    struct Functions;
    fn nvrtcVersion(*mut c_int, *mut c_int);
    fn nvrtcGetNumSupportedArchs(*mut c_int);
    fn nvrtcGetSupportedArchs(*mut c_int);
    fn nvrtcCreateProgram(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    );
    fn nvrtcCompileProgram(Program, c_int, *const *const c_char);
    fn nvrtcDestroyProgram(*mut Program);
    fn nvrtcGetProgramLogSize(Program, *mut usize);
    fn nvrtcGetProgramLog(Program, *mut c_char);
    fn nvrtcGetPTXSize(Program, *mut usize);
    fn nvrtcGetPTX(Program, *mut c_char);
    fn nvrtcGetCUBINSize(Program, *mut usize);
    fn nvrtcGetCUBIN(Program, *mut c_char);
}

/// The compiler, open.
pub struct Nvrtc {
    functions: Functions,
    place: String,
    version: (u32, u32),
    /// Compute capabilities that it compiles for: 80, 90 …, ascending.
    archs: Vec<u32>,
}

impl Nvrtc {
    /// NVRTC of this machine, where one is: `$NVRTC_LIBRARY`, the system's, a
    /// toolkit's, a Python environment's. `newest` is the CUDA major of the
    /// driver, which takes no code of a newer one.
    ///
    /// # Errors
    /// None is found, or it does not answer.
    pub fn find(newest: u32) -> Result<&'static Self, GpuError> {
        static FOUND: OnceLock<Result<Nvrtc, GpuError>> = OnceLock::new();
        FOUND
            .get_or_init(|| {
                let places = Places::of_process(&library::NVRTC);
                let candidates = places.candidates(&library::NVRTC, newest);
                let opened = library::open(&library::NVRTC, &candidates).ok_or_else(|| {
                    GpuError::missing(match &places.named {
                        Some(file) => format!(
                            "{} names {}, which is no library that can be opened",
                            library::NVRTC.variable,
                            file.display()
                        ),
                        None => "no NVRTC is here; pip install nvidia-cuda-nvrtc-cu12 is enough, \
                                 in the environment that is active or with NVRTC_LIBRARY naming \
                                 its libnvrtc.so.12"
                            .to_owned(),
                    })
                })?;
                Self::new(&opened)
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    fn new(opened: &Opened) -> Result<Self, GpuError> {
        let broken =
            || GpuError::missing(format!("{} is not a usable NVRTC", opened.place.display()));
        let functions = Functions::of(opened.library).map_err(|_| broken())?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: each writes the ints that it is given.
        let code = unsafe {
            (functions.nvrtcVersion)(&mut major, &mut minor)
                | (functions.nvrtcGetNumSupportedArchs)(&mut count)
        };
        if code != 0 {
            return Err(broken());
        }
        let mut archs: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: room for as many ints as it said it has.
        let code = unsafe { (functions.nvrtcGetSupportedArchs)(archs.as_mut_ptr()) };
        if code != 0 {
            return Err(broken());
        }
        let mut archs: Vec<u32> = archs.into_iter().map(c_int::unsigned_abs).collect();
        archs.sort_unstable();
        Ok(Self {
            functions,
            place: opened.place.display().to_string(),
            version: (major.unsigned_abs(), minor.unsigned_abs()),
            archs,
        })
    }

    /// Path or name by which it was opened.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Major and minor.
    pub fn number(&self) -> (u32, u32) {
        self.version
    }

    /// Whether it makes machine code for this architecture (`sm_90a`).
    pub fn knows(&self, arch: &str) -> bool {
        capability(arch).is_some_and(|sm| self.archs.contains(&sm))
    }

    /// The newest architecture that it knows and a device of `arch` runs from
    /// PTX; `None` where all that it knows are newer.
    pub fn nearest(&self, arch: &str) -> Option<String> {
        let sm = capability(arch)?;
        let known = self.archs.iter().rev().find(|known| **known <= sm)?;
        Some(format!("sm_{known}"))
    }
}

impl Compiler for Nvrtc {
    fn version(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// The options of every kernel, in this one place. `-lineinfo` lets
    /// profilers and sanitizers name the line of the source; `-v` puts
    /// registers, shared memory and spills into the log.
    fn options(&self, unit: &CompileUnit, arch: &str, form: Form) -> Vec<String> {
        let mut options = vec![
            match form {
                Form::Machine => format!("--gpu-architecture={arch}"),
                Form::Assembly => {
                    format!("--gpu-architecture={}", arch.replacen("sm_", "compute_", 1))
                }
            },
            "--std=c++17".to_owned(),
            "-lineinfo".to_owned(),
        ];
        if form == Form::Machine {
            options.push("--ptxas-options=-v".to_owned());
        }
        options.extend(unit.define_options());
        options
    }

    fn build(&self, source: &str, options: &[String], form: Form) -> Result<Built, CompilerError> {
        let f = &self.functions;
        let calls = Calls {
            name: &self.version(),
            create: f.nvrtcCreateProgram,
            compile: f.nvrtcCompileProgram,
            destroy: f.nvrtcDestroyProgram,
            log: (f.nvrtcGetProgramLogSize, f.nvrtcGetProgramLog),
            image: match form {
                Form::Machine => (f.nvrtcGetCUBINSize, f.nvrtcGetCUBIN),
                Form::Assembly => (f.nvrtcGetPTXSize, f.nvrtcGetPTX),
            },
        };
        let mut built = calls.build(source, options)?;
        if form == Form::Assembly {
            // Text that ends with a zero byte.
            while built.image.last() == Some(&0) {
                built.image.pop();
            }
        }
        Ok(built)
    }
}

/// 90 for `sm_90a`.
fn capability(arch: &str) -> Option<u32> {
    let digits = arch.strip_prefix("sm_")?;
    digits
        .trim_end_matches(|c: char| c.is_ascii_lowercase())
        .parse()
        .ok()
}

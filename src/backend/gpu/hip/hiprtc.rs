//! HIPRTC: from a kernel's source to a code object, without a toolkit.
//!
//! A compiler that does not know an architecture ends the process that it is
//! called in, so it is called in one of its own: see [`super::apart`].

use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::compile::{Built, Cache, Compiler, CompilerError, Form, compile_text};
use super::super::driver::GpuError;
use super::super::native::compiler::{Calls, Program};
use super::super::native::library::{self, Opened, functions};
use super::super::source::CompileUnit;
use super::apart;
use super::api::Api;
use super::library::{HIPRTC_LIBRARY, Places, release};

functions! {
    /// Of hiprtc.h, the same in ROCm 5 to 7.
    struct Functions;
    fn hiprtcCreateProgram(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    );
    fn hiprtcCompileProgram(Program, c_int, *const *const c_char);
    fn hiprtcDestroyProgram(*mut Program);
    fn hiprtcGetProgramLogSize(Program, *mut usize);
    fn hiprtcGetProgramLog(Program, *mut c_char);
    fn hiprtcGetCodeSize(Program, *mut usize);
    fn hiprtcGetCode(Program, *mut c_char);
}

/// The compiler, open.
#[derive(Clone)]
pub struct Hiprtc {
    functions: Functions,
    place: PathBuf,
    /// Of ROCm. Its own number is 9.0 in every release, and says nothing.
    release: String,
    patience: Duration,
}

/// How long one kernel may take: less than the engine waits for one, so that
/// the sentence is the compiler's.
const PATIENCE: Duration = Duration::from_secs(110);

/// The least that a compiler can be asked for.
const NOTHING: &str = "extern \"C\" __global__ void nothing() {}\n";

impl Hiprtc {
    /// HIPRTC of this machine, where one is: `$HIPRTC_LIBRARY`, that of the
    /// runtime's release, another's.
    ///
    /// # Errors
    /// None is found, or it does not answer.
    pub(super) fn find(api: &Api) -> Result<Self, GpuError> {
        let places = Places::of_process();
        let candidates = places.hiprtc_candidates(api.version().0, &api.place);
        // The runtime's library is a candidate that need not have it.
        let opened = candidates.iter().find_map(|file| {
            let opened = library::first(std::slice::from_ref(file))?;
            Some((Functions::of(opened.library).ok()?, opened))
        });
        let (functions, opened) = opened.ok_or_else(|| {
            GpuError::missing(match &places.hiprtc {
                Some(file) => format!(
                    "{HIPRTC_LIBRARY} names {}, which is no HIPRTC that can be opened",
                    file.display()
                ),
                None => format!(
                    "HIP's runtime is here ({}), but no HIPRTC, which compiles the kernels: \
                     libhiprtc.so comes with ROCm's package hip-runtime-amd, or {HIPRTC_LIBRARY} \
                     names the file",
                    api.place.display()
                ),
            })
        })?;
        let release = release(&opened.place).unwrap_or_else(|| api.release());
        Ok(Self::new(functions, opened, release))
    }

    fn new(functions: Functions, opened: Opened, release: String) -> Self {
        Self {
            functions,
            place: opened.place,
            release,
            patience: PATIENCE,
        }
    }

    /// The same, but giving up earlier.
    #[must_use]
    pub(super) fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How long one compilation may take.
    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// The compiler in this file, for the child process that compiles.
    ///
    /// # Errors
    /// The file cannot be opened, or is no HIPRTC.
    pub fn at(place: &Path) -> Result<Self, GpuError> {
        let broken = || GpuError::missing(format!("{} is no HIPRTC", place.display()));
        let opened = library::first(&[place.to_owned()]).ok_or_else(broken)?;
        let functions = Functions::of(opened.library).map_err(|_| broken())?;
        let release = release(place).unwrap_or_else(|| "ROCm".to_owned());
        Ok(Self::new(functions, opened, release))
    }

    /// Path or name by which it was opened.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Whether it makes code for this architecture. It is not asked but tried,
    /// as it ends the process where it does not know one.
    ///
    /// # Errors
    /// It does not, and what it said.
    pub(super) fn knows(&self, arch: &str, cache: Option<&Cache>) -> Result<(), GpuError> {
        let options = self.options(&CompileUnit::new("nothing", &[]), arch, Form::Machine);
        let tried = compile_text(self, cache, NOTHING, &options, Form::Machine);
        tried.map(drop).map_err(|why| {
            let said = why.to_string();
            let said = said.lines().next().unwrap_or_default();
            let way_out = match matches!(why, CompilerError::Slow(_)) {
                true => "the first start reads a large library, and the next is quicker".to_owned(),
                false => format!(
                    "a release of ROCm that knows this GPU is needed, or {HIPRTC_LIBRARY} names \
                     its libhiprtc.so"
                ),
            };
            GpuError::missing(format!(
                "{} ({}) makes no code for {arch}: {said}; {way_out}",
                self.version(),
                self.place.display(),
            ))
        })
    }

    /// Compiles in this process, which may not survive it.
    pub(super) fn compile_here(
        &self,
        source: &str,
        options: &[String],
    ) -> Result<Built, CompilerError> {
        let f = &self.functions;
        let calls = Calls {
            name: &self.version(),
            create: f.hiprtcCreateProgram,
            compile: f.hiprtcCompileProgram,
            destroy: f.hiprtcDestroyProgram,
            log: (f.hiprtcGetProgramLogSize, f.hiprtcGetProgramLog),
            image: (f.hiprtcGetCodeSize, f.hiprtcGetCode),
        };
        calls.build(source, options)
    }
}

impl Compiler for Hiprtc {
    fn version(&self) -> String {
        format!("HIPRTC of {}", self.release)
    }

    /// The options of every kernel, in this one place. Line tables let profilers
    /// name the line of the source; they change no instruction.
    fn options(&self, unit: &CompileUnit, arch: &str, _: Form) -> Vec<String> {
        let mut options = vec![
            format!("--offload-arch={arch}"),
            "-std=c++17".to_owned(),
            "-O3".to_owned(),
            "-gline-tables-only".to_owned(),
        ];
        options.extend(unit.define_options());
        options
    }

    fn build(&self, source: &str, options: &[String], form: Form) -> Result<Built, CompilerError> {
        match form {
            Form::Machine => apart::build(self, source, options),
            Form::Assembly => Err(CompilerError::MachineOnly("HIPRTC")),
        }
    }
}

//! From a unit to machine code: one compiler behind a trait, a cache on disk,
//! several units at a time, and prebuilt PTX for machines without a compiler.

mod cache;
mod prebuilt;

use std::fmt;
use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use sha2::{Digest, Sha256};

use super::driver::{GpuError, GpuErrorKind};
use super::source::CompileUnit;
pub use cache::Cache;
pub use prebuilt::{Archive, ArchiveEntry, PREBUILT, Prebuilt, compiled, prebuild, unit_hash};

/// What a compiler is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Code of one architecture: a cubin, a code object.
    Machine,
    /// Text that a driver, or the SIMT machine, reads: PTX.
    Assembly,
}

/// What a compiler gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// A cubin, a code object, or the text of PTX.
    pub image: Vec<u8>,
    /// What the compiler said: registers, shared memory, spills, warnings.
    pub log: String,
}

/// Why a compiler gave no code.
#[derive(Debug)]
pub enum CompilerError {
    /// It refused the source: its log.
    Refused(String),
    /// It gave a number and no word; its name.
    Code(String, i32),
    /// It said that all went well, and gave nothing; its name.
    NoCode(String),
    /// This text ends in its middle for the compiler.
    ZeroByte(&'static str),
    /// It makes machine code and no assembly; its name.
    MachineOnly(&'static str),
    /// It makes assembly and no machine code; its name.
    AssemblyOnly(&'static str),
    /// It was given so many seconds, and ended for it.
    Slow(u64),
    /// The process that it runs in ended by itself: how, with its last words.
    Died(String),
    /// That process cannot be used.
    Process(io::Error),
    /// What it is to compile, or where the result goes, cannot be used.
    Folder(PathBuf, io::Error),
    /// There is no compiler in this file.
    Missing(GpuError),
}

impl fmt::Display for CompilerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(log) => f.write_str(log),
            Self::Code(name, code) => write!(f, "{name} gave error {code}"),
            Self::NoCode(name) => write!(f, "{name} gave no code"),
            Self::ZeroByte(what) => write!(f, "{what} has a zero byte"),
            Self::MachineOnly(name) => write!(f, "{name} gives machine code only"),
            Self::AssemblyOnly(name) => write!(f, "{name} gives assembly only"),
            Self::Slow(seconds) => write!(f, "the compiler did not end within {seconds} s"),
            Self::Died(how) => f.write_str(how),
            Self::Process(e) => write!(f, "the compiler's process cannot be used: {e}"),
            Self::Folder(folder, e) => write!(f, "{}: {e}", folder.display()),
            Self::Missing(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for CompilerError {}

/// A compiler that takes a whole source text: NVRTC, HIPRTC, clang.
pub trait Compiler: Sync {
    /// Name and exact version; part of the cache's key.
    fn version(&self) -> String;

    /// The command line for a unit; the rest of the cache's key.
    fn options(&self, unit: &CompileUnit, arch: &str, form: Form) -> Vec<String>;

    /// Compiles.
    ///
    /// # Errors
    /// What the compiler refused, or why it gave no answer.
    fn build(&self, source: &str, options: &[String], form: Form) -> Result<Built, CompilerError>;
}

/// Compiles a unit, or finds it in the cache.
///
/// # Errors
/// A unit whose files are not there; what the compiler refused, with file and
/// line of the kernel's source.
pub fn compile(
    compiler: &dyn Compiler,
    cache: Option<&Cache>,
    unit: &CompileUnit,
    arch: &str,
    form: Form,
) -> Result<Built, GpuError> {
    let source = unit.source().ok_or_else(|| {
        GpuError::missing(format!(
            "a source file of {} is not in this build: {}",
            unit.title(),
            unit.files.join(", ")
        ))
    })?;
    let options = compiler.options(unit, arch, form);
    compile_text(compiler, cache, &source, &options, form)
        .map_err(|why| refused(unit, arch, &why.to_string()))
}

/// Compiles a source, or finds it in the cache.
///
/// # Errors
/// Those of [`Compiler::build`].
pub(super) fn compile_text(
    compiler: &dyn Compiler,
    cache: Option<&Cache>,
    source: &str,
    options: &[String],
    form: Form,
) -> Result<Built, CompilerError> {
    let key = key(source, options, &compiler.version(), form);
    if let Some(built) = cache.and_then(|cache| cache.get(&key)) {
        return Ok(built);
    }
    let built = compiler.build(source, options, form)?;
    if let Some(cache) = cache {
        cache.put(&key, &built);
    }
    Ok(built)
}

/// Compiles several units, as many at a time as the machine has threads, in
/// the order given. `done` is told of each when it is ready: how many are, of
/// how many, and which.
///
/// # Errors
/// Those of [`compile`]: the first unit, in the order given, that failed.
pub fn compile_all(
    compiler: &dyn Compiler,
    cache: Option<&Cache>,
    units: &[&CompileUnit],
    arch: &str,
    form: Form,
    done: &mut dyn FnMut(usize, usize, &CompileUnit),
) -> Result<Vec<Built>, GpuError> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let (ready, results) = mpsc::channel();
    let mut built: Vec<Option<Result<Built, GpuError>>> = units.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..threads.min(units.len()) {
            let (ready, next) = (ready.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(unit) = units.get(index) else { break };
                    let result = compile(compiler, cache, unit, arch, form);
                    if result.is_err() {
                        // The rest would only delay the message.
                        next.store(units.len(), Ordering::Relaxed);
                    }
                    if ready.send((index, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(ready);
        for (count, (index, result)) in results.iter().enumerate() {
            if let (Some(unit), Some(place)) = (units.get(index), built.get_mut(index)) {
                done(count + 1, units.len(), unit);
                *place = Some(result);
            }
        }
    });
    built.into_iter().flatten().collect()
}

/// SHA-256 of everything that the result depends on.
fn key(source: &str, options: &[String], version: &str, form: Form) -> String {
    let mut hash = Sha256::new();
    let form = match form {
        Form::Machine => "machine",
        Form::Assembly => "assembly",
    };
    for part in [source, version, form]
        .into_iter()
        .chain(options.iter().map(String::as_str))
    {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What the compiler refused: the first error with its place in `kernels/`.
fn refused(unit: &CompileUnit, arch: &str, log: &str) -> GpuError {
    let errors: Vec<String> = log.lines().filter_map(error_line).collect();
    let what = match errors.as_slice() {
        [] => log
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or("the compiler does not say why")
            .to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    };
    GpuError::new(
        GpuErrorKind::Compile,
        format!("{} does not compile for {arch}: {what}", unit.title()),
    )
}

/// An error of a log as `kernels/tile/mma.cu:12: …`.
fn error_line(line: &str) -> Option<String> {
    let (file, row, text) = error_place(line)?;
    Some(format!("kernels/{file}:{row}: {text}"))
}

/// The compiler whose PTX the SIMT machine executes: NVRTC, which any driver's version
/// serves here, else clang.
///
/// # Errors
/// Neither is here: how to get one.
pub fn for_the_machine() -> Result<&'static dyn Compiler, GpuError> {
    #[cfg(feature = "cuda")]
    let why = match super::cuda::Nvrtc::find(u32::MAX) {
        Ok(nvrtc) => return Ok(nvrtc),
        Err(why) => why,
    };
    #[cfg(not(feature = "cuda"))]
    let why = GpuError::missing("this build has no NVRTC (Cargo feature cuda)");
    match super::clang::Clang::find() {
        Ok(clang) => Ok(clang),
        Err(other) => Err(GpuError::missing(format!(
            "{why}; and {other}, which would do as well: apt install clang"
        ))),
    }
}

/// Every error of a log: file, row, and what it says.
pub(crate) fn error_places(log: &str) -> Vec<(&str, u32, &str)> {
    log.lines().filter_map(error_place).collect()
}

/// File, row and words of `tile/mma.cu(12): error: …`, as NVRTC writes it, or of
/// `tile/mma.cu:12:5: error: …`, as HIPRTC does.
fn error_place(line: &str) -> Option<(&str, u32, &str)> {
    let (place, text) = line.split_once(": ")?;
    let text = text
        .strip_prefix("catastrophic ")
        .or_else(|| text.strip_prefix("fatal "))
        .unwrap_or(text)
        .strip_prefix("error")?;
    // The number of the message, ` #20`, stands between the word and the colon.
    let (_, text) = text.split_once(':')?;
    let (file, row) = match place.strip_suffix(')') {
        Some(place) => place.rsplit_once('(')?,
        None => place.rsplit_once(':')?.0.rsplit_once(':')?,
    };
    Some((file, row.parse().ok()?, text.trim()))
}

#[cfg(test)]
mod tests;

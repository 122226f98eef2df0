//! clang, where it is installed: assembly of kernels without a vendor's compiler. With its
//! NVPTX target it makes PTX for the SIMT machine; Debian's and conda's have that target.
//! Neither a vendor's headers nor its device library is needed, as a [`Language`] brings
//! what kernels use of them.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::compile::{Built, Compiler, CompilerError, Form};
use super::driver::GpuError;
use super::source::CompileUnit;

/// The environment variable with its path, which goes before all else.
const VARIABLE: &str = "CLANG";

/// Releases that were tried: the oldest that makes what the machine reads, and the newest.
const RELEASES: std::ops::RangeInclusive<u32> = 14..=22;

/// What clang is to take kernels for.
#[derive(Debug)]
pub struct Language {
    /// The target that it has to have, as clang names it.
    pub target: &'static str,
    /// Options beside those of every language.
    pub options: &'static [&'static str],
    /// What stands in front of every source.
    pub device: &'static str,
}

/// Lines of the source are kept; `ptx70` is what sm_80 began with, and every clang that
/// serves knows it.
const CUDA: Language = Language {
    target: "nvptx64",
    options: &[
        "-x",
        "cuda",
        "-nocudainc",
        "-nocudalib",
        "-nostdinc",
        "-gline-directives-only",
        "-Xclang",
        "-target-feature",
        "-Xclang",
        "+ptx70",
    ],
    device: include_str!("clang/device.h"),
};

/// clang, found.
#[derive(Debug)]
pub struct Clang {
    program: PathBuf,
    version: String,
    language: &'static Language,
}

impl Clang {
    /// clang of this machine, where one makes PTX: `$CLANG`, one on the path, conda's,
    /// Debian's.
    ///
    /// # Errors
    /// None is found, or none with the target.
    pub fn find() -> Result<&'static Self, GpuError> {
        static FOUND: OnceLock<Result<Clang, GpuError>> = OnceLock::new();
        let found = FOUND.get_or_init(|| {
            if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
                let named = PathBuf::from(named);
                return Self::at(&named, &CUDA).ok_or_else(|| {
                    GpuError::missing(format!(
                        "{VARIABLE} names {}, which is no clang with the target {}",
                        named.display(),
                        CUDA.target
                    ))
                });
            }
            let mut all = candidates().into_iter();
            let found = all.find_map(|program| Self::at(&program, &CUDA));
            found.ok_or_else(|| {
                GpuError::missing(format!("no clang with the target {} is here", CUDA.target))
            })
        });
        found.as_ref().map_err(Clone::clone)
    }

    /// The clang in this file, where it is one that makes PTX.
    pub fn for_ptx(program: &Path) -> Option<Self> {
        Self::at(program, &CUDA)
    }

    /// The clang in this file, where it has the language's target.
    pub fn at(program: &Path, language: &'static Language) -> Option<Self> {
        let said = |what: &str| {
            let said = Command::new(program)
                .arg(what)
                .stdin(Stdio::null())
                .output()
                .ok()?;
            Some(String::from_utf8_lossy(&said.stdout).into_owned())
        };
        if !said("--print-targets")?.contains(language.target) {
            return None;
        }
        let version = said("--version")?;
        let number = version
            .split("version ")
            .nth(1)?
            .split_whitespace()
            .next()?;
        Some(Self {
            program: program.to_owned(),
            version: format!("clang {number}"),
            language,
        })
    }

    /// Where it is.
    pub fn place(&self) -> &Path {
        &self.program
    }
}

/// Where it may be, the newest first where the name says which it is.
fn candidates() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let conda = env::var_os("CONDA_PREFIX").map(|prefix| PathBuf::from(prefix).join("bin"));
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(conda).collect();
    let names = RELEASES.rev().map(|release| format!("clang-{release}"));
    let names: Vec<String> = std::iter::once("clang".to_owned()).chain(names).collect();
    let named = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let debian = RELEASES
        .rev()
        .map(|release| PathBuf::from(format!("/usr/lib/llvm-{release}/bin/clang")));
    named.chain(debian).filter(|file| file.is_file()).collect()
}

impl Compiler for Clang {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn options(&self, unit: &CompileUnit, arch: &str, _: Form) -> Vec<String> {
        let own = ["--cuda-device-only", "-std=c++17", "-O3"];
        let own = self.language.options.iter().copied().chain(own);
        own.map(str::to_owned)
            .chain([format!("--offload-arch={arch}")])
            .chain(unit.define_options())
            .collect()
    }

    fn build(&self, source: &str, options: &[String], form: Form) -> Result<Built, CompilerError> {
        if form == Form::Machine {
            return Err(CompilerError::AssemblyOnly("clang"));
        }
        let mut child = Command::new(&self.program)
            .args(options)
            .args(["-S", "-o", "-", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(CompilerError::Process)?;
        if let Some(mut input) = child.stdin.take() {
            // It reads everything before it says anything; one that ended says why.
            let _ = write!(
                input,
                "#line 1 \"device.h\"\n{}{source}",
                self.language.device
            );
        }
        let said = child.wait_with_output().map_err(CompilerError::Process)?;
        let log = String::from_utf8_lossy(&said.stderr).into_owned();
        match said.status.success() && !said.stdout.is_empty() {
            true => Ok(Built {
                image: said.stdout,
                log,
            }),
            false => Err(CompilerError::Refused(log)),
        }
    }
}

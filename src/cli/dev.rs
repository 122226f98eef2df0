//! `dev`: what makers of the workshop need, hidden from help.

mod gym;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Outcome;
use super::args::OutputArgs;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use backend::{hierarchy, transfer};
use plan::run::{BackendKind, HostRequest, MemoryRequest};

/// Commands for makers of the workshop.
#[derive(Debug, Args)]
pub(super) struct DevArgs {
    #[command(subcommand)]
    command: DevCommand,
}

#[derive(Debug, Subcommand)]
enum DevCommand {
    /// Compile every kernel to PTX and write the archive that is embedded
    Prebuild {
        /// The archive
        #[arg(
            long,
            value_name = "FILE",
            default_value = "assets/kernels/prebuilt.ptx.zst"
        )]
        output: PathBuf,
        /// Also write each text into this folder
        #[arg(long, value_name = "DIR")]
        texts: Option<PathBuf>,
    },
    /// List the kernels that are compiled ahead
    Units,
    /// Run the gym's kernels on the SIMT machine and on a GPU, and compare the bits
    Gym {
        /// cuda; simt compares the machine with itself
        #[arg(long, value_name = "BACKEND", default_value = "cuda")]
        backend: String,
    },
    /// Say what this machine has of CUDA
    Cuda,
    /// Measure a GPU's memory over the working set, for a parent process
    Memory {
        /// Working sets in bytes
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        sizes: Vec<u64>,
        /// cuda or hip
        #[arg(long, value_name = "BACKEND", default_value = "cuda")]
        backend: String,
    },
    /// Measure a case of copies between host and device, for a parent process
    Host {
        /// The request, as JSON
        request: String,
    },
    /// Measure a GPU's roofs, for a parent process
    Roofs {
        /// cuda or hip
        #[arg(long, value_name = "BACKEND", default_value = "cuda")]
        backend: String,
    },
    /// Measure what only a GPU's clock shows, for a parent process
    Troubles {
        /// cuda or hip
        #[arg(long, value_name = "BACKEND", default_value = "cuda")]
        backend: String,
    },
    /// Run a request's forward for the profiler that started this program
    Counted {
        /// The request, as JSON
        #[arg(value_name = "FILE")]
        request: PathBuf,
    },
}

pub(super) fn dev(output: &OutputArgs, args: &DevArgs, out: &mut Out) -> Outcome {
    match &args.command {
        DevCommand::Units => units(output, out),
        DevCommand::Gym { backend } => gym::gym(output, backend, out),
        DevCommand::Counted { request } => super::counters::counted(request),
        DevCommand::Memory { sizes, backend } => {
            let request = MemoryRequest {
                backend: BackendKind::parse(backend)?,
                sizes: sizes.clone(),
            };
            // Ctrl-C of a terminal is the parent's as well: what was measured goes to it.
            out.json(&hierarchy::measure(&request, &Interrupt::watch(false))?);
            Ok(0)
        }
        DevCommand::Host { request } => {
            let request: HostRequest = serde_json::from_str(request)
                .map_err(|e| Failure::usage(format!("the request cannot be read: {e}")))?;
            // Ctrl-C reaches this process, too: it ends behind the round that it is in.
            out.json(&transfer::measure(&request, &Interrupt::watch(false))?);
            Ok(0)
        }
        DevCommand::Troubles { backend } => {
            out.json(&hierarchy::troubles(BackendKind::parse(backend)?)?);
            Ok(0)
        }
        DevCommand::Roofs { backend } => {
            out.json(&hierarchy::rates(BackendKind::parse(backend)?)?);
            Ok(0)
        }
        #[cfg(feature = "cuda")]
        DevCommand::Prebuild { output, texts } => cuda::prebuild(output, texts.as_deref(), out),
        #[cfg(feature = "cuda")]
        DevCommand::Cuda => {
            cuda::facts(out);
            Ok(0)
        }
        #[cfg(not(feature = "cuda"))]
        DevCommand::Prebuild { .. } | DevCommand::Cuda => Err(Failure::lacking(
            "this build has no CUDA (Cargo feature cuda)",
        )),
    }
}

fn units(output: &OutputArgs, out: &mut Out) -> Outcome {
    let units = backend::gpu::units::compiled_ahead();
    if output.json {
        let units: Vec<_> = units
            .iter()
            .map(|(unit, arch)| {
                serde_json::json!({
                    "entry": unit.entry, "title": unit.title(), "arch": arch, "files": unit.files,
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "units": units }));
        return Ok(0);
    }
    for (unit, arch) in units {
        out.line(format!("{arch} {}", unit.title()));
    }
    Ok(0)
}

#[cfg(feature = "cuda")]
mod cuda {
    use files::replace;
    use std::path::Path;

    use super::{Failure, Out, Outcome};
    use backend::gpu::compile::{Cache, prebuild as compile_ahead};
    use backend::gpu::cuda::{self, Nvrtc};
    use plan::run::RunError;

    pub(super) fn facts(out: &mut Out) {
        for (word, text) in cuda::facts().lines() {
            out.line(format!("{word:<9} {text}"));
        }
    }

    pub(super) fn prebuild(file: &Path, texts: Option<&Path>, out: &mut Out) -> Outcome {
        let lacking = |what: &Path, error: std::io::Error| {
            Failure::lacking(format!("{} cannot be written: {error}", what.display()))
        };
        // PTX of the older compiler is taken by more drivers.
        let nvrtc = Nvrtc::find(12).map_err(RunError::from)?;
        let mut archive =
            compile_ahead(nvrtc, Cache::of_user().as_ref(), &mut |done, of, title| {
                super::super::out::tell(&format!("{done}/{of} {title}\n"));
            })
            .map_err(RunError::from)?;
        let bytes = archive
            .write()
            .map_err(|error| Failure::lacking(error.to_string()))?;
        replace(file, &bytes).map_err(|error| lacking(file, error))?;
        let mut length = 0;
        for (number, entry) in archive.entries.iter().enumerate() {
            let Some(text) = archive.text(entry) else {
                return Err(Failure::lacking(format!("{} is damaged", entry.title)));
            };
            length += text.ptx.len();
            if let Some(folder) = texts {
                let name = entry.title.replace([' ', '='], "-");
                let path = folder.join(format!("{number:03}-{}-{name}.ptx", entry.arch));
                replace(&path, text.ptx.as_bytes()).map_err(|error| lacking(&path, error))?;
            }
        }
        out.line(format!(
            "{}: {} kernels by {}, {} kB of PTX in {} kB.",
            file.display(),
            archive.entries.len(),
            archive.compiler,
            length / 1000,
            bytes.len() / 1000
        ));
        Ok(0)
    }
}

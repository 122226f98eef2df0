//! Finds libraries of the CUDA toolkit that are opened at run time: NVRTC and
//! cuBLASLt, of a toolkit, of the system, or of a Python environment.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::native::library::{Opened, first, keep};

/// Which library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// `nvrtc`, `cublasLt`.
    pub name: &'static str,
    /// An environment variable with the file's path, which goes before all else.
    pub variable: &'static str,
    /// Folders under `site-packages/nvidia/` in which wheels put it.
    pub wheels: &'static [&'static str],
    /// What has to be open before it: names in the same folder begin so.
    pub companion: Option<&'static str>,
}

pub(super) const NVRTC: Wanted = Wanted {
    name: "nvrtc",
    variable: "NVRTC_LIBRARY",
    wheels: &["cu13/lib", "cuda_nvrtc/lib"],
    // NVRTC opens it by its bare name, which a wheel's folder does not answer.
    companion: Some("libnvrtc-builtins.so"),
};

pub(super) const CUBLASLT: Wanted = Wanted {
    name: "cublasLt",
    variable: "CUBLASLT_LIBRARY",
    wheels: &["cu13/lib", "cublas/lib"],
    companion: None,
};

/// Versions of CUDA whose libraries are known to fit, the newest first.
const MAJORS: [u32; 2] = [13, 12];

/// Where to look; [`Places::of_process`] asks the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The file that [`Wanted::variable`] names.
    pub named: Option<PathBuf>,
    /// Folders of Python environments.
    pub environments: Vec<PathBuf>,
    /// Folders of a CUDA toolkit.
    pub toolkits: Vec<PathBuf>,
}

impl Places {
    pub fn of_process(wanted: &Wanted) -> Self {
        let folder = |name: &str| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        // A python3 on the path belongs to the environment above its `bin`.
        let python = env::var_os("PATH").and_then(|path| {
            let file = env::split_paths(&path)
                .map(|folder| folder.join("python3"))
                .find(|file| file.is_file())?;
            Some(file.parent()?.parent()?.to_owned())
        });
        let home = folder("HOME").map(|home| home.join(".local"));
        Self {
            named: folder(wanted.variable),
            environments: [
                folder("VIRTUAL_ENV"),
                folder("CONDA_PREFIX"),
                python,
                home,
                Some(PathBuf::from("/usr/local")),
            ]
            .into_iter()
            .flatten()
            .collect(),
            toolkits: [
                folder("CUDA_HOME"),
                folder("CUDA_PATH"),
                Some(PathBuf::from("/usr/local/cuda")),
                Some(PathBuf::from("/opt/cuda")),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }
    }

    /// What to try, in order: the named file alone; else by bare name (which
    /// the system looks up along LD_LIBRARY_PATH and in its own folders), then
    /// toolkits, then Python environments. Within each the newest CUDA that is
    /// not newer than `newest` (the driver's) goes first, newer ones last.
    pub fn candidates(&self, wanted: &Wanted, newest: u32) -> Vec<PathBuf> {
        if let Some(file) = &self.named {
            return vec![file.clone()];
        }
        let (fit, newer): (Vec<u32>, Vec<u32>) =
            MAJORS.into_iter().partition(|major| *major <= newest);
        let mut found = Vec::new();
        for majors in [fit, newer] {
            let names: Vec<String> = majors
                .iter()
                .map(|major| format!("lib{}.so.{major}", wanted.name))
                .collect();
            found.extend(names.iter().map(PathBuf::from));
            let mut folders = Vec::new();
            for toolkit in &self.toolkits {
                folders.push(toolkit.join("lib64"));
                folders.push(toolkit.join("targets/x86_64-linux/lib"));
            }
            for packages in self.environments.iter().flat_map(|e| site_packages(e)) {
                folders.extend(
                    wanted
                        .wheels
                        .iter()
                        .map(|w| packages.join("nvidia").join(w)),
                );
            }
            for name in &names {
                found.extend(
                    folders
                        .iter()
                        .map(|folder| folder.join(name))
                        .filter(|file| file.is_file()),
                );
            }
        }
        found
    }
}

/// `lib/python3.*/site-packages` of an environment.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(environment.join("lib")) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = folder
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .flat_map(|entry| ["site-packages", "dist-packages"].map(|name| entry.path().join(name)))
        .filter(|folder| folder.is_dir())
        .collect();
    found.sort();
    found
}

/// Opens the first candidate that is a library; `None` where none is.
pub(super) fn open(wanted: &Wanted, candidates: &[PathBuf]) -> Option<Opened> {
    candidates.iter().find_map(|file| {
        if let (Some(companion), Some(folder)) = (wanted.companion, file.parent())
            && let Ok(files) = fs::read_dir(folder)
        {
            for file in files.flatten() {
                if file.file_name().to_string_lossy().starts_with(companion) {
                    keep(&file.path());
                }
            }
        }
        first(std::slice::from_ref(file))
    })
}

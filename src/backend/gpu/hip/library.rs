//! Where ROCm's libraries are: HIP's runtime and HIPRTC, named, on the system's
//! path, or in a folder of ROCm.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Environment variables with a file's path, which go before all else.
pub(super) const HIP_LIBRARY: &str = "HIP_LIBRARY";
pub(super) const HIPRTC_LIBRARY: &str = "HIPRTC_LIBRARY";

/// Releases of ROCm whose libraries are known to fit, the newest first.
const MAJORS: [u32; 3] = [7, 6, 5];

const HIP: &str = "libamdhip64.so";
const HIPRTC: &str = "libhiprtc.so";

/// Where to look; [`Places::of_process`] asks the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The file that [`HIP_LIBRARY`] names.
    pub hip: Option<PathBuf>,
    /// The file that [`HIPRTC_LIBRARY`] names.
    pub hiprtc: Option<PathBuf>,
    /// Folders of ROCm.
    pub roots: Vec<PathBuf>,
}

impl Places {
    pub fn of_process() -> Self {
        let path = |name: &str| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let mut roots: Vec<PathBuf> = ["ROCM_PATH", "ROCM_HOME", "HIP_PATH"]
            .into_iter()
            .filter_map(path)
            .collect();
        roots.push(PathBuf::from("/opt/rocm"));
        roots.extend(installed(Path::new("/opt")));
        Self {
            hip: path(HIP_LIBRARY),
            hiprtc: path(HIPRTC_LIBRARY),
            roots,
        }
    }

    /// What to try for HIP's runtime: the named file alone; else by name along
    /// the system's path, which `module load` sets, then in ROCm's folders.
    pub fn hip_candidates(&self) -> Vec<PathBuf> {
        if let Some(file) = &self.hip {
            return vec![file.clone()];
        }
        let mut names: Vec<String> = MAJORS.map(|major| format!("{HIP}.{major}")).into();
        names.push(HIP.to_owned());
        self.everywhere(&names, None)
    }

    /// What to try for HIPRTC: the named file alone; else that of the runtime's
    /// own release, beside the runtime `hip` first, then other releases'. Up to
    /// ROCm 6 its functions are in the runtime's library as well.
    pub fn hiprtc_candidates(&self, major: u32, hip: &Path) -> Vec<PathBuf> {
        if let Some(file) = &self.hiprtc {
            return vec![file.clone()];
        }
        let mut own = self.everywhere(&[format!("{HIPRTC}.{major}")], hip.parent());
        own.push(hip.to_owned());
        let mut others: Vec<String> = MAJORS
            .into_iter()
            .filter(|other| *other != major)
            .map(|other| format!("{HIPRTC}.{other}"))
            .collect();
        others.push(HIPRTC.to_owned());
        own.extend(self.everywhere(&others, hip.parent()));
        own
    }

    /// Files of these names beside another library, the names themselves, which
    /// the system looks up, and files in ROCm's folders.
    fn everywhere(&self, names: &[String], beside: Option<&Path>) -> Vec<PathBuf> {
        let there = |folder: &Path| -> Vec<PathBuf> {
            let files = names.iter().map(|name| folder.join(name));
            files.filter(|file| file.is_file()).collect()
        };
        let mut found = match beside {
            Some(folder) if folder.is_absolute() => there(folder),
            _ => Vec::new(),
        };
        found.extend(names.iter().map(PathBuf::from));
        for root in &self.roots {
            found.extend(
                ["lib", "lib64"]
                    .iter()
                    .flat_map(|lib| there(&root.join(lib))),
            );
        }
        found
    }
}

/// `rocm-6.2.0` and the like in a folder, the newest first.
fn installed(folder: &Path) -> Vec<PathBuf> {
    let mut found = versions(folder, "rocm-");
    found.reverse();
    found.into_iter().map(|name| folder.join(name)).collect()
}

/// Names in a folder that begin so, in order of the numbers in them.
fn versions(folder: &Path, prefix: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort_by_key(|name| numbers(name));
    names
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

/// The release that a library belongs to: `ROCm 6.2.0-66` where its folder says
/// it, else `HIP 5.2.21153` where the file's own name does.
pub(super) fn release(library: &Path) -> Option<String> {
    let root = library.parent()?.parent()?;
    let text = fs::read_to_string(root.join(".info/version")).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().trim();
    if !line.is_empty() && line.chars().all(|c| c.is_ascii_graphic()) {
        return Some(format!("ROCm {line}"));
    }
    let file = library.canonicalize().ok()?;
    let (_, version) = file.file_name()?.to_str()?.split_once(".so.")?;
    (version.split('.').count() > 1).then(|| format!("HIP {version}"))
}

/// The newest module of ROCm that this machine's module system offers:
/// `rocm/6.2.0`.
pub(super) fn module() -> Option<String> {
    let path = env::var_os("MODULEPATH")?;
    newest_module(&env::split_paths(&path).collect::<Vec<_>>())
}

fn newest_module(folders: &[PathBuf]) -> Option<String> {
    let mut found: Vec<String> = folders
        .iter()
        .flat_map(|folder| versions(&folder.join("rocm"), ""))
        .filter(|name| !name.starts_with('.'))
        .map(|name| format!("rocm/{}", name.trim_end_matches(".lua")))
        .collect();
    found.sort_by_key(|name| numbers(name));
    found.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(file: &Path) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }

    #[test]
    fn releases_are_tried_from_the_newest_and_the_compiler_of_the_runtimes_own_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("rocm-6.2.0");
        touch(&root.join("lib/libamdhip64.so.6"));
        touch(&root.join("lib/libhiprtc.so.6"));
        let places = Places {
            roots: vec![root.clone()],
            ..Places::default()
        };
        let names = |files: &[&str]| files.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut expected = names(&[
            "libamdhip64.so.7",
            "libamdhip64.so.6",
            "libamdhip64.so.5",
            "libamdhip64.so",
        ]);
        expected.push(root.join("lib/libamdhip64.so.6"));
        assert_eq!(places.hip_candidates(), expected);
        let hip = root.join("lib/libamdhip64.so.6");
        let rtc = places.hiprtc_candidates(6, &hip);
        // Beside the runtime, by name, in ROCm's folders, in the runtime itself.
        assert_eq!(
            rtc[..4],
            [
                root.join("lib/libhiprtc.so.6"),
                "libhiprtc.so.6".into(),
                root.join("lib/libhiprtc.so.6"),
                hip.clone()
            ]
        );
        assert_eq!(
            rtc[4..],
            names(&["libhiprtc.so.7", "libhiprtc.so.5", "libhiprtc.so"])
        );
        let named = Places {
            hip: Some("x.so".into()),
            hiprtc: Some("y.so".into()),
            ..places
        };
        assert_eq!(named.hip_candidates(), names(&["x.so"]));
        assert_eq!(named.hiprtc_candidates(6, &hip), names(&["y.so"]));
    }

    #[test]
    fn the_newest_release_and_module_are_found_by_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rocm-5.7.1", "rocm-6.10.0", "rocm-6.2.0", "cuda-12"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let found = installed(folder.path());
        let newest = ["rocm-6.10.0", "rocm-6.2.0", "rocm-5.7.1"].map(|n| folder.path().join(n));
        assert_eq!(found, newest);
        for name in ["6.2.0.lua", "6.10.1", ".version"] {
            touch(&folder.path().join("modules/rocm").join(name));
        }
        let modules = [folder.path().join("none"), folder.path().join("modules")];
        assert_eq!(newest_module(&modules).as_deref(), Some("rocm/6.10.1"));
        assert_eq!(newest_module(&modules[..1]), None);
    }

    #[test]
    fn the_release_is_read_beside_the_library_or_in_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("lib/libamdhip64.so.6");
        assert_eq!(release(&library), None);
        let info = folder.path().join(".info/version");
        touch(&info);
        fs::write(&info, "6.2.0-66\n").unwrap();
        assert_eq!(release(&library).as_deref(), Some("ROCm 6.2.0-66"));
        // Without that file, as in Debian, the name of the library itself does.
        fs::remove_file(&info).unwrap();
        let real = folder.path().join("lib/libamdhip64.so.5.2.21153");
        touch(&real);
        std::os::unix::fs::symlink(&real, &library).unwrap();
        assert_eq!(release(&library).as_deref(), Some("HIP 5.2.21153"));
    }
}

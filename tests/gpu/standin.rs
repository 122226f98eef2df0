//! Stand-ins for ROCm's libraries (`tests/standin/`, built by the system's C compiler),
//! which record what they are asked and fail as they are told to, and the program in a
//! process that sees nothing else. Memory is the host's; kernels do nothing, or are
//! executed by this computer.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// What kernels are executed with.
const HOST: &str = include_str!("../hip/host.h");

/// A device that this computer imitates quickly, for `STANDIN_DEVICES`.
pub const SMALL: &str = "gfx90a:64:2:AMD Instinct MI210";

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tinyllama-tutor");

/// A folder like ROCm's: which libraries, under which names.
struct Release {
    folder: &'static str,
    major: u32,
    /// HIPRTC apart, within the runtime's library, or not at all.
    hiprtc: Hiprtc,
    /// Functions that the runtime's library lacks.
    without: &'static [&'static str],
    hsa: bool,
}

#[derive(PartialEq)]
enum Hiprtc {
    Apart,
    Within,
    None,
}

const COOPERATIVE: &str = "hipModuleLaunchCooperativeKernel";

const RELEASES: [Release; 6] = [
    Release {
        folder: "rocm5",
        major: 5,
        hiprtc: Hiprtc::Within,
        without: &[COOPERATIVE],
        hsa: true,
    },
    Release {
        folder: "rocm6",
        major: 6,
        hiprtc: Hiprtc::Apart,
        without: &[],
        hsa: true,
    },
    Release {
        folder: "rocm7",
        major: 7,
        hiprtc: Hiprtc::Apart,
        without: &[],
        hsa: true,
    },
    Release {
        folder: "no-compiler",
        major: 7,
        hiprtc: Hiprtc::None,
        without: &[],
        hsa: true,
    },
    Release {
        folder: "lacking",
        major: 6,
        hiprtc: Hiprtc::Apart,
        without: &["hipStreamBeginCapture"],
        hsa: true,
    },
    Release {
        folder: "no-hsa",
        major: 6,
        hiprtc: Hiprtc::Apart,
        without: &[],
        hsa: false,
    },
];

/// The folder with all releases, built once per process; each file appears whole.
pub fn releases() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standin");
        for release in &RELEASES {
            let lib = root.join(release.folder).join("lib");
            fs::create_dir_all(&lib).unwrap();
            let major = release.major;
            let mut runtime = vec!["hip.c"];
            match release.hiprtc {
                Hiprtc::Within => runtime.push("hiprtc.c"),
                Hiprtc::Apart => cc(
                    release,
                    &["hiprtc.c"],
                    &lib.join(format!("libhiprtc.so.{major}")),
                ),
                Hiprtc::None => {}
            }
            cc(
                release,
                &runtime,
                &lib.join(format!("libamdhip64.so.{major}")),
            );
            // One release has ranges for timelines.
            if release.folder == "rocm7" {
                cc(release, &["roctx.c"], &lib.join("libroctx64.so.4"));
            }
            if release.hsa {
                cc(release, &["hsa.c"], &lib.join("libhsa-runtime64.so.1"));
            }
        }
        fs::create_dir_all(root.join("rocm6/.info")).unwrap();
        fs::write(root.join("rocm6/.info/version"), "6.2.0-66\n").unwrap();
        root
    })
}

fn cc(release: &Release, sources: &[&str], to: &Path) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin");
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o"]);
    let part = to.with_extension(format!("part-{}", std::process::id()));
    command.arg(&part);
    let version = release.major * 10_000_000 + 2 * 100_000 + 21_153;
    command.arg(format!("-DVERSION={version}"));
    for name in release.without {
        command.arg(format!("-D{name}=absent_{name}"));
    }
    command.args(sources.iter().map(|source| folder.join(source)));
    command.arg("-ldl");
    let ran = command.output().expect("a C compiler");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    fs::rename(part, to).unwrap();
}

/// A process that sees one release, and what is wrong in it.
pub struct Setting {
    release: &'static str,
    pub home: TempDir,
    pub environment: Vec<(&'static str, String)>,
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    pub log: String,
}

impl Setting {
    pub fn new(release: &'static str) -> Self {
        Self {
            release,
            home: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
        }
    }

    /// Kernels are executed by this computer, which keeps what it compiled. `None` where
    /// there is no g++.
    pub fn executing(self) -> Option<Self> {
        if !Command::new("g++")
            .arg("--version")
            .output()
            .is_ok_and(|ran| ran.status.success())
        {
            eprintln!("skipped: there is no g++, the kernels are not executed on the host");
            return None;
        }
        let mut hasher = DefaultHasher::new();
        [HOST, include_str!("../standin/hiprtc.c")].hash(&mut hasher);
        let folder = format!("host-{:016x}", hasher.finish());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).unwrap();
        let header = folder.join("host.h");
        if !header.exists() {
            let part = tempfile::NamedTempFile::new_in(&folder).unwrap();
            fs::write(part.path(), HOST).unwrap();
            part.persist(header).unwrap();
        }
        let folder = folder.to_str().unwrap().to_owned();
        Some(self.with("STANDIN_HOST", &folder))
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// A program in a process that sees nothing but this setting.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let home = self.home.path();
        command
            .env_clear()
            .current_dir(home)
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home)
            .env("TINYLLAMA_TUTOR_CACHE", home.join("cache"))
            .env("LD_LIBRARY_PATH", releases().join(self.release).join("lib"))
            .env("STANDIN_LOG", home.join("log"));
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command
    }

    pub fn ran(&self, mut command: Command) -> Ran {
        let _ = fs::remove_file(self.home.path().join("log"));
        let ran = command.output().unwrap();
        Ran {
            code: ran.status.code().unwrap_or(-1),
            out: String::from_utf8(ran.stdout).unwrap(),
            err: String::from_utf8(ran.stderr).unwrap(),
            log: fs::read_to_string(self.home.path().join("log")).unwrap_or_default(),
        }
    }

    /// A self-test that has passed on such a device, with this build and this machine's
    /// driver, in the folder `state`.
    pub fn proves(&self, device: &str, build: &str) {
        let driver = fs::read_to_string("/sys/module/amdgpu/version").unwrap_or_default();
        let proof = serde_json::json!({
            "backend": "hip", "device": device, "driver": driver.trim(), "build": build,
            "time": "2026-01-02T03:04:05Z",
        });
        let file = serde_json::json!({ "schema": 1, "proofs": [proof] });
        let state = self.home.path().join("state");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("proved.json"), file.to_string()).unwrap();
    }

    /// The real program with a command line.
    pub fn line(&self, line: &str) -> Ran {
        let mut command = self.command(PROGRAM);
        command.args(line.split_whitespace());
        self.ran(command)
    }

    /// A test by its path in this binary, in a process of its own.
    pub fn test(&self, name: &str) -> Ran {
        let mut command = self.command(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        self.ran(command)
    }
}

impl Ran {
    #[track_caller]
    pub fn refused(&self, code: i32, needles: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for needle in needles {
            assert!(
                self.err.contains(needle),
                "{needle} is not in: {}",
                self.err
            );
        }
        assert_eq!(self.err.trim_end().lines().count(), 1, "{}", self.err);
        self.is_proper();
    }

    /// No call was wrong in itself.
    #[track_caller]
    pub fn is_proper(&self) {
        assert!(!self.log.contains("misuse"), "{}", self.log);
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }

    /// How `doctor` shows the backend: state, line, notes.
    pub fn hip(&self) -> (String, String, String) {
        let found = self.json();
        let all = found["backends"].as_array().unwrap();
        let hip = all.iter().find(|b| b["name"] == "hip").unwrap();
        let notes: Vec<&str> = hip["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note.as_str().unwrap())
            .collect();
        let text = |key: &str| hip[key].as_str().unwrap().to_owned();
        (text("state"), text("device"), notes.join("\n"))
    }

    pub fn lines(&self, beginning: &str) -> usize {
        self.log
            .lines()
            .filter(|line| line.starts_with(beginning))
            .count()
    }

    /// Everything that was made and not dropped, and the reverse.
    pub fn unbalanced(&self) -> BTreeSet<String> {
        let mut open = BTreeSet::new();
        for line in self.log.lines() {
            if let Some(what) = line.strip_prefix("make ") {
                open.insert(what.to_owned());
            } else if let Some(what) = line.strip_prefix("drop ")
                && !open.remove(what)
            {
                open.insert(format!("{what}, twice"));
            }
        }
        open
    }
}

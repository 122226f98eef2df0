//! The hip backend without an AMD GPU: against stand-ins for ROCm's libraries
//! (`tests/standin/`, built by the system's C compiler), which record what they
//! are asked and fail as they are told to. Memory is the host's, kernels do
//! nothing: what is tested is everything around them.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;
use tinyllama_tutor::backend::gpu::hip::{Hip, compile_with};
use tinyllama_tutor::backend::gpu::{
    BufferId, Call, CompileUnit, Driver, GpuErrorKind, Memory, Parameter, TensorMap,
};
use tinyllama_tutor::run::listing::Listing;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tinyllama-tutor");

// ---- the stand-ins ------------------------------------------------------------

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
        without: &[COOPERATIVE, "hipMallocAsync", "hipFreeAsync"],
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
fn releases() -> &'static Path {
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
        // NVIDIA's driver and compiler, for what both vendors have.
        let lib = root.join("cuda/lib");
        fs::create_dir_all(&lib).unwrap();
        let cuda = Release {
            folder: "cuda",
            major: 12,
            hiprtc: Hiprtc::Apart,
            without: &[],
            hsa: false,
        };
        cc(&cuda, &["cuda.c"], &lib.join("libcuda.so.1"));
        cc(&cuda, &["nvrtc.c"], &lib.join("libnvrtc.so.12"));
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
pub(super) struct Setting {
    release: &'static str,
    pub(super) home: TempDir,
    environment: Vec<(&'static str, String)>,
}

pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) log: String,
}

impl Setting {
    pub(super) fn new(release: &'static str) -> Self {
        Self {
            release,
            home: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
        }
    }

    /// Kernels are executed by this computer. `None` where there is no g++.
    pub(super) fn executing(self) -> Option<Self> {
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hip/host.h");
        let folder = self.home.path().join("host");
        fs::create_dir(&folder).unwrap();
        fs::copy(header, folder.join("host.h")).unwrap();
        if !Command::new("g++")
            .arg("--version")
            .output()
            .is_ok_and(|ran| ran.status.success())
        {
            eprintln!("skipped: there is no g++, the kernels are not executed on the host");
            return None;
        }
        let folder = folder.to_str().unwrap().to_owned();
        Some(self.with("STANDIN_HOST", &folder))
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// A program in a process that sees nothing but this setting.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
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

    fn ran(&self, mut command: Command) -> Ran {
        let _ = fs::remove_file(self.home.path().join("log"));
        let ran = command.output().unwrap();
        Ran {
            code: ran.status.code().unwrap_or(-1),
            out: String::from_utf8(ran.stdout).unwrap(),
            err: String::from_utf8(ran.stderr).unwrap(),
            log: fs::read_to_string(self.home.path().join("log")).unwrap_or_default(),
        }
    }

    /// The real program with a command line.
    pub(super) fn line(&self, line: &str) -> Ran {
        let mut command = self.command(PROGRAM);
        command.args(line.split_whitespace());
        self.ran(command)
    }

    /// A test of this file in a process of its own.
    fn test(&self, name: &str) -> Ran {
        let mut command = self.command(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            &format!("hip_standin::{name}"),
            "--ignored",
            "--nocapture",
        ]);
        self.ran(command)
    }
}

impl Ran {
    #[track_caller]
    pub(super) fn refused(&self, code: i32, needles: &[&str]) {
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
    pub(super) fn is_proper(&self) {
        assert!(!self.log.contains("misuse"), "{}", self.log);
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }

    /// How `doctor` shows the backend: state, line, notes.
    fn hip(&self) -> (String, String, String) {
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

    pub(super) fn lines(&self, beginning: &str) -> usize {
        self.log
            .lines()
            .filter(|line| line.starts_with(beginning))
            .count()
    }

    /// Everything that was made and not dropped, and the reverse.
    pub(super) fn unbalanced(&self) -> BTreeSet<String> {
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

// ---- finding the libraries ------------------------------------------------------

#[test]
fn each_release_is_found_by_its_names() {
    for (folder, release) in [
        ("rocm5", "HIP 5.2.21153"),
        ("rocm6", "ROCm 6.2.0-66"),
        ("rocm7", "HIP 7.2.21153"),
    ] {
        let line = format!("AMD Instinct MI210, gfx90a, {release}");
        let ran = Setting::new(folder).line("doctor --json");
        let (state, found, notes) = ran.hip();
        assert_eq!((state.as_str(), found), ("ready", line), "{notes}");
        let major = &folder[4..];
        assert!(
            notes.contains(&format!("{folder}/lib/libamdhip64.so.{major}")),
            "{notes}"
        );
        assert!(
            notes.contains(&format!("compiler: HIPRTC of {release}, ")),
            "{notes}"
        );
        assert!(notes.contains("0: AMD Instinct MI210, gfx90a, waves of 64, 104 compute units"));
        assert!(notes.contains("--pmc TCC_EA_RDREQ_sum"), "{notes}");
        ran.is_proper();
    }
}

#[test]
fn the_backend_is_taken_by_name_only_and_doctor_says_so() {
    let setting = Setting::new("rocm6");
    let (_, _, notes) = setting.line("doctor --json").hip();
    assert!(
        notes.contains("named, --backend hip; auto takes it once selftest --backend hip"),
        "{notes}"
    );
    let ran = setting.line("run --seq 8 --runs 1 --json");
    assert_eq!(ran.json()["backend"], "cpu");
    assert_eq!(ran.lines("compile for"), 0, "{}", ran.log);
}

#[test]
fn auto_takes_the_backend_where_its_self_test_has_passed_and_says_so() {
    let setting = Setting::new("rocm6");
    let state = setting.home.path().join("state");
    fs::create_dir(&state).unwrap();
    let device = "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66";
    let passed = |device: &str, build: &str| {
        let proof = serde_json::json!({
            "backend": "hip", "device": device, "driver": driver(), "build": build,
            "time": "2026-01-02T03:04:05Z",
        });
        let file = serde_json::json!({ "schema": 1, "proofs": [proof] });
        fs::write(state.join("proved.json"), file.to_string()).unwrap();
    };
    let line = "--state state run --no-check --seq 16 --runs 1 --json";
    passed(device, tinyllama_tutor::BUILD);
    let ran = setting.line(line);
    assert_eq!(
        (ran.code, ran.json()["backend"].as_str()),
        (0, Some("hip")),
        "{}",
        ran.err
    );
    let notes = ran.json()["notes"].to_string();
    assert!(
        notes.contains("auto took hip: selftest --backend hip passed on this device, driver and build, 2026-01-02"),
        "{notes}"
    );
    assert!(!notes.contains("no AMD GPU was at hand"), "{notes}");
    let (_, _, notes) = setting.line("--state state doctor --json").hip();
    assert!(notes.contains("auto takes it, or --backend hip"), "{notes}");
    // Named, and not proved: the report says what it is.
    let named = "run --backend hip --no-check --seq 16 --runs 1 --json";
    let notes = setting.line(named).json()["notes"].to_string();
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    // Another device, and another build.
    let other = [
        (device.replace("MI210", "MI300A"), tinyllama_tutor::BUILD),
        (device.to_owned(), "x"),
    ];
    for (device, build) in other {
        passed(&device, build);
        assert_eq!(
            setting.line(line).json()["backend"],
            "cpu",
            "{device} {build}"
        );
    }
}

/// The driver of this machine, as the program reads it.
fn driver() -> String {
    let text = fs::read_to_string("/sys/module/amdgpu/version").unwrap_or_default();
    text.trim().to_owned()
}

#[test]
fn a_machine_without_rocm_is_told_so() {
    if Path::new("/dev/kfd").exists() {
        eprintln!("skipped: this machine has an AMD GPU");
        return;
    }
    for line in ["selftest --backend hip", "run --backend hip"] {
        let ran = Setting::new("nothing").line(line);
        ran.refused(
            3,
            &[
                "no AMD GPU and no ROCm are here",
                "--backend cpu needs none",
            ],
        );
    }
    let ran = Setting::new("nothing").line("--version");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_missing_compiler_function_or_neighbour_has_a_sentence_each() {
    Setting::new("no-compiler")
        .line("run --backend hip")
        .refused(3, &["no HIPRTC", "HIPRTC_LIBRARY names the file"]);
    Setting::new("no-compiler")
        .line("selftest --backend hip --quick")
        .refused(3, &["no HIPRTC"]);
    Setting::new("lacking")
        .line("run --backend hip")
        .refused(3, &["lacks hipStreamBeginCapture", "ROCm 5.2 or newer"]);
    Setting::new("no-hsa").line("run --backend hip").refused(
        3,
        &[
            "the architecture of device 0 is not known",
            "libhsa-runtime64.so.1",
        ],
    );
    Setting::new("rocm6")
        .with("HIP_LIBRARY", "/etc/hostname")
        .line("run --backend hip")
        .refused(3, &["HIP_LIBRARY names /etc/hostname"]);
    Setting::new("rocm6")
        .with("HIPRTC_LIBRARY", "/etc/hostname")
        .line("run --backend hip")
        .refused(3, &["HIPRTC_LIBRARY names /etc/hostname"]);
}

#[test]
fn an_architecture_that_the_compiler_does_not_know_ends_the_compiler_alone() {
    let setting = Setting::new("rocm6").with("STANDIN_ARCHS", "gfx906 gfx908");
    let ran = setting.line("run --backend hip");
    ran.refused(
        3,
        &[
            "HIPRTC of ROCm 6.2.0-66",
            "makes no code for gfx90a",
            "signal 6: LLVM ERROR: unknown target gfx90a",
            "HIPRTC_LIBRARY",
        ],
    );
    // A self-test of nothing is that one sentence as well.
    setting
        .line("selftest --backend hip --quick")
        .refused(3, &["makes no code for gfx90a"]);
    let (state, line, _) = setting.line("doctor --json").hip();
    assert_eq!(state, "none");
    assert!(line.contains("makes no code for gfx90a"), "{line}");
    // Without a backend named, the CPU does it.
    let ran = setting.line("run --seq 8 --runs 1 --json");
    assert_eq!((ran.code, ran.json()["backend"].as_str()), (0, Some("cpu")));
}

// ---- devices ------------------------------------------------------------------

const TWO: &str = "gfx90a:64:110:AMD Instinct MI250X,gfx1030:32:60:AMD Radeon RX 6800";

#[test]
fn two_gpus_of_different_kinds_are_told_apart() {
    let setting = Setting::new("rocm6").with("STANDIN_DEVICES", TWO);
    let (state, line, notes) = setting.line("doctor --json").hip();
    assert_eq!(state, "ready");
    assert_eq!(line, "AMD Instinct MI250X (one GCD), gfx90a, ROCm 6.2.0-66");
    assert!(
        notes.contains("1: AMD Radeon RX 6800, gfx1030, waves of 32"),
        "{notes}"
    );
    assert!(
        notes.contains("different kinds (gfx90a, gfx1030)"),
        "{notes}"
    );
    let second = setting.with("HIP_VISIBLE_DEVICES", "1");
    let (_, line, notes) = second.line("doctor --json").hip();
    assert_eq!(line, "AMD Radeon RX 6800, gfx1030, ROCm 6.2.0-66");
    assert!(!notes.contains("different kinds"), "{notes}");
    // Counters that this architecture does not have are not asked for.
    assert!(
        notes.contains("FETCH_SIZE") && !notes.contains("TCC_EA"),
        "{notes}"
    );
    let ran = second.line("run --backend hip --no-check --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.log.contains("compile for gfx1030"), "{}", ran.log);
    assert!(!ran.log.contains("compile for gfx90a"), "{}", ran.log);
}

#[test]
fn hidden_gpus_are_said_to_be_hidden() {
    let hidden = |value: &str| {
        Setting::new("rocm6")
            .with("HIP_VISIBLE_DEVICES", value)
            .line("run --backend hip")
    };
    hidden("").refused(3, &["HIP_VISIBLE_DEVICES is empty, which hides every GPU"]);
    hidden("7").refused(3, &["HIP_VISIBLE_DEVICES is “7”, which leaves no GPU"]);
    Setting::new("rocm6")
        .with("STANDIN_FAULT", "init=3")
        .line("run --backend hip")
        .refused(3, &["HIP does not start: standin's words (error 3)"]);
}

// ---- whole runs -----------------------------------------------------------------

#[test]
fn a_forward_is_as_many_launches_as_its_plan_has() {
    for (version, launches) in [("v1", 71), ("v2", 47), ("v3", 35)] {
        let line =
            format!("run --backend hip --version {version} --no-check --runs 3 --seq 16 --json");
        let ran = Setting::new("rocm6").line(&line);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let report = ran.json();
        assert_eq!(report["launches"]["counted"], launches, "{version}");
        assert_eq!(report["plan"]["launches"], launches);
        assert_eq!(
            report["device"],
            "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66"
        );
        // Marks of the stand-in's clock are a quarter of a millisecond apart.
        assert_eq!(report["time_us"]["median"], 250.0);
        let started = ran.lines("launch ");
        assert_eq!(started % launches, 0, "{version}: {started}");
        assert!(started >= 3 * launches);
        ran.is_proper();
    }
}

#[test]
fn a_timeline_carries_the_plans_names_where_rocm_has_ranges() {
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --json";
    let named = Setting::new("rocm7").line(line);
    assert_eq!(named.code, 0, "{}", named.err);
    let (forwards, launches) = (named.lines("range forward"), named.lines("launch "));
    // Every launch has a range of its own within that of its forward.
    assert_eq!(launches, 47 * forwards, "{}", named.log);
    assert_eq!(named.lines("range "), launches + forwards);
    assert_eq!(
        named.lines("range block 1: "),
        11 * forwards,
        "{}",
        named.log
    );
    named.is_proper();
    // Without the library nothing is named, and nothing fails.
    let plain = Setting::new("rocm6").line(line);
    assert_eq!((plain.code, plain.lines("range ")), (0, 0));
}

#[test]
fn a_graph_is_recorded_once_and_replayed() {
    let ran = Setting::new("rocm6")
        .line("run --backend hip --version v2 --no-check --runs 3 --seq 16 --graph --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let recorded = ran
        .log
        .lines()
        .filter(|line| line.ends_with(" recorded"))
        .count();
    assert_eq!(recorded, 47);
    assert!(ran.log.contains("hipStreamEndCapture of 47 launches"));
    // Once to move it to the device, then the timed ones.
    assert_eq!(ran.lines("hipGraphLaunch"), 4);
    assert_eq!(ran.json()["time_us"]["median"], 250.0);
    ran.is_proper();
}

#[test]
fn one_kernel_per_block_is_launched_as_a_cooperative_grid() {
    let line = "run --backend hip --version v4 --no-check --runs 1 --seq 1 --context 16 --json";
    let ran = Setting::new("rocm6").line(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()["launches"]["counted"], 7);
    // Two blocks fit on each of 104 compute units.
    let grid = ran
        .log
        .lines()
        .find(|line| line.starts_with("cooperative "))
        .unwrap();
    let blocks: u32 = grid
        .split("grid ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(blocks > 1 && blocks <= 208, "{grid}");
    ran.is_proper();
    Setting::new("rocm5").line(line).refused(
        3,
        &[
            "cooperative launch",
            "HIP 5.2.21153 has no",
            "ROCm 6 has it",
        ],
    );
    Setting::new("rocm6")
        .with("STANDIN_FAULT", "cooperative=0")
        .line(line)
        .refused(3, &["cooperative launch", "MI210 does not offer"]);
}

#[test]
fn kernels_that_do_nothing_fail_the_check() {
    let ran = Setting::new("rocm6").line("run --backend hip --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let check = &ran.json()["check"];
    assert_eq!(check["pass"], false);
    assert_ne!(check["first_wrong"], Value::Null);
    // No time is taken of a wrong result.
    assert_eq!(ran.json()["time_us"], Value::Null);
}

#[test]
fn a_kernel_is_compiled_once_for_all_runs() {
    let setting = Setting::new("rocm6");
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --json";
    let first = setting.line(line).lines("compile for");
    assert!(first > 5, "{first}");
    assert_eq!(setting.line(line).lines("compile for"), 0);
}

// ---- what goes wrong ------------------------------------------------------------

#[test]
fn failures_of_the_device_are_told_in_a_sentence() {
    let line = "run --backend hip --no-check --runs 1 --seq 16";
    let with = |fault: &str| {
        Setting::new("rocm6")
            .with("STANDIN_FAULT", fault)
            .line(line)
    };
    with("launch=719").refused(
        1,
        &[
            "launching embed",
            "unspecified launch failure (error 719)",
            "fresh process",
        ],
    );
    // A code that no header of ROCm 5 knows.
    with("launch=4321").refused(1, &["launching embed", ": error 4321"]);
    with("load=209").refused(1, &["cannot be loaded", "of one release"]);
    with("memory=1000000").refused(3, &["out of memory", "a smaller model"]);
    with("wait=700").refused(1, &["the device stopped while it worked", "(error 700)"]);
}

#[test]
fn an_engine_that_aborts_is_told_with_its_last_words() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "abort=1")
        .line("run --backend hip --no-check --runs 1 --seq 16");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains("Memory access fault by GPU"),
        "{}",
        ran.err
    );
}

#[test]
fn what_the_compiler_refuses_is_told_with_its_line() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_REFUSE", "void rmsnorm(")
        .line("run --backend hip --no-check --runs 1 --seq 16");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains("kernels/silu.cu:3: no such thing"),
        "{}",
        ran.err
    );
}

#[test]
fn microbenchmarks_are_checked_and_timed() {
    // Kernels that do nothing are found out.
    let line = "micro mask --sweep 1000,1024 --backend hip --json";
    Setting::new("rocm6")
        .line(line)
        .refused(1, &["mask at", "no figure of a wrong result is shown"]);
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let ran = setting.with("STANDIN_FAULT", "tick=10").line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["backend"], "hip");
    assert_eq!(
        report["device"],
        "AMD Instinct MI210 (gfx90a), HIPRTC of ROCm 6.2.0-66"
    );
    for row in report["rows"].as_array().unwrap() {
        // Ten microseconds of a launch and the quarter of a millisecond of a mark.
        let time = row["time_us"]["median"].as_f64().unwrap();
        assert!((time - 260.0).abs() < 0.1, "{row}");
    }
    let notes = report["notes"].to_string();
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    ran.is_proper();
}

#[test]
fn roofs_and_what_it_costs_to_begin_are_measured() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "tick=2")
        .line("dev roofs --backend hip");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = ran.json();
    let all = |key: &str| -> Vec<f64> {
        let values = found[key].as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    let near = |key: &str, expected: f64| {
        let values = all(key);
        assert!(values.len() >= 9 || key.starts_with("fp") || key.starts_with("matrix"));
        assert!(!values.is_empty());
        for value in values {
            assert!(
                (value / expected - 1.0).abs() < 0.01,
                "{key}: {value}, not {expected}"
            );
        }
    };
    // A launch of 2 µs between two marks a quarter of a millisecond apart.
    let took = 252e-6;
    let bytes = f64::from(512 << 20);
    near("copy", 2.0 * bytes / took);
    near("read", bytes / took);
    near("launch", 2e-6);
    near("barrier", 1e-6);
    // This program's own product of 2048 × 2048 × 8192, as HIP has no library here.
    let flops = 2.0 * 2048.0 * 2048.0 * 8192.0;
    near("fp32", flops / took);
    near("matrix16", flops / took);
    let notes = found["notes"].to_string();
    assert!(notes.contains("this program's own"), "{notes}");
    assert!(notes.contains("no AMD GPU was at hand"), "{notes}");
    ran.is_proper();
}

#[test]
fn memory_is_measured_over_the_working_set() {
    let ran = Setting::new("rocm6")
        .with("STANDIN_FAULT", "tick=2")
        .line("dev memory --backend hip --sizes 1048576,8388608");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!(report["units"], 104);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        // 8192 loads in a launch of 2 µs between marks a quarter of a millisecond apart.
        let latency = row["latency_ns"][0].as_f64().unwrap();
        assert!((latency / (252e3 / 8192.0) - 1.0).abs() < 1e-3, "{row}");
        // 64 MiB are read by one block, again and again.
        let rate = row["one_gbs"][0].as_f64().unwrap();
        assert!(
            (rate / (64.0 * 1.048_576e6 / 252e-6 * 1e-9) - 1.0).abs() < 1e-3,
            "{row}"
        );
    }
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("512 threads") && notes.contains("no AMD GPU was at hand"),
        "{notes}"
    );
    ran.is_proper();
}

/// A rocprofv3 that saw the forward twice, each of its 47 launches with 1000 requests of
/// 64 bytes.
const ROCPROF: &str = r#"#!/bin/sh
names=
while [ $# -gt 0 ]; do
    case $1 in
    -d) out=$2 ;;
    TCC_*) names="$names $1" ;;
    --) shift; break ;;
    esac
    shift
done
"$@" || exit 1
mkdir -p "$out"
file="$out/1_counter_collection.csv"
echo '"Dispatch_Id","Process_Id","Kernel_Name","Counter_Name","Counter_Value"' > "$file"
at=0
while [ $at -lt 94 ]; do
    at=$((at + 1))
    for name in $names; do
        value=1000
        case $name in *_32B_sum) value=0 ;; esac
        echo "$at,1,\"k\",\"$name\",$value" >> "$file"
    done
done
"#;

#[test]
fn each_kernel_has_a_time_of_its_own() {
    let line = "--state state study timeline --backend hip --version v2 --seq 1 --json";
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let ran = setting.with("STANDIN_FAULT", "tick=10").line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    // 47 kernels, each 10 µs between two marks a quarter of a millisecond apart.
    let text = ran.json().to_string();
    assert!(text.contains("device events around each launch"), "{text}");
    ran.is_proper();
}

#[test]
fn bytes_at_memory_are_counted_by_rocprofv3() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new("rocm6");
    let line = "run --backend hip --version v2 --no-check --runs 1 --seq 16 --counters --json";
    let notes = setting.line(line).json()["notes"].to_string();
    assert!(notes.contains("rocprofv3 is not installed"), "{notes}");
    let folder = setting.home.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let tool = folder.join("rocprofv3");
    fs::write(&tool, ROCPROF).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let ran = setting.with("PATH", &path).line(line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    // 64 bytes of each request, reads and writes.
    let bytes = 47 * 2 * 64 * 1000;
    assert_eq!(
        report["bytes"]["measured_dram"], bytes,
        "{}",
        report["notes"]
    );
}

#[test]
fn a_kernel_that_was_written_is_run_on_the_device_and_timed_beside_the_worked_one() {
    let worked = |setting: &Setting, was: &str, is: &str| {
        let listing = Listing::named("exercises/silu_mul.cu").unwrap();
        let folder = setting.home.path().join("answers");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("ex19.cu"), listing.worked().replace(was, is)).unwrap();
        let said = setting
            .line("--plain --state state check ex19 --on hip")
            .out;
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let nothing = Setting::new("rocm6")
        .with("NVRTC_LIBRARY", "/nowhere")
        .with("CLANG", "/nowhere");
    let said = worked(&nothing, "", "");
    assert!(
        said.contains("C2") && said.contains("was never written"),
        "{said}"
    );
    let Some(setting) = Setting::new("rocm6").executing() else {
        return;
    };
    let setting = setting.with("STANDIN_FAULT", "tick=10");
    // Without a compiler for the machine the device says what it can, and no more.
    let without = setting
        .with("NVRTC_LIBRARY", "/nowhere")
        .with("CLANG", "/nowhere");
    let said = worked(&without, "", "");
    assert!(
        said.contains("cases are right; 260.0 µs at n = 524288"),
        "{said}"
    );
    assert!(
        said.contains("races and bytes were not looked at"),
        "{said}"
    );
    let said = worked(&without, "expf(-gate)", "expf(gate)");
    assert!(
        said.contains("C2") && said.contains("on AMD Instinct MI210"),
        "{said}"
    );
    let said = worked(&without, "m[i] = value;", "m[i] = value");
    assert!(said.contains("C1, compiles: answers/ex19.cu:"), "{said}");
    // With one the machine accepts first.
    let Some(nvrtc) = std::env::var_os("NVRTC_LIBRARY") else {
        return eprintln!("skipped: NVRTC_LIBRARY names no compiler");
    };
    let mut with = without;
    with.environment
        .retain(|(name, _)| *name != "NVRTC_LIBRARY");
    let with = with.with("NVRTC_LIBRARY", nvrtc.to_str().unwrap());
    let said = worked(&with, "", "");
    assert!(
        said.contains("C1 to C8 met") && said.contains("the worked kernel takes 260.0 µs"),
        "{said}"
    );
}

#[test]
fn what_hip_does_not_have_is_said() {
    Setting::new("rocm6")
        .line("run --backend hip --gemm library --no-check --runs 1 --seq 16")
        .refused(3, &["no library of products", "--gemm own"]);
    let ran = Setting::new("rocm6")
        .line("run --backend hip --count-bytes --no-check --runs 1 --seq 16 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let notes = ran.json()["notes"].to_string();
    assert!(notes.contains("--backend simt counts"), "{notes}");
}

#[test]
fn the_self_test_finds_kernels_that_do_nothing() {
    let ran = Setting::new("rocm6").line("selftest --backend hip --quick --seed 1 --json");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let test = ran.json();
    assert_eq!(test["backend"], "hip");
    assert_eq!(test["pass"], false);
}

// ---- the driver itself -------------------------------------------------------------

#[test]
fn a_driver_hands_in_what_it_is_given_and_gives_back_what_it_took() {
    let ran = Setting::new("rocm6").test("driver_on_the_stand_in");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 passed"), "{}", ran.out);
    ran.is_proper();
    let log: Vec<&str> = ran.log.lines().collect();
    let has = |line: &str| assert!(log.contains(&line), "no “{line}” in {}", ran.log);
    has("hipSetDevice 0");
    // Not waiting for the default stream; events with a clock; a capture that
    // refuses this thread's calls only.
    has("hipStreamCreateWithFlags 1");
    has("hipEventCreateWithFlags 0");
    has("hipStreamBeginCapture 1");
    has("launch probe grid 2 3 4 block 128 1 1 shared 512");
    has("arguments 1122334455667788 cafe");
    has("cooperative probe grid 5 1 1 block 64 1 1 shared 0");
    has("occupancy 256 threads 2048 bytes");
    assert_eq!(ran.unbalanced(), BTreeSet::new(), "{}", ran.log);
    assert!(ran.lines("make ") >= 8, "{}", ran.log);
}

/// What [`a_driver_hands_in_what_it_is_given_and_gives_back_what_it_took`] runs
/// in a process of its own.
#[test]
#[ignore = "needs the stand-ins around it"]
fn driver_on_the_stand_in() {
    compile_with(PathBuf::from(PROGRAM));
    assert!(Hip::open(1).is_err_and(|e| e.to_string().contains("device 0 is the only one")));
    let mut hip = Hip::open(0).unwrap();
    let target = hip.target().clone();
    assert_eq!(
        (
            target.arch.as_str(),
            target.warp,
            target.sms,
            target.shared_per_block
        ),
        ("gfx90a", 64, 104, 65_536)
    );

    // Memory: bounds are kept, bytes arrive, exhaustion is told.
    let memory = hip.alloc("a test", 64).unwrap();
    assert_eq!(hip.address(memory) % 256, 0);
    hip.fill(memory, 0xa5).unwrap();
    hip.upload(memory, 8, &[1, 2, 3, 4]).unwrap();
    let mut back = [0; 64];
    hip.download(memory, 0, &mut back).unwrap();
    assert_eq!(
        (back[7], &back[8..12], back[12]),
        (0xa5, &[1, 2, 3, 4][..], 0xa5)
    );
    assert!(hip.upload(memory, 62, &[0; 3]).is_err());
    assert!(hip.free_memory().unwrap() > 60 << 30);

    // A kernel: its needs, its launch, a launch that cannot be.
    let unit = CompileUnit::new("probe", &[]).define("BF16", 0);
    let probe = hip.load(&unit, 512).unwrap();
    assert_eq!(hip.load(&unit, 1024).unwrap(), probe, "loaded once");
    assert_eq!(hip.facts(probe).registers, 84);
    assert_eq!(hip.facts(probe).max_threads, 512);
    let error = hip.load(&unit, 65_536).unwrap_err();
    assert_eq!(error.kind, GpuErrorKind::Missing);
    assert!(error.to_string().contains("(LDS)"), "{error}");
    assert_eq!(hip.resident_blocks(probe, 256, 2048).unwrap(), 2);
    let parameters = [
        Parameter::Long(0x1122_3344_5566_7788),
        Parameter::Word(0xcafe),
    ];
    let call = Call {
        function: probe,
        grid: [2, 3, 4],
        threads: 128,
        shared: 512,
        cooperative: false,
        overlap: true,
        parameters: &parameters,
    };
    hip.launch(&call).unwrap();
    let grid = Call {
        grid: [5, 1, 1],
        threads: 64,
        shared: 0,
        cooperative: true,
        ..call.clone()
    };
    hip.launch(&grid).unwrap();
    let wide = Call {
        threads: 513,
        ..call.clone()
    };
    assert!(
        hip.launch(&wide)
            .is_err_and(|e| e.to_string().contains("512 threads per block"))
    );
    let none = Call {
        grid: [0, 1, 1],
        ..call.clone()
    };
    assert!(hip.launch(&none).is_err());
    let absent = hip
        .load(&CompileUnit::new("absent", &[]).define("BF16", 0), 0)
        .unwrap_err();
    assert!(
        absent.to_string().contains("looking for absent"),
        "{absent}"
    );

    // Time: each mark of the stand-in's clock is 250 µs after the last.
    let from = hip.mark().unwrap().unwrap();
    hip.mark().unwrap();
    let to = hip.mark().unwrap().unwrap();
    assert_eq!(hip.elapsed_us(from, to).unwrap(), 500.0);

    // A graph: what it cannot hold is refused, and recording ends.
    hip.begin_graph().unwrap();
    hip.launch(&call).unwrap();
    assert!(hip.synchronize().is_err() && hip.mark().is_err());
    assert!(hip.alloc("too late", 1).is_err());
    let graph = hip.end_graph().unwrap();
    hip.replay(graph).unwrap();
    assert!(hip.end_graph().is_err());
    let map = TensorMap {
        buffer: BufferId(0),
        offset: 0,
        rows: 1,
        columns: 64,
        stride: 128,
        box_rows: 1,
        box_columns: 64,
        group: 0,
    };
    assert!(hip.tensor_map(0, &map).is_err());
    let second = hip.alloc("given back", 1).unwrap();
    hip.free(second);
    hip.free(second);
    assert_eq!(hip.address(second), 0);
    assert!(hip.download(Memory(99), 0, &mut [0]).is_err());
    // A recording that is never ended is dropped all the same.
    hip.begin_graph().unwrap();
    drop(hip);
}

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
    let ran = command.output().expect("a C compiler");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    fs::rename(part, to).unwrap();
}

/// A process that sees one release, and what is wrong in it.
struct Setting {
    release: &'static str,
    home: TempDir,
    environment: Vec<(&'static str, String)>,
}

struct Ran {
    code: i32,
    out: String,
    err: String,
    log: String,
}

impl Setting {
    fn new(release: &'static str) -> Self {
        Self {
            release,
            home: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
        }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// A program in a process that sees nothing but this setting.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
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
    fn line(&self, line: &str) -> Ran {
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
    fn refused(&self, code: i32, needles: &[&str]) {
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
    fn is_proper(&self) {
        assert!(!self.log.contains("misuse"), "{}", self.log);
    }

    fn json(&self) -> Value {
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

    fn lines(&self, beginning: &str) -> usize {
        self.log
            .lines()
            .filter(|line| line.starts_with(beginning))
            .count()
    }

    /// Everything that was made and not dropped, and the reverse.
    fn unbalanced(&self) -> BTreeSet<String> {
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
        notes.contains("named, --backend hip; auto does not take it"),
        "{notes}"
    );
    let ran = setting.line("run --seq 8 --runs 1 --json");
    assert_eq!(ran.json()["backend"], "cpu");
    assert_eq!(ran.lines("compile for"), 0, "{}", ran.log);
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

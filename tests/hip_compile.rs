//! Every kernel for AMD, compiled by AMD's compilers without a GPU: HIPRTC of
//! Debian's ROCm 5.2 for gfx906, gfx908, gfx90a and gfx1030, and clang for what that
//! does not know: gfx942, gfx950, gfx1100. What they need is recorded in
//! `assets/kernels.toml`.
//!
//! HIPRTC is `$HIPRTC_LIBRARY` or the system's, clang `$HIP_CLANG` or `clang-22`;
//! what is not there is said and skipped. `.ci/run` fetches both. HIPRTC ends the
//! process on what it does not know, so that it runs in one of its own: this test
//! again.
//!
//! Compiling all takes a quarter of an hour on two cores. So one kernel of each kind
//! is compiled, and with `RECORD_KERNELS=1` every one, which writes the table.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tinyllama_tutor::backend::gpu::Unit;
use tinyllama_tutor::backend::gpu::compile::{
    Built, Cache, Compiler, Form, compile_all, unit_hash,
};
use tinyllama_tutor::backend::gpu::resources::{Recorded, RecordedKernel, Resources};
use tinyllama_tutor::backend::gpu::units::units_of;
use tinyllama_tutor::cost::{GpuDatabase, occupancy};

/// What Debian's HIPRTC knows, and what is left to clang.
const BY_HIPRTC: [&str; 4] = ["gfx906", "gfx908", "gfx90a", "gfx1030"];
const BY_CLANG: [&str; 3] = ["gfx942", "gfx950", "gfx1100"];

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/kernels.toml");
const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hip/device.h");
const AGAIN: &str = "RECORD_KERNELS=1 cargo test --test hip_compile";

/// The folder that the child process works in: its being set makes this test one.
const FOLDER: &str = "HIP_COMPILE_FOLDER";
const CHILD: &str = "the_child_that_compiles";

fn recording() -> bool {
    std::env::var_os("RECORD_KERNELS").is_some()
}

fn short_hash(unit: &Unit) -> String {
    unit_hash(unit).chars().take(16).collect()
}

fn definitions(unit: &Unit) -> impl Iterator<Item = String> + '_ {
    unit.defines
        .iter()
        .map(|(name, value)| format!("-D{name}={value}"))
}

// ---- HIPRTC -----------------------------------------------------------------------

struct Hiprtc {
    library: PathBuf,
}

impl Hiprtc {
    fn find() -> Option<Self> {
        let named = std::env::var_os("HIPRTC_LIBRARY").map(PathBuf::from);
        let system = ["libhiprtc.so.5", "libamdhip64.so.5"].map(PathBuf::from);
        let mut all = named.into_iter().chain(system);
        all.find(|library| open(library).is_some())
            .map(|library| Self { library })
    }
}

impl Compiler for Hiprtc {
    fn version(&self) -> String {
        "HIPRTC 5.2".to_owned()
    }

    fn options(&self, unit: &Unit, arch: &str, _: Form) -> Vec<String> {
        let own = [
            format!("--offload-arch={arch}"),
            "-std=c++17".into(),
            "-O3".into(),
        ];
        own.into_iter().chain(definitions(unit)).collect()
    }

    fn build(&self, source: &str, options: &[String], _: Form) -> Result<Built, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let at = |name: &str| folder.path().join(name);
        fs::write(at("source"), source).map_err(|e| e.to_string())?;
        fs::write(at("options"), options.join("\n")).map_err(|e| e.to_string())?;
        let ended = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
            .args([CHILD, "--exact", "--quiet"])
            .env(FOLDER, folder.path())
            .env("HIPRTC_LIBRARY", &self.library)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|e| e.to_string())?;
        let log = fs::read_to_string(at("log")).unwrap_or_default();
        match fs::read(at("code")) {
            Ok(image) => Ok(Built { image, log }),
            Err(_) if !log.is_empty() => Err(log),
            Err(_) => Err(String::from_utf8_lossy(&ended.stderr).into_owned()),
        }
    }
}

fn open(library: &Path) -> Option<*mut c_void> {
    let path = CString::new(library.to_str()?).ok()?;
    // SAFETY: the initialisers of ROCm's library are run.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    (!handle.is_null()).then_some(handle)
}

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Read = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// One compilation in this process, which may not survive it. Does nothing unless
/// it is the child.
#[test]
fn the_child_that_compiles() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let library = open(&PathBuf::from(std::env::var_os("HIPRTC_LIBRARY").unwrap())).unwrap();
    let find = |name: &CStr| {
        // SAFETY: the library is open.
        let function = unsafe { libc::dlsym(library, name.as_ptr()) };
        assert!(!function.is_null(), "{name:?}");
        function
    };
    let source = CString::new(fs::read(folder.join("source")).unwrap()).unwrap();
    let options = fs::read_to_string(folder.join("options")).unwrap();
    let options: Vec<CString> = options.lines().map(|o| CString::new(o).unwrap()).collect();
    let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
    let mut program = std::ptr::null_mut();
    // SAFETY: functions of hiprtc.h with these types; text and options end with a
    // zero byte and live; each buffer is as long as the function before it says.
    unsafe {
        let create: Create = std::mem::transmute(find(c"hiprtcCreateProgram"));
        let compile: Compile = std::mem::transmute(find(c"hiprtcCompileProgram"));
        let bytes = |program: Program, size: &CStr, read: &CStr| {
            let size: Size = std::mem::transmute(find(size));
            let read: Read = std::mem::transmute(find(read));
            let mut length = 0;
            assert_eq!(size(program, &mut length), 0);
            let mut bytes = vec![0u8; length];
            assert_eq!(read(program, bytes.as_mut_ptr().cast()), 0);
            bytes
        };
        let none = std::ptr::null();
        assert_eq!(
            create(
                &mut program,
                source.as_ptr(),
                c"kernels".as_ptr(),
                0,
                none,
                none
            ),
            0
        );
        let code = compile(program, options.len() as c_int, options.as_ptr());
        fs::write(
            folder.join("log"),
            bytes(program, c"hiprtcGetProgramLogSize", c"hiprtcGetProgramLog"),
        )
        .unwrap();
        if code == 0 {
            fs::write(
                folder.join("code"),
                bytes(program, c"hiprtcGetCodeSize", c"hiprtcGetCode"),
            )
            .unwrap();
        }
    }
}

// ---- clang ------------------------------------------------------------------------

struct Clang {
    program: PathBuf,
    version: String,
}

impl Clang {
    fn find() -> Option<Self> {
        let named = std::env::var_os("HIP_CLANG").map(PathBuf::from);
        let system = ["clang-22", "clang"].map(PathBuf::from);
        named.into_iter().chain(system).find_map(|program| {
            let said = Command::new(&program).arg("--version").output().ok()?;
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            let number = said.split("version ").nth(1)?.split_whitespace().next()?;
            // gfx950 came with 20.
            let major: u32 = number.split('.').next()?.parse().ok()?;
            (major >= 20).then(|| Self {
                program,
                version: format!("clang {number}"),
            })
        })
    }
}

impl Compiler for Clang {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn options(&self, unit: &Unit, arch: &str, _: Form) -> Vec<String> {
        let own = [
            "-x",
            "hip",
            "--cuda-device-only",
            "-nogpuinc",
            "-nogpulib",
            "-std=c++17",
            "-O3",
            "-S",
            "-Wno-pass-failed",
        ];
        let own = own.into_iter().map(str::to_owned);
        own.chain([format!("--offload-arch={arch}")])
            .chain(definitions(unit))
            .collect()
    }

    fn build(&self, source: &str, options: &[String], _: Form) -> Result<Built, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (from, to) = (
            folder.path().join("kernels.hip"),
            folder.path().join("code"),
        );
        fs::write(&from, source).map_err(|e| e.to_string())?;
        let said = Command::new(&self.program)
            .args(options)
            .args(["-include", HEADER, "-o"])
            .arg(&to)
            .arg(&from)
            .output()
            .map_err(|e| e.to_string())?;
        let log = String::from_utf8_lossy(&said.stderr).into_owned();
        match fs::read(&to) {
            Ok(image) if said.status.success() => Ok(Built { image, log }),
            _ => Err(log),
        }
    }
}

// ---- what a kernel needs --------------------------------------------------------------

/// A number of the code's metadata: MessagePack in a code object, YAML in assembly.
fn metadata(image: &[u8], key: &str) -> u32 {
    let Some(at) = image
        .windows(key.len())
        .position(|part| part == key.as_bytes())
    else {
        return 0;
    };
    let rest = &image[at + key.len()..];
    if !image.starts_with(b"\x7fELF") {
        let digits = rest.iter().skip_while(|c| !c.is_ascii_digit());
        let digits = digits.take_while(|c| c.is_ascii_digit());
        return digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    }
    match rest {
        [small @ 0..=0x7f, ..] => u32::from(*small),
        [0xcc, byte, ..] => u32::from(*byte),
        [0xcd, high, low, ..] => u32::from(u16::from_be_bytes([*high, *low])),
        [0xce, a, b, c, d, ..] => u32::from_be_bytes([*a, *b, *c, *d]),
        _ => panic!("{key} is followed by {:?}", &rest[..4.min(rest.len())]),
    }
}

fn resources(arch: &str, image: &[u8]) -> Resources {
    let (vector, sums) = (
        metadata(image, ".vgpr_count"),
        metadata(image, ".agpr_count"),
    );
    // On gfx90a and later one file holds both, and the first counts them together.
    let registers = if arch == "gfx908" {
        vector.max(sums)
    } else {
        vector
    };
    let spilled = 4 * metadata(image, ".vgpr_spill_count");
    Resources {
        registers,
        scalar: metadata(image, ".sgpr_count"),
        shared: metadata(image, ".group_segment_fixed_size"),
        stack: metadata(image, ".private_segment_fixed_size"),
        spill_stores: spilled,
        spill_loads: spilled,
    }
}

/// The units to compile: one of each kind (entry, files, element type), or all.
fn chosen(arch: &str) -> BTreeMap<Unit, u32> {
    let mut kinds = BTreeSet::new();
    let mut all = units_of(arch);
    all.retain(|unit, _| {
        let kind = (
            unit.entry,
            unit.files.clone(),
            unit.defines.first().cloned(),
        );
        recording() || kinds.insert(kind)
    });
    all
}

/// Compiles for these architectures, and compares with the table, or writes it.
fn compiled(compiler: &dyn Compiler, archs: &[&str]) {
    let cache = Cache::of_user();
    let gpus = GpuDatabase::embedded().unwrap();
    let mut recorded = Recorded::parse(&fs::read_to_string(TABLE).unwrap()).unwrap();
    for arch in archs {
        let mut made = Vec::new();
        let needed = chosen(arch);
        let units: Vec<&Unit> = needed.keys().collect();
        let built = compile_all(
            compiler,
            cache.as_ref(),
            &units,
            arch,
            Form::Machine,
            &mut |_, _, _| {},
        )
        .unwrap_or_else(|e| panic!("{e}"));
        for ((unit, dynamic), built) in needed.iter().zip(built) {
            let title = unit.title();
            let resources = resources(arch, &built.image);
            let assembly = String::from_utf8_lossy(&built.image);
            if BY_CLANG.contains(arch) && unit.files.contains(&"prefix/mfma.cu") {
                assert!(
                    assembly.contains("v_mfma_f32_16x16x16"),
                    "{title} for {arch}"
                );
            }
            assert!(
                resources.registers > 0,
                "{title} for {arch} does not say what it needs"
            );
            // Whether a block of the most threads that it is made for fits at all.
            let threads = metadata(&built.image, ".max_flat_workgroup_size");
            for gpu in gpus.all().iter().filter(|gpu| gpu.arch == *arch) {
                let shared = u64::from(resources.shared + dynamic);
                let fits = occupancy(gpu, resources.registers.into(), threads.into(), shared);
                let fits = fits.unwrap_or_else(|e| panic!("{title} on {}: {e}", gpu.name));
                assert!(fits.blocks > 0, "{title} on {}: {fits:?}", gpu.name);
            }
            made.push(RecordedKernel {
                unit: title,
                arch: (*arch).to_owned(),
                source: short_hash(unit),
                resources,
            });
        }
        let version = compiler.version();
        eprintln!("{arch}: {} kernels compiled by {version}", units.len());
        if recording() {
            recorded.replace(arch, &version, made);
            fs::write(TABLE, recorded.write()).unwrap();
            continue;
        }
        if recorded.compilers.get(*arch) != Some(&version) {
            // Another compiler gives out registers otherwise.
            eprintln!("recorded with another: figures not compared");
            continue;
        }
        for kernel in &made {
            assert_eq!(
                recorded.of(&kernel.unit, arch),
                Some(&kernel.resources),
                "{} for {arch} needs other resources than assets/kernels.toml says; run {AGAIN}",
                kernel.unit
            );
        }
    }
}

#[test]
fn kernels_compile_by_amds_compilers() {
    // One after the other: both write the table.
    match Hiprtc::find() {
        Some(hiprtc) => compiled(&hiprtc, &BY_HIPRTC),
        None => eprintln!("skipped: there is no HIPRTC of ROCm 5 (HIPRTC_LIBRARY)"),
    }
    match Clang::find() {
        Some(clang) => compiled(&clang, &BY_CLANG),
        None => eprintln!("skipped: there is no clang from 20 on (HIP_CLANG)"),
    }
}

/// Blocks see each other's stores: before the barrier every wave waits for its own
/// and writes its caches back, after it every wave forgets what it has read. (The
/// barrier's own release is one wave's, and waits for that wave's stores only.)
#[test]
fn every_wave_takes_part_in_a_barrier_between_blocks() {
    let Some(clang) = Clang::find() else {
        eprintln!("skipped: there is no clang from 20 on (HIP_CLANG)");
        return;
    };
    let unit = Unit::new("waits", &["prefix/grid.cu"]).define("BF16", 0);
    let source = unit.source().unwrap()
        + "KERNEL void waits(u32 *counter, u32 *data) {
            data[threadIdx.x] = 1;
            grid_barrier(counter);
            data[threadIdx.x + 64] = data[threadIdx.x + 32];
        }";
    for (arch, before, after) in [
        ("gfx90a", "s_waitcnt vmcnt(0)", "buffer_wbinvl1_vol"),
        ("gfx942", "buffer_wbl2 sc1", "buffer_inv sc1"),
        ("gfx1100", "s_waitcnt_vscnt null, 0x0", "buffer_gl1_inv"),
    ] {
        let options = clang.options(&unit, arch, Form::Machine);
        let built = clang.build(&source, &options, Form::Machine).unwrap();
        let assembly = String::from_utf8_lossy(&built.image);
        let parts: Vec<&str> = assembly.split("s_barrier").collect();
        assert_eq!(parts.len(), 3, "{arch} has two barriers of a block");
        let (stored, waited) = parts[0].rsplit_once("global_store").unwrap();
        assert!(
            !stored.is_empty() && waited.contains(before),
            "{arch}: {}",
            parts[0]
        );
        let (forgot, _) = parts[2].split_once("global_load").unwrap();
        assert!(forgot.contains(after), "{arch}: {}", parts[2]);
    }
}

#[test]
fn the_recorded_table_is_of_these_sources() {
    if recording() {
        return;
    }
    let recorded = Recorded::parse(&fs::read_to_string(TABLE).unwrap()).unwrap();
    for arch in BY_HIPRTC.into_iter().chain(BY_CLANG) {
        let now: BTreeMap<String, String> = units_of(arch)
            .keys()
            .map(|unit| (unit.title(), short_hash(unit)))
            .collect();
        let there: BTreeMap<String, String> = recorded
            .kernels
            .iter()
            .filter(|k| k.arch == arch)
            .map(|k| (k.unit.clone(), k.source.clone()))
            .collect();
        assert!(
            now == there,
            "assets/kernels.toml is not of the present kernels for {arch}; run {AGAIN}"
        );
    }
}

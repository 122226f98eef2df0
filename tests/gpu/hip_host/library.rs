//! A unit of kernels as a library of this process, by g++ and `tests/hip/host.h`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use tinyllama_tutor::backend::gpu::{CompileUnit, Target};

const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hip/host.h");

pub(super) type Launch =
    unsafe extern "C" fn(*const u32, c_int, usize, c_int, c_int, *mut *mut c_void) -> *const c_char;

/// A text of the kernels in place of another: a defect that is to be seen.
pub(super) type Change = Option<(&'static str, &'static str)>;

/// A unit as a library of this process.
pub(super) struct Loaded {
    pub(super) launch: Launch,
    pub(super) shared: u32,
}

/// Compiles a unit; the library stays open until the process ends.
pub(super) fn build(
    folder: &Path,
    number: usize,
    unit: &CompileUnit,
    target: &Target,
    change: Change,
) -> Loaded {
    let source = folder.join(format!("{number}.cpp"));
    let library = folder.join(format!("{number}.so"));
    let mut text = format!("#include \"host.h\"\n#define __{}__ 1\n", target.arch);
    for (name, value) in &unit.defines {
        text.push_str(&format!("#define {name} {value}\n"));
    }
    // Dynamic shared memory is a variable of the header.
    let mut kernels = unit
        .source()
        .unwrap()
        .replace("extern __shared__", "extern");
    if let Some((from, to)) = change {
        kernels = kernels.replace(from, to);
    }
    text.push_str(&kernels);
    text.push_str(&format!("\nHOST_LAUNCH({})\n", unit.entry));
    fs::write(&source, text).unwrap();
    let built = compiler(target.warp)
        .arg("-shared")
        .arg("-o")
        .arg(&library)
        .arg(&source)
        .output();
    let built = built.unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{}: {said}", unit.title());
    open(&library)
}

fn compiler(lanes: u32) -> Command {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-w", "-fPIC"]);
    // Statics of templates would otherwise be one for all libraries of the process,
    // and tests run side by side.
    compiler.arg("-fno-gnu-unique");
    compiler.arg(format!("-DHOST_LANES={lanes}"));
    compiler
}

/// A folder with the header, compiled once.
pub(super) fn folder(lanes: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("host.h");
    fs::copy(HEADER, &header).unwrap();
    let mut compiler = compiler(lanes);
    compiler.args(["-x", "c++-header", "-o"]);
    compiler.arg(folder.path().join("host.h.gch")).arg(&header);
    assert!(compiler.status().unwrap().success());
    folder
}

/// Whether there is a compiler; says so where there is none.
pub(super) fn has_compiler() -> bool {
    let found = Command::new("g++").arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no g++, the kernels are not executed on the host");
    }
    found
}

fn open(library: &Path) -> Loaded {
    let path = CString::new(library.to_str().unwrap()).unwrap();
    // SAFETY: a library that was just built, opened for good; both names are
    // functions of these types in `tests/hip/host.h`.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(
            !handle.is_null(),
            "{}",
            CStr::from_ptr(libc::dlerror()).to_string_lossy()
        );
        let launch = libc::dlsym(handle, c"host_launch".as_ptr());
        let shared = libc::dlsym(handle, c"host_shared".as_ptr());
        assert!(!launch.is_null() && !shared.is_null());
        let shared: unsafe extern "C" fn() -> usize = std::mem::transmute(shared);
        Loaded {
            launch: std::mem::transmute::<*mut c_void, Launch>(launch),
            shared: shared() as u32,
        }
    }
}

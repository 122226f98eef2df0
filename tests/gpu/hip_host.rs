//! The kernels as HIP sees them (AMD's macros, waves of 64 lanes and RDNA's of 32,
//! 64 KiB of LDS), executed on this computer: every unit is compiled by g++ with
//! `tests/hip/host.h`, lanes are fibres. Whole plans run, and every tensor is judged
//! against the fp64 reference; then again with lanes, waves and blocks in the
//! opposite order, and every bit must be the same: a missing barrier shows.
//!
//! It shows indices, exchanges between lanes, tile choice, LDS sizes, the sums. It
//! cannot show memory scopes and fences (one thread executes everything), the matrix
//! units' real layout (imitated as AMD documents it), the hardware's approximate
//! functions, what AMD's compiler makes, or time. Needs g++ on x86-64, else says
//! that it is skipped.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;
use tinyllama_tutor::backend::gpu::exec::Gpu;
use tinyllama_tutor::backend::gpu::{
    Call, CompileUnit, Driver, Function, GemmCall, GpuError, GraphId, KernelFacts, Mark, Memory,
    Parameter, Target, TensorMap,
};
use tinyllama_tutor::cost::{Config, Vendor};
use tinyllama_tutor::fusion::{Cut, Fusion, Version};
use tinyllama_tutor::model::{Dtype, Model, Shape};
use tinyllama_tutor::run::{Request, Unwatched};

const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hip/host.h");

type Launch =
    unsafe extern "C" fn(*const u32, c_int, usize, c_int, c_int, *mut *mut c_void) -> *const c_char;

/// A text of the kernels in place of another: a defect that is to be seen.
type Change = Option<(&'static str, &'static str)>;

/// A unit as a library of this process.
struct Loaded {
    launch: Launch,
    shared: u32,
}

/// Compiles a unit; the library stays open until the process ends.
fn build(
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
fn folder(lanes: u32) -> TempDir {
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
fn has_compiler() -> bool {
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

/// Memory of the "device", aligned to 256 bytes.
struct Block {
    words: Vec<u64>,
    skip: usize,
    bytes: usize,
}

impl Block {
    fn new(bytes: u64) -> Self {
        let words = vec![0u64; bytes as usize / 8 + 33];
        let skip = words.as_ptr().cast::<u8>().align_offset(256);
        Self {
            words,
            skip,
            bytes: bytes as usize,
        }
    }

    fn bytes(&mut self) -> &mut [u8] {
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        &mut all[self.skip..self.skip + self.bytes]
    }

    fn address(&self) -> u64 {
        self.words.as_ptr() as u64 + self.skip as u64
    }
}

/// The host as an AMD GPU.
struct Host {
    target: Target,
    change: Change,
    folder: TempDir,
    functions: Vec<(CompileUnit, Loaded)>,
    by_unit: HashMap<CompileUnit, Function>,
    memory: Vec<Option<Block>>,
    /// Whether this forward runs backwards, and whether it has begun.
    backwards: bool,
    begun: bool,
}

impl Host {
    fn new(arch: &str) -> Self {
        let warp = if arch.starts_with("gfx9") { 64 } else { 32 };
        Self {
            target: Target {
                vendor: Vendor::Amd,
                arch: arch.to_owned(),
                warp,
                // Few, so that a cooperative grid is small and each block has
                // several tiles.
                sms: 3,
                shared_per_block: 65_536,
            },
            change: None,
            folder: folder(warp),
            functions: Vec::new(),
            by_unit: HashMap::new(),
            memory: Vec::new(),
            backwards: false,
            begun: false,
        }
    }

    fn add(&mut self, unit: &CompileUnit, loaded: Loaded) -> Function {
        self.functions.push((unit.clone(), loaded));
        let function = Function(self.functions.len() as u32 - 1);
        self.by_unit.insert(unit.clone(), function);
        function
    }

    fn block(&mut self, memory: Memory) -> &mut Block {
        self.memory[memory.0 as usize].as_mut().unwrap()
    }
}

impl Driver for Host {
    fn target(&self) -> &Target {
        &self.target
    }

    fn describe(&self) -> String {
        format!("{} on the host", self.target.arch)
    }

    fn free_memory(&mut self) -> Option<u64> {
        None
    }

    /// As many compilers at a time as there are cores.
    fn prepare(
        &mut self,
        units: &[&CompileUnit],
        _: &mut dyn FnMut(usize, usize, &CompileUnit),
    ) -> Result<(), GpuError> {
        let known = &self.by_unit;
        let fresh: Vec<&CompileUnit> = units
            .iter()
            .filter(|u| !known.contains_key(**u))
            .copied()
            .collect();
        let (first, next) = (self.functions.len(), AtomicUsize::new(0));
        let built = Mutex::new(Vec::new());
        let (folder, target) = (self.folder.path(), &self.target);
        let change = self.change;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..cores.min(fresh.len()) {
                scope.spawn(|| {
                    while let Some((i, unit)) = {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        fresh.get(i).map(|unit| (i, *unit))
                    } {
                        let loaded = build(folder, first + i, unit, target, change);
                        built.lock().unwrap().push((i, unit, loaded));
                    }
                });
            }
        });
        let mut built = built.into_inner().unwrap();
        built.sort_by_key(|(i, ..)| *i);
        for (_, unit, loaded) in built {
            if !self.by_unit.contains_key(unit) {
                self.add(unit, loaded);
            }
        }
        Ok(())
    }

    fn load(&mut self, unit: &CompileUnit, shared: u32) -> Result<Function, GpuError> {
        assert!(shared <= self.target.shared_per_block, "{}", unit.title());
        if let Some(function) = self.by_unit.get(unit) {
            return Ok(*function);
        }
        let number = self.functions.len() + 1000;
        let loaded = build(self.folder.path(), number, unit, &self.target, self.change);
        Ok(self.add(unit, loaded))
    }

    fn facts(&self, function: Function) -> KernelFacts {
        KernelFacts {
            shared: self.functions[function.0 as usize].1.shared,
            max_threads: 1024,
            ..KernelFacts::default()
        }
    }

    fn resident_blocks(&mut self, _: Function, _: u32, shared: u32) -> Result<u32, GpuError> {
        Ok((65_536 / shared.max(1)).clamp(1, 2))
    }

    fn alloc(&mut self, _: &str, bytes: u64) -> Result<Memory, GpuError> {
        self.memory.push(Some(Block::new(bytes)));
        Ok(Memory(self.memory.len() as u32 - 1))
    }

    fn free(&mut self, memory: Memory) {
        self.memory[memory.0 as usize] = None;
    }

    fn address(&self, memory: Memory) -> u64 {
        self.memory[memory.0 as usize]
            .as_ref()
            .map_or(0, Block::address)
    }

    fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let at = offset as usize;
        self.block(memory).bytes()[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError> {
        let at = offset as usize;
        bytes.copy_from_slice(&self.block(memory).bytes()[at..at + bytes.len()]);
        Ok(())
    }

    /// A forward begins with poison; the next one goes the other way round.
    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
        if byte != 0 && self.begun {
            self.backwards = !self.backwards;
            self.begun = false;
        }
        self.block(memory).bytes().fill(byte);
        Ok(())
    }

    fn tensor_map(&mut self, _: u64, _: &TensorMap) -> Result<[u64; 16], GpuError> {
        Err(GpuError::missing("AMD has no tensor maps"))
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        self.begun = true;
        let (unit, loaded) = &self.functions[call.function.0 as usize];
        assert!(loaded.shared + call.shared <= 65_536, "{}", unit.title());
        assert_eq!(call.threads % self.target.warp, 0, "{}", unit.title());
        let mut parameters = call.parameters.to_vec();
        let mut addresses: Vec<*mut c_void> = parameters
            .iter_mut()
            .map(|parameter| match parameter {
                Parameter::Word(word) => std::ptr::from_mut(word).cast(),
                Parameter::Long(long) => std::ptr::from_mut(long).cast(),
                Parameter::Map(_) => panic!("{} takes a tensor map", unit.title()),
            })
            .collect();
        // SAFETY: the kernel's parameters in order, each an address of a value of
        // its size; buffers live and are as large as the program says.
        let wrong = unsafe {
            (loaded.launch)(
                call.grid.as_ptr(),
                call.threads as c_int,
                call.shared as usize,
                c_int::from(call.cooperative),
                c_int::from(self.backwards),
                addresses.as_mut_ptr(),
            )
        };
        if wrong.is_null() {
            return Ok(());
        }
        // SAFETY: a string literal of the library, which stays open.
        let wrong = unsafe { CStr::from_ptr(wrong) };
        Err(GpuError::failed(wrong.to_string_lossy()).in_kernel(&unit.title()))
    }

    fn library_gemm(&mut self, _: &GemmCall) -> Result<u32, GpuError> {
        Err(GpuError::missing("the host has no library"))
    }

    fn synchronize(&mut self) -> Result<(), GpuError> {
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Mark>, GpuError> {
        Ok(None)
    }

    fn elapsed_us(&mut self, _: Mark, _: Mark) -> Result<f64, GpuError> {
        Err(GpuError::missing("the host has no clock"))
    }

    fn begin_graph(&mut self) -> Result<(), GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }

    fn end_graph(&mut self) -> Result<GraphId, GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }

    fn replay(&mut self, _: GraphId) -> Result<(), GpuError> {
        Err(GpuError::missing("the host has no graphs"))
    }
}

/// Head widths 32, 64 and 128, rows that are whole packs and rows that are not.
fn model(head: u64, ffn: u64) -> Model {
    Model::new("m", 4 * head, 1, 4, 2, ffn, 50).unwrap()
}

const PREFILL: Shape = Shape {
    batch: 2,
    seq: 37,
    context: 37,
};

/// One new token of two sequences, keys of several blocks.
const DECODE: Shape = Shape {
    batch: 2,
    seq: 1,
    context: 75,
};

/// Rows so wide that several waves share one, and sum it through shared memory.
fn wide() -> Model {
    Model::new("wide", 1024, 1, 8, 2, 64, 50).unwrap()
}

fn request(model: &Model, shape: Shape, dtype: Dtype, cut: Cut) -> Request {
    Request::new(Config::forward(model.clone(), shape, dtype, cut))
}

fn examine(gpu: &mut Gpu<Host>, model: &Model, shape: Shape, dtype: Dtype, cut: Cut) {
    let request = request(model, shape, dtype, cut);
    let examined = gpu.examine(&request, None, &Unwatched);
    let fusions: Vec<&str> = cut.fusions().iter().map(|f| f.name()).collect();
    let what = format!("{} {dtype:?} {shape:?} {fusions:?}", gpu.describe());
    let examined = examined.unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(
        examined.pass,
        "{what}: {:?} {:?}",
        examined.first_wrong, examined.wrong
    );
    assert_eq!(examined.unsteady, None, "{what}");
    assert_eq!(examined.launches.counted, examined.planned, "{what}");
}

const VERSIONS: [Version; 6] = [
    Version::V1,
    Version::V2,
    Version::V3,
    Version::Five,
    Version::V4,
    Version::Forward,
];

#[test]
fn every_version_is_right_with_waves_of_64() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    let model = model(32, 96);
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for shape in [PREFILL, DECODE] {
            for version in VERSIONS {
                examine(&mut gpu, &model, shape, dtype, version.cut());
            }
            let both = Version::V2.cut().fuse(Fusion::NormResidual);
            examine(&mut gpu, &model, shape, dtype, both);
        }
    }
}

#[test]
fn wider_heads_and_rows_that_are_not_aligned_are_right() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    for (head, ffn) in [(64, 90), (128, 96)] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for version in [Version::V1, Version::V3, Version::V4] {
                examine(&mut gpu, &model(head, ffn), PREFILL, dtype, version.cut());
            }
        }
    }
}

#[test]
fn rows_that_several_waves_share_are_right() {
    if !has_compiler() {
        return;
    }
    let mut gpu = Gpu::new(Host::new("gfx90a"));
    let both = Version::V2.cut().fuse(Fusion::NormResidual);
    for cut in [Version::V1.cut(), both] {
        examine(&mut gpu, &wide(), DECODE, Dtype::Fp32, cut);
    }
}

#[test]
fn architectures_with_other_matrix_units_or_none_are_right_in_bf16() {
    if !has_compiler() {
        return;
    }
    for arch in ["gfx906", "gfx908", "gfx1100"] {
        let mut gpu = Gpu::new(Host::new(arch));
        for version in [Version::V1, Version::V4] {
            examine(
                &mut gpu,
                &model(32, 96),
                PREFILL,
                Dtype::Bf16,
                version.cut(),
            );
        }
    }
}

#[test]
fn a_planted_defect_is_seen() {
    if !has_compiler() {
        return;
    }
    let small = || request(&model(32, 96), PREFILL, Dtype::Fp32, Version::V1.cut());
    let bf16 = |version: Version| request(&model(32, 96), PREFILL, Dtype::Bf16, version.cut());
    let defects: [(&str, &str, Request); 6] = [
        // A warp of 32 where a wave has 64.
        ("#define WARP 64", "#define WARP 32", small()),
        // Shared memory read before all waves have written it.
        (
            "    __syncthreads();\n    int warps",
            "    int warps",
            request(&wide(), DECODE, Dtype::Fp32, Version::V1.cut()),
        ),
        // A stage overwritten while it is read.
        (
            "        __syncthreads(); // this stage has arrived",
            "        // this stage has arrived",
            small(),
        ),
        // A phase that does not wait for the other blocks.
        (
            "        next_phase(call);\n        attention_phase",
            "        __syncthreads();\n        attention_phase",
            bf16(Version::V4),
        ),
        // A result of the matrix unit taken for another row's.
        (
            "* Acc::ROWS + lane_id() / 16 * 4;",
            "* Acc::ROWS + lane_id() / 16;",
            bf16(Version::V1),
        ),
        // A row of queries whose maximum is another's.
        (
            "#define ROW_STRIDE 16",
            "#define ROW_STRIDE 4",
            bf16(Version::V3),
        ),
    ];
    for (from, to, request) in defects {
        let mut host = Host::new("gfx90a");
        host.change = Some((from, to));
        let mut gpu = Gpu::new(host);
        // Wrong, unsteady, or a barrier that is never passed.
        if let Ok(examined) = gpu.examine(&request, None, &Unwatched) {
            assert!(
                !examined.pass || examined.unsteady.is_some(),
                "not seen: {from}"
            );
        }
    }
}

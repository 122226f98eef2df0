//! Every kernel for AMD, compiled by AMD's compilers without a GPU: HIPRTC of
//! Debian's ROCm 5.2 for gfx906, gfx908, gfx90a and gfx1030, and clang for what that
//! does not know: gfx942, gfx950, gfx1100. What they need is recorded in
//! `assets/kernels.toml`.
//!
//! HIPRTC is `$HIPRTC_LIBRARY` or the system's, clang `$HIP_CLANG` or `clang-22`;
//! what is not there is said and skipped. `.ci/run` fetches both. HIPRTC ends the
//! process on what it does not know, so that it runs in one of its own, as the
//! backend does it: the program itself.
//!
//! Which kernels are compiled, and what they are compared with, is in `table`.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::path::PathBuf;

use tinyllama_tutor::backend::gpu::CompileUnit;
use tinyllama_tutor::backend::gpu::clang::{Clang, Language};
use tinyllama_tutor::backend::gpu::compile::{
    Built, Cache, Compiler, CompilerError, Form, compile, compile_all,
};
use tinyllama_tutor::backend::gpu::hip::{Hiprtc, compile_with};
use tinyllama_tutor::backend::gpu::resources::{RecordedKernel, Resources};
use tinyllama_tutor::backend::gpu::units::units_of;
use tinyllama_tutor::cost::{GpuDatabase, occupancy};

use crate::table::{assert_of_these_sources, chosen, settle, short_hash};

/// What Debian's HIPRTC knows, and what is left to clang.
const BY_HIPRTC: [&str; 4] = ["gfx906", "gfx908", "gfx90a", "gfx1030"];
const BY_CLANG: [&str; 3] = ["gfx942", "gfx950", "gfx1100"];

/// Line tables, among the backend's options.
const LINES: &str = "-gline-tables-only";

// ---- HIPRTC -----------------------------------------------------------------------

/// The backend's own compiler, each time in a process of its own.
struct ByHiprtc(Hiprtc);

impl ByHiprtc {
    fn find() -> Option<Self> {
        compile_with(env!("CARGO_BIN_EXE_tinyllama-tutor").into());
        let named = std::env::var_os("HIPRTC_LIBRARY").map(PathBuf::from);
        let system = ["libhiprtc.so.5", "libamdhip64.so.5"].map(PathBuf::from);
        let mut all = named.into_iter().chain(system);
        all.find_map(|library| Hiprtc::at(&library).ok()).map(Self)
    }
}

impl Compiler for ByHiprtc {
    /// `HIPRTC 5.2` of `HIPRTC of HIP 5.2.21153`.
    fn version(&self) -> String {
        let version = self.0.version();
        let number = version.rsplit(' ').next().unwrap();
        let short: Vec<&str> = number.split('.').take(2).collect();
        format!("HIPRTC {}", short.join("."))
    }

    /// The backend's, less the line tables, which change no instruction
    /// (`line_tables_change_nothing`) and double the time.
    fn options(&self, unit: &CompileUnit, arch: &str, form: Form) -> Vec<String> {
        let mut options = self.0.options(unit, arch, form);
        options.retain(|option| option != LINES);
        options
    }

    fn build(&self, source: &str, options: &[String], form: Form) -> Result<Built, CompilerError> {
        self.0.build(source, options, form)
    }
}

// ---- clang ------------------------------------------------------------------------

/// What HIPRTC brings of itself, without ROCm.
const HIP: Language = Language {
    target: "amdgcn",
    options: &["-x", "hip", "-nogpuinc", "-nogpulib", "-Wno-pass-failed"],
    device: include_str!("../hip/device.h"),
};

fn clang() -> Option<Clang> {
    let named = std::env::var_os("HIP_CLANG").map(PathBuf::from);
    let system = ["clang-22", "clang"].map(PathBuf::from);
    let mut all = named.into_iter().chain(system);
    all.find_map(|program| {
        let found = Clang::at(&program, &HIP)?;
        // gfx950 came with 20.
        let version = found.version();
        let (_, number) = version.split_once(' ')?;
        let major: u32 = number.split('.').next()?.parse().ok()?;
        (major >= 20).then_some(found)
    })
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

/// Compiles for these architectures, and compares with the table, or writes it.
fn compiled(compiler: &dyn Compiler, archs: &[&str], form: Form) {
    let cache = Cache::of_user();
    let gpus = GpuDatabase::embedded().unwrap();
    for arch in archs {
        let mut made = Vec::new();
        let needed = chosen(arch, compiler);
        let units: Vec<&CompileUnit> = needed.keys().collect();
        let built = compile_all(
            compiler,
            cache.as_ref(),
            &units,
            arch,
            form,
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
        settle(arch, compiler, made);
    }
}

#[test]
fn kernels_compile_by_amds_compilers() {
    // One after the other: both write the table.
    match ByHiprtc::find() {
        Some(hiprtc) => compiled(&hiprtc, &BY_HIPRTC, Form::Machine),
        None => eprintln!("skipped: there is no HIPRTC of ROCm 5 (HIPRTC_LIBRARY)"),
    }
    match clang() {
        Some(clang) => compiled(&clang, &BY_CLANG, Form::Assembly),
        None => eprintln!("skipped: there is no clang from 20 on (HIP_CLANG)"),
    }
}

/// What the table says holds for what the backend compiles, whose options ask for
/// line tables as well.
#[test]
fn line_tables_change_nothing() {
    let Some(hiprtc) = ByHiprtc::find() else {
        eprintln!("skipped: there is no HIPRTC of ROCm 5 (HIPRTC_LIBRARY)");
        return;
    };
    let arch = "gfx90a";
    let all = units_of(arch);
    let unit = all.keys().find(|unit| unit.entry == "rmsnorm").unwrap();
    let with = compile(&hiprtc.0, None, unit, arch, Form::Machine).unwrap();
    let without = compile(&hiprtc, None, unit, arch, Form::Machine).unwrap();
    assert!(
        hiprtc
            .0
            .options(unit, arch, Form::Machine)
            .contains(&LINES.to_owned())
    );
    assert_eq!(
        resources(arch, &with.image),
        resources(arch, &without.image)
    );
    assert!(with.image.len() > without.image.len());
}

/// Blocks see each other's stores: before the barrier every wave waits for its own
/// and writes its caches back, after it every wave forgets what it has read. (The
/// barrier's own release is one wave's, and waits for that wave's stores only.)
#[test]
fn every_wave_takes_part_in_a_barrier_between_blocks() {
    let Some(clang) = clang() else {
        eprintln!("skipped: there is no clang from 20 on (HIP_CLANG)");
        return;
    };
    let unit = CompileUnit::new("waits", &["prefix/grid.cu"]).define("BF16", 0);
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
        let options = clang.options(&unit, arch, Form::Assembly);
        let built = clang.build(&source, &options, Form::Assembly).unwrap();
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
    assert_of_these_sources(&BY_HIPRTC);
    assert_of_these_sources(&BY_CLANG);
}

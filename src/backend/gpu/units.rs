//! Which units there are: what the lowering asks for over the plans that every
//! GPU backend promises and the shapes of the presets. Pure; what is compiled
//! ahead, compiled in tests, and listed with its resources comes from here.

use std::collections::BTreeMap;

use super::lower::{Setup, lower};
use super::program::{Step, Target};
use super::source::CompileUnit;
use plan::cost::{Config, Vendor};
use plan::fusion::{Cut, Fusion, Plan, Version};
use plan::model::{Dtype, Graph, PRESETS, Preset, Shape};
use plan::run::Gemm;

/// Blocks of the models that are lowered: a middle and both ends.
const LAYERS: u64 = 2;

/// Whose architecture it is.
fn vendor(arch: &str) -> Vendor {
    if arch.starts_with("gfx") {
        Vendor::Amd
    } else {
        Vendor::Nvidia
    }
}

/// Typical devices of an architecture. Their number of multiprocessors and
/// their shared memory decide between tiles: an architecture has several.
pub fn devices(arch: &str) -> Vec<Target> {
    // Multiprocessors (compute units; on RDNA pairs of them) and shared memory.
    let sizes: &[(u32, u32)] = match arch {
        // A100.
        "sm_80" => &[(108, 166_912)],
        // H100 SXM and H200; H100 PCIe.
        "sm_90a" => &[(132, 232_448), (114, 232_448)],
        // B200.
        "sm_100" => &[(148, 232_448)],
        // MI50, MI100; MI210 and half an MI250X; MI300A and MI300X; MI355X.
        "gfx906" => &[(60, 65_536)],
        "gfx908" => &[(120, 65_536)],
        "gfx90a" => &[(104, 65_536), (110, 65_536)],
        "gfx942" => &[(228, 65_536), (304, 65_536)],
        "gfx950" => &[(256, 163_840)],
        // RX 6900 XT and 7900 XTX.
        "gfx1030" => &[(40, 65_536)],
        "gfx1100" => &[(48, 65_536)],
        // Anything else: of the size of an RTX 3090, 4090 or 5090.
        _ => &[(82, 101_376), (128, 101_376), (170, 101_376)],
    };
    sizes
        .iter()
        .map(|(sms, shared)| Target {
            vendor: vendor(arch),
            arch: arch.to_owned(),
            // Waves of GCN and CDNA have 64 lanes, RDNA's 32.
            warp: if arch.starts_with("gfx9") { 64 } else { 32 },
            sms: *sms,
            shared_per_block: *shared,
        })
        .collect()
}

/// The cuts that every GPU backend promises: the versions, each fusion alone
/// with what it implies, and norm_residual together with V2's.
fn cuts() -> Vec<Cut> {
    let versions = Version::ALL.into_iter().map(Version::cut);
    let fusions = Fusion::ALL.into_iter().map(|f| Cut::v1().fuse(f));
    let both = Version::V2.cut().fuse(Fusion::NormResidual);
    let split = Cut::v1().with_rope_split();
    versions.chain(fusions).chain([both, split]).collect()
}

/// Shapes at which a preset is run, each with the rows that its caches have:
/// its default as prefill, and one new token, alone and for a batch. A prefill
/// that leaves room for the decode after it is a shape of its own.
fn shapes(preset: &Preset) -> Vec<(Shape, u64)> {
    let default = preset.shape();
    let Shape { batch, seq, .. } = default;
    let mut shapes = vec![(default, default.context)];
    for batch in [1, batch, 8] {
        let filling = Shape {
            batch,
            seq: seq - 1,
            context: seq - 1,
        };
        let one = Shape {
            batch,
            seq: 1,
            context: seq,
        };
        shapes.extend([(filling, seq), (one, seq)]);
    }
    shapes
}

/// Every unit that the promised plans need on a device, with the most dynamic
/// shared memory that it is launched with. A plan that a kernel is missing for
/// adds nothing.
pub fn units(target: &Target) -> BTreeMap<CompileUnit, u32> {
    let mut found = BTreeMap::new();
    for preset in &PRESETS {
        let mut model = preset.model();
        model.layers = LAYERS.min(model.layers);
        for ((shape, cap), dtype) in shapes(preset)
            .into_iter()
            .flat_map(|shape| [Dtype::Fp32, Dtype::Bf16].map(|dtype| (shape, dtype)))
        {
            let Ok(graph) = Graph::of(&model, &shape) else {
                continue;
            };
            for cut in cuts() {
                let config = Config::forward(model.clone(), shape, dtype, cut);
                let plan = Plan::new(&graph, cut, config.keeps_kv());
                let program = lower(&Setup {
                    config: &config,
                    graph: &graph,
                    plan: &plan,
                    target,
                    gemm: Gemm::Own,
                    cap,
                    tuned: &[],
                });
                for step in program.into_iter().flat_map(|program| program.steps) {
                    if let Step::Own(launch) = step {
                        let shared = found.entry(launch.unit).or_insert(0);
                        *shared = launch.shared.max(*shared);
                    }
                }
            }
        }
    }
    found
}

/// The units of all typical devices of an architecture.
pub fn units_of(arch: &str) -> BTreeMap<CompileUnit, u32> {
    let mut all = BTreeMap::new();
    for target in devices(arch) {
        for (unit, shared) in units(&target) {
            let most = all.entry(unit).or_insert(0);
            *most = shared.max(*most);
        }
    }
    all
}

/// What is compiled ahead: units of every NVIDIA device from compute
/// capability 8.0 on, as PTX of `sm_80`, and those that only Hopper has as PTX
/// of `sm_90a`, in order.
pub fn compiled_ahead() -> Vec<(CompileUnit, &'static str)> {
    let mut portable = BTreeMap::new();
    for arch in ["sm_80", "sm_89", "sm_100"] {
        portable.extend(units_of(arch));
    }
    let (shared, own): (Vec<CompileUnit>, Vec<CompileUnit>) = units_of("sm_90a")
        .into_keys()
        .partition(|unit| !unit.files.iter().any(|file| file.contains("hopper")));
    portable.extend(shared.into_iter().map(|unit| (unit, 0)));
    portable.extend(
        crate::microbenchmark::units()
            .into_iter()
            .map(|unit| (unit, 0)),
    );
    let exercises = crate::submission::units();
    let mut all: Vec<(CompileUnit, &'static str)> = portable
        .into_keys()
        .chain(exercises)
        .map(|unit| (unit, "sm_80"))
        .chain(own.into_iter().map(|unit| (unit, "sm_90a")))
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_shapes_are_ones_that_can_be_run() {
        for preset in &PRESETS {
            for (shape, cap) in shapes(preset) {
                Graph::of(&preset.model(), &shape).unwrap();
                assert!(shape.context <= cap, "{shape:?} {cap}");
            }
        }
    }

    #[test]
    fn units_are_whole_and_compiled_ahead_once_per_architecture() {
        let all = compiled_ahead();
        assert!(all.is_sorted());
        for pair in all.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for (unit, arch) in &all {
            assert!(unit.source().is_some(), "{}", unit.title());
            assert!(["sm_80", "sm_90a"].contains(arch));
        }
    }
}

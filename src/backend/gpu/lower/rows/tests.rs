//! Launches of the row kernels and of attention, without a GPU.

use std::fmt::Write;

use super::super::tests::parameters;
use super::super::{Lowering, Setup};
use crate::gpu::program::{Arg, Grid, Launch, Step, Target};
use plan::cost::{Config, Vendor};
use plan::fusion::{Cut, Fusion, Plan, Version};
use plan::model::{Dtype, Graph, Shape};
use plan::run::Gemm;

const H200: (u32, &str, u32) = (132, "sm_90a", 232_448);

struct Case {
    preset: &'static str,
    shape: Option<Shape>,
    dtype: Dtype,
    cut: Cut,
    device: (u32, &'static str, u32),
}

impl Case {
    fn of(preset: &'static str, cut: Cut, dtype: Dtype) -> Self {
        Self {
            preset,
            shape: None,
            dtype,
            cut,
            device: H200,
        }
    }

    /// Launches of this family, each once by name without its block, with the
    /// names of the buffers.
    fn launches(&self) -> Vec<(Launch, Vec<String>)> {
        let mut config = Config::preset(self.preset, self.cut).unwrap();
        config.model.layers = 1;
        config.dtype = self.dtype;
        if let Some(shape) = self.shape {
            config.shape = shape;
        }
        let (sms, arch, shared_per_block) = self.device;
        let target = Target {
            vendor: if arch.starts_with("sm") {
                Vendor::Nvidia
            } else {
                Vendor::Amd
            },
            arch: arch.to_owned(),
            warp: if arch.starts_with("sm") { 32 } else { 64 },
            sms,
            shared_per_block,
        };
        let graph = Graph::of(&config.model, &config.shape).unwrap();
        let plan = Plan::new(&graph, self.cut, config.keeps_kv());
        let mut lowering = Lowering::new(&Setup {
            config: &config,
            graph: &graph,
            plan: &plan,
            target: &target,
            gemm: Gemm::Own,
            cap: config.shape.context,
            tuned: &[],
        });
        let mut found: Vec<(Launch, Vec<String>)> = Vec::new();
        for index in 0..plan.kernels.len() {
            let Ok(Step::Own(launch)) = lowering.step(index) else {
                continue;
            };
            if !OURS.contains(&launch.unit.entry) {
                continue;
            }
            let names = launch.args.iter().map(|arg| match arg {
                Arg::Buffer(id) => lowering.buffers[id.0 as usize].name.clone(),
                Arg::I32(value) => value.to_string(),
                Arg::I64(value) => format!("{value}L"),
                Arg::F32(value) => format!("{value:e}"),
                other => format!("{other:?}"),
            });
            let names = names.collect();
            found.push((launch, names));
        }
        found
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (launch, args) in self.launches() {
            let Grid::Blocks([x, y, z]) = launch.grid else {
                panic!("{} waits for no other block", launch.name);
            };
            let _ = writeln!(
                text,
                "{}\n  {}\n  {x}x{y}x{z} blocks of {} threads, {} bytes shared\n  ({})",
                launch.name,
                launch.unit.title(),
                launch.threads,
                launch.shared,
                args.join(", ")
            );
        }
        text
    }
}

/// The entries of this family.
const OURS: [&str; 13] = [
    "embed",
    "rmsnorm",
    "rope",
    "qk",
    "softmax",
    "pv",
    "residual",
    "residual_norm",
    "silu",
    "mul",
    "silu_mul",
    "flash",
    "flash_decode",
];

fn decode(batch: u64, context: u64) -> Option<Shape> {
    Some(Shape {
        batch,
        seq: 1,
        context,
    })
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for preset in ["workshop", "small", "medium", "part-c", "tinyllama-1.1b"] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for cut in [
                Cut::v1(),
                Cut::v1().with_rope_split(),
                Version::V2.cut().fuse(Fusion::NormResidual),
                Version::V3.cut(),
                Version::Five.cut(),
            ] {
                cases.push(Case::of(preset, cut, dtype));
                for (batch, context) in [(1, 512), (3, 77), (64, 2048)] {
                    let mut case = Case::of(preset, cut, dtype);
                    case.shape = decode(batch, context);
                    cases.push(case);
                }
                let mut case = Case::of(preset, cut, dtype);
                case.device = (110, "gfx90a", 65_536);
                cases.push(case);
            }
        }
    }
    cases
}

#[test]
fn every_group_of_the_family_has_a_launch_that_the_device_can_hold() {
    for case in cases() {
        let launches = case.launches();
        assert!(!launches.is_empty(), "{} {:?}", case.preset, case.device);
        for (launch, _) in launches {
            assert!(launch.unit.source().is_some(), "{}", launch.unit.title());
            assert!(launch.shared <= case.device.2, "{}", launch.name);
            assert!((32..=1024).contains(&launch.threads), "{}", launch.name);
            let Grid::Blocks([_, y, z]) = launch.grid else {
                panic!("{} waits for no other block", launch.name);
            };
            assert!(y <= 65_535 && z <= 65_535, "{}", launch.name);
        }
    }
}

/// A value of an argument by the name of its parameter.
fn value(launch: &Launch, name: &str) -> u64 {
    let parameters = parameters(launch.unit.entry, launch.unit.files.last().unwrap());
    let at = parameters
        .iter()
        .position(|p| p.split_whitespace().last() == Some(name))
        .unwrap();
    match launch.args[at] {
        Arg::I32(value) => value.try_into().unwrap(),
        Arg::I64(value) => value.try_into().unwrap(),
        arg => panic!("{name} is {arg:?}"),
    }
}

fn define(launch: &Launch, name: &str) -> Option<u64> {
    let (_, value) = launch.unit.defines.iter().find(|(n, _)| *n == name)?;
    value.parse().ok()
}

#[test]
fn the_blocks_cover_every_row_and_every_tile() {
    for case in cases() {
        for (launch, _) in case.launches() {
            let Grid::Blocks([x, y, z]) = launch.grid else {
                panic!("{} waits for no other block", launch.name);
            };
            let [x, y, z] = [x, y, z].map(u64::from);
            let warp = if case.device.1.starts_with("sm") {
                32
            } else {
                64
            };
            let warps = u64::from(launch.threads) / warp;
            match launch.unit.entry {
                "embed" | "rmsnorm" | "residual" | "residual_norm" => {
                    let per_block = if define(&launch, "NARROW") == Some(1) {
                        warps
                    } else {
                        1
                    };
                    let rows = value(&launch, "rows");
                    assert_eq!(x, rows.div_ceil(per_block), "{}", launch.name);
                }
                "softmax" => assert_eq!(x, value(&launch, "rows").div_ceil(warps)),
                "rope" => assert_eq!(x, value(&launch, "rows")),
                "silu" | "mul" | "silu_mul" => {
                    let n = value(&launch, "n");
                    let bytes = n * case.dtype.bytes();
                    assert!(x * u64::from(launch.threads) * 16 >= bytes);
                }
                "qk" | "pv" | "flash" => {
                    let queries = define(&launch, "QUERIES").unwrap();
                    let heads = value(&launch, "batch") * value(&launch, "heads");
                    let tiles = heads * value(&launch, "seq").div_ceil(queries);
                    assert_eq!(x, tiles, "{}", launch.name);
                    let keys = define(&launch, "KEYS").unwrap();
                    assert!(y <= value(&launch, "context").div_ceil(keys));
                }
                "flash_decode" => {
                    let sharing = value(&launch, "heads") / value(&launch, "kv_heads");
                    let groups = sharing.div_ceil(define(&launch, "GROUP").unwrap());
                    assert_eq!(x, value(&launch, "splits"));
                    assert_eq!(y, value(&launch, "kv_heads") * groups);
                    assert_eq!(z, value(&launch, "batch") * value(&launch, "seq"));
                }
                entry => panic!("{entry} is not of this family"),
            }
        }
    }
}

#[test]
fn launches_of_v1_of_the_workshop_in_fp32() {
    insta::assert_snapshot!(Case::of("workshop", Cut::v1(), Dtype::Fp32).text());
}

#[test]
fn launches_of_v2_with_norm_residual_of_medium_in_bf16() {
    let cut = Version::V2.cut().fuse(Fusion::NormResidual);
    insta::assert_snapshot!(Case::of("medium", cut, Dtype::Bf16).text());
}

#[test]
fn flash_attention_takes_the_matrix_units_that_there_are() {
    let unit = |dtype, device| {
        let mut case = Case::of("tinyllama-1.1b", Version::V3.cut(), dtype);
        case.device = device;
        let launches = case.launches();
        let flash = launches.iter().find(|(l, _)| l.unit.entry == "flash");
        let flash = &flash.unwrap().0.unit;
        let tiles = ["plain", "mma", "hopper", "mfma"];
        tiles.into_iter().find(|kind| {
            let file = format!("tile/attention_{kind}.cu");
            flash.files.contains(&file.as_str())
        })
    };
    let a100 = (108, "sm_80", 166_912);
    let b200 = (148, "sm_100", 232_448);
    let mi250 = (110, "gfx90a", 65_536);
    assert_eq!(unit(Dtype::Bf16, H200), Some("hopper"));
    assert_eq!(unit(Dtype::Bf16, a100), Some("mma"));
    assert_eq!(unit(Dtype::Bf16, b200), Some("mma"));
    let mi50 = (60, "gfx906", 65_536);
    assert_eq!(unit(Dtype::Bf16, mi250), Some("mfma"));
    assert_eq!(unit(Dtype::Bf16, mi50), Some("plain"));
    assert_eq!(unit(Dtype::Fp32, mi250), Some("plain"));
    assert_eq!(unit(Dtype::Fp32, H200), Some("plain"));
}

#[test]
fn launches_of_v3_of_a_decode_step_in_bf16() {
    let mut case = Case::of("tinyllama-1.1b", Version::V3.cut(), Dtype::Bf16);
    case.shape = decode(1, 512);
    insta::assert_snapshot!(case.text());
}

//! What one launch is for a block or a forward: which kernel, its addresses, its tiles.

mod hopper;
mod portable;

use crate::gpu::lower::{Setup, lower};
use crate::gpu::program::{Arg, BufferId, Contents, Grid, Launch, Program, Step, Target};
use plan::cost::{Config, Vendor};
use plan::fusion::{Plan, Version};
use plan::model::{Dtype, Graph, Shape, WeightKind};
use plan::run::Gemm;

fn target(arch: &str, sms: u32, shared_per_block: u32) -> Target {
    Target {
        vendor: Vendor::Nvidia,
        arch: arch.to_owned(),
        warp: 32,
        sms,
        shared_per_block,
    }
}

fn program(preset: &str, version: Version, shape: Shape, target: &Target) -> Program {
    let mut config = Config::preset(preset, version.cut()).unwrap();
    config.dtype = Dtype::Bf16;
    config.shape = shape;
    let graph = Graph::of(&config.model, &shape).unwrap();
    let plan = Plan::new(&graph, version.cut(), config.keeps_kv());
    lower(&Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target,
        gemm: Gemm::Own,
        cap: shape.context,
        tuned: &[],
    })
    .unwrap()
}

fn launches(program: &Program) -> Vec<&Launch> {
    let own = program.steps.iter().filter_map(|step| match step {
        Step::Own(launch) => Some(launch),
        Step::Library(_) => None,
    });
    own.collect()
}

fn shape(batch: u64, seq: u64, context: u64) -> Shape {
    Shape {
        batch,
        seq,
        context,
    }
}

fn addresses(program: &Program, launch: &Launch) -> Vec<BufferId> {
    let Arg::Buffer(table) = launch.args[0] else {
        panic!("{:?}", launch.args[0]);
    };
    match &program.buffers[table.0 as usize].contents {
        Contents::Addresses(list) => list.iter().map(|(id, _)| *id).collect(),
        contents => panic!("{contents:?}"),
    }
}

#[test]
fn a_forward_is_one_launch_and_v4_one_per_block_and_three() {
    let h200 = target("sm_90a", 132, 232_448);
    for (shape, entry) in [
        (shape(1, 1, 512), "block_decode"),
        (shape(1, 512, 512), "block"),
    ] {
        let forward = program("tinyllama-1.1b", Version::Forward, shape, &h200);
        let [launch] = launches(&forward)[..] else {
            panic!("{} launches", forward.steps.len());
        };
        assert_eq!(launch.unit.entry, entry);
        assert!(launch.cooperative && matches!(launch.grid, Grid::Resident { .. }));
        assert_eq!(addresses(&forward, launch).len(), 22 * 11);
        let blocks = program("tinyllama-1.1b", Version::V4, shape, &h200);
        let entries: Vec<&str> = launches(&blocks).iter().map(|l| l.unit.entry).collect();
        assert_eq!(entries.len(), 22 + 3);
        assert_eq!(entries.iter().filter(|e| **e == entry).count(), 22);
    }
}

#[test]
fn addresses_are_those_of_layer_cu_in_its_order() {
    let a100 = target("sm_80", 108, 166_912);
    let program = program("workshop", Version::V4, shape(1, 1, 128), &a100);
    let launches = launches(&program);
    let second = launches
        .iter()
        .filter(|l| l.unit.entry == "block_decode")
        .nth(1);
    let names: Vec<&str> = addresses(&program, second.unwrap())
        .iter()
        .map(|id| program.buffers[id.0 as usize].name.as_str())
        .collect();
    // struct Layer of tile/layer.cu.
    let expected = [
        WeightKind::Norm1,
        WeightKind::Q,
        WeightKind::K,
        WeightKind::V,
        WeightKind::O,
        WeightKind::Norm2,
        WeightKind::Gate,
        WeightKind::Up,
        WeightKind::Down,
    ]
    .map(|kind| format!("{} of block 1", kind.name()));
    assert_eq!(names[..9], expected);
    assert_eq!(names[9..], ["keys of block 1", "values of block 1"]);
}

#[test]
fn what_the_decode_kernel_does_not_take_goes_to_the_other() {
    let h200 = target("sm_90a", 132, 232_448);
    let entry = |shape: Shape, target: &Target| {
        let program = program("tinyllama-1.1b", Version::Forward, shape, target);
        launches(&program)[0].unit.entry
    };
    assert_eq!(
        entry(shape(8, 1, 64), &target("sm_80", 108, 166_912)),
        "block_decode"
    );
    assert_eq!(entry(shape(9, 1, 64), &h200), "block");
    assert_eq!(entry(shape(1, 2, 64), &h200), "block");
    // No room for the activations of eight sequences.
    assert_eq!(
        entry(shape(8, 1, 64), &target("sm_86", 82, 65_536)),
        "block"
    );
}

/// An H200: multiprocessors, shared memory of a block.
const SMS: u64 = 132;

const SHARED: u64 = 232_448;

fn h200() -> Target {
    target("sm_90a", SMS as u32, SHARED as u32)
}

const TINYLLAMA: &str = "tinyllama-1.1b";

fn fp32(preset: &str, version: Version, shape: Shape, target: &Target) -> Vec<Launch> {
    let mut config = Config::preset(preset, version.cut()).unwrap();
    config.shape = shape;
    let graph = Graph::of(&config.model, &config.shape).unwrap();
    let plan = Plan::new(&graph, version.cut(), config.keeps_kv());
    let program = lower(&Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target,
        gemm: Gemm::Own,
        cap: shape.context,
        tuned: &[],
    })
    .unwrap();
    let blocks = launches(&program).into_iter().cloned();
    blocks.filter(|l| l.unit.entry == "block").collect()
}

use super::{Kind, Product, choose};
use crate::gpu::lower::{Setup, lower};
use crate::gpu::program::{Arg, Grid, Launch, Program, Step, Target};
use plan::cost::{Config, Vendor};
use plan::fusion::{Cut, Fusion, Plan, Version};
use plan::model::{Dtype, Graph, Shape};
use plan::run::Gemm;

fn h200() -> Target {
    Target {
        vendor: Vendor::Nvidia,
        arch: "sm_90a".to_owned(),
        warp: 32,
        sms: 132,
        shared_per_block: 232_448,
    }
}

fn program(preset: &str, cut: Cut, dtype: Dtype, shape: Shape, target: &Target) -> Option<Program> {
    let mut config = Config::preset(preset, cut).unwrap();
    config.dtype = dtype;
    config.shape = shape;
    let graph = Graph::of(&config.model, &shape).unwrap();
    let plan = Plan::new(&graph, cut, config.keeps_kv());
    lower(&Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target,
        gemm: Gemm::Own,
        cap: shape.context,
        tuned: &[],
    })
    .ok()
}

fn shape(batch: u64, seq: u64) -> Shape {
    Shape {
        batch,
        seq,
        context: seq,
    }
}

fn five() -> Cut {
    Version::Five.cut()
}

fn hopper_launches(program: &Program) -> Vec<&Launch> {
    let own = program.steps.iter().filter_map(|step| match step {
        Step::Own(launch) => Some(launch),
        Step::Library(_) => None,
    });
    own.filter(|l| l.unit.files.contains(&"tile/gemm_hopper.cu"))
        .collect()
}

fn defined(launch: &Launch, name: &str) -> Option<u64> {
    let defines = &launch.unit.defines;
    let (_, value) = defines.iter().find(|(n, _)| *n == name)?;
    value.parse().ok()
}

fn tile(rows: u64, n: u64, k: u64) -> (u64, u64, bool) {
    let product = Product {
        kind: Kind::Gemm,
        rows,
        weights: &[n],
        k,
    };
    let t = choose(&h200(), &product).unwrap();
    (t.m, t.n, t.turns)
}

#[test]
fn the_tile_is_one_that_was_among_the_quickest_on_the_h200() {
    // In microseconds, beside them the next best tile of another shape.
    assert_eq!(tile(512, 2048, 2048), (128, 64, false)); // 9.1 (128x80 9.4)
    assert_eq!(tile(512, 2560, 2048), (128, 80, false)); // 9.9 (128x96 10.7)
    assert_eq!(tile(512, 11264, 2048), (128, 176, true)); // 35.2 (128x192 37.8)
    assert_eq!(tile(512, 32000, 2048), (128, 128, true)); // 98.2 (128x256 99.4)
    assert_eq!(tile(8192, 8192, 1024), (128, 192, true)); // 185 (128x176 188)
    assert_eq!(tile(1024, 512, 2048), (64, 64, false)); // 7.7 (64x96 8.4)
}

#[test]
fn q_k_and_v_are_cut_across_their_boundaries_where_that_fills_the_device() {
    let product = |rows, weights, head| Product {
        kind: Kind::Qkv {
            norm: true,
            rope: Some(head),
        },
        rows,
        weights,
        k: 2048,
    };
    // 4 x 32 tiles of 128 x 80 on 132 multiprocessors.
    let prefill = product(512, &[2048, 256, 256], 64);
    let t = choose(&h200(), &prefill).unwrap();
    assert_eq!((t.m, t.n, t.scatter), (128, 80, true));
    assert_eq!(t.tiles(&prefill), 128);
    assert_eq!(t.box_rows(prefill.kind), 8);
    // A tile that is a stretch of one weight holds whole heads.
    for head in [32, 64, 128] {
        let many = product(8192, &[1024, 512, 512], head);
        let t = choose(&h200(), &many).unwrap();
        assert!(t.scatter || t.n.is_multiple_of(head), "{t:?}");
    }
}

#[test]
fn operands_become_tensor_maps_and_the_other_arguments_stay() {
    let (shape, target) = (shape(1, 512), h200());
    let with = program("tinyllama-1.1b", five(), Dtype::Bf16, shape, &target).unwrap();
    let launches = hopper_launches(&with);
    // Five per block but for attention, and the head.
    assert_eq!(launches.len(), 22 * 4 + 1);
    for launch in launches {
        for arg in &launch.args {
            let Arg::Map(map) = arg else { continue };
            let spec = &with.buffers[map.buffer.0 as usize];
            assert!(
                map.offset + map.rows * map.stride <= spec.bytes,
                "{}",
                spec.name
            );
            assert_eq!((map.stride, map.box_columns), (map.columns * 2, 64));
            assert!(map.box_rows <= 256 && map.box_rows % 8 == 0);
        }
        assert!(launch.overlap && !launch.cooperative);
        let Grid::Blocks([blocks, 1, 1]) = launch.grid else {
            panic!("{:?}", launch.grid);
        };
        assert!((1..=target.sms).contains(&blocks));
    }
}

#[test]
fn shared_memory_and_threads_are_those_of_the_source() {
    let program = program("medium", five(), Dtype::Bf16, shape(16, 512), &h200()).unwrap();
    for launch in hopper_launches(&program) {
        let of = |name| defined(launch, name).unwrap();
        // HOPPER_SHARED and HOPPER_THREADS of tile/gemm_hopper.cu.
        let bytes = 1024 + of("STAGES") * ((of("TILE_M") + of("TILE_N")) * 128 + 16);
        assert_eq!(u64::from(launch.shared), bytes);
        assert!(bytes + 512 <= u64::from(h200().shared_per_block));
        let groups = of("GROUPS");
        let producer = if groups == 2 { 128 } else { 32 };
        assert_eq!(u64::from(launch.threads), groups * 128 + producer);
    }
}

#[test]
fn sums_of_squares_have_a_slot_per_column_tile() {
    let program = program(
        "tinyllama-1.1b",
        five(),
        Dtype::Bf16,
        shape(1, 512),
        &h200(),
    )
    .unwrap();
    let launches = hopper_launches(&program);
    let residual = launches.iter().find(|l| l.unit.entry == "gemm_residual");
    let slots = 2048_u64.div_ceil(defined(residual.unwrap(), "TILE_N").unwrap());
    let sums = program
        .buffers
        .iter()
        .find(|b| b.name == "sums of squares of h");
    assert_eq!(sums.unwrap().bytes, 512 * slots * 4);
    let reader = launches.iter().find(|l| l.unit.entry == "gate_up").unwrap();
    assert!(reader.args.contains(&Arg::I32(slots as i32)));
}

#[test]
fn other_devices_fp32_few_rows_and_odd_rows_keep_the_portable_kernels() {
    let mut a100 = h200();
    a100.arch = "sm_80".to_owned();
    let v1 = Cut::v1();
    let small = shape(8, 128);
    let none = |p: &Option<Program>| hopper_launches(p.as_ref().unwrap()).is_empty();
    assert!(none(&program("small", v1, Dtype::Bf16, small, &a100)));
    assert!(none(&program("small", v1, Dtype::Fp32, small, &h200())));
    assert!(none(&program(
        "small",
        v1,
        Dtype::Bf16,
        shape(2, 16),
        &h200()
    )));
    assert!(!none(&program("small", v1, Dtype::Bf16, small, &h200())));
}

#[test]
fn every_fusion_that_is_promised_has_a_tile() {
    for preset in ["workshop", "small", "medium", "part-c", "tinyllama-1.1b"] {
        for fusion in Fusion::ALL {
            let cut = Cut::v1().fuse(fusion);
            let config = Config::preset(preset, cut).unwrap();
            // The block kernel is lowered elsewhere, and not for every shape.
            let Some(program) = program(preset, cut, Dtype::Bf16, config.shape, &h200()) else {
                assert!(matches!(fusion, Fusion::Block | Fusion::Forward));
                continue;
            };
            for launch in hopper_launches(&program) {
                assert!(defined(launch, "STAGES").unwrap() >= 2, "{}", launch.name);
            }
        }
    }
}

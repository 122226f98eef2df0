use crate::gpu::lower::{Lowering, Setup};
use crate::gpu::program::{Arg, Grid, Launch, LibraryGemm, Step, Target};
use plan::cost::{Config, Vendor};
use plan::fusion::{Cut, Plan, Version};
use plan::model::{Dtype, Graph, Shape, TensorKind};
use plan::run::Gemm;

fn target() -> Target {
    Target {
        vendor: Vendor::Nvidia,
        arch: "sm_80".to_owned(),
        warp: 32,
        sms: 108,
        shared_per_block: 166_912,
    }
}

/// The products of a plan, lowered.
fn products(preset: &str, cut: Cut, dtype: Dtype, shape: Shape, gemm: Gemm) -> Vec<Step> {
    let mut config = Config::preset(preset, cut).unwrap();
    config.dtype = dtype;
    config.shape = shape;
    let graph = Graph::of(&config.model, &shape).unwrap();
    let plan = Plan::new(&graph, cut, config.keeps_kv());
    let target = target();
    let setup = Setup {
        config: &config,
        graph: &graph,
        plan: &plan,
        target: &target,
        gemm,
        cap: shape.context,
        tuned: &[],
    };
    let mut lowering = Lowering::new(&setup);
    let steps = (0..plan.kernels.len()).filter_map(|i| lowering.step(i).ok());
    steps
        .filter(|step| match step {
            Step::Own(launch) => launch.unit.files.contains(&"tile/epilogue.cu"),
            Step::Library(_) => true,
        })
        .collect()
}

fn launches(preset: &str, cut: Cut, dtype: Dtype, shape: Shape) -> Vec<Launch> {
    let steps = products(preset, cut, dtype, shape, Gemm::Own);
    let own = steps.into_iter().filter_map(|step| match step {
        Step::Own(launch) => Some(launch),
        Step::Library(_) => None,
    });
    own.collect()
}

#[test]
fn values_go_to_the_cache_and_keys_once_they_are_turned() {
    let decode = Shape {
        batch: 2,
        seq: 1,
        context: 40,
    };
    let rows_of = |launch: &Launch, kind: TensorKind, graph: &Graph| {
        let found = launch.written.iter();
        let mut found = found.filter(|w| graph.tensor_at(w.tensor).kind == kind);
        found.next().map(|w| (w.seq, w.cap, w.past))
    };
    let graph = Graph::of_layers(4, true);
    let v1 = launches("workshop", Cut::v1(), Dtype::Bf16, decode);
    let named = |suffix: &str| v1.iter().find(|l| l.name == suffix).unwrap();
    assert_eq!(
        named("block 1: v").args[6..],
        [Arg::I32(1), Arg::I32(40), Arg::I32(39)]
    );
    assert_eq!(
        rows_of(named("block 1: v"), TensorKind::V, &graph),
        Some((1, 40, 39))
    );
    assert_eq!(
        named("block 1: k").args[6..],
        [Arg::I32(2), Arg::I32(2), Arg::I32(0)]
    );
}

#[test]
fn a_fused_norm_takes_as_many_sums_as_its_producer_gives() {
    let shape = Shape::prefill(2, 48);
    for dtype in [Dtype::Bf16, Dtype::Fp32] {
        let cut = Version::Five.cut();
        let all = launches("workshop", cut, dtype, shape);
        let gate = all.iter().find(|l| l.name.starts_with("block 0: norm2"));
        let o = all.iter().find(|l| l.name.starts_with("block 0: o+"));
        let (gate, o) = (gate.unwrap(), o.unwrap());
        let tile_n: u32 = defined(o, "TILE_N");
        let slots = 256_u32.div_ceil(tile_n);
        assert_eq!(gate.args[5], o.args[4], "the same buffer");
        assert_eq!(gate.args[6], Arg::I32(slots as i32));
    }
}

fn defined(launch: &Launch, name: &str) -> u32 {
    let mut all = launch.unit.defines.iter();
    let (_, value) = all.find(|(n, _)| *n == name).unwrap();
    value.parse().unwrap()
}

#[test]
fn the_grid_covers_the_result() {
    for dtype in [Dtype::Bf16, Dtype::Fp32] {
        for launch in launches("workshop", Cut::v1(), dtype, Shape::prefill(3, 50)) {
            let [Arg::I32(m), Arg::I32(n), _] = launch.args[3..6] else {
                panic!("{:?}", launch.args);
            };
            let rows = (m as u32).div_ceil(defined(&launch, "TILE_M"));
            let columns = (n as u32).div_ceil(defined(&launch, "TILE_N"));
            let grid = Grid::Blocks([rows * columns, 1, 1]);
            assert_eq!(launch.grid, grid, "{}", launch.name);
        }
    }
}

#[test]
fn a_library_writes_where_rows_follow_one_another() {
    let batch_of_one = Shape {
        batch: 1,
        seq: 4,
        context: 40,
    };
    let steps = |shape| products("workshop", Cut::v1(), Dtype::Bf16, shape, Gemm::Library);
    let value = |steps: &[Step]| -> Option<LibraryGemm> {
        steps.iter().find_map(|step| match step {
            Step::Library(gemm) if gemm.name == "block 0: v" => Some(gemm.clone()),
            _ => None,
        })
    };
    let gemm = value(&steps(batch_of_one)).unwrap();
    assert_eq!((gemm.m, gemm.n, gemm.k), (4, 128, 256));
    assert_eq!(gemm.c.1, 36 * 128 * 2);
    // Two sequences in one cache: their rows lie apart.
    let two = Shape {
        batch: 2,
        ..batch_of_one
    };
    assert!(value(&steps(two)).is_none());
}

//! Lowering without a GPU: every promised plan at several shapes, held against
//! the plan and against the device's limits. What single launches look like is
//! in the snapshots beside each family.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::gpu::program::Grid;
use crate::gpu::source::kernel_source;
use crate::gpu::units::devices;
use crate::selftest::{Extent, cases};
use plan::fusion::Cut;
use plan::kernels::KERNELS;

/// Threads that a block may have on every GPU.
const MAX_THREADS: u32 = 1024;

/// One device for each way of multiplying, of both vendors.
const ARCHS: [&str; 8] = [
    "sm_75", "sm_80", "sm_90a", "sm_100", "gfx906", "gfx90a", "gfx942", "gfx1100",
];

/// Every case of the self-test, and the versions of the presets, on every device:
/// config, graph, plan, program.
fn each(mut look: impl FnMut(&str, &Config, &Graph, &Plan, &Target, &Program)) {
    let targets: Vec<Target> = ARCHS
        .iter()
        .filter_map(|arch| devices(arch).into_iter().next())
        .collect();
    let presets = cases(Extent::Presets).into_iter().map(|mut case| {
        case.config.model.layers = 2;
        case
    });
    for case in cases(Extent::Full).into_iter().chain(presets) {
        let config = &case.config;
        let graph = Graph::of(&config.model, &config.shape).unwrap();
        let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
        for target in &targets {
            let title = format!("{} on {}", case.title(), target.arch);
            let program = lower(&Setup {
                config,
                graph: &graph,
                plan: &plan,
                target,
                gemm: Gemm::Own,
                cap: config.shape.context,
                tuned: &[],
            })
            .unwrap_or_else(|lacks| panic!("{title}: {lacks}"));
            look(&title, config, &graph, &plan, target, &program);
        }
    }
}

#[test]
fn a_program_is_its_plan_launch_by_launch() {
    each(|title, config, graph, plan, _, program| {
        assert_eq!(program.steps.len(), plan.launches(), "{title}");
        for (step, kernel) in program.steps.iter().zip(&plan.kernels) {
            let written: Vec<TensorId> = step.written().iter().map(|w| w.tensor).collect();
            assert_eq!(written, kernel.writes, "{title}: {}", step.name());
            for w in step.written() {
                let kind = graph.tensor_at(w.tensor).kind;
                let elements = kind.elements().value(&config.sizes().unwrap()).unwrap();
                assert_eq!(w.rows * w.width, elements, "{title}: {}", step.name());
                // The last row lies inside of the buffer.
                let last = w.rows - 1;
                let row = last / w.seq * w.cap + w.past + last % w.seq;
                let buffer = &program.buffers[w.buffer.0 as usize];
                let end = (row + 1) * w.width * config.dtype.bytes();
                assert!(
                    end <= buffer.bytes,
                    "{title}: {} in {}",
                    step.name(),
                    buffer.name
                );
            }
        }
        let logits = program.steps.iter().flat_map(Step::written).last().unwrap();
        assert_eq!(logits.buffer, program.logits, "{title}");
    });
}

#[test]
fn launches_are_within_the_devices_limits_and_name_what_is_there() {
    each(|title, _, _, _, target, program| {
        for step in &program.steps {
            let Step::Own(launch) = step else {
                panic!("{title}: a library was not asked for");
            };
            let name = format!("{title}: {}", launch.name);
            assert!(
                launch.unit.source().is_some(),
                "{name}: {:?}",
                launch.unit.files
            );
            assert!((1..=MAX_THREADS).contains(&launch.threads), "{name}");
            assert_eq!(launch.threads % target.warp, 0, "{name}");
            assert!(
                launch.shared <= target.shared_per_block,
                "{name}: {}",
                launch.shared
            );
            match launch.grid {
                Grid::Blocks([x, y, z]) => {
                    assert!(x > 0 && y > 0 && z > 0 && x < 1 << 31, "{name}");
                    assert!(y <= 65_535 && z <= 65_535, "{name}");
                }
                Grid::Resident { per_sm } => assert!(per_sm > 0 && launch.cooperative, "{name}"),
            }
            for arg in &launch.args {
                let buffer = match arg {
                    Arg::Buffer(id) | Arg::At(id, _) => Some(*id),
                    Arg::Map(map) => {
                        assert_eq!((map.stride % 16, map.offset % 16), (0, 0), "{name}");
                        assert!(map.box_rows <= 256, "{name}");
                        Some(map.buffer)
                    }
                    _ => None,
                };
                if let Some(id) = buffer {
                    assert!((id.0 as usize) < program.buffers.len(), "{name}");
                }
            }
        }
    });
}

#[test]
fn a_library_takes_every_product_that_stands_alone() {
    let cases = cases(Extent::Quick);
    let case = cases.iter().find(|c| c.plan == "v1").unwrap();
    let config = &case.config;
    let graph = Graph::of(&config.model, &config.shape).unwrap();
    let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
    let target = devices("sm_90a").remove(0);
    let program = lower(&Setup {
        config,
        graph: &graph,
        plan: &plan,
        target: &target,
        gemm: Gemm::Library,
        cap: config.shape.context,
        tuned: &[],
    })
    .unwrap();
    let library = program
        .steps
        .iter()
        .filter(|s| matches!(s, Step::Library(_)));
    // q k v o gate up down of two blocks, and the head.
    assert_eq!(library.count(), 2 * 7 + 1);
}

/// The parameters of an entry point, from its source.
pub(super) fn parameters(entry: &str, file: &str) -> Vec<String> {
    let source = kernel_source(file).unwrap_or_else(|| panic!("kernels/{file} is not there"));
    let code: Vec<&str> = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join(" ");
    let (_, list) = code
        .split("KERNEL ")
        .skip(1)
        .find_map(|kernel| {
            let head = kernel.split('{').next()?;
            let at = head.find(&format!(" {entry}(")).or_else(|| {
                // A macro that stands for `KERNEL void` and its bounds.
                head.starts_with(&format!("{entry}(")).then_some(0)
            })?;
            head.get(at..)?.split_once('(')
        })
        .unwrap_or_else(|| panic!("kernels/{file} has no entry {entry}"));
    let list = list.split(')').next().unwrap_or_default();
    list.split(',').map(|p| p.trim().to_owned()).collect()
}

fn takes(parameter: &str, arg: &Arg) -> bool {
    let pointer = parameter.contains('*');
    match arg {
        Arg::Buffer(_) | Arg::At(..) | Arg::Null => pointer,
        Arg::I32(_) => !pointer && parameter.starts_with("int "),
        Arg::U32(_) => {
            !pointer
                && ["int ", "unsigned "]
                    .iter()
                    .any(|t| parameter.starts_with(t))
        }
        Arg::I64(_) => !pointer && parameter.starts_with("long "),
        Arg::F32(_) => !pointer && parameter.starts_with("float "),
        Arg::Map(_) => parameter.starts_with("const __grid_constant__ TensorMap "),
    }
}

#[test]
fn what_is_launched_is_in_the_table_of_kernels_with_the_parameters_of_its_source() {
    let mut launched = HashSet::new();
    let mut known: HashMap<&str, Vec<String>> = HashMap::new();
    each(|title, _, graph, plan, _, program| {
        for (step, kernel) in program.steps.iter().zip(&plan.kernels) {
            let Step::Own(launch) = step else { continue };
            let (entry, file) = (launch.unit.entry, launch.unit.files.last().unwrap());
            let name = format!("{title}: {}", launch.name);
            let ops: Vec<OpKind> = kernel.op_kinds(graph).collect();
            assert_eq!(Family::of_entry(entry), Family::of_ops(&ops), "{name}");
            launched.insert((entry, *file));
            let parameters = known.entry(file).or_insert_with(|| parameters(entry, file));
            assert_eq!(launch.args.len(), parameters.len(), "{name}");
            for (arg, parameter) in launch.args.iter().zip(&*parameters) {
                assert!(takes(parameter, arg), "{name}: {arg:?} for {parameter}");
            }
        }
    });
    for row in &KERNELS {
        for entry in row.entries {
            parameters(entry.name, entry.file);
            assert_eq!(
                launched.remove(&(entry.name, entry.file)),
                entry.variant != Variant::Read,
                "{}",
                entry.file
            );
        }
    }
    assert_eq!(launched, HashSet::new());
}

#[test]
fn a_product_in_tiles_starts_early_behind_another_one_only() {
    let early = |shape: Shape| -> Vec<String> {
        let mut config = Config::preset("workshop", Cut::v1()).unwrap();
        config.shape = shape;
        config.model.layers = 1;
        let graph = Graph::of(&config.model, &shape).unwrap();
        let plan = Plan::new(&graph, config.cut, config.keeps_kv());
        let program = lower(&Setup {
            config: &config,
            graph: &graph,
            plan: &plan,
            target: &devices("sm_90a")[0],
            gemm: Gemm::Own,
            cap: shape.context,
            tuned: &[],
        })
        .unwrap();
        let launches = program.steps.iter().filter_map(|step| match step {
            Step::Own(launch) if launch.overlap => Some(launch.name.replace("block 0: ", "")),
            _ => None,
        });
        launches.collect()
    };
    // Behind a norm, attention or mul stand q, o, gate, down and the head.
    let prefill = early(Shape {
        batch: 1,
        seq: 128,
        context: 128,
    });
    let rows = [
        "embed",
        "norm1",
        "k",
        "v",
        "rope",
        "qk",
        "softmax",
        "pv",
        "res1",
        "norm2",
        "up",
        "silu",
        "mul",
        "res2",
        "final_norm",
    ];
    assert_eq!(prefill, rows);
    // Products with a vector wait for memory, not for a place: all start early.
    let decode = early(Shape {
        batch: 1,
        seq: 1,
        context: 128,
    });
    assert_eq!(decode.len(), 20);
}

//! Lowering without a GPU: every promised plan at several shapes, held against
//! the plan and against the device's limits. What single launches look like is
//! in the snapshots beside each family.

use super::*;
use crate::gpu::program::Grid;
use crate::gpu::units::devices;
use crate::selftest::{Extent, cases};

/// Threads that a block may have on every GPU.
const MAX_THREADS: u32 = 1024;

/// Every case of the self-test on every device: config, graph, plan, program.
fn each(mut look: impl FnMut(&str, &Config, &Graph, &Plan, &Target, &Program)) {
    let targets: Vec<Target> = ["sm_75", "sm_80", "sm_90a", "sm_100"]
        .iter()
        .filter_map(|arch| devices(arch).into_iter().next())
        .collect();
    for case in cases(Extent::Full) {
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
    })
    .unwrap();
    let library = program
        .steps
        .iter()
        .filter(|s| matches!(s, Step::Library(_)));
    // q k v o gate up down of two blocks, and the head.
    assert_eq!(library.count(), 2 * 7 + 1);
}

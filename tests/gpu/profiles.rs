//! The profile readers know what the backends launch.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use tinyllama_tutor::backend::gpu::units::devices;
use tinyllama_tutor::backend::gpu::{Setup, Step, lower};
use tinyllama_tutor::backend::selftest::{Extent, cases};
use tinyllama_tutor::fusion::Plan;
use tinyllama_tutor::model::Graph;
use tinyllama_tutor::profile::{family, family_of};
use tinyllama_tutor::run::Gemm;

#[test]
fn the_backends_launch_what_is_known_here() {
    let target = devices("sm_80").remove(0);
    let hopper = devices("sm_90a").remove(0);
    let mut seen = 0;
    for case in cases(Extent::Full) {
        let config = &case.config;
        let graph = Graph::of(&config.model, &config.shape).unwrap();
        let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
        for target in [&target, &hopper] {
            let program = lower(&Setup {
                config,
                graph: &graph,
                plan: &plan,
                target,
                gemm: Gemm::Own,
                cap: config.shape.context,
            })
            .unwrap();
            for (step, kernel) in program.steps.iter().zip(&plan.kernels) {
                let Step::Own(launch) = step else { continue };
                let ops: Vec<_> = kernel.op_kinds(&graph).collect();
                assert_eq!(
                    family(launch.unit.entry),
                    family_of(&ops),
                    "{} of {}",
                    launch.unit.entry,
                    kernel.name(&graph)
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

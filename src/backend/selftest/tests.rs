//! The self-test on a device for tests, which has no kernel of whole blocks.

use super::*;
use crate::gpu::devices::Device;
use crate::gpu::exec::fake::{Fake, Fault as Wrong};
use plan::fusion::Fusion;
use plan::run::{Progress, Unwatched};

/// The quick cases that the fake has kernels for, on the smaller model.
fn few() -> Vec<Case> {
    let has = |case: &Case| {
        !matches!(case.plan.as_str(), "v4" | "forward") && case.config.model.hidden == 128
    };
    cases(Extent::Quick).into_iter().filter(has).collect()
}

fn tested(wrong: Wrong, cases: &[Case]) -> (Result<SelfTest, RunError>, Vec<String>) {
    let mut fake = Fake::new("sm_80");
    fake.fault = wrong;
    let mut gpu = Device::of(fake);
    let mut announced = Vec::new();
    let options = Options {
        backend: BackendKind::Cuda,
        extent: Extent::Quick,
        seed: 5,
        observer: &Unwatched,
        told: &mut |_, total, what| announced.push(format!("{what} of {total}")),
    };
    (run(&mut gpu, cases, options), announced)
}

#[test]
fn right_kernels_pass_and_planted_defects_are_caught() {
    let cases = few();
    let (test, announced) = tested(Wrong::None, &cases);
    let test = test.unwrap();
    assert!(test.pass, "{test:#?}");
    assert_eq!(announced.len(), cases.len() + PLANTED.len());
    assert_eq!(test.planted.len(), 2);
    for row in &test.planted {
        assert!(row.caught, "{row:?}");
    }
    // Four plans in two dtypes, on one model.
    assert_eq!(test.plans.len(), 8);
    assert!(
        test.plans
            .iter()
            .all(|p| p.forwards == 1 && p.worst > 0.0 && p.worst <= 1.0)
    );
    let entry = |name: &str| test.kernels.iter().find(|k| k.entry == name).unwrap();
    // V1 and V2 have two norms per block and one at the end; V3 has the first
    // alone, five the last: in two dtypes.
    assert_eq!(entry("rmsnorm").launches, 2 * (5 + 5 + 1 + 1));
    assert!(entry("gemm").variants.len() > 1);
    assert_eq!(entry("embed").worst, 0.0);
}

#[test]
fn a_wrong_kernel_is_named_with_the_forward_that_shows_it() {
    let cases = few();
    let (test, _) = tested(Wrong::Short("silu"), &cases);
    let test = test.unwrap();
    assert!(!test.pass);
    let wrong: Vec<&str> = test
        .kernels
        .iter()
        .filter(|k| !k.pass)
        .map(|k| k.entry.as_str())
        .collect();
    assert_eq!(wrong, ["silu"]);
    let row = test.plans.iter().find(|p| !p.pass).unwrap();
    assert_eq!(row.plan, "v1");
    let why = row.wrong.as_ref().unwrap();
    assert!(
        why.contains("block 0: sg is the first wrong tensor"),
        "{why}"
    );
}

#[test]
fn a_set_without_its_kernel_is_not_passed_and_a_lost_device_ends_the_test() {
    let mut cases = few();
    cases.truncate(2);
    if let Some(case) = cases.first_mut() {
        // rope and qk in one: there is no such kernel.
        case.config.cut = plan::fusion::Cut::parse_groups(
            "norm1|q|k|v|rope qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2",
        )
        .unwrap();
    }
    let test = tested(Wrong::None, &cases).0.unwrap();
    assert!(!test.pass, "what was not run is not passed");
    let row = &test.plans[0];
    assert_eq!((row.pass, row.forwards, &row.wrong), (true, 0, &None));
    let lacking = row.lacking.as_ref().unwrap();
    assert!(lacking.contains("rope+qk"), "{lacking}");

    let e = tested(Wrong::Lost("qkv"), &few()).0.unwrap_err();
    assert!(
        e.to_string()
            .starts_with("v2 fp32, heads of 32, prefill: block 1"),
        "{e}"
    );
}

#[test]
fn a_test_stops_when_it_is_told_to() {
    struct Stop;
    impl Observer for Stop {
        fn progress(&self, _: Progress) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let mut gpu = Device::of(Fake::new("sm_80"));
    let options = Options {
        backend: BackendKind::Cuda,
        extent: Extent::Quick,
        seed: 5,
        observer: &Stop,
        told: &mut |_, _, _| {},
    };
    let e = run(&mut gpu, &few(), options).unwrap_err();
    assert_eq!(e.kind, RunErrorKind::Cancelled);
}

#[test]
fn the_full_extent_has_every_promised_set_on_every_corner() {
    let all = cases(Extent::Full);
    let plans: std::collections::BTreeSet<&str> = all.iter().map(|c| c.plan.as_str()).collect();
    // Eight versions, the fusions alone but for the two that are versions, and the two
    // combinations.
    assert_eq!(plans.len(), 8 + (Fusion::ALL.len() - 2) + 2);
    assert_eq!(all.len(), plans.len() * 9 * 2);
    for case in &all {
        plan::model::Graph::of(&case.config.model, &case.config.shape).unwrap();
        crate::reference::affordable(&case.config.model, &case.config.shape).unwrap();
    }
}

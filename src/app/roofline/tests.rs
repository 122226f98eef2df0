use super::*;
use crate::State;
use crate::key::{Code, Key, ch, key};
use crate::look::Look;
use crate::machine::{BackendFacts, Condition};
use crate::runs::tests::report;
use crate::{Effect, Event, Message, update};
use plan::cost::Bound;
use plan::model::Dtype;
use plan::run::{Axis, Report, SpanReport, TraceReport};
use std::sync::Arc;

use plan::cost::GpuDatabase;

/// The machine of the screens: benches/gpu/h200.md has copy 4286 GB/s and fp32
/// 51 TFLOP/s for an H200.
fn page() -> State {
    let mut state = State::new((80, 24), Look::default()).unwrap();
    state.shared.study.gpus = Some(Arc::new(GpuDatabase::embedded().unwrap()));
    let own = Ceilings {
        spread: None,
        of: "H200".into(),
        source: Source::Measured,
        bandwidth: 4286e9,
        fp32: 51e12,
        matrix16: Some(735e12),
        launch: None,
    };
    state.shared.machine.backends = vec![BackendFacts {
        name: "cpu".into(),
        condition: Condition::Ready,
        ceilings: Some(own.clone()),
        ..BackendFacts::default()
    }];
    state.shared.machine.ceilings = Some(own);
    press(&mut state, ch('5'));
    state
}

fn press(state: &mut State, pressed: Key) -> Vec<Effect> {
    let message = Message::Key(pressed);
    update(state, Event { at: 0, message })
}

fn named(state: &State, letter: char) -> Vec<&'static str> {
    let kernels = &state.shared.bench.cost().block.kernels;
    let spots = state.roofline.view().spots.iter();
    spots
        .filter(|s| s.letter == letter)
        .flat_map(|s| kernels[s.kernel].ops.clone())
        .collect()
}

#[test]
fn kernels_of_one_intensity_share_a_letter() {
    let state = page();
    let view = state.roofline.view();
    // By hand, workshop B1: a residual add does BSD FLOPs on 3·BSD elements of
    // 4 bytes, 1/12; q does 2·BSD² on (2·BSD + D²)·4 bytes, 32 FLOP/B.
    assert_eq!(view.spots[0].printed(), "0.083");
    assert_eq!(named(&state, 'a'), ["res1", "mul", "res2"]);
    let q = view.spots.iter().find(|s| s.op == OpKind::Q).unwrap();
    assert_eq!(q.printed(), "32.000");
    assert_eq!(named(&state, q.letter), ["q", "o"]);
    assert_eq!(view.spots.len(), 17);
}

#[test]
fn ridge_and_sides_of_the_measured_roof() {
    let state = page();
    let view = state.roofline.view();
    let roof = view.roofs.roof.as_ref().unwrap();
    // Ridge 51 TFLOP/s / 4286 GB/s = 11.90 of the measured H200, 10 of 17 memory-bound.
    let parts = Roofs::parts(roof, Dtype::Fp32);
    assert_eq!(parts.len(), 1, "one roof in fp32");
    assert_eq!(format!("{:.2}", parts[0].1.ridge()), "11.90");
    assert_eq!(view.memory_bound(roof, Dtype::Fp32), 10);
    for spot in &view.spots {
        let side = spot.under(roof, Dtype::Fp32).unwrap();
        let longer = side.flop_seconds.max(side.byte_seconds);
        assert!((side.floor - longer).abs() <= f64::EPSILON * longer);
        assert_eq!(
            side.bound == Bound::Memory,
            spot.intensity < parts[0].1.ridge()
        );
        assert!(side.rate <= roof.fp32);
    }
    // The blocks of V1 to V4, docs/cost-model.md.
    let blocks: Vec<String> = view.blocks.iter().map(|b| format!("{b:.4}")).collect();
    assert_eq!(blocks, ["16.9982", "24.3726", "30.0386", "64.5561"]);
}

#[test]
fn sixteen_bits_have_two_roofs() {
    let mut state = page();
    let mut setup = state.shared.bench.setup().clone();
    setup.dtype = Dtype::Bf16;
    state.shared.bench.set_up(setup).unwrap();
    press(&mut state, ch('d'));
    let roof = state.roofline.view().roofs.roof.clone().unwrap();
    // tests/course/costs.rs: the ridges of the H200's data sheet, 206.12 and 13.94.
    let ridges: Vec<String> = Roofs::parts(&roof, Dtype::Bf16)
        .iter()
        .map(|(_, r)| format!("{:.2}", r.ridge()))
        .collect();
    assert_eq!(ridges, ["206.12", "13.94"]);
}

#[test]
fn a_roof_that_was_measured_is_shown_where_the_data_sheet_stood() {
    let mut state = page();
    press(&mut state, ch('d'));
    let source = |state: &State| state.roofline.view().roofs.roof.as_ref().map(|r| r.source);
    assert_eq!(source(&state), Some(Source::DataSheet));
    let own = Ceilings::measured("H200", 4000e9, 50e12);
    let message = Message::Ceilings("cpu".into(), Ok(own));
    update(&mut state, Event { at: 1, message });
    assert_eq!(source(&state), Some(Source::Measured));
}

#[test]
fn arrows_walk_along_the_roof_and_the_lab_follows() {
    let mut state = page();
    assert_eq!(state.shared.slot, 0, "norm1");
    press(&mut state, key(Code::Home));
    assert_eq!(state.roofline.view().here, 0);
    assert_eq!(SLOTS[state.shared.slot].op, OpKind::Res1);
    press(&mut state, key(Code::Right));
    assert_eq!(
        SLOTS[state.shared.slot].op,
        OpKind::Mul,
        "of one letter, in the plan's order"
    );
    press(&mut state, key(Code::End));
    press(&mut state, key(Code::Right));
    assert_eq!(state.roofline.view().here, 16);
    let op = state.roofline.view().spot().unwrap().op;
    press(&mut state, key(Code::Enter));
    assert_eq!(state.page, Page::Kernel);
    press(&mut state, key(Code::Esc));
    assert_eq!(state.page, Page::Roofline);
    assert_eq!(state.roofline.view().spot().unwrap().op, op);
}

#[test]
fn the_kernel_under_the_cursor_stays_when_the_version_changes() {
    let mut state = page();
    for c in "/softmax".chars() {
        press(&mut state, ch(c));
    }
    press(&mut state, key(Code::Enter));
    assert_eq!(state.roofline.view().spot().unwrap().op, OpKind::Softmax);
    press(&mut state, ch('v'));
    let here = state.roofline.view().spot().unwrap();
    let kernel = &state.shared.bench.cost().block.kernels[here.kernel];
    assert!(kernel.ops.contains(&"softmax"), "{:?}", kernel.ops);
    press(&mut state, ch('='));
    assert_eq!(state.page, Page::Why);
}

#[test]
fn w_walks_the_database_both_ways_and_out_of_it() {
    let mut state = page();
    let gpus = state.shared.study.gpus.clone().unwrap();
    let of = |state: &State| state.roofline.view().roofs.what_if.clone().map(|c| c.of);
    // A GPU of today first, then all the others, round at the end of the list.
    let first = gpus.all().iter().position(|g| g.id == "mi300x").unwrap();
    let (before, behind) = gpus.all().split_at(first);
    for gpu in behind.iter().chain(before) {
        press(&mut state, ch('w'));
        assert_eq!(of(&state), Some(gpu.short.clone()));
    }
    press(&mut state, ch('w'));
    assert_eq!(of(&state), None);
    press(&mut state, ch('W'));
    assert_eq!(of(&state), before.last().map(|g| g.short.clone()));
    while of(&state).as_deref() != Some("MI300X") {
        press(&mut state, ch('W'));
    }
    // lessons/03: k and v lie below the ridge of an MI300X, too.
    let changed: Vec<OpKind> = state
        .roofline
        .view()
        .changed(Dtype::Fp32)
        .iter()
        .map(|s| s.op)
        .collect();
    assert_eq!(changed, [OpKind::K, OpKind::V]);
    let copied = press(&mut state, ch('y'))
        .into_iter()
        .find_map(|e| match e {
            Effect::Copy(text) => Some(text),
            _ => None,
        });
    // The page is judged by the roof that is drawn; the dotted one stands beside it.
    let copied = copied.unwrap();
    assert!(!copied.contains("--gpu"), "{copied}");
}

#[test]
fn without_a_device_the_roof_is_a_data_sheet_and_no_time_is_held_against_it() {
    let mut state = page();
    state.shared.machine = Machine {
        sheet: None,
        ..Machine::default()
    };
    press(&mut state, ch('r'));
    let roofs = &state.roofline.view().roofs;
    let roof = roofs.roof.as_ref().unwrap();
    assert_eq!((roof.of.as_str(), roof.source), ("H200", Source::DataSheet));
    assert!(!roofs.own);
    let ticket = state.shared.runs.running().unwrap().ticket;
    let done = Message::RunDone(ticket, Box::new(Ok(report(71, 219.0))));
    update(
        &mut state,
        Event {
            at: 1,
            message: done,
        },
    );
    assert!(state.roofline.view().achieved.is_empty());
}

#[test]
fn a_run_is_a_point_below_the_roof() {
    let mut state = page();
    press(&mut state, ch('r'));
    let ticket = state.shared.runs.running().unwrap().ticket;
    let done = Message::RunDone(ticket, Box::new(Ok(report(71, 219.0))));
    update(
        &mut state,
        Event {
            at: 1,
            message: done,
        },
    );
    let [run] = state.roofline.view().achieved.as_slice() else {
        panic!("{:?}", state.roofline.view().achieved);
    };
    // docs/cost-model.md: 743,116,160 FLOP and 42,046,976 B a forward of V1: 17.67 FLOP/B, right
    // of the ridge, where the roof is 51 TFLOP/s.
    assert_eq!(run.sign, '1');
    assert!((run.rate - 743_116_160.0 / 219e-6).abs() < 1.0);
    assert!((run.intensity - 743_116_160.0 / 42_046_976.0).abs() < 1e-9);
    assert!((run.of_roof.unwrap() - 743_116_160.0 / 219e-6 / 51e12).abs() < 1e-9);
}

#[test]
fn a_part_of_the_roof_is_how_far_below_its_line_the_point_stands() {
    let mut state = page();
    press(&mut state, ch('r'));
    let ticket = state.shared.runs.running().unwrap().ticket;
    // Kernel by kernel the floor is 18.39 µs: this run is faster, as small tensors in a cache
    // let it be, and stands below the line all the same.
    let done = Message::RunDone(ticket, Box::new(Ok(report(71, 18.0))));
    let event = Event {
        at: 1,
        message: done,
    };
    update(&mut state, event);
    let [run] = state.roofline.view().achieved.as_slice() else {
        panic!("{:?}", state.roofline.view().achieved);
    };
    // 743,116,160 FLOP in 18 µs are 41.28 of 51 TFLOP/s.
    assert!((run.of_roof.unwrap() - 41.284 / 51.0).abs() < 1e-4);
}

#[test]
fn a_point_of_ones_own_stays_while_the_plan_changes() {
    let mut state = page();
    let typed = |state: &mut State, text: &str| {
        press(state, ch('i'));
        for c in text.chars() {
            press(state, ch(c));
        }
        press(state, key(Code::Enter));
    };
    // Digits are typed and lead nowhere; the unit may stand behind.
    typed(&mut state, "40 FLOP/B");
    assert_eq!(
        (state.page, state.roofline.view().own),
        (Page::Roofline, Some(40.0))
    );
    press(&mut state, ch('v'));
    assert_eq!(state.roofline.view().own, Some(40.0));
    // What is no intensity stays in the field, and Esc leaves the point as it was.
    typed(&mut state, "3 MB");
    assert!(state.roofline.field.is_some());
    press(&mut state, key(Code::Esc));
    assert_eq!(state.roofline.view().own, Some(40.0));
    typed(&mut state, "0");
    press(&mut state, key(Code::Esc));
    typed(&mut state, "");
    assert_eq!(state.roofline.view().own, None);
}

#[test]
fn kernels_of_the_last_run_are_points_below_the_roof() {
    let mut state = page();
    press(&mut state, ch('r'));
    let ticket = state.shared.runs.running().unwrap().ticket;
    let kernels = &state.shared.bench.cost().forward.kernels;
    // Of 4 layers the kernel takes 1, 2, 3 and 6 µs: 3 µs each.
    let took = |layer: Option<u32>| [1.0, 2.0, 3.0, 6.0][layer.unwrap_or(0) as usize];
    let spans = kernels.iter().enumerate().map(|(kernel, cost)| SpanReport {
        name: cost.name.clone(),
        kernel,
        from: 0.0,
        to: took(cost.layer),
        took: vec![took(cost.layer)],
    });
    let trace = TraceReport {
        axis: Axis::Microseconds,
        how: "a clock".into(),
        forwards: 1,
        spans: spans.collect(),
        phases: vec![],
    };
    let traced = Report {
        trace: Some(trace),
        ..report(71, 219.0)
    };
    let done = Message::RunDone(ticket, Box::new(Ok(traced)));
    let event = |message| Event { at: 1, message };
    update(&mut state, event(done));
    let spots = &state.roofline.view().spots;
    let q = spots.iter().find(|s| s.op == OpKind::Q).unwrap();
    let ran = q.ran.unwrap();
    assert!((ran.seconds - 3e-6).abs() < 1e-15);
    // docs/cost-model.md: q of the workshop computes 16,777,216 FLOP.
    assert!((ran.rate - 16_777_216.0 / 3e-6).abs() < 1.0);
    assert!(spots.iter().all(|spot| spot.ran.is_some()));
    // Another plan did not run; and nothing is held against another device's roof.
    press(&mut state, ch('v'));
    assert!(state.roofline.view().spots.iter().all(|s| s.ran.is_none()));
    press(&mut state, ch('V'));
    state.shared.machine.ceilings = None;
    state.shared.machine.backends[0].ceilings = None;
    press(&mut state, key(Code::Home));
    assert!(state.roofline.view().spots.iter().all(|s| s.ran.is_none()));
}

//! The executor on a device for tests.

use std::sync::atomic::{AtomicU32, Ordering};

use super::bind::{Bound, BoundStep};
use super::fake::{Fake, Fault};
use super::memory::{Kept, POISON, RunMemory};
use super::*;
use crate::gpu::driver::Parameter;
use crate::gpu::program::{
    Arg, BufferId, BufferSpec, Contents, Grid, Launch, Program, Step, TensorMap,
};
use crate::measure::Outcome;
use crate::weights::Weights;
use plan::cost::Config;
use plan::fusion::{Cut, Version};
use plan::model::{Dtype, Model, Shape, WeightId, WeightKind};
use plan::run::{
    BackendKind, Gemm, Observer, Phase, Progress, Request, RunError, RunErrorKind, Unwatched,
};

/// D 64, L 2, H 2, K 1, d 32, I 96, V 50.
fn model() -> Model {
    Model::new("m", 64, 2, 2, 1, 96, 50).unwrap()
}

fn request(version: Version, shape: Shape, dtype: Dtype) -> Request {
    Request {
        runs: 3,
        warm_up: 1,
        ..Request::new(Config::forward(model(), shape, dtype, version.cut()))
    }
}

const PREFILL: Shape = Shape {
    batch: 2,
    seq: 5,
    context: 5,
};

const DECODE: Shape = Shape {
    batch: 2,
    seq: 1,
    context: 7,
};

fn spec(name: &str, bytes: u64, contents: Contents) -> BufferSpec {
    BufferSpec {
        name: name.to_owned(),
        bytes,
        contents,
    }
}

#[test]
fn a_kernel_whose_blocks_do_not_fit_is_refused_before_a_launch() {
    let mut driver = Fake::new("sm_80");
    driver.fault = Fault::NoRoom;
    let mut memory = RunMemory::default();
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let weights = Weights::seeded(&model(), 3, Dtype::Bf16).unwrap();
    let kept = Kept::new(&request, weights);
    let program = Program {
        buffers: vec![spec("ids", 8, Contents::Ids)],
        steps: vec![Step::Own(Launch {
            kernel: 0,
            name: "block 0: all".to_owned(),
            unit: CompileUnit::new("all", &[]),
            grid: Grid::Resident { per_sm: 1 },
            threads: 384,
            shared: 1000,
            cooperative: true,
            overlap: false,
            args: Vec::new(),
            written: Vec::new(),
        })],
        given: Vec::new(),
        logits: BufferId(0),
        notes: Vec::new(),
    };
    let bound = Bound::new(&mut driver, &mut memory, &kept, program, |d, u, s| {
        d.load(u, s)
    });
    let refused = bound.err().expect("nothing fits").to_string();
    // What, where, and the plan that runs instead.
    assert!(refused.contains("no block of 384 threads"), "{refused}");
    assert!(refused.contains("sm_80"), "{refused}");
    assert!(refused.contains("--version five"), "{refused}");
    assert!(driver.log.is_empty(), "{:?}", driver.log);
}

#[test]
fn a_program_is_placed_filled_and_resolved() {
    let (ids, weight, folded, cache) = (BufferId(0), BufferId(1), BufferId(2), BufferId(3));
    let q = WeightId::of_layer(WeightKind::Q, 1);
    let gamma = WeightId::of_layer(WeightKind::Norm1, 1);
    let map = TensorMap {
        buffer: weight,
        offset: 128,
        rows: 62,
        columns: 64,
        stride: 128,
        box_rows: 64,
        box_columns: 64,
        group: 0,
    };
    let program = Program {
        buffers: vec![
            spec("ids", 8, Contents::Ids),
            spec("Wq", 64 * 64 * 2, Contents::Weight(q)),
            spec(
                "Wq·gamma1",
                64 * 64 * 2,
                Contents::WeightTimesGamma { weight: q, gamma },
            ),
            spec("keys", 100, Contents::CacheK(0)),
            spec("sums", 16, Contents::Scratch),
            spec("counter", 4, Contents::Zeroed),
            spec("table", 16, Contents::Addresses(vec![(cache, 6), (ids, 0)])),
            spec("maps", 128, Contents::TensorMaps(vec![map])),
        ],
        steps: vec![Step::Own(Launch {
            kernel: 0,
            name: "block 0: all".to_owned(),
            unit: CompileUnit::new("all", &[]),
            grid: Grid::Resident { per_sm: 3 },
            threads: 64,
            shared: 1000,
            cooperative: true,
            overlap: false,
            args: vec![
                Arg::Buffer(folded),
                Arg::At(cache, 10),
                Arg::Null,
                Arg::I32(-1),
                Arg::I64(-2),
                Arg::F32(0.5),
                Arg::Map(map),
            ],
            written: Vec::new(),
        })],
        given: Vec::new(),
        logits: ids,
        notes: Vec::new(),
    };
    let mut driver = Fake::new("sm_80");
    let mut memory = RunMemory::default();
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let weights = Weights::seeded(&model(), 3, Dtype::Bf16).unwrap();
    let mut kept = Kept::new(&request, weights);
    kept.provide(&mut driver, &[&program], |_, _| Ok(()))
        .unwrap();
    let bound = Bound::new(&mut driver, &mut memory, &kept, program, |d, u, s| {
        d.load(u, s)
    })
    .unwrap();
    bound.set_ids(&mut driver, &[7, 9]).unwrap();
    bound.poison(&mut driver).unwrap();

    let place = |buffer: BufferId| driver.address(bound.places[buffer.0 as usize]);
    let BoundStep::Own(launch) = &bound.steps[0] else {
        panic!("not a launch");
    };
    // The fake has 4 multiprocessors with room for 2 blocks each.
    assert_eq!(launch.grid, [8, 1, 1]);
    let mut words = [0; 16];
    (words[0], words[1], words[2]) = (place(weight) + 128, 62, 64);
    assert_eq!(
        launch.parameters,
        [
            Parameter::Long(place(folded)),
            Parameter::Long(place(cache) + 10),
            Parameter::Long(0),
            Parameter::Word(0xFFFF_FFFF),
            Parameter::Long(0xFFFF_FFFF_FFFF_FFFE),
            Parameter::Word(0.5f32.to_bits()),
            Parameter::Map(words),
        ]
    );
    let addresses: Vec<u64> = bound.places.iter().map(|m| driver.address(*m)).collect();
    let place_of = |buffer: usize| addresses[buffer];
    let mut read = |buffer: u32, bytes: usize| {
        let mut into = vec![0; bytes];
        driver
            .download(bound.places[buffer as usize], 0, &mut into)
            .unwrap();
        into
    };
    assert_eq!(read(0, 8), [7, 0, 0, 0, 9, 0, 0, 0]);
    assert_eq!(read(3, 100), [POISON; 100]);
    assert_eq!(read(4, 16), [POISON; 16]);
    assert_eq!(read(5, 4), [0; 4]);
    let table: Vec<u8> = [place_of(3) + 6, place_of(0)]
        .iter()
        .flat_map(|a| a.to_le_bytes())
        .collect();
    assert_eq!(read(6, 16), table);
    let bf16 = |bytes: &[u8], i: usize| {
        half::bf16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]).to_f32()
    };
    let (plain, folded) = (read(1, 64 * 64 * 2), read(2, 64 * 64 * 2));
    let expected = kept.weights.tensor(q).unwrap();
    let gamma = kept.weights.tensor(gamma).unwrap();
    for (i, w) in expected.iter().enumerate() {
        assert_eq!(bf16(&plain, i), *w);
        let product = half::bf16::from_f32(w * gamma[i % 64]).to_f32();
        assert_eq!(bf16(&folded, i), product);
    }
    memory.free(&mut driver);
    kept.free(&mut driver);
    assert_eq!(driver.held(), 0);
}

/// A device of either vendor: what is lowered for them differs in tiles and waves.
const ARCHS: [&str; 2] = ["sm_80", "gfx90a"];

/// A request on a fresh device.
fn ran(request: &Request, fault: Fault) -> (Gpu<Fake>, Result<Outcome, RunError>) {
    ran_on("sm_80", request, fault)
}

fn ran_on(arch: &str, request: &Request, fault: Fault) -> (Gpu<Fake>, Result<Outcome, RunError>) {
    let mut gpu = Gpu::new(Fake::new(arch));
    gpu.driver().fault = fault;
    let outcome = gpu.run(BackendKind::Simt, request, &Unwatched);
    (gpu, outcome)
}

#[test]
fn plans_are_right_in_both_dtypes_with_and_without_a_past() {
    let dtypes = [Dtype::Fp32, Dtype::Bf16];
    for (arch, dtype) in ARCHS.iter().flat_map(|arch| dtypes.map(|d| (arch, d))) {
        for shape in [PREFILL, DECODE] {
            for version in [Version::V1, Version::V2, Version::V3, Version::Five] {
                let request = request(version, shape, dtype);
                let (gpu, outcome) = ran_on(arch, &request, Fault::None);
                let report = outcome.unwrap().report;
                let check = report.check.unwrap();
                let case = format!("{arch} {version:?} {shape:?} {dtype:?}");
                assert_eq!(check.first_wrong, None, "{case}");
                assert!(check.rel_error <= check.tolerance);
                // 17, 11, 8 and 5 per block, and three.
                let planned = match version {
                    Version::V1 => 2 * 17 + 3,
                    Version::V2 => 2 * 11 + 3,
                    Version::V3 => 2 * 8 + 3,
                    _ => 2 * 5 + 3,
                };
                assert_eq!(
                    (report.launches.counted, report.launches.library),
                    (planned, 0)
                );
                assert_eq!(report.plan.launches, planned);
                assert_eq!(report.output.shape, [2, shape.seq, 50]);
                let timing = report.time_us.unwrap();
                // Two marks, ten microseconds apart.
                assert_eq!((timing.median, timing.runs), (10.0, 3));
                assert!(gpu.kept.is_some());
            }
        }
    }
}

#[test]
fn the_past_is_filled_apart_and_counts_for_nothing() {
    let (gpu, outcome) = ran(&request(Version::V1, DECODE, Dtype::Fp32), Fault::None);
    assert_eq!(outcome.unwrap().report.launches.counted, 37);
    // V3 fills (19), then a check, a warm-up and three timed runs.
    assert_eq!(gpu.driver.log.len(), 19 + 5 * 37);
}

#[test]
fn a_wrong_kernel_is_named_and_not_timed() {
    let entries = ["rmsnorm", "silu", "pv"];
    for (arch, entry) in ARCHS.iter().flat_map(|arch| entries.map(|e| (arch, e))) {
        let request = request(Version::V1, PREFILL, Dtype::Fp32);
        let (_, outcome) = ran_on(arch, &request, Fault::Short(entry));
        let report = outcome.unwrap().report;
        let wrong = report.check.unwrap().first_wrong.unwrap();
        let tensor = match entry {
            "rmsnorm" => "block 0: n1",
            "silu" => "block 0: sg",
            _ => "block 0: att",
        };
        // Its last element is the poison that was there before.
        assert!(
            wrong.starts_with(&format!("{tensor} is the first wrong tensor")),
            "{wrong}"
        );
        assert!(wrong.contains("NaN"), "{wrong}");
        assert_eq!(report.time_us, None);
    }
}

/// Counts the stages of a reference that are made: a stage is told of without a kernel.
#[derive(Default)]
struct Stages(AtomicU32);

impl Stages {
    /// Stages that were made since this was asked last.
    fn take(&self) -> u32 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Observer for Stages {
    fn progress(&self, progress: Progress) {
        let making = progress.phase == Phase::Check && progress.subject.is_empty();
        if making && progress.total > 1 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

#[test]
fn plans_of_one_setup_are_judged_by_one_reference() {
    let mut gpu = Gpu::new(Fake::new("sm_80"));
    let stages = Stages::default();
    let mut check = |version, shape, dtype| {
        let request = request(version, shape, dtype);
        let outcome = gpu.run(BackendKind::Simt, &request, &stages).unwrap();
        (outcome.report.check.unwrap(), stages.take())
    };
    let all = [Version::V1, Version::V2, Version::V3, Version::Five];
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for shape in [DECODE, PREFILL] {
            let made = all.map(|version| {
                let (report, made) = check(version, shape, dtype);
                assert!(report.pass && report.rel_error > 0.0, "{version:?}");
                made
            });
            // The embedding, two blocks, the head: once, and again for what is new.
            assert_eq!(made, [4, 0, 0, 0], "{shape:?} {dtype:?}");
        }
    }
    // What went wrong is seen by a reference that was kept, too.
    gpu.driver.fault = Fault::Short("rmsnorm");
    let request = request(Version::V1, PREFILL, Dtype::Bf16);
    let outcome = gpu.run(BackendKind::Simt, &request, &stages).unwrap();
    let wrong = outcome.report.check.unwrap().first_wrong.unwrap();
    assert!(wrong.starts_with("block 0: n1 is the first"), "{wrong}");
    assert_eq!((outcome.report.time_us, stages.take()), (None, 0));
}

#[test]
fn a_further_round_leaves_the_logits_where_they_are() {
    let mut request = request(Version::V2, PREFILL, Dtype::Fp32);
    request.again = true;
    let (_, outcome) = ran(&request, Fault::None);
    let outcome = outcome.unwrap();
    assert!(outcome.logits.is_empty() && outcome.report.output.sha256.is_empty());
    assert!(outcome.report.time_us.is_some());
}

#[test]
fn a_graph_is_recorded_once_and_replayed() {
    let mut request = request(Version::V2, PREFILL, Dtype::Fp32);
    request.graph = true;
    let (gpu, outcome) = ran(&request, Fault::None);
    let report = outcome.unwrap().report;
    assert_eq!(report.launches.counted, 25);
    let timing = report.time_us.unwrap();
    assert!(
        timing.how.contains("each replay of a graph"),
        "{}",
        timing.how
    );
    // A check, a warm-up, a replay that is not timed and three that are.
    assert_eq!(gpu.driver.log.len(), 6 * 25);
    assert_eq!(gpu.driver.graphs(), 1);
}

#[test]
fn a_librarys_products_are_listed_apart() {
    let mut request = request(Version::V1, PREFILL, Dtype::Fp32);
    request.gemm = Gemm::Library;
    let (_, outcome) = ran(&request, Fault::None);
    let report = outcome.unwrap().report;
    assert!(report.check.unwrap().pass);
    // q k v o gate up down of two blocks, and the head.
    assert_eq!(
        (report.launches.counted, report.launches.library),
        (37 - 15, 15)
    );
    assert!(report.launches.matches(report.plan.launches));
}

#[test]
fn weights_stay_from_run_to_run_and_the_rest_is_given_back() {
    let mut gpu = Gpu::new(Fake::new("sm_80"));
    let first = request(Version::V1, PREFILL, Dtype::Fp32);
    gpu.run(BackendKind::Simt, &first, &Unwatched).unwrap();
    let weights = model().parameters().unwrap() * 4;
    assert_eq!(gpu.driver.held(), weights);
    // Five needs weights with gamma in them besides.
    let second = request(Version::Five, PREFILL, Dtype::Fp32);
    gpu.run(BackendKind::Simt, &second, &Unwatched).unwrap();
    let folded = 2 * (64 * 64 + 2 * 64 * 32 + 2 * 96 * 64) * 4;
    assert_eq!(gpu.driver.held(), weights + folded);
    // The first one again holds what it held: folded weights are not its.
    let alone = ran(&first, Fault::None).1.unwrap().report;
    let again = gpu.run(BackendKind::Simt, &first, &Unwatched).unwrap();
    assert_eq!(again.report.held_bytes, alone.held_bytes);
    // Another dtype: the old weights go first.
    let third = request(Version::V1, PREFILL, Dtype::Bf16);
    gpu.run(BackendKind::Simt, &third, &Unwatched).unwrap();
    assert_eq!(gpu.driver.held(), weights / 2);
}

/// Counters are memory, too, and no part of what a forward needs.
#[test]
fn what_watches_a_forward_is_not_held_by_it() {
    let alone = request(Version::V1, PREFILL, Dtype::Fp32);
    let watched = Request {
        count_bytes: true,
        ..alone.clone()
    };
    let [alone, watched] = [alone, watched].map(|request| {
        let (_, outcome) = ran(&request, Fault::None);
        outcome.unwrap().report
    });
    assert!(!watched.notes.is_empty(), "it was asked for");
    assert_eq!(watched.held_bytes, alone.held_bytes);
}

/// What is still held but for the weights, which stay for the next request.
fn beside_weights(mut gpu: Gpu<Fake>) -> u64 {
    if let Some(kept) = &mut gpu.kept {
        kept.free(&mut gpu.driver);
    }
    gpu.driver.held()
}

#[test]
fn failures_are_sentences_and_leave_nothing_behind() {
    let plain = request(Version::V1, PREFILL, Dtype::Fp32);
    let (gpu, outcome) = ran(&plain, Fault::Lost("softmax"));
    let e = outcome.unwrap_err();
    assert_eq!(e.kind, RunErrorKind::Failed);
    assert!(
        e.to_string().starts_with("block 1: softmax: an illegal"),
        "{e}"
    );
    assert_eq!(beside_weights(gpu), 0);

    let (gpu, outcome) = ran(&plain, Fault::Full(100_000));
    let e = outcome.unwrap_err();
    assert_eq!(e.kind, RunErrorKind::Missing);
    assert!(e.to_string().contains("no memory for"), "{e}");
    assert_eq!(beside_weights(gpu), 0);

    let mut by_hand = plain.clone();
    by_hand.config.cut =
        Cut::parse_groups("norm1|q|k|v|rope qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2")
            .unwrap();
    let e = ran(&by_hand, Fault::None).1.unwrap_err();
    assert_eq!(e.kind, RunErrorKind::Missing);
    assert!(e.to_string().contains("rope+qk"), "{e}");

    let (_, outcome) = ran(&plain, Fault::NoClock);
    let report = outcome.unwrap().report;
    assert_eq!(report.time_us, None);
    assert_eq!(report.launches.counted, 37);
}

/// Stops a run after so many signs of it.
struct StopsAfter(AtomicU32);

impl Observer for StopsAfter {
    fn progress(&self, _: Progress) {
        let left = &self.0;
        let now = left.load(Ordering::Relaxed);
        left.store(now.saturating_sub(1), Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn a_run_stops_wherever_it_is_told_to() {
    let request = request(Version::V2, DECODE, Dtype::Fp32);
    let mut stopped = 0;
    for signs in (1..200).step_by(7) {
        let mut gpu = Gpu::new(Fake::new("sm_80"));
        let watch = StopsAfter(signs.into());
        match gpu.run(BackendKind::Simt, &request, &watch) {
            Ok(_) => break,
            Err(e) => assert_eq!(e.kind, RunErrorKind::Cancelled, "{e}"),
        }
        stopped += 1;
        assert_eq!(beside_weights(gpu), 0, "after {signs}");
    }
    assert!(stopped > 5, "{stopped}");
}

#[test]
fn an_examination_judges_every_kernel_twice() {
    let mut gpu = Gpu::new(Fake::new("sm_80"));
    let plain = request(Version::V1, PREFILL, Dtype::Bf16);
    let examined = gpu.examine(&plain, None, &Unwatched).unwrap();
    assert!(examined.pass);
    assert_eq!((examined.unsteady, examined.planned), (None, 37));
    assert_eq!(examined.kernels.len(), 37);
    assert!(examined.kernels.iter().all(|k| !k.tensors.is_empty()));
    let swap = Swap {
        file: "rmsnorm.cu",
        by: "broken/rmsnorm.cu",
    };
    let examined = gpu.examine(&plain, Some(swap), &Unwatched).unwrap();
    assert!(!examined.pass);
    assert_eq!(examined.first_wrong.unwrap().check.tensor.name(), "n1");
    let fused = request(Version::Five, PREFILL, Dtype::Bf16);
    let swap = Swap {
        file: "softmax.cu",
        by: "broken/softmax.cu",
    };
    let e = gpu.examine(&fused, Some(swap), &Unwatched).unwrap_err();
    assert!(e.to_string().contains("no kernel to be exchanged"), "{e}");
}

#[test]
fn sampled_rows_judge_every_kernel_of_the_first_and_last_block() {
    let dtypes = [Dtype::Fp32, Dtype::Bf16];
    for (arch, dtype) in ARCHS.iter().flat_map(|arch| dtypes.map(|d| (arch, d))) {
        for (shape, version, judged) in [
            (PREFILL, Version::V1, 37),
            (DECODE, Version::V3, 19),
            (PREFILL, Version::Five, 13),
        ] {
            let request = request(version, shape, dtype);
            let sampled = |fault: Fault| {
                let mut gpu = Gpu::new(Fake::new(arch));
                gpu.with_ready(
                    &request,
                    |_| {},
                    &Unwatched,
                    |gpu, _, ready| {
                        gpu.driver.fault = fault;
                        Ok(sample::forward(&mut gpu.driver, &ready, &Unwatched)?.1)
                    },
                )
                .unwrap()
            };
            let report = sampled(Fault::None);
            assert_eq!(report.first_wrong, None, "{arch} {version:?} {dtype:?}");
            assert!(report.pass && report.rel_error > 0.0);
            assert!(report.rel_error <= report.tolerance);
            let kernels = format!("sampled rows of {judged} kernels");
            assert!(report.reference.contains(&kernels), "{}", report.reference);
            // The last element of the last row is poison.
            let entry = if version == Version::Five {
                "gemm_residual"
            } else {
                "gemm"
            };
            let report = sampled(Fault::Short(entry));
            assert!(!report.pass);
            assert!(report.first_wrong.unwrap().contains("NaN"));
        }
    }
}

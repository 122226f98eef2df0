//! What a run holds, and gives back: after others, after a failure, where it is stopped.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{DECODE, PREFILL, model, ran, request};
use crate::gpu::exec::Gpu;
use crate::gpu::exec::fake::{Fake, Fault};
use plan::fusion::{Cut, Version};
use plan::model::Dtype;
use plan::run::{BackendKind, Observer, Progress, Request, RunErrorKind, Unwatched};

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

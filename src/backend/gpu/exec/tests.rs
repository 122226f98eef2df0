//! The executor on a device for tests, and what a run on it reports: launches, times, the
//! first wrong tensor, a graph, a library's products.

mod bound;
mod given_back;
mod judged;

use super::Gpu;
use super::fake::{Fake, Fault};
use crate::measure::Outcome;
use plan::cost::Config;
use plan::fusion::Version;
use plan::model::{Dtype, Model, Shape};
use plan::run::{BackendKind, Gemm, Request, RunError, Unwatched};

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

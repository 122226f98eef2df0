//! Kernels whose geometry is another device's, executed here.

use super::*;
use crate::gpu::exec::Gpu;
use plan::cost::Config;
use plan::fusion::Version;
use plan::run::{Request, Unwatched};

#[test]
fn blocks_with_hoppers_tiles_for_each_phase_are_right_and_race_free() {
    // As many multiprocessors as an H200, so that the tiles are the ones it takes in fp32;
    // that kernel has no instruction that this machine does not know.
    for version in [Version::V4, Version::Forward] {
        let mut machine = Simt::open_first().unwrap();
        machine.target = Target {
            arch: "sm_90a".to_owned(),
            sms: 132,
            shared_per_block: 232_448,
            ..machine.target
        };
        let mut gpu = Gpu::new(machine);
        let config = Config::preset("workshop", version.cut()).unwrap();
        let layers = config.model.layers;
        let request = Request {
            runs: 0,
            warm_up: 0,
            ..Request::new(config)
        };
        let outcome = gpu.run(BackendKind::Simt, &request, &Unwatched);
        let report = outcome.unwrap().report;
        let check = report.check.unwrap();
        assert_eq!(check.first_wrong, None);
        assert!(check.rel_error <= check.tolerance);
        let launches = match version {
            Version::Forward => 1,
            _ => layers + 3,
        };
        assert_eq!(report.launches.counted, launches);
    }
}

#[test]
fn what_reaches_memory_is_estimated_behind_the_cache_that_is_asked_for() {
    let mut gpu = Gpu::new(Simt::open_first().unwrap());
    let mut config = Config::preset("workshop", Version::V1.cut()).unwrap();
    (config.model.layers, config.shape.seq, config.shape.context) = (1, 16, 16);
    let mut of = |behind: Option<u64>| {
        let request = Request {
            runs: 0,
            warm_up: 0,
            check: false,
            count_bytes: true,
            behind,
            ..Request::new(config.clone())
        };
        let outcome = gpu.run(BackendKind::Simt, &request, &Unwatched);
        outcome.unwrap().report
    };
    let kernel = |report: &plan::run::Report, op: &str| {
        let found = report.kernels.iter().find(|k| k.ops == [op]);
        found.unwrap().bytes
    };
    // One set of 16 lines; then nothing said, and what an MI300A has.
    let mi300a = plan::cost::GpuDatabase::embedded().unwrap();
    let mi300a = mi300a.get("mi300a").unwrap().last_cache_bytes();
    assert_eq!(mi300a, 268_435_456, "its Infinity Cache: 256 MiB");
    let (small, usual, large) = (of(Some(2048)), of(None), of(Some(mi300a)));
    let behind = [&small, &usual, &large].map(|report| report.bytes.behind);
    assert_eq!(behind, [Some(2048), Some(40 << 20), Some(mi300a)]);
    // A residual add streams: 16 × 256 values of 4 bytes, two read and one written, however
    // small the cache is.
    for report in [&small, &usual, &large] {
        let bytes = kernel(report, "res1").estimated_dram;
        assert_eq!(bytes, Some(3 * 16 * 256 * 4));
    }
    // A product asks for its rows again: they are still there in a cache that holds all of
    // it, each sector once, and gone in one of 16 lines.
    let q = |report: &plan::run::Report| kernel(report, "q");
    assert_eq!(q(&usual).estimated_dram, q(&usual).compulsory);
    assert_eq!(q(&large).estimated_dram, q(&usual).estimated_dram);
    assert!(q(&small).estimated_dram > q(&usual).estimated_dram);
}

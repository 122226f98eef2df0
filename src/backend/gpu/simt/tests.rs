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

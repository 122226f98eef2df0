//! Whole forwards on the SIMT machine: outputs against fp64, launches, and its
//! counts against the cost model's.

use tinyllama_tutor::backend::Runner;
use tinyllama_tutor::cost::{Config, KernelCost, price};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::{Dtype, Shape};
use tinyllama_tutor::run::{BackendKind, KernelReport, Report, Request, Unwatched};

/// Bytes of a sector: what memory moves at least.
const SECTOR: u64 = 32;

/// Additions per output with which a product joins the sums that the warps of a
/// block made of parts of it.
const JOINS: u64 = 4;

fn config(version: Version, seq: u64, dtype: Dtype) -> Config {
    let mut config = Config::preset("workshop", version.cut()).unwrap();
    config.shape = Shape {
        batch: 1,
        seq,
        context: seq,
    };
    config.dtype = dtype;
    config
}

fn report(config: &Config, check: bool) -> Report {
    let request = Request {
        backend: BackendKind::Simt,
        runs: 0,
        warm_up: 0,
        check,
        count_bytes: true,
        ..Request::new(config.clone())
    };
    Runner::all().run(&request, &Unwatched).unwrap().report
}

/// The model's price of the kernel with these ops.
fn priced(config: &Config, kernel: &KernelReport) -> KernelCost {
    let cost = price(config).unwrap();
    let ops = || kernel.ops.iter().map(String::as_str);
    let found = cost.forward.kernels.iter();
    found
        .into_iter()
        .find(|k| k.ops.iter().copied().eq(ops()))
        .unwrap_or_else(|| panic!("{} is not priced", kernel.name))
        .clone()
}

#[test]
fn every_version_is_right_and_launches_what_its_plan_says() {
    for (version, launches) in [
        (Version::V1, 71),
        (Version::V2, 47),
        (Version::V3, 35),
        (Version::V4, 7),
    ] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            let report = report(&config(version, 16, dtype), true);
            let what = format!("{version:?} {dtype:?}");
            assert_eq!(report.launches.counted, launches, "{what}");
            assert_eq!(report.kernels.len() as u64, launches, "{what}");
            let check = report.check.as_ref().unwrap();
            assert!(check.pass, "{what}: {check:?}");
            assert!(report.bytes.issued >= report.bytes.compulsory, "{what}");
            for kernel in &report.kernels {
                let (issued, least) = (kernel.bytes.issued, kernel.bytes.compulsory);
                // At the edges of a buffer a sector holds more than was asked for.
                let edges = SECTOR * 2 * kernel.buffers.len() as u64;
                assert!(
                    issued.unwrap() + edges >= least.unwrap(),
                    "{what} {kernel:?}"
                );
                // What is moved beyond the model has a name.
                let beyond = least
                    .unwrap()
                    .saturating_sub(kernel.bytes.modelled.unwrap());
                assert!(
                    beyond <= kernel.between_phases() + edges,
                    "{what} {kernel:?}"
                );
            }
        }
    }
}

#[test]
fn a_kernel_of_one_op_touches_the_models_bytes_and_does_its_flops() {
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        // Rows and columns of every product of the block are multiples of 64.
        let mut dense = config(Version::V1, 64, dtype);
        dense.model.layers = 1;
        let mut exact = dense.clone();
        exact.conventions.exact_causal = true;
        for kernel in &report(&dense, false).kernels {
            let what = format!("{dtype:?} {}", kernel.name);
            let (most, least) = (priced(&dense, kernel), priced(&exact, kernel));
            let touched = kernel.bytes.compulsory.unwrap();
            let edges = SECTOR * 2 * kernel.buffers.len() as u64;
            // Half of the scores are masked: a kernel may leave them alone.
            let masked = ["qk", "softmax", "pv"].contains(&kernel.ops[0].as_str());
            match kernel.ops[0].as_str() {
                // Rows of the table that no token names are not touched.
                "embed" => assert!(touched <= most.bytes() + edges, "{what}"),
                _ if masked => {
                    let between = most.bytes() / 2..=most.bytes() + edges;
                    assert!(between.contains(&touched), "{what} {touched}");
                }
                _ => assert!(touched.abs_diff(most.bytes()) <= edges, "{what} {touched}"),
            }
            let done = kernel.work.unwrap().flops;
            let outputs = most.written_bytes / dtype.bytes();
            // The head has 1000 columns, no multiple of a tile.
            if masked && most.gemm_flops > 0 {
                assert!(
                    least.flops <= done && done <= most.flops + JOINS * outputs,
                    "{what}"
                );
            } else if most.gemm_flops > 0 && kernel.ops[0] != "lm_head" {
                let beyond = done.checked_sub(most.flops);
                assert!(
                    beyond.is_some_and(|f| f <= JOINS * outputs),
                    "{what} {done}"
                );
            }
        }
    }
}

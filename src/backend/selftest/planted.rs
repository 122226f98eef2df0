//! Kernels with a defect in them, which the test has to catch.

use super::cases::{Case, Extent, cases};
use super::rows::PlantedRow;
use crate::backend::gpu::Driver;
use crate::backend::gpu::exec::{Gpu, Swap};
use crate::run::{BackendKind, Observer, RunError, RunErrorKind};

/// One planted defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planted {
    /// What is wrong, in words.
    pub what: &'static str,
    /// Which kernel is exchanged for which.
    pub swap: Swap,
    /// The tensor that has to be named.
    pub tensor: &'static str,
}

/// The defects, each in a file of `kernels/broken/`.
pub const PLANTED: [Planted; 2] = [
    Planted {
        what: "an RMSNorm whose loop over a row ends one pack early",
        swap: Swap {
            file: "rmsnorm.cu",
            by: "broken/rmsnorm.cu",
        },
        tensor: "n1",
    },
    Planted {
        what: "a softmax whose mask is off by one",
        swap: Swap {
            file: "softmax.cu",
            by: "broken/softmax.cu",
        },
        tensor: "pr",
    },
];

/// Runs V1 with one kernel exchanged for its defective twin.
///
/// # Errors
/// A stop, a device that is lost.
pub(super) fn run<D: Driver>(
    gpu: &mut Gpu<D>,
    planted: Planted,
    backend: BackendKind,
    seed: u64,
    observer: &dyn Observer,
) -> Result<PlantedRow, RunError> {
    let quick = cases(Extent::Quick);
    let case: &Case = quick
        .iter()
        .find(|c| c.plan == "v1")
        .ok_or_else(|| RunError::failed("there is no case of V1"))?;
    let request = case.request(backend, seed);
    let (caught, seen) = match gpu.examine(&request, Some(planted.swap), observer) {
        Ok(examined) => match examined.first_wrong {
            Some(first) => (
                first.check.tensor.name() == planted.tensor,
                first.to_string(),
            ),
            None => (false, "every tensor is right".to_owned()),
        },
        Err(e) if e.kind == RunErrorKind::Cancelled => return Err(e),
        Err(e) => (false, e.to_string()),
    };
    Ok(PlantedRow {
        what: planted.what.to_owned(),
        caught,
        seen,
    })
}

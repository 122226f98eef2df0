//! Kernels with a defect in them, which the test has to catch.

use super::cases::{Case, Extent, cases};
use super::rows::PlantedRow;
use crate::backends::Backend;
use crate::gpu::exec::Swap;
use crate::runner::Runner;
use plan::fusion::Version;
use plan::run::{BackendKind, Observer, RunError, RunErrorKind};

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

/// Runs V1 with one kernel exchanged for its mutant.
///
/// # Errors
/// A stop, a device that is lost.
pub(super) fn run(
    gpu: &mut dyn Backend,
    planted: Planted,
    backend: BackendKind,
    seed: u64,
    observer: &dyn Observer,
) -> Result<PlantedRow, RunError> {
    let request = v1()?.request(backend, seed);
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

/// What is started in a process of its own, which it may tear down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A kernel that never ends.
    Hang,
    /// A kernel that writes far outside of its buffer.
    Outside,
    /// Nothing: the device works after the other two.
    None,
}

impl Fault {
    /// In the order in which they are started.
    pub const ALL: [Self; 3] = [Self::Hang, Self::Outside, Self::None];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hang => "hang",
            Self::Outside => "outside",
            Self::None => "none",
        }
    }

    /// What it is, in words.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Hang => "a kernel that never ends",
            Self::Outside => "a kernel that writes outside of its buffer",
            Self::None => "a forward after these two",
        }
    }

    const fn swap(self) -> Option<Swap> {
        let by = match self {
            Self::Hang => "broken/hang.cu",
            Self::Outside => "broken/outside.cu",
            Self::None => return None,
        };
        Some(Swap {
            file: "silu.cu",
            by,
        })
    }
}

/// Runs V1 with a fault in it; whether every tensor is right.
///
/// # Errors
/// What the device says of the fault.
pub fn fault(
    backend: BackendKind,
    fault: Fault,
    seed: u64,
    observer: &dyn Observer,
) -> Result<bool, RunError> {
    let request = v1()?.request(backend, seed);
    let mut runner = Runner::all();
    let examined = runner
        .backend(backend)?
        .examine(&request, fault.swap(), observer)?;
    Ok(examined.pass)
}

/// V1 on a small model.
fn v1() -> Result<Case, RunError> {
    cases(Extent::Quick)
        .into_iter()
        .find(|c| c.plan == Version::V1.name())
        .ok_or_else(|| RunError::failed("there is no case of V1"))
}

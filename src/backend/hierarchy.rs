//! What memory does at which working set: on this CPU with threads of this program, on a
//! GPU with the kernels `gym/chase.cu` and `gym/sweep.cu`.

mod chain;
mod here;
mod roofs;
pub(crate) mod there;
mod troubles;

pub use roofs::{DeviceRates, rates};
pub use troubles::troubles;

use crate::gpu::CompileUnit;
use plan::run::{BackendKind, MemoryReport, MemoryRequest, Observer, RunError};

/// Samples of each figure, after one that warms up.
const SAMPLES: usize = 5;

/// Every unit that it needs, for what is compiled ahead.
pub fn units() -> Vec<CompileUnit> {
    vec![there::chase(), there::sweep()]
}

/// Measures every working set of a request, or those until somebody stops it.
///
/// # Errors
/// A machine without a clock, sets that do not fit its memory, a stop before the first.
pub fn measure(request: &MemoryRequest, observer: &dyn Observer) -> Result<MemoryReport, RunError> {
    let largest = request.sizes.iter().copied().max().unwrap_or(0);
    match request.backend {
        BackendKind::Auto | BackendKind::Cpu => here::measure(&request.sizes, largest, observer),
        BackendKind::Simt => Err(RunError::bad_request("the SIMT machine has no clock")),
        gpu => there::measure(gpu, &request.sizes, largest, observer),
    }
}

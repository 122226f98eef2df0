use crate::machine::{LaunchRequest, MachineError};
use crate::program::Kernel;

/// Most threads of a block.
const MOST_THREADS: u64 = 1024;
/// Most shared memory that any GPU gives a block.
const MOST_SHARED: u64 = 227 * 1024;

/// Most warps of a launch that clocks are kept for.
const MOST_CLOCKS: u64 = 8192;

/// Refuses launches with too many warps for exact clocks.
pub(crate) fn most_exact(kernel: &Kernel, request: &LaunchRequest<'_>) -> Result<(), MachineError> {
    let extent = |of: [u32; 3]| of.iter().map(|&n| u64::from(n)).product::<u64>();
    let warps = extent(request.grid).saturating_mul(extent(request.block).div_ceil(32));
    if warps <= MOST_CLOCKS {
        return Ok(());
    }
    Err(MachineError::Request(format!(
        "`{}` in {warps} warps: the order of at most {MOST_CLOCKS} is followed exactly; launch a \
         smaller grid",
        kernel.name
    )))
}

/// Refuses launches that no GPU would take.
pub(super) fn request(kernel: &Kernel, request: &LaunchRequest<'_>) -> Result<(), MachineError> {
    let name = &kernel.name;
    let wrong = |message: String| Err(MachineError::Request(message));
    let extent = |of: [u32; 3]| of.iter().map(|&n| u64::from(n)).product::<u64>();
    let (blocks, threads) = (extent(request.grid), extent(request.block));
    if blocks == 0 || threads == 0 {
        return wrong(format!(
            "`{name}` was launched with {:?} blocks of {:?} threads: none may be 0",
            request.grid, request.block
        ));
    }
    if request.grid[1].max(request.grid[2]) > 65_535 || request.grid[0] > i32::MAX as u32 {
        return wrong(format!(
            "`{name}`: a grid of {:?} is beyond every GPU's; y and z go to 65535",
            request.grid
        ));
    }
    let most = kernel
        .max_threads
        .map_or(MOST_THREADS, |n| u64::from(n).min(MOST_THREADS));
    if threads > most {
        return wrong(format!(
            "`{name}` takes at most {most} threads per block, {threads} were asked for"
        ));
    }
    let shared = u64::from(kernel.static_shared) + u64::from(request.shared);
    if shared > MOST_SHARED {
        return wrong(format!(
            "`{name}` needs {shared} bytes of shared memory; a block has at most {MOST_SHARED}"
        ));
    }
    if request.params.len() != kernel.param_bytes as usize {
        return wrong(format!(
            "`{name}` takes {} bytes of parameters, {} were given; align each to its size",
            kernel.param_bytes,
            request.params.len()
        ));
    }
    Ok(())
}

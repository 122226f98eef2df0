//! A kernel in a loaded module: what it needs, and its arguments.

use std::ffi::{CString, c_int, c_void};
use std::ptr;

use super::super::driver::{Call, GpuError, KernelFacts, Parameter};
use super::{Handle, Native};

// Attributes of a function; cuda.h and hip_runtime_api.h number them alike.
const MAX_THREADS_PER_BLOCK: c_int = 0;
const SHARED_SIZE_BYTES: c_int = 1;
const LOCAL_SIZE_BYTES: c_int = 3;
const NUM_REGS: c_int = 4;

/// Finds the kernel `entry` in a module, and what it needs.
pub fn find(
    native: &Native,
    module: Handle,
    entry: &str,
    title: &str,
) -> Result<(Handle, KernelFacts), GpuError> {
    let name = CString::new(entry)
        .map_err(|_| GpuError::failed(format!("the name of {title} has a zero byte")))?;
    let mut function = ptr::null_mut();
    // SAFETY: the module is loaded; the name ends with a zero byte.
    let code = unsafe { (native.calls.module_function)(&mut function, module, name.as_ptr()) };
    native.check(code, || format!("looking for {entry} in {title}"))?;
    let ask = |id| attribute(native, function, id, title);
    let facts = KernelFacts {
        registers: ask(NUM_REGS)?,
        shared: ask(SHARED_SIZE_BYTES)?,
        local: ask(LOCAL_SIZE_BYTES)?,
        max_threads: ask(MAX_THREADS_PER_BLOCK)?,
    };
    Ok((function, facts))
}

/// One attribute of a loaded function.
pub fn attribute(
    native: &Native,
    function: Handle,
    id: c_int,
    title: &str,
) -> Result<u32, GpuError> {
    let mut value: c_int = 0;
    // SAFETY: the function is loaded; writes one int.
    let code = unsafe { (native.calls.function_attribute)(&mut value, id, function) };
    native.check(code, || format!("asking what {title} needs"))?;
    Ok(value.unsigned_abs())
}

/// Blocks of a function that fit on one multiprocessor at once.
pub fn resident_blocks(
    native: &Native,
    function: Handle,
    title: &str,
    threads: u32,
    shared: u32,
) -> Result<u32, GpuError> {
    let mut blocks = 0;
    // SAFETY: the function is loaded; writes one int.
    let code = unsafe {
        (native.calls.resident_blocks)(&mut blocks, function, threads as c_int, shared as usize)
    };
    native.check(code, || format!("asking how many blocks of {title} fit"))?;
    Ok(blocks.unsigned_abs())
}

/// Refuses a launch that no driver would explain well.
pub fn check_shape(facts: &KernelFacts, title: &str, call: &Call<'_>) -> Result<(), GpuError> {
    let most = facts.max_threads;
    if call.threads > most {
        return Err(GpuError::failed(format!(
            "{title} may have {most} threads per block with its registers, not {}",
            call.threads
        )));
    }
    if call.grid.contains(&0) || call.threads == 0 {
        return Err(GpuError::failed(format!(
            "{title} was given no blocks or no threads"
        )));
    }
    Ok(())
}

/// Where the value of each parameter lies; the driver only reads them.
pub fn pointers(parameters: &[Parameter]) -> Vec<*mut c_void> {
    let pointer = |parameter: &Parameter| match parameter {
        Parameter::Word(value) => ptr::from_ref(value).cast_mut().cast(),
        Parameter::Long(value) => ptr::from_ref(value).cast_mut().cast(),
        Parameter::Map(value) => ptr::from_ref(value).cast_mut().cast(),
    };
    parameters.iter().map(pointer).collect()
}

/// What a launch that failed was doing.
pub fn launching(title: &str, call: &Call<'_>) -> String {
    let [x, y, z] = call.grid;
    format!(
        "launching {title}, {x} x {y} x {z} blocks of {} threads, {} bytes of shared memory",
        call.threads, call.shared
    )
}

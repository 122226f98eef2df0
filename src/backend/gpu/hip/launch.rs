//! One launch, with its arguments.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::super::driver::{Call, GpuError};
use super::super::native::stream::Stream;
use super::super::native::{Handle, kernel};
use super::api::Api;
use super::device::Device;
use super::module::Loaded;

/// Hands in one launch.
pub(super) fn launch(
    api: &Api,
    device: &Device,
    stream: &Stream,
    loaded: &Loaded,
    title: &str,
    call: &Call<'_>,
) -> Result<(), GpuError> {
    kernel::check_shape(&loaded.facts, title, call)?;
    let mut arguments = kernel::pointers(call.parameters);
    let [x, y, z] = call.grid;
    let code = if call.cooperative {
        let launch = cooperative(api, device, title)?;
        // SAFETY: as below.
        unsafe {
            launch(
                loaded.function,
                x,
                y,
                z,
                call.threads,
                1,
                1,
                call.shared,
                stream.handle,
                arguments.as_mut_ptr(),
            )
        }
    } else {
        // SAFETY: the function is loaded; one pointer per parameter in the order
        // of the kernel's, each to a value of its size, copied before the call
        // returns.
        unsafe {
            (api.hipModuleLaunchKernel)(
                loaded.function,
                x,
                y,
                z,
                call.threads,
                1,
                1,
                call.shared,
                stream.handle,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
    };
    api.check(code, || kernel::launching(title, call))
}

type Cooperative = unsafe extern "C" fn(
    Handle,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    Handle,
    *mut *mut c_void,
) -> c_int;

/// The launch of a grid whose blocks wait for one another, where runtime and
/// device have it.
fn cooperative(api: &Api, device: &Device, title: &str) -> Result<Cooperative, GpuError> {
    if !device.cooperative {
        return Err(GpuError::missing(format!(
            "{title} is a cooperative launch, which {} does not offer",
            device.name
        )));
    }
    api.hipModuleLaunchCooperativeKernel.ok_or_else(|| {
        GpuError::missing(format!(
            "{title} is a cooperative launch, and {} has no hipModuleLaunchCooperativeKernel; \
             ROCm 6 has it, and plans without V4's kernel do not need it",
            api.release()
        ))
    })
}

//! Loads code objects and finds kernels in them.

use std::ptr;

use hip_sys::hiprt::hipError_t;

use super::super::driver::{GpuError, GpuErrorKind, KernelFacts};
use super::super::native::{Code, Handle, kernel};
use super::api::Api;

/// A loaded kernel.
pub(super) struct Loaded {
    module: Handle,
    pub function: Handle,
    pub facts: KernelFacts,
}

/// Loads a code object and finds `entry` in it.
pub(super) fn load(api: &Api, image: &[u8], entry: &str, title: &str) -> Result<Loaded, GpuError> {
    let mut module = ptr::null_mut();
    // SAFETY: the image is a whole code object, copied by the call.
    let code = unsafe { (api.hipModuleLoadData)(&mut module, image.as_ptr().cast()) };
    if refused(code) {
        return Err(GpuError::new(
            GpuErrorKind::Compile,
            format!(
                "{title} cannot be loaded: {}; HIPRTC and HIP's runtime have to be of one release",
                api.native.says(code)
            ),
        ));
    }
    api.check(code, || format!("loading {title}"))?;
    match kernel::find(&api.native, module, entry, title) {
        Ok((function, facts)) => Ok(Loaded {
            module,
            function,
            facts,
        }),
        Err(error) => {
            // SAFETY: loaded above; nothing of it is used.
            unsafe { (api.native.calls.module_unload)(module) };
            Err(error)
        }
    }
}

/// Code that the runtime takes for none, or for another device's.
fn refused(code: Code) -> bool {
    [
        hipError_t::hipErrorInvalidImage,
        hipError_t::hipErrorNoBinaryForGpu,
        hipError_t::hipErrorInvalidKernelFile,
        hipError_t::hipErrorSharedObjectInitFailed,
    ]
    .into_iter()
    .any(|refusal| refusal as Code == code)
}

/// Refuses more dynamic shared memory (LDS) than a block may have: it needs no
/// permission as on NVIDIA's GPUs, but there is a limit.
pub(super) fn allow_shared(
    loaded: &Loaded,
    shared: u32,
    most: u32,
    title: &str,
) -> Result<(), GpuError> {
    let own = loaded.facts.shared;
    match own.checked_add(shared) {
        Some(all) if all <= most => Ok(()),
        _ => Err(GpuError::missing(format!(
            "{title} needs {shared} bytes of shared memory (LDS) beside its own {own}, and a \
             block of this device may have {most}"
        ))),
    }
}

/// Unloads; the function must not be used again.
pub(super) fn unload(api: &Api, loaded: &Loaded) {
    // SAFETY: loaded until here.
    unsafe { (api.native.calls.module_unload)(loaded.module) };
}

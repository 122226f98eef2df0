//! What a device is, asked of the driver without making a context.

use std::ffi::{CStr, c_char, c_int};

use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute};

use super::super::driver::GpuError;
use super::super::native::host::Told;
use super::super::program::Target;
use super::api::Api;
use plan::cost::Vendor;

/// One device of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// `NVIDIA H200`.
    pub name: String,
    /// What plans are lowered and kernels compiled for.
    pub target: Target,
    /// Its memory in bytes.
    pub memory: u64,
    /// What it says of its memory.
    pub(super) told: Told,
    /// The driver's number of it.
    pub(super) handle: CUdevice,
}

impl Device {
    /// The device with this number, as `CUDA_VISIBLE_DEVICES` numbers them.
    ///
    /// # Errors
    /// There is no such device.
    pub(super) fn find(api: &Api, index: u32) -> Result<Self, GpuError> {
        let count = count(api)?;
        if index >= count {
            return Err(GpuError::missing(match count {
                0 => "the NVIDIA driver is here, but no device that it can use".to_owned(),
                1 => format!("there is no device {index}; device 0 is the only one"),
                n => format!("there is no device {index}; there are 0 to {}", n - 1),
            }));
        }
        let doing = || format!("asking what device {index} is");
        let mut handle = 0;
        // SAFETY: writes one device number; the index is in range.
        let code = unsafe { (api.cuDeviceGet)(&mut handle, index as c_int) };
        api.check(code, doing)?;
        let mut name: [c_char; 128] = [0; 128];
        // SAFETY: writes at most so many bytes, ending with a zero.
        let code = unsafe { (api.cuDeviceGetName)(name.as_mut_ptr(), name.len() as c_int, handle) };
        api.check(code, doing)?;
        // SAFETY: the driver ended it with a zero byte; the last one is ours.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        let mut memory = 0;
        // SAFETY: writes one size.
        let code = unsafe { (api.cuDeviceTotalMem_v2)(&mut memory, handle) };
        api.check(code, doing)?;
        let ask = |attribute| -> Result<u32, GpuError> {
            let mut value = 0;
            // SAFETY: writes one int; the attribute is older than CUDA 12.0.
            let code = unsafe { (api.cuDeviceGetAttribute)(&mut value, attribute, handle) };
            api.check(code, doing)?;
            Ok(value.unsigned_abs())
        };
        // What a driver does not know, it does not tell.
        let flag = |attribute| ask(attribute).ok().map(|value| value != 0);
        let major = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            target: Target {
                vendor: Vendor::Nvidia,
                arch: arch(major, minor),
                warp: ask(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
                sms: ask(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
                shared_per_block: ask(
                    Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                )?,
            },
            memory: memory as u64,
            told: Told {
                integrated: flag(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED),
                pools: flag(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED),
            },
            handle,
        })
    }
}

/// How many devices the driver shows to this process.
pub(super) fn count(api: &Api) -> Result<u32, GpuError> {
    let mut count = 0;
    // SAFETY: writes one int.
    let code = unsafe { (api.cuDeviceGetCount)(&mut count) };
    api.check(code, || "counting devices".to_owned())?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// What is compiled for: the exact architecture, on 9.0 with the instructions
/// that no later one has (`wgmma`).
fn arch(major: u32, minor: u32) -> String {
    match (major, minor) {
        (9, 0) => "sm_90a".to_owned(),
        _ => format!("sm_{major}{minor}"),
    }
}

//! What a device is, asked of HIP by attributes, whose numbers have not changed
//! since ROCm 4, and of HSA.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int};

use hip_sys::hiprt::hipDeviceAttribute_t as Attribute;

use super::super::driver::GpuError;
use super::super::native::host::Told;
use super::super::program::Target;
use super::agents::{HsaError, Seat, agents};
use super::api::{Api, no_device};
use plan::cost::Vendor;

/// One device of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// `AMD Instinct MI210`.
    pub name: String,
    /// What plans are lowered and kernels compiled for.
    pub target: Target,
    /// Its memory in bytes.
    pub memory: u64,
    /// Whether grids can be launched whose blocks wait for one another.
    pub cooperative: bool,
    /// What it says of its memory.
    pub(super) told: Told,
    /// HIP's number of it.
    pub(super) index: c_int,
}

impl Device {
    /// The device with this number, as `HIP_VISIBLE_DEVICES` numbers them.
    ///
    /// # Errors
    /// There is no such device, or nothing says what it is.
    pub(super) fn find(api: &Api, index: u32) -> Result<Self, GpuError> {
        let count = count(api)?;
        if index >= count {
            return Err(GpuError::missing(match count {
                0 => no_device(),
                1 => format!("there is no device {index}; device 0 is the only one"),
                n => format!("there is no device {index}; there are 0 to {}", n - 1),
            }));
        }
        let doing = || format!("asking what device {index} is");
        let index = index as c_int;
        let mut handle = 0;
        // SAFETY: writes one device number; the index is in range.
        api.check(unsafe { (api.hipDeviceGet)(&mut handle, index) }, doing)?;
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: writes at most so many bytes, ending with a zero.
        let code =
            unsafe { (api.hipDeviceGetName)(name.as_mut_ptr(), name.len() as c_int, handle) };
        api.check(code, doing)?;
        name[255] = 0;
        // SAFETY: ends with a zero byte, above at the latest.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        let mut memory = 0;
        // SAFETY: writes one size.
        let code = unsafe { (api.hipDeviceTotalMem)(&mut memory, handle) };
        api.check(code, doing)?;
        let ask = |attribute| -> Result<u32, GpuError> {
            let mut value = 0;
            // SAFETY: writes one int; the attribute is older than ROCm 5.
            let code = unsafe { (api.hipDeviceGetAttribute)(&mut value, attribute, index) };
            api.check(code, doing)?;
            Ok(value.unsigned_abs())
        };
        // Of what a release does not know yet it tells nothing.
        let flag = |attribute| ask(attribute).ok().map(|value| value != 0);
        let seat = Seat {
            // Older releases do not tell it, and have one.
            domain: ask(Attribute::hipDeviceAttributePciDomainID).unwrap_or(0),
            bus: ask(Attribute::hipDeviceAttributePciBusId)?,
            device: ask(Attribute::hipDeviceAttributePciDeviceId)?,
        };
        let arch = arch(api, seat, count).map_err(|why| {
            GpuError::missing(format!(
                "the architecture of device {index} is not known: {why}"
            ))
        })?;
        let told = name.to_string_lossy().trim().to_owned();
        Ok(Self {
            // Containers often lack the table of names.
            name: match told.as_str() {
                "" => format!("AMD {arch}"),
                _ => told,
            },
            target: Target {
                vendor: Vendor::Amd,
                arch,
                warp: ask(Attribute::hipDeviceAttributeWarpSize)?,
                sms: ask(Attribute::hipDeviceAttributeMultiprocessorCount)?,
                shared_per_block: ask(Attribute::hipDeviceAttributeMaxSharedMemoryPerBlock)?,
            },
            memory: memory as u64,
            cooperative: ask(Attribute::hipDeviceAttributeCooperativeLaunch)? != 0,
            told: Told {
                integrated: flag(Attribute::hipDeviceAttributeIntegrated),
                pools: flag(Attribute::hipDeviceAttributeMemoryPoolsSupported),
            },
            index,
        })
    }

    /// Its name, where it is half of a package with the name of the whole: each
    /// die of an MI250 is a device of its own.
    pub fn title(&self) -> String {
        if self.target.arch == "gfx90a" && self.name.contains("MI250") {
            format!("{} (one GCD)", self.name)
        } else {
            self.name.clone()
        }
    }
}

/// The architecture of the device in this seat, one of `devices`.
fn arch(api: &Api, seat: Seat, devices: u32) -> Result<String, HsaError> {
    let agents = agents(&api.place)?;
    let seated = agents.iter().find(|agent| agent.seat == seat);
    let kinds: BTreeSet<&str> = agents.iter().map(|agent| agent.arch.as_str()).collect();
    let only = match kinds.len() {
        // All are of one kind: it does not matter which sits where.
        1 => agents.first(),
        _ => None,
    };
    match seated.or(only) {
        Some(agent) => Ok(agent.arch.clone()),
        None => Err(HsaError::Nobody(agents.len(), devices, seat)),
    }
}

/// How many devices HIP shows to this process.
pub(super) fn count(api: &Api) -> Result<u32, GpuError> {
    let mut count = 0;
    // SAFETY: writes one int.
    let code = unsafe { (api.hipGetDeviceCount)(&mut count) };
    if code == super::super::native::NO_DEVICE {
        return Ok(0);
    }
    api.check(code, || "counting devices".to_owned())?;
    Ok(u32::try_from(count).unwrap_or(0))
}

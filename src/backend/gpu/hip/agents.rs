//! What architecture a device is. HIP tells it in a structure that changed with
//! ROCm 6 only; HSA, on which HIP stands, has told it by number and name all
//! along. A device is found again by its place on the PCI bus.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};

use super::super::native::library::{self, functions};

/// HSA's library has had this name since ROCm 1.
const HSA: &str = "libhsa-runtime64.so.1";

// Of hsa.h and hsa_ext_amd.h.
const AGENT_INFO_NAME: c_int = 0;
const AGENT_INFO_DEVICE: c_int = 17;
const AMD_AGENT_INFO_BDFID: c_int = 0xA006;
const AMD_AGENT_INFO_DOMAIN: c_int = 0xA00F;
const DEVICE_TYPE_GPU: c_int = 1;

type Visit = unsafe extern "C" fn(u64, *mut c_void) -> c_int;

functions! {
    /// Of hsa.h. An agent is a structure of one 64-bit number.
    struct Functions;
    fn hsa_init();
    fn hsa_shut_down();
    fn hsa_iterate_agents(Visit, *mut c_void);
    fn hsa_agent_get_info(u64, c_int, *mut c_void);
}

/// Where a device sits: domain, bus, device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
}

/// A GPU as HSA knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Agent {
    /// `gfx90a`.
    pub arch: String,
    pub seat: Seat,
}

/// Why HSA does not say what its devices are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HsaError {
    /// No library is beside HIP's.
    NoLibrary,
    /// It has no function of this name.
    Lacks(&'static str),
    /// A call gave a code: what it was to do.
    Failed(&'static str, c_int),
    /// So many GPUs for HIP's so many, and none in this seat.
    Nobody(usize, u32, Seat),
}

impl fmt::Display for HsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary => write!(f, "{HSA} is not found beside HIP's"),
            Self::Lacks(name) => write!(f, "{HSA} lacks {name}"),
            Self::Failed(doing, code) => write!(f, "HSA does not {doing}: error {code:#x}"),
            Self::Nobody(gpus, devices, seat) => {
                let Seat {
                    domain,
                    bus,
                    device,
                } = seat;
                write!(
                    f,
                    "HSA has {gpus} GPUs for HIP's {devices}, and none at PCI {domain:04x}:{bus:02x}:{device:02x}"
                )
            }
        }
    }
}

/// The GPUs that this process may use; `hip` is the path of HIP's library, whose
/// neighbour HSA's is.
///
/// # Errors
/// No library, or one that does not answer.
pub(super) fn agents(hip: &Path) -> Result<Vec<Agent>, HsaError> {
    let mut candidates = vec![PathBuf::from(HSA)];
    candidates.extend(hip.parent().map(|folder| folder.join(HSA)));
    let opened = library::first(&candidates).ok_or(HsaError::NoLibrary)?;
    let functions = Functions::of(opened.library).map_err(HsaError::Lacks)?;
    // SAFETY: takes nothing; counted, so that HIP's own use is not disturbed.
    let code = unsafe { (functions.hsa_init)() };
    if code != 0 {
        return Err(HsaError::Failed("start", code));
    }
    let mut list: Vec<u64> = Vec::new();
    // SAFETY: `push` is called with each agent and the list, during this call.
    let code =
        unsafe { (functions.hsa_iterate_agents)(push, std::ptr::from_mut(&mut list).cast()) };
    let found = list
        .into_iter()
        .filter_map(|agent| describe(&functions, agent))
        .collect();
    // SAFETY: once for the hsa_init above.
    unsafe { (functions.hsa_shut_down)() };
    match code {
        0 => Ok(found),
        code => Err(HsaError::Failed("list its agents", code)),
    }
}

/// Adds an agent to the list that `data` points to.
unsafe extern "C" fn push(agent: u64, data: *mut c_void) -> c_int {
    let list: *mut Vec<u64> = data.cast();
    // SAFETY: the list that `agents` hands in, which nothing else uses meanwhile.
    unsafe { (*list).push(agent) };
    0
}

/// An agent that is a GPU.
fn describe(functions: &Functions, agent: u64) -> Option<Agent> {
    let number = |what: c_int| -> Option<u32> {
        let mut value = 0u32;
        // SAFETY: the attributes that are asked for are 32-bit numbers.
        let code = unsafe {
            (functions.hsa_agent_get_info)(agent, what, std::ptr::from_mut(&mut value).cast())
        };
        (code == 0).then_some(value)
    };
    if number(AGENT_INFO_DEVICE)? != DEVICE_TYPE_GPU as u32 {
        return None;
    }
    let mut name: [c_char; 64] = [0; 64];
    // SAFETY: the name is at most 64 bytes with its zero byte.
    let code =
        unsafe { (functions.hsa_agent_get_info)(agent, AGENT_INFO_NAME, name.as_mut_ptr().cast()) };
    if code != 0 {
        return None;
    }
    name[63] = 0;
    // SAFETY: ends with a zero byte, above at the latest.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy();
    let arch = name.split(':').next().unwrap_or_default().to_owned();
    let place = number(AMD_AGENT_INFO_BDFID)?;
    Some(Agent {
        arch,
        seat: Seat {
            // Older releases have one domain and do not tell it.
            domain: number(AMD_AGENT_INFO_DOMAIN).unwrap_or(0),
            bus: place >> 8 & 0xff,
            device: place >> 3 & 0x1f,
        },
    })
}

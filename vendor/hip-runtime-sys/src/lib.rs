//! The part of `hip-runtime-sys` 0.1.2 that this program uses through `hip-sys`: types
//! and their numbers (hip_runtime_api.h of ROCm 4 to 7), under the published names.
//!
//! The published crate cannot be taken: its build script panics where ROCm's headers
//! are missing and links `-lamdhip64`, and this program has to build without ROCm and
//! start without it. Functions are found by name at run time (`backend/gpu/hip/api.rs`),
//! so nothing else of its 13,000 lines is needed; what is needed next is added here.

#![allow(non_camel_case_types, non_upper_case_globals, missing_docs)]

/// A device's number.
pub type hipDevice_t = core::ffi::c_int;

/// Errors that are told apart.
#[repr(u32)]
#[non_exhaustive]
#[derive(Debug, Copy, Clone, Hash, PartialOrd, Ord, PartialEq, Eq)]
pub enum hipError_t {
    hipErrorInvalidDevice = 101,
    hipErrorInvalidImage = 200,
    hipErrorNoBinaryForGpu = 209,
    hipErrorInvalidKernelFile = 218,
    hipErrorSharedObjectInitFailed = 303,
}

/// Attributes that are asked for.
#[repr(u32)]
#[non_exhaustive]
#[derive(Debug, Copy, Clone, Hash, PartialOrd, Ord, PartialEq, Eq)]
pub enum hipDeviceAttribute_t {
    hipDeviceAttributeCooperativeLaunch = 10,
    hipDeviceAttributeIntegrated = 16,
    hipDeviceAttributeMultiprocessorCount = 63,
    hipDeviceAttributePciBusId = 67,
    hipDeviceAttributePciDeviceId = 68,
    hipDeviceAttributePciDomainID = 69,
    hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
    hipDeviceAttributeWarpSize = 87,
    hipDeviceAttributeMemoryPoolsSupported = 88,
}

//! One launch, with its arguments and attributes; tensor maps.
//!
//! By the driver's own call: cudarc's `launch_kernel` takes no attributes, and a launch that
//! may begin while the one before it ends is one.

use std::ptr;

use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig, CUtensorMap,
    CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle,
};

use super::super::driver::{Call, GpuError};
use super::super::native::kernel;
use super::super::native::stream::Stream;
use super::super::program::TensorMap;
use super::api::Api;
use super::module::{Loaded, check_parameters};

/// The driver that was seen to start a cooperative launch while the one in front ends (in a
/// graph; in a stream it starts no earlier).
const COOPERATIVE_OVERLAP: u32 = 13_000;

/// Hands in one launch.
pub(super) fn launch(
    api: &Api,
    stream: &Stream,
    loaded: &Loaded,
    title: &str,
    call: &Call<'_>,
) -> Result<(), GpuError> {
    kernel::check_shape(&loaded.facts, title, call)?;
    check_parameters(loaded, title, call.parameters)?;
    let mut arguments = kernel::pointers(call.parameters);
    let mut attributes = Vec::with_capacity(2);
    if call.cooperative {
        attributes.push(attribute(
            CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            CUlaunchAttributeValue { cooperative: 1 },
        ));
    }
    // Code for an older device lacks the wait: it must not start early. Older drivers were
    // not seen to take both attributes.
    let may = !call.cooperative || api.version() >= COOPERATIVE_OVERLAP;
    if call.overlap && loaded.waits && may {
        attributes.push(attribute(
            CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            CUlaunchAttributeValue {
                programmaticStreamSerializationAllowed: 1,
            },
        ));
    }
    let [x, y, z] = call.grid;
    let config = CUlaunchConfig {
        gridDimX: x,
        gridDimY: y,
        gridDimZ: z,
        blockDimX: call.threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: call.shared,
        hStream: stream.handle.cast(),
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    };
    // SAFETY: the function is loaded; one pointer per parameter, each to a value
    // of the size that the kernel's signature has (checked above where the driver
    // tells the signature), copied before the call returns.
    let code = unsafe {
        (api.cuLaunchKernelEx)(
            &config,
            loaded.function.cast(),
            arguments.as_mut_ptr(),
            ptr::null_mut(),
        )
    };
    api.check(code, || kernel::launching(title, call))
}

fn attribute(id: CUlaunchAttributeID, value: CUlaunchAttributeValue) -> CUlaunchAttribute {
    CUlaunchAttribute {
        id,
        pad: [0; 4],
        value,
    }
}

/// The tensor map of a bf16 matrix in a buffer at `address`.
pub(super) fn tensor_map(api: &Api, address: u64, map: &TensorMap) -> Result<[u64; 16], GpuError> {
    let mut encoded = CUtensorMap { opaque: [0; 16] };
    let start = address + map.offset;
    let grouped = map.group > 0;
    // A group is a dimension of its own, of which a tile takes two.
    let (sizes, rank) = if grouped {
        ([map.columns, map.group, map.rows / map.group], 3)
    } else {
        ([map.columns, map.rows, 1], 2)
    };
    let swizzle = match map.box_columns {
        32 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        _ => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
    };
    // SAFETY: as many sizes, box sizes and steps as the rank at least, and one stride
    // less; the memory is not touched. Values that hardware does not take are refused.
    let code = unsafe {
        (api.cuTensorMapEncodeTiled)(
            &mut encoded,
            CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            rank,
            ptr::with_exposed_provenance_mut(start as usize),
            sizes.as_ptr(),
            [map.stride, map.stride * map.group].as_ptr(),
            [map.box_columns, map.box_rows, 2].as_ptr(),
            [1, 1, 1].as_ptr(),
            CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    api.check(code, || {
        format!(
            "a tensor map of {} x {} at {start:#x}, rows {} bytes apart, tiles {} x {}",
            map.rows, map.columns, map.stride, map.box_rows, map.box_columns
        )
    })?;
    Ok(encoded.opaque)
}

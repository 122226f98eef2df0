// What HIPRTC's own header offers, as far as the kernels use it, for a plain clang:
//   clang -x hip --cuda-device-only -nogpuinc -nogpulib -include device.h ...
// Mathematics is left to clang's builtins, which are the machine's instructions
// with a correction or two: what is compiled so is measured, not run.

#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define DEVICE_FUNCTION static __device__ __forceinline__

struct Index {
    unsigned x, y, z;
};
DEVICE_FUNCTION Index thread_index() { return {__builtin_amdgcn_workitem_id_x(), 0, 0}; }
DEVICE_FUNCTION Index block_index() {
    return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
            __builtin_amdgcn_workgroup_id_z()};
}
DEVICE_FUNCTION Index block_size() { return {__builtin_amdgcn_workgroup_size_x(), 1, 1}; }
DEVICE_FUNCTION Index grid_size() {
    return {__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
            __builtin_amdgcn_grid_size_y(), __builtin_amdgcn_grid_size_z()};
}
#define threadIdx thread_index()
#define blockIdx block_index()
#define blockDim block_size()
#define gridDim grid_size()

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
DEVICE_FUNCTION float2 make_float2(float x, float y) { return {x, y}; }
DEVICE_FUNCTION float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
DEVICE_FUNCTION uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

DEVICE_FUNCTION float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
DEVICE_FUNCTION unsigned __float_as_uint(float value) {
    return __builtin_bit_cast(unsigned, value);
}
DEVICE_FUNCTION int min(int a, int b) { return a < b ? a : b; }
DEVICE_FUNCTION int max(int a, int b) { return a > b ? a : b; }
DEVICE_FUNCTION float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE_FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FUNCTION float rintf(float a) { return __builtin_rintf(a); }
DEVICE_FUNCTION float rsqrtf(float a) { return __builtin_amdgcn_rsqf(a); }
DEVICE_FUNCTION float expf(float a) { return __builtin_expf(a); }
DEVICE_FUNCTION float logf(float a) { return __builtin_logf(a); }
DEVICE_FUNCTION float __expf(float a) { return __builtin_amdgcn_exp2f(a * 1.44269504f); }
DEVICE_FUNCTION float __logf(float a) { return __builtin_amdgcn_logf(a) * 0.69314718f; }
DEVICE_FUNCTION float __fdividef(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
DEVICE_FUNCTION float __cosf(float a) { return __builtin_amdgcn_cosf(a * 0.159154943f); }
DEVICE_FUNCTION float __sinf(float a) { return __builtin_amdgcn_sinf(a * 0.159154943f); }
DEVICE_FUNCTION void sincospif(float a, float *sine, float *cosine) {
    *sine = __builtin_amdgcn_sinf(a * 0.5f), *cosine = __builtin_amdgcn_cosf(a * 0.5f);
}
DEVICE_FUNCTION float powf(float a, float b) {
    return __builtin_amdgcn_exp2f(b * __builtin_amdgcn_logf(a));
}

DEVICE_FUNCTION float __shfl_xor(float value, int mask, int width) {
    int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    (void)width;
    int bits = __builtin_amdgcn_ds_bpermute((lane ^ mask) << 2, __builtin_bit_cast(int, value));
    return __builtin_bit_cast(float, bits);
}
DEVICE_FUNCTION void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEVICE_FUNCTION void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
DEVICE_FUNCTION unsigned atomicAdd(unsigned *to, unsigned value) {
    return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// What every kernel may use: the element type, lanes and warps, sums over a
// warp and a block, loads of 16 bytes. Nothing here names a vendor's
// instruction unless the vendor is asked for first.
//
// Compiled in by -D: BF16 (1: elements are bf16, 0: fp32), HEAD (width of a
// head, where a kernel needs it).

#if defined(__HIPCC_RTC__) || defined(__HIP__)
#define GPU_AMD 1
#else
#define GPU_AMD 0
#endif

// Architecture of NVIDIA's compiler as two or three digits: 800 is sm_80.
#if !GPU_AMD && defined(__CUDA_ARCH__)
#define GPU_SM __CUDA_ARCH__
#else
#define GPU_SM 0
#endif

// Threads that run in lockstep: a warp of 32, or a wave of 64 on AMD's CDNA (and
// GCN). RDNA's waves are compiled with 32 lanes.
#ifndef WARP
#if GPU_AMD && defined(__GFX9__)
#define WARP 64
#else
#define WARP 32
#endif
#endif

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define MINUS_INFINITY __uint_as_float(0xff800000u)

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__

// A kernel of blocks of at most so many threads, with registers for so many blocks
// on a multiprocessor. AMD's compiler counts waves on a SIMD, of which a compute
// unit has four (RDNA's two, with twice the lanes).
#if GPU_AMD
#if WARP == 64
#define SIMDS 4
#else
#define SIMDS 2
#endif
#define LAUNCH_BOUNDS(threads, blocks)                                                             \
    __attribute__((amdgpu_flat_work_group_size(1, threads)))                                       \
    __attribute__((amdgpu_waves_per_eu(((threads) / WARP * (blocks) + SIMDS - 1) / SIMDS)))
#else
#define LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#endif

// ---- elements ----------------------------------------------------------------

// bf16: the upper half of an fp32. Widening is a shift; narrowing rounds to
// nearest, ties to even.
struct bf16 {
    u16 bits;
};

DEVICE float widen(bf16 value) { return __uint_as_float(u32(value.bits) << 16); }
DEVICE float widen(float value) { return value; }

DEVICE bf16 narrow_bf16(float value) {
    bf16 out;
#if GPU_SM >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out.bits) : "f"(value));
#else
    u32 bits = __float_as_uint(value);
    bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    out.bits = nan ? u16(bits >> 16 | 0x40u) : u16((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
    return out;
}

#if BF16
typedef bf16 elem;
DEVICE elem narrow(float value) { return narrow_bf16(value); }
#else
typedef float elem;
DEVICE elem narrow(float value) { return value; }
#endif

// As many neighbouring elements as one 16-byte access moves: 8 bf16 or 4 fp32.
#define PACK int(16 / sizeof(elem))
struct alignas(16) Pack {
    elem at[PACK];
};

DEVICE Pack load_pack(const elem *from) { return *reinterpret_cast<const Pack *>(from); }

// 16 bytes that are read once: they need not displace others from the caches.
DEVICE Pack load_pack_once(const elem *from) {
#if GPU_AMD
    return load_pack(from);
#else
    uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(from));
    return *reinterpret_cast<const Pack *>(&bits);
#endif
}

// A plain assignment may be merged with element-wise stores of another branch and
// fall apart into eight accesses of 2 bytes; the instruction by name may not.
// `to` is in global memory.
DEVICE void store_pack(elem *to, const Pack &pack) {
#if GPU_AMD
    *reinterpret_cast<Pack *>(to) = pack;
#else
    uint4 raw = *reinterpret_cast<const uint4 *>(&pack);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "r"(raw.x), "r"(raw.y), "r"(raw.z), "r"(raw.w)
                 : "memory");
#endif
}

// exp(x) = 2^(x * LOG2_E): a constant that joins another factor for free.
#define LOG2_E 1.4426950408889634f

#if GPU_AMD && !__has_builtin(__builtin_amdgcn_exp2f)
extern "C" __device__ float __ocml_native_exp2_f32(float); // of ROCm's device library
#endif

// 2 to the power of `value` by the machine's own instruction: relative error
// below 2^-22, results below 2^-126 become 0. What softmax needs, and no more.
DEVICE float exp2_approx(float value) {
#if GPU_AMD
#if __has_builtin(__builtin_amdgcn_exp2f)
    return __builtin_amdgcn_exp2f(value);
#else
    return __ocml_native_exp2_f32(value);
#endif
#else
    float out;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(value));
    return out;
#endif
}

// ---- lanes, warps, blocks ------------------------------------------------------

DEVICE int lane_id() { return threadIdx.x % WARP; }
DEVICE int warp_id() { return threadIdx.x / WARP; }

// The value of the lane whose number differs in the bits of `mask`.
DEVICE float swap_lanes(float value, int mask) {
#if GPU_AMD
    return __shfl_xor(value, mask, WARP);
#else
    return __shfl_xor_sync(0xffffffffu, value, mask);
#endif
}

// What the lanes of a warp stored before is seen by all of them after.
DEVICE void warp_sync() {
#if GPU_AMD
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#else
    __syncwarp();
#endif
}

// Sum over the warp, in every lane. log2(WARP) exchanges, always in the same
// order, so that the same inputs give the same bits.
DEVICE float warp_sum(float value) {
    for (int mask = WARP / 2; mask > 0; mask /= 2) value += swap_lanes(value, mask);
    return value;
}

DEVICE float warp_max(float value) {
    for (int mask = WARP / 2; mask > 0; mask /= 2) value = fmaxf(value, swap_lanes(value, mask));
    return value;
}

// Sum over the block, in every thread. `scratch` is shared memory for one value
// per warp; it may be used again after the call.
DEVICE float block_sum(float value, float *scratch) {
    value = warp_sum(value);
    if (lane_id() == 0) scratch[warp_id()] = value;
    __syncthreads();
    int warps = (blockDim.x + WARP - 1) / WARP;
    value = lane_id() < warps ? scratch[lane_id()] : 0.0f;
    value = warp_sum(value);
    __syncthreads();
    return value;
}

DEVICE float block_max(float value, float *scratch) {
    value = warp_max(value);
    if (lane_id() == 0) scratch[warp_id()] = value;
    __syncthreads();
    int warps = (blockDim.x + WARP - 1) / WARP;
    value = lane_id() < warps ? scratch[lane_id()] : MINUS_INFINITY;
    value = warp_max(value);
    __syncthreads();
    return value;
}

// ---- where a row lies ----------------------------------------------------------

// Row `row` (of batch * seq) in a tensor that holds `cap` rows per sequence, of
// which the first `past` are there already. Without a cache cap = seq and
// past = 0, and the row is its own place.
DEVICE long cache_row(int row, int seq, int cap, int past) {
    return long(row / seq) * cap + past + row % seq;
}

// ---- one kernel after another --------------------------------------------------

// Programmatic dependent launch (sm_90 and up): a kernel so launched starts while
// the one in front of it still runs. Whatever does not depend on that one may be
// done before grid_wait, which returns when it has ended and its writes are
// visible. Every thread that reads or overwrites another kernel's data calls it.
// grid_launch_next, called by all blocks, lets the next kernel start. Without the
// launch attribute, and on other GPUs, both are nothing.
//
// What is read after grid_wait must not be `const __restrict__`: such loads count
// as loads of constants, and the compiler may move them in front of it.
DEVICE void grid_wait() {
#if GPU_SM >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
DEVICE void grid_launch_next() {
#if GPU_SM >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

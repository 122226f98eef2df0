// What NVRTC offers without a header, as far as a kernel needs it, for a plain clang: it
// comes with neither CUDA's headers nor its library of mathematics. Instructions are asked
// for by clang's own names; what is inlined counts as the line that called it.

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define GIVEN static __device__ __attribute__((always_inline, nodebug, unused)) inline

typedef __SIZE_TYPE__ size_t;
extern "C" __device__ int printf(const char *, ...);

struct dim3_ {
    unsigned x, y, z;
};
#define INDEX(name, of)                                                                            \
    GIVEN dim3_ name() {                                                                           \
        return {unsigned(__nvvm_read_ptx_sreg_##of##_x()),                                         \
                unsigned(__nvvm_read_ptx_sreg_##of##_y()),                                         \
                unsigned(__nvvm_read_ptx_sreg_##of##_z())};                                        \
    }
INDEX(thread_index_, tid)
INDEX(block_index_, ctaid)
INDEX(block_size_, ntid)
INDEX(grid_size_, nctaid)
#undef INDEX
#define threadIdx thread_index_()
#define blockIdx block_index_()
#define blockDim block_size_()
#define gridDim grid_size_()

// ---- vectors ----------------------------------------------------------------------

#define VECTORS(type, name)                                                                        \
    struct alignas(2 * sizeof(type)) name##2 {                                                     \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct alignas(4 * sizeof(type)) name##4 {                                                     \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    GIVEN name##2 make_##name##2(type x, type y) { return {x, y}; }                                \
    GIVEN name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                     \
    GIVEN name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTORS(float, float)
VECTORS(int, int)
VECTORS(unsigned, uint)
#undef VECTORS

// ---- bits and whole numbers -------------------------------------------------------

GIVEN float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
GIVEN float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
GIVEN unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
GIVEN int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
GIVEN int __popc(unsigned bits) { return __builtin_popcount(bits); }
GIVEN int __clz(int bits) { return bits ? __builtin_clz(unsigned(bits)) : 32; }
GIVEN int abs(int value) { return value < 0 ? -value : value; }
#define LEAST_AND_MOST(type)                                                                       \
    GIVEN type min(type a, type b) { return a < b ? a : b; }                                       \
    GIVEN type max(type a, type b) { return a < b ? b : a; }
LEAST_AND_MOST(int)
LEAST_AND_MOST(unsigned)
LEAST_AND_MOST(long)
LEAST_AND_MOST(unsigned long)
LEAST_AND_MOST(long long)
LEAST_AND_MOST(unsigned long long)
#undef LEAST_AND_MOST

// ---- mathematics ------------------------------------------------------------------

GIVEN float fminf(float a, float b) { return __builtin_fminf(a, b); }
GIVEN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
GIVEN float min(float a, float b) { return fminf(a, b); }
GIVEN float max(float a, float b) { return fmaxf(a, b); }
GIVEN float fabsf(float a) { return __builtin_fabsf(a); }
GIVEN float floorf(float a) { return __builtin_floorf(a); }
GIVEN float ceilf(float a) { return __builtin_ceilf(a); }
GIVEN float rintf(float a) { return __builtin_rintf(a); }
GIVEN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GIVEN bool isnan(float a) { return a != a; }
GIVEN bool isinf(float a) { return fabsf(a) == __builtin_inff(); }
GIVEN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
GIVEN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
GIVEN float __fdividef(float a, float b) { return a / b; }

// e^a = 2^n * e^r with n = round(a / ln 2) and |r| <= ln 2 / 2. ln 2 in two parts, of which
// the first has 9 bits, so that n times it is exact (W. J. Cody and W. Waite, "Software
// manual for the elementary functions", 1980). 2^n in two halves, as it may be below the
// least normal number. Past 104 there is nothing but 0 and infinity.
GIVEN float expf(float a) {
    const float log2_e = 1.4426950408889634f;
    float near = fminf(fmaxf(a, -104.0f), 104.0f);
    float n = rintf(near * log2_e), half = rintf(0.5f * n);
    float r = fmaf(n, 2.12194440e-4f, fmaf(n, -0.693359375f, near));
    float power = __nvvm_ex2_approx_ftz_f(r * log2_e) * __nvvm_ex2_approx_ftz_f(half) *
                  __nvvm_ex2_approx_ftz_f(n - half);
    return isnan(a) ? a : power;
}
GIVEN float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
GIVEN float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950408889634f); }
GIVEN float log2f(float a) { return __nvvm_lg2_approx_f(a); }
GIVEN float logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147180559945f; }
GIVEN float __logf(float a) { return logf(a); }

// ---- lanes, memory ----------------------------------------------------------------

GIVEN void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
GIVEN void __threadfence_block() { __nvvm_membar_cta(); }
GIVEN void __threadfence() { __nvvm_membar_gl(); }
GIVEN unsigned __ballot_sync(unsigned mask, int holds) {
    return __nvvm_vote_ballot_sync(mask, holds);
}
GIVEN unsigned __activemask() {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
// The last argument: lanes above the last of a part of `width`, and the last lane of it.
#define SHUFFLES(type)                                                                             \
    GIVEN type __shfl_sync(unsigned mask, type value, int lane, int width = 32) {                  \
        return __builtin_bit_cast(type, __nvvm_shfl_sync_idx_i32(                                  \
            mask, __builtin_bit_cast(int, value), lane, (32 - width) << 8 | 31));                  \
    }                                                                                              \
    GIVEN type __shfl_xor_sync(unsigned mask, type value, int lanes, int width = 32) {             \
        return __builtin_bit_cast(type, __nvvm_shfl_sync_bfly_i32(                                 \
            mask, __builtin_bit_cast(int, value), lanes, (32 - width) << 8 | 31));                 \
    }                                                                                              \
    GIVEN type __shfl_down_sync(unsigned mask, type value, unsigned by, int width = 32) {          \
        return __builtin_bit_cast(type, __nvvm_shfl_sync_down_i32(                                 \
            mask, __builtin_bit_cast(int, value), int(by), (32 - width) << 8 | 31));               \
    }                                                                                              \
    GIVEN type __shfl_up_sync(unsigned mask, type value, unsigned by, int width = 32) {            \
        return __builtin_bit_cast(type, __nvvm_shfl_sync_up_i32(                                   \
            mask, __builtin_bit_cast(int, value), int(by), (32 - width) << 8));                    \
    }
SHUFFLES(float)
SHUFFLES(int)
SHUFFLES(unsigned)
#undef SHUFFLES

GIVEN float atomicAdd(float *to, float value) { return __nvvm_atom_add_gen_f(to, value); }
GIVEN int atomicAdd(int *to, int value) { return __nvvm_atom_add_gen_i(to, value); }
GIVEN unsigned atomicAdd(unsigned *to, unsigned value) {
    return unsigned(__nvvm_atom_add_gen_i(reinterpret_cast<int *>(to), int(value)));
}
GIVEN int atomicMax(int *to, int value) { return __nvvm_atom_max_gen_i(to, value); }

template <class T> GIVEN T __ldg(const T *from) { return *from; }
template <class T> GIVEN T __ldcs(const T *from) { return *from; }
GIVEN size_t __cvta_generic_to_global(const void *at) {
    return (size_t)(const __attribute__((address_space(1))) void *)at;
}

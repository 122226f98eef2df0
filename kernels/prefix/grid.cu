// What blocks of one launch say to one another: a barrier for the whole grid,
// and words that carry their own readiness. Both need all blocks resident at
// once, which a cooperative launch promises.

// ---- memory as other blocks see it -----------------------------------------------

// Relaxed loads and stores at device scope: past the first-level cache, and
// each word whole. Order comes from what a word contains, or from the acquire
// and release below.
DEVICE u32 load_device(const u32 *from) {
#if GPU_AMD
    return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
#endif
}

DEVICE u64 load_device(const u64 *from) {
#if GPU_AMD
    return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
#endif
}

// Four neighbouring words, or two double words, in one access of 16 bytes; AMD's
// atomic accesses are of 8 bytes, which is a whole word as well.
DEVICE void load_device_16(u32 *to, const u32 *from) {
#if GPU_AMD
    for (int i = 0; i < 4; i += 2) {
        u64 both = load_device(reinterpret_cast<const u64 *>(from + i));
        to[i] = u32(both), to[i + 1] = u32(both >> 32);
    }
#else
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from)
                 : "memory");
#endif
}

DEVICE void load_device_16(u64 *to, const u64 *from) {
#if GPU_AMD
    for (int i = 0; i < 2; i++) to[i] = load_device(from + i);
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(to[0]), "=l"(to[1])
                 : "l"(from)
                 : "memory");
#endif
}

DEVICE void store_device(u32 *to, u32 value) {
#if GPU_AMD
    __hip_atomic_store(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
#endif
}

DEVICE void store_device(u64 *to, u64 value) {
#if GPU_AMD
    __hip_atomic_store(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
#endif
}

// ---- what is worked out again ----------------------------------------------------------

// The same value, though the compiler does not know: what follows from it is worked out
// again, and not kept in registers since it was last needed.
DEVICE int anew(int value) {
#if !GPU_AMD
    asm volatile("" : "+r"(value));
#endif
    return value;
}

// ---- grid barrier -------------------------------------------------------------------

DEVICE u32 add_release(u32 *to, u32 value) {
#if GPU_AMD
    return __hip_atomic_fetch_add(to, value, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
#else
    u32 old;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(to), "r"(value)
                 : "memory");
    return old;
#endif
}

DEVICE u32 load_acquire(const u32 *from) {
#if GPU_AMD
    return __hip_atomic_load(from, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
#else
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
#endif
}

// What a thread wrote reaches the other blocks, or what they wrote reaches it. On
// NVIDIA the barrier's own release and acquire do so for all threads that
// __syncthreads joins to them. AMD's wait for one wave's stores and one cache: each
// wave has to write back and to forget by itself.
DEVICE void grid_release() {
#if GPU_AMD
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
#endif
}
DEVICE void grid_acquire() {
#if GPU_AMD
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#endif
}

// All threads of all blocks arrive before any goes on; what they wrote before
// is visible after. The counter's top bit is the barrier's phase: the blocks
// together add 2^31 to it, so that it needs no reset, neither between two
// barriers nor between two launches.
DEVICE void grid_barrier(u32 *counter) {
    grid_release();
    __syncthreads();
    if (threadIdx.x == 0) {
        const u32 phase = 0x80000000u;
        u32 share = blockIdx.x == 0 ? phase - (gridDim.x - 1) : 1;
        u32 before = add_release(counter, share);
        // Relaxed: each acquire would empty the first-level cache of the multiprocessor.
        while (((load_device(counter) ^ before) & phase) == 0) {
        }
        load_acquire(counter);
    }
    __syncthreads();
    grid_acquire();
}

// ---- words that carry their own readiness ---------------------------------------------

// A value and the number of the step that made it, written and read as one
// word. A reader asks again until the number is the one it waits for, and then
// has the value too: one trip to the second-level cache in place of a barrier
// (release, count, poll) and a load. No fence is needed, since nothing is
// ordered between two words; and no reset, since the next step has another
// number.
#if BF16
#define TAG_MASK 0xffffu
typedef u32 Tagged; // value in the upper half, tag in the lower
DEVICE Tagged tag_value(float value, u32 tag) {
    return u32(narrow(value).bits) << 16 | (tag & TAG_MASK);
}
DEVICE float tagged_value(Tagged word) { return __uint_as_float(word & 0xffff0000u); }
#else
#define TAG_MASK 0xffffffffu
typedef u64 Tagged;
DEVICE Tagged tag_value(float value, u32 tag) {
    return u64(__float_as_uint(value)) << 32 | tag;
}
DEVICE float tagged_value(Tagged word) { return __uint_as_float(u32(word >> 32)); }
#endif

// A float at full precision, whatever an element is.
typedef u64 TaggedFloat;
DEVICE TaggedFloat tag_float(float value, u32 tag) {
    return u64(__float_as_uint(value)) << 32 | tag;
}
DEVICE bool float_has_tag(TaggedFloat word, u32 tag) { return u32(word) == tag; }
DEVICE float tagged_float(TaggedFloat word) { return __uint_as_float(u32(word >> 32)); }

// PACK neighbouring tagged values: 32 bytes, one sector.
struct TaggedPack {
    Tagged at[PACK];
};

DEVICE void load_tagged(TaggedPack &to, const Tagged *from) {
    load_device_16(to.at, from);
    load_device_16(to.at + PACK / 2, from + PACK / 2);
}

DEVICE bool all_tagged(const TaggedPack &pack, u32 tag) {
    u32 wrong = 0;
#pragma unroll
    for (int i = 0; i < PACK; i++) wrong |= u32(pack.at[i]) ^ tag;
    return (wrong & TAG_MASK) == 0;
}

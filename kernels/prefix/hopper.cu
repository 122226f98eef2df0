// Hopper's own machinery (sm_90a): barriers that count bytes, the copy engine
// (TMA), and matrix products by a warpgroup of four warps (wgmma).
//
// Three things work at once here, and none of them waits by itself:
// - the copy engine writes boxes of a tensor into shared memory and reports the
//   bytes to a barrier;
// - the matrix units read shared memory through descriptors and add into
//   registers that nobody may touch before the wait;
// - threads do the rest.

#if GPU_SM >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HOPPER 1

// What the copy engine knows of a tensor: address, sizes, strides, box, swizzle.
// Encoded by the driver (cuTensorMapEncodeTiled), passed by value as a
// `const __grid_constant__` parameter.
struct alignas(64) TensorMap {
    u64 at[16];
};

// ---- barriers in shared memory -------------------------------------------------
// A barrier has a phase. It ends when `count` arrivals and all announced bytes
// have come; then the next one begins with the same count. A waiter names the
// parity of the phase that must have ended: 0 for the first, 1 for the second,
// and so on. (Parity 1 on a fresh barrier therefore returns at once.)

DEVICE void barrier_init(u64 *barrier, u32 count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(count));
}

// After the last barrier_init and before the threads' barrier: makes the
// barriers known to the copy engine too.
DEVICE void barriers_ready() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One arrival that announces `bytes` still to come.
DEVICE void barrier_expect(u64 *barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

DEVICE void barrier_arrive(u64 *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

DEVICE void barrier_wait(u64 *barrier, u32 parity) {
    asm volatile(
        "{\n\t"
        ".reg .pred ended;\n\t"
        "again:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n\t"
        "@!ended bra again;\n\t"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

// ---- barriers between warps ------------------------------------------------------
// Barrier `id`, 1 to 15 (0 is __syncthreads), ends when `threads` threads have come;
// those that only arrive do not wait for it.

DEVICE void named_wait(int id, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
DEVICE void named_arrive(int id, int threads) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// True in one lane of the warp. The compiler then knows that one lane asks the copy
// engine; after a plain comparison it makes a loop over lanes of every request.
DEVICE bool elect() {
    u32 chosen;
    asm volatile(
        "{\n\t.reg .pred chosen;\n\telect.sync _|chosen, 0xffffffff;\n\t"
        "selp.b32 %0, 1, 0, chosen;\n\t}"
        : "=r"(chosen));
    return chosen;
}

// ---- the copy engine -----------------------------------------------------------
// Copies the map's box whose first element has the given coordinates, innermost
// first, to `to` and reports its bytes to `full`. What lies outside the tensor
// arrives as zeros (and counts as bytes). One thread calls.

DEVICE void tma_load(void *to, const TensorMap &map, u64 *full, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(full)), "r"(x), "r"(y)
        : "memory");
}

// Brings the map itself near, so that the first load does not wait for it.
DEVICE void tma_prefetch(const TensorMap &map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// ---- matrix products by a warpgroup --------------------------------------------
// d[64][N] += a[64][16] * b[N][16]^T, a and b bf16 in shared memory, d fp32 in
// registers: lane l of warp w (of four) holds, for each group j of 8 columns,
//   d[4j], d[4j+1]    row 16w + l/4,      columns 8j + 2(l%4) and the next
//   d[4j+2], d[4j+3]  row 16w + l/4 + 8,  the same columns

// Describes a tile whose rows are 128 bytes (64 bf16 of K), as the copy engine
// writes it with the 128-byte swizzle: groups of eight rows 1024 bytes apart. The
// tile begins at a multiple of 1024 bytes. Descriptors add: +2 is 16 further
// along K, +512 is 64 rows further down (units of 16 bytes).
DEVICE u64 tile_descriptor(const void *tile) {
    return u64((shared_address(tile) & 0x3ffffu) >> 4) | u64(1) << 16 | u64(1024 >> 4) << 32 |
           u64(1) << 62;
}

// The same for a right operand whose rows run along the sum: 64 columns of N are a
// panel of 128-byte rows, panels lie `panel_bytes` apart; +128 is 16 rows further.
DEVICE u64 panels_descriptor(const void *tile, int panel_bytes) {
    return u64((shared_address(tile) & 0x3ffffu) >> 4) | u64(panel_bytes >> 4) << 16 |
           u64(1024 >> 4) << 32 | u64(1) << 62;
}

// The matrix units and the copy engine do not see threads' writes to shared memory
// (nor cp_async's) by themselves: the writer calls this, then the block's barrier.
DEVICE void units_see_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Before the first product, and whenever registers of d were written by others.
DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Products issued so far become one group.
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until at most PENDING groups are still running.
template <int PENDING>
DEVICE void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// The compiler does not know that a product ends later than its instruction: no
// use of d may move up past the wait.
template <int COUNT>
DEVICE void wgmma_settle(float (&d)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) asm volatile("" : "+f"(d[i])::"memory");
}

// An instruction names every register it adds into: N / 2 of them. HOPPER_WGMMA(N)
// makes the function for one N, any multiple of 16 up to 256. The descriptors
// come first in the list (hence "+"), so that the numbers of the sums do not
// depend on N. `add` 0 overwrites d.
template <int N>
struct Wgmma;

#define HOPPER_WGMMA(N) HOPPER_WGMMA_OF(N)
#define HOPPER_WGMMA_OF(N)                                                                        \
    template <>                                                                                   \
    struct Wgmma<N> {                                                                             \
        static __device__ __forceinline__ void add(float (&d)[N / 2], u64 a, u64 b, int keep) {   \
            asm volatile(                                                                         \
                "{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %2, 0;\n\t"                           \
                "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" WGMMA_NAMES_##N      \
                "}, %0, %1, keep, 1, 1, 0, 0;\n\t}"                                               \
                : "+l"(a), "+l"(b), "+r"(keep), WGMMA_SUMS_##N);                                  \
        }                                                                                         \
    };

#define WGMMA_SUMS_AT(i)                                                                          \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),   \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define WGMMA_SUMS_16 WGMMA_SUMS_AT(0)
#define WGMMA_SUMS_32 WGMMA_SUMS_16, WGMMA_SUMS_AT(8)
#define WGMMA_SUMS_48 WGMMA_SUMS_32, WGMMA_SUMS_AT(16)
#define WGMMA_SUMS_64 WGMMA_SUMS_48, WGMMA_SUMS_AT(24)
#define WGMMA_SUMS_80 WGMMA_SUMS_64, WGMMA_SUMS_AT(32)
#define WGMMA_SUMS_96 WGMMA_SUMS_80, WGMMA_SUMS_AT(40)
#define WGMMA_SUMS_112 WGMMA_SUMS_96, WGMMA_SUMS_AT(48)
#define WGMMA_SUMS_128 WGMMA_SUMS_112, WGMMA_SUMS_AT(56)
#define WGMMA_SUMS_144 WGMMA_SUMS_128, WGMMA_SUMS_AT(64)
#define WGMMA_SUMS_160 WGMMA_SUMS_144, WGMMA_SUMS_AT(72)
#define WGMMA_SUMS_176 WGMMA_SUMS_160, WGMMA_SUMS_AT(80)
#define WGMMA_SUMS_192 WGMMA_SUMS_176, WGMMA_SUMS_AT(88)
#define WGMMA_SUMS_208 WGMMA_SUMS_192, WGMMA_SUMS_AT(96)
#define WGMMA_SUMS_224 WGMMA_SUMS_208, WGMMA_SUMS_AT(104)
#define WGMMA_SUMS_240 WGMMA_SUMS_224, WGMMA_SUMS_AT(112)
#define WGMMA_SUMS_256 WGMMA_SUMS_240, WGMMA_SUMS_AT(120)

#define WGMMA_NAMES_16 "%3, %4, %5, %6, %7, %8, %9, %10"
#define WGMMA_NAMES_32 WGMMA_NAMES_16 ", %11, %12, %13, %14, %15, %16, %17, %18"
#define WGMMA_NAMES_48 WGMMA_NAMES_32 ", %19, %20, %21, %22, %23, %24, %25, %26"
#define WGMMA_NAMES_64 WGMMA_NAMES_48 ", %27, %28, %29, %30, %31, %32, %33, %34"
#define WGMMA_NAMES_80 WGMMA_NAMES_64 ", %35, %36, %37, %38, %39, %40, %41, %42"
#define WGMMA_NAMES_96 WGMMA_NAMES_80 ", %43, %44, %45, %46, %47, %48, %49, %50"
#define WGMMA_NAMES_112 WGMMA_NAMES_96 ", %51, %52, %53, %54, %55, %56, %57, %58"
#define WGMMA_NAMES_128 WGMMA_NAMES_112 ", %59, %60, %61, %62, %63, %64, %65, %66"
#define WGMMA_NAMES_144 WGMMA_NAMES_128 ", %67, %68, %69, %70, %71, %72, %73, %74"
#define WGMMA_NAMES_160 WGMMA_NAMES_144 ", %75, %76, %77, %78, %79, %80, %81, %82"
#define WGMMA_NAMES_176 WGMMA_NAMES_160 ", %83, %84, %85, %86, %87, %88, %89, %90"
#define WGMMA_NAMES_192 WGMMA_NAMES_176 ", %91, %92, %93, %94, %95, %96, %97, %98"
#define WGMMA_NAMES_208 WGMMA_NAMES_192 ", %99, %100, %101, %102, %103, %104, %105, %106"
#define WGMMA_NAMES_224 WGMMA_NAMES_208 ", %107, %108, %109, %110, %111, %112, %113, %114"
#define WGMMA_NAMES_240 WGMMA_NAMES_224 ", %115, %116, %117, %118, %119, %120, %121, %122"
#define WGMMA_NAMES_256 WGMMA_NAMES_240 ", %123, %124, %125, %126, %127, %128, %129, %130"

// The same with the left operand in registers, as `mma` holds it, and the right one
// with its rows along the sum: row k of the tile holds N neighbouring columns.
template <int N>
struct WgmmaHeld;

#define HOPPER_WGMMA_HELD(N) HOPPER_WGMMA_HELD_OF(N)
#define HOPPER_WGMMA_HELD_OF(N)                                                                   \
    template <>                                                                                   \
    struct WgmmaHeld<N> {                                                                         \
        static __device__ __forceinline__ void add(float (&d)[N / 2], u32 (&a)[4], u64 b) {       \
            asm volatile(                                                                         \
                "{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, 1, 0;\n\t"                            \
                "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" WGMMA_NAMES_##N      \
                "}, {%1, %2, " WGMMA_HELD_##N "}, %0, keep, 1, 1, 1;\n\t}"                        \
                : "+l"(b), "+r"(a[0]), "+r"(a[1]), WGMMA_SUMS_##N                                 \
                : "r"(a[2]), "r"(a[3]));                                                          \
        }                                                                                         \
    };

#define WGMMA_HELD_64 "%35, %36"
#define WGMMA_HELD_128 "%67, %68"

// ---- registers -----------------------------------------------------------------
// A block starts with the same number of registers for every thread. A warpgroup
// that copies can give most of its own back, one that multiplies can then take
// more: COUNT is a multiple of 8, and all four warps call. The compiler obeys only
// in a kernel with __launch_bounds__(threads, 1) whose roles are the two branches
// of one if.

template <int COUNT>
DEVICE void registers_give() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT>
DEVICE void registers_take() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

#endif

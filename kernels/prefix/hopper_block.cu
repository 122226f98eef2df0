// What a kernel of several phases needs of Hopper beyond `prefix/hopper.cu`: the left
// operand of a product in registers, tiles whose rows are 64 bytes, tensor maps that
// lie in memory, and the fence between what threads wrote and what the copy engine reads.

// d[64][N] += a[64][16] * b[N][16]^T with a in registers, as `mma` holds it, and b as in
// Wgmma. `keep` 0 overwrites d.
template <int N>
struct WgmmaLeft;

// The sums' numbers are those of Wgmma: three operands come first.
#define HOPPER_WGMMA_LEFT(N) HOPPER_WGMMA_LEFT_OF(N)
#define HOPPER_WGMMA_LEFT_OF(N)                                                                   \
    template <>                                                                                   \
    struct WgmmaLeft<N> {                                                                         \
        static __device__ __forceinline__ void add(float (&d)[N / 2], const u32 (&a)[4], u64 b,   \
                                                   int keep) {                                    \
            int one = 1;                                                                          \
            asm volatile(                                                                         \
                "{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %1, 0;\n\t"                           \
                "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" WGMMA_NAMES_##N      \
                "}, {" WGMMA_LEFT_##N "}, %0, keep, 1, 1, 0;\n\t}"                                \
                : "+l"(b), "+r"(keep), "+r"(one), WGMMA_SUMS_##N                                  \
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));                                    \
        }                                                                                         \
    };

#define WGMMA_HELD_32 "%19, %20"
#define WGMMA_LEFT_64 "%35, %36, %37, %38"
#define WGMMA_LEFT_128 "%67, %68, %69, %70"

// As tile_descriptor and panels_descriptor, for rows of 64 bytes with the 64-byte
// swizzle: groups of eight rows are 512 bytes apart.
DEVICE u64 narrow_descriptor(u32 tile) {
    return u64((tile & 0x3ffffu) >> 4) | u64(1) << 16 | u64(512 >> 4) << 32 |
           u64(2) << 62;
}

// ---- shared memory by number -----------------------------------------------------
// An address of shared memory as a number is one register where a pointer is two, and
// the sums of a wide tile leave few. The functions of `prefix/hopper.cu` once more, for
// such addresses.

DEVICE void barrier_init(u32 barrier, u32 count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count));
}

DEVICE void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

// `arrivals` at once.
DEVICE void barrier_arrive(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

DEVICE void barrier_wait(u32 barrier, u32 parity) {
    asm volatile(
        "{\n\t"
        ".reg .pred ended;\n\t"
        "again:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n\t"
        "@!ended bra again;\n\t"
        "}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

DEVICE void tma_load(u32 to, const TensorMap &map, u32 full, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
        "l"(&map), "r"(full), "r"(x), "r"(y)
        : "memory");
}

// From a map of three dimensions.
DEVICE void tma_load(u32 to, const TensorMap &map, u32 full, int x, int y, int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
        "l"(&map), "r"(full), "r"(x), "r"(y), "r"(z)
        : "memory");
}

DEVICE u64 tile_descriptor(u32 tile) {
    return u64((tile & 0x3ffffu) >> 4) | u64(1) << 16 | u64(1024 >> 4) << 32 | u64(1) << 62;
}
DEVICE u64 panels_descriptor(u32 tile, int panel_bytes) {
    return u64((tile & 0x3ffffu) >> 4) | u64(panel_bytes >> 4) << 16 | u64(1024 >> 4) << 32 |
           u64(1) << 62;
}

// After an acquire: what other blocks' threads wrote to global memory is seen by the
// copies that this thread asks for from now on.
DEVICE void copies_see_writes() { asm volatile("fence.proxy.async;" ::: "memory"); }

// add_release of `prefix/grid.cu` for one who does not need to know what was there: it does
// not wait for the answer.
DEVICE void add_release_only(u32 *to, u32 value) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// threadIdx.x, asked for where it is needed: what is computed from it is not kept in
// registers from one phase to the next.
DEVICE int thread_anew() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

// The same for a size: what is computed from it is computed again.
DEVICE int size_anew(int size) {
    asm volatile("" : "+r"(size));
    return size;
}

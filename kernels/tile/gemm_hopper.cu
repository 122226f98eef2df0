// Products of bf16 matrices on Hopper: c[m][n] = sum over k of a[m][k] * w[n][k].
//
// A block has consumer warpgroups, which multiply, and a producer, of which one
// thread asks the copy engine for the next stages. They meet at two barriers per
// stage: `full` (the bytes are there) and `empty` (everybody has
// multiplied them). No __syncthreads in the loop, no index arithmetic, no data
// through registers on the way in.
//
// Blocks are persistent: block b takes tiles b, b + blocks, b + 2 blocks, … The
// producer runs ahead into the next tile while the consumers still store this one.
//
// Compiled in by -D:
//   TILE_M, TILE_N   the tile: 64 or 128 rows; columns, a multiple of 16 up to 256
//   STAGES           how many blocks of 64 along k are in flight
//   GROUPS           consumer warpgroups
//   TURNS            0: the groups share a tile, TILE_M / GROUPS rows each
//                    1: each group has a tile of its own and they take turns: one
//                       stores while the other multiplies ("ping-pong"; GROUPS is 2)
// Which of them suits which shape is in the table of hopper/gemm.cu.

#define STEP_K 64
#define BYTES_A (TILE_M * STEP_K * 2)
#define BYTES_B (TILE_N * STEP_K * 2)
#define CONSUMERS (GROUPS * 128)
// Registers are shared out by quarters of an SM, a warp of every four to each: a
// ninth warp costs as much as twelve. Two consumer warpgroups therefore bring a
// whole producer warpgroup, which gives its registers away: 168 each at the start,
// 40 and 232 then (56 and 224 where it has many boxes to remember). With one of them
// a producer warp is enough.
#define TRADE (GROUPS == 2)
#if SCATTER
#define PRODUCER_REGISTERS 56
#define CONSUMER_REGISTERS 224
#else
#define PRODUCER_REGISTERS 40
#define CONSUMER_REGISTERS 232
#endif
#define HOPPER_THREADS (CONSUMERS + (TRADE ? 4 : 1) * WARP)
#define HOPPER_KERNEL KERNEL void __launch_bounds__(HOPPER_THREADS, 1)
// m64 products per warpgroup, one below the other.
#define PARTS (TURNS ? TILE_M / 64 : TILE_M / 64 / GROUPS)
#define SUMS (TILE_N / 2)
// Tiles of a band lie below each other; blocks that run at the same time cover
// about a square of c, which is when they share the most.
#define BAND (2048 / TILE_M)

HOPPER_WGMMA(TILE_N)

// ---- tiles ---------------------------------------------------------------------

struct Tile {
    int m, n;
};

DEVICE Tile tile_at(int number, int tiles_m, int tiles_n) {
    int band = number / (BAND * tiles_n);
    int within = number - band * BAND * tiles_n;
    int height = min(BAND, tiles_m - band * BAND);
    return {band * BAND + within % height, within / height};
}

// The lane's place in part `part` of its warpgroup's rows: its rows are `row` and
// row + 8, its columns 2 * (lane % 4) and the next of every 8.
DEVICE int lane_row(const Tile &tile, int part) {
    int group = TURNS ? 0 : warp_id() / 4;
    return tile.m * TILE_M + (group * PARTS + part) * 64 + warp_id() % 4 * 16 + lane_id() / 4;
}

// ---- the ring of stages --------------------------------------------------------

struct Ring {
    unsigned char *a, *b;
    u64 *full, *empty;
    int slot;
    u32 phase;

    __device__ __forceinline__ void next() {
        slot++;
        if (slot == STAGES) {
            slot = 0;
            phase ^= 1;
        }
    }
    __device__ __forceinline__ void skip(int steps) {
        slot += steps;
        phase ^= slot / STAGES & 1;
        slot %= STAGES;
    }
};

// Shared memory: STAGES of a, STAGES of b (each begins at a multiple of 1024, as
// the swizzle asks), then the barriers. HOPPER_SHARED bytes in all.
#define HOPPER_SHARED (1024 + STAGES * (BYTES_A + BYTES_B) + STAGES * 16)

DEVICE Ring open_ring(unsigned char *memory) {
    u32 up = -shared_address(memory) & 1023u;
    Ring ring;
    ring.a = memory + up;
    ring.b = ring.a + STAGES * BYTES_A;
    ring.full = reinterpret_cast<u64 *>(ring.b + STAGES * BYTES_B);
    ring.empty = ring.full + STAGES;
    ring.slot = 0;
    ring.phase = 0;
    return ring;
}

DEVICE void start_ring(const Ring &ring) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&ring.full[i], 1);
            barrier_init(&ring.empty[i], (TURNS ? 1 : GROUPS) * 4);
        }
        barriers_ready();
    }
    __syncthreads();
}

// ---- producer ------------------------------------------------------------------

// Weights know which of their rows belong to a tile: `weights.columns(tile_n)` is
// made once per tile, and its `load(to, full, k)` asks for a stage of them, BYTES_B in
// all. Where one weight is all there is, tile n is its rows n * TILE_N and further.
struct OneWeight {
    const TensorMap *w;

    struct Columns {
        const TensorMap *w;
        int row;
        __device__ __forceinline__ void load(unsigned char *to, u64 *full, int k) const {
            tma_load(to, *w, full, k, row);
        }
    };
    __device__ __forceinline__ Columns columns(int tile_n) const { return {w, tile_n * TILE_N}; }
    __device__ __forceinline__ void prefetch() const { tma_prefetch(*w); }
};

template <class Weights>
DEVICE void produce(Ring ring, const TensorMap &a, const Weights &weights, int tiles_m, int tiles_n,
                    int steps) {
    grid_wait();
    for (int number = blockIdx.x; number < tiles_m * tiles_n; number += gridDim.x) {
        Tile tile = tile_at(number, tiles_m, tiles_n);
        typename Weights::Columns columns = weights.columns(tile.n);
        for (int step = 0; step < steps; step++) {
            u64 *full = &ring.full[ring.slot];
            barrier_wait(&ring.empty[ring.slot], ring.phase ^ 1);
            barrier_expect(full, BYTES_A + BYTES_B);
            tma_load(ring.a + ring.slot * BYTES_A, a, full, step * STEP_K, tile.m * TILE_M);
            columns.load(ring.b + ring.slot * BYTES_B, full, step * STEP_K);
            ring.next();
        }
    }
}

// ---- consumers -----------------------------------------------------------------

// One tile's sums. A stage is handed back when the products of the *next* one
// have been issued: the matrix units never run dry. When all are issued, the group
// that waits at barrier `pass_on` may begin (0: nobody).
DEVICE void multiply_tile(Ring &ring, int steps, int pass_on, float (&sums)[PARTS][SUMS]) {
    int rows = TURNS ? 0 : warp_id() / 4 * PARTS;
    u64 *before = nullptr;
    for (int step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.slot], ring.phase);
        u64 a = tile_descriptor(ring.a + ring.slot * BYTES_A) + rows * 512;
        u64 b = tile_descriptor(ring.b + ring.slot * BYTES_B);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < STEP_K / 16; k++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                Wgmma<TILE_N>::add(sums[part], a + part * 512 + k * 2, b + k * 2, step + k > 0);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (before && lane_id() == 0) barrier_arrive(before);
        before = &ring.empty[ring.slot];
        ring.next();
    }
    if (pass_on) named_arrive(pass_on, CONSUMERS);
    wgmma_wait<0>();
#pragma unroll
    for (int part = 0; part < PARTS; part++) wgmma_settle(sums[part]);
    if (before && lane_id() == 0) barrier_arrive(before);
}

// `epilogue.begin()` prepares what needs neither a tile nor the kernel in front;
// `epilogue.request(tile, part)` asks for what the stores will need, before the
// products, so that it arrives under them; `epilogue.store(tile, part, sums)` ends
// the tile.
template <class Epilogue>
DEVICE void consume(Ring ring, Epilogue &epilogue, int tiles_m, int tiles_n, int steps) {
    epilogue.begin();
    grid_wait();
    int tiles = tiles_m * tiles_n;
#if TURNS
    // Group g begins when named barrier 1 + g lets it: a stage's barrier tells this
    // round from the last, not from the one before, so nobody may wait there early.
    int group = warp_id() / 4, turn = 0;
    if (group == 1) named_arrive(1, CONSUMERS);
#endif
    for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
        Tile tile = tile_at(number, tiles_m, tiles_n);
        float sums[PARTS][SUMS];
#if TURNS
        if (turn++ % GROUPS != group) {
            ring.skip(steps);
            continue;
        }
#endif
#pragma unroll
        for (int part = 0; part < PARTS; part++) epilogue.request(tile, part);
#if TURNS
        named_wait(1 + group, CONSUMERS);
        multiply_tile(ring, steps, number + gridDim.x < tiles ? 2 - group : 0, sums);
#else
        multiply_tile(ring, steps, 0, sums);
#endif
#pragma unroll
        for (int part = 0; part < PARTS; part++) epilogue.store(tile, part, sums[part]);
    }
}

// The whole kernel. `tiles_n` counts what `weights` and `epilogue` understand.
template <class Weights, class Epilogue>
DEVICE void multiply(const TensorMap &a, const Weights &weights, Epilogue &epilogue, int m,
                     int tiles_n, int k) {
    extern __shared__ unsigned char memory[];
    Ring ring = open_ring(memory);
    int tiles_m = (m + TILE_M - 1) / TILE_M;
    int steps = (k + STEP_K - 1) / STEP_K;
    if (threadIdx.x == CONSUMERS) {
        tma_prefetch(a);
        weights.prefetch();
    }
    start_ring(ring);
    grid_launch_next();
    if (threadIdx.x >= CONSUMERS) {
#if TRADE
        registers_give<PRODUCER_REGISTERS>();
#endif
        if (warp_id() == CONSUMERS / WARP && elect())
            produce(ring, a, weights, tiles_m, tiles_n, steps);
    } else {
#if TRADE
        registers_take<CONSUMER_REGISTERS>();
#endif
        consume(ring, epilogue, tiles_m, tiles_n, steps);
    }
}

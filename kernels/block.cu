// block: `count` whole layers, or a whole forward, in one launch, for any number
// of rows.
//
// The phases of a layer are the tiles of the kernels that V3 launches one by one
// (the same main loops, the same epilogues). Here the blocks stay: each takes
// tile blockIdx.x, blockIdx.x + gridDim.x, ... of a phase, then waits for all
// others, because the next phase reads what every block wrote. What V3 pays for
// launches and drained GPUs, V4 pays for barriers; what lies between two phases
// ([rows][ffn] is megabytes) passes through the second-level cache in both.
//
//   x [rows][width], rows = batch * seq: input and output
//   q, att, h [rows][width], m [rows][ffn]: passed from phase to phase
//   sums_x, sums_h [rows][slots]: sums of squares of parts of a row of x and h; a
//     norm is a factor per row, applied to the sums of the product behind it
//   layers: q, k, v, gate and up are weights times gamma, and so is head
//   barrier: zero at first; see grid_barrier
//   begun: x and its sums are there, left by the launch in front
//
// With `table` the launch begins with the embedding of `ids`, with `head` it ends
// with final norm and logits [rows][vocab].
//
// Ladder (one H200, a whole forward; bf16 but where said)
//   phases in one function      TinyLlama-1.1B prefill, 512 tokens, 64 x 64 tiles:
//                               6001 us: one phase's values took another's registers
//   a function per phase        5158 us: this file; workshop model B8 S128 127 us,
//                               small model B8 S128 536 us
//   128 x 64 tiles              6099 us: too few tiles for two blocks per SM
//   three, four blocks per SM   5221, 6342 us: registers spilled
// In fp32, workshop and small at B8 S128 (five kernels 287 and 2107 us):
//   one tile for all phases     454, 2921 us
//   a tile for each phase       307, 2395 us; medium B16 S512 109.5 ms (five kernels 77.0)
//   shorter attention tiles     293, 2344 us
//   epilogues as loops          291, 2346 us: 105 KB of instructions in place of 143
//   registers always written    286, 2256 us; medium 79.6 ms: see request_residual
//   four blocks per SM          441 us (of 293): 128 registers do not read ahead

// -D QKV_TILE, OUT_TILE, FFN_TILE: the arguments of Tiling for q, k, v; for o and down;
// for gate, up and logits. All have the threads of attention (TEAMS).

typedef Tiling<QKV_TILE> QkvTile;
typedef Tiling<OUT_TILE> OutTile;
typedef Tiling<FFN_TILE> FfnTile;
#define THREADS ATTENTION_THREADS
static_assert(QkvTile::threads == THREADS && OutTile::threads == THREADS &&
                  FfnTile::threads == THREADS,
              "every phase uses the whole block");

#ifndef BLOCKS
#define BLOCKS 1
#endif

// Radians per position of a head's pairs, as often as a tile of q or k has heads.
#define FREQUENCIES (QkvTile::N > HEAD ? QkvTile::N / 2 : HEAD / 2)

// The arguments of the launch, in shared memory: each phase is a function of its
// own, so that none pays registers for another's values. Nor for its own: what it needs
// after a product is read again, since the sums leave no registers to keep it in.
struct Call {
    elem *x, *q, *att, *h, *m, *logits;
    float *sums_x, *sums_h;
    u32 *barrier;
    int batch, seq, width, heads, kv_heads, ffn, vocab, cap, past;
    float eps, theta, scale;
    Layer layer;
    float frequencies[FREQUENCIES];
};

#if GPU_AMD
#define PHASE DEVICE void // what uses shared memory is inlined there
#else
#define PHASE static __device__ __noinline__ void
#endif

DEVICE char *phase_memory() {
    extern __shared__ __align__(1024) char shared[];
    return shared;
}

// What an epilogue keeps behind the product: factors of rows.
template <class T> DEVICE float *row_factors() {
    return reinterpret_cast<float *>(phase_memory() + T::product_bytes);
}

// Tiles of a phase, dealt out in turn. Between two of them shared memory changes
// hands.
template <class Work> DEVICE void each_tile(int tiles_m, int tiles_n, Work work) {
#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x) {
        work(tile_place(tile, tiles_m, tiles_n));
        __syncthreads();
    }
}

template <class T> DEVICE int row_tiles(const Call &call) {
    return tiles_over(call.batch * call.seq, T::M);
}

// Sums of squares of a row: one of each tile that wrote a part of it.
DEVICE int sum_slots(const Call &call) { return tiles_over(call.width, OutTile::N); }

// The norm's factors of the rows of a tile, from the partial sums of squares.
template <class T> DEVICE void norm_factors(const Call &call, const float *sums, int row) {
    int slots = sum_slots(call), rows = call.batch * call.seq;
    row_scales<T>(row_factors<T>(), sums + long(row) * slots, slots, rows - row, call.width,
                  call.eps);
}

// The barrier before a phase. What it keeps in registers would be kept from the phases.
PHASE next_phase(const Call &call) { grid_barrier(call.barrier); }

// Frequencies; and, where nobody left it, x and its sums of squares: copies row ids[r] of
// the table to x (or leaves x as it is), and puts the row's sum in slot 0. A warp per row.
PHASE begin(Call &call, const int *ids, const elem *table, bool begun) {
    for (int pair = threadIdx.x; pair < FREQUENCIES; pair += THREADS)
        call.frequencies[pair] = rotary_frequency(pair % (HEAD / 2), call.theta);
    if (begun) return;
    const int warps = THREADS / WARP, slots = sum_slots(call);
    for (int row = blockIdx.x * warps + warp_id(); row < call.batch * call.seq;
         row += gridDim.x * warps) {
        elem *to = call.x + long(row) * call.width;
        const elem *source = table ? table + long(ids[row]) * call.width : to;
        float sum = 0.0f;
        for (int column = lane_id(); column < call.width; column += WARP) {
            elem value = source[column];
            if (table) to[column] = value;
            sum += widen(value) * widen(value);
        }
        sum = warp_sum(sum);
        for (int slot = lane_id(); slot < slots; slot += WARP)
            call.sums_x[long(row) * slots + slot] = slot == 0 ? sum : 0.0f;
    }
}

// idea qkv: three products of the same rows; queries and keys leave turned, keys
// and values go to the cache.
struct Third {
    int which, pair; // 0 q, 1 k, 2 v
};
DEVICE Third third_of(const Call &call, int j) {
    const int tiles_q = tiles_over(call.width, QkvTile::N);
    const int tiles_kv = tiles_over(call.kv_heads * HEAD, QkvTile::N);
    int which = j < tiles_q ? 0 : j < tiles_q + tiles_kv ? 1 : 2;
    int first = which == 0 ? 0 : which == 1 ? tiles_q : tiles_q + tiles_kv;
    return {which, (j - first) * (QkvTile::N / 2)};
}

PHASE qkv_phase(const Call &call) {
    typedef QkvTile Tile;
    const int tiles_q = tiles_over(call.width, Tile::N);
    const int tiles_kv = tiles_over(call.kv_heads * HEAD, Tile::N);
    each_tile(row_tiles<Tile>(call), tiles_q + 2 * tiles_kv, [&](TilePlace tile) {
        Third third = third_of(call, tile.j);
        int row = tile.i * Tile::M, rows = call.batch * call.seq;
        HeadPairs columns = {third.which == 0 ? call.layer.q : third.which == 1 ? call.layer.k : call.layer.v,
                             third.pair, third.which == 0 ? call.width : call.kv_heads * HEAD};
        float *sums = product<Tile>(call.x + long(row) * call.width, rows - row, columns,
                                    call.width, phase_memory(),
                                    [&] { norm_factors<Tile>(call, call.sums_x, row); });
        third = third_of(call, anew(tile.j));
        row = anew(tile.i) * Tile::M, rows = call.batch * call.seq;
        Output to = {call.q, call.width, call.seq, call.seq, 0};
        if (third.which > 0)
            to = {third.which == 1 ? call.layer.keys : call.layer.values, call.kv_heads * HEAD, call.seq,
                  call.cap, call.past};
        const float *turned =
            third.which < 2 ? call.frequencies + third.pair % (HEAD / 2) : nullptr;
        store_pairs<Tile>(sums, row_factors<Tile>(), turned, call.past, row, rows - row, third.pair,
                          to);
    });
}
// end qkv

PHASE attention_phase(const Call &call) {
    const Attention attention = {call.batch, call.heads,           call.kv_heads, call.seq,
                                 call.past + call.seq, call.cap, call.scale};
    each_tile(attention_tiles(attention), 1, [&](TilePlace tile) {
        attention_tile(call.q, call.layer.keys, call.layer.values, call.att, attention, tile.i,
                       phase_memory());
    });
}

// o, from x to h, and down, from h to x. The residual is read, and the sums of squares of
// what leaves are kept.
PHASE residual_phase(const Call &call, bool down) {
    typedef OutTile Tile;
    each_tile(row_tiles<Tile>(call), sum_slots(call), [&](TilePlace tile) {
        int row = tile.i * Tile::M, column = tile.j * Tile::N;
        int rows = call.batch * call.seq, k = down ? call.ffn : call.width;
        Residual<Tile> added;
        auto request = [&] {
            request_residual<Tile>(added, 0, down ? call.h : call.x, anew(tile.i) * Tile::M,
                                   call.batch * call.seq - anew(tile.i) * Tile::M,
                                   anew(tile.j) * Tile::N, call.width);
        };
        Run run = {down ? call.layer.down : call.layer.o, column, call.width};
        float *sums = product<Tile>(
            (down ? call.m : call.att) + long(row) * k, rows - row, run, k, phase_memory(),
            [&] {
                if constexpr (Residual<Tile>::EARLY) request();
            },
            [&] {
                if constexpr (!Residual<Tile>::EARLY) request();
            });
        row = anew(tile.i) * Tile::M, rows = call.batch * call.seq;
        store_residual<Tile>(sums, added, down ? call.h : call.x, down ? call.sums_x : call.sums_h,
                             sum_slots(call), tile.j, row, rows - row, anew(tile.j) * Tile::N,
                             down ? call.x : call.h, call.width);
    });
}

// idea swiglu: the left half of a tile is gate, the right half up, of the same
// columns; what leaves is their silu(gate) * up.
PHASE swiglu_phase(const Call &call) {
    typedef FfnTile Tile;
    const int half = Tile::N / 2;
    each_tile(row_tiles<Tile>(call), tiles_over(call.ffn, half), [&](TilePlace tile) {
        int row = tile.i * Tile::M, rows = call.batch * call.seq;
        Beside columns = {call.layer.gate, call.layer.up, tile.j * half, call.ffn};
        float *sums = product<Tile>(call.h + long(row) * call.width, rows - row, columns,
                                    call.width, phase_memory(),
                                    [&] { norm_factors<Tile>(call, call.sums_h, row); });
        row = anew(tile.i) * Tile::M, rows = call.batch * call.seq;
        store_swiglu<Tile>(sums, row_factors<Tile>(), row, rows - row, anew(tile.j) * half,
                           Output{call.m, call.ffn, rows, rows, 0});
    });
}
// end swiglu

PHASE logits_phase(const Call &call, const elem *head) {
    typedef FfnTile Tile;
    each_tile(row_tiles<Tile>(call), tiles_over(call.vocab, Tile::N), [&](TilePlace tile) {
        int row = tile.i * Tile::M, rows = call.batch * call.seq;
        Run run = {head, tile.j * Tile::N, call.vocab};
        float *sums = product<Tile>(call.x + long(row) * call.width, rows - row, run, call.width,
                                    phase_memory(),
                                    [&] { norm_factors<Tile>(call, call.sums_x, row); });
        row = anew(tile.i) * Tile::M, rows = call.batch * call.seq;
        store_tile<Tile>(sums, row_factors<Tile>(), row, rows - row, anew(tile.j) * Tile::N,
                         Output{call.logits, call.vocab, rows, rows, 0});
    });
}

KERNEL void LAUNCH_BOUNDS(THREADS, BLOCKS)
    block(const Layer *layers, int count, const int *ids, const elem *table, elem *x,
          const elem *head, elem *logits, elem *q, elem *att, elem *h, elem *m, float *sums_x,
          float *sums_h, u32 *barrier, int batch, int seq, int width, int heads, int kv_heads,
          int ffn, int vocab, int cap, int past, float eps, float theta, float scale, int begun) {
    __shared__ Call call;
    if (threadIdx.x == 0)
        call = {x,      q,      att,   h,     m,   logits, sums_x, sums_h, barrier, batch,
                seq,    width,  heads, kv_heads, ffn, vocab,  cap,    past,   eps,     theta,
                scale, {}, {}};
    __syncthreads();
    begin(call, ids, table, begun);
    // idea waits: a phase reads what all blocks wrote in the one before.
    for (int l = 0; l < count; l++) {
        // Nobody reads the layer before any more: a tile ends when all threads have.
        if (threadIdx.x == 0) call.layer = layers[l];
        if (l > 0 || !begun)
            next_phase(call);
        else
            __syncthreads();
        qkv_phase(call);
        next_phase(call);
        attention_phase(call);
        next_phase(call);
        residual_phase(call, false);
        next_phase(call);
        swiglu_phase(call);
        next_phase(call);
        residual_phase(call, true);
    }
    // end waits
    if (head == nullptr) return;
    next_phase(call);
    logits_phase(call, head);
}

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
//   x, y [rows][width], rows = batch * seq; y may be x
//   q, att, h [rows][width], m [rows][ffn]: passed from phase to phase
//   sums_x, sums_h [rows][slots]: sums of squares of parts of a row of x and h; a
//     norm is a factor per row, applied to the sums of the product behind it
//   layers: q, k, v, gate and up are weights times gamma, and so is head
//   barrier: zero at first; see grid_barrier
//
// With `table` the launch begins with the embedding of `ids`, with `head` it ends
// with final norm and logits [rows][vocab].
//
// Ladder (one H200, a whole forward; bf16 but where said)
//   phases in one function      TinyLlama-1.1B prefill, 512 tokens, 64 x 64 tiles:
//                               6001 us: one phase's values took another's registers
//   a function per phase        5158 us: this file; workshop model B8 S128 127 us,
//                               small model B8 S128 536 us (fp32 2931 us)
//   128 x 64 tiles              6099 us: too few tiles for two blocks per SM
//   three, four blocks per SM   5221, 6342 us: registers spilled
//
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

// The arguments of the launch, in shared memory: each phase is a function of its
// own, so that none pays registers for another's values.
struct Call {
    elem *q, *att, *h, *m, *logits;
    float *sums_x, *sums_h;
    int batch, seq, width, heads, kv_heads, ffn, vocab, cap, past;
    float eps, theta, scale;
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

// What an epilogue keeps behind the product: factors of rows, frequencies of pairs.
template <class T> DEVICE float *row_factors() {
    return reinterpret_cast<float *>(phase_memory() + T::product_bytes);
}
template <class T> DEVICE float *frequencies() { return row_factors<T>() + T::M; }

// Tiles of a phase, dealt out in turn. Between two of them shared memory changes
// hands.
template <class Work> DEVICE void each_tile(int tiles_m, int tiles_n, Work work) {
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

// Copies row ids[r] of the table (or row r of `from`) to x, where they differ, and
// leaves the row's sum of squares in slot 0. A warp per row.
PHASE begin_rows(const Call &call, const int *ids, const elem *table, const elem *from, elem *x) {
    const int warps = THREADS / WARP, slots = sum_slots(call);
    for (int row = blockIdx.x * warps + warp_id(); row < call.batch * call.seq;
         row += gridDim.x * warps) {
        long at = table ? ids[row] : row;
        const elem *source = (table ? table : from) + at * call.width;
        elem *to = x + long(row) * call.width;
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
PHASE qkv_phase(const Call &call, const Layer &layer, const elem *x) {
    const int rows = call.batch * call.seq, kv_width = call.kv_heads * HEAD;
    typedef QkvTile Tile;
    const int tiles_q = tiles_over(call.width, Tile::N), tiles_kv = tiles_over(kv_width, Tile::N);
    each_tile(row_tiles<Tile>(call), tiles_q + 2 * tiles_kv, [&](TilePlace tile) {
        int row = tile.i * Tile::M;
        bool is_q = tile.j < tiles_q, is_k = !is_q && tile.j < tiles_q + tiles_kv;
        int j = is_q ? tile.j : is_k ? tile.j - tiles_q : tile.j - tiles_q - tiles_kv;
        int pair = j * (Tile::N / 2);
        Output to = is_q   ? Output{call.q, call.width, call.seq, call.seq, 0}
                    : is_k ? Output{layer.keys, kv_width, call.seq, call.cap, call.past}
                           : Output{layer.values, kv_width, call.seq, call.cap, call.past};
        HeadPairs columns = {is_q ? layer.q : is_k ? layer.k : layer.v, pair, to.width};
        auto meanwhile = [&] {
            norm_factors<Tile>(call, call.sums_x, row);
            pair_frequencies<Tile>(frequencies<Tile>(), pair, call.theta);
        };
        float *sums = product<Tile>(x + long(row) * call.width, rows - row, columns, call.width,
                                    phase_memory(), meanwhile);
        store_pairs<Tile>(sums, row_factors<Tile>(), is_q || is_k ? frequencies<Tile>() : nullptr, call.past,
                          row, rows - row, pair, to);
    });
}
// end qkv

PHASE attention_phase(const Call &call, const Layer &layer) {
    const Attention attention = {call.batch, call.heads,           call.kv_heads, call.seq,
                                 call.past + call.seq, call.cap, call.scale};
    each_tile(attention_tiles(attention), 1, [&](TilePlace tile) {
        attention_tile(call.q, layer.keys, layer.values, call.att, attention, tile.i,
                       phase_memory());
    });
}

// to = from [rows][k] * matrix^T + residual, and the sums of its squares.
PHASE residual_phase(const Call &call, const elem *from, int k, const elem *matrix,
                     const elem *residual, elem *to, float *squares) {
    typedef OutTile Tile;
    const int rows = call.batch * call.seq, width = call.width, tiles_n = sum_slots(call);
    each_tile(row_tiles<Tile>(call), tiles_n, [&](TilePlace tile) {
        int row = tile.i * Tile::M, column = tile.j * Tile::N;
        Residual<Tile> added;
        auto request = [&] {
            request_residual<Tile>(added, residual, row, rows - row, column, width);
        };
        Run run = {matrix, column, width};
        float *sums = product<Tile>(
            from + long(row) * k, rows - row, run, k, phase_memory(),
            [&] {
                if constexpr (Residual<Tile>::EARLY) request();
            },
            [&] {
                if constexpr (!Residual<Tile>::EARLY) request();
            });
        store_residual<Tile>(sums, added, squares, tiles_n, tile.j, row, rows - row, column, to,
                             width);
    });
}

// idea swiglu: the left half of a tile is gate, the right half up, of the same
// columns; what leaves is their silu(gate) * up.
PHASE swiglu_phase(const Call &call, const Layer &layer) {
    typedef FfnTile Tile;
    const int rows = call.batch * call.seq, half = Tile::N / 2;
    each_tile(row_tiles<Tile>(call), tiles_over(call.ffn, half), [&](TilePlace tile) {
        int row = tile.i * Tile::M, column = tile.j * half;
        Beside columns = {layer.gate, layer.up, column, call.ffn};
        float *sums = product<Tile>(call.h + long(row) * call.width, rows - row, columns,
                                    call.width, phase_memory(),
                                    [&] { norm_factors<Tile>(call, call.sums_h, row); });
        store_swiglu<Tile>(sums, row_factors<Tile>(), row, rows - row, column,
                           Output{call.m, call.ffn, rows, rows, 0});
    });
}
// end swiglu

PHASE logits_phase(const Call &call, const elem *head, const elem *x) {
    typedef FfnTile Tile;
    const int rows = call.batch * call.seq;
    each_tile(row_tiles<Tile>(call), tiles_over(call.vocab, Tile::N), [&](TilePlace tile) {
        int row = tile.i * Tile::M, column = tile.j * Tile::N;
        Run run = {head, column, call.vocab};
        float *sums = product<Tile>(x + long(row) * call.width, rows - row, run, call.width,
                                    phase_memory(),
                                    [&] { norm_factors<Tile>(call, call.sums_x, row); });
        store_tile<Tile>(sums, row_factors<Tile>(), row, rows - row, column,
                         Output{call.logits, call.vocab, rows, rows, 0});
    });
}

KERNEL void LAUNCH_BOUNDS(THREADS, BLOCKS)
    block(const Layer *layers, int count, const int *ids, const elem *table, const elem *x, elem *y,
          const elem *head, elem *logits, elem *q, elem *att, elem *h, elem *m, float *sums_x,
          float *sums_h, u32 *barrier, int batch, int seq, int width, int heads, int kv_heads,
          int ffn, int vocab, int cap, int past, float eps, float theta, float scale) {
    __shared__ Call call;
    // Two: a slow thread may still read the layer before when the next is fetched.
    __shared__ Layer near[2];
    if (threadIdx.x == 0)
        call = {q,     att,   h,        m,   logits, sums_x, sums_h, batch, seq,  width,
                heads, kv_heads, ffn, vocab, cap,    past,   eps,    theta, scale};
    __syncthreads();
    begin_rows(call, ids, table, x, y);
    const elem *stream = table ? y : x;
    // idea waits: a phase reads what all blocks wrote in the one before.
    for (int l = 0; l < count; l++) {
        Layer &layer = near[l % 2];
        if (threadIdx.x == 0) layer = layers[l];
        grid_barrier(barrier);
        qkv_phase(call, layer, stream);
        grid_barrier(barrier);
        attention_phase(call, layer);
        grid_barrier(barrier);
        residual_phase(call, call.att, call.width, layer.o, stream, call.h, call.sums_h);
        grid_barrier(barrier);
        swiglu_phase(call, layer);
        grid_barrier(barrier);
        residual_phase(call, call.m, call.ffn, layer.down, call.h, y, call.sums_x);
        stream = y;
    }
    // end waits
    if (head == nullptr) return;
    grid_barrier(barrier);
    logits_phase(call, head, stream);
}

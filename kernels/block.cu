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
// -D GEMM_M, GEMM_N, ...: the tile of all products. -D TEAMS: so that
// ATTENTION_THREADS are the tile's threads.

typedef Tiling<GEMM_M, GEMM_N, GEMM_WARPS_M, GEMM_WARPS_N, GEMM_STAGES, GEMM_SLICES> Tile;
static_assert(Tile::threads == ATTENTION_THREADS, "every phase uses the whole block");

#ifndef BLOCKS
#define BLOCKS 1
#endif

// Tiles of a phase, dealt out in turn. Between two of them shared memory changes
// hands.
template <class Work> DEVICE void each_tile(int tiles, Work work) {
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        work(tile);
        __syncthreads();
    }
}

// Copies row ids[r] of the table (or row r of x) to x, where they differ, and
// leaves the row's sum of squares in slot 0. A warp per row.
DEVICE void begin_rows(const int *ids, const elem *table, const elem *from, elem *x, float *sums,
                       int slots, int rows, int width) {
    const int warps = Tile::threads / WARP;
    for (int row = blockIdx.x * warps + warp_id(); row < rows; row += gridDim.x * warps) {
        const elem *source = table ? table + long(ids[row]) * width : from + long(row) * width;
        elem *to = x + long(row) * width;
        float sum = 0.0f;
        for (int column = lane_id(); column < width; column += WARP) {
            elem value = source[column];
            if (table) to[column] = value;
            sum += widen(value) * widen(value);
        }
        sum = warp_sum(sum);
        for (int slot = lane_id(); slot < slots; slot += WARP)
            sums[long(row) * slots + slot] = slot == 0 ? sum : 0.0f;
    }
}

KERNEL void __launch_bounds__(Tile::threads, BLOCKS)
    block(const Layer *layers, int count, const int *ids, const elem *table, const elem *x, elem *y,
          const elem *head, elem *logits, elem *q, elem *att, elem *h, elem *m, float *sums_x,
          float *sums_h, u32 *barrier, int batch, int seq, int width, int heads, int kv_heads,
          int ffn, int vocab, int cap, int past, float eps, float theta, float scale) {
    extern __shared__ __align__(1024) char shared[];
    float *factor = reinterpret_cast<float *>(shared + Tile::product_bytes);
    float *frequency = factor + Tile::M;
    const int rows = batch * seq, kv_width = kv_heads * HEAD;
    const int tiles_m = tiles_over(rows, Tile::M), tiles_d = tiles_over(width, Tile::N);

    // A product of `from` [rows][width], normed, with `matrix`: y = norm(from) * matrix^T.
    auto scales = [&](const float *sums, int row) {
        row_scales<Tile>(factor, sums + long(row) * tiles_d, tiles_d, rows - row, width, eps);
    };
    // y = from [rows][k] * matrix^T + residual.
    auto add_product = [&](const elem *from, int k, const elem *matrix, const elem *residual,
                           elem *to, float *sums_to) {
        each_tile(tiles_m * tiles_d, [&](int index) {
            TilePlace tile = tile_place(index, tiles_m, tiles_d);
            int row = tile.i * Tile::M, column = tile.j * Tile::N;
            Residual<Tile> added;
            Run run = {matrix, column, width};
            float *sums = product<Tile>(from + long(row) * k, rows - row, run, k, shared, [] {}, [&] {
                request_residual<Tile>(added, residual, row, rows - row, column, width);
            });
            store_residual<Tile>(sums, added, sums_to, tiles_d, tile.j, row, rows - row, column, to,
                                 width);
        });
    };

    begin_rows(ids, table, x, y, sums_x, tiles_d, rows, width);
    const elem *stream = table ? y : x;
    for (int l = 0; l < count; l++) {
        const Layer layer = layers[l];
        grid_barrier(barrier);

        // idea qkv: three products of the same rows; queries and keys leave turned,
        // keys and values go to the cache.
        const int tiles_kv = tiles_over(kv_width, Tile::N);
        each_tile(tiles_m * (tiles_d + 2 * tiles_kv), [&](int index) {
            TilePlace tile = tile_place(index, tiles_m, tiles_d + 2 * tiles_kv);
            int row = tile.i * Tile::M;
            bool is_q = tile.j < tiles_d, is_k = !is_q && tile.j < tiles_d + tiles_kv;
            int j = is_q ? tile.j : is_k ? tile.j - tiles_d : tile.j - tiles_d - tiles_kv;
            int pair = j * (Tile::N / 2);
            Output to = is_q   ? Output{q, width, seq, seq, 0}
                        : is_k ? Output{layer.keys, kv_width, seq, cap, past}
                               : Output{layer.values, kv_width, seq, cap, past};
            HeadPairs columns = {is_q ? layer.q : is_k ? layer.k : layer.v, pair, to.width};
            float *sums = product<Tile>(stream + long(row) * width, rows - row, columns, width,
                                        shared, [&] {
                                            scales(sums_x, row);
                                            pair_frequencies<Tile>(frequency, pair, theta);
                                        });
            store_pairs<Tile>(sums, factor, is_q || is_k ? frequency : nullptr, past, row,
                              rows - row, pair, to);
        });
        grid_barrier(barrier);
        // end qkv

        const Attention call = {batch, heads, kv_heads, seq, past + seq, cap, scale};
        each_tile(attention_tiles(call), [&](int tile) {
            attention_tile(q, layer.keys, layer.values, att, call, tile, shared);
        });
        grid_barrier(barrier);

        add_product(att, width, layer.o, stream, h, sums_h);
        grid_barrier(barrier);

        // idea swiglu: left half of a tile gate, right half up, of the same columns.
        const int tiles_f = tiles_over(ffn, Tile::N / 2);
        each_tile(tiles_m * tiles_f, [&](int index) {
            TilePlace tile = tile_place(index, tiles_m, tiles_f);
            int row = tile.i * Tile::M, column = tile.j * (Tile::N / 2);
            Beside columns = {layer.gate, layer.up, column, ffn};
            float *sums = product<Tile>(h + long(row) * width, rows - row, columns, width, shared,
                                        [&] { scales(sums_h, row); });
            store_swiglu<Tile>(sums, factor, row, rows - row, column,
                               Output{m, ffn, rows, rows, 0});
        });
        grid_barrier(barrier);
        // end swiglu

        add_product(m, ffn, layer.down, h, y, sums_x);
        stream = y;
    }
    if (head == nullptr) return;
    grid_barrier(barrier);
    const int tiles_v = tiles_over(vocab, Tile::N);
    each_tile(tiles_m * tiles_v, [&](int index) {
        TilePlace tile = tile_place(index, tiles_m, tiles_v);
        int row = tile.i * Tile::M, column = tile.j * Tile::N;
        Run run = {head, column, vocab};
        float *sums = product<Tile>(stream + long(row) * width, rows - row, run, width, shared,
                                    [&] { scales(sums_x, row); });
        store_tile<Tile>(sums, factor, row, rows - row, column,
                         Output{logits, vocab, rows, rows, 0});
    });
}

// Queries, keys and values from one reading of x.
//
// x [m][d]; wq [d][d], wk and wv [dkv][d]; q [m][d]; k and v [m][dkv], whose rows
// go to the cache. The tiles of the three products stand in one row: first q's,
// then k's, then v's, and no tile lies across a border.
//
// -D NORM: x is not yet normalised. RMSNorm is linear but for one factor per row,
// so gamma is in the weights already and the factor is applied to the sums.
// -D ROPE: q and k leave turned by their position (needs -D HEAD).
//
// NORM and ROPE are 0 or 1.
//
// What was learned, against one product of the same size on an H200:
// - one after another, k and v of 512 rows of a TinyLlama are 32 tiles of 64 x 64
//   each, for 132 multiprocessors; beside q's 256 they fill gaps.
// - norm and RoPE inside cost 1.3 us of 12.1 (fp32, 1024 rows of 256) and 0.5 of 5.2
//   (bf16, one row of 2048); a kernel for either takes longer than that alone.
// - the sums of squares one after another, a load each, cost 1.2 us in the one-row
//   case; four a load and all under way at once, 0.5.

#ifndef BLOCKS
#define BLOCKS 1
#endif

KERNEL void LAUNCH_BOUNDS(Tile::threads, BLOCKS)
    qkv(const elem *x, const elem *wq, const elem *wk, const elem *wv, elem *q, elem *k, elem *v,
        const float *ssq, int slots, float eps, int m, int d, int dkv, int seq, int cap_k,
        int past_k, int cap_v, int past_v, int position, float theta) {
    extern __shared__ __align__(128) char shared[];
    float *scale = reinterpret_cast<float *>(shared + Tile::product_bytes);

    // idea three in one: the tile's column decides whose weights it reads and where
    // its result goes; the rows of x it needs are in cache from its neighbours.
    int tiles_q = tiles_over(d, Tile::N), tiles_kv = tiles_over(dkv, Tile::N);
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), tiles_q + 2 * tiles_kv);
    int row = tile.i * Tile::M;
    bool is_q = tile.j < tiles_q, is_k = !is_q && tile.j < tiles_q + tiles_kv;
    int j = is_q ? tile.j : is_k ? tile.j - tiles_q : tile.j - tiles_q - tiles_kv;
    const elem *w = is_q ? wq : is_k ? wk : wv;
    Output y = is_q   ? Output{q, d, seq, seq, 0}
               : is_k ? Output{k, dkv, seq, cap_k, past_k}
                      : Output{v, dkv, seq, cap_v, past_v};
    // end three in one

#if ROPE
    // idea pairs: RoPE turns column i of a head with column i + HEAD / 2. The tile is
    // made of pairs, first halves left and their partners right, so that both
    // are at hand in the epilogue.
    float *frequency = scale + Tile::M;
    int pair = j * (Tile::N / 2);
    HeadPairs columns = {w, pair, y.width};
    // end pairs
#else
    Run columns = {w, j * Tile::N, y.width};
#endif
    float *sums = product<Tile>(x + long(row) * d, m - row, columns, d, shared, [&] {
#if NORM
        row_scales<Tile>(scale, ssq + long(row) * slots, slots, m - row, d, eps);
#endif
#if ROPE
        pair_frequencies<Tile>(frequency, pair, theta);
#endif
    });
    const float *factor = NORM ? scale : nullptr;
#if ROPE
    store_pairs<Tile>(sums, factor, is_q || is_k ? frequency : nullptr, position, row, m - row,
                      pair, y);
#else
    store_tile<Tile>(sums, factor, row, m - row, j * Tile::N, y);
#endif
}

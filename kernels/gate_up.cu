// The two products of the feed-forward part from one reading of x: gate = x * Wg^T
// and up = x * Wu^T.
//
// x [m][d], wg and wu [ffn][d], g and u [m][ffn].
//
// -D NORM: x is not yet normalised; see qkv.cu.
// -D SWIGLU: g receives silu(gate) * up, u is not used: a tile holds the same
// columns of both, so the two [m][ffn] intermediates never leave the chip.
//
// NORM and SWIGLU are 0 or 1.
//
// Against one product of the same size on an H200: with norm and SwiGLU 22.4 us
// instead of 21.5 (fp32, 1024 rows, 256 to 2 x 512), 13.1 instead of 13.5 (bf16, one
// row, 2048 to 2 x 5632: half as much is written). silu in bf16 takes the
// approximate exponential and division, whose error is far below a rounding.

#ifndef BLOCKS
#define BLOCKS 1
#endif

KERNEL void LAUNCH_BOUNDS(Tile::threads, BLOCKS)
    gate_up(const elem *x, const elem *wg, const elem *wu, elem *g, elem *u, const float *ssq,
            int slots, float eps, int m, int ffn, int d) {
    extern __shared__ __align__(128) char shared[];
    float *scale = reinterpret_cast<float *>(shared + Tile::product_bytes);
#if SWIGLU
    // idea side by side: the left half of the tile is gate's columns, the right half
    // the same columns of up.
    const int WIDTH = Tile::N / 2;
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), tiles_over(ffn, WIDTH));
    int column = tile.j * WIDTH;
    Beside columns = {wg, wu, column, ffn};
    // end side by side
    elem *to = g;
#else
    int tiles_n = tiles_over(ffn, Tile::N);
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), 2 * tiles_n);
    bool is_gate = tile.j < tiles_n;
    int column = (is_gate ? tile.j : tile.j - tiles_n) * Tile::N;
    Run columns = {is_gate ? wg : wu, column, ffn};
    elem *to = is_gate ? g : u;
#endif
    int row = tile.i * Tile::M;
    float *sums = product<Tile>(x + long(row) * d, m - row, columns, d, shared, [&] {
#if NORM
        row_scales<Tile>(scale, ssq + long(row) * slots, slots, m - row, d, eps);
#endif
    });
    const float *factor = NORM ? scale : nullptr;
    Output y = {to, ffn, m, m, 0};
#if SWIGLU
    store_swiglu<Tile>(sums, factor, row, m - row, column, y);
#else
    store_tile<Tile>(sums, factor, row, m - row, column, y);
#endif
}

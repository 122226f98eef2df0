// Y = X * W^T + residual: the product that ends attention (o) and the
// feed-forward part (down), with the residual stream added before it leaves the
// chip. x [m][k], w [n][k], residual and y [m][n].
//
// Unfused, the product is written, read again with the residual, and the sum
// written: two passes over [m][n] and a launch more than here.
//
// What it costs on an H200, against the product alone (tiles of this directory):
// - residual read in the epilogue, each pack when it is added: fp32
//   8192 x 1024 x 1024 from 409 to 431 us, and bf16 on the matrix units from 57 to
//   73: the whole tile waits for memory at once.
// - requested while the product runs (few packs a thread) or together when the sums
//   have left the registers (many): 405 us, nothing. One row, 2048 x 2048, bf16:
//   4.5 us with and without, and the sums of squares are not seen either.

#ifndef BLOCKS
#define BLOCKS 1
#endif

KERNEL void LAUNCH_BOUNDS(Tile::threads, BLOCKS)
    gemm_residual(const elem *x, const elem *w, const elem *residual, elem *y, float *ssq, int m,
                  int n, int k) {
    extern __shared__ __align__(128) char shared[];
    int tiles_n = tiles_over(n, Tile::N);
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), tiles_n);
    int row = tile.i * Tile::M, column = tile.j * Tile::N;

    // idea residual: requested while the product is computed, so that nobody waits for
    // it afterwards.
    Residual<Tile> added;
    auto request = [&] { request_residual<Tile>(added, 0, residual, row, m - row, column, n); };
    Run run = {w, column, n};
    float *sums = product<Tile>(
        x + long(row) * k, m - row, run, k, shared,
        [&] {
            if constexpr (Residual<Tile>::EARLY) request();
        },
        [&] {
            if constexpr (!Residual<Tile>::EARLY) request();
        });
    // end residual

    // idea squares: the next RMSNorm needs the mean square of each row of y; this
    // tile's share of it costs a few additions now and saves a pass over y later.
    store_residual<Tile>(sums, added, residual, ssq, tiles_n, tile.j, row, m - row, column, y, n);
    // end squares
}

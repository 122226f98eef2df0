// Y = X * W^T: the matrix product of a linear layer.
//
// x [m][k] activations, w [n][k] weights as Hugging Face stores them, y [m][n];
// row r of y goes to cache_row(r, seq, cap, past), which is r where there is no
// cache. 2 m n k operations on k (m + n) + m n elements: each element of x is used
// n times, each of w m times. Everything below is about not fetching it as often.

#ifndef BLOCKS
#define BLOCKS 1
#endif

// A block computes one tile of y: T::M rows, T::N columns. How (FMA units, matrix
// units, or as a matrix-vector product) is up to the tile file compiled in front.
KERNEL void __launch_bounds__(Tile::threads, BLOCKS)
    gemm(const elem *x, const elem *w, elem *y, int m, int n, int k, int seq, int cap, int past) {
    extern __shared__ __align__(128) char shared[];
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), tiles_over(n, Tile::N));
    int row = tile.i * Tile::M, column = tile.j * Tile::N;
    Run run = {w, column, n};
    float *sums = product<Tile>(x + long(row) * k, m - row, run, k, shared, Nothing());
    store_tile<Tile>(sums, nullptr, row, m - row, column, Output{y, n, seq, cap, past});
}

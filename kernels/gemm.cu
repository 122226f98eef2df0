// Y = X * W^T: the matrix product of a linear layer.
//
// x [m][k] activations, w [n][k] weights as Hugging Face stores them, y [m][n];
// row r of y goes to cache_row(r, seq, cap, past), which is r where there is no
// cache. 2 m n k operations on k (m + n) + m n elements: each element of x is used
// n times, each of w m times. Every rung is about not fetching it as often.
//
// The ladder, 2048 x 2048 x 2048 on an H200 (NVIDIA's library: 346 us in fp32,
// 26 us in bf16). The first three are kernels of gemm_ladder.cu:
// - naive, a thread per output: 34,900 us in fp32 and in bf16 alike. Half as many
//   bytes changed nothing, so it was not their number: neighbouring lanes read k
//   elements apart, and one load of a warp is as many accesses as it has lanes.
// - coalesced, a warp per output: 3,760 us (bf16 3,290). The same loads in another
//   order, nine times faster; but every output still reads both its rows whole.
// - tiled, 16 x 16 outputs share what they read through shared memory: 2,770 us.
//   Global memory is out of the way, now each multiplication waits for two reads
//   of shared memory.
// - register tiles (tile/gemm_plain.cu), 16 x 8 outputs a thread: 400 us. A value
//   from shared memory is used 8 or 16 times, copies run ahead by themselves. 86 %
//   of the library, and more than that in small shapes, which take small tiles:
//   1024 x 256 x 256 takes 34 us in tiles of 128 x 128 and 7.7 in 32 x 32.
// - matrix units (tile/gemm_mma.cu), bf16: 52 us. An instruction multiplies 16 x 16
//   by 16 x 8; now shared memory has to keep up with it.
// - warpgroup products and the copy engine: see hopper/gemm.cu.
// With few rows (decoding) none of this counts, only the bytes of W per second:
// tile/vector.cu reads 32000 x 2048 weights at 3,850 GB/s in bf16 and 4,290 in fp32,
// where a copy reaches 4,286 (read and write).

#ifndef BLOCKS
#define BLOCKS 1
#endif

// A block computes one tile of y: Tile::M rows, Tile::N columns. How (FMA units,
// matrix units, or as a matrix-vector product) is up to the tile file compiled in
// front.
KERNEL void LAUNCH_BOUNDS(Tile::threads, BLOCKS)
    gemm(const elem *x, const elem *w, elem *y, int m, int n, int k, int seq, int cap, int past) {
    extern __shared__ __align__(128) char shared[];
    TilePlace tile = tile_place(blockIdx.x, tiles_over(m, Tile::M), tiles_over(n, Tile::N));
    int row = tile.i * Tile::M, column = tile.j * Tile::N;
    Run run = {w, column, n};
    float *sums = product<Tile>(x + long(row) * k, m - row, run, k, shared, Nothing());
    store_tile<Tile>(sums, nullptr, row, m - row, column, Output{y, n, seq, cap, past});
}

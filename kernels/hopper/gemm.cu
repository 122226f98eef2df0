// A matrix product on Hopper: c[r][o] = sum over i of a[r][i] * w[o][i], bf16, sums in fp32.
// a is [m][k], w is [n][k], as Hugging Face stores a weight; row r of c goes to
// cache_row(r, seq, cap, past) of [..][n].
//
// Ladder (512 x 2048 x 2048 on an H200, microseconds; the library takes 8.5):
//   matrix units   mma.sync, fragments through ldmatrix (tile/gemm_mma.cu): 14.5
//   warpgroups     wgmma reads shared memory itself, cp.async brings it: 10.0
//   copy engine    one thread asks for whole tiles (hopper/gemm_one_role.cu): 9.9
//   roles          a producer, consumers, two barriers per stage (this file): 8.9
//   one launch after another begun before the first has ended: 8.4
// On large shapes the last step is turns: while one warpgroup stores its tile the
// other multiplies. 8192 x 8192 x 1024: shared tile 204, turns 185, library 208.
//
// The tile decides more than anything else: the blocks should come to the number of
// multiprocessors, or a little less than a multiple of it.
//   m     n      k      library  one role  here   tile
//   512   2560   2048   9.4      11.2      9.9    128 x 80
//   512   11264  2048   34.0     38.7      35.2   128 x 176, turns
//   512   2048   5632   19.9     22.8      19.3   128 x 64
//   512   32000  2048   99       106       98     128 x 128, turns
//   8192  8192   1024   208      240       185    128 x 192, turns
//   8192  1024   4096   98       100       99     128 x 128, turns
//   1024  512    512    3.7      4.1       4.2    64 x 64
// Tried and left out: two blocks of a cluster that share the columns of w (512 x 2048
// x 2048: 9.1 became 10.0), two blocks per multiprocessor (9.3 became 10.0), weights
// asked for before the kernel in front has ended (8.1 became 8.7).

HOPPER_KERNEL gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w,
                   elem *c, int m, int n, int k, int seq, int cap, int past) {
    // idea roles: who copies and who multiplies never wait for each other but at two barriers
    StoreRows store{c, m, n, seq, cap, past};
    multiply(a, OneWeight{&w}, store, m, (n + TILE_N - 1) / TILE_N, k);
    // end roles
}

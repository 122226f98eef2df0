// A matrix product on Hopper: c[r][o] = sum over i of a[r][i] * w[o][i], bf16, sums in fp32.
// a is [m][k], w is [n][k], as Hugging Face stores a weight; row r of c goes to
// cache_row(r, seq, cap, past) of [..][n].
//
// TODO ladder

HOPPER_KERNEL
    gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, elem *c, int m,
         int n, int k, int seq, int cap, int past) {
    StoreRows store{c, m, n, seq, cap, past};
    multiply(a, OneWeight{&w}, store, m, (n + TILE_N - 1) / TILE_N, k);
}

// A matrix product on Hopper: c[r][o] = sum over i of a[r][i] * w[o][i], bf16, sums in fp32.
// a is [m][k], w is [n][k], as Hugging Face stores a weight; row r of c goes to
// cache_row(r, seq, cap, past) of [..][n].
//
// TODO ladder

struct Weights {
    const TensorMap *w;
    __device__ __forceinline__ void load(void *to, u64 *full, int tile_n, int k) const {
        tma_load(to, *w, full, k, tile_n * TILE_N);
    }
};

struct Store {
    elem *c;
    int m, n, seq, cap, past;

    __device__ __forceinline__ void request(const Tile &, int) {}
    __device__ __forceinline__ void store(const Tile &tile, int part, const float (&sums)[SUMS]) {
        int row = lane_row(tile, part) + item_row();
        elem *to = c + cache_row(row, seq, cap, past) * n;
#pragma unroll
        for (int i = 0; i < SUMS; i += 8) {
            u32 item[4] = {pair_bf16(sums[i], sums[i + 1]), pair_bf16(sums[i + 4], sums[i + 5]),
                           pair_bf16(sums[i + 2], sums[i + 3]), pair_bf16(sums[i + 6], sums[i + 7])};
            transpose_quad(item);
            if (row < m) store_item(to, tile.n * TILE_N + i * 2 + item_group() * 8, n, item);
        }
    }
};

HOPPER_KERNEL
    gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, elem *c, int m,
         int n, int k, int seq, int cap, int past) {
    Store store{c, m, n, seq, cap, past};
    multiply(a, Weights{&w}, store, m, (n + TILE_N - 1) / TILE_N, k);
}

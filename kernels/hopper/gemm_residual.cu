// A product on Hopper with the residual added where the sums are:
// c[r][o] = residual[r][o] + sum over i of a[r][i] * w[o][i], and, where a norm
// follows, ssq[r][tile] = the sum of squares of the row's columns in this tile.
//
// Ladder (512 x 2048 x 5632 on an H200, microseconds):
//   apart     a product, 19.9 in the library, and a kernel that adds
//   library   cuBLAS adds the residual itself: 22.1
//   late      the residual is loaded in the epilogue: everybody waits for memory once more
//   early     it is asked for before the products and has come when they are done: 20.0
// The sums of squares for the next norm cost nothing that can be measured.

struct AddResidual {
    const elem *residual;
    elem *c;
    float *ssq;
    int m, n, slots;
    Item items[PARTS][ITEMS(TILE_N / 8)];

    __device__ __forceinline__ void begin() const {}
    // idea early: the residual is asked for before the products, and travels under them
    __device__ __forceinline__ void request(const Tile &tile, int part) {
        int row = lane_row(tile, part);
        const elem *from = residual + long(row) * n + tile.n * TILE_N;
        int groups = (n - tile.n * TILE_N) / 8;
        each_item<TILE_N / 8>([&](int i, int half, int group) {
            bool there = row + half * 8 < m && group < groups;
            items[part][i] = load_item(from + half * 8 * long(n) + group * 8, there);
        });
    }
    // end early

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
        int row = lane_row(tile, part);
#pragma unroll
        for (int i = 0; i < ITEMS(TILE_N / 8); i++) add_item<TILE_N / 8>(sums, items[part][i], i);
        elem *to = row < m ? c + long(row) * n : nullptr;
        elem *to_8 = row + 8 < m ? c + long(row + 8) * n : nullptr;
        store_groups<TILE_N / 8>(sums, to, to_8, tile.n * TILE_N, n);
        if (!ssq) return;
        // idea row-sums: the next norm needs one number per row; its parts are made here
        // Of the values as they were stored: rounded.
        float square = 0.0f, square_8 = 0.0f;
#pragma unroll
        for (int i = 0; i < SUMS; i += 4) {
            u32 pair = pair_bf16(sums[i], sums[i + 1]);
            u32 pair_8 = pair_bf16(sums[i + 2], sums[i + 3]);
            square += low_of(pair) * low_of(pair) + high_of(pair) * high_of(pair);
            square_8 += low_of(pair_8) * low_of(pair_8) + high_of(pair_8) * high_of(pair_8);
        }
        square = quad_sum(square);
        square_8 = quad_sum(square_8);
        if (lane_id() % 4 == 0) {
            if (to) ssq[long(row) * slots + tile.n] = square;
            if (to_8) ssq[long(row + 8) * slots + tile.n] = square_8;
        }
        // end row-sums
    }
};

HOPPER_KERNEL gemm_residual(const __grid_constant__ TensorMap a,
                            const __grid_constant__ TensorMap w, const elem *residual, elem *c,
                            float *ssq, int m, int n, int k) {
    int tiles_n = (n + TILE_N - 1) / TILE_N;
    AddResidual add{residual, c, ssq, m, n, tiles_n};
    multiply(a, OneWeight{&w}, add, m, tiles_n, k);
}

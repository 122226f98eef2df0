// A product on Hopper with the residual added where the sums are:
// c[r][o] = residual[r][o] + sum over i of a[r][i] * w[o][i], and, where a norm
// follows, ssq[r][tile] = the sum of squares of the row's columns in this tile.
//
// TODO ladder

struct AddResidual {
    const elem *residual;
    elem *c;
    float *ssq;
    int m, n, slots;
    u32 items[PARTS][TILE_N / 16][4];

    __device__ __forceinline__ void request(const Tile &tile, int part) {
        int row = lane_row(tile, part) + item_row();
        const elem *from = residual + long(row) * n;
#pragma unroll
        for (int i = 0; i < TILE_N / 16; i++)
            load_item(from, tile.n * TILE_N + i * 16 + item_group() * 8, row < m ? n : 0,
                      items[part][i]);
    }

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
        int row = lane_row(tile, part) + item_row();
        elem *to = c + long(row) * n;
        float square = 0.0f, square_8 = 0.0f;
#pragma unroll
        for (int i = 0; i < TILE_N / 16; i++) {
            u32 (&item)[4] = items[part][i];
            const float *sum = &sums[8 * i];
            transpose_quad(item);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                // Items 0 and 1 are this row's, 2 and 3 those of row + 8.
                int at = j % 2 * 4 + j / 2 * 2;
                item[j] = pair_bf16(low_of(item[j]) + sum[at], high_of(item[j]) + sum[at + 1]);
                float low = low_of(item[j]), high = high_of(item[j]);
                if (j < 2) square += low * low + high * high;
                else square_8 += low * low + high * high;
            }
            transpose_quad(item);
            if (row < m) store_item(to, tile.n * TILE_N + i * 16 + item_group() * 8, n, item);
        }
        if (!ssq) return;
        square = quad_sum(square);
        square_8 = quad_sum(square_8);
        int first = lane_row(tile, part);
        if (lane_id() % 4 == 0) {
            if (first < m) ssq[long(first) * slots + tile.n] = square;
            if (first + 8 < m) ssq[long(first + 8) * slots + tile.n] = square_8;
        }
    }
};

HOPPER_KERNEL gemm_residual(const __grid_constant__ TensorMap a,
                            const __grid_constant__ TensorMap w, const elem *residual, elem *c,
                            float *ssq, int m, int n, int k) {
    int tiles_n = (n + TILE_N - 1) / TILE_N;
    AddResidual add{residual, c, ssq, m, n, tiles_n};
    multiply(a, OneWeight{&w}, add, m, tiles_n, k);
}

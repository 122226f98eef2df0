// Two products of the same rows on Hopper: g = x * wg^T and u = x * wu^T, and with
// -D SWIGLU=1 only m = silu(g) * u, which never leaves the registers as g and u.
//
// TODO ladder

// Half of a tile's columns belong to gate, half to up: the same lane holds both
// values of a column.
#define HALF (TILE_N / 2)

struct Weights {
    const TensorMap *gate, *up;
    __device__ __forceinline__ void load(unsigned char *to, u64 *full, int tile_n, int k) const {
        tma_load(to, *gate, full, k, tile_n * HALF);
        tma_load(to + BYTES_B / 2, *up, full, k, tile_n * HALF);
    }
};

// silu(g) * u. One fast exponential and one fast reciprocal: right to 2^-20, far
// below the rounding to bf16; the full division costs.
DEVICE float swiglu(float gate, float up) {
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}

struct Store {
    elem *g, *u;
    const float *ssq;
    int slots;
    float eps;
    int m, ffn, d;
    float scale[PARTS][2];

    __device__ __forceinline__ void request(const Tile &tile, int part) {
#if NORM
        int row = lane_row(tile, part);
        scale[part][0] = row_scale(ssq, row, m, slots, d, eps);
        scale[part][1] = row_scale(ssq, row + 8, m, slots, d, eps);
#endif
    }

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
        int row = lane_row(tile, part) + item_row();
        int column = tile.n * HALF;
#if NORM
#pragma unroll
        for (int i = 0; i < SUMS; i++) sums[i] *= scale[part][i / 2 % 2];
#endif
        const float *gate = sums, *up = sums + SUMS / 2;
#if SWIGLU
        // Two groups of eight columns at a time; where their number is odd, the
        // last has no partner.
#pragma unroll
        for (int i = 0; i < SUMS / 2; i += 8) {
            float out[8] = {};
#pragma unroll
            for (int j = 0; j < 8; j++)
                if (i + j < SUMS / 2) out[j] = swiglu(gate[i + j], up[i + j]);
            u32 item[4] = {pair_bf16(out[0], out[1]), pair_bf16(out[4], out[5]),
                           pair_bf16(out[2], out[3]), pair_bf16(out[6], out[7])};
            transpose_quad(item);
            bool there = row < m && i * 2 + item_group() * 8 < HALF;
            if (there) store_item(g + long(row) * ffn, column + i * 2 + item_group() * 8, ffn, item);
        }
#else
        elem *to = (item_group() ? u : g) + long(row) * ffn;
#pragma unroll
        for (int i = 0; i < SUMS / 2; i += 4) {
            u32 item[4] = {pair_bf16(gate[i], gate[i + 1]), pair_bf16(up[i], up[i + 1]),
                           pair_bf16(gate[i + 2], gate[i + 3]), pair_bf16(up[i + 2], up[i + 3])};
            transpose_quad(item);
            if (row < m) store_item(to, column + i * 2, ffn, item);
        }
#endif
    }
};

HOPPER_KERNEL gate_up(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap wg,
                      const __grid_constant__ TensorMap wu, elem *g, elem *u, const float *ssq,
                      int slots, float eps, int m, int ffn, int d) {
    Store store{g, u, ssq, slots, eps, m, ffn, d};
    multiply(x, Weights{&wg, &wu}, store, m, (ffn + HALF - 1) / HALF, d);
}

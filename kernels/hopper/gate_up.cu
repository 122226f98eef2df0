// Two products of the same rows on Hopper: g = x * wg^T and u = x * wu^T, and with
// -D SWIGLU=1 only m = silu(g) * u, which never leaves the registers as g and u.
//
// Ladder (512 x 2 x 5632 x 2048 on an H200, microseconds; the library's product alone
// takes 34):
//   both products in one kernel, g and u stored      35.8
//   silu(g) * u stored, half the bytes               35.4
//   and the norm in front, folded into the sums      36.1
// What is left out is three kernels and 4 x 512 x 5632 elements there and back.

// Half of a tile's columns belong to gate, half to up: the same lane holds both
// values of a column.
#define HALF (TILE_N / 2)

struct Weights {
    const TensorMap *gate, *up;

    struct Columns {
        const TensorMap *gate, *up;
        int row;
        __device__ __forceinline__ void load(unsigned char *to, u64 *full, int k) const {
            tma_load(to, *gate, full, k, row);
            tma_load(to + BYTES_B / 2, *up, full, k, row);
        }
    };
    __device__ __forceinline__ Columns columns(int tile_n) const {
        return {gate, up, tile_n * HALF};
    }
    __device__ __forceinline__ void prefetch() const {
        tma_prefetch(*gate);
        tma_prefetch(*up);
    }
};

// idea silu: what stays in a register needs no memory: one exponential, one reciprocal
// silu(g) * u. One fast exponential and one fast reciprocal: right to 2^-20, far
// below the rounding to bf16; the full division costs.
DEVICE float swiglu(float gate, float up) {
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}
// end silu

struct Store {
    elem *g, *u;
    const float *ssq;
    int slots;
    float eps;
    int m, ffn, d;
    float scale[PARTS][2];

    __device__ __forceinline__ void begin() const {}
    __device__ __forceinline__ void request(const Tile &tile, int part) {
#if NORM
        int row = lane_row(tile, part);
        RowParts parts = row_parts(ssq, row, m, slots), parts_8 = row_parts(ssq, row + 8, m, slots);
        scale[part][0] = row_scale(parts, d, eps);
        scale[part][1] = row_scale(parts_8, d, eps);
#endif
    }

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
        int row = lane_row(tile, part);
        float *gate = sums, *up = sums + SUMS / 2;
#if NORM
        // idea norm: a row's factor commutes with the product, so it comes last
#pragma unroll
        for (int i = 0; i < SUMS; i++) sums[i] *= scale[part][i / 2 % 2];
        // end norm
#endif
#if SWIGLU
#pragma unroll
        for (int i = 0; i < SUMS / 2; i++) gate[i] = swiglu(gate[i], up[i]);
#else
        store_groups<HALF / 8>(up, at(u, row), at(u, row + 8), tile.n * HALF, ffn);
#endif
        store_groups<HALF / 8>(gate, at(g, row), at(g, row + 8), tile.n * HALF, ffn);
    }
    __device__ __forceinline__ elem *at(elem *base, int row) const {
        return row < m ? base + long(row) * ffn : nullptr;
    }
};

HOPPER_KERNEL gate_up(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap wg,
                      const __grid_constant__ TensorMap wu, elem *g, elem *u, const float *ssq,
                      int slots, float eps, int m, int ffn, int d) {
    Store store{g, u, ssq, slots, eps, m, ffn, d};
    multiply(x, Weights{&wg, &wu}, store, m, (ffn + HALF - 1) / HALF, d);
}

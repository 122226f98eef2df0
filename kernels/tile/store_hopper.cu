// What the products of `tile/gemm_hopper.cu` store, and the norm that is folded into them.

// ---- the folded norm -----------------------------------------------------------

// RMSNorm is linear but for one number per row. gamma is in the weights; the number
// comes from the partial sums of squares that the row's maker left, `ssq` being
// [rows][slots]. The lanes of a quad share a row's slots. First they ask for all of
// them, later they add: between the two the way from memory can be used. (Not where
// groups take turns: they have the time, but no registers to spare.)
#define ROW_PARTS (TURNS ? 1 : 8)
struct RowParts {
    float at[ROW_PARTS];
};

DEVICE RowParts row_parts(const float *ssq, int row, int rows, int slots) {
    RowParts parts;
    const float *from = ssq + long(row) * slots;
#pragma unroll
    for (int i = 0; i < ROW_PARTS; i++) {
        int slot = lane_id() % 4 + i * 4;
        parts.at[i] = row < rows && slot < slots ? from[slot] : 0.0f;
    }
    for (int slot = lane_id() % 4 + ROW_PARTS * 4; row < rows && slot < slots; slot += 4)
        parts.at[0] += from[slot];
    return parts;
}

DEVICE float row_scale(const RowParts &parts, int width, float eps) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < ROW_PARTS; i++) sum += parts.at[i];
    return rsqrtf(quad_sum(sum) / width + eps);
}

// Row r of c, n wide, at cache_row(r, seq, cap, past).
struct StoreRows {
    elem *c;
    int m, n, seq, cap, past;

    __device__ __forceinline__ void begin() const {}
    __device__ __forceinline__ void request(const Tile &, int) {}
    __device__ __forceinline__ void store(const Tile &tile, int part, const float (&sums)[SUMS]) {
        int row = lane_row(tile, part);
        store_groups<TILE_N / 8>(sums, at(row), at(row + 8), tile.n * TILE_N, n);
    }
    __device__ __forceinline__ elem *at(int row) const {
        return row < m ? c + cache_row(row, seq, cap, past) * n : nullptr;
    }
};

// How a warpgroup's sums reach memory on Hopper: sixteen bytes at a time.
//
// A lane holds two columns out of every eight; memory wants sixteen bytes. The
// four lanes of a quad hold four items of eight columns each (two rows times two
// groups of columns): they transpose them, and each owns one whole item.
//   item 0: row, first group   1: row, second group   2: row + 8, first   3: row + 8, second

DEVICE void transpose_quad(u32 (&item)[4]) {
    bool odd = lane_id() & 1;
    bool high = lane_id() & 2;
    u32 sent, got;
    sent = odd ? item[0] : item[1];
    got = __shfl_xor_sync(0xffffffffu, sent, 1);
    if (odd) item[0] = got; else item[1] = got;
    sent = odd ? item[2] : item[3];
    got = __shfl_xor_sync(0xffffffffu, sent, 1);
    if (odd) item[2] = got; else item[3] = got;
    sent = high ? item[0] : item[2];
    got = __shfl_xor_sync(0xffffffffu, sent, 2);
    if (high) item[0] = got; else item[2] = got;
    sent = high ? item[1] : item[3];
    got = __shfl_xor_sync(0xffffffffu, sent, 2);
    if (high) item[1] = got; else item[3] = got;
}

DEVICE float low_of(u32 pair) { return __uint_as_float(pair << 16); }
DEVICE float high_of(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }

// Sum over the four lanes of a quad, which hold the same rows.
DEVICE float quad_sum(float value) {
    value += swap_lanes(value, 1);
    return value + swap_lanes(value, 2);
}

// The item a lane owns after the transposition.
DEVICE int item_row() { return (lane_id() & 2) * 4; }
DEVICE int item_group() { return lane_id() & 1; }

// Eight columns from `column` of a row of `width`; what lies beyond is left out.
// Rows of 16-byte strides take one store.
DEVICE void store_item(elem *row, int column, int width, const u32 (&item)[4]) {
    if (width % 8 == 0) {
        if (column < width)
            *reinterpret_cast<uint4 *>(row + column) = make_uint4(item[0], item[1], item[2], item[3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (column + i < width) row[column + i].bits = u16(item[i / 2] >> i % 2 * 16);
}

DEVICE void load_item(const elem *row, int column, int width, u32 (&item)[4]) {
    item[0] = item[1] = item[2] = item[3] = 0;
    if (width % 8 == 0) {
        if (column >= width) return;
        uint4 pack = *reinterpret_cast<const uint4 *>(row + column);
        item[0] = pack.x, item[1] = pack.y, item[2] = pack.z, item[3] = pack.w;
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (column + i < width) item[i / 2] |= u32(row[column + i].bits) << i % 2 * 16;
}

// ---- the folded norm -----------------------------------------------------------

// RMSNorm is linear but for one number per row. gamma is in the weights; here is
// the number, from the partial sums of squares that the row's maker left: the
// quad's lanes share the slots. `ssq` is [rows][slots].
DEVICE float row_scale(const float *ssq, int row, int rows, int slots, int width, float eps) {
    float sum = 0.0f;
    if (row < rows)
        for (int i = lane_id() % 4; i < slots; i += 4) sum += ssq[long(row) * slots + i];
    return rsqrtf(quad_sum(sum) / width + eps);
}

// ---- the plain store -------------------------------------------------------------

// Row r of c, n wide, at cache_row(r, seq, cap, past).
struct StoreRows {
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

// How a warpgroup's sums reach memory on Hopper: sixteen bytes at a time.
//
// A lane holds two columns out of every eight; memory wants sixteen bytes. The
// four lanes of a quad hold four items of eight columns each; they transpose them,
// and each owns one whole item. It is its own inverse.

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

// ---- whole tiles -----------------------------------------------------------------

// The items of COUNT groups of eight columns, of the lane's row and of row + 8, in
// the order in which quads own them: visit(i, half, group) with i = 0, 1, … and
// half 1 for row + 8. Four groups of one row are 64 bytes side by side; what is left
// over goes by two groups of both rows, and an odd last group with lanes idle
// (group == COUNT).
template <int COUNT, class Visit>
DEVICE void each_item(Visit visit) {
    int lane = lane_id() % 4;
#pragma unroll
    for (int i = 0; i < COUNT / 4 * 2; i++) visit(i, i % 2, i / 2 * 4 + lane);
#pragma unroll
    for (int i = 0; i < (COUNT % 4 + 1) / 2; i++)
        visit(COUNT / 4 * 2 + i, lane / 2, COUNT / 4 * 4 + i * 2 + lane % 2);
}
#define ITEMS(COUNT) ((COUNT) / 4 * 2 + ((COUNT) % 4 + 1) / 2)

// Item i of each_item from the sums, rounded, in the lane that owns it.
template <int COUNT>
DEVICE void pack_item(u32 (&item)[4], const float *sums, int i) {
    bool wide = i < COUNT / 4 * 2;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int group = wide ? i / 2 * 4 + j : COUNT / 4 * 4 + (i - COUNT / 4 * 2) * 2 + j % 2;
        int half = wide ? i % 2 : j / 2;
        if (group == COUNT) group--;
        item[j] = pair_bf16(sums[4 * group + 2 * half], sums[4 * group + 2 * half + 1]);
    }
    transpose_quad(item);
}

// Adds item i to the sums it belongs to.
template <int COUNT>
DEVICE void add_item(float *sums, u32 (&item)[4], int i) {
    bool wide = i < COUNT / 4 * 2;
    transpose_quad(item);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int group = wide ? i / 2 * 4 + j : COUNT / 4 * 4 + (i - COUNT / 4 * 2) * 2 + j % 2;
        int half = wide ? i % 2 : j / 2;
        if (group == COUNT) continue;
        sums[4 * group + 2 * half] += low_of(item[j]);
        sums[4 * group + 2 * half + 1] += high_of(item[j]);
    }
}

// COUNT groups of eight columns from `column` on: row goes to `to`, row + 8 to `to_8`,
// rows of `width`; a row that is not there is null.
template <int COUNT>
DEVICE void store_groups(const float *sums, elem *to, elem *to_8, int column, int width) {
    each_item<COUNT>([&](int i, int half, int group) {
        u32 item[4];
        pack_item<COUNT>(item, sums, i);
        elem *row = half ? to_8 : to;
        if (row && group < COUNT) store_item(row, column + group * 8, width, item);
    });
}

// Row r of c, n wide, at cache_row(r, seq, cap, past).
struct StoreRows {
    elem *c;
    int m, n, seq, cap, past;

    __device__ __forceinline__ void request(const Tile &, int) {}
    __device__ __forceinline__ void store(const Tile &tile, int part, const float (&sums)[SUMS]) {
        int row = lane_row(tile, part);
        store_groups<TILE_N / 8>(sums, at(row), at(row + 8), tile.n * TILE_N, n);
    }
    __device__ __forceinline__ elem *at(int row) const {
        return row < m ? c + cache_row(row, seq, cap, past) * n : nullptr;
    }
};

// How a warpgroup's sums reach memory on Hopper: sixteen bytes at a time.
//
// A lane holds two columns out of every eight; memory wants sixteen bytes. The
// four lanes of a quad hold four items of eight columns each; they transpose them,
// and each owns one whole item. It is its own inverse.

// Eight neighbouring columns of a row.
struct alignas(16) Item {
    u32 at[4];
};

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

DEVICE void store_item(elem *to, bool there, Item item) {
    if (there) *reinterpret_cast<Item *>(to) = item;
}
DEVICE Item load_item(const elem *from, bool there) {
    Item item = {};
    if (there) item = *reinterpret_cast<const Item *>(from);
    return item;
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
DEVICE Item pack_item(const float *sums, int i) {
    Item item;
    bool wide = i < COUNT / 4 * 2;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int group = wide ? i / 2 * 4 + j : COUNT / 4 * 4 + (i - COUNT / 4 * 2) * 2 + j % 2;
        int half = wide ? i % 2 : j / 2;
        if (group == COUNT) group--;
        item.at[j] = pair_bf16(sums[4 * group + 2 * half], sums[4 * group + 2 * half + 1]);
    }
    transpose_quad(item.at);
    return item;
}

// Adds item i to the sums it belongs to.
template <int COUNT>
DEVICE void add_item(float *sums, Item item, int i) {
    bool wide = i < COUNT / 4 * 2;
    transpose_quad(item.at);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int group = wide ? i / 2 * 4 + j : COUNT / 4 * 4 + (i - COUNT / 4 * 2) * 2 + j % 2;
        int half = wide ? i % 2 : j / 2;
        if (group == COUNT) continue;
        sums[4 * group + 2 * half] += low_of(item.at[j]);
        sums[4 * group + 2 * half + 1] += high_of(item.at[j]);
    }
}

// COUNT groups of eight columns from `column` on: row goes to `to`, row + 8 to `to_8`,
// rows of `width`, a multiple of 8; a row that is not there is null, and what lies
// beyond the width is left out.
template <int COUNT>
DEVICE void store_groups(const float *sums, elem *to, elem *to_8, int column, int width) {
    int groups = (width - column) / 8;
    elem *first = to ? to + column : nullptr, *second = to_8 ? to_8 + column : nullptr;
    each_item<COUNT>([&](int i, int half, int group) {
        elem *row = half ? second : first;
        bool there = row && group < min(groups, COUNT);
        store_item(row + group * 8, there, pack_item<COUNT>(sums, i));
    });
}

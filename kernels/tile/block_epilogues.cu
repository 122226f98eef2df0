// What the phases of Hopper's one-launch kernel do with their sums.

// The norm in front of a product: a factor per row, applied to the sums. It comes from
// the partial sums of squares that the row's maker left, [rows][slots]; the lanes of a
// quad share a row. Read past the first-level cache, which does not know what other
// blocks write during the launch. The first are asked for before the products.
struct Norm {
    const float *squares;
    int rows, slots, width;
    float eps;
    float part[2];

    __device__ __forceinline__ const float4 *from(int row) const {
        long first = long(min(row, rows - 1)) * slots;
        return reinterpret_cast<const float4 *>(squares + first);
    }
    __device__ __forceinline__ void request(int row) {
        const float4 *from_row = from(row), *from_8 = from(row + 8);
        part[0] = part[1] = 0.0f;
#pragma unroll 4
        for (int four = lane_id() % 4; four < slots / 4; four += 4) {
            float4 a = __ldcg(from_row + four), b = __ldcg(from_8 + four);
            part[0] += (a.x + a.y) + (a.z + a.w);
            part[1] += (b.x + b.y) + (b.z + b.w);
        }
    }
    __device__ __forceinline__ float factor(int half) const {
        return rsqrtf(quad_sum(part[half]) / width + eps);
    }
};

template <int COUNT>
DEVICE void scale_rows(float (&sums)[COUNT], const Norm &norm) {
    const float factor[2] = {norm.factor(0), norm.factor(1)};
#pragma unroll
    for (int i = 0; i < COUNT; i++) sums[i] *= factor[i / 2 % 2];
}

// ---- q, k, v ---------------------------------------------------------------------
// A turn needs columns i and i + HEAD / 2 of a head in the same lane. Columns are dealt
// with in units of two groups of eight, HEAD / 2 apart; q, k and v one after the other
// are a row of such units. A tile whose columns are whole heads comes as it lies in
// memory, and the partner of a group is HEAD / 16 groups further on; else every unit
// is a request of its own (a box of two groups) and the partners lie side by side.

#define HEAD_UNITS (HEAD / 16)
#define WHOLE_HEADS (QKV_N % HEAD == 0)

// Where q ends and k ends, in units.
struct Split {
    int q, k, all;
    __device__ __forceinline__ int which(int unit) const { return unit < q ? 0 : unit < k ? 1 : 2; }
    __device__ __forceinline__ int within(int unit) const {
        return unit < q ? unit : unit < k ? unit - q : unit - k;
    }
};
// First column of a unit of a weight.
DEVICE int unit_column(int unit) { return unit / HEAD_UNITS * HEAD + unit % HEAD_UNITS * 8; }

template <class P> struct QkvRight {
    const TensorMap *maps; // of q, k, v
    Split split;

    struct Columns {
        const TensorMap *maps;
        Split split;
        int unit;
        __device__ __forceinline__ void load(u32 to, u32 full, int k) const {
#if WHOLE_HEADS
#pragma unroll
            for (int i = 0; i < P::COLUMNS / HEAD; i++) {
                // What lies beyond the last weight is asked for beyond its rows.
                int head = unit + i * HEAD_UNITS, which = split.which(head);
                tma_load(to + i * HEAD * 128, maps[which], full, k,
                         split.within(head) / HEAD_UNITS * HEAD);
            }
#else
#pragma unroll
            for (int i = 0; i < P::COLUMNS / 16; i++) {
                int which = split.which(unit + i), column = unit_column(split.within(unit + i));
                tma_load(to + i * 2048, maps[which], full, k, column % (HEAD / 2), column / HEAD * 2);
            }
#endif
        }
    };
    __device__ __forceinline__ Columns at(int tile_n) const {
        return {maps, split, tile_n * (P::COLUMNS / 16)};
    }
};

template <class P> struct QkvStore {
    Norm norm;
    Split split;
    const float *frequencies;
    elem *q, *keys, *values;
    int seq, cap, past, width, kv_width;

    __device__ __forceinline__ void request(int row, int) { norm.request(row); }

    __device__ __forceinline__ void store(int row, int stretch, float (&sums)[P::SUMS]) const {
        constexpr int UNITS = P::SUMS / 8, BESIDE = WHOLE_HEADS ? HEAD_UNITS : 1;
        scale_rows(sums, norm);
        int of[2], position[2]; // a row's sequence, and its place there
#pragma unroll
        for (int i = 0; i < 2; i++) {
            of[i] = divide(row + i * 8, seq);
            position[i] = past + row + i * 8 - of[i] * seq;
        }
        int half = lane_id() % 4 / 2, second = lane_id() % 2, at = row + half * 8;
        long cached = (long(half ? of[1] : of[0]) * cap + (half ? position[1] : position[0])) * kv_width;
        // A loop over heads, or over units, whose sums move up: unrolled it is too long a
        // code.
        constexpr int TOGETHER = WHOLE_HEADS ? HEAD_UNITS : 1;
#pragma unroll 1
        for (int first = 0; first < UNITS; first += TOGETHER) {
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                float *a = sums + 4 * i, *b = a + 4 * BESIDE;
                int unit = stretch * UNITS + first + i, which = split.which(unit);
                if (which < 2) {
                    // idea turn: both columns of a pair are in one lane, so the turn needs no memory
                    const float *frequency = frequencies + unit % HEAD_UNITS * 8 + lane_id() % 4 * 2;
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        Turn turn = rotary_turn(position[j / 2], frequency[j % 2]);
                        float x = a[j], y = b[j];
                        a[j] = turn_first(x, y, turn);
                        b[j] = turn_second(x, y, turn);
                    }
                    // end turn
                }
                // A unit is four items of a quad: two groups of two rows.
                Item item = {{pair_bf16(a[0], a[1]), pair_bf16(b[0], b[1]), pair_bf16(a[2], a[3]),
                              pair_bf16(b[2], b[3])}};
                transpose_quad(item.at);
                elem *to = which == 0   ? q + long(at) * width
                           : which == 1 ? keys + cached
                                        : values + cached;
                store_item(to + unit_column(split.within(unit)) + second * (HEAD / 2),
                           at < norm.rows && unit < split.all, item);
            }
#pragma unroll
            for (int j = 0; j + 8 * TOGETHER < P::SUMS; j++) sums[j] = sums[j + 8 * TOGETHER];
        }
    }
};

// ---- o, down ---------------------------------------------------------------------

template <class P> struct OneRight {
    const TensorMap *map;
    struct Columns {
        const TensorMap *map;
        int row;
        __device__ __forceinline__ void load(u32 to, u32 full, int k) const {
#pragma unroll
            for (int side = 0; side < SIDES; side++)
                tma_load(to + side * P::N * 128, *map, full, k, row + side * P::N);
        }
    };
    __device__ __forceinline__ Columns at(int tile_n) const { return {map, tile_n * P::COLUMNS}; }
};

// to = sums + residual, and the sums of its squares, of the values as they were stored.
template <class P> struct ResidualStore {
    const elem *residual;
    elem *to;
    float *squares;
    int rows, width, slots;
    static constexpr int COLUMNS = P::SUMS * 2, GROUPS = COLUMNS / 8;
    // Beside the sums of two tiles there is no room for more.
    static constexpr bool AHEAD = !P::TURNS && P::SUMS + ITEMS(GROUPS) * 4 <= 192;
    Item items[ITEMS(GROUPS)];

    __device__ __forceinline__ void load(int row, int stretch) {
        int groups = (width - stretch * COLUMNS) / 8;
        each_item<GROUPS>([&](int i, int half, int group) {
            bool there = row + half * 8 < rows && group < groups;
            // Where it is not, the first of all rows is read, another team's perhaps and
            // unordered with its store: the value is thrown away.
            const elem *from =
                residual + (there ? long(row + half * 8) * width + stretch * COLUMNS + group * 8 : 0);
            uint4 bits = __ldcg(reinterpret_cast<const uint4 *>(from));
            items[i] = {{bits.x, bits.y, bits.z, bits.w}};
            if (!there) items[i] = {};
        });
    }
    __device__ __forceinline__ void request(int row, int stretch) {
        if (AHEAD) load(row, stretch);
    }
    __device__ __forceinline__ void store(int row, int stretch, float (&sums)[P::SUMS]) {
        if (!AHEAD) load(row, stretch);
#pragma unroll
        for (int i = 0; i < ITEMS(GROUPS); i++) add_item<GROUPS>(sums, items[i], i);
        store_groups<GROUPS>(sums, row < rows ? to + long(row) * width : nullptr,
                             row + 8 < rows ? to + long(row + 8) * width : nullptr,
                             stretch * COLUMNS, width);
        float square[2] = {};
#pragma unroll
        for (int i = 0; i < P::SUMS; i += 2) {
            u32 pair = pair_bf16(sums[i], sums[i + 1]);
            square[i / 2 % 2] += low_of(pair) * low_of(pair) + high_of(pair) * high_of(pair);
        }
        square[0] = quad_sum(square[0]), square[1] = quad_sum(square[1]);
        if (lane_id() % 4 != 0 || stretch * COLUMNS >= width) return;
        // The slots are counted in fours: the last stretch fills up.
        int end = (stretch + 1) * COLUMNS >= width ? slots : stretch + 1;
#pragma unroll 1
        for (int slot = stretch; slot < end; slot++) {
#pragma unroll
            for (int half = 0; half < 2; half++)
                if (row + half * 8 < rows)
                    squares[long(row + half * 8) * slots + slot] = slot == stretch ? square[half] : 0.0f;
        }
    }
};

// ---- gate and up, logits -----------------------------------------------------------
// The first half of a group's columns come from one place, the second from another: gate
// and up of the same columns, or (logits) two stretches of one weight.

template <class P> struct HalvesRight {
    const TensorMap *first, *second;
    int apart; // rows from the first half of one weight to its second

    struct Columns {
        const TensorMap *first, *second;
        int row, step, apart;
        __device__ __forceinline__ void load(u32 to, u32 full, int k) const {
#pragma unroll
            for (int side = 0; side < SIDES; side++) {
                u32 here = to + side * P::N * 128;
                tma_load(here, *first, full, k, row + side * step);
                tma_load(here + P::N * 64, *second, full, k, row + side * step + apart);
            }
        }
    };
    __device__ __forceinline__ Columns at(int tile_n) const {
        int step = P::N / 2 + apart;
        return {first, second, tile_n * SIDES * step, step, apart};
    }
};

// idea silu: what stays in a register needs no memory: one exponential, one reciprocal.
DEVICE float swiglu(float gate, float up) {
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}
// end silu

template <class P> struct SwigluStore {
    Norm norm;
    elem *to;
    int ffn;

    __device__ __forceinline__ void request(int row, int) { norm.request(row); }
    __device__ __forceinline__ void store(int row, int stretch, float (&sums)[P::SUMS]) const {
        scale_rows(sums, norm);
#pragma unroll
        for (int i = 0; i < P::SUMS / 2; i++) sums[i] = swiglu(sums[i], sums[P::SUMS / 2 + i]);
        store_groups<P::N / 16>(sums, row < norm.rows ? to + long(row) * ffn : nullptr,
                                row + 8 < norm.rows ? to + long(row + 8) * ffn : nullptr,
                                stretch * (P::N / 2), ffn);
    }
};

template <class P> struct LogitsStore {
    Norm norm;
    elem *to;
    int vocab;

    __device__ __forceinline__ void request(int row, int) { norm.request(row); }
    __device__ __forceinline__ void store(int row, int stretch, float (&sums)[P::SUMS]) const {
        scale_rows(sums, norm);
        store_groups<P::N / 8>(sums, row < norm.rows ? to + long(row) * vocab : nullptr,
                               row + 8 < norm.rows ? to + long(row + 8) * vocab : nullptr,
                               stretch * P::N, vocab);
    }
};

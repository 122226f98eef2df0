// The products of an attention tile on AMD's matrix units (bf16, MFMA). Both are made
// transposed: scores as keys x queries, the result as columns x queries. A lane then
// has one query of its wave's 16 (lane % 16) and of every 16 keys four neighbours, from
// 4 (lane / 16) on; and that is just where the second product wants its right operand:
// the weights never touch shared memory. The lanes of a row are 16 apart.
//
// Values lie in rows of keys, and the second product sums over keys: a lane gathers
// the same column of four rows, two columns at a time. So tiles of the result take
// every other column: of each 32, lane / 16 has eight neighbours.

#if SLABS != 1
#error "a wave has one slab of 16 queries"
#endif
#define ROW_LANES 4
#define ROW_STRIDE 16
#define ROWS 1
#define COLS (KEYS / 4)
#define OUTS (HEAD / 4)

#define WEIGHT_BYTES 0 // weights of scores stay in registers
#define SCORE_BYTES 0  // scores go to memory straight from registers

DEVICE int row_of(int) { return slab_row(0) + lane_id() % 16; }
DEVICE int key_of(int j) { return j / 4 * 16 + lane_id() / 16 * 4 + j % 4; }

struct Scores {
    float value[KEYS / 16][4];
};
struct Result {
    float value[HEAD / 16][4]; // 2 n and 2 n + 1: even and odd columns of the n-th 32
};
DEVICE float &score_at(Scores &scores, int, int j) { return scores.value[j / 4][j % 4]; }
DEVICE float &result_at(Result &result, int, int j) { return result.value[j / 4][j % 4]; }

// Waits for this thread's loads but the LATER newest.
template <int LATER> DEVICE void loads_arrived() { cp_async_wait<LATER>(); }

// The query rows of a wave, as right operands of HEAD / 32 steps.
struct Queries {
    Fragment step[HEAD / 32];
};
DEVICE void keep_queries(Queries &queries, const void *shared) {
    const char *q = static_cast<const char *>(shared);
#pragma unroll
    for (int d = 0; d < HEAD / 32; d++)
        queries.step[d] =
            load_fragment(q + chunk_at<HEAD>(row_of(0), 4 * d + lane_id() / 16, QUERIES));
}

// scores = keys * q over the head.
DEVICE void score_tile(Scores &scores, const Queries &queries, const void *keys) {
    const char *k = static_cast<const char *>(keys);
#pragma unroll
    for (int t = 0; t < KEYS / 16; t++) {
#pragma unroll
        for (int i = 0; i < 4; i++) scores.value[t][i] = 0.0f;
#pragma unroll
        for (int d = 0; d < HEAD / 32; d++) {
            int key = t * 16 + lane_id() % 16, chunk = 4 * d + lane_id() / 16;
            Fragment left = load_fragment(k + chunk_at<HEAD>(key, chunk, KEYS));
            mfma(scores.value[t], left, queries.step[d]);
        }
    }
}

// `mfma` is done when its results are used.
DEVICE void scores_made(Scores &) {}

// Weights, rounded to bf16, as right operands of KEYS / 16 steps.
struct Weights {
    u32 step[KEYS / 16][2];
};
DEVICE void weights_of_scores(Weights &weights, Scores &scores, void *) {
#pragma unroll
    for (int t = 0; t < KEYS / 16; t++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            weights.step[t][half] =
                pair_bf16(scores.value[t][2 * half], scores.value[t][2 * half + 1]);
}
DEVICE void weights_of_tile(Weights &weights, const void *shared) {
    const char *p = static_cast<const char *>(shared);
    int quarter = lane_id() / 16;
#pragma unroll
    for (int t = 0; t < KEYS / 16; t++) {
        const char *at = p + chunk_at<KEYS>(row_of(0), 2 * t + quarter / 2, QUERIES);
        const u32 *from = reinterpret_cast<const u32 *>(at + quarter % 2 * 8);
        weights.step[t][0] = from[0], weights.step[t][1] = from[1];
    }
}

// result += values * weights over the keys of the tile.
DEVICE void weigh_tile(Result &result, const Weights &weights, const void *values) {
    const char *v = static_cast<const char *>(values);
    int pair = lane_id() % 16, quarter = lane_id() / 16;
#pragma unroll
    for (int t = 0; t < KEYS / 16; t++)
#pragma unroll
        for (int n = 0; n < HEAD / 32; n++) {
            u32 both[4]; // columns 2 pair and 2 pair + 1 of four keys
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int key = t * 16 + quarter * 4 + i;
                const char *at = v + chunk_at<HEAD>(key, 4 * n + pair / 4, KEYS);
                both[i] = *reinterpret_cast<const u32 *>(at + pair % 4 * 4);
            }
            const u32 even[2] = {(both[0] & 0xffffu) | both[1] << 16,
                                 (both[2] & 0xffffu) | both[3] << 16};
            const u32 odd[2] = {both[0] >> 16 | (both[1] & 0xffff0000u),
                                both[2] >> 16 | (both[3] & 0xffff0000u)};
            mfma(result.value[2 * n], even, weights.step[t]);
            mfma(result.value[2 * n + 1], odd, weights.step[t]);
        }
}

// Writes the rows below `valid`, `stride` elements apart.
DEVICE void store_result(elem *to, long stride, int valid, Result &result, void *) {
    if (row_of(0) >= valid) return;
#pragma unroll
    for (int n = 0; n < HEAD / 32; n++) {
        Pack pack;
#pragma unroll
        for (int e = 0; e < PACK; e++) pack.at[e] = narrow(result.value[2 * n + e % 2][e / 2]);
        store_pack(to + row_of(0) * stride + 32 * n + lane_id() / 16 * PACK, pack);
    }
}

// Writes scores as they are, rows below `valid`, columns below `width`.
struct alignas(4 * sizeof(elem)) Quad {
    elem at[4];
};
DEVICE void store_scores(elem *to, long stride, int valid, int width, Scores &scores, void *) {
    if (row_of(0) >= valid) return;
    bool aligned = stride % 4 == 0;
#pragma unroll
    for (int t = 0; t < KEYS / 16; t++) {
        elem *place = to + row_of(0) * stride + key_of(4 * t);
        Quad quad;
#pragma unroll
        for (int i = 0; i < 4; i++) quad.at[i] = narrow(scores.value[t][i]);
        if (aligned && key_of(4 * t) + 4 <= width) {
            *reinterpret_cast<Quad *>(place) = quad;
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (key_of(4 * t) + i < width) place[i] = quad.at[i];
    }
}

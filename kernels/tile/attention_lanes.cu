// What the attention tiles on matrix units share: which lane holds what, and how
// tiles lie in shared memory. A unit adds one of
//   `tile/attention_mma.cu`      mma.sync, sm_80 and up
//   `tile/attention_hopper.cu`   wgmma, sm_90a
//
// A team works on a tile; each of its warps has SLABS slabs of 16 query rows to
// itself. Of a slab a lane holds two rows (lane / 4, and 8 below) and, of every 8
// columns, the two at 2 * (lane % 4): a row's maximum and sum need two shuffles. The
// scores leave the first product in exactly the layout in which the second wants its
// left operand: the weights never touch shared memory.

#ifndef QUERIES
#define QUERIES 64
#endif
#ifndef KEYS
#define KEYS 64
#endif
#ifndef SLABS
#define SLABS 1
#endif
#define TEAM (QUERIES / (16 * SLABS) * WARP)
#define STAGES 2
#define ROW_LANES 4
#define ROWS (2 * SLABS)
#define COLS (KEYS / 4)
#define OUTS (HEAD / 4)

#define QUERY_BYTES (QUERIES * HEAD * 2)
#define KEY_BYTES (KEYS * HEAD * 2)
#define WEIGHT_BYTES 0 // weights of scores stay in registers
#define PV_WEIGHT_BYTES (QUERIES * KEYS * 2)
#define SCORE_BYTES (QUERIES * KEYS * 2)

DEVICE int team_thread() { return threadIdx.x % TEAM; }
DEVICE int team_warp() { return team_thread() / WARP; }
DEVICE int slab_row(int slab) { return (team_warp() * SLABS + slab) * 16; }
DEVICE int row_of(int i) { return slab_row(i / 2) + lane_id() / 4 + i % 2 * 8; }
DEVICE int key_of(int j) { return j / 2 * 8 + lane_id() % 4 * 2 + j % 2; }

struct Scores {
    float value[SLABS][KEYS / 8][4];
};
struct Result {
    float value[SLABS][HEAD / 8][4];
};
DEVICE float &score_at(Scores &scores, int i, int j) {
    return scores.value[i / 2][j / 2][i % 2 * 2 + j % 2];
}
DEVICE float &result_at(Result &result, int i, int j) {
    return result.value[i / 2][j / 2][i % 2 * 2 + j % 2];
}

// Where 16 bytes, `chunk` of `row`, lie in a tile of `rows` rows of WIDTH
// elements: panels of 64 columns, each swizzled; rows of 64 bytes (WIDTH 32) go
// two to a line of banks.
template <int WIDTH> DEVICE int chunk_at(int row, int chunk, int rows) {
    if (WIDTH == 32) return row * 64 + ((chunk ^ (row / 2 % 4)) << 4);
    return chunk / TILE_CHUNKS * rows * TILE_ROW_BYTES + swizzled(row, chunk % TILE_CHUNKS);
}

// `rows` rows of a head, `stride` elements apart, requested into shared memory.
// Rows from `valid` on are zeros. A thread takes the same chunk of every STEP-th
// row; the swizzle repeats every 8 rows, so that one address serves all of them.
DEVICE void load_heads(void *shared, const elem *from, long stride, int rows, int valid) {
    const int CHUNKS = HEAD / PACK, STEP = TEAM / CHUNKS, ROW_BYTES = HEAD == 32 ? 64 : 128;
    int row = team_thread() / CHUNKS, chunk = team_thread() % CHUNKS;
    char *to = static_cast<char *>(shared) + chunk_at<HEAD>(row, chunk, rows);
    const elem *source = from + row * stride + chunk * PACK;
#pragma unroll
    for (int pass = 0; pass * STEP < rows; pass++) {
        if (rows % STEP != 0 && row + pass * STEP >= rows) break;
        bool inside = row + pass * STEP < valid;
        cp_async(to + pass * STEP * ROW_BYTES, inside ? source + pass * STEP * stride : from,
                 inside);
    }
    cp_async_commit();
}
// Weights, rounded to bf16, as left operands of KEYS / 16 steps.
struct Weights {
    u32 step[SLABS][KEYS / 16][4];
};
DEVICE void weights_of_scores(Weights &weights, Scores &scores, void *) {
#pragma unroll
    for (int s = 0; s < SLABS; s++)
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
            for (int part = 0; part < 4; part++) {
                const float *pair = &scores.value[s][2 * k + part / 2][part % 2 * 2];
                weights.step[s][k][part] = pair_bf16(pair[0], pair[1]);
            }
}

// A tile of pr, row-major with `stride` elements a row, of which `width` are
// left. Requested where rows are aligned, moved element by element where not.
DEVICE void load_weights(void *shared, const elem *from, long stride, int valid, int width) {
    char *to = static_cast<char *>(shared);
    bool aligned = stride % PACK == 0;
    const int chunks = KEYS / PACK;
    for (int at = team_thread(); at < QUERIES * chunks; at += TEAM) {
        int row = at / chunks, chunk = at % chunks;
        char *place = to + chunk_at<KEYS>(row, chunk, QUERIES);
        if (aligned) {
            bool inside = row < valid && chunk * PACK < width;
            cp_async(place, from + (inside ? row * stride + chunk * PACK : 0), inside);
            continue;
        }
        Pack pack;
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            bool inside = row < valid && chunk * PACK + e < width;
            pack.at[e] = inside ? from[row * stride + chunk * PACK + e] : narrow(0.0f);
        }
        *reinterpret_cast<Pack *>(place) = pack;
    }
    cp_async_commit();
}
DEVICE void weights_of_tile(Weights &weights, const void *shared) {
    const char *p = static_cast<const char *>(shared);
    int row = lane_id() % 16, half = lane_id() / 16;
#pragma unroll
    for (int s = 0; s < SLABS; s++)
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
            ldmatrix(weights.step[s][k],
                     p + chunk_at<KEYS>(slab_row(s) + row, 2 * k + half, QUERIES));
}

// Writes the rows of a warp, WIDTH values each, through shared memory (QUERIES * WIDTH
// elements, free to use), so that each access to global memory is 16 bytes: rows
// below `valid`, columns below `width`.
template <int WIDTH>
DEVICE void store_tile(elem *to, long stride, int valid, int width,
                       const float (&value)[SLABS][WIDTH / 8][4], void *shared) {
    char *tile = static_cast<char *>(shared);
    int pair = lane_id() % 4 * 4;
#pragma unroll
    for (int n = 0; n < WIDTH / 8; n++)
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            *reinterpret_cast<u32 *>(tile + chunk_at<WIDTH>(row_of(i), n, QUERIES) + pair) =
                pair_bf16(value[i / 2][n][i % 2 * 2], value[i / 2][n][i % 2 * 2 + 1]);
    warp_sync();
    const int chunks = WIDTH / PACK;
    bool aligned = stride % PACK == 0;
    for (int at = lane_id(); at < SLABS * 16 * chunks; at += WARP) {
        int row = slab_row(0) + at / chunks, chunk = at % chunks;
        if (row >= valid) continue;
        Pack pack = *reinterpret_cast<Pack *>(tile + chunk_at<WIDTH>(row, chunk, QUERIES));
        elem *place = to + row * stride + chunk * PACK;
        if (aligned && (chunk + 1) * PACK <= width) {
            store_pack(place, pack);
            continue;
        }
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (chunk * PACK + e < width) place[e] = pack.at[e];
    }
}
DEVICE void store_result(elem *to, long stride, int valid, Result &result, void *shared) {
    store_tile<HEAD>(to, stride, valid, HEAD, result.value, shared);
}
DEVICE void store_scores(elem *to, long stride, int valid, int width, Scores &scores,
                         void *shared) {
    store_tile<KEYS>(to, stride, valid, width, scores.value, shared);
}

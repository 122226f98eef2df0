// Tiles of attention on matrix units (`mma.sync`, bf16, sm_80 and up): the same
// names as `tile/attention_plain.cu`, so that qk, pv and flash read the same.
//
// A team works on a tile; each of its warps has SLABS slabs of 16 query rows to
// itself. Of a slab a lane holds two rows (lane / 4, and 8 below) and, of every 8
// columns, the two at 2 * (lane % 4): a row's maximum and sum need two shuffles. Two
// slabs use every key and value that a warp loads from shared memory twice. The scores leave the
// first product in exactly the layout in which the second wants its left operand:
// the weights never touch shared memory.

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
// Rows from `valid` on are zeros.
DEVICE void load_heads(void *shared, const elem *from, long stride, int rows, int valid) {
    char *to = static_cast<char *>(shared);
    const int chunks = HEAD / PACK;
#pragma unroll
    for (int at = team_thread(); at < rows * chunks; at += TEAM) {
        int row = at / chunks, chunk = at % chunks;
        bool inside = row < valid;
        const elem *source = from + (inside ? row * stride + chunk * PACK : 0);
        cp_async(to + chunk_at<HEAD>(row, chunk, rows), source, inside);
    }
    cp_async_commit();
}
DEVICE void loads_arrived() { cp_async_wait<0>(); }

// The query rows of a warp, as left operands of HEAD / 16 steps.
struct Queries {
    u32 step[SLABS][HEAD / 16][4];
};
DEVICE void keep_queries(Queries &queries, const void *shared) {
    const char *q = static_cast<const char *>(shared);
    int row = lane_id() % 16, half = lane_id() / 16;
#pragma unroll
    for (int s = 0; s < SLABS; s++)
#pragma unroll
        for (int d = 0; d < HEAD / 16; d++)
            ldmatrix(queries.step[s][d],
                     q + chunk_at<HEAD>(slab_row(s) + row, 2 * d + half, QUERIES));
}

// scores = q * k over the head. Keys lie as the right operand wants them: the
// summed dimension is contiguous.
DEVICE void score_tile(Scores &scores, const Queries &queries, const void *keys) {
    const char *k = static_cast<const char *>(keys);
    int row = lane_id() % 8 + lane_id() / 16 * 8, half = lane_id() / 8 % 2;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++) score_at(scores, i, j) = 0.0f;
#pragma unroll
    for (int d = 0; d < HEAD / 16; d++)
#pragma unroll
        for (int n = 0; n < KEYS / 8; n += 2) {
            u32 right[4];
            ldmatrix(right, k + chunk_at<HEAD>(n * 8 + row, 2 * d + half, KEYS));
#pragma unroll
            for (int s = 0; s < SLABS; s++) {
                mma(scores.value[s][n], queries.step[s][d], right[0], right[1]);
                mma(scores.value[s][n + 1], queries.step[s][d], right[2], right[3]);
            }
        }
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

// result += weights * values over the keys of the tile. The summed dimension is
// not the contiguous one: the values are transposed on their way to registers.
DEVICE void weigh_tile(Result &result, const Weights &weights, const void *values) {
    const char *v = static_cast<const char *>(values);
    int row = lane_id() % 16, half = lane_id() / 16;
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
        for (int n = 0; n < HEAD / 8; n += 2) {
            u32 right[4];
            ldmatrix_transposed(right, v + chunk_at<HEAD>(k * 16 + row, n + half, KEYS));
#pragma unroll
            for (int s = 0; s < SLABS; s++) {
                mma(result.value[s][n], weights.step[s][k], right[0], right[1]);
                mma(result.value[s][n + 1], weights.step[s][k], right[2], right[3]);
            }
        }
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
    __syncwarp();
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

// Tiles of attention on ordinary multiply-add units: the two products, q * k and
// p * v, for one tile of QUERIES by KEYS. Any GPU, fp32 and bf16; bf16 is widened
// on its way into shared memory. `tile/attention_mma.cu` and `_hopper.cu` offer the
// same names on matrix units, and qk, pv and flash are written against any of them.
//
// A team of TEAM threads works on a tile. Eight lanes share a row, so that a row's
// maximum and sum need three shuffles; lane l owns the keys l, l + 8, l + 16 ...
// and, of the result, the columns 4 l ... 4 l + 3 of every 32.

#ifndef QUERIES
#define QUERIES 64
#endif
#ifndef KEYS
#define KEYS (HEAD > 64 ? 32 : 64)
#endif
#define TEAM 128
#define STAGES 1
#define ROW_LANES 8
#define GROUPS (TEAM / ROW_LANES)
#define ROWS (QUERIES / GROUPS)   // rows of a thread: group, group + GROUPS, ...
#define COLS (KEYS / ROW_LANES)   // keys of a thread in each of them
#define OUTS (HEAD / ROW_LANES)   // columns of the result of a thread in each of them

// Shared rows are 16 bytes longer than their contents: eight lanes that read the
// same column of eight neighbouring rows then meet eight different bank groups.
#define HEAD_STRIDE (HEAD + 4)
#define KEYS_STRIDE (KEYS + 4)
#define QUERY_BYTES (QUERIES * HEAD_STRIDE * 4)
#define KEY_BYTES (KEYS * HEAD_STRIDE * 4)
#define WEIGHT_BYTES (QUERIES * KEYS_STRIDE * 4)
#define PV_WEIGHT_BYTES WEIGHT_BYTES
#define SCORE_BYTES 0 // scores go to memory straight from registers

DEVICE int team_thread() { return threadIdx.x % TEAM; }
DEVICE int row_lane() { return threadIdx.x % ROW_LANES; }
DEVICE int row_of(int i) { return team_thread() / ROW_LANES + i * GROUPS; }
DEVICE int key_of(int j) { return row_lane() + j * ROW_LANES; }

struct Scores {
    float value[ROWS][COLS];
};
struct Result {
    float value[ROWS][OUTS];
};
DEVICE float &score_at(Scores &scores, int i, int j) { return scores.value[i][j]; }
DEVICE float &result_at(Result &result, int i, int j) { return result.value[i][j]; }

DEVICE float4 shared_quad(const float *from) { return *reinterpret_cast<const float4 *>(from); }

// `rows` rows of WIDTH elements, `stride` elements apart, into shared memory as
// fp32. Rows from `valid` on are zeros. `aligned`: rows begin at 16-byte
// boundaries and have a whole number of packs up to `width`.
template <int WIDTH, int PITCH>
DEVICE void load_tile(void *shared, const elem *from, long stride, int rows, int valid, int width,
                      bool aligned) {
    float *to = static_cast<float *>(shared);
    for (int at = team_thread(); at < rows * (WIDTH / PACK); at += TEAM) {
        int row = at / (WIDTH / PACK), column = at % (WIDTH / PACK) * PACK;
        Pack pack;
        if (aligned && row < valid && column + PACK <= width) {
            pack = load_pack(from + row * stride + column);
        } else {
#pragma unroll
            for (int e = 0; e < PACK; e++) {
                bool inside = row < valid && column + e < width;
                pack.at[e] = inside ? from[row * stride + column + e] : narrow(0.0f);
            }
        }
#pragma unroll
        for (int e = 0; e < PACK; e++) to[row * PITCH + column + e] = widen(pack.at[e]);
    }
}

// Rows of a head: queries, keys or values.
DEVICE void load_heads(void *shared, const elem *from, long stride, int rows, int valid) {
    load_tile<HEAD, HEAD_STRIDE>(shared, from, stride, rows, valid, HEAD, true);
}
// Loads are done when they return.
template <int LATER> DEVICE void loads_arrived() {}

// The team's queries, as score_tile wants them: here they stay in shared memory.
struct Queries {
    const float *shared;
};
DEVICE void keep_queries(Queries &queries, const void *shared) {
    queries.shared = static_cast<const float *>(shared);
}

// scores = q * k over the head.
DEVICE void score_tile(Scores &scores, const Queries &queries, const void *keys) {
    const float *q = queries.shared, *k = static_cast<const float *>(keys);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++) scores.value[i][j] = 0.0f;
#pragma unroll 2
    for (int d = 0; d < HEAD; d += 4) {
        float4 left[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) left[i] = shared_quad(q + row_of(i) * HEAD_STRIDE + d);
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            float4 right = shared_quad(k + key_of(j) * HEAD_STRIDE + d);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                scores.value[i][j] += left[i].x * right.x;
                scores.value[i][j] += left[i].y * right.y;
                scores.value[i][j] += left[i].z * right.z;
                scores.value[i][j] += left[i].w * right.w;
            }
        }
    }
}

DEVICE void scores_made(Scores &) {}

// The weights of a tile as weigh_tile wants them: in shared memory, from where
// every lane of a row reads all of its keys.
struct Weights {
    const float *shared;
};
DEVICE void weights_of_scores(Weights &weights, Scores &scores, void *shared) {
    float *to = static_cast<float *>(shared);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
            to[row_of(i) * KEYS_STRIDE + key_of(j)] = scores.value[i][j];
    __syncthreads();
    weights.shared = to;
}

// A tile of pr, row-major with `stride` elements a row, of which `width` are left.
DEVICE void load_weights(void *shared, const elem *from, long stride, int valid, int width) {
    load_tile<KEYS, KEYS_STRIDE>(shared, from, stride, QUERIES, valid, width, stride % PACK == 0);
}
DEVICE void weights_of_tile(Weights &weights, const void *shared) {
    weights.shared = static_cast<const float *>(shared);
}

// result += weights * values over the keys of the tile.
DEVICE void weigh_tile(Result &result, const Weights &weights, const void *values) {
    const float *p = weights.shared, *v = static_cast<const float *>(values);
#pragma unroll 1
    for (int key = 0; key < KEYS; key += 4) {
        float4 left[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) left[i] = shared_quad(p + row_of(i) * KEYS_STRIDE + key);
#pragma unroll
        for (int part = 0; part < 4; part++)
#pragma unroll
            for (int j = 0; j < OUTS; j += 4) {
                float4 right = shared_quad(v + (key + part) * HEAD_STRIDE + 4 * row_lane() + 8 * j);
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    float weight = part == 0   ? left[i].x
                                   : part == 1 ? left[i].y
                                   : part == 2 ? left[i].z
                                               : left[i].w;
                    result.value[i][j] += weight * right.x;
                    result.value[i][j + 1] += weight * right.y;
                    result.value[i][j + 2] += weight * right.z;
                    result.value[i][j + 3] += weight * right.w;
                }
            }
    }
}

// Writes the rows below `valid`, `stride` elements apart.
struct alignas(4 * sizeof(elem)) Quad {
    elem at[4];
};
DEVICE void store_result(elem *to, long stride, int valid, Result &result, void *) {
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (row_of(i) >= valid) continue;
#pragma unroll
        for (int j = 0; j < OUTS; j += 4) {
            Quad quad;
#pragma unroll
            for (int e = 0; e < 4; e++) quad.at[e] = narrow(result.value[i][j + e]);
            *reinterpret_cast<Quad *>(to + row_of(i) * stride + 4 * row_lane() + 8 * j) = quad;
        }
    }
}

// Writes scores as they are, rows below `valid`, columns below `width`. Eight
// neighbouring lanes write eight neighbouring elements: whole sectors in fp32.
DEVICE void store_scores(elem *to, long stride, int valid, int width, Scores &scores, void *) {
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
            if (row_of(i) < valid && key_of(j) < width)
                to[row_of(i) * stride + key_of(j)] = narrow(scores.value[i][j]);
}

// What the attention tiles on NVIDIA's matrix units share: which lane holds what. A
// unit adds one of
//   `tile/attention_mma.cu`      mma.sync, sm_80 and up
//   `tile/attention_hopper.cu`   wgmma, sm_90a
//
// Of a slab of 16 query rows a lane holds two rows (lane / 4, and 8 below) and, of every 8
// columns, the two at 2 * (lane % 4): a row's maximum and sum need two shuffles. The
// scores leave the first product in exactly the layout in which the second wants its
// left operand: the weights never touch shared memory.

#define ROW_LANES 4
#define ROWS (2 * SLABS)
#define COLS (KEYS / 4)
#define OUTS (HEAD / 4)

#define WEIGHT_BYTES 0 // weights of scores stay in registers
#define SCORE_BYTES (QUERIES * KEYS * 2)

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

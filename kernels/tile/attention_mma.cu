// The products of an attention tile on `mma.sync` (bf16, sm_80 and up). Each warp
// feeds the matrix units from its own registers. Two slabs a warp (SLABS 2) use
// twice what is loaded from shared memory once.

// Waits for this thread's loads but the LATER newest.
template <int LATER> DEVICE void loads_arrived() { cp_async_wait<LATER>(); }

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

// `mma` is done when its results are used.
DEVICE void scores_made(Scores &) {}

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

// Flash attention, one tile of queries: softmax(q k^T * scale) v, causal, without
// ever writing the scores. Written against the tile products of
// `tile/attention_plain.cu`, `_mma.cu`, `_hopper.cu` or `_mfma.cu`. `flash` launches a
// block per tile; a cooperative kernel may loop over tiles.
//
// TEAMS teams of TEAM threads share a tile of QUERIES rows. Team t takes the key
// tiles t, t + TEAMS, ...; at the end the teams' results are joined. More teams
// make the longest chain of key tiles shorter, where queries alone leave the GPU
// half empty.

#ifndef TEAMS
#define TEAMS 1
#endif
#define ATTENTION_THREADS (TEAM * TEAMS)

// From one lane of a row of queries to the next.
#ifndef ROW_STRIDE
#define ROW_STRIDE 1
#endif

// Shared memory: the queries, then per team STAGES times keys and values, then
// the weights. Begins at a multiple of 1024 bytes, as wgmma wants its tiles.
#define TEAM_BYTES (STAGES * 2 * KEY_BYTES + WEIGHT_BYTES)
#define ATTENTION_SHARED (QUERY_BYTES + TEAMS * TEAM_BYTES)

// One call: q, att [batch * seq][heads * HEAD]; k, v [batch][cap][kv_heads * HEAD],
// of which the first `context` rows are there. Query s sees keys 0 ... past + s,
// past = context - seq; head h reads the keys of head h / (heads / kv_heads).
struct Attention {
    int batch, heads, kv_heads, seq, context, cap;
    float scale;
};

DEVICE int attention_tiles(const Attention &call) {
    return call.batch * call.heads * ((call.seq + QUERIES - 1) / QUERIES);
}

// What a row of queries has seen so far, on each of its lanes.
struct Seen {
    float most[ROWS], sum[ROWS];
};

// Hides what a row may not see: row i sees the keys of this tile below limit[i].
DEVICE void mask_scores(Scores &scores, const int (&limit)[ROWS]) {
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
            if (key_of(j) >= limit[i]) score_at(scores, i, j) = MINUS_INFINITY;
}

// Takes the scores of a tile in: turns them into weights relative to the largest
// score so far, and scales down what earlier tiles gave where that has grown.
DEVICE void take_scores(Scores &scores, Seen &seen, Result &result, float factor) {
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        float most = seen.most[i];
#pragma unroll
        for (int j = 0; j < COLS; j++) most = fmaxf(most, score_at(scores, i, j));
        for (int mask = ROW_LANES / 2; mask > 0; mask /= 2)
            most = fmaxf(most, swap_lanes(most, mask * ROW_STRIDE));

        // A row that has seen no key yet has the maximum -inf: its weights are 0.
        float base = most == MINUS_INFINITY ? 0.0f : most * factor;
        float shrink = exp2_approx(seen.most[i] * factor - base);
        seen.most[i] = most;
        seen.sum[i] *= shrink;
#pragma unroll
        for (int j = 0; j < OUTS; j++) result_at(result, i, j) *= shrink;
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            float weight = exp2_approx(score_at(scores, i, j) * factor - base);
            score_at(scores, i, j) = weight;
            seen.sum[i] += weight;
        }
    }
}

#if TEAMS > 1
// Joins the teams' results into team 0's, in the order of the teams, through the
// shared memory that held the keys.
DEVICE void join_teams(Seen &seen, Result &result, float *shared, float factor, int team) {
    const int floats = ROWS * (2 + OUTS);
    __syncthreads();
    if (team > 0) {
        float *to = shared + (team - 1) * floats * TEAM + team_thread();
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            to[(2 * i) * TEAM] = seen.most[i];
            to[(2 * i + 1) * TEAM] = seen.sum[i];
#pragma unroll
            for (int j = 0; j < OUTS; j++)
                to[(2 * ROWS + i * OUTS + j) * TEAM] = result_at(result, i, j);
        }
    }
    __syncthreads();
    if (team > 0) return;
    for (int other = 0; other < TEAMS - 1; other++) {
        const float *from = shared + other * floats * TEAM + team_thread();
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            float theirs = from[(2 * i) * TEAM];
            float most = fmaxf(seen.most[i], theirs);
            float mine = exp2_approx((seen.most[i] - most) * factor);
            float their = exp2_approx((theirs - most) * factor);
            seen.most[i] = most;
            seen.sum[i] = seen.sum[i] * mine + from[(2 * i + 1) * TEAM] * their;
#pragma unroll
            for (int j = 0; j < OUTS; j++)
                result_at(result, i, j) = result_at(result, i, j) * mine +
                                          from[(2 * ROWS + i * OUTS + j) * TEAM] * their;
        }
    }
}
#endif

// Computes tile `tile` of the call, 0 <= tile < attention_tiles(call), with all
// ATTENTION_THREADS threads of the block and ATTENTION_SHARED bytes at `shared`.
// Ends without a barrier: synchronise before `shared` is used again. Tiles are
// numbered from the last queries, which see the most keys, to the first: the long
// ones start early.
DEVICE void attention_tile(const elem *q, const elem *k, const elem *v, elem *att,
                           const Attention &call, int tile, char *shared) {
    int sequences = call.batch * call.heads;
    int part = (call.seq + QUERIES - 1) / QUERIES - 1 - tile / sequences;
    int head = tile % sequences % call.heads, sequence = tile % sequences / call.heads;
    int kv_head = head / (call.heads / call.kv_heads);
    int first = part * QUERIES, rows = min(QUERIES, call.seq - first);
    int past = call.context - call.seq;

    long q_stride = long(call.heads) * HEAD, kv_stride = long(call.kv_heads) * HEAD;
    long q_start = (long(sequence) * call.seq + first) * q_stride + long(head) * HEAD;
    long kv_start = long(sequence) * call.cap * kv_stride + long(kv_head) * HEAD;

    int team = threadIdx.x / TEAM;
    char *buffers = shared + QUERY_BYTES + team * TEAM_BYTES;
    char *weight_buffer = buffers + STAGES * 2 * KEY_BYTES;

    // idea skip: a key tile that no query of this tile may see is never loaded.
    int key_tiles = (past + first + rows - 1) / KEYS + 1;
    int rounds = (key_tiles + TEAMS - 1) / TEAMS;
    // end skip

    auto keys_of = [&](int round) { return buffers + round % STAGES * KEY_BYTES; };
    auto values_of = [&](int round) { return buffers + (STAGES + round % STAGES) * KEY_BYTES; };
    auto request = [&](int round, const elem *from, char *to) {
        int start = (round * TEAMS + team) * KEYS;
        int valid = round < rounds ? max(0, min(KEYS, call.context - start)) : 0;
        load_heads(to, from + kv_start + (valid > 0 ? start * kv_stride : 0), kv_stride, KEYS,
                   valid);
    };

    float factor = call.scale * LOG2_E;
    Queries queries;
    Seen seen;
    Result result;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        seen.most[i] = MINUS_INFINITY;
        seen.sum[i] = 0.0f;
#pragma unroll
        for (int j = 0; j < OUTS; j++) result_at(result, i, j) = 0.0f;
    }

    auto mask = [&](Scores &scores, int round) {
        int start = (round * TEAMS + team) * KEYS, limit[ROWS];
        if (start + KEYS <= past + first + 1) return;
#pragma unroll
        for (int i = 0; i < ROWS; i++) limit[i] = past + first + row_of(i) + 1 - start;
        mask_scores(scores, limit);
    };
    // idea online: softmax needs all scores of a row, but not at the same time.
    auto take = [&](Scores &scores, int round) {
        take_scores(scores, seen, result, factor);
        Weights weights;
        weights_of_scores(weights, scores, weight_buffer);
        weigh_tile(result, weights, values_of(round));
    };
    // end online

    if (team == 0) load_heads(shared, q + q_start, q_stride, QUERIES, rows);
    request(0, k, keys_of(0));
#if STAGES > 1
    // idea overlap: matrix units make the scores of the next tile while the other units
    // are at the exponentials of this one, and the loads for the tile after it are under way.
    request(0, v, values_of(0));
    request(1, k, keys_of(1));
    loads_arrived<2>();
    __syncthreads();
    Scores scores, next;
    keep_queries(queries, shared);
    score_tile(scores, queries, keys_of(0));
    scores_made(scores);
    for (int round = 0;; round++) {
        loads_arrived<0>();
        __syncthreads();
        mask(scores, round);
        if (round + 1 == rounds) {
            take(scores, round);
            break;
        }
        request(round + 1, v, values_of(round + 1));
        request(round + 2, k, keys_of(round));
        score_tile(next, queries, keys_of(round + 1));
        take(scores, round);
        scores_made(next);
        scores = next;
    }
    // end overlap
#else
    for (int round = 0; round < rounds; round++) {
        request(round, v, values_of(round));
        __syncthreads();
        if (round == 0) keep_queries(queries, shared);
        Scores scores;
        score_tile(scores, queries, keys_of(round));
        mask(scores, round);
        take(scores, round);
        __syncthreads();
        if (round + 1 < rounds) request(round + 1, k, keys_of(round + 1));
    }
#endif

#pragma unroll
    for (int i = 0; i < ROWS; i++)
        for (int mask = ROW_LANES / 2; mask > 0; mask /= 2)
            seen.sum[i] += swap_lanes(seen.sum[i], mask * ROW_STRIDE);
#if TEAMS > 1
    join_teams(seen, result, reinterpret_cast<float *>(shared + QUERY_BYTES), factor, team);
    if (team > 0) return;
#endif
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        float inverse = 1.0f / seen.sum[i];
#pragma unroll
        for (int j = 0; j < OUTS; j++) result_at(result, i, j) *= inverse;
    }
    store_result(att + q_start, q_stride, rows, result, shared);
}

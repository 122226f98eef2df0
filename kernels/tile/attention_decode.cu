// Attention of a few new tokens over a long cache: the keys are split over blocks,
// since one query has no rows to share out. Multiply-add units, fp32 and bf16: at
// one query per head the keys and values are read once and used GROUP times, far
// below what a matrix unit needs to be worth its tile.
//
// HEAD / PACK lanes share a key, 16 bytes each, and form a stream; the block's
// streams take every STREAMS-th key and keep a softmax of their own. They are
// joined once, at the end: inside a warp by shuffles, between warps through shared
// memory, between blocks through `partial` in global memory.

// Query heads that read the same keys and are served together, at most.
#ifndef GROUP
#define GROUP 1
#endif
#define SPLIT_THREADS 128
#define SPLIT_WARPS (SPLIT_THREADS / WARP)
#define KEY_LANES (HEAD / PACK)
#define STREAMS (SPLIT_THREADS / KEY_LANES)
#define DEPTH 4 // keys of a stream that are under way together

// One head's part of the result: HEAD weighted values, the largest score (times
// log2 e) and the sum of weights relative to it.
#define PART (HEAD + 2)
#define SPLIT_FLOATS (SPLIT_WARPS * GROUP * PART)

struct Part {
    float value[PACK];
    float most, sum;
};

// Adds what another has seen. Someone who has seen nothing has most = -inf, sum = 0.
DEVICE void join(Part &part, const Part &other) {
    float most = fmaxf(part.most, other.most);
    float base = most == MINUS_INFINITY ? 0.0f : most;
    float mine = exp2_approx(part.most - base), theirs = exp2_approx(other.most - base);
#pragma unroll
    for (int e = 0; e < PACK; e++) part.value[e] = part.value[e] * mine + other.value[e] * theirs;
    part.sum = part.sum * mine + other.sum * theirs;
    part.most = most;
}

// Attention of `heads` <= GROUP neighbouring query heads of one token over the keys
// begin ... end - 1 of one kv head. q: the first head's query; k, v: the kv head in
// row 0 of its sequence, rows `stride` elements apart; factor = scale * log2 e. All
// SPLIT_THREADS threads; the joined parts of the block, one per head, come out in
// to[head * to_stride]; shared: SPLIT_FLOATS floats. Ends without a barrier.
DEVICE void attention_split(const elem *q, const elem *k, const elem *v, long stride, int heads,
                            int begin, int end, float factor, float *to, long to_stride,
                            float *shared) {
    int lane = threadIdx.x % KEY_LANES, stream = threadIdx.x / KEY_LANES;
    float query[GROUP][PACK];
    Part parts[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        Pack pack = load_pack(q + min(g, heads - 1) * HEAD + lane * PACK);
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            query[g][e] = widen(pack.at[e]) * factor;
            parts[g].value[e] = 0.0f;
        }
        parts[g].most = MINUS_INFINITY;
        parts[g].sum = 0.0f;
    }

    for (int first = begin + stream; first - stream < end; first += STREAMS * DEPTH) {
        // idea under-way: keys and values of DEPTH steps are requested before any is used.
        Pack keys[DEPTH], values[DEPTH];
#pragma unroll
        for (int u = 0; u < DEPTH; u++) {
            int key = min(first + u * STREAMS, end - 1);
            keys[u] = load_pack(k + key * stride + lane * PACK);
            values[u] = load_pack(v + key * stride + lane * PACK);
        }
        // end under-way
        // idea group: what was read serves every query head of the group.
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float score[DEPTH], most = parts[g].most;
#pragma unroll
            for (int u = 0; u < DEPTH; u++) {
                score[u] = 0.0f;
#pragma unroll
                for (int e = 0; e < PACK; e++) score[u] += query[g][e] * widen(keys[u].at[e]);
                for (int mask = KEY_LANES / 2; mask > 0; mask /= 2)
                    score[u] += swap_lanes(score[u], mask);
                if (first + u * STREAMS >= end) score[u] = MINUS_INFINITY;
                most = fmaxf(most, score[u]);
            }
            float base = most == MINUS_INFINITY ? 0.0f : most;
            float shrink = exp2_approx(parts[g].most - base);
            parts[g].most = most;
            parts[g].sum *= shrink;
#pragma unroll
            for (int e = 0; e < PACK; e++) parts[g].value[e] *= shrink;
#pragma unroll
            for (int u = 0; u < DEPTH; u++) {
                float weight = exp2_approx(score[u] - base);
                parts[g].sum += weight;
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    parts[g].value[e] += weight * widen(values[u].at[e]);
            }
        }
        // end group
    }

#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        for (int mask = KEY_LANES; mask < WARP; mask *= 2) {
            Part other;
            other.most = swap_lanes(parts[g].most, mask);
            other.sum = swap_lanes(parts[g].sum, mask);
#pragma unroll
            for (int e = 0; e < PACK; e++) other.value[e] = swap_lanes(parts[g].value[e], mask);
            join(parts[g], other);
        }
        if (lane_id() >= KEY_LANES) continue;
        float *mine = shared + (warp_id() * GROUP + g) * PART;
#pragma unroll
        for (int e = 0; e < PACK; e++) mine[lane * PACK + e] = parts[g].value[e];
        mine[HEAD] = parts[g].most;
        mine[HEAD + 1] = parts[g].sum;
    }
    __syncthreads();
    for (int at = threadIdx.x; at < heads * PART; at += SPLIT_THREADS) {
        int g = at / PART, column = at % PART;
        float most = MINUS_INFINITY, sum = 0.0f;
        for (int warp = 0; warp < SPLIT_WARPS; warp++)
            most = fmaxf(most, shared[(warp * GROUP + g) * PART + HEAD]);
        float base = most == MINUS_INFINITY ? 0.0f : most;
        for (int warp = 0; warp < SPLIT_WARPS; warp++) {
            const float *part = shared + (warp * GROUP + g) * PART;
            sum += part[column] * exp2_approx(part[HEAD] - base);
        }
        to[g * to_stride + column] = column == HEAD ? most : sum;
    }
}

// att = the parts of `splits` blocks joined and divided by the sum of all weights.
// part: head 0's first part; the parts of a head lie next to each other. Each thread
// of the block takes columns of its own; the order of the sums is fixed.
DEVICE void attention_join(const float *part, elem *att, int heads, int splits) {
    for (int at = threadIdx.x; at < heads * HEAD; at += blockDim.x) {
        const float *mine = part + long(at / HEAD) * splits * PART;
        float most = MINUS_INFINITY, sum = 0.0f, value = 0.0f;
        for (int split = 0; split < splits; split++)
            most = fmaxf(most, mine[split * PART + HEAD]);
        for (int split = 0; split < splits; split++) {
            float weight = exp2_approx(mine[split * PART + HEAD] - most);
            sum += mine[split * PART + HEAD + 1] * weight;
            value += mine[split * PART + at % HEAD] * weight;
        }
        att[at] = narrow(value / sum);
    }
}

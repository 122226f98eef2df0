// Attention of a few new tokens over a long cache: the keys are split over blocks,
// since one query has no rows to share out. Multiply-add units, fp32 and bf16: at
// one query per head the keys and values are read once and used GROUP times, far
// below what a matrix unit needs to be worth its tile.
//
// HEAD / PACK lanes share a key, 16 bytes each, and form a stream; the block's
// streams take every STREAMS-th key and keep a softmax of their own. They are
// joined once, at the end: inside a block through shared memory, between blocks
// through global memory.

// Query heads that read the same keys and are served together, at most.
#ifndef GROUP
#define GROUP 1
#endif
#ifndef SPLIT_THREADS
#define SPLIT_THREADS 128
#endif
#define KEY_LANES (HEAD / PACK)
#define STREAMS (SPLIT_THREADS / KEY_LANES)
#ifndef DEPTH
#define DEPTH 4 // keys of a stream that are under way together
#endif

// A part of one head's result: HEAD weighted values, the largest score (times
// log2 e), the sum of weights relative to it, and two floats of padding, so that
// parts begin at 16-byte boundaries.
#define PART (HEAD + 4)
#define SPLIT_FLOATS (STREAMS * GROUP * PART)

// Four neighbouring columns of a head, with the largest score and sum they hang on.
struct Columns {
    float4 value;
    float most, sum;
};

// Joins parts 0 ... count - 1, `stride` floats apart: columns 4 quad ... 4 quad + 3.
// Eight parts are under way together. A part that has seen no key has most = -inf
// and sum = 0. The order of the sums is fixed.
DEVICE Columns join_parts(const float *part, long stride, int count, int quad) {
    Columns all = {make_float4(0.0f, 0.0f, 0.0f, 0.0f), MINUS_INFINITY, 0.0f};
    for (int first = 0; first < count; first += 8) {
        float4 values[8];
        float mosts[8], sums[8], most = all.most;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float *from = part + min(first + i, count - 1) * stride;
            values[i] = *reinterpret_cast<const float4 *>(from + 4 * quad);
            mosts[i] = first + i < count ? from[HEAD] : MINUS_INFINITY;
            sums[i] = from[HEAD + 1];
        }
#pragma unroll
        for (int i = 0; i < 8; i++) most = fmaxf(most, mosts[i]);
        float base = most == MINUS_INFINITY ? 0.0f : most;
        float shrink = exp2_approx(all.most - base);
        all.most = most;
        all.sum *= shrink;
        all.value.x *= shrink;
        all.value.y *= shrink;
        all.value.z *= shrink;
        all.value.w *= shrink;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float weight = exp2_approx(mosts[i] - base);
            all.sum += sums[i] * weight;
            all.value.x += values[i].x * weight;
            all.value.y += values[i].y * weight;
            all.value.z += values[i].z * weight;
            all.value.w += values[i].w * weight;
        }
    }
    return all;
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
    float query[GROUP][PACK], value[GROUP][PACK], most[GROUP], sum[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        Pack pack = load_pack(q + min(g, heads - 1) * HEAD + lane * PACK);
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            query[g][e] = widen(pack.at[e]) * factor;
            value[g][e] = 0.0f;
        }
        most[g] = MINUS_INFINITY;
        sum[g] = 0.0f;
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
            float score[DEPTH], before = most[g];
#pragma unroll
            for (int u = 0; u < DEPTH; u++) {
                score[u] = 0.0f;
#pragma unroll
                for (int e = 0; e < PACK; e++) score[u] += query[g][e] * widen(keys[u].at[e]);
                for (int mask = KEY_LANES / 2; mask > 0; mask /= 2)
                    score[u] += swap_lanes(score[u], mask);
                if (first + u * STREAMS >= end) score[u] = MINUS_INFINITY;
                most[g] = fmaxf(most[g], score[u]);
            }
            float base = most[g] == MINUS_INFINITY ? 0.0f : most[g];
            float shrink = exp2_approx(before - base);
            sum[g] *= shrink;
#pragma unroll
            for (int e = 0; e < PACK; e++) value[g][e] *= shrink;
#pragma unroll
            for (int u = 0; u < DEPTH; u++) {
                float weight = exp2_approx(score[u] - base);
                sum[g] += weight;
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    value[g][e] += weight * widen(values[u].at[e]);
            }
        }
        // end group
    }

#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        float *mine = shared + (stream * GROUP + g) * PART;
#pragma unroll
        for (int e = 0; e < PACK; e++) mine[lane * PACK + e] = value[g][e];
        if (lane == 0) {
            mine[HEAD] = most[g];
            mine[HEAD + 1] = sum[g];
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < heads * (HEAD / 4); at += SPLIT_THREADS) {
        int g = at / (HEAD / 4), quad = at % (HEAD / 4);
        Columns all = join_parts(shared + g * PART, GROUP * PART, STREAMS, quad);
        float *part = to + g * to_stride;
        *reinterpret_cast<float4 *>(part + 4 * quad) = all.value;
        if (quad == 0) {
            part[HEAD] = all.most;
            part[HEAD + 1] = all.sum;
        }
    }
}

// att = the parts of `splits` blocks joined and divided by the sum of all weights.
// part: head 0's first part; the parts of a head lie next to each other. Called by
// all SPLIT_THREADS threads.
DEVICE void attention_join(const float *part, elem *att, int heads, int splits) {
    for (int at = threadIdx.x; at < heads * (HEAD / 4); at += SPLIT_THREADS) {
        int g = at / (HEAD / 4), quad = at % (HEAD / 4);
        Columns all = join_parts(part + long(g) * splits * PART, PART, splits, quad);
        elem *to = att + g * HEAD + 4 * quad;
        to[0] = narrow(all.value.x / all.sum);
        to[1] = narrow(all.value.y / all.sum);
        to[2] = narrow(all.value.z / all.sum);
        to[3] = narrow(all.value.w / all.sum);
    }
}

// The inner loop of flash attention.
//
//   o = softmax(scale * q * k^T) * v      for every head, the scores never stored
//
// q, o: seq x heads x width floats; k, v: seq x kv_heads x width; width <= MOST. A
// block of TILE threads makes TILE queries of one head, one thread a query; q is in
// registers. Keys and values come in tiles of TILE through shared memory; columns
// that a head does not have are zero there. With `causal`, query i sees keys 0 to i.
//
// model   q and o once; keys and values once for every tile of queries; one launch.
//         The loop may end early where no query of the block sees any further key.

const int TILE = 64; // queries of a block, keys of a tile
const int MOST = 64; // columns of the widest head

// A tile of keys or values: rows from `first` on, zero where there is none.
DEVICE void load_tile(float (*tile)[MOST], const float *from, int first, int seq, int stride,
                      int width) {
    for (int i = threadIdx.x; i < TILE * MOST; i += blockDim.x) {
        int row = i / MOST, col = i % MOST;
        bool there = first + row < seq && col < width;
        tile[row][col] = there ? from[long(first + row) * stride + col] : 0.0f;
    }
}

KERNEL void flash_loop(const float *q, const float *k, const float *v, float *o, int heads,
                       int kv_heads, int seq, int width, int causal, float scale) {
    __shared__ float keys[TILE][MOST], values[TILE][MOST];
    int head = blockIdx.y;
    int query = blockIdx.x * TILE + threadIdx.x;
// gap group: `int group`, the head of k and v that this head of q uses
#if WRONG == 1 // C4 own_head: k and v have kv_heads heads, not heads. Several heads of q share
//~ one of theirs.
    int group = head;
#elif WRONG == 2 // C3 modulo: Neighbouring heads of q share a head of k and v: heads 0 and 1 use
//~ head 0. The remainder spreads them the other way.
    int group = head % kv_heads;
#else
    int group = head / (heads / kv_heads);
#endif
    float mine[MOST], sum[MOST]; // this query, and the values weighed so far
    for (int col = 0; col < MOST; col++) {
        bool there = query < seq && col < width;
        mine[col] = there ? q[(long(query) * heads + head) * width + col] * scale : 0.0f;
        sum[col] = 0.0f;
    }
    float m = MINUS_INFINITY, l = 0.0f; // largest score so far, sum of exp(score - m)
    int end = seq;                      // keys that are visited
    for (int first = 0; first < end; first += TILE) {
        __syncthreads();
        load_tile(keys, k + long(group) * width, first, seq, kv_heads * width, width);
        load_tile(values, v + long(group) * width, first, seq, kv_heads * width, width);
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            int key = first + j;
// gap score: `float score` of this query and `key`; MINUS_INFINITY where the key does not exist
//~ or is not seen
#if WRONG == 3 // C3 padded_keys: Rows past the end of the sequence are zero, and so is their
//~ score. exp(0 - m) is not nothing: such a key must have the score minus infinity.
            float score = 0.0f;
            for (int col = 0; col < MOST; col++) score += mine[col] * keys[j][col];
            if (causal && key > query) score = MINUS_INFINITY;
#elif WRONG == 4 // C2 own_key: The mask is off by one: a query sees its own key.
            float score = 0.0f;
            for (int col = 0; col < MOST; col++) score += mine[col] * keys[j][col];
            if (key >= seq || (causal && key >= max(query, 1))) score = MINUS_INFINITY;
#else
            float score = 0.0f;
            for (int col = 0; col < MOST; col++) score += mine[col] * keys[j][col];
            if (key >= seq || (causal && key > query)) score = MINUS_INFINITY;
#endif
// gap maximum: `float next`, the new maximum; `float keep`, what the old sums are multiplied by;
//~ `float weight` of this key
#if WRONG == 5 // C2 old_maximum: The weight is taken against the old maximum, which minus
//~ infinity is at first, and which the new score may exceed by far. Take it against the new one.
            float next = fmaxf(m, score);
            float keep = expf(m - next);
            float weight = m == MINUS_INFINITY ? 1.0f : expf(score - m);
#elif WRONG == 6 // C2 not_kept: The old sums stand for the old maximum. They must be multiplied
//~ by exp(old - new).
            float next = fmaxf(m, score);
            float keep = 1.0f;
            float weight = expf(score - next);
#else
            float next = fmaxf(m, score);
            float keep = expf(m - next);
            float weight = expf(score - next);
#endif
// gap update: `l`, every sum[col], and `m`
#if WRONG == 7 // C2 sum_not_rescaled: l is rescaled and the weighed values are not, so the two
//~ belong to different maxima.
            l = l * keep + weight;
            for (int col = 0; col < MOST; col++) sum[col] += weight * values[j][col];
            m = next;
#elif WRONG == 8 // C2 l_not_rescaled: The weighed values are rescaled and l is not, so the two
//~ belong to different maxima.
            l = l + weight;
            for (int col = 0; col < MOST; col++)
                sum[col] = sum[col] * keep + weight * values[j][col];
            m = next;
#else
            l = l * keep + weight;
            for (int col = 0; col < MOST; col++)
                sum[col] = sum[col] * keep + weight * values[j][col];
            m = next;
#endif
        }
    }
    for (int col = 0; col < width; col++)
        if (query < seq) o[(long(query) * heads + head) * width + col] = sum[col] / l;
}

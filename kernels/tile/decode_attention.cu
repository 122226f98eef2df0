// Attention of one new token per sequence, the keys of a head spread over SPLITS
// blocks. A part is what one block makes: the average of its values, weighted by
// the exponentials of its scores, and the logarithm of the exponentials' sum.
// Who reads the parts weighs them by the latter.

// Lanes that share a key (each has one pack of it) and keys of a warp at a time.
#define KEY_LANES (HEAD / PACK)
#define WARP_KEYS (WARP / KEY_LANES)
// Keys that a lane has under way at once.
#define HELD_KEYS 4

// Softmax as it goes: the largest score so far, the sum of exponentials relative
// to it, and the values weighted likewise.
struct Running {
    float most, sum, value[PACK];
};

// Weight of a score beside the largest; no weight while there is no key.
DEVICE float relative(float score, float most) {
    float share = exp_of(score - most);
    return most == MINUS_INFINITY ? 0.0f : share;
}

// Takes in COUNT keys with their scores; a score of minus infinity is no key.
template <int COUNT>
DEVICE void take_keys(Running &run, const float (&score)[COUNT], const Words (&value)[COUNT]) {
    float most = run.most;
#pragma unroll
    for (int i = 0; i < COUNT; i++) most = fmaxf(most, score[i]);
    float keep = relative(run.most, most);
    run.most = most;
    run.sum *= keep;
#pragma unroll
    for (int k = 0; k < PACK; k++) run.value[k] *= keep;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float share = relative(score[i], most);
        run.sum += share;
#pragma unroll
        for (int k = 0; k < PACK; k++) run.value[k] += share * word_value(value[i], k);
    }
}

// Query times key over the lanes that share the key.
DEVICE float score_of(const float (&query)[PACK], const Words &key) {
    float dot = 0.0f;
#pragma unroll
    for (int k = 0; k < PACK; k++) dot += query[k] * word_value(key, k);
#pragma unroll
    for (int mask = KEY_LANES / 2; mask > 0; mask /= 2) dot += swap_lanes(dot, mask);
    return dot;
}

// Waits for one pack of this step's query, key or value.
DEVICE void await_pack(float (&value)[PACK], const Tagged *from, u32 tag) {
    TaggedPack words;
    do load_tagged(words, from);
    while (!all_tagged(words, tag));
#pragma unroll
    for (int i = 0; i < PACK; i++) value[i] = tagged_value(words.at[i]);
}

// Adds another's sums; both keep finite sense where one has seen no key.
DEVICE void merge_swapped(Running &own, int mask) {
    float most = swap_lanes(own.most, mask), sum = swap_lanes(own.sum, mask);
    float both = fmaxf(own.most, most);
    float mine = relative(own.most, both), theirs = relative(most, both);
    own.most = both;
    own.sum = own.sum * mine + sum * theirs;
#pragma unroll
    for (int i = 0; i < PACK; i++)
        own.value[i] = own.value[i] * mine + swap_lanes(own.value[i], mask) * theirs;
}

// Parts of the keys for this block: unit = (sequence, head, split).
DEVICE void run_attention(Block &block, int l) {
    const Layer &layer = shared_at<Layer>(common().layers)[l];
    const Decode &d = common().d;
    const Exchange &e = common().e;
    const int past = d.past;
    const int lane = lane_id(), warp = warp_id();
    const int column = lane % KEY_LANES * PACK, lane_key = lane / KEY_LANES;
    const int context = past + 1, part = (context + SPLITS - 1) / SPLITS;
    const int step = WORKERS * WARP_KEYS; // keys of the block per held key
    const int row_width = d.kv_heads * HEAD;
    for (int unit = blockIdx.x; unit < d.batch * d.heads * SPLITS; unit += gridDim.x) {
        const int split = unit % SPLITS, head = unit / SPLITS % d.heads;
        const int sequence = unit / SPLITS / d.heads;
        const int kv_head = head / (d.heads / d.kv_heads);
        const int first = split * part, end = min(first + part, context);
        const long cache = long(sequence) * d.cap * row_width + kv_head * HEAD + column;
        const Tagged *fresh = e.qkv + long(sequence) * qkv_width(d) + column;
        Running run;
        run.most = MINUS_INFINITY;
        run.sum = 0.0f;
#pragma unroll
        for (int i = 0; i < PACK; i++) run.value[i] = 0.0f;
        float query[PACK] = {};
        // Old keys and values are asked for before the query is waited for.
        const int old = min(end, past);
        for (int base = first; base < end; base += step * HELD_KEYS) {
            // Zero, or the compiler keeps registers for the last round's from round to round.
            Words key[HELD_KEYS] = {}, value[HELD_KEYS] = {};
            float score[HELD_KEYS];
#pragma unroll
            for (int i = 0; i < HELD_KEYS; i++) {
                int row = base + i * step + warp * WARP_KEYS + lane_key;
                if (row < old) {
                    key[i] = load_words(layer.keys + cache + long(row) * row_width);
                    value[i] = load_words(layer.values + cache + long(row) * row_width);
                }
            }
            if (base == first) {
                await_pack(query, fresh + head * HEAD, block.tag);
#pragma unroll
                for (int k = 0; k < PACK; k++) query[k] *= d.scale;
            }
#pragma unroll
            for (int i = 0; i < HELD_KEYS; i++) {
                int row = base + i * step + warp * WARP_KEYS + lane_key;
                score[i] = score_of(query, key[i]);
                if (row >= old) score[i] = MINUS_INFINITY;
            }
            take_keys(run, score, value);
        }
        if (end == context && first < end && warp == 0) { // this step's own key
            float key[PACK], value[PACK];
            await_pack(key, fresh + (d.heads + kv_head) * HEAD, block.tag);
            await_pack(value, fresh + (d.heads + d.kv_heads + kv_head) * HEAD, block.tag);
            const Words own_key[1] = {words_of(key)}, own_value[1] = {words_of(value)};
            float score[1] = {score_of(query, own_key[0])};
            if (lane_key != 0) score[0] = MINUS_INFINITY;
            take_keys(run, score, own_value);
        }
#pragma unroll
        for (int mask = KEY_LANES; mask < WARP; mask *= 2) merge_swapped(run, mask);

        // The warps' results: HEAD values, then the largest score and the sum.
        float *partial = shared_at<float>(common().partial) + block.side * WORKERS * PASS_SUMS;
        float *mine = partial + warp * PASS_SUMS;
        if (lane_key == 0) {
#pragma unroll
            for (int k = 0; k < PACK; k++) mine[column + k] = run.value[k];
            if (lane == 0) {
                mine[HEAD] = run.most;
                mine[HEAD + 1] = run.sum;
            }
        }
        workers_wait(WORKERS * WARP);
        if (threadIdx.x < HEAD) {
            float most = MINUS_INFINITY, sum = 0.0f, value = 0.0f;
            for (int w = 0; w < WORKERS; w++) most = fmaxf(most, partial[w * PASS_SUMS + HEAD]);
            for (int w = 0; w < WORKERS; w++) {
                float share = relative(partial[w * PASS_SUMS + HEAD], most);
                sum += share * partial[w * PASS_SUMS + HEAD + 1];
                value += share * partial[w * PASS_SUMS + threadIdx.x];
            }
            Tagged *to = e.att + (long(sequence) * SPLITS + split) * d.width + head * HEAD;
            bool any = most != MINUS_INFINITY;
            float average = any ? ratio_of(value, sum) : 0.0f;
            store_device(to + threadIdx.x, tag_value(average, block.tag));
            if (threadIdx.x == 0) {
                TaggedFloat *weight = e.weight + (long(sequence) * SPLITS + split) * d.heads + head;
                float total = any ? most + log_of(sum) : MINUS_INFINITY;
                store_device(weight, tag_float(total, block.tag));
            }
        }
        block.side ^= 1;
    }
}

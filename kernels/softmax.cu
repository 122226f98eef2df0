// softmax: pr = softmax(sc * scale) over the keys that a query may see, 0 beyond.
//
//   sc, pr [rows = batch * heads * seq][context]; query s = row % seq sees keys
//   0 ... past + s, past = context - seq; scale > 0
//
// A warp takes a row. One reading pass keeps a running maximum and a sum that is
// rescaled whenever the maximum grows (online softmax): maximum and sum come out
// of one pass in place of two. The second pass finds the row in the L1 cache.
// exp(x) is computed as exp2(x * log2 e): the machine's exponential is base 2,
// and the constant joins `scale`.
//
// Ladder
//   naive      a thread per row, three passes, lanes `context` elements apart
//   coalesced  a warp per row, three passes: maximum, sum, result
//   online     a warp per row, two passes, 16 bytes a lane; masked keys are
//              written but never read: this file; 65 us for 131072 rows of 512 in
//              bf16 (H200)

KERNEL void softmax(const elem *sc, elem *pr, int rows, int seq, int context, float scale) {
    grid_wait();
    grid_launch_next();
    int row = blockIdx.x * (blockDim.x / WARP) + warp_id();
    if (row >= rows) return;
    int seen = context - seq + row % seq + 1;
    const elem *from = sc + long(row) * context;
    elem *to = pr + long(row) * context;
    float factor = scale * LOG2_E;

    // idea online: a larger maximum scales what was summed so far.
    float most = MINUS_INFINITY, sum = 0.0f;
    for (int pack = lane_id(); pack * PACK < seen; pack += WARP) {
        Pack value = row_load(from, pack, context);
        float largest = most;
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (pack * PACK + e < seen) largest = fmaxf(largest, widen(value.at[e]));
        sum *= exp2_approx((most - largest) * factor);
        most = largest;
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (pack * PACK + e < seen) sum += exp2_approx((widen(value.at[e]) - most) * factor);
    }
    // end online

    // idea join: a lane that saw no key has the maximum -inf and adds 0.
    float peak = warp_max(most);
    float inverse = 1.0f / warp_sum(sum * exp2_approx((most - peak) * factor));
    // end join

    for (int pack = lane_id(); pack < row_packs(context); pack += WARP) {
        Pack value;
        if (pack * PACK < seen) value = row_load(from, pack, context);
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            bool visible = pack * PACK + e < seen;
            float p = exp2_approx((widen(value.at[e]) - peak) * factor) * inverse;
            value.at[e] = narrow(visible ? p : 0.0f);
        }
        row_store(to, pack, context, value);
    }
}

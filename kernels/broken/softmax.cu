// A softmax with a planted defect, for the self-test to catch: arguments and
// launch are those of softmax.cu.
//
// The mask is off by one: a query does not see its own key (the first query
// still sees its only one). Rows sum to one, and all values look sane.

KERNEL void softmax(const elem *__restrict__ sc, elem *__restrict__ pr, int rows, int seq,
                    int context, float scale) {
    int row = blockIdx.x * (blockDim.x / WARP) + warp_id();
    if (row >= rows) return;
    int seen = max(context - seq + row % seq, 1);  // the defect: + 1 is missing
    const elem *from = sc + long(row) * context;
    elem *to = pr + long(row) * context;

    float most = MINUS_INFINITY;
    for (int key = lane_id(); key < seen; key += WARP) most = fmaxf(most, widen(from[key]));
    most = warp_max(most);
    float sum = 0.0f;
    for (int key = lane_id(); key < seen; key += WARP)
        sum += expf((widen(from[key]) - most) * scale);
    sum = warp_sum(sum);
    for (int key = lane_id(); key < context; key += WARP)
        to[key] = narrow(key < seen ? expf((widen(from[key]) - most) * scale) / sum : 0.0f);
}

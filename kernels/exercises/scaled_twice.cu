// Attention of one query over n keys: scores s and values v are given, the keys
// come in tiles of `tile`. One thread does it all.

KERNEL void scaled_twice(const float *s, const float *v, float *o, int n, int tile) {
    if (threadIdx.x > 0) return;
// excerpt
    float m = MINUS_INFINITY, l = 0.0f, acc = 0.0f;
    for (int at = 0; at < n; at += tile) {
        int end = min(at + tile, n);
        float top = MINUS_INFINITY;
        for (int j = at; j < end; j++) top = fmaxf(top, s[j]);
        float next = fmaxf(m, top);
        l *= expf(m - next);
        acc *= expf(m - next);
        for (int j = at; j < end; j++) {
#if FIXED
            float p = expf(s[j] - next);
#else
            float p = expf(s[j] - next) * expf(top - next);  // defect line
#endif
            l += p;
            acc += p * v[j];
        }
        m = next;
    }
    o[0] = acc / l;
// end excerpt
}

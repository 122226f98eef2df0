// Softmax of a row in three passes, 256 columns at a time: maximum, sum, output.

KERNEL void ghost_lanes(const float *s, float *p, int n) {
    __shared__ float scratch[WARP];
// excerpt
    float top = MINUS_INFINITY;
    for (int at = 0; at < n; at += blockDim.x) {
        int col = at + threadIdx.x;
        float score = col < n ? s[col] : MINUS_INFINITY;
        top = fmaxf(top, block_max(score, scratch));
    }
    float sum = 0.0f;
    for (int at = 0; at < n; at += blockDim.x) {
        int col = at + threadIdx.x;
#if FIXED
        float score = col < n ? s[col] : MINUS_INFINITY;
#else
        float score = col < n ? s[col] : 0.0f;  // defect line
#endif
        sum += block_sum(expf(score - top), scratch);
    }
    for (int col = threadIdx.x; col < n; col += blockDim.x)
        p[col] = expf(s[col] - top) / sum;
// end excerpt
}

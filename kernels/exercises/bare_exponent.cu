// Softmax of a row of n floats by one block.

KERNEL void bare_exponent(const float *s, float *p, int n) {
    __shared__ float scratch[WARP];
// excerpt
    float top = MINUS_INFINITY;
    for (int col = threadIdx.x; col < n; col += blockDim.x)
        top = fmaxf(top, s[col]);
    top = block_max(top, scratch);
    float sum = 0.0f;
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
#if FIXED
        float power = expf(s[col] - top);
#else
        float power = expf(s[col]);  // defect line
#endif
        p[col] = power;
        sum += power;
    }
    sum = block_sum(sum, scratch);
    for (int col = threadIdx.x; col < n; col += blockDim.x) p[col] /= sum;
// end excerpt
}

// Residual and norm over a flat index: one block makes one tile of 256 elements.

KERNEL void flat_norm(const float *x, const float *r, const float *gamma, float *h, float *y,
                      int n, int width, float eps) {
    __shared__ float scratch[WARP];
// excerpt
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] + r[i] : 0.0f;
    float sum = block_sum(value * value, scratch);
#if FIXED
    float scale = rsqrtf(sum / float(width) + eps);
#else
    float scale = rsqrtf(sum / float(n) + eps);  // defect line
#endif
    if (i < n) {
        h[i] = value;
#if FIXED
        y[i] = value * scale * gamma[i % width];
#else
        y[i] = value * scale * gamma[i];  // defect second
#endif
    }
// end excerpt
}

// y = 2 x, four elements a thread; x and y are n floats.

KERNEL void vector_tail(const float *x, float *y, int n) {
// excerpt
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
#if FIXED
    if (i + 4 > n) {
        for (int at = i; at < n; at++) y[at] = 2.0f * x[at];
        return;
    }
    float4 four = *reinterpret_cast<const float4 *>(x + i);
#else
    float4 four = *reinterpret_cast<const float4 *>(x + i);  // defect line
#endif
    four.x *= 2.0f, four.y *= 2.0f, four.z *= 2.0f, four.w *= 2.0f;
    *reinterpret_cast<float4 *>(y + i) = four;
// end excerpt
}

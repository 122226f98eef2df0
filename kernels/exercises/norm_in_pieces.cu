// RMSNorm of rows wider than a block: one block makes `tile` columns of a row.

KERNEL void norm_in_pieces(const float *x, const float *gamma, float *y, int width, int tile,
                           float eps) {
    __shared__ float scratch[WARP];
// excerpt
    const float *from = x + long(blockIdx.y) * width;
    float *to = y + long(blockIdx.y) * width;
    int begin = blockIdx.x * tile, end = min(begin + tile, width);
    float sum = 0.0f;
#if FIXED
    for (int col = threadIdx.x; col < width; col += blockDim.x) sum += from[col] * from[col];
#else
    for (int col = begin + threadIdx.x; col < end; col += blockDim.x)  // defect line
        sum += from[col] * from[col];
#endif
    sum = block_sum(sum, scratch);
    float scale = rsqrtf(sum / float(width) + eps);
    for (int col = begin + threadIdx.x; col < end; col += blockDim.x)
        to[col] = from[col] * scale * gamma[col];
// end excerpt
}

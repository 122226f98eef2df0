// A tiled product for the machine's tests: c[m][n] = a[m][k] * b[n][k], 64×64
// tiles, 256 threads, 4×4 sums per thread. Every extent may be ragged.
extern "C" __global__ void gemm_tile(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float at[16][64];
    __shared__ float bt[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += 256) {
            int r = i / 16, d = i % 16;
            at[d][r] = row0 + r < m && k0 + d < k ? a[(row0 + r) * k + k0 + d] : 0.0f;
            bt[d][r] = col0 + r < n && k0 + d < k ? b[(col0 + r) * k + k0 + d] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            float x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = at[d][ty * 4 + i];
#pragma unroll
            for (int i = 0; i < 4; ++i) y[i] = bt[d][tx * 4 + i];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int r = row0 + ty * 4 + i, o = col0 + tx * 4 + j;
            if (r < m && o < n) c[r * n + o] = sum[i][j];
        }
}

// Residual and RMSNorm in one kernel.
//
//   h = x + r
//   y = h * rsqrt(mean(h^2) + eps) * gamma      the mean over a row
//
// x, r, h, y: rows x width floats; gamma: width floats; width <= 4096. One block
// of 256 threads makes one row: thread t has columns t, t + 256, t + 512, and so
// on. The row stays in registers (`kept`) between the sum and the output.
//
// model   4 rows x width x 4 B and gamma: x and r are read once, h and y are
//         written once; one launch.

const int KEEP = 16; // columns of one thread, at most

KERNEL void residual_norm(const float *x, const float *r, const float *gamma, float *h, float *y,
                          int rows, int width, float eps) {
    __shared__ float part[WARP]; // one place for each warp of the block
    if (blockIdx.x >= rows) return;
    long row = long(blockIdx.x) * width; // where this row begins
    float kept[KEEP];                    // h of this thread's columns
    float sum = 0.0f;                    // of their squares
#pragma unroll
    for (int i = 0; i < KEEP; i++) {
        int col = threadIdx.x + i * blockDim.x;
        if (col >= width) break;
// gap load: h of column `col`: keep it in kept[i], write it to h, add its square to `sum`
#if WRONG == 1 // C2 squares_of_x: The squares of x alone are summed. The norm is one of h, which
//~ is x + r.
        kept[i] = x[row + col] + r[row + col];
        h[row + col] = kept[i];
        sum += x[row + col] * x[row + col];
#elif WRONG == 2 // C2 no_h: h is an output too: the next residual adds to it. Write it.
        kept[i] = x[row + col] + r[row + col];
        sum += kept[i] * kept[i];
#else
        kept[i] = x[row + col] + r[row + col];
        h[row + col] = kept[i];
        sum += kept[i] * kept[i];
#endif
    }
// gap reduce: `sum` over the block, in every thread (warp_sum, part, a barrier)
#if WRONG == 3 // C4 no_barrier: One warp reads the sums of the others before they are all there.
//~ A barrier belongs between writing `part` and reading it.
    sum = warp_sum(sum);
    if (lane_id() == 0) part[warp_id()] = sum;
    sum = lane_id() < blockDim.x / WARP ? part[lane_id()] : 0.0f;
    sum = warp_sum(sum);
#elif WRONG == 4 // C3 warp_only: Every warp uses the sum of its own columns. That is right only
//~ while a row is no wider than a warp: the sums of the warps must be added too.
    sum = warp_sum(sum);
#else
    sum = warp_sum(sum);
    if (lane_id() == 0) part[warp_id()] = sum;
    __syncthreads();
    sum = lane_id() < blockDim.x / WARP ? part[lane_id()] : 0.0f;
    sum = warp_sum(sum);
#endif
// gap scale: `float scale`, what the row is multiplied by
#if WRONG == 5 // C2 threads: The mean is one over the columns of the row, and not over the
//~ threads of the block. The two agree only where the row is as wide as the block.
    float scale = rsqrtf(sum / float(blockDim.x) + eps);
#elif WRONG == 6 // C2 eps_outside: eps belongs under the root. Outside of it, a row of tiny
//~ values is blown up.
    float scale = rsqrtf(sum / float(width)) + eps;
#else
    float scale = rsqrtf(sum / float(width) + eps);
#endif
#pragma unroll
    for (int i = 0; i < KEEP; i++) {
        int col = threadIdx.x + i * blockDim.x;
        if (col >= width) break;
// gap output: y of column `col`
#if WRONG == 7 // C5 read_again: x and r are read a second time. The row is in `kept`: compute
//~ with that.
        y[row + col] = (x[row + col] + r[row + col]) * scale * gamma[col];
#elif WRONG == 8 // C4 flat_gamma: gamma has one row only. Its index is the column, not the place
//~ in the tensor.
        y[row + col] = kept[i] * scale * gamma[row + col];
#else
        y[row + col] = kept[i] * scale * gamma[col];
#endif
    }
}

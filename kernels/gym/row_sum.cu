// row_sum: y[row] = the sum of a row, one row and one element per thread of a
// block of 256. Threads must talk to each other: through shared memory, or from
// register to register.
//
//   x [rows][256], y [rows]
//
// Compiled in: SHUFFLES (0: a tree in shared memory, 1: shuffles). Swept.

KERNEL void row_sum(const float *x, float *y) {
    __shared__ float scratch[256];
    int thread = threadIdx.x;
    float value = x[blockIdx.x * long(blockDim.x) + thread];
#if SHUFFLES
    // idea shuffles: five exchanges in each warp, then the sums of the warps.
    value = block_sum(value, scratch);
    // end shuffles
#else
    // idea tree: halve the threads, add a partner's value, wait; eight times.
    scratch[thread] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) scratch[thread] += scratch[thread + half];
        __syncthreads();
    }
    value = scratch[0];
    // end tree
#endif
    if (thread == 0) y[blockIdx.x] = value;
}

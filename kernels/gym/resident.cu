// resident: a copy whose blocks ask for shared memory that they do not use, so that fewer
// of them fit on a multiprocessor. What is moved is the same; how many loads are under way
// at once is not.
//
//   x, y [n]; 256 threads, one element each
//
// Swept: KiB of shared memory that a block asks for, at its launch.

KERNEL void resident(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // idea latency: a warp waits here until its sector has come. Only other warps of the
    // same multiprocessor can use the time.
    y[i] = x[i];
    // end latency
}

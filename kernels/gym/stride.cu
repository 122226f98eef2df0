// stride: y[i] = x[i * step], one element per thread. What a load costs is
// decided by its addresses: memory moves in sectors of 32 bytes, whole or not
// at all.
//
//   x [at least (n - 1) * step + 1], y [n]
//
// Swept: step. 0 lets every thread read the same element.

KERNEL void stride(const float *x, float *y, int n, int step) {
    // idea mask: which elements exist. The last block may have threads too many.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // end mask
    // idea addresses: what they cost. 32 lanes with step 1 share 4 sectors; with
    // step 8 and beyond every lane has a sector of its own.
    y[i] = x[long(i) * step];
    // end addresses
}

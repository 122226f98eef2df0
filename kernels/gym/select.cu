// select: as branch.cu, with so little work on either side that the compiler
// computes both and picks one. No lane is ever off.
//
//   x, y [n]
//
// Swept: group, the neighbouring threads that pick the same side.

KERNEL void select(const float *x, float *y, int n, int group) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    // idea both: two results and a choice between them; no jump.
    y[i] = i / group % 2 == 0 ? value * 0.5f + 1.0f : value * 0.25f - 1.0f;
    // end both
}

// branch: groups of threads take turns at two pieces of work. A warp whose lanes
// disagree executes both, each with some of its lanes off.
//
//   x, y [n]
//
// Swept: group, the neighbouring threads that go the same way.

KERNEL void branch(const float *x, float *y, int n, int group, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    // idea two-ways: with a group of 32 or a multiple a warp goes one way. With
    // fewer it goes both, one after the other.
    if (i / group % 2 == 0) {
        for (int turn = 0; turn < turns; turn++) value = value * 0.5f + 1.0f;
    } else {
        for (int turn = 0; turn < turns; turn++) value = sqrtf(value * value + 1.0f);
    }
    // end two-ways
    y[i] = value;
}

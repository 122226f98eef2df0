// held: sixteen sums that a thread keeps. An array whose places are known to the compiler
// lies in registers; one that is indexed at run time, and what registers have no room for
// (spills), lies in memory of the thread's own ("local"), which is device memory.
//
//   x, y [n]; turn: 1, which only the launch knows
//
// Compiled in by -D LOCAL. Swept: 0 registers, 1 local memory.

#define HELD 16

KERNEL void held(const float *x, float *y, int n, int turn) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float part[HELD];
#pragma unroll
    for (int k = 0; k < HELD; k++) part[k] = x[i] + float(k);
    // idea place: the same sums either way. Where the place comes from `turn`, each is a
    // load and a store.
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#if LOCAL
        part[(k + turn) % HELD] += part[k];
#else
        part[(k + 1) % HELD] += part[k];
#endif
    }
    // end place
    y[i] = part[HELD - 1];
}

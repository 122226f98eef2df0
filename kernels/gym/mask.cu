// mask: m = silu(g) * u in tiles of one block each, one element per thread. Where
// n is no multiple of the tile, some lanes of the last block have nothing to do.
//
//   g, u, m [n]
//
// Swept: n.

KERNEL void mask(const float *g, const float *u, float *m, int n) {
    // idea program: the block's number and the thread's make an offset.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // end program
    // idea in-range: the mask. Without it the last block would read and write past
    // the end.
    if (i < n) {
        float gate = g[i];
        m[i] = gate / (1.0f + expf(-gate)) * u[i];
    }
    // end in-range
}

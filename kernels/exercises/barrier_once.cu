// Rounds of two phases. In each round every block does its work and writes the
// round's number to its own h, waits for all, reads the h of the next block, and
// waits again. Block 0 has more work than the others. `counter` is 0 at the start.

// excerpt
// All blocks arrive before any goes on.
DEVICE void wait_for_all(u32 *counter, u32 generation) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1);
#if FIXED
        while (load_acquire(counter) < gridDim.x * generation) {
        }
#else
        while (load_acquire(counter) < gridDim.x) {  // defect line
        }
#endif
    }
    __syncthreads();
}
// end excerpt

KERNEL void barrier_once(u32 *h, u32 *out, u32 *counter, u32 *work, int rounds,
                         int most) {
    int next = (blockIdx.x + 1) % gridDim.x;
    for (int round = 1; round <= rounds; round++) {
        int share = blockIdx.x == 0 ? most : 1;
        for (int part = 0; part < share; part++) atomicAdd(work + blockIdx.x, 1);
        if (threadIdx.x == 0) store_device(h + blockIdx.x, u32(round));
        wait_for_all(counter, 2 * round - 1);
        if (threadIdx.x == 0) out[blockIdx.x] = load_device(h + next);
        wait_for_all(counter, 2 * round);
    }
}

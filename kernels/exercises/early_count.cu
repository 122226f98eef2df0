// Two phases of one launch, joined by a counter. In phase one every thread of every
// block writes its word of a row; in phase two block 0 waits for the row's count and
// reads all of it. `row` is poisoned and `ready` is 0 at the start. All blocks are
// resident together.

// excerpt
// This block's part of the row is there.
DEVICE void part_done(u32 *ready) {
#if FIXED
    __syncthreads();
#else
    warp_sync();  // defect line
#endif
    if (threadIdx.x == 0) add_release(ready, 1);
}

// All parts of the row are there.
DEVICE void row_wait(const u32 *ready, u32 parts) {
    if (threadIdx.x == 0) {
        while (load_acquire(ready) < parts) {
        }
    }
    __syncthreads();
}
// end excerpt

KERNEL void early_count(u32 *row, u32 *out, u32 *ready, u32 *work, int most) {
    // Later warps have more to do before they come to their stores.
    for (int i = 0; i < warp_id() * most; i++) atomicAdd(work + blockIdx.x, 1);
    row[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    part_done(ready);
    if (blockIdx.x > 0) return;
    row_wait(ready, gridDim.x);
    for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
        out[i] = row[i];
}

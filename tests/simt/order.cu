// Blocks that meet in global memory.
typedef unsigned u32;

// Each block writes its number; the last to come wins.
extern "C" __global__ void same_place(u32 *y) {
    if (threadIdx.x == 0) y[3] = blockIdx.x;
}

// Each block writes its row and reads its neighbour's.
extern "C" __global__ void neighbours(u32 *rows, u32 *y) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, next = (i + blockDim.x) % (gridDim.x * blockDim.x);
    rows[i] = i;
    y[i] = rows[next];
}

// Half-words of one word belong to two blocks: no race.
extern "C" __global__ void halves(unsigned short *y) {
    if (threadIdx.x == 0) y[blockIdx.x] = (unsigned short)blockIdx.x;
}

// Counts with atomics, as it should be.
extern "C" __global__ void counted(u32 *count) { atomicAdd(count, 1u); }

// Counts without.
extern "C" __global__ void miscounted(u32 *count) {
    if (threadIdx.x == 0) *count += 1;
}

// The last block adds up what the others wrote; `done` says that it is the last.
extern "C" __global__ void last_too_early(u32 *parts, u32 *done, u32 *sum) {
    if (threadIdx.x != 0) return;
    bool last = atomicAdd(done, 1u) == gridDim.x - 1;
    parts[blockIdx.x] = blockIdx.x;  // the defect: behind the atomic, not in front
    if (last) {
        u32 all = 0;
        for (u32 i = 0; i < gridDim.x; ++i) all += parts[i];
        *sum = all;
    }
}

// What blocks say to one another on every GPU, small enough to be executed in many
// orders: the tagged words of the decode kernel and the grid barrier of `block.cu`, with
// the very functions of `prefix/grid.cu`.

// `steps` layers of two exchanges, as x and h travel in `block_decode`: every block reads
// all words of one number and makes its own of the next. x comes with the tag epoch + 1
// and is left so for the next launch. Threads are at most 64.
KERNEL void words(u32 *epoch, u32 *exits, Tagged *x, Tagged *h, int width, int steps) {
    __shared__ float parts[64];
    const u32 first = load_device(epoch);
#pragma unroll 1
    for (int step = 0; step < 2 * steps; step++) {
        const u32 tag = first + 1 + step / 2;
        const Tagged *from = step % 2 ? h : x;
        Tagged *to = step % 2 ? x : h;
        float sum = 0.0f;
        bool poisoned = false;
#pragma unroll 1
        for (int column = threadIdx.x * PACK; column < width; column += blockDim.x * PACK) {
            TaggedPack pack;
            do load_tagged(pack, from + column);
            while (!all_tagged(pack, tag));
#pragma unroll
            for (int i = 0; i < PACK; i++) {
                float value = tagged_value(pack.at[i]);
                poisoned |= value != value;
                sum += value;
            }
        }
        if (poisoned) __trap();
        parts[threadIdx.x] = sum;
        __syncthreads();
#pragma unroll 1
        for (int column = blockIdx.x + threadIdx.x * gridDim.x; column < width;
             column += gridDim.x * blockDim.x) {
            float all = 0.0f;
#pragma unroll 1
            for (int i = 0; i < blockDim.x; i++) all += parts[i];
            store_device(to + column, tag_value(float((int(all) + column) % 61), tag + step % 2));
        }
        __syncthreads();
    }
    // The last block out moves the tags on: all others have read them.
    if (threadIdx.x == 0 && add_release(exits, 1) == gridDim.x - 1) {
        store_device(exits, 0u);
        store_device(epoch, first + steps);
    }
}

// `times` crossings of the grid barrier: every thread writes its word, and after the
// barrier adds up those of all blocks. A second barrier lets the words be written anew.
KERNEL void crossings(u32 *counter, u32 *row, u32 *sums, int times) {
    const int all = gridDim.x * blockDim.x, mine = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int time = 0; time < times; time++) {
        row[mine] = mine + time;
        grid_barrier(counter);
        u32 sum = 0;
#pragma unroll 1
        for (int i = threadIdx.x; i < all; i += blockDim.x) sum += row[i];
        sums[time * all + mine] = sum;
        grid_barrier(counter);
    }
}

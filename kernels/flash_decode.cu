// flash_decode: attention of the newest tokens over the cache, keys split over
// blocks. With one query per head `flash` would use batch * heads blocks and walk
// over the cache in each, one tile after the other; here `splits` blocks walk at
// the same time, each over its share of the keys.
//
//   q, att [batch * seq][heads * HEAD]; k, v [batch][cap][kv_heads * HEAD]
//   partial [batch * seq][heads][splits][HEAD + 4] fp32; done [batch * seq * groups],
//   zero before the first launch and zero again after every launch
//
// The parts of a head are joined by whichever block finishes last: it finds the
// counter at splits - 1 and puts it back to 0, so no second launch is needed.
// Which block is last changes from run to run; what it computes does not.
//
// Ladder
// Figures: 32 heads of 64 over 4 kv heads, bf16, context 512 / 4096, on an H200.
//   one block   a block per group of heads: 8 of 132 SMs busy; 8.7 / 45 us
//   split       keys shared out, a second kernel to join: one more launch
//   last block  the join moved into the kernel, one part after the other: 6.3 / 9.9 us
//   under way   eight parts loaded together: this file; 4.5 / 7.3 us with 8 / 16 splits

// Grid: x = splits, y = kv_heads * groups of GROUP query heads, z = batch * seq.
KERNEL void __launch_bounds__(SPLIT_THREADS)
    flash_decode(const elem *q, const elem *k, const elem *v, elem *att, float *partial, u32 *done,
                 int splits, int batch, int heads, int kv_heads, int seq, int context, int cap,
                 float scale) {
    __shared__ __align__(16) float shared[SPLIT_FLOATS];
    __shared__ bool last;
    int sharing = heads / kv_heads, groups = (sharing + GROUP - 1) / GROUP;
    int kv_head = blockIdx.y / groups, offset = blockIdx.y % groups * GROUP;
    int head = kv_head * sharing + offset, served = min(GROUP, sharing - offset);
    int row = blockIdx.z, split = blockIdx.x;

    // Keys 0 ... past + s, shared out evenly; an empty share adds nothing.
    int keys = context - seq + row % seq + 1;
    int share = (keys + splits - 1) / splits;
    int begin = min(keys, split * share), end = min(keys, begin + share);
    long stride = long(kv_heads) * HEAD;
    long from = long(row / seq) * cap * stride + long(kv_head) * HEAD;
    float *part = partial + (long(row) * heads + head) * splits * PART;
    grid_wait();
    grid_launch_next();
    attention_split(q + (long(row) * heads + head) * HEAD, k + from, v + from, stride, served,
                    begin, end, scale * LOG2_E, part + split * PART, long(splits) * PART, shared);

    // idea last-block: what was written before the counter went up is visible to the last.
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 *counter = done + long(row) * gridDim.y + blockIdx.y;
        last = atomicAdd(counter, 1u) == u32(splits - 1);
        if (last) *counter = 0;
        __threadfence();
    }
    __syncthreads();
    if (last) attention_join(part, att + (long(row) * heads + head) * HEAD, served, splits);
    // end last-block
}

// flash: att = softmax(q k^T * scale) v, causal, in one kernel. Three kernels apart
// (qk, softmax, pv) write and read two tensors of batch * heads * seq * context
// elements; here no score ever leaves the SM.
//
//   q, att [batch * seq][heads * HEAD]; k, v [batch][cap][kv_heads * HEAD], rows
//   0 ... context - 1 of each sequence; query s sees keys 0 ... context - seq + s
//
// A block takes QUERIES queries of one head and walks over the keys, tile by tile.
// A row's softmax is kept as three running values: largest score, sum of weights,
// weighted sum of values. A larger score scales the two sums down.
//
// Ladder
// Figures: heads of 64; 512 tokens with 32 heads over 4 / 16 times 512 with 16 over
// 8, on an H200, where PyTorch's flash attention takes 9.8 / 39 us in bf16.
//   apart    qk, softmax, pv: the scores cross memory four times; - / 168 us in bf16
//   plain    this file on `tile/attention_plain.cu`: multiply-add units; 60 / 308 us in
//            fp32
//   mma      on matrix units (bf16), copies under way while the units work, weights in
//            registers between the products; 10.2 / 55 us
//   ahead    the scores of the next tile under the softmax of this one: this file on
//            `tile/attention_mma.cu`; 9.2 / 52 us, 49 with two slabs of rows a warp
//   wgmma    the units read shared memory by themselves: this file on
//            `tile/attention_hopper.cu`; 7.8 with 128 keys a tile / 36 us with 64

// Blocks of a multiprocessor that registers must suffice for. With 1 the compiler may
// spend them on keeping more under way: left to itself it makes the mma variant take
// 11.2 us in place of 9.2. wgmma needs few: with 4, 36 us in place of 40.
#ifndef BLOCKS
#define BLOCKS 1
#endif

// Blocks run roughly in the order of their numbers, and tile 0 sees the most keys.
KERNEL void LAUNCH_BOUNDS(ATTENTION_THREADS, BLOCKS)
    flash(const elem *q, const elem *k, const elem *v, elem *att, int batch, int heads,
          int kv_heads, int seq, int context, int cap, float scale) {
    extern __shared__ __align__(1024) char shared[];
    Attention call = {batch, heads, kv_heads, seq, context, cap, scale};
    grid_wait();
    grid_launch_next();
    attention_tile(q, k, v, att, call, blockIdx.x, shared);
}

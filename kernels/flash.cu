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
//   apart    qk, softmax, pv: the scores cross memory four times
//   plain    this file on `tile/attention_plain.cu`: multiply-add units, fp32
//   mma      this file on `tile/attention_mma.cu`: matrix units, copies under way
//            while the units work, weights in registers between the products

#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif

// Blocks run roughly in the order of their numbers, and tile 0 sees the most keys.
KERNEL void __launch_bounds__(ATTENTION_THREADS, MIN_BLOCKS)
    flash(const elem *q, const elem *k, const elem *v, elem *att, int batch, int heads,
          int kv_heads, int seq, int context, int cap, float scale) {
    extern __shared__ __align__(1024) char shared[];
    Attention call = {batch, heads, kv_heads, seq, context, cap, scale};
    grid_wait();
    grid_launch_next();
    attention_tile(q, k, v, att, call, blockIdx.x, shared);
}

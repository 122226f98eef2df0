// qk: sc = q k^T for every head, unscaled and unmasked: all pairs, also those that
// the causal mask will throw away.
//
//   qr [batch * seq][heads * HEAD], kr [batch][cap][kv_heads * HEAD]
//   sc [batch][heads][seq][context]
//
// A block takes QUERIES by KEYS scores of one head: both operands fit in shared
// memory whole, since the summed dimension is only a head wide. With HEAD = 64 in
// bf16 a tile does 128 multiply-adds per element that it writes and moves 2 bytes:
// this kernel is bound by writing scores, which is why flash does not write them.
//
// Ladder
//   naive    a thread per score: q and k are read again for each
//   plain    this file on `tile/attention_plain.cu`: register tiles
//   mma      this file on `tile/attention_mma.cu`: matrix units

// Grid: x = key tiles, y = query tiles, z = batch * heads.
KERNEL void __launch_bounds__(TEAM)
    qk(const elem *__restrict__ qr, const elem *__restrict__ kr, elem *__restrict__ sc, int batch,
       int heads, int kv_heads, int seq, int context, int cap) {
    extern __shared__ __align__(128) char shared[];
    int start = blockIdx.x * KEYS, first = blockIdx.y * QUERIES;
    int head = blockIdx.z % heads, sequence = blockIdx.z / heads;
    int rows = min(QUERIES, seq - first), width = min(KEYS, context - start);
    long q_stride = long(heads) * HEAD, kv_stride = long(kv_heads) * HEAD;
    const elem *q = qr + (long(sequence) * seq + first) * q_stride + long(head) * HEAD;
    const elem *k = kr + (long(sequence) * cap + start) * kv_stride +
                    long(head / (heads / kv_heads)) * HEAD;

    char *keys = shared + QUERY_BYTES;
    load_heads(shared, q, q_stride, QUERIES, rows);
    load_heads(keys, k, kv_stride, KEYS, width);
    loads_arrived();
    __syncthreads();

    Queries queries;
    Scores scores;
    keep_queries(queries, shared);
    score_tile(scores, queries, keys);
    __syncthreads();

    elem *to = sc + (long(blockIdx.z) * seq + first) * context + start;
    store_scores(to, context, rows, width, scores, shared);
}

// qk: sc = q k^T for every head, unscaled and unmasked: all pairs, also those that
// the causal mask will throw away.
//
//   qr [batch * seq][heads * HEAD], kr [batch][cap][kv_heads * HEAD]
//   sc [batch][heads][seq][context]
//
// A block takes QUERIES queries of one head, kept at hand, and walks over every
// gridDim.y-th tile of KEYS keys. With HEAD = 64 in bf16 a tile does 128
// multiply-adds per element that it writes: this kernel is bound by writing scores,
// which is why flash does not write them.
//
// Ladder
// Figures: batch 16, 16 heads of 64 over 8 kv heads, 512 tokens, on an H200.
//   naive    a thread per score: q and k are read again for each
//   plain    this file on `tile/attention_plain.cu`: register tiles; 307 us in fp32
//   mma      on matrix units (bf16), a block per tile: 179 us, because the compiler had
//            taken the 16-byte stores apart (see store_pack); 73 with whole stores
//   strips   a block walks over the keys, the next ones under way while these are used:
//            this file on `tile/attention_mma.cu`; 57 us, of which 134 MB of scores
//            alone take 31

// Shared memory: the queries, STAGES times keys, SCORE_BYTES. Grid: x = batch * heads *
// query tiles, y = at most the key tiles.
KERNEL void __launch_bounds__(TEAM)
    qk(const elem *qr, const elem *kr, elem *sc, int batch, int heads, int kv_heads, int seq,
       int context, int cap) {
    extern __shared__ __align__(128) char shared[];
    int parts = (seq + QUERIES - 1) / QUERIES, tiles = (context + KEYS - 1) / KEYS;
    int first = blockIdx.x % parts * QUERIES, rows = min(QUERIES, seq - first);
    int head = blockIdx.x / parts % heads, sequence = blockIdx.x / parts / heads;
    long q_stride = long(heads) * HEAD, kv_stride = long(kv_heads) * HEAD;
    const elem *q = qr + (long(sequence) * seq + first) * q_stride + long(head) * HEAD;
    const elem *k = kr + long(sequence) * cap * kv_stride + long(head / (heads / kv_heads)) * HEAD;
    elem *to = sc + (long(sequence * heads + head) * seq + first) * context;

    char *keys = shared + QUERY_BYTES;
    auto request = [&](int tile, int stage) {
        int start = tile * KEYS;
        load_heads(keys + stage * KEY_BYTES, k + start * kv_stride, kv_stride, KEYS,
                   min(KEYS, context - start));
    };

    grid_wait();
    grid_launch_next();
    Queries queries;
    load_heads(shared, q, q_stride, QUERIES, rows);
    request(blockIdx.y, 0);
    int stage = 0;
    for (int tile = blockIdx.y; tile < tiles; tile += gridDim.y) {
        loads_arrived<0>();
        __syncthreads();
        if (tile == blockIdx.y) keep_queries(queries, shared);
        // idea overlap: the next keys are under way while these are used and scores written.
        int next = tile + gridDim.y;
        if (STAGES > 1 && next < tiles) request(next, stage ^ 1);
        // end overlap
        Scores scores;
        score_tile(scores, queries, keys + stage * KEY_BYTES);
        store_scores(to + tile * KEYS, context, rows, min(KEYS, context - tile * KEYS), scores,
                     keys + STAGES * KEY_BYTES);
        if (STAGES > 1) stage ^= 1;
        if (STAGES == 1) {
            __syncthreads();
            if (next < tiles) request(next, 0);
        }
    }
}

// pv: att = pr v for every head.
//
//   pr [batch][heads][seq][context], v [batch][cap][kv_heads * HEAD]
//   att [batch * seq][heads * HEAD]
//
// A block takes QUERIES rows of one head and walks over the keys. Beyond the
// causal mask pr holds zeros; they are read and multiplied all the same: the
// kernel does not know where they came from. Bound by reading pr.
//
// Ladder
// Figures: batch 16, 16 heads of 64 over 8 kv heads, 512 tokens, on an H200.
//   naive    a thread per result: pr is read HEAD times, v seq times
//   plain    this file on `tile/attention_plain.cu`: register tiles; 282 us in fp32
//   mma      this file on `tile/attention_mma.cu`: matrix units, the next tiles under
//            way while these are used; 49 us in bf16
//   slabs    two slabs of 16 rows a warp (SLABS 2), 128 queries a block: values are
//            loaded half as often; 46 us

// Shared memory: STAGES times weights and values.
#define PV_STAGE_BYTES (PV_WEIGHT_BYTES + KEY_BYTES)

// Grid: batch * heads * query tiles.
KERNEL void __launch_bounds__(TEAM)
    pv(const elem *pr, const elem *v, elem *att, int batch, int heads, int kv_heads, int seq,
       int context, int cap) {
    extern __shared__ __align__(128) char shared[];
    int parts = (seq + QUERIES - 1) / QUERIES;
    int first = blockIdx.x % parts * QUERIES, rows = min(QUERIES, seq - first);
    int head = blockIdx.x / parts % heads, sequence = blockIdx.x / parts / heads;
    long q_stride = long(heads) * HEAD, kv_stride = long(kv_heads) * HEAD;
    const elem *p = pr + (long(sequence * heads + head) * seq + first) * context;
    const elem *values = v + long(sequence) * cap * kv_stride +
                         long(head / (heads / kv_heads)) * HEAD;
    int tiles = (context + KEYS - 1) / KEYS;

    auto request = [&](int tile) {
        char *stage = shared + tile % STAGES * PV_STAGE_BYTES;
        int start = tile * KEYS, width = min(KEYS, context - start);
        load_weights(stage, p + start, context, rows, width);
        load_heads(stage + PV_WEIGHT_BYTES, values + start * kv_stride, kv_stride, KEYS, width);
    };

    Result result;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < OUTS; j++) result_at(result, i, j) = 0.0f;

    grid_wait();
    grid_launch_next();
    request(0);
    for (int tile = 0; tile < tiles; tile++) {
        loads_arrived<0>();
        __syncthreads();
        if (STAGES > 1 && tile + 1 < tiles) request(tile + 1);
        char *stage = shared + tile % STAGES * PV_STAGE_BYTES;
        Weights weights;
        weights_of_tile(weights, stage);
        weigh_tile(result, weights, stage + PV_WEIGHT_BYTES);
        if (STAGES == 1) {
            __syncthreads();
            if (tile + 1 < tiles) request(tile + 1);
        }
    }
    __syncthreads();

    long to = (long(sequence) * seq + first) * q_stride + long(head) * HEAD;
    store_result(att + to, q_stride, rows, result, shared);
}

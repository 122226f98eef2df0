// block_decode: `count` layers, or a whole forward, for one new token of up to
// eight sequences, in one launch.


KERNEL void __launch_bounds__((WORKERS + BULK_COPIES) * WARP, 1)
    block_decode(const Layer *layers, int count, const int *ids, const elem *table, const elem *x,
                 elem *y, const elem *final_norm, const elem *head, elem *logits, char *exchange,
                 int batch, int width, int heads, int kv_heads, int ffn, int vocab, int cap,
                 int past, float eps, float theta, float scale, int shared_bytes) {
    const Decode d = {layers, count, ids,      table, x,     y,   final_norm, head, logits, batch,
                      width,  heads, kv_heads, ffn,   vocab, cap, past,       eps,  theta,  scale};
    const Exchange e = exchange_at(exchange, d);
    extern __shared__ uint4 shared[];
    char *memory = reinterpret_cast<char *>(shared);

    Block block;
    block.side = block.norm_side = 0;
    block.x_stride = row_offset(batch);
    Share own = share_pairs(width / 2);
    const int chunks = max(cut_columns(width).chunks, cut_columns(ffn).chunks);
    int used = 0;
    auto take = [&](int bytes) {
        char *at = memory + used;
        used += (bytes + 127) / 128 * 128;
        return at;
    };
    block.turns = reinterpret_cast<Turn *>(take(HEAD / 2 * sizeof(Turn)));
    block.squares = reinterpret_cast<float *>(take(2 * WORKERS * batch * sizeof(float)));
    block.residual = reinterpret_cast<float *>(take(2 * own.pairs * batch * sizeof(float)));
    block.partial = reinterpret_cast<float *>(take(2 * WORKERS * PASS_SUMS * sizeof(float)));
    block.x = take(chunks * block.x_stride);
    // Every layer's addresses, so that no phase begins with a trip to memory.
    Layer *near = reinterpret_cast<Layer *>(take(count * sizeof(Layer)));
    for (int i = threadIdx.x; i < int(count * sizeof(Layer) / sizeof(u64)); i += blockDim.x)
        reinterpret_cast<u64 *>(near)[i] = reinterpret_cast<const u64 *>(layers)[i];
#if BULK_COPIES
    // What is left is the ring; two barriers of 8 bytes go with each stage.
    block.ring.count = (shared_bytes - used - 128) / (STAGE_BYTES + 16);
    block.ring.full = reinterpret_cast<Arrival *>(take(16 * block.ring.count));
    block.ring.empty = block.ring.full + block.ring.count;
    block.ring.stages = memory + used;
    block.cursor = {0, 0};
    ring_init(block.ring);
#endif
    for (int i = threadIdx.x; i < HEAD / 2; i += blockDim.x)
        block.turns[i] = rotary_turn(past, i, theta);
    for (int i = threadIdx.x; i < 2 * own.pairs * batch; i += blockDim.x) {
        int sequence = i % batch, column = 2 * own.first + i / batch;
        long row = table ? ids[sequence] : sequence;
        block.residual[i] = widen((table ? table : x)[row * width + column]);
    }
    const u32 epoch = load_device(e.epoch);
    __syncthreads();

#if BULK_COPIES
    if (warp_id() == WORKERS) {
        Cursor at = {0, 0}, behind = {0, 0};
        int asked = 0;
        for (int l = 0; l < count; l++) {
            const Layer &layer = near[l];
            ask_phase<QKV>(d, layer, block.ring, at, behind, asked);
            ask_phase<O>(d, layer, block.ring, at, behind, asked);
            ask_phase<GATE_UP>(d, layer, block.ring, at, behind, asked);
            ask_phase<DOWN>(d, layer, block.ring, at, behind, asked);
        }
        if (head) ask_phase<LOGITS>(d, near[0], block.ring, at, behind, asked);
        return;
    }
#endif

    for (int l = 0; l < count; l++) {
        const Layer &layer = near[l];
        block.tag = epoch + l + 1;
        run_phase<QKV>(d, e, block, layer, layer.norm1, l == 0, false);
        run_attention(d, e, block, layer);
        run_phase<O>(d, e, block, layer, nullptr, false, false);
        run_phase<GATE_UP>(d, e, block, layer, layer.norm2, false, false);
        run_phase<DOWN>(d, e, block, layer, nullptr, false, l + 1 == count);
    }
    block.tag = epoch + count + 1;
    if (head) run_phase<LOGITS>(d, e, block, near[0], final_norm, false, false);

    // The last block out moves the tags on: all others have read them.
    workers_wait(WORKERS * WARP);
    if (threadIdx.x == 0 && add_release(e.exits, 1) == gridDim.x - 1) {
        store_device(e.exits, 0u);
        store_device(e.epoch, epoch + count);
    }
}

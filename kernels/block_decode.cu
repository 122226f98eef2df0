// block_decode: `count` layers, or a whole forward, for one new token of up to
// eight sequences, in one launch.


KERNEL void __launch_bounds__((WORKERS + BULK_COPIES) * WARP, 1)
    block_decode(const Layer *layers, int count, const int *ids, const elem *table, const elem *x,
                 elem *y, const elem *final_norm, const elem *head, elem *logits, char *exchange,
                 int batch, int width, int heads, int kv_heads, int ffn, int vocab, int cap,
                 int past, float eps, float theta, float scale, int shared_bytes) {
    if (threadIdx.x == 0) {
        Common &c = *shared_at<Common>(0);
        c.d = {layers, count, ids,      table, x,     y,   final_norm, head, logits, batch,
               width,  heads, kv_heads, ffn,   vocab, cap, past,       eps,  theta,  scale};
        c.e = exchange_at(exchange, c.d);
        for (int phase = QKV; phase <= LOGITS; phase++)
            c.plan[phase] = plan_product(phase_pairs(c.d, phase), phase_columns(c.d, phase));
        int used = 0;
        auto take = [&](int bytes) {
            int at = used;
            used += (bytes + 127) / 128 * 128;
            return at;
        };
        take(sizeof(Common));
        c.zeros = take(16);
        *shared_at<uint4>(c.zeros) = make_uint4(0, 0, 0, 0);
        c.layers = take(count * sizeof(Layer));
        c.turns = take(HEAD / 2 * sizeof(Turn));
        c.squares = take(2 * WORKERS * batch * sizeof(float));
        c.residual = take(2 * c.plan[O].pairs * batch * sizeof(float));
        c.partial = take(2 * WORKERS * PASS_SUMS * sizeof(float));
        c.x_stride = row_offset(batch);
        c.x = take(max(c.plan[O].segments, c.plan[DOWN].segments) * WORKERS * c.x_stride);
#if BULK_COPIES
        c.full = take(STAGES * PARTS * sizeof(Arrival));
        c.empty = take(STAGES * sizeof(Arrival));
        c.segments = used; // what is left is the ring
        c.slots = (shared_bytes - used) / SLOT_BYTES;
        ring_init(ring_of(c));
#endif
    }
    __syncthreads();
    Layer *near = shared_at<Layer>(common().layers);
    for (int i = threadIdx.x; i < int(count * sizeof(Layer) / sizeof(u64)); i += blockDim.x)
        reinterpret_cast<u64 *>(near)[i] = reinterpret_cast<const u64 *>(layers)[i];
    for (int i = threadIdx.x; i < HEAD / 2; i += blockDim.x)
        shared_at<Turn>(common().turns)[i] = rotary_turn(past, i, theta);
    for (int i = threadIdx.x; i < 2 * common().plan[O].pairs * batch; i += blockDim.x) {
        int sequence = i % batch, column = 2 * common().plan[O].first + i / batch;
        long row = table ? ids[sequence] : sequence;
        shared_at<float>(common().residual)[i] = widen((table ? table : x)[row * width + column]);
    }
    const u32 epoch = load_device(common().e.epoch);
    __syncthreads();

#if BULK_COPIES
    if (warp_id() == WORKERS) {
        const Ring ring = ring_of(common());
        Asker asker = {{0, 0}, 0, ring.slots, 0};
#pragma unroll 1
        for (int step = 0; step < 4 * count + (head ? 1 : 0); step++) {
            int phase = step < 4 * count ? step % 4 : LOGITS;
            ask_phase(near[min(step / 4, count - 1)], phase, ring, asker);
        }
        return;
    }
#endif

    Block block = {epoch + 1, 0, 0};
#pragma unroll 1
    for (int l = 0; l < count; l++, block.tag++) {
        block = run_phase(block, QKV, l, l == 0, false);
        block = run_attention(block, l);
        block = run_phase(block, O, l, false, false);
        block = run_phase(block, GATE_UP, l, false, false);
        block = run_phase(block, DOWN, l, false, l + 1 == count);
    }
    if (head) block = run_phase(block, LOGITS, count - 1, false, false);

    // The last block out moves the tags on: all others have read them.
    workers_wait(WORKERS * WARP);
    if (threadIdx.x == 0 && add_release(common().e.exits, 1) == gridDim.x - 1) {
        store_device(common().e.exits, 0u);
        store_device(common().e.epoch, epoch + count);
    }
}

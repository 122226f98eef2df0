// block_decode: `count` layers, or a whole forward, for one new token of up to
// eight sequences, in one launch.
//
// A decode step multiplies every weight once by a few numbers: time is the bytes of
// the weights over the memory's bandwidth, and every pause of the stream is lost.
// A kernel per op pauses at every launch; a kernel per layer with barriers between
// its phases pauses at every barrier. Here the stream does not stop:
//
// - One warp does nothing but ask for weights, in the order of their use, through a
//   ring in shared memory (`tile/stream.cu`). While the others wait for their
//   inputs, the ring fills.
// - No barrier. Activations pass between blocks as words that carry the number of
//   their layer (`prefix/grid.cu`); a warp waits for the columns it needs itself.
// - What would need a wait is computed by everybody: a norm's factor is applied to
//   the finished sums, and each block knows the residual where it adds to it.
//
//   layers [count] addresses; x, y [batch][width]; ids [batch] and table (or null):
//   the launch begins with the embedding; final_norm, head and logits
//   [batch][vocab] (or null): it ends with them. exchange: zero at first, then in
//   step. The new key and value go to row `past` of the caches. Rows begin on 16
//   bytes. shared_bytes: the dynamic shared memory; what the phases leave is ring.
//
// Ladder (TinyLlama-1.1B, bf16, one token, context 512, whole forward, one H200;
// 2.08 GB, of which a copy would take 485 us)
//   copies of 512 bytes, a body per phase   1668 us: registers spilled to a cache
//                                           that the ring had left no room in
//   most spills removed                     1348
//   copies of up to 4 KB                     987: the copy engine takes 70 cycles
//                                           for each, whatever its size
//   a barrier for four rows, not for one     951 (keys in 2 parts: 867)
//   operands requested before they are used  746
//   a barrier for eight rows, one loop over
//   all phases                               728 (718 beside the next two)
//   a warp's activations stay in registers
//   from tile to tile; nothing is live that
//   need not be                              697
//   whole chunks without a choice per load,
//   exponentials of the hardware             682: this file; a launch per layer 765
//                                           without embedding and head
// What is left is the way of the words from block to block, five times a layer: 2
// to 3 us each, of which 0.5 is the end of a phase. From the new x to the first
// gate and up that is longer than the ring can feed the stream.

KERNEL void LAUNCH_BOUNDS((WORKERS + BULK_COPIES) * WARP, 1)
    block_decode(const Layer *layers, int count, const int *ids, const elem *table, const elem *x,
                 elem *y, const elem *final_norm, const elem *head, elem *logits, char *exchange,
                 int batch, int width, int heads, int kv_heads, int ffn, int vocab, int cap,
                 int past, float eps, float theta, float scale, int shared_bytes) {
    const Decode d = {layers, count, ids,      table, x,     y,   final_norm, head, logits, batch,
                      width,  heads, kv_heads, ffn,   vocab, cap, past,       eps,  theta,  scale};
    Common &c = *shared_at<Common>(0);
    if (threadIdx.x <= LOGITS) {
        int phase = threadIdx.x;
        c.plan[phase] = plan_product(phase_pairs(d, phase), phase_columns(d, phase));
    } else if (threadIdx.x == WARP) { // beside them
        int used = 0;
        auto take = [&](int bytes) {
            int at = used;
            used += (bytes + 127) / 128 * 128;
            return at;
        };
        auto chunks = [](int columns) { return plan_product(0, columns).segments * WORKERS; };
        take(sizeof(Common));
        c.d = d;
        c.e = exchange_at(exchange, d);
        c.zeros = take(16);
        *shared_at<uint4>(c.zeros) = make_uint4(0, 0, 0, 0);
        c.layers = take(count * sizeof(Layer));
        c.turns = take(HEAD / 2 * sizeof(Turn));
        c.squares = take(2 * WORKERS * batch * sizeof(float));
        c.residual = take(2 * plan_product(width / 2, width).pairs * batch * sizeof(float));
        c.partial = take(2 * WORKERS * PASS_SUMS * sizeof(float));
        c.x_stride = row_offset(batch);
        c.x = take(max(chunks(width), chunks(ffn)) * c.x_stride);
#if BULK_COPIES
        c.full = take(STAGES * PARTS * sizeof(Arrival));
        c.empty = take(STAGES * sizeof(Arrival));
        c.segments = used; // what is left is the ring
        c.slots = (shared_bytes - used) / SLOT_BYTES;
#endif
    }
    __syncthreads();
    Layer *near = shared_at<Layer>(c.layers);
    for (int i = threadIdx.x; i < int(count * sizeof(Layer) / sizeof(u64)); i += blockDim.x)
        reinterpret_cast<u64 *>(near)[i] = reinterpret_cast<const u64 *>(layers)[i];
#if BULK_COPIES
    const Ring ring = ring_of(c);
    ring_init(ring);
    __syncthreads();
    // idea asking: the stream of weights waits for nothing but room.
    if (warp_id() == WORKERS) {
        Asker asker = {{0, 0}, 0, ring.slots, 0};
#pragma unroll 1
        for (int step = 0; step < 4 * count + (head ? 1 : 0); step++) {
            int phase = step < 4 * count ? step % 4 : LOGITS;
            ask_phase(near[min(step / 4, count - 1)], phase, ring, asker);
        }
        return;
    }
    // end asking
#endif

    for (int i = threadIdx.x; i < HEAD / 2; i += WORKERS * WARP)
        shared_at<Turn>(c.turns)[i] = rotary_turn(past, i, theta);
    for (int i = threadIdx.x; i < 2 * c.plan[O].pairs * batch; i += WORKERS * WARP) {
        int sequence = i % batch, column = 2 * c.plan[O].first + i / batch;
        long row = table ? ids[sequence] : sequence;
        shared_at<float>(c.residual)[i] = widen((table ? table : x)[row * width + column]);
    }
    const u32 epoch = load_device(c.e.epoch);
    workers_wait(WORKERS * WARP);
    Block block = {epoch + 1, 0, 0};
    // idea one loop: every phase is in the instructions once, or each layer would
    // fetch them anew.
#pragma unroll 1
    for (int step = 0; step < 4 * count + (head ? 1 : 0); step++) {
        int phase = step < 4 * count ? step % 4 : LOGITS, l = min(step / 4, count - 1);
        if (phase == O) run_attention(block, l);
        run_phase(block, phase, l, step == 0, step == 4 * count - 1);
        if (phase == DOWN) block.tag++;
    }
    // end one loop

    // The last block out moves the tags on: all others have read them.
    workers_wait(WORKERS * WARP);
    if (threadIdx.x == 0 && add_release(c.e.exits, 1) == gridDim.x - 1) {
        store_device(c.e.exits, 0u);
        store_device(c.e.epoch, epoch + count);
    }
}

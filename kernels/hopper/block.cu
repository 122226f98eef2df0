// block on Hopper: `count` whole layers, or a whole forward, in one launch, for bf16.
//
// The phases are those of the portable kernel (`block.cu`), the tiles those of
// the Hopper products: each phase has the tile that suits its shape.
//
//   maps: of x, att, h and m as left operands, of head; then of every layer: q, k, v,
//     o, gate, up, down, and the keys and values of each sequence
//   the rest as in `block.cu`; x is input and output
//   partial, partners: sums and counters of blocks that share a tile

typedef Product<QKV_N, false, QKV_SPLIT> Qkv;
typedef Product<OUT_N, false, O_SPLIT> Out;
typedef Product<OUT_N, false, DOWN_SPLIT> Down;
typedef Product<FFN_N, FFN_TURNS, 1> Ffn;

HOPPER_WGMMA(QKV_N)
#if OUT_N != QKV_N
HOPPER_WGMMA(OUT_N)
#endif
#if FFN_N != QKV_N && FFN_N != OUT_N
HOPPER_WGMMA(FFN_N)
#endif

#define LAYER_MAPS 7

// Copies row ids[r] of the table to x (or leaves x as it is), and the row's sum of
// squares to slot 0. A warp per row.
DEVICE void begin_rows(const int *ids, const elem *table, elem *x, float *squares, int rows,
                       int width, int slots) {
    const int warps = CONSUMERS / WARP;
    for (int row = blockIdx.x * warps + warp_id(); row < rows; row += gridDim.x * warps) {
        const elem *from = table ? table + long(ids[row]) * width : x + long(row) * width;
        float sum = 0.0f;
        for (int at = lane_id() * PACK; at < width; at += WARP * PACK) {
            Pack pack = load_pack(from + at);
            if (table) store_pack(x + long(row) * width + at, pack);
#pragma unroll
            for (int i = 0; i < PACK; i++) sum += widen(pack.at[i]) * widen(pack.at[i]);
        }
        sum = warp_sum(sum);
        for (int slot = lane_id(); slot < slots; slot += WARP)
            squares[long(row) * slots + slot] = slot == 0 ? sum : 0.0f;
    }
}

KERNEL void __launch_bounds__(BLOCK_THREADS, 1)
    block(const Layer *layers, int count, const int *ids, const elem *table, elem *x,
          const TensorMap *maps, elem *logits, elem *q, elem *att, elem *h, elem *m, float *sums_x,
          float *sums_h, float4 *partial, u32 *partners, u32 *barrier, int batch, int seq,
          int width, int heads, int kv_heads, int ffn, int vocab, int cap, int past, float eps,
          float theta, float scale) {
    extern __shared__ unsigned char memory[];
    __shared__ float frequencies[HEAD / 2];
    const int rows = batch * seq, kv_width = kv_heads * HEAD;
    const int slots_x = (width + Down::OWN * 2 - 1) / (Down::OWN * 2);
    const int slots_h = (width + Out::OWN * 2 - 1) / (Out::OWN * 2);
    const Split split = {width / 16, (width + kv_width) / 16, (width + 2 * kv_width) / 16};
    const Sight sight = {batch, heads, kv_heads, seq, past};
    const Partners joint = {partial, partners};

    const Deal<Qkv> deal_qkv(rows, (split.all * 16 + Qkv::COLUMNS - 1) / Qkv::COLUMNS, width);
    const Deal<Out> deal_o(rows, (width + Out::COLUMNS - 1) / Out::COLUMNS, width);
    const Deal<Ffn> deal_ffn(rows, (2 * ffn + Ffn::COLUMNS - 1) / Ffn::COLUMNS, width);
    const Deal<Down> deal_down(rows, (width + Down::COLUMNS - 1) / Down::COLUMNS, ffn);
    const Deal<Ffn> deal_logits(rows, (vocab + Ffn::COLUMNS - 1) / Ffn::COLUMNS, width);

    Ring ring = open_ring(memory);
    Gate gate = {barrier, 0};
    if (threadIdx.x == CONSUMERS) gate.before = load_acquire(barrier);
    if (threadIdx.x < HEAD / 2) frequencies[threadIdx.x] = rotary_frequency(threadIdx.x, theta);
    __syncthreads();

    // idea roles: who copies and who multiplies meet at the slots of the ring, and nowhere else
    if (threadIdx.x >= CONSUMERS) {
        registers_give<PRODUCER_REGISTERS>();
        if (warp_id() != CONSUMERS / WARP || !elect()) return;
        gate.before = load_acquire(barrier);
        for (int i = 0; i < 5; i++) map_acquire(maps + i);
        const TensorMap *of_layer = maps + 5;
        for (int l = 0; l < count; l++, of_layer += LAYER_MAPS + 2 * batch) {
            for (int i = 0; i < LAYER_MAPS + 2 * batch; i++) map_acquire(of_layer + i);
            const TensorMap *keys = of_layer + LAYER_MAPS;
            produce<Qkv>(ring, gate, deal_qkv, maps[0], QkvRight<Qkv>{of_layer, split});
            produce_attention(ring, gate, sight, keys, keys + batch);
            produce<Out>(ring, gate, deal_o, maps[1], OneRight<Out>{of_layer + 3});
            produce<Ffn>(ring, gate, deal_ffn, maps[2],
                         HalvesRight<Ffn>{of_layer + 4, of_layer + 5, 0});
            produce<Down>(ring, gate, deal_down, maps[3], OneRight<Down>{of_layer + 6});
        }
        if (logits)
            produce<Ffn>(ring, gate, deal_logits, maps[0],
                         HalvesRight<Ffn>{maps + 4, maps + 4, Ffn::N / 2});
    } else {
        registers_take<CONSUMER_REGISTERS>();
        begin_rows(ids, table, x, sums_x, rows, width, slots_x);
        const Norm norm_x = {sums_x, rows, slots_x, width, eps};
        const Norm norm_h = {sums_h, rows, slots_h, width, eps};
        for (int l = 0; l < count; l++) {
            consumers_pass(barrier);
            consume(ring, deal_qkv, joint,
                    QkvStore<Qkv>{norm_x, split, frequencies, q, layers[l].keys, layers[l].values,
                                  seq, cap, past, width, kv_width});
            consumers_pass(barrier);
            consume_attention(ring, sight, q, att, scale);
            consumers_pass(barrier);
            consume(ring, deal_o, joint, ResidualStore<Out>{x, h, sums_h, rows, width, slots_h});
            consumers_pass(barrier);
            consume(ring, deal_ffn, joint, SwigluStore<Ffn>{norm_h, m, ffn});
            consumers_pass(barrier);
            consume(ring, deal_down, joint,
                    ResidualStore<Down>{h, x, sums_x, rows, width, slots_x});
        }
        if (!logits) return;
        consumers_pass(barrier);
        consume(ring, deal_logits, joint, LogitsStore<Ffn>{norm_x, logits, vocab});
    }
    // end roles
}

// block on Hopper: `count` whole layers, or a whole forward, in one launch, for bf16.
//
// The phases are those of the portable kernel (`block.cu`), the tiles those of
// the Hopper products: each phase has the tile that suits its shape.
//
//   maps: of x, att, h and m as left operands, of head; then of every layer: q, k, v,
//     o, gate, up, down, and the keys and values of each sequence
//   the rest as in `block.cu`; x is input and output
//   partial, partners: sums and counters of blocks that share a tile
//   begun: x and its sums are there, left by the launch in front
//
// Ladder (one H200, whole forward, us; in brackets the five kernels of a graph):
//   phases with a tile each, one code        TinyLlama-1.1B, 512 tokens: 2589 (1993), 128
//                                            tokens: 1710 (1337); medium B16 S512 6170
//                                            (5521). 276 KB of instructions: they no longer
//                                            fit the caches, every phase fetches its own
//   no unrolled loops round products         2360, 1290
//   divisions by a factor, o and down one
//   code, orders of weights run ahead of the
//   gate; slots that take two steps          2040, 1257
//   partners end rows, not columns: fewer
//   sums of squares to read                  2045, 1182
//   a group's two products of attention one
//   after the other; gate and up in turns    medium 5771
// One new token of 32 sequences, context 512: 1375, at last 1218 (the five kernels 1614).
// From here on measured in turns with the rung above, in a harness of their own:
//   40 and 232 registers, addresses of
//   shared memory as numbers, no queries
//   asked for ahead: room for tiles of
//   128 x 192 of gate and up in turns, and
//   128 x 256 of o and down                  medium 6039 -> 5764 (the card throttles there)
//   teams: the blocks of a sequence wait
//   for one another only                     workshop B8 S128 81.3 -> 75.7, small 264 -> 245
//   arrival and wait at the gate apart, the
//   next task decoded in between; a tile of
//   attention for each block                 both of them before that: 83.9, 261
//   tiles of 64 rows for narrow products     workshop 72.6 (the five kernels 78)
//   the same where all blocks share a prompt D256, one prompt of 128 tokens 72 -> 64
//   a launch per layer: the next one may
//   begin while this one ends                workshop, V4 as a graph 80.7 -> 78.5
//
// Tried and not kept:
//   clusters of 16 as teams   a gate in shared memory takes 1,270 cycles where a counter
//                             takes 1,480, but an H200 holds 7 such clusters at once: eight
//                             sequences go round twice, 147 us for 84
//   partners in a cluster     sums through each other's shared memory: 512 tokens in 2158,
//                             through memory 2085, tiles half as wide unshared 2021
//   weights asked for before  15 KB more code, which every phase pays for: small 243 -> 281
//   the launch in front ends
//   one team of fewer blocks  nothing: 63.5 to 65.9 us with 32 to 120, 64.2 with all
//   phases as functions       the compiler makes every product wait (C7510)

typedef Product<QKV_N, QKV_TURNS, QKV_SPLIT> Qkv;
typedef Product<OUT_N, false, OUT_SPLIT> Out;
typedef Product<FFN_N, FFN_TURNS, 1> Ffn;

HOPPER_WGMMA(QKV_N)
#if OUT_N != QKV_N
HOPPER_WGMMA(OUT_N)
#endif
#if FFN_N != QKV_N && FFN_N != OUT_N
HOPPER_WGMMA(FFN_N)
#endif

#define LAYER_MAPS 7

// The sizes, and what follows from them. Made anew for every phase: kept, they would take
// registers from the sums.
struct Sizes {
    int first, rows; // a team's first row, and the one after its last
    int seq, width, kv_width, ffn, vocab;

    __device__ __forceinline__ Split split() const {
        return {width / 16, (width + kv_width) / 16, (width + 2 * kv_width) / 16};
    }
    // Of the sums of squares of a row, in fours.
    __device__ __forceinline__ int slots() const { return tiles(width, Out::SUMS * 8) * 4; }
    static __device__ __forceinline__ int tiles(int all, int each) { return (all + each - 1) / each; }

    template <class P> __device__ __forceinline__ Deal<P> deal(int columns, int k) const {
        return Deal<P>(first, rows - first, tiles(columns, P::COLUMNS), k);
    }
    __device__ __forceinline__ Deal<Qkv> qkv() const { return deal<Qkv>(width + 2 * kv_width, width); }
    // o, and down.
    __device__ __forceinline__ Deal<Out> out(int half) const {
        return deal<Out>(width, half ? ffn : width);
    }
    __device__ __forceinline__ Deal<Ffn> swiglu() const { return deal<Ffn>(2 * ffn, width); }
    __device__ __forceinline__ Deal<Ffn> logits() const { return deal<Ffn>(vocab, width); }
};

// Copies row ids[r] of the table to x (or leaves x as it is), and the row's sum of
// squares to slot 0. A warp per row.
DEVICE void begin_rows(const int *ids, const elem *table, elem *x, float *squares, int first,
                       int rows, int width, int slots) {
    const int warps = CONSUMERS / WARP;
#pragma unroll 1
    for (int row = first + team_rank() * warps + warp_id(); row < rows; row += team_blocks() * warps) {
        const elem *from = table ? table + long(ids[row]) * width : x + long(row) * width;
        float sum = 0.0f;
#pragma unroll 1
        for (int at = lane_id() * PACK; at < width; at += WARP * PACK) {
            Pack pack = load_pack(from + at);
            if (table) store_pack(x + long(row) * width + at, pack);
#pragma unroll
            for (int i = 0; i < PACK; i++) sum += widen(pack.at[i]) * widen(pack.at[i]);
        }
        sum = warp_sum(sum);
#pragma unroll 1
        for (int slot = lane_id(); slot < slots; slot += WARP)
            squares[long(row) * slots + slot] = slot == 0 ? sum : 0.0f;
    }
}

KERNEL void __launch_bounds__(BLOCK_THREADS, 1)
    block(const Layer *layers, int count, const int *ids, const elem *table, elem *x,
          const TensorMap *maps, elem *logits, elem *q, elem *att, elem *h, elem *m, float *sums_x,
          float *sums_h, float4 *partial, u32 *partners, u32 *barrier, int batch, int seq,
          int width, int heads, int kv_heads, int ffn, int vocab, int cap, int past, float eps,
          float theta, float scale, int begun) {
    extern __shared__ unsigned char memory[];
    __shared__ float frequencies[HEAD / 2];
    const int each = TEAM ? TEAM_SEQUENCES : batch, from = team_index() * each;
    const int mine = min(each, batch - from); // sequences
    if (mine <= 0) return; // blocks that make no whole team
    auto sight = [&] {
        return Sight{size_anew(from), size_anew(mine), size_anew(heads), size_anew(kv_heads),
                     size_anew(seq), size_anew(past)};
    };
    auto sizes = [&] {
        return Sizes{size_anew(from * seq), size_anew((from + mine) * seq), size_anew(seq),
                     size_anew(width), size_anew(kv_heads) * HEAD, size_anew(ffn), size_anew(vocab)};
    };
    Ring ring = open_ring(memory);
    const Partners joint = {partial, partners, each * seq};
    if (threadIdx.x < HEAD / 2) frequencies[threadIdx.x] = rotary_frequency(threadIdx.x, theta);
#if CLOCKS
    if (threadIdx.x == 0) stamped = 0;
#endif
    // What was done so far needs nothing of the launch in front; the gate has its last turns.
    grid_wait();
    grid_launch_next();
    Gate gate(barrier);
    __syncthreads();

    // idea roles: who copies and who multiplies meet at the slots of the ring, and nowhere else
    if (threadIdx.x >= CONSUMERS) {
        registers_give<GIVE>();
        if (warp_id() != CONSUMERS / WARP || !elect()) return;
        const TensorMap *of_layer = maps + 5;
#pragma unroll 1
        for (int l = 0; l < count; l++, of_layer += LAYER_MAPS + 2 * batch) {
            const TensorMap *keys = of_layer + LAYER_MAPS;
            Sizes s = sizes();
            produce(ring, gate, s.qkv(), maps[0], QkvRight<Qkv>{of_layer, s.split()},
                    l > 0 || !begun);
            produce_attention(ring, gate, sight(), keys, keys + batch);
            // o and down: one code, to be fetched once.
#pragma unroll 1
            for (int half = 0; half < 2; half++) {
                if (half == 1)
                    produce(ring, gate, sizes().swiglu(), maps[2],
                            HalvesRight<Ffn>{of_layer + 4, of_layer + 5, 0});
                produce(ring, gate, sizes().out(half), maps[1 + half * 2],
                        OneRight<Out>{of_layer + 3 + half * 3});
            }
        }
        if (logits)
            produce(ring, gate, sizes().logits(), maps[0],
                    HalvesRight<Ffn>{maps + 4, maps + 4, Ffn::N / 2});
    } else {
        registers_take<TAKE>();
        if (!begun) {
            Sizes s = sizes();
            begin_rows(ids, table, x, sums_x, s.first, s.rows, width, s.slots());
        }
        auto norm = [&](const Sizes &s, const float *squares, int slots) {
            return Norm{squares, s.rows, slots, s.width, eps, {}};
        };
#pragma unroll 1
        for (int l = 0; l < count; l++) {
            if (l > 0 || !begun) gate.consumers_arrive();
            Sizes s = sizes();
            consume(ring, gate, s.qkv(), joint,
                    QkvStore<Qkv>{norm(s, sums_x, s.slots()), s.split(), frequencies, q,
                                  layers[l].keys, layers[l].values, s.seq, cap, past, s.width,
                                  s.kv_width},
                    l > 0 || !begun);
            gate.consumers_arrive();
            consume_attention(ring, gate, sight(), q, att, scale);
#pragma unroll 1
            for (int half = 0; half < 2; half++) {
                if (half == 1) {
                    gate.consumers_arrive();
                    s = sizes();
                    consume(ring, gate, s.swiglu(), joint,
                            SwigluStore<Ffn>{norm(s, sums_h, s.slots()), m, s.ffn});
                }
                gate.consumers_arrive();
                s = sizes();
                consume(ring, gate, s.out(half), joint,
                        ResidualStore<Out>{half ? h : x, half ? x : h, half ? sums_x : sums_h, s.rows,
                                           s.width, s.slots()});
            }
        }
        if (!logits) return;
        gate.consumers_arrive();
        Sizes s = sizes();
        consume(ring, gate, s.logits(), joint,
                LogitsStore<Ffn>{norm(s, sums_x, s.slots()), logits, s.vocab});
    }
    // end roles
}

// The protocol of Hopper's one-launch kernel without the model round it, small enough to
// be executed by the SIMT machine: ring, roles, turns, partners and the grid's barrier are
// the very files of `hopper/block.cu` (`tile/block_ring.cu`, `tile/block_products.cu`,
// `tile/block_epilogues.cu`), and so is the order of what the two sides do in a layer.
//
// `layers` times: b = a * w1^T + a, then a = b * w2^T + b. The first product has partners
// (OUT_SPLIT), as o and down; in the second the groups may take turns (FFN_TURNS), as in
// gate and up. What both read was written by other blocks in the phase before, in memory
// that is written anew in every layer.
//
// Teams (TEAM) have `each` rows of their own, whole tiles: what a last tile reads of the next
// team's rows is not ordered (`produce`). Attention is not here: it waits at the same gate
// and for the same slots, in code of its own; `selftest` on a device executes it.
//
//   maps: of a and b as left operands, of w1 and w2
//   squares: [2][rows][slots], partial, partners, barrier: as in `hopper/block.cu`

typedef Product<OUT_N, false, OUT_SPLIT> Out;
typedef Product<FFN_N, FFN_TURNS, 1> Ffn;

HOPPER_WGMMA(OUT_N)
#if FFN_N != OUT_N
HOPPER_WGMMA(FFN_N)
#endif

KERNEL void __launch_bounds__(BLOCK_THREADS, 1)
    ring(const TensorMap *maps, elem *a, elem *b, float *squares, float4 *partial, u32 *partners,
         u32 *barrier, int rows, int each, int width, int layers) {
    extern __shared__ unsigned char memory[];
    const Partners joint = {partial, partners, each};
    const int from = team_index() * each, mine = min(each, rows - from);
    auto tiles = [&](int each) { return (width + each - 1) / each; };
    auto out = [&] { return Deal<Out>(from, mine, tiles(Out::COLUMNS), width); };
    auto ffn = [&] { return Deal<Ffn>(from, mine, tiles(Ffn::COLUMNS), width); };
    Ring ring = open_ring(memory);
    Gate gate(barrier);
    __syncthreads();

    if (threadIdx.x >= CONSUMERS) {
        registers_give<56>();
        if (warp_id() != CONSUMERS / WARP || !elect()) return;
#pragma unroll 1
        for (int l = 0; l < layers; l++) {
            produce(ring, gate, out(), maps[0], OneRight<Out>{maps + 2}, l > 0);
            produce(ring, gate, ffn(), maps[1], OneRight<Ffn>{maps + 3});
        }
    } else {
        registers_take<224>();
        const int slots_out = tiles(Out::SUMS * 8) * 4, slots_ffn = tiles(Ffn::SUMS * 8) * 4;
#pragma unroll 1
        for (int l = 0; l < layers; l++) {
            if (l > 0) gate.consumers_arrive();
            consume(ring, gate, out(), joint,
                    ResidualStore<Out>{a, b, squares, from + mine, width, slots_out}, l > 0);
            gate.consumers_arrive();
            consume(ring, gate, ffn(), joint,
                    ResidualStore<Ffn>{b, a, squares + long(rows) * slots_out, from + mine, width,
                                       slots_ffn});
        }
    }
}

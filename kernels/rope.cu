// rope: turns every pair of columns (i, i + HEAD / 2) of each query and key head
// by the angle position * theta^(-2 i / HEAD), position = past + s.
//
//   q, qr [rows][heads * HEAD], k [rows][kv_heads * HEAD]
//   kr [batch][cap][kv_heads * HEAD]: the cache; token s goes to row past + s
//   heads or kv_heads may be 0: queries and keys in launches of their own
//
// All heads of a token share HEAD / 2 angles. Counted in PTX, a pair's frequency (powf) is
// some 130 instructions, its cosine and sine some 60 (in bf16, by the hardware's, a dozen),
// the turn itself four: so a block takes a whole token, makes the angles once, in shared
// memory, and every head uses them.
//
// Ladder
//   naive      a thread per pair makes its own angle: bound by arithmetic, not memory
//   shared     the angles of a token made once, 16 bytes a lane: this file; 3.6 TB/s
//              for 36 heads of 64 in bf16 (H200)

DEVICE void turn_head(const elem *from, elem *to, int pack, const Turn *turns) {
    Pack first = load_pack(from + pack * PACK);
    Pack second = load_pack(from + HEAD / 2 + pack * PACK);
    Pack out_first, out_second;
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        Turn turn = turns[pack * PACK + e];
        float a = widen(first.at[e]), b = widen(second.at[e]);
        out_first.at[e] = narrow(turn_first(a, b, turn));
        out_second.at[e] = narrow(turn_second(a, b, turn));
    }
    store_pack(to + pack * PACK, out_first);
    store_pack(to + HEAD / 2 + pack * PACK, out_second);
}

KERNEL void rope(const elem *q, const elem *k, elem *qr, elem *kr, int rows, int heads,
                 int kv_heads, int seq, int cap, int past, float theta) {
    __shared__ Turn turns[HEAD / 2];
    int row = blockIdx.x;

    // idea angles-once: one angle per pair of columns serves every head of the token.
    for (int pair = threadIdx.x; pair < HEAD / 2; pair += blockDim.x)
        turns[pair] = rotary_turn(past + row % seq, pair, theta);
    __syncthreads();
    // end angles-once

    grid_wait();
    grid_launch_next();
    const int packs = HEAD / 2 / PACK;
    long place = cache_row(row, seq, cap, past);
    for (int at = threadIdx.x; at < (heads + kv_heads) * packs; at += blockDim.x) {
        int head = at / packs, pack = at % packs;
        if (head < heads) {
            long from = (long(row) * heads + head) * HEAD;
            turn_head(q + from, qr + from, pack, turns);
        } else {
            head -= heads;
            turn_head(k + (long(row) * kv_heads + head) * HEAD,
                      kr + (place * kv_heads + head) * HEAD, pack, turns);
        }
    }
}

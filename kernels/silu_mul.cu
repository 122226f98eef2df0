// silu_mul: m = silu(g) * u, the gate of the feed-forward. Apart, silu and mul
// move 5 tensors (g, sg, sg again, u, m); together 3.
//
//   g, u, m [n]
//
// silu(g) stays in fp32 until it is multiplied: one rounding in place of two.
//
// Ladder
//   apart      silu, then mul: 65 + 94 us for 2^26 elements in bf16 (H200)
//   fused      exact exponential and division: 110 us, waiting for arithmetic
//   approx     in bf16 the machine's exponential and division: this file; 95 us

KERNEL void silu_mul(const elem *g, const elem *u, elem *m, long n) {
    grid_wait();
    grid_launch_next();
    for (long at = first_pack(); at * PACK < n; at += pack_step()) {
        Pack gate = vector_load(g, at, n), up = vector_load(u, at, n);
        // idea kept-inside: silu(g) lives in a register for one multiplication.
#pragma unroll
        for (int e = 0; e < PACK; e++)
            gate.at[e] = narrow(silu_of(widen(gate.at[e])) * widen(up.at[e]));
        // end kept-inside
        vector_store(m, at, n, gate);
    }
}

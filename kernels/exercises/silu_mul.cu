// silu and mul in one kernel.
//
//   m[i] = silu(g[i]) * u[i],   silu(v) = v / (1 + exp(-v)),   i < n
//
// g, u, m: n floats each. Blocks of 256 threads, one thread an element, as many
// blocks as n needs.
//
// model   3 n x 4 B: g and u are read once, m is written once; one launch.

KERNEL void silu_mul(const float *__restrict__ g, const float *__restrict__ u,
                     float *__restrict__ m, long n) {
// gap index: `long i`, the element of this thread, counted over all blocks
#if WRONG == 1 // C3 one_block: Every block starts at element 0 again, so everything behind the
//~ first block is never made. The block's number belongs into the index.
    long i = threadIdx.x;
#elif WRONG == 2 // C5 scattered: The values are right, but neighbouring lanes touch elements that
//~ lie a whole grid apart, so each lane pulls a sector of its own. Neighbouring threads take
//~ neighbouring elements.
    long i = threadIdx.x * long(gridDim.x) + blockIdx.x;
#else
    long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
#endif
// gap mask: threads whose element does not exist leave
#if WRONG == 3 // C4 last_one: The thread of element n goes on, and there is no element n: indices
//~ end at n - 1.
    if (i > n) return;
#elif WRONG == 4 // C2 no_tail: Only whole packs of four are made. Where n is no multiple of four,
//~ the last elements are never written: a pack needs a tail.
    if (i >= n / 4 * 4) return;
#else
    if (i >= n) return;
#endif
// gap value: `float value`, what m[i] is to be
#if WRONG == 5 // C5 third_read: One operand is read twice. It is in a register after the first
//~ read; compute with that.
    volatile const float *gate = g;
    float value = gate[i] / (1.0f + expf(-gate[i])) * u[i];
#elif WRONG == 6 // C2 sign: The exponent has the wrong sign: silu(v) is v / (1 + exp(-v)), which
//~ goes to v for large v and to 0 for very negative v.
    float gate = g[i];
    float value = gate / (1.0f + expf(gate)) * u[i];
#else
    float gate = g[i];
    float value = gate / (1.0f + expf(-gate)) * u[i];
#endif
// gap store: put it where it belongs
#if WRONG == 7 // C4 added: m is read before anything was written to it. Nothing is to be added up
//~ here: store the value.
    m[i] += value;
#elif WRONG == 8 // C3 lane: The lane's number counts within a warp, so all warps of a block write
//~ the same places. Use the index over all blocks.
    m[blockIdx.x * long(blockDim.x) + lane_id()] = value;
#else
    m[i] = value;
#endif
}

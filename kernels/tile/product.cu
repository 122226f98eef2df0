// The main loop of a product, the same for FMA and matrix units: stages of both
// operands travel from global to shared memory by themselves (cp.async) while
// the stage that arrived before is multiplied.
//
// -D ALIGNED=0 for rows that do not begin on 16 bytes (k not a multiple of
// PACK): then elements are copied one by one.

#ifndef ALIGNED
#define ALIGNED 1
#endif

// Requests elements at, at + 1, ... (16 bytes) of `row`; zeros beyond k.
DEVICE void copy_chunk(char *to, const elem *row, int at, int k) {
#if ALIGNED
    cp_async(to, at < k ? row + at : row, at < k);
#else
    Pack pack;
    for (int e = 0; e < PACK; e++) pack.at[e] = at + e < k ? row[at + e] : narrow(0.0f);
    *reinterpret_cast<Pack *>(to) = pack;
#endif
}

// What one thread copies of every stage: one chunk of every ROWS_AT_ONCE-th row.
template <class T> struct Sources {
    static constexpr int ROWS_AT_ONCE = T::threads / TILE_CHUNKS;
    static constexpr int A = T::M / ROWS_AT_ONCE, B = T::N / ROWS_AT_ONCE;
    static_assert(A * ROWS_AT_ONCE == T::M && B * ROWS_AT_ONCE == T::N && A > 0 && B > 0,
                  "every thread copies whole rows' chunks");
    const elem *a[A], *b[B];
    int k, chunk;
    char *to; // in the first stage
};

// Rows of `a` beyond the `rows` that exist: the last one, whose sums nobody stores.
template <class T, class Columns>
DEVICE Sources<T> sources(const elem *a, int rows, const Columns &columns, int k, char *shared) {
    Sources<T> from;
    const int row = threadIdx.x / TILE_CHUNKS;
#pragma unroll
    for (int i = 0; i < Sources<T>::A; i++)
        from.a[i] = a + long(min(row + i * Sources<T>::ROWS_AT_ONCE, rows - 1)) * k;
#pragma unroll
    for (int i = 0; i < Sources<T>::B; i++)
        from.b[i] = weight_row<T>(columns, row + i * Sources<T>::ROWS_AT_ONCE, k);
    from.k = k;
    from.chunk = threadIdx.x % TILE_CHUNKS * PACK;
    from.to = shared + swizzled(row, threadIdx.x % TILE_CHUNKS);
    return from;
}

// Requests the elements of step `step` of A, or of the weights, into stage `stage`.
template <class T> DEVICE void load_a(const Sources<T> &from, int step, int stage) {
    const int PASS = Sources<T>::ROWS_AT_ONCE * TILE_ROW_BYTES;
    char *to = from.to + stage * T::stage_bytes;
#pragma unroll
    for (int i = 0; i < Sources<T>::A; i++)
        copy_chunk(to + i * PASS, from.a[i], step * T::k_step + from.chunk, from.k);
}
template <class T> DEVICE void load_b(const Sources<T> &from, int step, int stage) {
    const int PASS = Sources<T>::ROWS_AT_ONCE * TILE_ROW_BYTES;
    char *to = from.to + stage * T::stage_bytes + T::M * TILE_ROW_BYTES;
#pragma unroll
    for (int i = 0; i < Sources<T>::B; i++)
        copy_chunk(to + i * PASS, from.b[i], step * T::k_step + from.chunk, from.k);
}

// Computes the tile whose rows begin at `a` (of which `rows` exist) and returns
// its sums: T::M rows of T::stride floats in `shared`, visible to the whole block.
// `shared` is T::product_bytes, aligned to 128 bytes, and nobody uses it any more.
// `meanwhile()` runs once when the first stages have been requested, `at_end()` when
// the sums have left the registers: the places to fetch what the epilogue will want.
template <class T, class Columns, class Meanwhile, class AtEnd = Nothing>
DEVICE float *product(const elem *a, int rows, const Columns &columns, int k, char *shared,
                      Meanwhile meanwhile, AtEnd at_end = AtEnd()) {
    const Sources<T> from = sources<T>(a, rows, columns, k, shared);
    const int steps = tiles_over(k, T::k_step);

    // idea early start: weights depend on no other kernel, so that the first of them
    // are requested while the kernel in front ends.
#pragma unroll
    for (int step = 0; step < T::stages - 1; step++)
        if (step < steps) load_b<T>(from, step, step);
    grid_wait();
    // end early start
    // No grid_launch_next: the next kernel's blocks would crowd on the multiprocessors
    // that are free first (products of 512 rows took a quarter longer together).

    // idea pipeline: copies run stages - 1 steps ahead of the arithmetic.
#pragma unroll
    for (int step = 0; step < T::stages - 1; step++) {
        if (step < steps) load_a<T>(from, step, step);
        cp_async_commit();
    }
    meanwhile();
    Accumulators<T> acc = {};
    int reading = 0, writing = T::stages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        cp_async_wait<T::stages - 2>();
        __syncthreads(); // this stage has arrived; the one before has been read by all
        const int ahead = step + T::stages - 1;
        if (ahead < steps) load_a<T>(from, ahead, writing), load_b<T>(from, ahead, writing);
        cp_async_commit();
        const char *stage = shared + reading * T::stage_bytes;
        multiply_stage<T>(acc, stage, stage + T::M * TILE_ROW_BYTES);
        reading = reading + 1 == T::stages ? 0 : reading + 1;
        writing = writing + 1 == T::stages ? 0 : writing + 1;
    }
    // end pipeline

    cp_async_wait<0>();
    float *sums = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int slice = 0; slice < T::slices; slice++) {
        __syncthreads(); // the last stage has been read: the sums may take its place
        if (warp_slice<T>() == slice) store_sums<T>(sums, acc, slice > 0);
    }
    at_end();
    __syncthreads();
    return sums;
}

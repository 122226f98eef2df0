// The main loop of a product, the same for FMA and matrix units: stages of both
// operands travel from global to shared memory by themselves (cp.async) while
// the stage that arrived before is multiplied.
//
// -D ALIGNED=0 for rows that do not begin on 16 bytes (k not a multiple of
// PACK): then elements are copied one by one.

#ifndef ALIGNED
#define ALIGNED 1
#endif

// Requests elements at, at + 1, ... (16 bytes) of `row`; zero beyond its end and
// where there is no row. `tensor` is any address that may be named.
DEVICE void copy_chunk(char *to, const elem *row, const elem *tensor, int at, int k) {
    bool valid = row != nullptr && at < k;
#if ALIGNED
    cp_async(to, valid ? row + at : tensor, valid);
#else
    Pack pack;
    for (int e = 0; e < PACK; e++) pack.at[e] = valid && at + e < k ? row[at + e] : narrow(0.0f);
    *reinterpret_cast<Pack *>(to) = pack;
#endif
}

// Requests one stage: elements at ... at + K_STEP of T::M rows of `a` (of which
// `rows` exist) and of T::N weight rows.
template <class T, class Columns>
DEVICE void load_stage(char *stage, const elem *a, int rows, const Columns &columns, int at,
                       int k) {
    const int AT_ONCE = T::threads / TILE_CHUNKS; // rows
    const int row = threadIdx.x / TILE_CHUNKS, chunk = threadIdx.x % TILE_CHUNKS;
    at += chunk * PACK;
#pragma unroll
    for (int r = row; r < T::M; r += AT_ONCE)
        copy_chunk(stage + swizzled(r, chunk), r < rows ? a + long(r) * k : nullptr, a, at, k);
    stage += T::M * TILE_ROW_BYTES;
#pragma unroll
    for (int c = row; c < T::N; c += AT_ONCE)
        copy_chunk(stage + swizzled(c, chunk), weight_row<T>(columns, c, k), a, at, k);
}

// Computes the tile whose rows begin at `a` (of which `rows` exist) and returns
// its sums: T::M rows of T::stride floats in `shared`, visible to the whole block.
// `shared` is T::product_bytes, aligned to 128 bytes, and nobody uses it any more.
// `meanwhile()` runs once when the first stages have been requested: the place to
// fetch what the epilogue will want.
template <class T, class Columns, class Meanwhile>
DEVICE float *product(const elem *a, int rows, const Columns &columns, int k, char *shared,
                      Meanwhile meanwhile) {
    Accumulators<T> acc = {};
    const int steps = tiles_over(k, T::k_step);

    // idea pipeline: copies run STAGES - 1 steps ahead of the arithmetic.
    for (int step = 0; step < T::stages - 1; step++) {
        if (step < steps)
            load_stage<T>(shared + step * T::stage_bytes, a, rows, columns, step * T::k_step, k);
        cp_async_commit();
    }
    meanwhile();
    int reading = 0, writing = T::stages - 1;
    for (int step = 0; step < steps; step++) {
        cp_async_wait<T::stages - 2>();
        __syncthreads(); // this stage has arrived; the one before has been read by all
        int ahead = step + T::stages - 1;
        if (ahead < steps)
            load_stage<T>(shared + writing * T::stage_bytes, a, rows, columns, ahead * T::k_step,
                          k);
        cp_async_commit();
        const char *stage = shared + reading * T::stage_bytes;
        multiply_stage<T>(acc, stage, stage + T::M * TILE_ROW_BYTES);
        reading = reading + 1 == T::stages ? 0 : reading + 1;
        writing = writing + 1 == T::stages ? 0 : writing + 1;
    }
    // end pipeline

    cp_async_wait<0>();
    __syncthreads(); // the last stage has been read: the sums may take its place
    float *sums = reinterpret_cast<float *>(shared);
    store_sums<T>(sums, acc);
    __syncthreads();
    return sums;
}

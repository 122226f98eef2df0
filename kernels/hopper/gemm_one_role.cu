// The same product on Hopper with no division of labour: every warp multiplies,
// and one thread among them also asks the copy engine for the stages to come.
// c[r][o] = sum over i of a[r][i] * w[o][i]; arguments and results as hopper/gemm.cu.
// A block makes one tile. The main loop is all there is to see; what a producer
// warp of its own and persistent blocks add is in tile/gemm_hopper.cu.
//
// 84 to 98 % of a library's product where its tile suits the shape: what it lacks is
// in the table of hopper/gemm.cu. It is quicker than the one with roles only where a
// block has four steps to do: 1024 x 256 x 256 takes 3.2 us on an H200 against 3.4.

DEVICE void request_step(const Ring &ring, const TensorMap &a, const TensorMap &w,
                         const Tile &tile, int step) {
    int slot = step % STAGES;
    barrier_expect(&ring.full[slot], BYTES_A + BYTES_B);
    tma_load(ring.a + slot * BYTES_A, a, &ring.full[slot], step * STEP_K, tile.m * TILE_M);
    tma_load(ring.b + slot * BYTES_B, w, &ring.full[slot], step * STEP_K, tile.n * TILE_N);
}

KERNEL void __launch_bounds__(CONSUMERS, 1)
    gemm_one_role(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, elem *c,
                  int m, int n, int k, int seq, int cap, int past) {
    extern __shared__ unsigned char memory[];
    Ring ring = open_ring(memory);
    start_ring(ring);
    int tiles_m = (m + TILE_M - 1) / TILE_M;
    int tiles_n = (n + TILE_N - 1) / TILE_N;
    int steps = (k + STEP_K - 1) / STEP_K;
    Tile tile = tile_at(blockIdx.x, tiles_m, tiles_n);

    // idea requests: one thread asks for the first stages; the others go straight to waiting
    if (warp_id() == 0 && elect())
        for (int step = 0; step < min(STAGES - 1, steps); step++)
            request_step(ring, a, w, tile, step);
    // end requests

    float sums[PARTS][SUMS];
    for (int step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.slot], ring.phase);

        // idea products: four products of 16 along k per stage, issued together, waited for later
        u64 a_at = tile_descriptor(ring.a + ring.slot * BYTES_A) + warp_id() / 4 * PARTS * 512;
        u64 b_at = tile_descriptor(ring.b + ring.slot * BYTES_B);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < STEP_K / 16; i++)
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                Wgmma<TILE_N>::add(sums[part], a_at + part * 512 + i * 2, b_at + i * 2,
                                   step + i > 0);
        wgmma_commit();
        // end products

        // idea reuse: once everybody is done with the stage before, it takes the next request
        wgmma_wait<1>();
        __syncthreads();
        int next = step + STAGES - 1;
        if (next < steps && warp_id() == 0 && elect()) request_step(ring, a, w, tile, next);
        // end reuse
        ring.next();
    }
    wgmma_wait<0>();
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        wgmma_settle(sums[part]);
        StoreRows{c, m, n, seq, cap, past}.store(tile, part, sums[part]);
    }
}

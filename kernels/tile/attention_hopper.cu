// The products of an attention tile on `wgmma` (sm_90a). A warpgroup of four warps
// takes 64 queries; the units read queries, keys and values from shared memory by
// themselves, and the scores of the next tile are made while the threads are at the
// exponentials of this one.

HOPPER_WGMMA(KEYS)
HOPPER_WGMMA_HELD(HEAD)

// Waits for this thread's loads but the LATER newest, and shows them to the matrix
// units, which do not see ordinary writes by themselves.
template <int LATER> DEVICE void loads_arrived() {
    cp_async_wait<LATER>();
    units_see_writes();
}

// Panels of 64 columns lie one after another.
#define PANEL_BYTES(rows) ((rows) * TILE_ROW_BYTES)

// The queries stay in shared memory: a descriptor of the warpgroup's 64 rows.
struct Queries {
    u64 tile;
};
DEVICE void keep_queries(Queries &queries, const void *shared) {
    const char *q = static_cast<const char *>(shared);
    queries.tile = tile_descriptor(q + slab_row(0) / 64 * 64 * TILE_ROW_BYTES);
}

// Begins scores = q * k over the head; scores_made waits for it.
DEVICE void score_tile(Scores &scores, const Queries &queries, const void *keys) {
    u64 right = tile_descriptor(keys);
    auto &sums = reinterpret_cast<float (&)[KEYS / 2]>(scores.value);
    wgmma_fence();
#pragma unroll
    for (int d = 0; d < HEAD / 16; d++) {
        int panel = d / 4, step = 2 * (d % 4); // in units of 16 bytes
        Wgmma<KEYS>::add(sums, queries.tile + panel * (PANEL_BYTES(QUERIES) >> 4) + step,
                         right + panel * (PANEL_BYTES(KEYS) >> 4) + step, d > 0);
    }
    wgmma_commit();
}
DEVICE void scores_made(Scores &scores) {
    wgmma_wait<0>();
    wgmma_settle(reinterpret_cast<float (&)[KEYS / 2]>(scores.value));
}

// result += weights * values over the keys of the tile. A step takes 16 keys: 16
// rows of every panel.
DEVICE void weigh_tile(Result &result, Weights &weights, const void *values) {
    u64 right = panels_descriptor(values, PANEL_BYTES(KEYS));
    auto &sums = reinterpret_cast<float (&)[HEAD / 2]>(result.value);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
        WgmmaHeld<HEAD>::add(sums, weights.step[0][k], right + k * (16 * TILE_ROW_BYTES >> 4));
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_settle(sums);
}

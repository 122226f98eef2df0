// How the tiles of attention on matrix units lie in shared memory, bf16, and how they
// come there. A team of TEAM threads works on a tile; each of its warps has SLABS slabs
// of 16 query rows to itself.

#ifndef QUERIES
#define QUERIES 64
#endif
#ifndef KEYS
#define KEYS 64
#endif
#ifndef SLABS
#define SLABS 1
#endif
#define TEAM (QUERIES / (16 * SLABS) * WARP)
#define STAGES 2

#define QUERY_BYTES (QUERIES * HEAD * 2)
#define KEY_BYTES (KEYS * HEAD * 2)
#define PV_WEIGHT_BYTES (QUERIES * KEYS * 2)

DEVICE int team_thread() { return threadIdx.x % TEAM; }
DEVICE int team_warp() { return team_thread() / WARP; }
DEVICE int slab_row(int slab) { return (team_warp() * SLABS + slab) * 16; }

// Where 16 bytes, `chunk` of `row`, lie in a tile of `rows` rows of WIDTH
// elements: panels of 64 columns, each swizzled; rows of 64 bytes (WIDTH 32) go
// two to a line of banks.
template <int WIDTH> DEVICE int chunk_at(int row, int chunk, int rows) {
    if (WIDTH == 32) return row * 64 + ((chunk ^ (row / 2 % 4)) << 4);
    return chunk / TILE_CHUNKS * rows * TILE_ROW_BYTES + swizzled(row, chunk % TILE_CHUNKS);
}

// `rows` rows of a head, `stride` elements apart, requested into shared memory.
// Rows from `valid` on are zeros. A thread takes the same chunk of every STEP-th
// row; the swizzle repeats every 8 rows, so that one address serves all of them.
DEVICE void load_heads(void *shared, const elem *from, long stride, int rows, int valid) {
    const int CHUNKS = HEAD / PACK, STEP = TEAM / CHUNKS, ROW_BYTES = HEAD == 32 ? 64 : 128;
    int row = team_thread() / CHUNKS, chunk = team_thread() % CHUNKS;
    char *to = static_cast<char *>(shared) + chunk_at<HEAD>(row, chunk, rows);
    const elem *source = from + row * stride + chunk * PACK;
#pragma unroll
    for (int pass = 0; pass * STEP < rows; pass++) {
        if (rows % STEP != 0 && row + pass * STEP >= rows) break;
        bool inside = row + pass * STEP < valid;
        cp_async(to + pass * STEP * ROW_BYTES, inside ? source + pass * STEP * stride : from,
                 inside);
    }
    cp_async_commit();
}

// A tile of pr, row-major with `stride` elements a row, of which `width` are
// left. Requested where rows are aligned, moved element by element where not.
DEVICE void load_weights(void *shared, const elem *from, long stride, int valid, int width) {
    char *to = static_cast<char *>(shared);
    bool aligned = stride % PACK == 0;
    const int chunks = KEYS / PACK;
    for (int at = team_thread(); at < QUERIES * chunks; at += TEAM) {
        int row = at / chunks, chunk = at % chunks;
        char *place = to + chunk_at<KEYS>(row, chunk, QUERIES);
        if (aligned) {
            bool inside = row < valid && chunk * PACK < width;
            cp_async(place, from + (inside ? row * stride + chunk * PACK : 0), inside);
            continue;
        }
        Pack pack;
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            bool inside = row < valid && chunk * PACK + e < width;
            pack.at[e] = inside ? from[row * stride + chunk * PACK + e] : narrow(0.0f);
        }
        *reinterpret_cast<Pack *>(place) = pack;
    }
    cp_async_commit();
}

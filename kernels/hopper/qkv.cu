// Three products of the same rows on Hopper: q, k and v. With -D NORM=1 the rows
// are normalised in the sums (gamma is in the weights), with -D ROPE=1 q and k are
// turned by their position before they are stored.
//
// TODO ladder

// Columns of a tile in the order in which they are loaded. Without ROPE, and for
// v, they are a stretch of the weight's rows. A turn needs columns i and
// i + HEAD / 2 of a head in the same lane:
//   TILE_N a multiple of HEAD: still a stretch; the partner is HEAD / 16 groups of
//   eight further on;
//   else: boxes of eight rows, first and second half in turn.
#define SCATTER (ROPE && TILE_N % HEAD != 0)
#define UNITS (TILE_N / 16)
#if ROPE
#define HEAD_UNITS (HEAD / 16)
#else
#define HEAD_UNITS 1
#endif
#define TURNED (HEAD_UNITS < UNITS ? HEAD_UNITS : UNITS)

struct Weights {
    const TensorMap *q, *k, *v;
    int tiles_q, tiles_k;

    __device__ __forceinline__ void load(unsigned char *to, u64 *full, int tile_n, int at) const {
        bool turned = tile_n < tiles_q + tiles_k;
        const TensorMap *from = tile_n < tiles_q ? q : turned ? k : v;
        if (tile_n >= tiles_q) tile_n -= turned ? tiles_q : tiles_q + tiles_k;
#if SCATTER
        if (turned) {
#pragma unroll
            for (int i = 0; i < UNITS; i++) {
                int unit = tile_n * UNITS + i;
                int row = unit / HEAD_UNITS * HEAD + unit % HEAD_UNITS * 8;
                tma_load(to + i * 2048, *from, full, at, row);
                tma_load(to + i * 2048 + 1024, *from, full, at, row + HEAD / 2);
            }
            return;
        }
#endif
        tma_load(to, *from, full, at, tile_n * TILE_N);
    }
};

struct Store {
    elem *q, *k, *v;
    const float *ssq;
    int slots;
    float eps;
    int m, d, dkv, seq, cap_k, past_k, cap_v, past_v, position;
    float theta;
    int tiles_q, tiles_k;
    float scale[PARTS][2];
#if ROPE
    Turn turns[PARTS][TURNED][4];
#endif

    __device__ __forceinline__ void request(const Tile &tile, int part) {
        int row = lane_row(tile, part);
#if NORM
        scale[part][0] = row_scale(ssq, row, m, slots, d, eps);
        scale[part][1] = row_scale(ssq, row + 8, m, slots, d, eps);
#endif
#if ROPE
        if (tile.n >= tiles_q + tiles_k) return;
        int tile_n = tile.n < tiles_q ? tile.n : tile.n - tiles_q;
#pragma unroll
        for (int i = 0; i < TURNED; i++) {
            int pair = (tile_n * UNITS + i) % HEAD_UNITS * 8 + lane_id() % 4 * 2;
#pragma unroll
            for (int j = 0; j < 4; j++)
                turns[part][i][j] =
                    rotary_turn(position + (row + j / 2 * 8) % seq, pair + j % 2, theta);
        }
#endif
    }

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
        int row = lane_row(tile, part) + item_row();
        bool turned = ROPE && tile.n < tiles_q + tiles_k;
        elem *to;
        int width, tile_n;
        if (tile.n < tiles_q) {
            tile_n = tile.n, width = d;
            to = q + long(row) * d;
        } else if (tile.n < tiles_q + tiles_k) {
            tile_n = tile.n - tiles_q, width = dkv;
            to = k + cache_row(row, seq, cap_k, past_k) * dkv;
        } else {
            tile_n = tile.n - tiles_q - tiles_k, width = dkv;
            to = v + cache_row(row, seq, cap_v, past_v) * dkv;
        }
#if NORM
#pragma unroll
        for (int i = 0; i < SUMS; i++) sums[i] *= scale[part][i / 2 % 2];
#endif
#if ROPE
        if (turned) {
#pragma unroll
            for (int i = 0; i < UNITS; i++) {
                int unit = tile_n * UNITS + i;
                int first = SCATTER ? 2 * i : i / HEAD_UNITS * 2 * HEAD_UNITS + i % HEAD_UNITS;
                const float *a = &sums[4 * first];
                const float *b = &sums[4 * (SCATTER ? first + 1 : first + HEAD_UNITS)];
                const Turn *turn = turns[part][i % TURNED];
                u32 item[4];
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    int at = 2 * j;
                    item[at] = pair_bf16(turn_first(a[at], b[at], turn[at]),
                                         turn_first(a[at + 1], b[at + 1], turn[at + 1]));
                    item[at + 1] = pair_bf16(turn_second(a[at], b[at], turn[at]),
                                             turn_second(a[at + 1], b[at + 1], turn[at + 1]));
                }
                transpose_quad(item);
                int column = unit / HEAD_UNITS * HEAD + unit % HEAD_UNITS * 8;
                if (row < m) store_item(to, column + item_group() * (HEAD / 2), width, item);
            }
            return;
        }
#endif
#pragma unroll
        for (int i = 0; i < SUMS; i += 8) {
            u32 item[4] = {pair_bf16(sums[i], sums[i + 1]), pair_bf16(sums[i + 4], sums[i + 5]),
                           pair_bf16(sums[i + 2], sums[i + 3]), pair_bf16(sums[i + 6], sums[i + 7])};
            transpose_quad(item);
            if (row < m) store_item(to, tile_n * TILE_N + i * 2 + item_group() * 8, width, item);
        }
    }
};

HOPPER_KERNEL qkv(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap wq,
                  const __grid_constant__ TensorMap wk, const __grid_constant__ TensorMap wv,
                  elem *q, elem *k, elem *v, const float *ssq, int slots, float eps, int m, int d,
                  int dkv, int seq, int cap_k, int past_k, int cap_v, int past_v, int position,
                  float theta) {
    int tiles_q = (d + TILE_N - 1) / TILE_N;
    int tiles_k = (dkv + TILE_N - 1) / TILE_N;
    Store store{q,     k,      v,     ssq,    slots,    eps,   m,       d,      dkv, seq,
                cap_k, past_k, cap_v, past_v, position, theta, tiles_q, tiles_k};
    multiply(x, Weights{&wq, &wk, &wv, tiles_q, tiles_k}, store, m, tiles_q + 2 * tiles_k, d);
}

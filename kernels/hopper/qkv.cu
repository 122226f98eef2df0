// Three products of the same rows on Hopper: q, k and v. With -D NORM=1 the rows
// are normalised in the sums (gamma is in the weights), with -D ROPE=1 q and k are
// turned by their position before they are stored.
//
// Ladder (512 rows, d 2048, kv 256 on an H200, microseconds; the library's product of
// all three weights takes 9.7, without norm and turn):
//   whole tiles of 128 x 128 in each weight: 80 of them        13.3, with both 14.5
//   tiles of 128 x 80 that end anywhere: 128 of them           11.0
//   with the turn                                              12.0
//   with the norm as well                                      12.4
//   begun before the kernel in front has ended                 11.2
// 8192 rows, d 1024, kv 512: 53 with both, library's product alone 54.

// A turn needs columns i and i + HEAD / 2 of a head in the same lane. Columns are
// therefore dealt with in units of two groups of eight, SPAN / 2 apart; q, k and v
// one after the other are a row of such units, and a tile is UNITS of them.
// -D SCATTER:
//   0  a tile is TILE_N neighbouring rows of one weight (TILE_N a multiple of HEAD
//      with ROPE); it comes as one box, the partner of a group is SPAN / 16 groups
//      further on, and the last tile of each of q, k and v may be part empty
//   1  every group of eight rows is a box of its own: a tile may end within a head
//      and within a weight, so that any TILE_N divides the work evenly
#if ROPE
#define SPAN HEAD
#else
#define SPAN 16
#endif
#define UNITS (TILE_N / 16)
#define SPAN_UNITS (SPAN / 16)
// Units of a tile that have angles of their own.
#define TURNED (SPAN_UNITS < UNITS ? SPAN_UNITS : UNITS)

// Groups of eight sums that are unit i of a tile.
#define GROUP_FIRST(i) (SCATTER ? 2 * (i) : (i) / SPAN_UNITS * 2 * SPAN_UNITS + (i) % SPAN_UNITS)
#define GROUP_SECOND(i) (GROUP_FIRST(i) + (SCATTER ? 1 : SPAN_UNITS))

// First column of unit `unit` of a weight; its second group begins SPAN / 2 later.
DEVICE int unit_column(int unit) { return unit / SPAN_UNITS * SPAN + unit % SPAN_UNITS * 8; }

// Where q ends and k ends, in units.
struct Split {
    int q, k;
    __device__ __forceinline__ int which(int unit) const { return unit < q ? 0 : unit < k ? 1 : 2; }
    __device__ __forceinline__ int within(int unit) const {
        return unit < q ? unit : unit < k ? unit - q : unit - k;
    }
};

struct Weights {
    const TensorMap *q, *k, *v;
    Split split;

    struct Columns {
#if SCATTER
        const TensorMap *from[UNITS];
        int row[UNITS];
        __device__ __forceinline__ void load(unsigned char *to, u64 *full, int at) const {
#pragma unroll
            for (int i = 0; i < UNITS; i++) {
                tma_load(to + i * 2048, *from[i], full, at, row[i]);
                tma_load(to + i * 2048 + 1024, *from[i], full, at, row[i] + SPAN / 2);
            }
        }
#else
        const TensorMap *from;
        int row;
        __device__ __forceinline__ void load(unsigned char *to, u64 *full, int at) const {
            tma_load(to, *from, full, at, row);
        }
#endif
    };

    __device__ __forceinline__ Columns columns(int tile_n) const {
        Columns columns;
#if SCATTER
#pragma unroll
        for (int i = 0; i < UNITS; i++) {
            columns.from[i] = weight(tile_n * UNITS + i);
            columns.row[i] = unit_column(split.within(tile_n * UNITS + i));
        }
#else
        columns.from = weight(tile_n * UNITS);
        columns.row = split.within(tile_n * UNITS) * 16;
#endif
        return columns;
    }
    __device__ __forceinline__ const TensorMap *weight(int unit) const {
        int which = split.which(unit);
        return which == 0 ? q : which == 1 ? k : v;
    }
    __device__ __forceinline__ void prefetch() const {
        tma_prefetch(*q);
        tma_prefetch(*k);
        tma_prefetch(*v);
    }
};

#if ROPE
// theta^(-2 i / HEAD), made once per block.
static __shared__ float frequency[HEAD / 2];

// A group that takes turns has the time of the other's products for its angles; it
// makes them when it needs them and keeps the registers. Else they are made before
// the products, while the first stages travel.
#define TURNS_EARLY (!TURNS)
#endif

struct Store {
    elem *q, *k, *v;
    const float *ssq;
    int slots;
    float eps;
    int m, d, dkv, seq, cap_k, past_k, cap_v, past_v, position;
    float theta;
    Split split;
    float scale[PARTS][2];
#if ROPE && TURNS_EARLY
    Turn turns[TURNED][4];
#endif

    // Once, before the first tile.
    __device__ __forceinline__ void begin() const {
#if ROPE
        if (threadIdx.x < HEAD / 2) frequency[threadIdx.x] = rotary_frequency(threadIdx.x, theta);
        named_wait(3, CONSUMERS);
#endif
    }

    __device__ __forceinline__ void request(const Tile &tile, int part) {
        int row = lane_row(tile, part);
#if NORM
        RowParts parts = row_parts(ssq, row, m, slots), parts_8 = row_parts(ssq, row + 8, m, slots);
#endif
#if ROPE && TURNS_EARLY
        if (split.which(tile.n * UNITS) < 2) {
#pragma unroll
            for (int i = 0; i < TURNED; i++) make_turns(turns[i], tile, row, i);
        }
#endif
#if NORM
        scale[part][0] = row_scale(parts, d, eps);
        scale[part][1] = row_scale(parts_8, d, eps);
#endif
    }

#if ROPE
    // The angles of unit i's four sums: of row and row + 8, of two columns.
    __device__ __forceinline__ void make_turns(Turn (&turn)[4], const Tile &tile, int row,
                                               int i) const {
        int pair = (tile.n * UNITS + i) % SPAN_UNITS * 8 + lane_id() % 4 * 2;
#pragma unroll
        for (int j = 0; j < 4; j++)
            turn[j] = rotary_turn(position + (row + j / 2 * 8) % seq, frequency[pair + j % 2]);
    }
#endif

    __device__ __forceinline__ void store(const Tile &tile, int part, float (&sums)[SUMS]) {
#if NORM
        // idea norm: a row's factor commutes with the product, so it comes last
#pragma unroll
        for (int i = 0; i < SUMS; i++) sums[i] *= scale[part][i / 2 % 2];
        // end norm
#endif
        int row = lane_row(tile, part);
#if ROPE
        // idea turn: both columns of a pair are in one lane, so the turn needs no memory
        if (SCATTER || split.which(tile.n * UNITS) < 2) {
#pragma unroll
            for (int i = 0; i < TURNED; i++) {
#if TURNS_EARLY
                const Turn (&turn)[4] = turns[i];
#else
                __syncwarp(); // one after the other: all at once are too many registers
                Turn turn[4];
                make_turns(turn, tile, row, i);
#endif
#pragma unroll
                for (int unit = i; unit < UNITS; unit += TURNED) {
                    if (SCATTER && split.which(tile.n * UNITS + unit) == 2) continue;
                    float *first = &sums[4 * GROUP_FIRST(unit)];
                    float *second = &sums[4 * GROUP_SECOND(unit)];
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        float a = first[j], b = second[j];
                        first[j] = turn_first(a, b, turn[j]);
                        second[j] = turn_second(a, b, turn[j]);
                    }
                }
            }
        }
        // end turn
#endif
#if !SCATTER
        int unit = tile.n * UNITS, which = split.which(unit);
        elem *to = nullptr, *to_8 = nullptr;
        if (row < m) to = row_of(which, row);
        if (row + 8 < m) to_8 = row_of(which, row + 8);
        store_groups<TILE_N / 8>(sums, to, to_8, split.within(unit) * 16, which == 0 ? d : dkv);
#else
        elem *rows[2][3];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int at = row + half * 8;
            rows[half][0] = q + long(at) * d;
            rows[half][1] = k + cache_row(at, seq, cap_k, past_k) * dkv;
            rows[half][2] = v + cache_row(at, seq, cap_v, past_v) * dkv;
        }
        // Neighbours in memory: with SCATTER all first groups, then all second ones.
        constexpr bool DEALT = SCATTER && SPAN > 16;
        float dealt[SUMS];
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            int group = i / 4;
            dealt[i] = sums[(DEALT ? group % UNITS * 2 + group / UNITS : group) * 4 + i % 4];
        }
        each_item<TILE_N / 8>([&](int i, int half, int group) {
            int unit = tile.n * UNITS + (DEALT ? group % UNITS : SCATTER ? group / 2 : 0);
            int which = split.which(unit);
            int column = DEALT     ? unit_column(split.within(unit)) + group / UNITS * (SPAN / 2)
                         : SCATTER ? split.within(unit) * 16 + group % 2 * 8
                                   : split.within(unit) * 16 + group * 8;
            elem *to = which == 0 ? rows[0][0] : which == 1 ? rows[0][1] : rows[0][2];
            elem *to_8 = which == 0 ? rows[1][0] : which == 1 ? rows[1][1] : rows[1][2];
            elem *at = half ? to_8 : to;
            bool there = row + half * 8 < m && column < (which == 0 ? d : dkv);
            store_item(at + column, there, pack_item<TILE_N / 8>(dealt, i));
        });
#endif
    }
    __device__ __forceinline__ elem *row_of(int which, int row) const {
        if (which == 0) return q + long(row) * d;
        int cap = which == 1 ? cap_k : cap_v, past = which == 1 ? past_k : past_v;
        return (which == 1 ? k : v) + cache_row(row, seq, cap, past) * dkv;
    }
};

HOPPER_KERNEL qkv(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap wq,
                  const __grid_constant__ TensorMap wk, const __grid_constant__ TensorMap wv,
                  elem *q, elem *k, elem *v, const float *ssq, int slots, float eps, int m, int d,
                  int dkv, int seq, int cap_k, int past_k, int cap_v, int past_v, int position,
                  float theta) {
#if SCATTER
    Split split{d / 16, (d + dkv) / 16};
    int units = (d + 2 * dkv) / 16;
#else
    int tiles_q = (d + TILE_N - 1) / TILE_N, tiles_k = (dkv + TILE_N - 1) / TILE_N;
    Split split{tiles_q * UNITS, (tiles_q + tiles_k) * UNITS};
    int units = (tiles_q + 2 * tiles_k) * UNITS;
#endif
    Store store{q,   k,     v,      ssq,   slots,  eps,      m,     d,
                dkv, seq,   cap_k,  past_k, cap_v, past_v,   position, theta, split};
    multiply(x, Weights{&wq, &wk, &wv, split}, store, m, (units + UNITS - 1) / UNITS, d);
}

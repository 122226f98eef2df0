// Attention in the roles of Hopper's one-launch kernel.
//
// A task is two tiles of 64 queries of one head, one for each group, over the keys that
// either may see: a slot brings KEYS keys and their values, and both groups use it. The
// queries go to registers at once; they never hold a slot.
//
// While one group is at its exponentials the other's products run, and a group's own
// weighted sum runs under its next scores.

#define KEY_PANELS (HEAD == 32 ? 1 : HEAD / 64)
#define KEY_ROW_BYTES (HEAD == 32 ? 64 : 128)
#define PANEL_BYTES (KEYS * KEY_ROW_BYTES)
#define TILE_BYTES (KEY_PANELS * PANEL_BYTES)
#define MAP_COLUMNS (KEY_ROW_BYTES / 2)

HOPPER_WGMMA_LEFT(KEYS)
HOPPER_WGMMA_HELD(HEAD)

// Two products of the same shape in flight, one of them with these scores as its left
// operand, gave wrong sums where HEAD is KEYS; why is not known.
static_assert(HEAD != KEYS, "the two products differ in shape");
static_assert(2 * TILE_BYTES <= SLOT_BYTES, "a slot takes keys and values");

struct Sight {
    int batch, heads, kv_heads, seq, past;

    // One new token: the heads that share keys are the rows of one tile, and read them once.
    __device__ __forceinline__ bool packed() const { return seq == 1; }
    // Tiles of a sequence's head (or of its heads that share keys), and their rows.
    __device__ __forceinline__ int rows() const { return packed() ? divide(heads, kv_heads) : seq; }
    __device__ __forceinline__ int tiles() const { return (rows() + 63) / 64; }
    __device__ __forceinline__ int columns() const { return packed() ? kv_heads : heads; }
    __device__ __forceinline__ int tasks() const { return batch * columns() * ((tiles() + 1) / 2); }
};

struct Queries {
    int sequence, column, tile[2], rounds[2]; // tile -1: none
    __device__ __forceinline__ int most() const { return max(rounds[0], rounds[1]); }
};

// Long tasks first. Where there are fewer tasks than twice the blocks, the longest tile
// goes with the shortest: every block has the same number of products to do.
DEVICE Queries queries_at(const Sight &s, int number) {
    int tiles = s.tiles(), columns = s.columns(), all = s.batch * columns;
    int pair = divide(number, all);
    bool mirrored = s.tasks() < 2 * int(gridDim.x);
    Queries task;
    task.sequence = divide(number - pair * all, columns);
    task.column = number - pair * all - task.sequence * columns;
    task.tile[0] = tiles - 1 - (mirrored ? pair : 2 * pair);
    task.tile[1] = mirrored ? pair : task.tile[0] - 1;
    if (task.tile[1] == task.tile[0]) task.tile[1] = -1;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int last = s.past + (s.packed() ? 0 : min(task.tile[i] * 64 + 63, s.seq - 1));
        task.rounds[i] = task.tile[i] < 0 ? 0 : last / KEYS + 1;
    }
    return task;
}

// maps: one per sequence, of its keys and of its values.
DEVICE void produce_attention(Ring &ring, Gate &gate, const Sight &s, const TensorMap *keys,
                              const TensorMap *values) {
    gate.producer_passes();
#pragma unroll 1
    for (int number = blockIdx.x; number < s.tasks(); number += gridDim.x) {
        Queries task = queries_at(s, number);
        int column = (s.packed() ? task.column : divide(task.column * s.kv_heads, s.heads)) * HEAD;
#pragma unroll 1
        for (int round = 0; round < task.most(); round++) {
            ring.open(2 * TILE_BYTES);
            u64 *full = &ring.full[ring.slot];
#pragma unroll
            for (int i = 0; i < KEY_PANELS; i++) {
                unsigned char *to = ring.here() + i * PANEL_BYTES;
                tma_load(to, keys[task.sequence], full, column + i * MAP_COLUMNS, round * KEYS);
                tma_load(to + TILE_BYTES, values[task.sequence], full, column + i * MAP_COLUMNS,
                         round * KEYS);
            }
            ring.next();
        }
    }
}

DEVICE u64 keys_descriptor(const unsigned char *at) {
    return HEAD == 32 ? narrow_descriptor(at) : tile_descriptor(at);
}
DEVICE u64 values_descriptor(const unsigned char *at) {
    return HEAD == 32 ? narrow_descriptor(at) : panels_descriptor(at, PANEL_BYTES);
}

DEVICE void consume_attention(Ring &ring, const Sight &s, const elem *q, elem *att, float scale) {
    const float factor = scale * LOG2_E;
    const int width = s.heads * HEAD;
#pragma unroll 1
    for (int number = blockIdx.x; number < s.tasks(); number += gridDim.x) {
        const Place me = place_anew();
        Queries task = queries_at(s, number);
        int tile = me.group ? task.tile[1] : task.tile[0], most_rounds = task.most();
        int rounds = me.group ? task.rounds[1] : task.rounds[0];
        // Of the sequence: its rows lie `stride` apart, and see keys up to past + row.
        const int row = tile * 64 + me.row, rows = s.rows(), stride = s.packed() ? HEAD : width;
        const long first_row = long(task.sequence) * s.seq * width +
                               task.column * HEAD * (s.packed() ? rows : 1);

        u32 queries[HEAD / 16][4];
#pragma unroll
        for (int i = 0; i < HEAD / 16; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int at = max(0, min(row + j % 2 * 8, rows - 1));
                int column = i * 16 + j / 2 * 8 + lane_id() % 4 * 2;
                queries[i][j] =
                    __ldcg(reinterpret_cast<const u32 *>(q + first_row + long(at) * stride + column));
            }

        float result[HEAD / 2], scores[KEYS / 2], most[2], sum[2] = {};
        u32 weights[KEYS / 16][4] = {};
        most[0] = most[1] = MINUS_INFINITY;
#pragma unroll
        for (int i = 0; i < HEAD / 2; i++) result[i] = 0.0f;
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) scores[i] = 0.0f;

        u64 *before = nullptr;
#pragma unroll 1
        for (int round = 0; round < most_rounds; round++) {
            barrier_wait(&ring.full[ring.slot], ring.phase);
            if (round == 0) stamp();
            bool mine = round < rounds;
            u64 keys = keys_descriptor(ring.here());
            u64 values = values_descriptor(ring.here() + TILE_BYTES);
            if (mine) {
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < HEAD / 16; i++)
                    WgmmaLeft<KEYS>::add(scores, queries[i],
                                         keys + i / 4 * (PANEL_BYTES >> 4) + i % 4 * 2, i > 0);
                wgmma_commit();
            }
            wgmma_wait<0>();
            wgmma_settle(scores);
            wgmma_settle(result);
            weights_settle(weights);
            if (before && lane_id() == 0) barrier_arrive(before);
            before = &ring.empty[ring.slot];
            ring.next();
            if (!mine) continue;

            int first = round * KEYS, seen = s.past + (s.packed() ? 0 : tile * 64);
            if (first + KEYS > seen + 1) {
#pragma unroll
                for (int i = 0; i < KEYS / 2; i++) {
                    int key = first + i / 4 * 8 + lane_id() % 4 * 2 + i % 2;
                    if (key > s.past + (s.packed() ? 0 : row + i / 2 % 2 * 8)) scores[i] = MINUS_INFINITY;
                }
            }
#pragma unroll
            for (int half = 0; half < 2; half++) {
                float top = most[half];
#pragma unroll
                for (int i = 0; i < KEYS / 4; i++)
                    top = fmaxf(top, scores[i / 2 * 4 + half * 2 + i % 2]);
                top = fmaxf(top, swap_lanes(top, 1));
                top = fmaxf(top, swap_lanes(top, 2));
                // The first key is seen by every row: top is a number.
                float base = top * factor, shrink = exp2_approx(most[half] * factor - base);
                most[half] = top;
                float added = 0.0f;
#pragma unroll
                for (int i = 0; i < KEYS / 4; i++) {
                    float &score = scores[i / 2 * 4 + half * 2 + i % 2];
                    score = exp2_approx(score * factor - base);
                    added += score;
                }
                sum[half] = sum[half] * shrink + added;
#pragma unroll
                for (int i = 0; i < HEAD / 4; i++) result[i / 2 * 4 + half * 2 + i % 2] *= shrink;
            }
#pragma unroll
            for (int i = 0; i < KEYS / 16; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    weights[i][j] = pair_bf16(scores[i * 8 + j * 2], scores[i * 8 + j * 2 + 1]);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < KEYS / 16; i++)
                WgmmaHeld<HEAD>::add(result, weights[i], values + i * (16 * KEY_ROW_BYTES >> 4));
            wgmma_commit();
        }
        wgmma_wait<0>();
        wgmma_settle(result);
        if (before && lane_id() == 0) barrier_arrive(before);
        stamp();
        if (tile < 0) continue;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float inverse = 1.0f / quad_sum(sum[half]);
#pragma unroll
            for (int i = 0; i < HEAD / 4; i++) result[i / 2 * 4 + half * 2 + i % 2] *= inverse;
        }
        elem *to = att + first_row + long(row) * stride;
        store_groups<HEAD / 8>(result, row < rows ? to : nullptr,
                               row + 8 < rows ? to + 8l * stride : nullptr, 0, HEAD);
    }
}

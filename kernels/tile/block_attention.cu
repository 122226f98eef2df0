// Attention in the roles of Hopper's one-launch kernel.
//
// A task is two tiles of 64 queries of one head, one for each group, over the keys that
// either may see (or one tile, where there are blocks enough): a slot brings KEYS keys and
// their values, and both groups use it. The
// queries go to registers at once; they never hold a slot.
//
// While one group is at its exponentials the other's products run. A group's own two
// products follow one another: both in flight at once gave wrong sums where they had the
// same shape (HEAD 64, KEYS 64), and took registers that gate and up need.

#define KEY_PANELS (HEAD == 32 ? 1 : HEAD / 64)
#define KEY_ROW_BYTES (HEAD == 32 ? 64 : 128)
#define PANEL_BYTES (KEYS * KEY_ROW_BYTES)
#define TILE_BYTES (KEY_PANELS * PANEL_BYTES)
#define MAP_COLUMNS (KEY_ROW_BYTES / 2)

HOPPER_WGMMA_LEFT(KEYS)
HOPPER_WGMMA_HELD(HEAD)

static_assert(2 * TILE_BYTES <= SLOT_BYTES, "a slot takes keys and values");

struct Sight {
    int first, batch; // a team's sequences
    int heads, kv_heads, seq, past;

    // One new token: the heads that share keys are the rows of one tile, and read them once.
    __device__ __forceinline__ bool packed() const { return seq == 1; }
    // Tiles of a sequence's head (or of its heads that share keys), and their rows.
    __device__ __forceinline__ int rows() const { return packed() ? divide(heads, kv_heads) : seq; }
    __device__ __forceinline__ int tiles() const { return (rows() + 63) / 64; }
    __device__ __forceinline__ int columns() const { return packed() ? kv_heads : heads; }
    __device__ __forceinline__ int pairs() const { return batch * columns() * ((tiles() + 1) / 2); }
    // Blocks enough for a tile each: one group has it, the other looks on.
    __device__ __forceinline__ bool alone() const { return 2 * pairs() <= team_blocks(); }
    __device__ __forceinline__ int tasks() const {
        return alone() ? batch * columns() * tiles() : pairs();
    }
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
    bool mirrored = s.pairs() < 2 * team_blocks();
    Queries task;
    int within = divide(number - pair * all, columns);
    task.sequence = s.first + within;
    task.column = number - pair * all - within * columns;
    task.tile[0] = tiles - 1 - (mirrored ? pair : 2 * pair);
    task.tile[1] = mirrored ? pair : task.tile[0] - 1;
    if (task.tile[1] == task.tile[0] || s.alone()) task.tile[1] = -1;
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
    bool waiting = true;
#pragma unroll 1
    for (int number = team_rank(); number < s.tasks(); number += team_blocks()) {
        Queries task = queries_at(s, number);
        int column = (s.packed() ? task.column : divide(task.column * s.kv_heads, s.heads)) * HEAD;
        if (waiting) gate.producer_passes();
        waiting = false;
#pragma unroll 1
        for (int round = 0; round < task.most(); round++) {
            ring.open(2 * TILE_BYTES);
            const u32 full = ring.full();
#pragma unroll
            for (int i = 0; i < KEY_PANELS; i++) {
                u32 to = ring.here() + i * PANEL_BYTES;
                tma_load(to, keys[task.sequence], full, column + i * MAP_COLUMNS, round * KEYS);
                tma_load(to + TILE_BYTES, values[task.sequence], full, column + i * MAP_COLUMNS,
                         round * KEYS);
            }
            ring.next();
        }
    }
    if (waiting) gate.producer_passes();
}

DEVICE u64 keys_descriptor(u32 at) {
    return HEAD == 32 ? narrow_descriptor(at) : tile_descriptor(at);
}
DEVICE u64 values_descriptor(u32 at) {
    return HEAD == 32 ? narrow_descriptor(at) : panels_descriptor(at, PANEL_BYTES);
}

// A lane's rows of a group's tile: `row` and row + 8 of `rows`, `stride` apart.
struct View {
    long first; // element of row 0
    int tile, row, rows, stride;
};
DEVICE View view_of(const Sight &s, const Queries &task, const Place &me) {
    const int width = s.heads * HEAD, tile = me.group ? task.tile[1] : task.tile[0];
    View view = {long(task.sequence) * s.seq * width + task.column * HEAD * (s.packed() ? s.rows() : 1),
                 tile, tile * 64 + me.row, s.rows(), s.packed() ? HEAD : width};
    return view;
}

DEVICE void load_queries(u32 (&queries)[HEAD / 16][4], const elem *q, const View &view) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int at = max(0, min(view.row + half * 8, view.rows - 1));
        const elem *from = q + view.first + long(at) * view.stride + lane_id() % 4 * 2;
#pragma unroll
        for (int i = 0; i < HEAD / 16; i++) {
            queries[i][half] = __ldcg(reinterpret_cast<const u32 *>(from + i * 16));
            queries[i][2 + half] = __ldcg(reinterpret_cast<const u32 *>(from + i * 16 + 8));
        }
    }
}

DEVICE void consume_attention(Ring &ring, Gate &gate, const Sight &s, const elem *q, elem *att,
                              float scale) {
    const float factor = scale * LOG2_E;
    bool waiting = true;
#pragma unroll 1
    for (int number = team_rank(); number < s.tasks(); number += team_blocks()) {
        const Place me = place_anew();
        const Queries task = queries_at(s, number);
        const int most_rounds = task.most();
        const View view = view_of(s, task, me);
        const int rounds = me.group ? task.rounds[1] : task.rounds[0], row = view.row;

        // (The next task's asked for ahead would take the registers that wide tiles of gate
        // and up need.)
        u32 queries[HEAD / 16][4];
        if (waiting) gate.consumers_wait();
        waiting = false;
        load_queries(queries, q, view);

        float result[HEAD / 2], scores[KEYS / 2], most[2], sum[2] = {};
        u32 weights[KEYS / 16][4] = {};
        most[0] = most[1] = MINUS_INFINITY;
#pragma unroll
        for (int i = 0; i < HEAD / 2; i++) result[i] = 0.0f;
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) scores[i] = 0.0f;

#pragma unroll 1
        for (int round = 0; round < most_rounds; round++) {
            barrier_wait(ring.full(), ring.phase);
            if (round == 0) stamp(2);
            u32 empty = ring.empty();
            u64 keys = keys_descriptor(ring.here());
            u64 values = values_descriptor(ring.here() + TILE_BYTES);
            ring.next();
            if (round >= rounds) { // the other group's
                if (lane_id() == 0) barrier_arrive(empty, 1);
                continue;
            }
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < HEAD / 16; i++)
                WgmmaLeft<KEYS>::add(scores, queries[i],
                                     keys + i / 4 * (PANEL_BYTES >> 4) + i % 4 * 2, i > 0);
            wgmma_commit();
            wgmma_wait<0>();
            wgmma_settle(scores);

            int first = round * KEYS, seen = s.past + (s.packed() ? 0 : view.tile * 64);
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
            wgmma_wait<0>();
            wgmma_settle(result);
            if (lane_id() == 0) barrier_arrive(empty, 1);
        }
        stamp(3);
        if (view.tile < 0) continue;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float inverse = 1.0f / quad_sum(sum[half]);
#pragma unroll
            for (int i = 0; i < HEAD / 4; i++) result[i / 2 * 4 + half * 2 + i % 2] *= inverse;
        }
        elem *to = att + view.first + long(row) * view.stride;
        store_groups<HEAD / 8>(result, row < view.rows ? to : nullptr,
                               row + 8 < view.rows ? to + 8l * view.stride : nullptr, 0, HEAD);
    }
    if (waiting) gate.consumers_wait();
}

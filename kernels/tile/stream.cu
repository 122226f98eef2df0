// Weights as a stream: rows of a matrix, cut into segments, through a ring in
// shared memory, multiplied by a few activation rows.
//
// A **pair** is two rows of weights whose results are needed together (the two
// halves of a rotation, gate and up, or simply neighbours). A **tile** is up to
// eight pairs. A **segment** is up to 4 KB of a row (8 KB where a warp has 64
// lanes): what one copy brings and one slot of the ring holds. (The copy engine takes some 70 cycles for a copy
// whatever its size: with 512 bytes each an H200 streamed 1,680 GB/s, with 1 KB
// 3,270, with 2 KB and more 4,240.) All computing warps work on a segment of a
// tile, each on its own columns.
//
// One warp asks for the segments in order and never computes; the others compute
// and never ask. So the stream goes on while the block waits for other blocks, as
// far as the ring reaches, and needs to know nothing about what they wait for.

#define WORKERS 8 // warps that compute
#define TILE_PAIRS 8
#define TILE_ROWS (2 * TILE_PAIRS)
#define CHUNK_BYTES (16 * WARP) // of a segment, for one warp
#define CHUNK int(CHUNK_BYTES / sizeof(elem))

// Rows of a tile that share a barrier. Every lane's operation on a barrier is one
// after another: with a barrier per row a tile's 256 of them took longer than its
// products.
#define PART_ROWS 8
#define PARTS (TILE_ROWS / PART_ROWS)

// Tiles' segments that may be in the ring at once.
#define STAGES 8

// Parts on their way at once. Enough to keep the memory busy (latency times
// bandwidth), and no more: what is queued here delays the words that blocks wait
// for.
#ifndef WINDOW
#define WINDOW 2
#endif

// Bytes from slot to slot. Eight lanes that read 16 bytes of eight neighbouring
// slots meet every bank once.
#define SLOT_BYTES (WORKERS * CHUNK_BYTES + 16)

// Byte at which sequence `row` begins in a chunk of activations: spread likewise.
DEVICE int row_offset(int row) { return row * (CHUNK_BYTES + 16); }

// A pack as it lies in registers: four words, whatever an element is. (As
// elements, eight bf16 would take eight registers.)
struct alignas(16) Words {
    u32 at[4];
};

DEVICE Words load_words(const elem *from) { return *reinterpret_cast<const Words *>(from); }

#if BF16
DEVICE float word_value(const Words &words, int i) {
    u32 word = words.at[i / 2];
    return __uint_as_float(i % 2 ? word & 0xffff0000u : word << 16);
}
DEVICE u32 join_bf16(float low, float high) {
#if MATRIX_UNITS
    return pair_bf16(low, high);
#else
    return u32(narrow(low).bits) | u32(narrow(high).bits) << 16;
#endif
}
DEVICE Words words_of(const float (&value)[PACK]) {
    Words out;
#pragma unroll
    for (int i = 0; i < 4; i++) out.at[i] = join_bf16(value[2 * i], value[2 * i + 1]);
    return out;
}
#else
DEVICE float word_value(const Words &words, int i) { return __uint_as_float(words.at[i]); }
DEVICE Words words_of(const float (&value)[PACK]) {
    Words out;
#pragma unroll
    for (int i = 0; i < 4; i++) out.at[i] = __float_as_uint(value[i]);
    return out;
}
#endif

// How one block's part of a product is cut. Divisions are dear on a path that
// every layer waits for, so it is worked out once.
struct Plan {
    int first, pairs;            // the block's own pairs
    int tiles, size, larger;     // the first `larger` tiles have size + 1 pairs
    int columns;                 // length of the sums
    int segments, chunk;         // segments of a row, columns of a segment for one warp
    float mean;                  // 1 / columns
};

DEVICE Plan plan_product(int pairs, int columns) {
    Plan plan;
    // Shares differ by one pair at most.
    int each = pairs / int(gridDim.x), more = pairs % int(gridDim.x), block = blockIdx.x;
    plan.first = block * each + min(block, more);
    plan.pairs = each + (block < more);
    plan.tiles = (plan.pairs + TILE_PAIRS - 1) / TILE_PAIRS;
    plan.size = plan.pairs / max(plan.tiles, 1);
    plan.larger = plan.pairs % max(plan.tiles, 1);
    plan.columns = columns;
    plan.segments = (columns + WORKERS * CHUNK - 1) / (WORKERS * CHUNK);
    int share = (columns + plan.segments * WORKERS - 1) / (plan.segments * WORKERS);
    plan.chunk = (share + 31) / 32 * 32;
    plan.segments = (columns + WORKERS * plan.chunk - 1) / (WORKERS * plan.chunk);
    plan.mean = 1.0f / float(columns);
    return plan;
}

// The pairs of a tile, counted from the block's first.
struct Tile {
    int first, pairs;
};

DEVICE Tile tile_of(const Plan &plan, int tile) {
    return {tile * plan.size + min(tile, plan.larger), plan.size + (tile < plan.larger)};
}

// ---- the ring ------------------------------------------------------------------------

#if BULK_COPIES

// Stage i (the i-th segment of a tile that passes) has the barriers i % STAGES,
// for the (i / STAGES)-th time. Its rows lie in consecutive slots.
struct Ring {
    char *segments;
    Arrival *full;  // [STAGES][PARTS]
    Arrival *empty; // [STAGES]
    int slots;
};

// By all threads; a __syncthreads follows.
DEVICE void ring_init(const Ring &ring) {
    int i = threadIdx.x;
    if (i < STAGES * PARTS) arrival_init(ring.full + i, 1);
    if (i < STAGES) arrival_init(ring.empty + i, WORKERS * WARP);
    if (i < STAGES * PARTS) arrival_init_done();
}

// A stage and the slot of its first row.
struct Place {
    u32 stage;
    int slot;
};

DEVICE int wrap_slot(int slot, const Ring &ring) {
    return slot < ring.slots ? slot : slot - ring.slots;
}

DEVICE void next_stage(Place &place, int rows, const Ring &ring) {
    place.stage++;
    place.slot = wrap_slot(place.slot + rows, ring);
}

DEVICE void await_part(const Ring &ring, u32 stage, int part) {
    await_arrival(ring.full + stage % STAGES * PARTS + part, stage / STAGES % 2);
}

// What the asking warp knows of the ring.
struct Asker {
    Place place; // where the next stage goes
    u32 oldest;  // stage that still occupies slots
    int free;    // slots
    u64 rows;    // of the last STAGES stages, eight bits each
};

DEVICE int rows_of(const Asker &asker, u32 stage) {
    return int(asker.rows >> stage % STAGES * 8 & 0xff);
}

// Asks for one stage: row r, r < rows, begins at lane r's `from`.
DEVICE void ask_stage(Asker &asker, const Ring &ring, const elem *from, int rows, u32 bytes) {
    const u32 stage = asker.place.stage;
    int slot = asker.place.slot;
#pragma unroll 1
    for (int part = 0; part < PARTS; part++) {
        const int first = part * PART_ROWS, count = min(PART_ROWS, rows - first);
        while (asker.free < count || stage - asker.oldest == STAGES) {
            await_arrival(ring.empty + asker.oldest % STAGES, asker.oldest / STAGES % 2);
            asker.free += rows_of(asker, asker.oldest++);
        }
        const u32 behind = stage * PARTS + part - WINDOW;
        if (stage * PARTS + part >= WINDOW && int(behind / PARTS - asker.oldest) >= 0)
            await_part(ring, behind / PARTS, behind % PARTS);
        Arrival *full = ring.full + stage % STAGES * PARTS + part;
        if (count <= 0) { // nothing to bring, but the barrier's phases go on
            if (lane_id() == 0) arrive(full);
            continue;
        }
        asker.free -= count;
        if (lane_id() == 0) arrive_expecting(full, count * bytes);
        __syncwarp();
#pragma unroll 1
        for (int r = first; r < first + count; r++) {
            u64 row = __shfl_sync(0xffffffffu, reinterpret_cast<u64>(from), r);
            if (lane_id() == 0)
                copy_bulk(ring.segments + slot * SLOT_BYTES, reinterpret_cast<const elem *>(row),
                          bytes, full);
            slot = wrap_slot(slot + 1, ring);
        }
    }
    u64 mask = 0xffull << stage % STAGES * 8;
    asker.rows = (asker.rows & ~mask) | u64(rows) << stage % STAGES * 8;
    next_stage(asker.place, rows, ring);
}

#endif

// ---- the product of a segment ------------------------------------------------------------

// multiply adds one segment's products to the warp's sums, which end in
// to[row * batch + sequence].
//
// `row(r)` is where row r's columns for this warp begin, r < rows; `x` holds the
// activations of the same columns, sequence b at row_offset(b); `zeros` is 16 zero
// bytes.

#if BF16 && BULK_COPIES

// Weights are the 16-row operand of the matrix unit, activations the 8-column
// one: up to eight sequences cost what one costs. Several sums, so that one
// product need not wait for the one before.
#define SUMS 4
struct Sums {
    float at[SUMS][4];
};

DEVICE void clear_sums(Sums &sums) {
#pragma unroll
    for (int i = 0; i < SUMS; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) sums.at[i][k] = 0.0f;
}

// The row of a tile that a lane reads for the matrix unit.
DEVICE int lane_row() { return lane_id() % TILE_ROWS; }

// A warp's chunk of the activations as the matrix unit takes it: kept in registers
// from tile to tile.
struct Vector {
    u32 at[CHUNK / 32][4];
};

// Sequences that do not exist repeat the last that does: their sums are never
// looked at. Columns that do not exist are zero in both operands.
DEVICE void load_vector(Vector &vector, const char *x, const char *zeros, int columns, int batch) {
    int sequence = min(lane_id() % 8, batch - 1), lane_column = lane_id() / 8 * 8;
    const elem *b = reinterpret_cast<const elem *>(x + row_offset(sequence)) + lane_column;
#pragma unroll
    for (int i = 0; i < CHUNK / 32; i++) {
        const void *none = zeros;
        ldmatrix(vector.at[i], lane_column + i * 32 < columns ? b + i * 32 : none);
    }
}

// Rows that do not exist repeat the last that does. WHOLE: all columns exist.
template <bool WHOLE>
DEVICE void multiply(Sums &sums, const elem *row, const Vector &vector, const char *zeros,
                     int columns) {
    int lane_column = lane_id() / TILE_ROWS * 8;
    const elem *a = row + lane_column;
#pragma unroll
    for (int half = 0; half < CHUNK; half += CHUNK / 2) {
        // Half of the operands are asked for before the first is used.
        u32 weights[CHUNK / 32][4];
#pragma unroll
        for (int i = 0; i < CHUNK / 32; i++) {
            int column = half + i * 16;
            const void *from = a + column;
            if (!WHOLE && lane_column + column >= columns) from = zeros;
            ldmatrix(weights[i], from);
        }
#pragma unroll
        for (int i = 0; i < CHUNK / 32; i++) {
            const u32 (&b)[4] = vector.at[(half / 16 + i) / 2];
            mma(sums.at[i % SUMS], weights[i], b[i % 2 * 2], b[i % 2 * 2 + 1]);
        }
    }
}

DEVICE void finish_sums(const Sums &sums, int batch, float *to) {
    int row = lane_id() / 4, sequence = lane_id() % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < SUMS; k++) sum += sums.at[k][i];
        if (sequence + i % 2 < batch) to[(row + i / 2 * 8) * batch + sequence + i % 2] = sum;
    }
}

#else

// Sums of 16 values over the warp by folding: in each exchange a lane gives away
// half of its values and keeps the sums of the other half. 16 exchanges in place
// of 80. Lane l returns the sum of value l / (WARP / 16).
template <int KEEP> DEVICE void fold_half(float (&value)[TILE_ROWS]) {
    const int mask = KEEP * (WARP / TILE_ROWS);
    bool upper = lane_id() & mask;
#pragma unroll
    for (int i = 0; i < KEEP; i++) {
        float mine = upper ? value[i + KEEP] : value[i];
        float other = upper ? value[i] : value[i + KEEP];
        value[i] = mine + swap_lanes(other, mask);
    }
}
// (Written out: in a loop over 8, 4, 2, 1 the compiler kept `value` in local memory.)
DEVICE float fold_rows(float (&value)[TILE_ROWS]) {
    static_assert(TILE_ROWS == 16, "four foldings");
    fold_half<8>(value);
    fold_half<4>(value);
    fold_half<2>(value);
    fold_half<1>(value);
    for (int mask = WARP / TILE_ROWS / 2; mask > 0; mask /= 2)
        value[0] += swap_lanes(value[0], mask);
    return value[0];
}

// Without matrix units: a lane takes one pack of every row.
template <class Row>
DEVICE void multiply_row_packs(float (&value)[TILE_ROWS], Row row, int rows, const char *x,
                               int columns) {
    int column = lane_id() * PACK;
    if (column >= columns) return;
    Words b = load_words(reinterpret_cast<const elem *>(x) + column);
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r++) {
        if (r < rows) {
            Words a = load_words(row(r) + column);
#pragma unroll
            for (int e = 0; e < PACK; e++) value[r] += word_value(a, e) * word_value(b, e);
        }
    }
}

// Lane sums of a tile's rows, for one sequence.
struct Sums {
    float at[TILE_ROWS];
};

DEVICE void clear_sums(Sums &sums) {
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r++) sums.at[r] = 0.0f;
}

// The place of the row whose sum fold_rows leaves in this lane, or nobody's.
DEVICE bool has_row() { return lane_id() % (WARP / TILE_ROWS) == 0; }
DEVICE int folded_row() { return lane_id() / (WARP / TILE_ROWS); }

// One sequence: folded once, at the end of the tile. (Once per segment, the
// exchanges of the folding took longer than the products.)
DEVICE void finish_sums(Sums &sums, float *to) {
    float sum = fold_rows(sums.at);
    if (has_row()) to[folded_row()] = sum;
}

// Several sequences, one after the other: the sums of the segments meet in
// to[row * batch + sequence].
template <class Row>
DEVICE void multiply(float *to, bool first, Row row, int rows, const char *x, int columns,
                     int batch) {
#pragma unroll 1
    for (int sequence = 0; sequence < batch; sequence++) {
        Sums sums;
        clear_sums(sums);
        multiply_row_packs(sums.at, row, rows, x + row_offset(sequence), columns);
        float sum = fold_rows(sums.at);
        float *place = to + folded_row() * batch + sequence;
        if (has_row()) *place = first ? sum : *place + sum;
    }
}

#endif

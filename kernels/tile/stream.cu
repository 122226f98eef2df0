// Weights as a stream: rows of a matrix, cut into segments, through a ring in
// shared memory, multiplied by a few activation rows.
//
// A **pair** is two rows of weights whose results are needed together (the two
// halves of a rotation, gate and up, or simply neighbours). A **tile** is up to
// eight pairs. A **segment** is up to 4 KB of a row: what one copy brings and one
// slot of the ring holds. (The copy engine takes some 70 cycles for a copy
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
#define CHUNK_BYTES 512 // of a segment, for one warp
#define CHUNK int(CHUNK_BYTES / sizeof(elem))

// Segments on their way at once. Enough to keep the memory busy (latency times
// bandwidth), and no more: what is queued here delays the words that blocks wait
// for.
#ifndef WINDOW
#define WINDOW 14
#endif

// Slots follow each other at an odd multiple of 64 bytes, so that eight lanes
// that read 64 bytes of each of two rows meet every bank once.
#define SLOT_BYTES (WORKERS * CHUNK_BYTES + 64)

// Byte at which sequence `row` begins in a chunk of activations: spread likewise.
DEVICE int row_offset(int row) { return row * CHUNK_BYTES + (row + 1) / 2 * 64; }

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
    int segments, chunk, warps;  // segments of a row, columns for a warp, warps that have any
};

DEVICE Plan plan_product(int pairs, int columns) {
    Plan plan;
    plan.first = int(long(pairs) * blockIdx.x / gridDim.x);
    plan.pairs = int(long(pairs) * (blockIdx.x + 1) / gridDim.x) - plan.first;
    plan.tiles = (plan.pairs + TILE_PAIRS - 1) / TILE_PAIRS;
    plan.size = plan.pairs / max(plan.tiles, 1);
    plan.larger = plan.pairs % max(plan.tiles, 1);
    plan.columns = columns;
    plan.segments = (columns + WORKERS * CHUNK - 1) / (WORKERS * CHUNK);
    int share = (columns + plan.segments * WORKERS - 1) / (plan.segments * WORKERS);
    plan.chunk = (share + 31) / 32 * 32;
    plan.segments = (columns + WORKERS * plan.chunk - 1) / (WORKERS * plan.chunk);
    plan.warps = min(WORKERS, (columns + plan.chunk - 1) / plan.chunk);
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

struct Ring {
    char *segments;
    Arrival *full, *empty;
    int slots;
};

// A slot of the ring and how often the ring has come round, modulo 2.
struct Cursor {
    int slot;
    u32 parity;
};

DEVICE Cursor ahead(Cursor cursor, int by, const Ring &ring) {
    cursor.slot += by;
    if (cursor.slot >= ring.slots) {
        cursor.slot -= ring.slots;
        cursor.parity ^= 1;
    }
    return cursor;
}

// By one thread; a __syncthreads follows.
DEVICE void ring_init(const Ring &ring) {
    for (int i = 0; i < ring.slots; i++) {
        arrival_init(ring.full + i, 1);
        arrival_init(ring.empty + i, WORKERS);
    }
    arrival_init_done();
}

// Asks for one segment. `behind` is the one WINDOW before it, which must have
// arrived.
DEVICE void ask_segment(const Ring &ring, Cursor at, Cursor behind, bool started,
                        const elem *from, u32 bytes) {
    // A fresh barrier counts as one whose phase of parity 1 has ended.
    await_arrival(ring.empty + at.slot, at.parity ^ 1);
    if (started) await_arrival(ring.full + behind.slot, behind.parity);
    if (lane_id() == 0) {
        arrive_expecting(ring.full + at.slot, bytes);
        copy_bulk(ring.segments + at.slot * SLOT_BYTES, from, bytes, ring.full + at.slot);
    }
}

// Waits for the rows that this lane will read: row lane / 4 of both halves where a
// matrix unit multiplies, else every row.
template <class Slot, class There>
DEVICE void await_rows(const Ring &ring, Slot slot, There there) {
#pragma unroll 1
#if BF16 && MATRIX_UNITS
    for (int r = lane_id() / 4; r < TILE_ROWS; r += TILE_PAIRS) {
#else
    for (int r = 0; r < TILE_ROWS; r++) {
#endif
        if (!there(r)) continue;
        Cursor at = slot(r);
        await_arrival(ring.full + at.slot, at.parity);
    }
    __syncwarp();
}

#endif

// ---- the product of a segment ------------------------------------------------------------

// multiply adds one segment's products to the warp's sums; finish_sums leaves
// them in to[row * batch + sequence]: the lower rows of the pairs first, the higher
// from TILE_PAIRS on.
//
// `row(r)` is where row r's columns for this warp begin, null where there is no
// such row; `x` holds the activations of the same columns, sequence b at
// row_offset(b).

#if BF16 && MATRIX_UNITS

// Weights are the 16-row operand of the matrix unit, activations the 8-column
// one: up to eight sequences cost what one costs. Two sums, so that one product
// need not wait for the one before.
struct Sums {
    float even[4], odd[4];
};

// The order of the summed columns is free as long as both operands agree: a lane
// takes eight neighbouring columns in one load of 16 bytes and feeds four of
// them to each of two products.
template <class Row>
DEVICE void multiply(Sums &sums, Row row, const char *x, int columns, int batch, float *,
                     bool first) {
    const uint4 zero = make_uint4(0, 0, 0, 0);
    int pair = lane_id() / 4, column = lane_id() % 4 * 8;
    const elem *low = row(pair), *high = row(pair + TILE_PAIRS);
    const elem *vector = reinterpret_cast<const elem *>(x + row_offset(pair));
    if (first) {
#pragma unroll
        for (int i = 0; i < 4; i++) sums.even[i] = sums.odd[i] = 0.0f;
    }
#pragma unroll
    for (int step = 0; step < CHUNK / 32; step++, column += 32) {
        bool inside = column < columns;
        uint4 a = inside && low ? *reinterpret_cast<const uint4 *>(low + column) : zero;
        uint4 b = inside && high ? *reinterpret_cast<const uint4 *>(high + column) : zero;
        uint4 c = inside && pair < batch ? *reinterpret_cast<const uint4 *>(vector + column) : zero;
        u32 even[4] = {a.x, b.x, a.y, b.y};
        u32 odd[4] = {a.z, b.z, a.w, b.w};
        mma(sums.even, even, c.x, c.y);
        mma(sums.odd, odd, c.z, c.w);
    }
}

DEVICE void finish_sums(const Sums &sums, int batch, float *to) {
    int pair = lane_id() / 4, sequence = lane_id() % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (sequence + i >= batch) continue;
        to[pair * batch + sequence + i] = sums.even[i] + sums.odd[i];
        to[(pair + TILE_PAIRS) * batch + sequence + i] = sums.even[i + 2] + sums.odd[i + 2];
    }
}

#else

// Sums are kept where they end.
struct Sums {};

DEVICE void finish_sums(const Sums &, int, float *) {}

// Sums of 16 values over the warp by folding: in each exchange a lane gives away
// half of its values and keeps the sums of the other half. 16 exchanges in place
// of 80. Lane l returns the sum of value l / (WARP / 16).
DEVICE float fold_rows(float (&value)[TILE_ROWS]) {
    int mask = WARP / 2;
#pragma unroll
    for (int keep = TILE_ROWS / 2; keep > 0; keep /= 2, mask /= 2) {
        bool upper = lane_id() & mask;
#pragma unroll
        for (int i = 0; i < keep; i++) {
            float mine = upper ? value[i + keep] : value[i];
            float other = upper ? value[i] : value[i + keep];
            value[i] = mine + swap_lanes(other, mask);
        }
    }
    for (; mask > 0; mask /= 2) value[0] += swap_lanes(value[0], mask);
    return value[0];
}

// Without matrix units: a lane takes one pack of every row, and the sums are
// folded segment by segment, one sequence after the other.
template <class Row>
DEVICE void multiply(Sums &, Row row, const char *x, int columns, int batch, float *to,
                     bool first) {
    for (int sequence = 0; sequence < batch; sequence++) {
        const elem *vector = reinterpret_cast<const elem *>(x + row_offset(sequence));
        float value[TILE_ROWS];
#pragma unroll
        for (int r = 0; r < TILE_ROWS; r++) value[r] = 0.0f;
        for (int column = lane_id() * PACK; column < columns; column += WARP * PACK) {
            Words b = load_words(vector + column);
#pragma unroll
            for (int r = 0; r < TILE_ROWS; r++) {
                const elem *from = row(r);
                if (from == nullptr) continue;
                Words a = load_words(from + column);
#pragma unroll
                for (int e = 0; e < PACK; e++) value[r] += word_value(a, e) * word_value(b, e);
            }
        }
        float sum = fold_rows(value);
        float *place = to + lane_id() / (WARP / TILE_ROWS) * batch + sequence;
        if (lane_id() % (WARP / TILE_ROWS) == 0) *place = first ? sum : *place + sum;
    }
}

#endif

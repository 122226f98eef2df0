// The phases of a decode step inside one kernel: what each reads, which rows of
// which weights it multiplies, and what it does with the sums.

enum Phase { QKV, O, GATE_UP, DOWN, LOGITS };

// Parts over which the keys of a head are spread.
#ifndef SPLITS
#define SPLITS 4
#endif

// Addresses of one layer: weights [out][in], cache [batch][cap][kv_heads * HEAD].
struct Layer {
    const elem *norm1, *q, *k, *v, *o, *norm2, *gate, *up, *down;
    elem *keys, *values;
};

// What the launch was given; see block_decode.
struct Decode {
    const Layer *layers;
    int count;
    const int *ids;
    const elem *table, *x;
    elem *y;
    const elem *final_norm, *head;
    elem *logits;
    int batch, width, heads, kv_heads, ffn, vocab, cap, past;
    float eps, theta, scale;
};

DEVICE int qkv_width(const Decode &d) { return (d.heads + 2 * d.kv_heads) * HEAD; }

// Where blocks leave what other blocks read, in the second-level cache.
struct Exchange {
    u32 *epoch, *exits;
    TaggedFloat *weight; // [batch][SPLITS][heads]: log of the part's sum of exponentials
    Tagged *qkv;         // [batch][qkv_width]
    Tagged *att;         // [batch][SPLITS][width]: each part's average of values
    Tagged *h, *x;       // [batch][width]
    Tagged *m;           // [batch][ffn]
};

#define EXCHANGE_HEAD 128 // bytes in front of the tagged words

DEVICE Exchange exchange_at(char *memory, const Decode &d) {
    Exchange e;
    e.epoch = reinterpret_cast<u32 *>(memory);
    e.exits = e.epoch + 1;
    e.qkv = reinterpret_cast<Tagged *>(memory + EXCHANGE_HEAD);
    e.att = e.qkv + long(d.batch) * qkv_width(d);
    e.h = e.att + long(d.batch) * SPLITS * d.width;
    e.x = e.h + long(d.batch) * d.width;
    e.m = e.x + long(d.batch) * d.width;
    e.weight = reinterpret_cast<TaggedFloat *>(e.m + long(d.batch) * d.ffn);
    return e;
}

// What a block keeps in shared memory, and where it is in its work.
struct Block {
    char *x;         // staged activations: chunk c at c * x_stride
    int x_stride;    // bytes
    float *partial;  // [2][WORKERS][...]: sums of each warp
    float *squares;  // [2][WORKERS][batch]: sums of squares of each warp's columns
    float *residual; // [own rows][batch]: the residual stream where this block adds to it
    Turn *turns;     // [HEAD / 2]
    int side;        // which half of `partial` is in use: changes with every pass
    int norm_side;   // which half of `squares`: changes with every phase
    u32 tag;         // of the layer
#if BULK_COPIES
    Ring ring;
    Cursor cursor;
#endif
};

// Floats of one half of `partial`: eight tiles of one sequence or one tile of
// eight; an attention part needs HEAD + 2 per warp.
#define PASS_SUMS (8 * TILE_ROWS + 2)

DEVICE int pass_tiles(int batch) { return max(1, 8 / batch); }

// ---- rows of weights ---------------------------------------------------------------------

template <int PHASE> DEVICE int phase_columns(const Decode &d) {
    return PHASE == DOWN ? d.ffn : d.width;
}

template <int PHASE> DEVICE int phase_pairs(const Decode &d) {
    if (PHASE == QKV) return qkv_width(d) / 2;
    if (PHASE == GATE_UP) return d.ffn;
    if (PHASE == LOGITS) return (d.vocab + 1) / 2;
    return d.width / 2;
}

// Row `upper` (0 or 1) of a pair. Pairs are chosen so that one thread gets both
// sums and needs no exchange: the two columns of a rotation, a column's gate and
// up; elsewhere neighbours.
template <int PHASE>
DEVICE const elem *weight_row(const Decode &d, const Layer &layer, int pair, int upper) {
    const long columns = phase_columns<PHASE>(d);
    if (PHASE == QKV) {
        int head = pair / (HEAD / 2);
        int row = pair % (HEAD / 2) + upper * (HEAD / 2);
        if (head < d.heads) return layer.q + (head * HEAD + row) * columns;
        head -= d.heads;
        if (head < d.kv_heads) return layer.k + (head * HEAD + row) * columns;
        head -= d.kv_heads;
        return layer.v + (head * HEAD + row) * columns;
    }
    if (PHASE == GATE_UP) return (upper ? layer.up : layer.gate) + pair * columns;
    int row = 2 * pair + upper;
    if (PHASE == LOGITS) return row < d.vocab ? d.head + row * columns : nullptr;
    return (PHASE == O ? layer.o : layer.down) + row * columns;
}

#if BULK_COPIES

// The asking warp's part of a phase: all its stages, in the order in which they
// are multiplied.
template <int PHASE>
DEVICE void ask_phase(const Decode &d, const Layer &layer, const Ring &ring, Cursor &at,
                      Cursor &behind, int &asked) {
    Share share = share_pairs(phase_pairs<PHASE>(d));
    Cut cut = cut_columns(phase_columns<PHASE>(d));
    int lane = lane_id();
    for (int tile = 0; tile < tiles_of(share); tile++) {
        Share part = tile_pairs(share, tile);
        const elem *row = nullptr;
        if (lane < TILE_ROWS && lane % TILE_PAIRS < part.pairs) {
            int pair = share.first + part.first + lane % TILE_PAIRS;
            row = weight_row<PHASE>(d, layer, pair, lane / TILE_PAIRS);
        }
        int rows = __popc(__ballot_sync(0xffffffffu, row != nullptr));
        for (int chunk = 0; chunk < cut.chunks; chunk++) {
            int first = chunk * cut.chunk;
            int columns = min(cut.chunk, cut.columns - first);
            ask_stage(ring, at, behind, asked >= WINDOW, row ? row + first : nullptr, rows,
                      columns);
            advance(at, 1, ring);
            if (asked >= WINDOW) advance(behind, 1, ring);
            asked++;
        }
    }
}

#endif

// ---- inputs --------------------------------------------------------------------------------

// Packs asked for at once while waiting: one trip to the second-level cache
// serves them all.
#define DEPTH 4

// Waits for DEPTH packs (null: none) to carry the tag.
DEVICE void await_packs(TaggedPack (&packs)[DEPTH], const Tagged *const (&from)[DEPTH], u32 tag) {
    bool ready;
    do {
        ready = true;
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            if (from[i]) load_tagged(packs[i], from[i]);
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            if (from[i]) ready &= all_tagged(packs[i], tag);
    } while (!ready);
}

// One pack of attention's result: the parts of the keys, each weighted by its
// share of the sum of exponentials.
DEVICE void await_attention(float (&value)[PACK], const Decode &d, const Exchange &e, int sequence,
                            int column, u32 tag) {
    const Tagged *att = e.att + long(sequence) * SPLITS * d.width + column;
    const TaggedFloat *weight = e.weight + long(sequence) * SPLITS * d.heads + column / HEAD;
    TaggedPack packs[SPLITS];
    TaggedFloat sums[SPLITS];
    bool ready;
    do {
        ready = true;
#pragma unroll
        for (int s = 0; s < SPLITS; s++) {
            load_tagged(packs[s], att + long(s) * d.width);
            sums[s] = load_device(weight + s * d.heads);
        }
#pragma unroll
        for (int s = 0; s < SPLITS; s++)
            ready &= all_tagged(packs[s], tag) && float_has_tag(sums[s], tag);
    } while (!ready);
    float most = MINUS_INFINITY, total = 0.0f;
#pragma unroll
    for (int s = 0; s < SPLITS; s++) most = fmaxf(most, tagged_float(sums[s]));
#pragma unroll
    for (int i = 0; i < PACK; i++) value[i] = 0.0f;
#pragma unroll
    for (int s = 0; s < SPLITS; s++) {
        float share = expf(tagged_float(sums[s]) - most);
        total += share;
#pragma unroll
        for (int i = 0; i < PACK; i++) value[i] += share * tagged_value(packs[s].at[i]);
    }
#pragma unroll
    for (int i = 0; i < PACK; i++) value[i] /= total;
}

// Brings the activations of this warp's chunks into shared memory, times gamma
// where the phase begins with a norm. The norm's other factor, one number per
// sequence, is applied to the finished sums: only then are all squares known.
// `plain` (or null) is a row that is simply there, of the launch's own input.
template <int PHASE>
DEVICE void stage_inputs(const Decode &d, const Exchange &e, Block &block, const elem *gamma,
                         bool plain) {
    const bool norm = PHASE == QKV || PHASE == GATE_UP || PHASE == LOGITS;
    const Cut cut = cut_columns(phase_columns<PHASE>(d));
    const Tagged *from = PHASE == GATE_UP ? e.h : PHASE == DOWN ? e.m : e.x;
    const int warp = warp_id(), lane = lane_id();
    int own = (cut.chunks - warp + WORKERS - 1) / WORKERS;
    float *squares = block.squares + (block.norm_side * WORKERS + warp) * d.batch;
    for (int sequence = 0; sequence < d.batch; sequence++) {
        float sum = 0.0f;
        for (int base = 0; base < own; base += DEPTH) {
            const Tagged *places[DEPTH];
            TaggedPack packs[DEPTH];
            Pack scale[DEPTH];
            int columns[DEPTH];
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                int chunk = warp + (base + i) * WORKERS;
                int column = chunk * cut.chunk + lane * PACK;
                bool inside = base + i < own && lane * PACK < cut.chunk && column < cut.columns;
                columns[i] = inside ? column : -1;
                places[i] = inside ? from + long(sequence) * cut.columns + column : nullptr;
                if (norm && inside) scale[i] = load_pack(gamma + column);
            }
            if (PHASE != O && !plain) await_packs(packs, places, block.tag);
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                if (columns[i] < 0) continue;
                float value[PACK];
                if (PHASE == O) {
                    await_attention(value, d, e, sequence, columns[i], block.tag);
                } else if (plain) {
                    const elem *row = d.table ? d.table + long(d.ids[sequence]) * d.width
                                              : d.x + long(sequence) * d.width;
                    Pack pack = load_pack(row + columns[i]);
#pragma unroll
                    for (int k = 0; k < PACK; k++) value[k] = widen(pack.at[k]);
                } else {
#pragma unroll
                    for (int k = 0; k < PACK; k++) value[k] = tagged_value(packs[i].at[k]);
                }
                Pack out;
#pragma unroll
                for (int k = 0; k < PACK; k++) {
                    if (norm) sum += value[k] * value[k];
                    out.at[k] = narrow(norm ? value[k] * widen(scale[i].at[k]) : value[k]);
                }
                int chunk = warp + (base + i) * WORKERS;
                char *to = block.x + chunk * block.x_stride + row_offset(sequence);
                store_pack(reinterpret_cast<elem *>(to) + lane * PACK, out);
            }
        }
        if (norm) {
            sum = warp_sum(sum);
            if (lane == 0) squares[sequence] = sum;
        }
    }
    __syncwarp();
}

// ---- results -------------------------------------------------------------------------------

DEVICE float silu_of(float value) { return value / (1.0f + expf(-value)); }

// What becomes of the two sums of a pair. `place` counts the block's own pairs.
template <int PHASE>
DEVICE void finish_pair(const Decode &d, const Exchange &e, const Block &block, const Layer &layer,
                        int pair, int place, int sequence, float low, float high, bool last) {
    if (PHASE == QKV) {
        int head = pair / (HEAD / 2), column = pair % (HEAD / 2);
        if (head < d.heads + d.kv_heads) {
            Turn turn = block.turns[column];
            float first = turn_first(low, high, turn);
            high = turn_second(low, high, turn);
            low = first;
        }
        Tagged *to = e.qkv + long(sequence) * qkv_width(d) + head * HEAD + column;
        store_device(to, tag_value(low, block.tag));
        store_device(to + HEAD / 2, tag_value(high, block.tag));
        head -= d.heads;
        if (head < 0) return;
        elem *cache = head < d.kv_heads ? layer.keys : layer.values;
        head -= head < d.kv_heads ? 0 : d.kv_heads;
        cache += cache_row(sequence, 1, d.cap, d.past) * d.kv_heads * HEAD + head * HEAD + column;
        cache[0] = narrow(low);
        cache[HEAD / 2] = narrow(high);
    } else if (PHASE == GATE_UP) {
        store_device(e.m + long(sequence) * d.ffn + pair, tag_value(silu_of(low) * high, block.tag));
    } else if (PHASE == LOGITS) {
        elem *to = d.logits + long(sequence) * d.vocab + 2 * pair;
        to[0] = narrow(low);
        if (2 * pair + 1 < d.vocab) to[1] = narrow(high);
    } else {
        float *residual = block.residual + 2 * place * d.batch + sequence;
        elem first = narrow(residual[0] + low), second = narrow(residual[d.batch] + high);
        residual[0] = widen(first);
        residual[d.batch] = widen(second);
        // The next layer waits for its own number.
        u32 tag = PHASE == DOWN ? block.tag + 1 : block.tag;
        Tagged *to = (PHASE == DOWN ? e.x : e.h) + long(sequence) * d.width + 2 * pair;
        store_device(to, tag_value(widen(first), tag));
        store_device(to + 1, tag_value(widen(second), tag));
        if (PHASE == DOWN && last && d.y) {
            elem *y = d.y + long(sequence) * d.width + 2 * pair;
            y[0] = first;
            y[1] = second;
        }
    }
}

// ---- one product ---------------------------------------------------------------------------

// A computing warp's part of a phase: wait for the inputs, multiply the stages as
// they arrive, add up what the warps have, finish.
template <int PHASE>
DEVICE void run_phase(const Decode &d, const Exchange &e, Block &block, const Layer &layer,
                      const elem *gamma, bool plain, bool last) {
    const bool norm = PHASE == QKV || PHASE == GATE_UP || PHASE == LOGITS;
    const int columns = phase_columns<PHASE>(d);
    const Share share = share_pairs(phase_pairs<PHASE>(d));
    const Cut cut = cut_columns(columns);
    const int tiles = tiles_of(share), warp = warp_id();
    if (tiles == 0) return;
    stage_inputs<PHASE>(d, e, block, gamma, plain);
#if BULK_COPIES
    Cursor cursor = block.cursor;
    advance(cursor, warp, block.ring);
#endif
    for (int base = 0; base < tiles; base += pass_tiles(d.batch)) {
        int end = min(tiles, base + pass_tiles(d.batch));
        float *partial = block.partial + block.side * WORKERS * PASS_SUMS;
        for (int tile = base; tile < end; tile++) {
            Share part = tile_pairs(share, tile);
            Sums sums;
            for (int chunk = warp; chunk < cut.chunks; chunk += WORKERS) {
                int first = chunk * cut.chunk;
#if BULK_COPIES
                const char *stage = block.ring.stages + cursor.slot * STAGE_BYTES;
                auto row = [&](int r) -> const elem * {
                    bool there = r % TILE_PAIRS < part.pairs;
                    if (PHASE == LOGITS && r >= TILE_PAIRS)
                        there &= 2 * (share.first + part.first + r % TILE_PAIRS) + 1 < d.vocab;
                    return there ? reinterpret_cast<const elem *>(stage + row_offset(r)) : nullptr;
                };
                await_arrival(block.ring.full + cursor.slot, cursor.parity);
#else
                auto row = [&](int r) -> const elem * {
                    if (r % TILE_PAIRS >= part.pairs) return nullptr;
                    int pair = share.first + part.first + r % TILE_PAIRS;
                    const elem *at = weight_row<PHASE>(d, layer, pair, r / TILE_PAIRS);
                    return at ? at + first : nullptr;
                };
#endif
                multiply_stage(sums, row, block.x + chunk * block.x_stride,
                               min(cut.chunk, cut.columns - first), d.batch,
                               partial + warp * PASS_SUMS + (tile - base) * TILE_ROWS * d.batch,
                               chunk == warp, chunk + WORKERS >= cut.chunks);
#if BULK_COPIES
                __syncwarp();
                if (lane_id() == 0) arrive(block.ring.empty + cursor.slot);
                // The warp's next stage: of this tile, or of the next.
                int next = chunk + WORKERS < cut.chunks ? WORKERS : cut.chunks - chunk + warp;
                advance(cursor, next, block.ring);
#endif
            }
        }
        workers_wait(WORKERS * WARP);
        const int warps = min(WORKERS, cut.chunks);
        const int slots = (end - base) * TILE_PAIRS * d.batch;
        for (int i = threadIdx.x; i < slots; i += WORKERS * WARP) {
            int sequence = i % d.batch, in_tile = i / d.batch % TILE_PAIRS;
            int tile = i / d.batch / TILE_PAIRS;
            Share part = tile_pairs(share, base + tile);
            if (in_tile >= part.pairs) continue;
            const float *from = partial + (tile * TILE_ROWS + in_tile) * d.batch + sequence;
            float low = 0.0f, high = 0.0f, squares = 0.0f;
            for (int w = 0; w < warps; w++) {
                low += from[w * PASS_SUMS];
                high += from[w * PASS_SUMS + TILE_PAIRS * d.batch];
                if (norm) squares += block.squares[(block.norm_side * WORKERS + w) * d.batch + sequence];
            }
            if (norm) {
                float rstd = rsqrtf(squares / float(columns) + d.eps);
                low *= rstd;
                high *= rstd;
            }
            int place = part.first + in_tile;
            finish_pair<PHASE>(d, e, block, layer, share.first + place, place, sequence, low, high,
                               last);
        }
        block.side ^= 1;
    }
    block.norm_side ^= 1;
#if BULK_COPIES
    advance(block.cursor, tiles * cut.chunks, block.ring);
#endif
}

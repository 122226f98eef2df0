// The phases of a decode step inside one kernel: what each reads, which rows of
// which weights it multiplies, and what it does with the sums.

enum Phase { QKV, O, GATE_UP, DOWN, LOGITS };

// Parts over which the keys of a head are spread.
#ifndef SPLITS
#define SPLITS 4
#endif

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

// What all threads of a block read, at the beginning of its shared memory. Kept
// there and not in registers: what a phase does not use must not cost it any.
struct Common {
    Decode d;
    Exchange e;
    Plan plan[5];
    int zeros;    // 16 zero bytes, offset in shared memory like those below
    int x_stride; // bytes from chunk to chunk of the staged activations
    // Offsets in shared memory:
    int layers;   // Layer [count]
    int turns;    // Turn [HEAD / 2]
    int squares;  // float [2][WORKERS][batch]: sums of squares of each warp's columns
    int residual; // float [own rows][batch]: the residual stream where this block adds to it
    int partial;  // float [2][WORKERS][PASS_SUMS]: sums of each warp
    int x;        // staged activations: chunk c at c * x_stride
    int segments, full, empty, slots; // the ring
};

extern __shared__ uint4 shared_memory[];

template <class T> DEVICE T *shared_at(int offset) {
    return reinterpret_cast<T *>(reinterpret_cast<char *>(shared_memory) + offset);
}

DEVICE const Common &common() { return *shared_at<Common>(0); }

// Where a computing warp is in its work.
struct Block {
    u32 tag;       // of the layer
    int side;      // which half of `partial` is in use: changes with every pass
    int norm_side; // which half of `squares`: changes with every phase
#if BULK_COPIES
    Place place;
#endif
};

// Floats of one warp in `partial`: eight tiles of one sequence or one tile of
// eight sequences; an attention part needs HEAD + 2.
#define PASS_SUMS (8 * TILE_ROWS + 2)

DEVICE int pass_tiles(int batch) { return max(1, 8 / batch); }

// ---- rows of weights ---------------------------------------------------------------------

// Columns and pairs of a phase's product.
DEVICE int phase_columns(const Decode &d, int phase) { return phase == DOWN ? d.ffn : d.width; }

DEVICE int phase_pairs(const Decode &d, int phase) {
    if (phase == QKV) return qkv_width(d) / 2;
    if (phase == GATE_UP) return d.ffn;
    if (phase == LOGITS) return (d.vocab + 1) / 2;
    return d.width / 2;
}

// Row `upper` (0 or 1) of a pair. Pairs are chosen so that one thread gets both
// sums and needs no exchange: the two columns of a rotation, a column's gate and
// up; elsewhere neighbours.
DEVICE const elem *weight_row(const Decode &d, const Layer &layer, int phase, int pair, int upper) {
    const long columns = phase_columns(d, phase);
    int row = 2 * pair + upper;
    const elem *matrix;
    if (phase == QKV) {
        int head = pair / (HEAD / 2);
        row = pair + (head + upper) * (HEAD / 2);
        matrix = layer.q;
        if (head >= d.heads) {
            row -= d.heads * HEAD;
            matrix = layer.k;
        }
        if (head >= d.heads + d.kv_heads) {
            row -= d.kv_heads * HEAD;
            matrix = layer.v;
        }
    } else if (phase == GATE_UP) {
        row = pair;
        matrix = upper ? layer.up : layer.gate;
    } else if (phase == LOGITS) {
        matrix = row < d.vocab ? d.head : nullptr;
    } else {
        matrix = phase == O ? layer.o : layer.down;
    }
    return matrix ? matrix + row * columns : nullptr;
}

#if BULK_COPIES

DEVICE Ring ring_of(const Common &common) {
    return {shared_at<char>(common.segments), shared_at<Arrival>(common.full),
            shared_at<Arrival>(common.empty), common.slots};
}

// The asking warp's part of a phase: all its stages, in the order in which they
// are multiplied.
DEVICE void ask_phase(const Layer &layer, int phase, const Ring &ring, Asker &asker) {
    const Plan plan = common().plan[phase];
#pragma unroll 1
    for (int tile = 0; tile < plan.tiles; tile++) {
        Tile part = tile_of(plan, tile);
        // Lane r knows row r: the lower rows of the pairs, then the higher.
        const elem *row = nullptr;
        if (lane_id() < 2 * part.pairs) {
            int upper = lane_id() >= part.pairs;
            int pair = plan.first + part.first + lane_id() - upper * part.pairs;
            row = weight_row(common().d, layer, phase, pair, upper);
        }
        int rows = __popc(__ballot_sync(0xffffffffu, row != nullptr));
#pragma unroll 1
        for (int segment = 0; segment < plan.segments; segment++) {
            int first = segment * WORKERS * plan.chunk;
            u32 bytes = min(WORKERS * plan.chunk, plan.columns - first) * sizeof(elem);
            ask_stage(asker, ring, row + first, rows, bytes);
        }
    }
}

#endif

// ---- inputs --------------------------------------------------------------------------------

// Where a phase's activations come from.
enum Source { EXCHANGED, ATTENTION, GIVEN };

// Chunks asked for at once while waiting: one trip to the second-level cache
// serves them all.
#define DEPTH 3

// Results in bf16 need no more than the hardware's own functions give.
DEVICE float exp_of(float value) {
#if BF16
    return __expf(value);
#else
    return expf(value);
#endif
}

DEVICE float log_of(float value) {
#if BF16
    return __logf(value);
#else
    return logf(value);
#endif
}

DEVICE float ratio_of(float value, float by) {
#if BF16
    return __fdividef(value, by);
#else
    return value / by;
#endif
}

// One pack of attention's result: the parts of the keys, each weighted by its
// share of the sum of exponentials.
DEVICE void await_attention(float (&value)[PACK], const Common &c, int sequence, int column,
                            u32 tag) {
    const int width = c.d.width, heads = c.d.heads;
    const Tagged *att = c.e.att + long(sequence) * SPLITS * width + column;
    const TaggedFloat *weight = c.e.weight + long(sequence) * SPLITS * heads + column / HEAD;
    TaggedPack packs[SPLITS];
    TaggedFloat sums[SPLITS];
    bool ready;
    do {
        ready = true;
#pragma unroll
        for (int s = 0; s < SPLITS; s++) {
            load_tagged(packs[s], att + s * width);
            sums[s] = load_device(weight + s * heads);
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
        float share = exp_of(tagged_float(sums[s]) - most);
        total += share;
#pragma unroll
        for (int i = 0; i < PACK; i++) value[i] += share * tagged_value(packs[s].at[i]);
    }
    float scale = ratio_of(1.0f, total);
#pragma unroll
    for (int i = 0; i < PACK; i++) value[i] *= scale;
}

// A pack of activations to its place in shared memory, times gamma where there
// is one. Returns its sum of squares.
DEVICE float put_pack(float (&value)[PACK], bool normed, const Words &scale, int to) {
    float sum = 0.0f;
    if (normed) {
#pragma unroll
        for (int k = 0; k < PACK; k++) {
            sum += value[k] * value[k];
            value[k] *= word_value(scale, k);
        }
    }
    *shared_at<Words>(to) = words_of(value);
    return sum;
}

// Brings the activations of this warp's chunks into shared memory, times gamma
// where the phase begins with a norm. The norm's other factor, one number per
// sequence, is applied to the finished sums: only then are all squares known.
DEVICE void stage_inputs(const Block &block, const Plan &plan, Source source, const Tagged *from,
                         const elem *gamma) {
    const Common &c = common();
    const int batch = c.d.batch, x = c.x, x_stride = c.x_stride;
    const int warp = warp_id(), lane = lane_id();
#pragma unroll 1
    for (int sequence = 0; sequence < batch; sequence++) {
        float sum = 0.0f;
        const int place = x + row_offset(sequence) + lane * int(sizeof(Words));
#pragma unroll 1
        for (int base = 0; base < plan.segments; base += DEPTH) {
            if (source != EXCHANGED) {
#pragma unroll 1
                for (int i = base; i < min(plan.segments, base + DEPTH); i++) {
                    int chunk = i * WORKERS + warp, column = chunk * plan.chunk + lane * PACK;
                    if (lane * PACK >= plan.chunk || column >= plan.columns) continue;
                    float value[PACK];
                    Words scale = {};
                    if (gamma) scale = load_words(gamma + column);
                    if (source == ATTENTION) {
                        await_attention(value, c, sequence, column, block.tag);
                    } else {
                        const elem *row = c.d.table ? c.d.table : c.d.x;
                        row += long(c.d.table ? c.d.ids[sequence] : sequence) * c.d.width;
                        Words words = load_words(row + column);
#pragma unroll
                        for (int k = 0; k < PACK; k++) value[k] = word_value(words, k);
                    }
                    sum += put_pack(value, gamma != nullptr, scale, place + chunk * x_stride);
                }
                continue;
            }
            TaggedPack packs[DEPTH] = {};
            Words scale[DEPTH] = {};
            bool inside[DEPTH];
            const Tagged *row = from + long(sequence) * plan.columns;
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                int column = ((base + i) * WORKERS + warp) * plan.chunk + lane * PACK;
                inside[i] = lane * PACK < plan.chunk && column < plan.columns;
                if (gamma && inside[i]) scale[i] = load_words(gamma + column);
            }
            bool ready;
            do {
                ready = true;
#pragma unroll
                for (int i = 0; i < DEPTH; i++) {
                    int column = ((base + i) * WORKERS + warp) * plan.chunk + lane * PACK;
                    if (inside[i]) load_tagged(packs[i], row + column);
                }
#pragma unroll
                for (int i = 0; i < DEPTH; i++)
                    if (inside[i]) ready &= all_tagged(packs[i], block.tag);
            } while (!ready);
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                if (!inside[i]) continue;
                float value[PACK];
#pragma unroll
                for (int k = 0; k < PACK; k++) value[k] = tagged_value(packs[i].at[k]);
                int to = place + ((base + i) * WORKERS + warp) * x_stride;
                sum += put_pack(value, gamma != nullptr, scale[i], to);
            }
        }
        if (gamma) {
            sum = warp_sum(sum);
            int at = (block.norm_side * WORKERS + warp) * batch + sequence;
            if (lane == 0) shared_at<float>(c.squares)[at] = sum;
        }
    }
    warp_sync();
}

// ---- results -------------------------------------------------------------------------------

DEVICE float silu_of(float value) { return ratio_of(value, 1.0f + exp_of(-value)); }

// What becomes of the two sums of a pair. `place` counts the block's own pairs.
DEVICE void finish_pair(const Block &block, const Layer &layer, int phase, int pair, int place,
                        int sequence, float low, float high, bool last) {
    const Decode &d = common().d;
    const Exchange &e = common().e;
    if (phase == GATE_UP) {
        Tagged *to = e.m + long(sequence) * d.ffn + pair;
        store_device(to, tag_value(silu_of(low) * high, block.tag));
    } else if (phase == QKV) {
        int head = pair / (HEAD / 2), column = pair % (HEAD / 2);
        if (head < d.heads + d.kv_heads) {
            Turn turn = shared_at<Turn>(common().turns)[column];
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
        cache += (long(sequence) * d.cap + d.past) * d.kv_heads * HEAD + head * HEAD + column;
        cache[0] = narrow(low);
        cache[HEAD / 2] = narrow(high);
    } else if (phase == LOGITS) {
        elem *to = d.logits + long(sequence) * d.vocab + 2 * pair;
        to[0] = narrow(low);
        if (2 * pair + 1 < d.vocab) to[1] = narrow(high);
    } else {
        const int batch = d.batch;
        const long at = long(sequence) * d.width + 2 * pair;
        Tagged *to = (phase == DOWN ? e.x : e.h) + at;
        // The next layer waits for its own number.
        u32 tag = phase == DOWN ? block.tag + 1 : block.tag;
        float *residual = shared_at<float>(common().residual) + 2 * place * batch + sequence;
        elem first = narrow(residual[0] + low), second = narrow(residual[batch] + high);
        store_device(to, tag_value(widen(first), tag));
        store_device(to + 1, tag_value(widen(second), tag));
        residual[0] = widen(first);
        residual[batch] = widen(second);
        if (last && d.y) {
            d.y[at] = first;
            d.y[at + 1] = second;
        }
    }
}

// ---- one product ---------------------------------------------------------------------------

// A computing warp's part of a phase: wait for the inputs, multiply the stages as
// they arrive, add up what the warps have, finish. One body for all phases: with a
// body each, every layer would fetch 150 KB of instructions anew.
DEVICE void run_phase(Block &block, int phase, int l, bool given, bool last) {
    const Common &c = common();
    const Layer &layer = shared_at<Layer>(c.layers)[l];
    const Tagged *from = phase == DOWN ? c.e.m : phase == GATE_UP ? c.e.h : c.e.x;
    const elem *gamma = phase == QKV       ? layer.norm1
                        : phase == GATE_UP ? layer.norm2
                        : phase == LOGITS  ? c.d.final_norm
                                           : nullptr;
    const Source source = given ? GIVEN : phase == O ? ATTENTION : EXCHANGED;
    const Plan plan = c.plan[phase];
    const int batch = common().d.batch, warp = warp_id();
    if (plan.tiles == 0) return;
    stage_inputs(block, plan, source, from, gamma);
#if BULK_COPIES
    const Ring ring = ring_of(common());
#endif
    for (int base = 0; base < plan.tiles; base += pass_tiles(batch)) {
        int end = min(plan.tiles, base + pass_tiles(batch));
        float *partial = shared_at<float>(common().partial) + block.side * WORKERS * PASS_SUMS;
#if BF16 && BULK_COPIES
        Vector vector;
        const char *zeros = shared_at<char>(common().zeros);
        load_vector(vector, shared_at<char>(common().x + warp * common().x_stride), zeros,
                    min(plan.chunk, plan.columns - warp * plan.chunk), batch);
#endif
#pragma unroll 1
        for (int tile = base; tile < end; tile++) {
            Tile part = tile_of(plan, tile);
            int first_pair = plan.first + part.first;
            // The last row of an odd matrix has no partner.
            int odd = phase == LOGITS && 2 * (first_pair + part.pairs) > common().d.vocab;
            int rows = 2 * part.pairs - odd;
            float *to = partial + warp * PASS_SUMS + (tile - base) * TILE_ROWS * batch;
            Sums sums;
            clear_sums(sums);
#pragma unroll 1
            for (int segment = 0; segment < plan.segments; segment++) {
                int chunk = segment * WORKERS + warp;
                int columns = min(plan.chunk, plan.columns - chunk * plan.chunk);
                const char *x = shared_at<char>(common().x + chunk * common().x_stride);
#if BULK_COPIES
                auto row = [&](int r) {
                    int slot = wrap_slot(block.place.slot + r, ring);
                    return reinterpret_cast<const elem *>(ring.segments + slot * SLOT_BYTES) +
                           warp * plan.chunk;
                };
#if BF16
                if (plan.segments > 1) load_vector(vector, x, zeros, columns, batch);
#endif
#pragma unroll
                for (int i = 0; i < PARTS; i++)
                    if (i * PART_ROWS < rows) await_part(ring, block.place.stage, i);
                warp_sync();
#else
                auto row = [&](int r) {
                    int upper = r >= part.pairs;
                    int pair = first_pair + r - upper * part.pairs;
                    return weight_row(common().d, layer, phase, pair, upper) + chunk * plan.chunk;
                };
#endif
#if BF16 && BULK_COPIES
                const elem *own = row(min(lane_row(), rows - 1));
                if (columns == CHUNK)
                    multiply<true>(sums, own, vector, zeros, columns);
                else
                    multiply<false>(sums, own, vector, zeros, columns);
#else
                if (batch == 1)
                    multiply_row_packs(sums.at, row, rows, x, columns);
                else
                    multiply(to, segment == 0, row, rows, x, columns, batch);
#endif
#if BULK_COPIES
                // Every lane, not one for all after a __syncwarp: no slower in fp32, 1 % in
                // bf16, and a race checker can follow it.
                arrive(ring.empty + block.place.stage % STAGES);
                next_stage(block.place, rows, ring);
#endif
            }
#if BF16 && BULK_COPIES
            finish_sums(sums, batch, to);
#else
            if (batch == 1) finish_sums(sums, to);
#endif
        }
        workers_wait(WORKERS * WARP);
        const int slots = (end - base) * TILE_PAIRS * batch;
#pragma unroll 1
        for (int i = threadIdx.x; i < slots; i += WORKERS * WARP) {
            int slot = batch == 1 ? i : i / batch, sequence = i - slot * batch;
            int tile = slot / TILE_PAIRS, in_tile = slot % TILE_PAIRS;
            Tile part = tile_of(plan, base + tile);
            if (in_tile >= part.pairs) continue;
            const float *sums = partial + (tile * TILE_ROWS + in_tile) * batch + sequence;
            const int upper = part.pairs * batch;
            const float *square = shared_at<float>(common().squares) +
                                  block.norm_side * WORKERS * batch + sequence;
            float low = 0.0f, high = 0.0f, squares = 0.0f;
#pragma unroll
            for (int w = 0; w < WORKERS; w++) {
                low += sums[w * PASS_SUMS];
                high += sums[w * PASS_SUMS + upper];
                if (gamma) squares += square[w * batch];
            }
            float rstd = gamma ? rsqrtf(squares * plan.mean + common().d.eps) : 1.0f;
            int place = part.first + in_tile;
            finish_pair(block, layer, phase, plan.first + place, place, sequence, low * rstd,
                        high * rstd, last);
        }
        block.side ^= 1;
    }
    block.norm_side ^= 1;
}

// A block per row, or with -D NARROW=1, where a warp holds a row, a warp per row: a
// block of one warp would leave half of a multiprocessor's threads unused.
#ifndef NARROW
#define NARROW 0
#endif
DEVICE long row_id() {
    return NARROW ? long(blockIdx.x) * (blockDim.x / WARP) + warp_id() : long(blockIdx.x);
}
DEVICE int row_thread() { return NARROW ? lane_id() : threadIdx.x; }
DEVICE int row_threads() { return NARROW ? WARP : blockDim.x; }

// Sum over the threads of a row, in each of them. `scratch` as for block_sum.
DEVICE float row_sum(float value, float *scratch) {
    return NARROW ? warp_sum(value) : block_sum(value, scratch);
}

// A row of any width, in packs of 16 bytes. With -D WHOLE=1 the width is a multiple
// of a pack; then every row begins at a 16-byte boundary (buffers do, and rows
// follow each other without gaps), and a pack is one access. Other rows are moved
// element by element by the same code, the last pack padded with zeros.
#ifndef WHOLE
#define WHOLE 0
#endif

DEVICE int row_packs(int width) { return (width + PACK - 1) / PACK; }

DEVICE Pack row_load(const elem *row, int pack, int width) {
    if (WHOLE) return load_pack(row + pack * PACK);
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        int column = pack * PACK + e;
        out.at[e] = column < width ? row[column] : narrow(0.0f);
    }
    return out;
}

DEVICE void row_store(elem *row, int pack, int width, const Pack &value) {
    if (WHOLE) {
        store_pack(row + pack * PACK, value);
        return;
    }
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        int column = pack * PACK + e;
        if (column < width) row[column] = value.at[e];
    }
}

// Sum of the squares of a pack, in fp32. Padding adds nothing.
DEVICE float squares(const Pack &value) {
    float sum = 0.0f;
#pragma unroll
    for (int e = 0; e < PACK; e++) sum += widen(value.at[e]) * widen(value.at[e]);
    return sum;
}

// Packs of a row that one thread keeps in registers between the two passes of a
// norm. A row wider than HELD * row_threads() packs is read again beyond that.
#define HELD 4

// A pack of a row, scaled by its rstd and by gamma, rounded once.
DEVICE Pack row_normed(const Pack &value, const Pack &gamma, float rstd) {
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++)
        out.at[e] = narrow(widen(value.at[e]) * rstd * widen(gamma.at[e]));
    return out;
}

// The sum of two packs, rounded to elem: the residual stream as it is stored.
DEVICE Pack row_add(const Pack &a, const Pack &b) {
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++) out.at[e] = narrow(widen(a.at[e]) + widen(b.at[e]));
    return out;
}

// One row per block, or, where a row is so narrow that a warp holds it, one row per
// warp and blockDim.y rows per block: blockDim.x threads share a row either way.
DEVICE long row_id() { return long(blockIdx.x) * blockDim.y + threadIdx.y; }

// Sum over the threads of a row, in each of them. `scratch` as for block_sum.
DEVICE float row_sum(float value, float *scratch) {
    return blockDim.x == WARP ? warp_sum(value) : block_sum(value, scratch);
}

// A row of any width, read and written in packs of 16 bytes. A row whose width
// is a multiple of a pack begins at a 16-byte boundary (buffers do, and rows
// follow each other without gaps), so a pack is one access; any other row is
// moved element by element through the same code, and the last pack is padded
// with zeros.

DEVICE int row_packs(int width) { return (width + PACK - 1) / PACK; }

DEVICE Pack row_load(const elem *row, int pack, int width) {
    if (width % PACK == 0) return load_pack(row + pack * PACK);
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        int column = pack * PACK + e;
        out.at[e] = column < width ? row[column] : narrow(0.0f);
    }
    return out;
}

DEVICE void row_store(elem *row, int pack, int width, const Pack &value) {
    if (width % PACK == 0) {
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
// norm. A row wider than HELD * blockDim.x packs is read again beyond that.
#define HELD 4

// Writes a pack of a row, scaled by its rstd and by gamma, rounded once.
DEVICE void row_store_normed(elem *row, const elem *gamma, int pack, int width, const Pack &value,
                             float rstd) {
    Pack weight = row_load(gamma, pack, width), out;
#pragma unroll
    for (int e = 0; e < PACK; e++)
        out.at[e] = narrow(widen(value.at[e]) * rstd * widen(weight.at[e]));
    row_store(row, pack, width, out);
}

// The sum of two packs, rounded to elem: the residual stream as it is stored.
DEVICE Pack row_add(const Pack &a, const Pack &b) {
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++) out.at[e] = narrow(widen(a.at[e]) + widen(b.at[e]));
    return out;
}

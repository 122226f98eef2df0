// rmsnorm: y = x * rsqrt(mean(x^2) + eps) * gamma, one row at a time.
//
//   x, y [rows][width], gamma [width]
//
// The mean needs the whole row before the first result can be written: two
// passes. The lesson is where the row waits in between. Read again from memory
// it would cost a third more bytes; here it waits in registers (HELD packs a
// thread), so that each element crosses the memory bus once each way.
//
// Ladder
//   naive      a thread per row: lanes are `width` elements apart, every load of
//              a warp touches 32 sectors and uses 2 bytes of each
//   coalesced  a block per row, a tree of shuffles for the sum
//   packed     16 bytes a lane, the row held in registers: this file

KERNEL void rmsnorm(const elem *__restrict__ x, const elem *__restrict__ gamma,
                    elem *__restrict__ y, int rows, int width, float eps) {
    __shared__ float scratch[WARP];
    int packs = row_packs(width);
    if (row_id() >= rows) return;
    const elem *from = x + row_id() * width;
    elem *to = y + row_id() * width;

    // idea two-passes: the row stays in registers while its sum of squares is made.
    Pack held[HELD];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = threadIdx.x + i * blockDim.x;
        if (pack < packs) {
            held[i] = row_load(from, pack, width);
            sum += squares(held[i]);
        }
    }
    for (int pack = threadIdx.x + HELD * blockDim.x; pack < packs; pack += blockDim.x)
        sum += squares(row_load(from, pack, width));
    // end two-passes

    // idea one-sum: shuffles inside a warp, shared memory between warps, always in the same order.
    float rstd = rsqrtf(row_sum(sum, scratch) / float(width) + eps);
    // end one-sum

#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = threadIdx.x + i * blockDim.x;
        if (pack < packs) row_store_normed(to, gamma, pack, width, held[i], rstd);
    }
    for (int pack = threadIdx.x + HELD * blockDim.x; pack < packs; pack += blockDim.x)
        row_store_normed(to, gamma, pack, width, row_load(from, pack, width), rstd);
}

// rmsnorm: y = x * rsqrt(mean(x^2) + eps) * gamma, one row at a time.
//
//   x, y [rows][width], gamma [width]
//
// The mean needs the whole row before the first result can be written: two
// passes. The lesson is where the row waits in between. Read again from memory
// it would cost half as many bytes more; here it waits in registers (HELD packs
// a thread), so that each element crosses the memory bus once each way.
//
// Ladder
//   naive      a thread per row: lanes are `width` elements apart, every load of
//              a warp touches 32 sectors and uses 2 bytes of each
//   coalesced  a block per row, a tree of shuffles for the sum
//   packed     16 bytes a lane, the row held in registers: 52 us for 16384 rows of
//              2048 in bf16, one pack a thread; 39 with four (H200)
//   whole      that a row is whole packs is known when it is compiled (WHOLE), and all
//              loads come before the first use: this file; 34 us, a copy takes 33.5

KERNEL void rmsnorm(const elem *x, const elem *gamma, elem *y, int rows, int width, float eps) {
    __shared__ float scratch[WARP];
    int packs = row_packs(width);
    grid_wait();
    grid_launch_next();
    if (row_id() >= rows) return;
    const elem *from = x + row_id() * width;
    elem *to = y + row_id() * width;

    // idea two-passes: the row stays in registers while its sum of squares is made.
    Pack held[HELD], weight[HELD];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = row_thread() + i * row_threads();
        if (pack >= packs) break;
        held[i] = row_load(from, pack, width);
        weight[i] = row_load(gamma, pack, width);
    }
#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (row_thread() + i * row_threads() < packs) sum += squares(held[i]);
    for (int pack = row_thread() + HELD * row_threads(); pack < packs; pack += row_threads())
        sum += squares(row_load(from, pack, width));
    // end two-passes

    // idea one-sum: shuffles inside a warp, shared memory between warps, always in the same order.
    float rstd = rsqrtf(row_sum(sum, scratch) / float(width) + eps);
    // end one-sum

#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = row_thread() + i * row_threads();
        if (pack >= packs) break;
        row_store(to, pack, width, row_normed(held[i], weight[i], rstd));
    }
    for (int pack = row_thread() + HELD * row_threads(); pack < packs; pack += row_threads()) {
        Pack value = row_load(from, pack, width), scale = row_load(gamma, pack, width);
        row_store(to, pack, width, row_normed(value, scale, rstd));
    }
}

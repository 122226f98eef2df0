// residual_norm: h = a + b, and n = RMSNorm(h) * gamma, in one kernel. Apart they
// move 5 tensors (a, b, h, h again, n); together 4, or 3 where nobody else reads h.
//
//   a, b, n [rows][width], h [rows][width] or null, gamma [width]
//
// The sum is rounded to elem before it is squared, so that h and n are what the
// two kernels apart would have made.
//
// Ladder
//   apart      residual, then rmsnorm: h crosses memory twice; 49 + 34 us for 16384
//              rows of 2048 in bf16 (H200)
//   fused      h waits in registers between the passes: this file; 68 us

KERNEL void residual_norm(const elem *a, const elem *b, const elem *gamma, elem *h, elem *n,
                          int rows, int width, float eps) {
    __shared__ float scratch[WARP];
    int packs = row_packs(width);
    grid_wait();
    grid_launch_next();
    if (row_id() >= rows) return;
    long start = row_id() * width;

    // idea kept-inside: the sum of a and b is squared, held and normed without leaving the SM.
    Pack held[HELD], other[HELD];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = row_thread() + i * row_threads();
        if (pack >= packs) break;
        held[i] = row_load(a + start, pack, width);
        other[i] = row_load(b + start, pack, width);
    }
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = row_thread() + i * row_threads();
        if (pack >= packs) break;
        held[i] = row_add(held[i], other[i]);
        sum += squares(held[i]);
        other[i] = row_load(gamma, pack, width);
    }
    // end kept-inside
    for (int pack = row_thread() + HELD * row_threads(); pack < packs; pack += row_threads()) {
        Pack left = row_load(a + start, pack, width), right = row_load(b + start, pack, width);
        sum += squares(row_add(left, right));
    }

    float rstd = rsqrtf(row_sum(sum, scratch) / float(width) + eps);

#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = row_thread() + i * row_threads();
        if (pack >= packs) break;
        if (h != nullptr) row_store(h + start, pack, width, held[i]);
        row_store(n + start, pack, width, row_normed(held[i], other[i], rstd));
    }
    for (int pack = row_thread() + HELD * row_threads(); pack < packs; pack += row_threads()) {
        Pack left = row_load(a + start, pack, width), right = row_load(b + start, pack, width);
        Pack scale = row_load(gamma, pack, width), value = row_add(left, right);
        if (h != nullptr) row_store(h + start, pack, width, value);
        row_store(n + start, pack, width, row_normed(value, scale, rstd));
    }
}

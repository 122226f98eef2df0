// residual_norm: h = a + b, and n = RMSNorm(h) * gamma, in one kernel. Apart they
// move 5 tensors (a, b, h, h again, n); together 4, or 3 where nobody else reads h.
//
//   a, b, n [rows][width], h [rows][width] or null, gamma [width]
//
// The sum is rounded to elem before it is squared, so that h and n are what the
// two kernels apart would have made.
//
// Ladder
//   apart      residual, then rmsnorm: h crosses memory twice
//   fused      h waits in registers between the passes: this file

KERNEL void residual_norm(const elem *__restrict__ a, const elem *__restrict__ b,
                          const elem *__restrict__ gamma, elem *__restrict__ h,
                          elem *__restrict__ n, int rows, int width, float eps) {
    __shared__ float scratch[WARP];
    int packs = row_packs(width);
    if (row_id() >= rows) return;
    long start = row_id() * width;

    // idea kept-inside: the sum of a and b is squared, held and normed without leaving the SM.
    Pack held[HELD];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = threadIdx.x + i * blockDim.x;
        if (pack < packs) {
            held[i] = row_add(row_load(a + start, pack, width), row_load(b + start, pack, width));
            if (h != nullptr) row_store(h + start, pack, width, held[i]);
            sum += squares(held[i]);
        }
    }
    // end kept-inside
    for (int pack = threadIdx.x + HELD * blockDim.x; pack < packs; pack += blockDim.x) {
        Pack value = row_add(row_load(a + start, pack, width), row_load(b + start, pack, width));
        if (h != nullptr) row_store(h + start, pack, width, value);
        sum += squares(value);
    }

    float rstd = rsqrtf(row_sum(sum, scratch) / float(width) + eps);

#pragma unroll
    for (int i = 0; i < HELD; i++) {
        int pack = threadIdx.x + i * blockDim.x;
        if (pack < packs) row_store_normed(n + start, gamma, pack, width, held[i], rstd);
    }
    for (int pack = threadIdx.x + HELD * blockDim.x; pack < packs; pack += blockDim.x) {
        Pack value = row_add(row_load(a + start, pack, width), row_load(b + start, pack, width));
        row_store_normed(n + start, gamma, pack, width, value, rstd);
    }
}

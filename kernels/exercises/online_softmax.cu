// Softmax with a running maximum.
//
//   p[j] = exp(s[j] - m) / l,   m = max of the row,   l = sum of exp(s[j] - m)
//
// s, p: rows x n floats, any n. One block of 256 threads makes one row and walks
// along it twice: once for m and l, a tile of 256 at a time, once to write.
//
// model   2 reads and 1 write of every element: 12 B; one launch. A row that stays
//         on the chip would need 8 B.

KERNEL void online_softmax(const float *s, float *p, int rows, int n) {
    __shared__ float scratch[WARP]; // for block_max and block_sum
    if (blockIdx.x >= rows) return;
    const float *from = s + long(blockIdx.x) * n;
    float *to = p + long(blockIdx.x) * n;

    float m = MINUS_INFINITY; // largest so far
    float l = 0.0f;           // sum so far, of exp(s - m)
    for (int at = 0; at < n; at += blockDim.x) {
        int col = at + threadIdx.x;
// gap load: `float score` of column `col`; a value that changes neither maximum nor sum where
//~ there is no such column
#if WRONG == 1 // C2 ghost: Lanes past the end bring a zero. exp(0 - m) is not nothing: every such
//~ lane is counted in the sum.
        float score = col < n ? from[col] : 0.0f;
#elif WRONG == 2 // C4 unmasked: Lanes past the end read what does not belong to the row, and
//~ after the last row what belongs to nobody.
        float score = from[col];
#else
        float score = col < n ? from[col] : MINUS_INFINITY;
#endif
// gap maximum: `float next`, the largest so far with this tile, in every thread
#if WRONG == 3 // C3 tile_only: This is the maximum of the tile, not of everything so far. Where
//~ maxima fall, m falls too, and the sum grows with exp of the difference.
        float next = block_max(score, scratch);
#elif WRONG == 4 // C2 own_maximum: Every thread takes a maximum of its own, and the sums of the
//~ block are then sums of different things.
        float next = fmaxf(m, score);
#else
        float next = fmaxf(m, block_max(score, scratch));
#endif
// gap sum: bring `l` to the new maximum and add this tile; then `m` is `next`
#if WRONG == 5 // C3 not_rescaled: l was summed with the old maximum. It must be multiplied by
//~ exp(old - new) before anything is added.
        l = l + block_sum(expf(score - next), scratch);
        m = next;
#elif WRONG == 6 // C3 tile_rescaled: What is added has the new maximum already. Only the old sum
//~ is rescaled.
        float top = block_max(score, scratch);
        l = l * expf(m - next) + block_sum(expf(score - next), scratch) * expf(top - next);
        m = next;
#else
        l = l * expf(m - next) + block_sum(expf(score - next), scratch);
        m = next;
#endif
    }
// gap write: walk along the row again and write p
#if WRONG == 7 // C5 three_pass: This is the form with three passes: the row is read a third time
//~ for a sum that is in `l` already.
    float again = 0.0f;
    for (int col = threadIdx.x; col < n; col += blockDim.x) again += expf(from[col] - m);
    again = block_sum(again, scratch);
    for (int col = threadIdx.x; col < n; col += blockDim.x) to[col] = expf(from[col] - m) / again;
#elif WRONG == 8 // C2 not_divided: The exponentials are not divided by their sum, so a row does
//~ not sum to one.
    for (int col = threadIdx.x; col < n; col += blockDim.x) to[col] = expf(from[col] - m);
#else
    for (int col = threadIdx.x; col < n; col += blockDim.x) to[col] = expf(from[col] - m) / l;
#endif
}

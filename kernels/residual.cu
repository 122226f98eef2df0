// residual: y = a + b, the residual stream. Three bytes moved for every two that
// matter and one addition: nothing but memory. Fusing it into the product that
// made b removes two of its three trips.
//
//   a, b, y [rows][width]
//   ssq [rows] (or null): sum of squares of each row of y as stored, in fp32
//
// Ladder
//   coalesced  a thread per element: right, but 2 bytes a lane (bf16)
//   packed     16 bytes a lane, a block per row so that the row's sum of squares
//              is at hand for the next norm: this file; 4.1 TB/s (H200)

KERNEL void residual(const elem *a, const elem *b, elem *y, float *ssq, int rows, int width) {
    __shared__ float scratch[WARP];
    grid_wait();
    grid_launch_next();
    if (row_id() >= rows) return;
    long start = row_id() * width;
    float sum = 0.0f;
    for (int pack = row_thread(); pack < row_packs(width); pack += row_threads()) {
        Pack value = row_add(row_load(a + start, pack, width), row_load(b + start, pack, width));
        row_store(y + start, pack, width, value);
        // idea sum-in-passing: the next norm needs this row's squares, and here they cost nothing.
        sum += squares(value);
        // end sum-in-passing
    }
    if (ssq == nullptr) return;
    sum = row_sum(sum, scratch);
    if (row_thread() == 0) ssq[row_id()] = sum;
}

// embed: row r of x is row ids[r] of the table. No arithmetic at all: a gather,
// bound by memory. The ids are in range: whoever uploads them has checked.
//
//   ids [rows], table [vocab][width], x [rows][width]
//   ssq [rows] (or null): sum of squares of each row as stored, in fp32, for the
//   RMSNorm that the next kernel folds into its matrix product
//
// Ladder
//   naive      one thread per element: the id is read `width` times
//   coalesced  a row per block, neighbours read neighbours: 2 bytes a lane (bf16)
//   packed     16 bytes a lane: this file; 3.8 TB/s of the 4.0 that a copy of the
//              same size reaches (H200, 16384 rows of 2048, bf16)
//   narrow     a warp per row: 65536 rows of 256 in bf16 take 20 us, and 42 with a
//              block per row, most of it spent on starting blocks (H200)

KERNEL void embed(const int *ids, const elem *table, elem *x, float *ssq, int rows, int width) {
    __shared__ float scratch[WARP];
    grid_wait();
    grid_launch_next();
    long row = row_id();
    if (row >= rows) return;
    const elem *from = table + long(ids[row]) * width;
    elem *to = x + row * width;
    float sum = 0.0f;
    for (int pack = row_thread(); pack < row_packs(width); pack += row_threads()) {
        Pack value = row_load(from, pack, width);
        row_store(to, pack, width, value);
        sum += squares(value);
    }
    if (ssq == nullptr) return;
    sum = row_sum(sum, scratch);
    if (row_thread() == 0) ssq[row] = sum;
}

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
//   packed     16 bytes a lane: this file

KERNEL void embed(const int *__restrict__ ids, const elem *__restrict__ table,
                  elem *__restrict__ x, float *__restrict__ ssq, int rows, int width) {
    __shared__ float scratch[WARP];
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

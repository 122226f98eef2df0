// columns: transposes tiles of 32 x 32 through shared memory. Rows are written,
// columns are read. Shared memory has 32 banks of 4 bytes; lanes that meet in
// one bank wait for one another.
//
//   x, y [blocks][32][32]; 256 threads, 8 rows of the tile at a time
//
// Swept: pad, the columns that are added to each row of the tile (pitch - 32).

#define SIDE 32
#define WIDEST 40

KERNEL void columns(const float *x, float *y, int pitch) {
    __shared__ float tile[SIDE * WIDEST];
    long block = long(blockIdx.x) * SIDE * SIDE;
    int lane = threadIdx.x % SIDE, first = threadIdx.x / SIDE, rows = blockDim.x / SIDE;
    for (int row = first; row < SIDE; row += rows)
        tile[row * pitch + lane] = x[block + row * SIDE + lane];
    __syncthreads();
    // idea column: lane l reads word l * pitch + row, in bank (l * pitch + row) % 32.
    // Pitch 32 is one bank for all lanes; pitch 33 is a bank each.
    for (int row = first; row < SIDE; row += rows)
        y[block + row * SIDE + lane] = tile[lane * pitch + row];
    // end column
}

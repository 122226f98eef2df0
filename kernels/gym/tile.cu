// tile: c = a * b in square tiles, one block of TILE x TILE threads per tile of c.
// An element that is loaded once serves TILE threads.
//
//   a [rows][depth], b [depth][columns], c [rows][columns], each a multiple of TILE
//
// Compiled in: TILE. Swept.

KERNEL void tile(const float *a, const float *b, float *c, int columns, int depth) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    long row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k = 0; k < depth; k += TILE) {
        // idea reuse: each thread loads two elements and uses 2 * TILE.
        left[y][x] = a[row * depth + k + x];
        right[y][x] = b[(k + y) * long(columns) + column];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < TILE; e++) sum += left[y][e] * right[e][x];
        __syncthreads();
        // end reuse
    }
    c[row * columns + column] = sum;
}

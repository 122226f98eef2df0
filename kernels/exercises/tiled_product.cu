// A product from tiles in shared memory.
//
//   c[m][n] = sum over k of a[m][k] * b[k][n]
//
// a: rows x depth, b: depth x cols, c: rows x cols floats, row-major, any sizes.
// A block of 256 threads makes a tile of TILE x TILE of c. It walks along depth
// in steps of STEP: a slice of a and a slice of b go into shared memory, and each
// thread multiplies them for its own PER x PER elements: PER rows and PER columns,
// each SIDE apart.
//
// model   4 B x (rows*depth*ceil(cols/TILE) + depth*cols*ceil(rows/TILE) + rows*cols);
//         one launch.

const int TILE = 64;
const int STEP = 16;
const int SIDE = 16; // threads along one side of the tile
const int PER = TILE / SIDE;

KERNEL void tiled_product(const float *a, const float *b, float *c, int rows, int cols, int depth) {
    __shared__ float left[TILE][STEP + 1]; // of a; one column more, so that banks differ
    __shared__ float right[STEP][TILE];    // of b
    int top = blockIdx.y * TILE, side = blockIdx.x * TILE;
    int ty = threadIdx.x / SIDE, tx = threadIdx.x % SIDE;
    float sum[PER][PER] = {};
    for (int at = 0; at < depth; at += STEP) {
        for (int i = threadIdx.x; i < TILE * STEP; i += blockDim.x) {
            int y = i / STEP, x = i % STEP; // place in left
            int v = i / TILE, w = i % TILE; // place in right
// gap load: left[y][x] from a, right[v][w] from b; zero where there is no such element
#if WRONG == 1 // C4 unmasked: Tiles reach over the edges of a and b where a size is no multiple
//~ of the tile. Load zero there.
            left[y][x] = a[long(top + y) * depth + at + x];
            right[v][w] = b[long(at + v) * cols + side + w];
#elif WRONG == 2 // C4 not_filled: Where there is no element, the place keeps what was there before, or
//~ nothing at all, and it is multiplied all the same. Write a zero.
            if (top + y < rows && at + x < depth) left[y][x] = a[long(top + y) * depth + at + x];
            if (at + v < depth && side + w < cols) right[v][w] = b[long(at + v) * cols + side + w];
#else
            left[y][x] =
                top + y < rows && at + x < depth ? a[long(top + y) * depth + at + x] : 0.0f;
            right[v][w] =
                at + v < depth && side + w < cols ? b[long(at + v) * cols + side + w] : 0.0f;
#endif
        }
// gap wait: the slices must be there before anybody multiplies
#if WRONG == 3 // C4 no_wait: Some warps multiply while others still load. A barrier belongs
//~ between the two.
        // nothing
#elif WRONG == 4 // C4 warp_wait: __syncwarp waits for the lanes of one warp. The slices are
//~ loaded by all warps of the block.
        __syncwarp();
#else
        __syncthreads();
#endif
// gap multiply: add the products of this slice to `sum`: element i, j of this thread is row ty +
//~ i * SIDE and column tx + j * SIDE of the tile
#if WRONG == 5 // C5 from_memory: The slices lie in shared memory, and the product reads a and b
//~ from global memory all the same: each element again for every thread that needs it.
        for (int k = 0; k < STEP; k++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    int y = top + ty + i * SIDE, w = side + tx + j * SIDE;
                    if (y < rows && w < cols && at + k < depth)
                        sum[i][j] += a[long(y) * depth + at + k] * b[long(at + k) * cols + w];
                }
#elif WRONG == 6 // C2 swapped: Row and column of the thread are swapped in one operand, so that
//~ this is another product.
        for (int k = 0; k < STEP; k++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++)
                    sum[i][j] += left[tx + i * SIDE][k] * right[k][tx + j * SIDE];
#else
        for (int k = 0; k < STEP; k++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++)
                    sum[i][j] += left[ty + i * SIDE][k] * right[k][tx + j * SIDE];
#endif
// gap release: nobody may load the next slices while somebody still multiplies these
#if WRONG == 7 // C4 no_release: A fast warp loads the next slice while a slow one still
//~ multiplies this one. The loop needs its second barrier.
        // nothing
#elif WRONG == 8 // C4 some_wait: A barrier is for all threads of the block. Here some do not come.
        if (ty < SIDE / 2) __syncthreads();
#else
        __syncthreads();
#endif
    }
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) {
            int y = top + ty + i * SIDE, w = side + tx + j * SIDE;
            if (y < rows && w < cols) c[long(y) * cols + w] = sum[i][j];
        }
}

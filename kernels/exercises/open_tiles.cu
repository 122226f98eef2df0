// A product from tiles of 32 x 32: a block of 1024 threads, one thread an element
// of c. Sizes are rows, cols and depth of c = a * b, row-major.

const int TILE = 32;

KERNEL void open_tiles(const float *a, const float *b, float *c, int rows, int cols, int depth) {
    __shared__ float left[TILE][TILE + 1], right[TILE][TILE];
// excerpt
    int ty = threadIdx.x / TILE, tx = threadIdx.x % TILE;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int at = 0; at < depth; at += TILE) {
#if FIXED
        left[ty][tx] = row < rows && at + tx < depth ? a[row * depth + at + tx] : 0.0f;
#else
        left[ty][tx] = row < rows ? a[row * depth + at + tx] : 0.0f;  // defect line
#endif
        bool inside = at + ty < depth && col < cols;
        right[ty][tx] = inside ? b[(at + ty) * cols + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    if (row < rows && col < cols) c[row * cols + col] = sum;
// end excerpt
}

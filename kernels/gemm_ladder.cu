// Three products on the way to gemm.cu, each a whole kernel: what is learned on
// the ladder. No plan uses them; arguments as gemm's without the cache.
//
// y [m][n] = x [m][k] * w [n][k]^T.

// Naive: a thread per output walks along both rows. Neighbouring lanes read
// neighbouring rows of W, k elements apart: each lane's element is in a sector of
// 32 bytes of its own, so that one load of a warp is as many accesses as it has
// lanes.
KERNEL void gemm_naive(const elem *x, const elem *w, elem *y, int m, int n, int k) {
    long at = long(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= long(m) * n) return;
    long row = at / n, column = at % n;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum = fmaf(widen(x[row * k + i]), widen(w[column * k + i]), sum);
    y[at] = narrow(sum);
}

// Coalesced: a warp per output. Its lanes read neighbouring elements of the two
// rows, so that every byte of a sector is used; the lanes' sums are added at the
// end. Still every output reads both of its rows whole.
KERNEL void gemm_coalesced(const elem *x, const elem *w, elem *y, int m, int n, int k) {
    long at = long(blockIdx.x) * (blockDim.x / WARP) + warp_id();
    if (at >= long(m) * n) return;
    const elem *row = x + at / n * k, *column = w + at % n * k;
    float sum = 0.0f;
    for (int i = lane_id(); i < k; i += WARP) sum = fmaf(widen(row[i]), widen(column[i]), sum);
    sum = warp_sum(sum);
    if (lane_id() == 0) y[at] = narrow(sum);
}

// Tiled: a block of SIDE x SIDE threads shares SIDE rows of each operand through
// shared memory, SIDE elements at a time: each element is read SIDE times less
// often from global memory. Every product still costs two reads of shared memory,
// which is where gemm.cu's register tiles go on.
#define SIDE 16
KERNEL void gemm_tiled(const elem *x, const elem *w, elem *y, int m, int n, int k) {
    __shared__ float x_tile[SIDE][SIDE + 1], w_tile[SIDE][SIDE + 1]; // + 1: other banks
    int tiles_n = (n + SIDE - 1) / SIDE;
    int i = threadIdx.x / SIDE, j = threadIdx.x % SIDE;
    int row = blockIdx.x / tiles_n * SIDE + i, column = blockIdx.x % tiles_n * SIDE + j;
    int w_row = blockIdx.x % tiles_n * SIDE + i; // the row of W that this thread copies
    float sum = 0.0f;
    for (int first = 0; first < k; first += SIDE) {
        bool inside = first + j < k;
        x_tile[i][j] = inside && row < m ? widen(x[long(row) * k + first + j]) : 0.0f;
        w_tile[i][j] = inside && w_row < n ? widen(w[long(w_row) * k + first + j]) : 0.0f;
        __syncthreads();
        for (int e = 0; e < SIDE; e++) sum = fmaf(x_tile[i][e], w_tile[j][e], sum);
        __syncthreads();
    }
    if (row < m && column < n) y[long(row) * n + column] = narrow(sum);
}

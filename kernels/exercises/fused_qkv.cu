// q, k and v in one kernel.
//
//   q[m][n] = sum over t of x[m][t] * wq[t][n]      k and v likewise, from wk and wv
//
// x: rows x depth; wq: depth x q_cols; wk, wv: depth x kv_cols; q: rows x q_cols;
// k, v: rows x kv_cols floats, row-major, any sizes with kv_cols <= q_cols.
//
// The form in three passes, as V1 launches it, has an element per thread:
//
//   float sum = 0.0f;                                   // pass 1: q; then k, then v
//   for (int t = 0; t < depth; t++) sum += x[m * depth + t] * wq[t * q_cols + n];
//   q[m * q_cols + n] = sum;
//
// Every pass reads x again. Here a block of 256 threads makes a tile of TILE x
// TILE of q and, at the same rows and columns, of k and of v. It walks along depth
// in steps of STEP: one slice of x serves the slices of all three weights. Where k
// and v have no such columns, their slices are zero.
//
// model   4 B x (rows*depth*ceil(q_cols/TILE) + depth*(q_cols+2*kv_cols)*ceil(rows/TILE)
//         + rows*(q_cols+2*kv_cols)); one launch.

const int TILE = 64;
const int STEP = 16;
const int SIDE = 16; // threads along one side of the tile
const int PER = TILE / SIDE;

KERNEL void fused_qkv(const float *x, const float *wq, const float *wk, const float *wv, float *q,
                      float *k, float *v, int rows, int depth, int q_cols, int kv_cols) {
    __shared__ float left[TILE][STEP + 1]; // of x; one column more, so that banks differ
    __shared__ float right_q[STEP][TILE], right_k[STEP][TILE], right_v[STEP][TILE];
    int top = blockIdx.y * TILE, side = blockIdx.x * TILE;
    int ty = threadIdx.x / SIDE, tx = threadIdx.x % SIDE;
    float sum_q[PER][PER] = {}, sum_k[PER][PER] = {}, sum_v[PER][PER] = {};
    for (int at = 0; at < depth; at += STEP) {
        for (int i = threadIdx.x; i < TILE * STEP; i += blockDim.x) {
            int y = i / STEP, s = i % STEP; // place in left: row top + y, depth at + s
            int t = i / TILE, w = i % TILE; // place in the others: depth at + t, column side + w
            left[y][s] = top + y < rows && at + s < depth ? x[long(top + y) * depth + at + s] : 0.0f;
// gap weights: right_q[t][w], right_k[t][w], right_v[t][w]; zero where there is no such element
#if WRONG == 1 // C4 one_mask: k and v are masked with the width of q. wk and wv have kv_cols
//~ columns: past those there is another row, or nothing.
            bool in = at + t < depth && side + w < q_cols;
            right_q[t][w] = in ? wq[long(at + t) * q_cols + side + w] : 0.0f;
            right_k[t][w] = in ? wk[long(at + t) * kv_cols + side + w] : 0.0f;
            right_v[t][w] = in ? wv[long(at + t) * kv_cols + side + w] : 0.0f;
#elif WRONG == 2 // C4 one_stride: A row of wk and of wv has kv_cols elements. With the stride of wq
//~ the index runs past their end.
            bool in = at + t < depth && side + w < q_cols, kv = at + t < depth && side + w < kv_cols;
            right_q[t][w] = in ? wq[long(at + t) * q_cols + side + w] : 0.0f;
            right_k[t][w] = kv ? wk[long(at + t) * q_cols + side + w] : 0.0f;
            right_v[t][w] = kv ? wv[long(at + t) * q_cols + side + w] : 0.0f;
#else
            bool in = at + t < depth && side + w < q_cols, kv = at + t < depth && side + w < kv_cols;
            right_q[t][w] = in ? wq[long(at + t) * q_cols + side + w] : 0.0f;
            right_k[t][w] = kv ? wk[long(at + t) * kv_cols + side + w] : 0.0f;
            right_v[t][w] = kv ? wv[long(at + t) * kv_cols + side + w] : 0.0f;
#endif
        }
        __syncthreads();
// gap multiply: add the products of this slice to sum_q, sum_k and sum_v: element i, j of this
//~ thread is row ty + i * SIDE and column tx + j * SIDE of the tile
#if WRONG == 3 // C5 x_again: k and v fetch x from memory again. Its slice is in shared memory,
//~ and one read of it is what this fusion is for.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++) {
                int y = top + ty + i * SIDE;
                float again = y < rows && at + s < depth ? x[long(y) * depth + at + s] : 0.0f;
                for (int j = 0; j < PER; j++) {
                    sum_q[i][j] += left[ty + i * SIDE][s] * right_q[s][tx + j * SIDE];
                    sum_k[i][j] += again * right_k[s][tx + j * SIDE];
                    sum_v[i][j] += again * right_v[s][tx + j * SIDE];
                }
            }
#elif WRONG == 4 // C2 v_is_k: v is multiplied with the weights of k. Each sum has weights of its
//~ own; only x is shared.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    float a = left[ty + i * SIDE][s];
                    sum_q[i][j] += a * right_q[s][tx + j * SIDE];
                    sum_k[i][j] += a * right_k[s][tx + j * SIDE];
                    sum_v[i][j] += a * right_k[s][tx + j * SIDE];
                }
#elif WRONG == 5 // C2 not_added: Each product replaces the sum so far, so only the last of the
//~ depth is left. A product of matrices is a sum over the whole depth: add.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    float a = left[ty + i * SIDE][s];
                    sum_q[i][j] = a * right_q[s][tx + j * SIDE];
                    sum_k[i][j] = a * right_k[s][tx + j * SIDE];
                    sum_v[i][j] = a * right_v[s][tx + j * SIDE];
                }
#else
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    float a = left[ty + i * SIDE][s];
                    sum_q[i][j] += a * right_q[s][tx + j * SIDE];
                    sum_k[i][j] += a * right_k[s][tx + j * SIDE];
                    sum_v[i][j] += a * right_v[s][tx + j * SIDE];
                }
#endif
        __syncthreads();
    }
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) {
            int y = top + ty + i * SIDE, w = side + tx + j * SIDE;
// gap store: row y, column w of q, of k and of v, where they have one
#if WRONG == 6 // C4 spills_over: k and v are stored wherever q has a column. Past kv_cols that is
//~ the beginning of their next row, which belongs to another thread.
            if (y < rows && w < q_cols) {
                q[long(y) * q_cols + w] = sum_q[i][j];
                k[long(y) * kv_cols + w] = sum_k[i][j];
                v[long(y) * kv_cols + w] = sum_v[i][j];
            }
#elif WRONG == 7 // C2 not_stored: q ends where k and v end. The mask of q has its own width,
//~ q_cols; the narrower one is for k and v only.
            if (y < rows && w < kv_cols) {
                q[long(y) * q_cols + w] = sum_q[i][j];
                k[long(y) * kv_cols + w] = sum_k[i][j];
                v[long(y) * kv_cols + w] = sum_v[i][j];
            }
#elif WRONG == 8 // C2 exchanged: k and v are exchanged at the store. The shapes are the same, so no
//~ mask notices it.
            if (y < rows && w < q_cols) q[long(y) * q_cols + w] = sum_q[i][j];
            if (y < rows && w < kv_cols) k[long(y) * kv_cols + w] = sum_v[i][j];
            if (y < rows && w < kv_cols) v[long(y) * kv_cols + w] = sum_k[i][j];
#else
            if (y < rows && w < q_cols) q[long(y) * q_cols + w] = sum_q[i][j];
            if (y < rows && w < kv_cols) k[long(y) * kv_cols + w] = sum_k[i][j];
            if (y < rows && w < kv_cols) v[long(y) * kv_cols + w] = sum_v[i][j];
#endif
        }
}

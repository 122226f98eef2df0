// gate, up, silu and mul in one kernel: two products and their epilogue.
//
//   g[r][n] = sum over t of x[r][t] * wg[t][n]      u likewise, from wu
//   m[r][n] = silu(g[r][n]) * u[r][n],   silu(v) = v / (1 + exp(-v))
//
// x: rows x depth; wg, wu: depth x cols; m: rows x cols floats, row-major, any
// sizes. g and u are no tensors here: they exist in registers only.
//
// The form in three passes writes both products to memory and reads them back:
//
//   for (int t = 0; t < depth; t++) gate += x[r * depth + t] * wg[t * cols + n];  // pass 1
//   for (int t = 0; t < depth; t++) up += x[r * depth + t] * wu[t * cols + n];    // pass 2
//   m[i] = g[i] / (1.0f + expf(-g[i])) * u[i];                                    // pass 3
//
// Here a block of 256 threads makes a tile of TILE x TILE of g and the same tile
// of u. It walks along depth in steps of STEP: one slice of x serves the slices of
// both weights. The epilogue runs once, behind the loop, on the finished sums.
//
// model   4 B x (rows*depth*ceil(cols/TILE) + 2*depth*cols*ceil(rows/TILE) + rows*cols);
//         one launch.

const int TILE = 64;
const int STEP = 16;
const int SIDE = 16; // threads along one side of the tile
const int PER = TILE / SIDE;

KERNEL void fused_gate_up(const float *x, const float *wg, const float *wu, float *m, int rows,
                          int depth, int cols) {
    __shared__ float left[TILE][STEP + 1]; // of x; one column more, so that banks differ
    __shared__ float right_g[STEP][TILE], right_u[STEP][TILE];
    int top = blockIdx.y * TILE, side = blockIdx.x * TILE;
    int ty = threadIdx.x / SIDE, tx = threadIdx.x % SIDE;
    float gate[PER][PER] = {}, up[PER][PER] = {}; // the sums
    for (int at = 0; at < depth; at += STEP) {
        for (int i = threadIdx.x; i < TILE * STEP; i += blockDim.x) {
            int y = i / STEP, s = i % STEP; // place in left: row top + y, depth at + s
            int t = i / TILE, w = i % TILE; // place in the others: depth at + t, column side + w
// gap load: left[y][s] from x, right_g[t][w] from wg, right_u[t][w] from wu; zero where there is
//~ no such element
#if WRONG == 1 // C4 no_depth: The last slice reaches past the depth, and the mask of the weights
//~ looks at the columns only. Both indices need one.
            left[y][s] = top + y < rows && at + s < depth ? x[long(top + y) * depth + at + s] : 0.0f;
            right_g[t][w] = side + w < cols ? wg[long(at + t) * cols + side + w] : 0.0f;
            right_u[t][w] = side + w < cols ? wu[long(at + t) * cols + side + w] : 0.0f;
#elif WRONG == 2 // C4 not_filled: Where there is no element, the place keeps what was there before,
//~ or nothing at all, and it is multiplied all the same. Write a zero.
            if (top + y < rows && at + s < depth) left[y][s] = x[long(top + y) * depth + at + s];
            if (at + t < depth && side + w < cols) {
                right_g[t][w] = wg[long(at + t) * cols + side + w];
                right_u[t][w] = wu[long(at + t) * cols + side + w];
            }
#else
            bool in = at + t < depth && side + w < cols;
            left[y][s] = top + y < rows && at + s < depth ? x[long(top + y) * depth + at + s] : 0.0f;
            right_g[t][w] = in ? wg[long(at + t) * cols + side + w] : 0.0f;
            right_u[t][w] = in ? wu[long(at + t) * cols + side + w] : 0.0f;
#endif
        }
        __syncthreads();
// gap multiply: add the products of this slice to `gate` and `up`: element i, j of this thread is
//~ row ty + i * SIDE and column tx + j * SIDE of the tile
#if WRONG == 3 // C5 x_again: up fetches x from memory again. Its slice is in shared memory, and
//~ serves both products.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++) {
                int y = top + ty + i * SIDE;
                float again = y < rows && at + s < depth ? x[long(y) * depth + at + s] : 0.0f;
                for (int j = 0; j < PER; j++) {
                    gate[i][j] += left[ty + i * SIDE][s] * right_g[s][tx + j * SIDE];
                    up[i][j] += again * right_u[s][tx + j * SIDE];
                }
            }
#elif WRONG == 4 // C2 one_weight: Both sums are multiplied with the weights of gate, so that up is
//~ gate. Only x is shared.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    gate[i][j] += left[ty + i * SIDE][s] * right_g[s][tx + j * SIDE];
                    up[i][j] += left[ty + i * SIDE][s] * right_g[s][tx + j * SIDE];
                }
#elif WRONG == 5 // C2 too_early: silu is applied to every term and the results are added. silu of a
//~ sum is not the sum of silus: the epilogue has to wait for the last slice.
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    float term = left[ty + i * SIDE][s] * right_g[s][tx + j * SIDE];
                    gate[i][j] += term / (1.0f + expf(-term));
                    up[i][j] += left[ty + i * SIDE][s] * right_u[s][tx + j * SIDE];
                }
#else
        for (int s = 0; s < STEP; s++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++) {
                    gate[i][j] += left[ty + i * SIDE][s] * right_g[s][tx + j * SIDE];
                    up[i][j] += left[ty + i * SIDE][s] * right_u[s][tx + j * SIDE];
                }
#endif
        __syncthreads();
    }
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) {
            int y = top + ty + i * SIDE, w = side + tx + j * SIDE;
// gap epilogue: `float value`, what m is to be in row y and column w, from gate[i][j] and up[i][j]
#if WRONG == 6 // C2 other_gate: silu belongs to gate. Here it is applied to up, and gate is the
//~ plain factor.
            float value = up[i][j] / (1.0f + expf(-up[i][j])) * gate[i][j];
#elif WRONG == 7 // C2 sigmoid: This is the sigmoid of gate times up. silu(v) is v times the sigmoid
//~ of v: the factor gate is missing.
            float value = up[i][j] / (1.0f + expf(-gate[i][j]));
#elif WRONG == 8 // C3 overflow: For a large gate exp(gate) is infinite, and infinity over infinity
//~ is no number. Divide by 1 + exp(-gate): that goes to 1 there.
            float power = expf(gate[i][j]);
            float value = gate[i][j] * power / (1.0f + power) * up[i][j];
#else
            float value = gate[i][j] / (1.0f + expf(-gate[i][j])) * up[i][j];
#endif
// gap store: put it where it belongs, if there is such an element
#if WRONG == 9 // C4 no_mask: The tile reaches over the edges of m where a size is no multiple of
//~ it. Store only what exists.
            m[long(y) * cols + w] = value;
#elif WRONG == 10 // C4 read_back: m is read before anything was written to it. Nothing is to be
//~ added up here: store the value.
            if (y < rows && w < cols) m[long(y) * cols + w] += value;
#else
            if (y < rows && w < cols) m[long(y) * cols + w] = value;
#endif
        }
}

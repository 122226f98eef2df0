// The same product for a few rows (decoding: m <= 8), where every weight is used
// once or a few times: the time is the time to read W, so what matters is how
// many bytes are under way, not how they are reused.
//
// A warp takes T::N / T::warps_n weight rows and walks along them, 16 bytes a
// lane; the rows of X are small and come from the L1 cache. The lanes' sums are
// added at the end. k is a multiple of PACK.

// As `product` of the tiled main loop: the sums of the tile in `shared`.
template <class T, class Columns, class Meanwhile, class AtEnd = Nothing>
DEVICE float *product(const elem *a, int rows, const Columns &columns, int k, char *shared,
                      Meanwhile meanwhile, AtEnd at_end = AtEnd()) {
    const int OWN = T::N / T::warps_n;
    const int STEP = WARP * PACK;
    const int column = warp_column<T>() * OWN, mine = lane_id() * PACK;
    const elem *w[OWN];
    float sum[T::M][OWN] = {};
#pragma unroll
    for (int c = 0; c < OWN; c++) w[c] = weight_row<T>(columns, column + c, k) + mine;

    // idea bytes in flight: the weights of `stages` steps are requested before the
    // first of them is used.
    for (int first = 0; first < k; first += T::stages * STEP) {
        Pack weight[T::stages][OWN];
#pragma unroll
        for (int s = 0; s < T::stages; s++)
#pragma unroll
            for (int c = 0; c < OWN; c++)
                if (first + s * STEP + mine < k)
                    weight[s][c] = load_pack_once(w[c] + first + s * STEP);
        if (first == 0) { // while they travel: nothing so far came from another kernel
            grid_wait();
            meanwhile();
        }
#pragma unroll
        for (int s = 0; s < T::stages; s++) {
            const int at = first + s * STEP + mine;
            if (at >= k) break;
#pragma unroll
            for (int m = 0; m < T::M; m++) {
                Pack x = load_pack(a + long(min(m, rows - 1)) * k + at);
#pragma unroll
                for (int c = 0; c < OWN; c++)
#pragma unroll
                    for (int e = 0; e < PACK; e++)
                        sum[m][c] = fmaf(widen(x.at[e]), widen(weight[s][c].at[e]), sum[m][c]);
            }
        }
    }
    // end bytes in flight

    grid_launch_next(); // all that this one wants of the memory is here
    float *sums = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int m = 0; m < T::M; m++)
#pragma unroll
        for (int c = 0; c < OWN; c++) {
            float total = warp_sum(sum[m][c]);
            if (lane_id() == 0) sums[m * T::stride + column + c] = total;
        }
    at_end();
    __syncthreads();
    return sums;
}

// The same product for a few rows (decoding: m <= 8), where every weight is used
// once or a few times: the time is the time to read W, so what matters is how
// many bytes are under way, not how they are reused.
//
// A warp takes T::N / T::warps_n weight rows and walks along them, 16 bytes a
// lane; the rows of X are small and come from the L1 cache. The lanes' sums are
// added at the end. k is a multiple of PACK.

// 16 bytes that are read once: they need not displace X from the L1 cache.
DEVICE Pack load_once(const elem *from) {
#if GPU_SM >= 700
    uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(from));
    return *reinterpret_cast<const Pack *>(&bits);
#else
    return load_pack(from);
#endif
}

// As `product` of the tiled main loop: the sums of the tile in `shared`.
template <class T, class Columns, class Meanwhile>
DEVICE float *product(const elem *a, int rows, const Columns &columns, int k, char *shared,
                      Meanwhile meanwhile) {
    const int OWN = T::N / T::warps_n;
    const int column = warp_id() * OWN;
    const elem *w[OWN];
    float sum[T::M][OWN] = {};
#pragma unroll
    for (int c = 0; c < OWN; c++) {
        w[c] = weight_row<T>(columns, column + c, k);
        if (w[c] == nullptr) w[c] = a; // its sums are never used
    }

    // idea bytes in flight: the weights of STAGES steps are requested before the
    // first of them is used.
    const int STEP = WARP * PACK;
    Pack weight[T::stages][OWN];
    const int begin = lane_id() * PACK;
#pragma unroll
    for (int s = 0; s < T::stages; s++)
#pragma unroll
        for (int c = 0; c < OWN; c++)
            if (begin + s * STEP < k) weight[s][c] = load_once(w[c] + begin + s * STEP);
    meanwhile();
    for (int first = begin; first < k; first += T::stages * STEP) {
#pragma unroll
        for (int s = 0; s < T::stages; s++) {
            int at = first + s * STEP;
            if (at >= k) break;
            Pack now[OWN];
#pragma unroll
            for (int c = 0; c < OWN; c++) now[c] = weight[s][c];
            if (at + T::stages * STEP < k) {
#pragma unroll
                for (int c = 0; c < OWN; c++)
                    weight[s][c] = load_once(w[c] + at + T::stages * STEP);
            }
#pragma unroll
            for (int m = 0; m < T::M; m++) {
                Pack x = load_pack(a + long(m < rows ? m : 0) * k + at);
#pragma unroll
                for (int c = 0; c < OWN; c++)
#pragma unroll
                    for (int e = 0; e < PACK; e++)
                        sum[m][c] = fmaf(widen(x.at[e]), widen(now[c].at[e]), sum[m][c]);
            }
        }
    }
    // end bytes in flight

    float *sums = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int m = 0; m < T::M; m++)
#pragma unroll
        for (int c = 0; c < OWN; c++) {
            float total = warp_sum(sum[m][c]);
            if (lane_id() == 0) sums[m * T::stride + column + c] = total;
        }
    __syncthreads();
    return sums;
}

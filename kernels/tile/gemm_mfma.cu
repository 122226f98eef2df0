// One stage of a product on AMD's matrix units: bf16, MFMA.
//
// A wave owns a part of the tile and holds its sums in registers. For each 32
// elements of the summed dimension it loads its rows of both operands, 16 bytes a
// lane, and multiplies every 16 rows by every 16 columns.

#if MFMA && BF16

template <class T> struct Accumulators {
    static constexpr int ROWS = T::M / T::warps_m;
    static constexpr int COLUMNS = T::N / T::warps_n;
    static_assert(ROWS % 16 == 0 && COLUMNS % 16 == 0, "a wave has whole products");
    float at[ROWS / 16][COLUMNS / 16][4];
};

// acc += a * b^T over the k_step elements of a stage (both swizzled).
template <class T>
DEVICE void multiply_stage(Accumulators<T> &acc, const char *a_stage, const char *b_stage) {
    typedef Accumulators<T> Acc;
    static_assert(T::k_step % (32 * T::slices) == 0, "a slice has whole steps");
    const int row = lane_id() % 16, quarter = lane_id() / 16;
    const int first_row = warp_row<T>() * Acc::ROWS + row;
    const int first_column = warp_column<T>() * Acc::COLUMNS + row;

#pragma unroll
    for (int step = 0; step < T::k_step / 32 / T::slices; step++) {
        const int chunk = (step * T::slices + warp_slice<T>()) * 4 + quarter;
        Fragment a[Acc::ROWS / 16];
#pragma unroll
        for (int i = 0; i < Acc::ROWS / 16; i++)
            a[i] = load_fragment(a_stage + swizzled(first_row + i * 16, chunk));
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS / 16; j++) {
            Fragment b = load_fragment(b_stage + swizzled(first_column + j * 16, chunk));
#pragma unroll
            for (int i = 0; i < Acc::ROWS / 16; i++) mfma(acc.at[i][j], a[i], b);
        }
    }
}

// The sums, from registers to shared memory: T::M rows of T::stride floats. With
// `add` onto what is there.
template <class T>
DEVICE void store_sums(float *sums, const Accumulators<T> &acc, bool add) {
    typedef Accumulators<T> Acc;
    const int row = warp_row<T>() * Acc::ROWS + lane_id() / 16 * 4;
    const int column = warp_column<T>() * Acc::COLUMNS + lane_id() % 16;
#pragma unroll
    for (int i = 0; i < Acc::ROWS / 16; i++)
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS / 16; j++)
#pragma unroll
            for (int r = 0; r < 4; r++) {
                float *to = sums + (row + i * 16 + r) * T::stride + column + j * 16;
                *to = acc.at[i][j][r] + (add ? *to : 0.0f);
            }
}

#endif

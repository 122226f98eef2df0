// One stage of a product on the matrix units: bf16, mma.sync m16n8k16.
//
// A warp owns a part of the tile and holds its sums in registers. For each 16
// elements of the summed dimension it loads its rows of both operands with
// ldmatrix and multiplies every 16 rows by every 8 columns.

#if MATRIX_UNITS && BF16

template <class T> struct Accumulators {
    static constexpr int ROWS = T::M / T::warps_m;
    static constexpr int COLUMNS = T::N / T::warps_n;
    float at[ROWS / 16][COLUMNS / 8][4];
};

// acc += a * b^T over the K_STEP elements of a stage (both swizzled).
template <class T>
DEVICE void multiply_stage(Accumulators<T> &acc, const char *a_stage, const char *b_stage) {
    typedef Accumulators<T> Acc;
    const int lane = lane_id();
    const int first_row = warp_row<T>() * Acc::ROWS;
    const int first_column = warp_column<T>() * Acc::COLUMNS;

#pragma unroll
    for (int step = 0; step < T::k_step / 16 / T::slices; step++) {
        const int k16 = step * T::slices + warp_slice<T>();
        // 16 rows of A: lanes 0-15 name their left halves, 16-31 the right.
        u32 a[Acc::ROWS / 16][4];
#pragma unroll
        for (int i = 0; i < Acc::ROWS / 16; i++)
            ldmatrix(a[i],
                     a_stage + swizzled(first_row + i * 16 + lane % 16, k16 * 2 + lane / 16));

        // 16 columns at once: two columns' groups of 8, each left and right half.
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS / 16; j++) {
            u32 b[4];
            ldmatrix(b, b_stage + swizzled(first_column + j * 16 + lane % 8 + lane / 16 * 8,
                                           k16 * 2 + lane / 8 % 2));
#pragma unroll
            for (int i = 0; i < Acc::ROWS / 16; i++) {
                mma(acc.at[i][2 * j], a[i], b[0], b[1]);
                mma(acc.at[i][2 * j + 1], a[i], b[2], b[3]);
            }
        }
    }
}

// The sums, from registers to shared memory: T::M rows of T::stride floats. With
// `add` onto what is there.
template <class T>
DEVICE void store_sums(float *sums, const Accumulators<T> &acc, bool add) {
    typedef Accumulators<T> Acc;
    const int row = warp_row<T>() * Acc::ROWS + lane_id() / 4;
    const int column = warp_column<T>() * Acc::COLUMNS + lane_id() % 4 * 2;
#pragma unroll
    for (int i = 0; i < Acc::ROWS / 16; i++)
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS / 8; j++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                float2 *to = reinterpret_cast<float2 *>(
                    sums + (row + i * 16 + half * 8) * T::stride + column + j * 8);
                float2 pair = make_float2(acc.at[i][j][2 * half], acc.at[i][j][2 * half + 1]);
                if (add) pair.x += to->x, pair.y += to->y;
                *to = pair;
            }
        }
}

#endif

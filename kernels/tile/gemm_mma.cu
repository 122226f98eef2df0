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
    const int first_row = warp_id() / T::warps_n * Acc::ROWS;
    const int first_column = warp_id() % T::warps_n * Acc::COLUMNS;

#pragma unroll
    for (int k16 = 0; k16 < T::k_step / 16; k16++) {
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

// The sums, from registers to shared memory: T::M rows of T::stride floats.
template <class T> DEVICE void store_sums(float *sums, const Accumulators<T> &acc) {
    typedef Accumulators<T> Acc;
    const int row = warp_id() / T::warps_n * Acc::ROWS + lane_id() / 4;
    const int column = warp_id() % T::warps_n * Acc::COLUMNS + lane_id() % 4 * 2;
#pragma unroll
    for (int i = 0; i < Acc::ROWS / 16; i++)
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS / 8; j++) {
            float *to = sums + (row + i * 16) * T::stride + column + j * 8;
            const float *from = acc.at[i][j];
            *reinterpret_cast<float2 *>(to) = make_float2(from[0], from[1]);
            *reinterpret_cast<float2 *>(to + 8 * T::stride) = make_float2(from[2], from[3]);
        }
}

#endif

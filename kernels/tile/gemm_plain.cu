// One stage of a product on the ordinary FMA units: fp32 or bf16, sums in fp32.
//
// Register tiling: a thread computes ROWS x COLUMNS outputs, so every element
// that it reads from shared memory is used that many times. Its rows are not
// neighbours: the lanes of a warp take neighbouring rows (and columns), so that
// what they read at the same time lies in different banks.

// A warp's lanes stand as LANES_M rows of 8.
#define LANES_N 8
#define LANES_M (WARP / LANES_N)

template <class T> struct Accumulators {
    static constexpr int ROWS = T::M / (T::warps_m * LANES_M);
    static constexpr int COLUMNS = T::N / (T::warps_n * LANES_N);
    float at[ROWS][COLUMNS];
};

// The first row (column) of this thread; the next is LANES_M (LANES_N) further.
template <class T> DEVICE int first_row() {
    return warp_row<T>() * (T::M / T::warps_m) + lane_id() / LANES_N;
}
template <class T> DEVICE int first_column() {
    return warp_column<T>() * (T::N / T::warps_n) + lane_id() % LANES_N;
}

// Chunk `chunk` of the row that lies `further` (a constant, a multiple of the
// lanes' step) below `row`, where row % 8 < the step: the swizzle's XOR then splits
// into a part per thread and a constant, and the address into one sum per chunk
// and a constant offset.
DEVICE Pack read_pack(const char *stage, int row, int further, int chunk) {
    int mine = chunk ^ row % TILE_CHUNKS;
    const char *at = stage + row * TILE_ROW_BYTES + ((mine ^ further % TILE_CHUNKS) << 4);
    return *reinterpret_cast<const Pack *>(at + further * TILE_ROW_BYTES);
}

// acc += a * b^T over the k_step elements of a stage (both swizzled). A chunk is
// as many elements as 16 bytes hold: the columns' chunks stay in registers while
// the rows' pass by.
template <class T>
DEVICE void multiply_stage(Accumulators<T> &acc, const char *a_stage, const char *b_stage) {
    typedef Accumulators<T> Acc;
    const int row = first_row<T>(), column = first_column<T>();
#pragma unroll 1
    for (int chunk = warp_slice<T>(); chunk < TILE_CHUNKS; chunk += T::slices) {
        Pack b[Acc::COLUMNS];
#pragma unroll
        for (int j = 0; j < Acc::COLUMNS; j++)
            b[j] = read_pack(b_stage, column, j * LANES_N, chunk);
#pragma unroll
        for (int i = 0; i < Acc::ROWS; i++) {
            Pack a = read_pack(a_stage, row, i * LANES_M, chunk);
#pragma unroll
            for (int e = 0; e < PACK; e++)
#pragma unroll
                for (int j = 0; j < Acc::COLUMNS; j++)
                    acc.at[i][j] = fmaf(widen(a.at[e]), widen(b[j].at[e]), acc.at[i][j]);
        }
    }
}

// The sums, from registers to shared memory: T::M rows of T::stride floats. With
// `add` onto what is there.
template <class T>
DEVICE void store_sums(float *sums, const Accumulators<T> &acc, bool add) {
#pragma unroll
    for (int i = 0; i < Accumulators<T>::ROWS; i++) {
        float *row = sums + (first_row<T>() + i * LANES_M) * T::stride + first_column<T>();
#pragma unroll
        for (int j = 0; j < Accumulators<T>::COLUMNS; j++)
            row[j * LANES_N] = acc.at[i][j] + (add ? row[j * LANES_N] : 0.0f);
    }
}

// What a block computes of a product: a tile of T::M rows and T::N columns of
// Y = X * W^T, and where the weights of its columns lie.
//
// Both operands run along the summed dimension (Hugging Face stores weights as
// [out][in]), so a column of Y is a row of W.

// A tile's measures, all known when the kernel is compiled. warps_m rows of
// warps_n warps share the tile; `slices` such groups share the summed dimension
// (a small tile has too few outputs to keep many warps busy). `stages` parts of
// the summed dimension are in shared memory at a time.
template <int ROWS, int COLUMNS, int WARPS_ROWS, int WARPS_COLUMNS, int DEPTH, int GROUPS = 1>
struct Tiling {
    static constexpr int M = ROWS;
    static constexpr int N = COLUMNS;
    static constexpr int warps_m = WARPS_ROWS;
    static constexpr int warps_n = WARPS_COLUMNS;
    static constexpr int stages = DEPTH;
    static constexpr int slices = GROUPS;
    static_assert(N % PACK == 0, "rows of a tile are whole packs");
    static constexpr int threads = warps_m * warps_n * slices * WARP;

    // One stage: k_step elements (128 bytes) of every row of both operands.
    static constexpr int k_step = 128 / int(sizeof(elem));
    static constexpr int stage_bytes = (M + N) * 128;

    // The finished sums in shared memory, fp32. Eight more floats a row move
    // neighbouring rows to other banks.
    static constexpr int stride = N + 8;
    static constexpr int sum_bytes = M * stride * 4;

    // Dynamic shared memory: the stages and, when they are done with, the sums
    // in the same place; behind them what the epilogue keeps: T::M scales and
    // T::N / 2 frequencies.
    static constexpr int product_bytes =
        stages * stage_bytes > sum_bytes ? stages * stage_bytes : sum_bytes;
    static constexpr int shared_bytes = product_bytes + M * 4 + N * 2;
};

#ifdef TILE_M
#ifndef SLICES
#define SLICES 1
#endif
typedef Tiling<TILE_M, TILE_N, WARPS_M, WARPS_N, STAGES, SLICES> Tile;
#endif

// Where the calling warp stands: its slice, its row and column in the group.
template <class T> DEVICE int warp_slice() { return warp_id() / (T::warps_m * T::warps_n); }
template <class T> DEVICE int warp_row() { return warp_id() / T::warps_n % T::warps_m; }
template <class T> DEVICE int warp_column() { return warp_id() % T::warps_n; }

// ---- which weights make which columns ---------------------------------------------

// weight_row<T>(columns, c, k) is the weight row of the tile's column c. Where
// the matrix has no such row it is the last one: its sums are never stored.
// Three arrangements:

// A run of neighbouring columns from `first` on, of `n` in all.
struct Run {
    const elem *w;
    int first, n;
};

// Left half: a run of `left`; right half: the same run of `right`. Column c and
// column c + N / 2 of the tile belong together (gate and up).
struct Beside {
    const elem *left, *right;
    int first, n;
};

// Left half: a run of first halves of heads, right half their partners. Column c
// and column c + N / 2 are a pair that RoPE turns. `first` counts pairs, `n`
// columns.
struct HeadPairs {
    const elem *w;
    int first, n;
};

template <class T> DEVICE const elem *weight_row(const Run &run, int c, int k) {
    return run.w + long(min(run.first + c, run.n - 1)) * k;
}

template <class T> DEVICE const elem *weight_row(const Beside &beside, int c, int k) {
    const elem *w = c < T::N / 2 ? beside.left : beside.right;
    return w + long(min(beside.first + c % (T::N / 2), beside.n - 1)) * k;
}

#ifdef HEAD
// The first column of pair `pair`; its partner is HEAD / 2 further right.
DEVICE int pair_column(int pair) { return pair / (HEAD / 2) * HEAD + pair % (HEAD / 2); }

template <class T> DEVICE const elem *weight_row(const HeadPairs &pairs, int c, int k) {
    int o = pair_column(pairs.first + c % (T::N / 2)) + (c < T::N / 2 ? 0 : HEAD / 2);
    return pairs.w + long(min(o, pairs.n - 1)) * k;
}
#endif

// ---- which block takes which tile ------------------------------------------------------

struct TilePlace {
    int i, j; // tile row, tile column
};

// Tiles in groups of up to 8 tile rows, down the group first: the blocks that run
// at the same time share few rows of X and of W, which then come from the L2
// cache.
DEVICE TilePlace tile_place(int tile, int tiles_m, int tiles_n) {
    const int GROUP = 8;
    int group = tile / (GROUP * tiles_n);
    int height = min(GROUP, tiles_m - group * GROUP);
    int within = tile - group * GROUP * tiles_n;
    return {group * GROUP + within % height, within / height};
}

DEVICE int tiles_over(int extent, int tile) { return (extent + tile - 1) / tile; }

// Nothing to do while a product is computed.
struct Nothing {
    __device__ __forceinline__ void operator()() const {}
};

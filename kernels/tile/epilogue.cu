// What happens to a tile's sums before they leave the chip: scale, turn, gate,
// add, round, store. All of it reads the sums from shared memory, where every
// thread takes 16 bytes' worth of neighbouring columns: stores are whole packs,
// and a value's partner (RoPE's pair, gate and up) is N / 2 columns further.

// -D WIDE=0 for outputs whose rows do not begin on 16 bytes (their width is not a
// multiple of PACK): then elements are stored one by one.

#ifndef WIDE
#define WIDE 1
#endif

// Packs that a thread has under way at a time. More of them hide each other's waits, and
// are more instructions: in a kernel of many phases those are memory too.
#ifndef PACKS_AT_ONCE
#define PACKS_AT_ONCE 4
#endif

// Packs per thread of a tile COLUMNS wide.
template <class T, int COLUMNS>
constexpr int PASSES = (T::M * COLUMNS / PACK + T::threads - 1) / T::threads;

// COUNT of a thread's packs of a tile COLUMNS wide, from its first-th on:
// visit(i, row, column), i < COUNT. The lanes of a row are neighbours; all lanes visit,
// with a row beyond every tile where a small tile has none left for them.
template <class T, int COLUMNS, int COUNT, int UNROLL, class Visit>
DEVICE void some_packs(int first, Visit visit) {
#pragma unroll UNROLL
    for (int i = 0; i < COUNT; i++) {
        int at = threadIdx.x + (first + i) * T::threads;
        int row = at / (COLUMNS / PACK);
        visit(i, row < T::M ? row : 1 << 30, at % (COLUMNS / PACK) * PACK);
    }
}

// All of them.
template <class T, int COLUMNS, class Visit> DEVICE void each_pack(Visit visit) {
    some_packs<T, COLUMNS, PASSES<T, COLUMNS>, PACKS_AT_ONCE>(0, visit);
}

DEVICE void read_sums(float (&to)[PACK], const float *from) {
#pragma unroll
    for (int e = 0; e < PACK; e += 4) {
        float4 four = *reinterpret_cast<const float4 *>(from + e);
        to[e] = four.x, to[e + 1] = four.y, to[e + 2] = four.z, to[e + 3] = four.w;
    }
}

// Stores a pack at `column` of a row of `width` elements; nothing beyond its end.
DEVICE void store_columns(elem *row, int column, int width, const float (&value)[PACK]) {
#if WIDE
    if (column >= width) return;
    Pack pack;
#pragma unroll
    for (int e = 0; e < PACK; e++) pack.at[e] = narrow(value[e]);
    store_pack(row + column, pack);
#else
    for (int e = 0; e < PACK && column + e < width; e++) row[column + e] = narrow(value[e]);
#endif
}

DEVICE Pack load_columns(const elem *row, int column, int width) {
    Pack pack = {};
#if WIDE
    if (column < width) pack = load_pack(row + column);
#else
    for (int e = 0; e < PACK && column + e < width; e++) pack.at[e] = row[column + e];
#endif
    return pack;
}

// ---- where the rows of an output lie -------------------------------------------------

// A tensor of `width` columns whose rows lie as `cache_row` says.
struct Output {
    elem *at;
    int width, seq, cap, past;
};

DEVICE elem *output_row(const Output &output, int row) {
    return output.at + cache_row(row, output.seq, output.cap, output.past) * output.width;
}

// ---- RMSNorm as a factor per row --------------------------------------------------------

// scale[r] = rsqrt(mean square of row r + eps) from the partial sums of squares
// [rows][slots] that the producer of the rows left. Each row by as many lanes as
// there are threads for it; four sums a load, so that all are under way at once.
// Visible after the next __syncthreads.
template <class T>
DEVICE void row_scales(float *scale, const float *ssq, int slots, int rows, int width, float eps) {
    constexpr int SHARE = T::threads / T::M;
    constexpr int LANES = SHARE >= WARP ? WARP : SHARE >= 8 ? 8 : SHARE >= 2 ? 2 : 1;
    for (int first = 0; first < T::M; first += T::threads / LANES) {
        int row = first + threadIdx.x / LANES, lane = threadIdx.x % LANES;
        float sum = 0.0f;
        if (row < rows && slots % 4 == 0) {
            const float4 *from = reinterpret_cast<const float4 *>(ssq + long(row) * slots);
#pragma unroll (2 * PACKS_AT_ONCE)
            for (int s = lane; s < slots / 4; s += LANES)
                sum += (from[s].x + from[s].y) + (from[s].z + from[s].w);
        } else if (row < rows) {
            for (int s = lane; s < slots; s += LANES) sum += ssq[long(row) * slots + s];
        }
        for (int mask = LANES / 2; mask > 0; mask /= 2) sum += swap_lanes(sum, mask);
        if (row < T::M && lane == 0) scale[row] = rsqrtf(sum / width + eps);
    }
}

// ---- epilogues ------------------------------------------------------------------------------
// Each takes the sums, the tile's first row and how many rows exist from there,
// its first column (or pair), and `scale`, a factor per row (null: 1).

template <class T>
DEVICE void read_scaled(float (&to)[PACK], const float *sums, const float *scale, int row,
                        int column) {
    read_sums(to, sums + row * T::stride + column);
    if (scale != nullptr)
#pragma unroll
        for (int e = 0; e < PACK; e++) to[e] *= scale[row];
}

// y = sums.
template <class T>
DEVICE void store_tile(const float *sums, const float *scale, int first_row, int rows,
                       int first_column, const Output &y) {
    each_pack<T, T::N>([&](int, int row, int column) {
        if (row >= rows) return;
        float value[PACK];
        read_scaled<T>(value, sums, scale, row, column);
        store_columns(output_row(y, first_row + row), first_column + column, y.width, value);
    });
}

// y = silu(left half) * right half: gate and up of the same column.
template <class T>
DEVICE void store_swiglu(const float *sums, const float *scale, int first_row, int rows,
                         int first_column, const Output &y) {
    each_pack<T, T::N / 2>([&](int, int row, int column) {
        if (row >= rows) return;
        float gate[PACK], up[PACK];
        read_scaled<T>(gate, sums, scale, row, column);
        read_scaled<T>(up, sums, scale, row, column + T::N / 2);
#pragma unroll
        for (int e = 0; e < PACK; e++)
#if BF16
            up[e] *= __fdividef(gate[e], 1.0f + __expf(-gate[e]));
#else
            up[e] *= gate[e] / (1.0f + expf(-gate[e]));
#endif
        store_columns(output_row(y, first_row + row), first_column + column, y.width, up);
    });
}

#ifdef HEAD
// The angles per position of the tile's pairs, N / 2 of them. Visible after the
// next __syncthreads.
template <class T> DEVICE void pair_frequencies(float *frequency, int first_pair, float theta) {
    for (int p = threadIdx.x; p < T::N / 2; p += T::threads)
        frequency[p] = rotary_frequency((first_pair + p) % (HEAD / 2), theta);
}

// y = sums turned by position: left and right half hold the two columns of each
// pair. `frequency` null: not turned (the values). `position` is that of a
// sequence's first row.
template <class T>
DEVICE void store_pairs(const float *sums, const float *scale, const float *frequency,
                        int position, int first_row, int rows, int first_pair, const Output &y) {
    each_pack<T, T::N / 2>([&](int, int row, int column) {
        if (row >= rows) return;
        float left[PACK], right[PACK];
        read_scaled<T>(left, sums, scale, row, column);
        read_scaled<T>(right, sums, scale, row, column + T::N / 2);
        if (frequency != nullptr) {
            int at = position + (first_row + row) % y.seq;
#pragma unroll
            for (int e = 0; e < PACK; e++) {
                Turn turn = rotary_turn(at, frequency[column + e]);
                float first = left[e], second = right[e];
                left[e] = turn_first(first, second, turn);
                right[e] = turn_second(first, second, turn);
            }
        }
        elem *to = output_row(y, first_row + row);
        int o = pair_column(first_pair + column);
        store_columns(to, o, y.width, left);
        store_columns(to, o + HEAD / 2, y.width, right);
    });
}
#endif

// The packs of the residual that this thread will add, RESIDUAL_AT_ONCE at a time. Few
// are requested before the product and arrive while it is computed; many, once the sums
// have left their registers.
#ifndef RESIDUAL_AT_ONCE
#define RESIDUAL_AT_ONCE 1024
#endif
template <class T> struct Residual {
    static constexpr int ALL = PASSES<T, T::N>;
    static constexpr int HELD = ALL < RESIDUAL_AT_ONCE ? ALL : RESIDUAL_AT_ONCE;
    static_assert(ALL % HELD == 0, "groups are whole");
    static constexpr bool EARLY = ALL <= 4;
    Pack at[HELD];
};

// Those from the first-th on.
template <class T>
DEVICE void request_residual(Residual<T> &residual, int first, const elem *from, int first_row,
                             int rows, int first_column, int width) {
    some_packs<T, T::N, Residual<T>::HELD, Residual<T>::HELD>(
        first, [&](int i, int row, int column) {
            // Something in any case: a register that is not always written counts as used
            // from the kernel's beginning, and is lost to every other phase.
            residual.at[i] = Pack();
            if (row < rows)
                residual.at[i] = load_columns(from + long(first_row + row) * width,
                                              first_column + column, width);
        });
}

// y = sums + residual [rows][width]; and, where `ssq` is not null, the sum of the
// squares of each row's stored values over this tile's columns, to ssq[row][slot]. The
// first packs of the residual were requested, from `from`.
template <class T>
DEVICE void store_residual(const float *sums, Residual<T> &residual, const elem *from, float *ssq,
                           int slots, int slot, int first_row, int rows, int first_column, elem *y,
                           int width) {
    constexpr int HELD = Residual<T>::HELD;
#pragma unroll 1
    for (int first = 0; first < Residual<T>::ALL; first += HELD) {
        if (first > 0)
            request_residual<T>(residual, first, from, first_row, rows, first_column, width);
        some_packs<T, T::N, HELD, HELD>(first, [&](int i, int row, int column) {
            float squares = 0.0f;
            if (row < rows) {
                float value[PACK];
                read_sums(value, sums + row * T::stride + column);
#pragma unroll
                for (int e = 0; e < PACK; e++) {
                    value[e] += widen(residual.at[i].at[e]);
                    float stored = widen(narrow(value[e]));
                    if (first_column + column + e < width)
                        squares = fmaf(stored, stored, squares);
                }
                store_columns(y + long(first_row + row) * width, first_column + column, width,
                              value);
            }
            if (ssq != nullptr) {
                for (int mask = T::N / PACK / 2; mask > 0; mask /= 2)
                    squares += swap_lanes(squares, mask);
                if (row < rows && column == 0)
                    ssq[long(first_row + row) * slots + slot] = squares;
            }
        });
    }
}

// The products of Hopper's one-launch kernel: one main loop for all phases, each with a
// tile of its own.

// N columns of a tile for each group; TURNS: the groups have tiles of their own, 128 x N,
// and take turns: one stores while the other multiplies. SPLIT, 1, 2 or 4: so many blocks
// share a tile; each sums a part of k, and ends the rows of a part of each group's warps.
template <int N_, bool TURNS_, int SPLIT_> struct Product {
    static constexpr int N = N_, SPLIT = SPLIT_, SUMS = N / 2;
    static constexpr int COLUMNS = N * SIDES; // of a tile
    static constexpr bool TURNS = TURNS_;
    static constexpr int PARTS = TURNS ? 2 : 1; // m64 products of a group
    static constexpr int LEFT_BYTES = ROWS * STEP_K * 2, RIGHT_BYTES = COLUMNS * STEP_K * 2;
    static constexpr int FITTING = SLOT_BYTES / (LEFT_BYTES + RIGHT_BYTES);
    // Steps of 64 along k in a slot.
    static constexpr int DEEP = FITTING < 4 ? FITTING : 4;
    static_assert(DEEP >= 1, "a step fits a slot");
    static_assert(SPLIT == 1 || !TURNS, "groups that take turns have no partners");
    static_assert(ROWS == 128 || !TURNS, "groups that take turns have whole tiles");
    static_assert(SPLIT == 1 || SPLIT == 2 || SPLIT == 4, "a part is whole warps");
};

struct Task {
    int m, n, first, last; // tile, steps along k
};

// How the tiles of a phase are dealt out to a team's blocks. Tiles of a band lie below
// each other; the parts of a tile go to neighbouring blocks. `first`: the team's first row.
template <class P> struct Deal {
    int first, tiles_m, tiles_n, steps;

    __device__ __forceinline__ Deal(int first, int rows, int columns_n, int k)
        : first(first), tiles_m((rows + ROWS - 1) / ROWS), tiles_n(columns_n),
          steps((k + STEP_K * P::DEEP - 1) / (STEP_K * P::DEEP)) {}
    __device__ __forceinline__ int stride() const { return team_blocks() / P::SPLIT * P::SPLIT; }
    __device__ __forceinline__ int end() const {
        return team_rank() < stride() ? tiles_m * tiles_n * P::SPLIT : 0;
    }
    __device__ __forceinline__ int row(int tile) const { return first + tile * ROWS; }
    // Of a task, among those of all teams (the first has the most rows).
    __device__ __forceinline__ int among_all(int number, int most_rows) const {
        return TEAM ? number + team_index() * ((most_rows + ROWS - 1) / ROWS) * tiles_n * P::SPLIT
                    : number;
    }
    __device__ __forceinline__ Task at(int number) const {
        const int BAND = 2048 / ROWS;
        int tile = number / P::SPLIT, part = number % P::SPLIT;
        int band = divide(tile, BAND * tiles_n), within = tile - band * BAND * tiles_n;
        int height = min(BAND, tiles_m - band * BAND), n = divide(within, height);
        return {band * BAND + within - n * height, n, steps * part / P::SPLIT,
                steps * (part + 1) / P::SPLIT};
    }
};

// ---- producer --------------------------------------------------------------------

// `right.at(tile_n)` is made once per tile; its `load(to, full, k)` asks for a step.
// The weights need not wait for other blocks: the first slots of them are asked for
// before the gate.
template <class P, class Right>
DEVICE void produce(Ring &ring, Gate &gate, const Deal<P> &deal, const TensorMap &left,
                    const Right &right, bool waiting = true) {
    const u32 bytes = P::DEEP * (P::LEFT_BYTES + P::RIGHT_BYTES);
    static_assert(EARLY <= SLOTS, "");
#pragma unroll 1
    for (int number = team_rank(); number < deal.end(); number += deal.stride()) {
        Task task = deal.at(number);
        typename Right::Columns columns = right.at(task.n);
        Ring front = ring;
#pragma unroll 1
        for (int left_step = task.first, step = left_step; left_step < task.last;) {
            // While the gate is closed the right operand may run ahead of the left one.
            if (step == left_step || (waiting && step < min(left_step + EARLY, task.last))) {
                front.open(bytes);
#pragma unroll
                for (int i = 0; i < P::DEEP; i++)
                    columns.load(front.here() + P::DEEP * P::LEFT_BYTES + i * P::RIGHT_BYTES,
                                 front.full(), (step * P::DEEP + i) * STEP_K);
                front.next();
                step++;
                continue;
            }
            if (waiting) gate.producer_passes();
            waiting = false;
            // A team's last tile reaches into the next team's rows, which that may be
            // writing: nothing orders the two, and nothing has to. A row of a product is
            // made of that row alone, and rows that are not the team's are not stored.
#pragma unroll
            for (int i = 0; i < P::DEEP; i++)
                tma_load(ring.here() + i * P::LEFT_BYTES, left, ring.full(),
                         (left_step * P::DEEP + i) * STEP_K, deal.row(task.m));
            ring.next();
            left_step++;
        }
    }
    if (waiting) gate.producer_passes();
}

// ---- consumers -------------------------------------------------------------------

// The sums of a tile. A slot is handed back when the products of the next one have been
// issued: the matrix units never run dry.
template <class P>
DEVICE void multiply(Ring &ring, int group, int steps, int pass_on,
                     float (&sums)[P::PARTS][P::SUMS]) {
    u32 before = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        barrier_wait(ring.full(), ring.phase);
        if (step == 0) stamp(2);
        u64 a = tile_descriptor(ring.here());
        u64 b = a + (P::DEEP * P::LEFT_BYTES >> 4);
        if (SIDES == 2)
            b += group * (P::N * 128 >> 4);
        else if (!P::TURNS)
            a += group * (64 * 128 >> 4);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < P::DEEP * STEP_K / 16; i++) {
#pragma unroll
            for (int part = 0; part < P::PARTS; part++)
                Wgmma<P::N>::add(sums[part],
                                 a + i / 4 * (P::LEFT_BYTES >> 4) + part * 512 + i % 4 * 2,
                                 b + i / 4 * (P::RIGHT_BYTES >> 4) + i % 4 * 2, step + i > 0);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (before && lane_id() == 0) barrier_arrive(before, P::TURNS ? 2 : 1);
        before = ring.empty();
        ring.next();
    }
    if (pass_on) named_arrive(pass_on, CONSUMERS);
    wgmma_wait<0>();
#pragma unroll
    for (int part = 0; part < P::PARTS; part++) wgmma_settle(sums[part]);
    if (before && lane_id() == 0) barrier_arrive(before, P::TURNS ? 2 : 1);
}

// Partners exchange their sums through memory: block `part` ends the rows of its part of
// the group's four warps and adds the others' sums in their order, so that the same
// inputs give the same bits.
struct Partners {
    float4 *sums; // [tasks][2 groups][SUMS / 4][128 threads]
    u32 *counters; // [tiles][2 groups]
    int most_rows; // of a team

    template <class P> __device__ __forceinline__ u32 *counter(int task, int group) const {
        return counters + task / P::SPLIT * 2 + group;
    }
};

// Whether this warp ends its rows here.
template <class P> DEVICE bool ends_rows(int number, int thread) {
    return P::SPLIT == 1 || thread / WARP * P::SPLIT / 4 == number % P::SPLIT;
}

template <class P>
DEVICE void join_parts(const Partners &partners, int number, u32 before, float (&sums)[P::SUMS]) {
    const int part = number % P::SPLIT;
    const Place me = place_anew();
    auto place = [&](int of) {
        int task = number - part + of;
        return partners.sums + (task * 2 + me.group) * (P::SUMS / 4 * 128) + me.thread;
    };
    const bool ends = ends_rows<P>(number, me.thread);
    if (!ends) {
        float4 *to = place(part);
#pragma unroll
        for (int i = 0; i < P::SUMS / 4; i++)
            __stcg(to + i * 128, make_float4(sums[i * 4], sums[i * 4 + 1], sums[i * 4 + 2],
                                             sums[i * 4 + 3]));
    }
    named_wait(GROUP_BARRIER + me.group, 128);
    if (me.thread == 0) {
        u32 *counter = partners.template counter<P>(number, me.group);
        come(counter, part == 0, P::SPLIT);
        await_turn(counter, before);
    }
    named_wait(GROUP_BARRIER + me.group, 128);
    if (!ends) return;
#pragma unroll 1
    for (int i = 1; i < P::SPLIT; i++) {
        const float4 *from = place(i <= part ? i - 1 : i);
#pragma unroll
        for (int j = 0; j < P::SUMS / 4; j++) {
            float4 theirs = __ldcg(from + j * 128);
            sums[j * 4] += theirs.x, sums[j * 4 + 1] += theirs.y;
            sums[j * 4 + 2] += theirs.z, sums[j * 4 + 3] += theirs.w;
        }
    }
}

// The tiles of a phase. `epilogue.request(row, stretch)` asks for what the stores will
// need, before the products, so that it travels under them; `epilogue.store(row, stretch,
// sums)` ends the lane's rows `row` and row + 8 of stretch `stretch` of N columns.
template <class P, class Epilogue>
DEVICE void consume(Ring &ring, Gate &gate, const Deal<P> &deal, const Partners &partners, const Epilogue &call, bool waiting = true) {
    int turn = 0;
    if (P::TURNS && threadIdx.x / 128 == 1 && team_rank() < deal.end())
        named_arrive(TURN_BARRIER, CONSUMERS);
#pragma unroll 1
    for (int number = team_rank(); number < deal.end(); number += deal.stride()) {
        Place me = place_anew();
        Task task = deal.at(number);
        if (P::TURNS && turn++ % 2 != me.group) {
            ring.skip(task.last - task.first);
            continue;
        }
        if (waiting) gate.consumers_wait();
        waiting = false;
        auto row = [&] {
            return deal.row(task.m) + me.row + (P::TURNS || SIDES == 2 ? 0 : me.group * 64);
        };
        auto stretch = [&] {
            return task.n * SIDES + (SIDES == 2 ? me.group : 0);
        };
        Epilogue epilogue[P::PARTS];
#pragma unroll
        for (int part = 0; part < P::PARTS; part++) {
            epilogue[part] = call;
            if (ends_rows<P>(number, me.thread))
                epilogue[part].request(row() + part * 64, stretch());
        }
        float sums[P::PARTS][P::SUMS];
        // Defined here, or the compiler keeps every phase's sums alive round the layers.
#pragma unroll
        for (int part = 0; part < P::PARTS; part++)
#pragma unroll
            for (int i = 0; i < P::SUMS; i++) sums[part][i] = 0.0f;
        // Asked for in time; it cannot turn without this block.
        const int among = P::SPLIT > 1 ? deal.among_all(number, partners.most_rows) : 0;
        u32 before = P::SPLIT > 1 ? load_device(partners.template counter<P>(among, me.group)) : 0;
        int pass_on = 0;
        if (P::TURNS) {
            named_wait(TURN_BARRIER + me.group, CONSUMERS);
            if (number + deal.stride() < deal.end()) pass_on = TURN_BARRIER + 1 - me.group;
        }
        multiply<P>(ring, me.group, task.last - task.first, pass_on, sums);
        stamp(3);
        me = place_anew();
        if constexpr (P::SPLIT > 1) join_parts<P>(partners, among, before, sums[0]);
        if (!ends_rows<P>(number, me.thread)) continue;
#pragma unroll
        for (int part = 0; part < P::PARTS; part++)
            epilogue[part].store(row() + part * 64, stretch(), sums[part]);
    }
    if (waiting) gate.consumers_wait();
}

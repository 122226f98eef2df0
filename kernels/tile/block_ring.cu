// The persistent block of Hopper's one-launch kernel: who does what, and how the phases
// of a layer follow one another.
//
// One block per multiprocessor, three warpgroups. One lane of the third is the
// producer: it asks the copy engine for tiles, phase after phase, through one ring of
// slots. The first two warpgroups multiply and store. Nothing but the slots' barriers
// passes between the two sides, so that the ring never runs dry from tile to tile; only
// where a phase reads what other blocks wrote in the phase before do both wait, each
// for itself, at the grid's barrier.
//
// -D:
//   ROWS         rows of a product's tile. 128: the groups have 64 each, of the same
//                columns. 64: they have the same rows, of columns beside each other
//   SLOTS, SLOT_BYTES   the ring
//   TEAM, TEAM_SEQUENCES   blocks that work on so many sequences, or 0

#define CONSUMERS 256
#define BLOCK_THREADS 384
#define SIDES (ROWS == 64 ? 2 : 1)
#define STEP_K 64

// Named barriers: the turns of the two groups, all consumers, the two groups.
#define TURN_BARRIER 1
#define ALL_BARRIER 3
#define GROUP_BARRIER 4

// Shared memory: the slots, each at a multiple of 1024, and their barriers.
#define BARRIERS_AT (SLOTS * SLOT_BYTES)
#define BLOCK_SHARED (1024 + SLOTS * (SLOT_BYTES + 16))

struct Ring {
    u32 at; // address of the first slot
    int slot;
    u32 phase;

    __device__ __forceinline__ u32 here() const { return at + slot * SLOT_BYTES; }
    __device__ __forceinline__ u32 full() const { return at + BARRIERS_AT + slot * 16; }
    __device__ __forceinline__ u32 empty() const { return full() + 8; }
    __device__ __forceinline__ void next() {
        slot++;
        if (slot == SLOTS) {
            slot = 0;
            phase ^= 1;
        }
    }
    __device__ __forceinline__ void skip(int steps) {
        slot += steps;
        phase ^= slot / SLOTS & 1;
        slot %= SLOTS;
    }
    // The producer's: takes the slot, for so many bytes.
    __device__ __forceinline__ void open(u32 bytes) const {
        barrier_wait(empty(), phase ^ 1);
        barrier_expect(full(), bytes);
    }
};

DEVICE Ring open_ring(const unsigned char *memory) {
    Ring ring;
    ring.at = shared_address(memory) + 1023u & ~1023u;
    ring.slot = 0;
    ring.phase = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < SLOTS; i++) {
            barrier_init(ring.at + BARRIERS_AT + i * 16, 1);
            barrier_init(ring.at + BARRIERS_AT + i * 16 + 8, CONSUMERS / WARP);
        }
        barriers_ready();
    }
    return ring;
}

// ---- teams -------------------------------------------------------------------------
// Sequences know nothing of one another. Where there are enough of them, the blocks are
// divided into teams of TEAM blocks with TEAM_SEQUENCES sequences each, which wait for
// nobody else. TEAM 0: all blocks are one team.

DEVICE int team_rank() { return TEAM ? blockIdx.x % (TEAM ? TEAM : 1) : blockIdx.x; }
DEVICE int team_blocks() { return TEAM ? TEAM : gridDim.x; }
DEVICE int team_index() { return TEAM ? blockIdx.x / (TEAM ? TEAM : 1) : 0; }

// A consumer's place: its group, and its first row of the group's 64 (the second is 8
// further down).
struct Place {
    int thread, group, row;
};
DEVICE Place place_anew() {
    int thread = thread_anew();
    return {thread % 128, thread / 128, thread % 128 / WARP * 16 + thread % WARP / 4};
}

// a / b for 0 <= a < 2^22, 0 < b: six instructions, where the exact one takes forty. The
// instructions of all phases have to stay in the caches from layer to layer.
DEVICE int divide(int a, int b) { return int((float(a) + 0.5f) * __frcp_rn(float(b))); }

// ---- where the time goes ---------------------------------------------------------
// -D CLOCKS=1: thread 0 of every block leaves the multiprocessor's clock, times four, and
// what it is: 0 the way to the gate, 1 past it, 2 a tile's first step has come, 3 its
// products are done.
#if CLOCKS
#define STAMPS 512
__device__ long long stamps[256 * STAMPS];
static __shared__ int stamped;
DEVICE void stamp(int kind) {
    if (threadIdx.x == 0 && stamped < STAMPS)
        stamps[blockIdx.x * STAMPS + stamped++] = clock64() * 4 + kind;
}
#else
DEVICE void stamp(int) {}
#endif

// ---- waits between blocks --------------------------------------------------------
// A counter whose upper half counts turns: the `count` that arrive add ONE_TURN together, one of
// them what the others leave, so that it needs no reset. One thread calls.

#ifndef ONE_TURN
#define ONE_TURN (1u << 16) // more blocks than that are on no device
#endif

DEVICE void come(u32 *counter, bool first, int count) {
    add_release_only(counter, first ? ONE_TURN - (count - 1) : 1);
}
// Waits for the turn after `before`, however many have followed it.
DEVICE void await_turn(const u32 *counter, u32 before) {
    while (load_acquire(counter) - before / ONE_TURN * ONE_TURN < ONE_TURN) {
    }
}

// The barrier of a team, as each of the two sides passes it: what any block wrote before
// is seen after. `before`: the counter as it was at some time since the last turn. Teams'
// counters lie 128 bytes apart.
//
// The consumers cannot be two turns behind, since no turn comes without them. The producer
// can: where its block has no tile in two phases, nobody waits for it. So turns are counted:
// by a single bit, the second turn would look to it as none, and at the last gate it would
// wait for one that never comes. It is behind by a launch's gates at most, five a layer.
struct Gate {
    u32 *counter;
    u32 before;

    __device__ __forceinline__ explicit Gate(u32 *counters)
        : counter(counters + team_index() * 32), before(load_acquire(counter)) {}
    // The consumers' phase is over.
    __device__ __forceinline__ void consumers_arrive() {
        stamp(0);
        named_wait(ALL_BARRIER, CONSUMERS);
        if (threadIdx.x == 0) come(counter, team_rank() == 0, team_blocks());
    }
    // What needs nothing of other blocks is done in between.
    __device__ __forceinline__ void consumers_wait() {
        if (threadIdx.x == 0) await_turn(counter, before);
        before += ONE_TURN;
        named_wait(ALL_BARRIER, CONSUMERS);
        stamp(1);
    }
    // The producer only looks on.
    __device__ __forceinline__ void producer_passes() {
        await_turn(counter, before);
        before += ONE_TURN;
        copies_see_writes();
    }
};

// Defects to be found, one at a time: -D MUTANT=n bends one primitive of `prefix/`, and
// the files behind this one are compiled as they are. 0 bends nothing. What each is, and
// what has to be said of it, is in `src/backend/protocol/mutants.rs`.

#ifndef MUTANT
#define MUTANT 0
#endif

#if MUTANT == 1
// The counter is published before the other warps have stored: no barrier in front.
#define ALL_BARRIER_ID 3
DEVICE void named_wait_early(int id, int threads) {
    if (id != ALL_BARRIER_ID) named_wait(id, threads);
}
#define named_wait named_wait_early

#elif MUTANT == 2
// Arrivals at counters between blocks release nothing.
DEVICE void add_only(u32 *to, u32 value) { atomicAdd(to, value); }
#define add_release_only add_only
#define add_release(to, value) atomicAdd(to, value)

#elif MUTANT == 3
// Who waits for other blocks acquires nothing.
#define load_acquire load_device

#elif MUTANT == 4
// The epoch is off by one: a wait for a turn that has been.
DEVICE u32 load_acquire_turned(const u32 *from) { return load_acquire(from) ^ 0x80000000u; }
#define load_acquire load_acquire_turned

#elif MUTANT == 5
// A slot is handed back while a product still reads it.
template <int PENDING> DEVICE void wgmma_wait_late() { wgmma_wait<PENDING + 1>(); }
#define wgmma_wait wgmma_wait_late

#elif MUTANT == 6
// Consumers wait for the wrong parity.
template <class At> DEVICE void barrier_wait_turned(At barrier, u32 parity) {
    barrier_wait(barrier, parity ^ (threadIdx.x < 256 ? 1 : 0));
}
#define barrier_wait barrier_wait_turned

#elif MUTANT == 7
// One arrival too many is waited for: a slot that never comes back.
template <class At> DEVICE void barrier_init_more(At barrier, u32 count) {
    barrier_init(barrier, count == 1 ? 1 : count + 1);
}
#define barrier_init barrier_init_more

#elif MUTANT == 8
// The copy engine is not told what other blocks wrote.
DEVICE void copies_see_nothing() {}
#define copies_see_writes copies_see_nothing

#elif MUTANT == 9
// The producer does not wait for a slot to be empty.
template <class At> DEVICE void barrier_wait_never(At barrier, u32 parity) {
    if (threadIdx.x < 256) barrier_wait(barrier, parity);
}
#define barrier_wait barrier_wait_never

#elif MUTANT == 10
// A slot is announced with a row too few: its phase never ends as it should.
template <class At> DEVICE void barrier_expect_less(At barrier, u32 bytes) {
    barrier_expect(barrier, bytes - 128);
}
#define barrier_expect barrier_expect_less

#elif MUTANT == 11
// Words carry the number of the step behind the one that made them.
#define tag_value(value, tag) tag_value(value, (tag) + 1)

#elif MUTANT == 12
// A value and its tag go out in two stores.
DEVICE void store_halves(u32 *to, u32 value) {
    volatile u16 *halves = reinterpret_cast<volatile u16 *>(to);
    halves[0] = u16(value);
    halves[1] = u16(value >> 16);
}
#define store_device store_halves

#elif MUTANT == 13
// Who reads a word does not look at its tag.
#define all_tagged(pack, tag) true

#elif MUTANT == 14
// The grid's counter is published when one warp has come, not the block.
#define __syncthreads() __syncwarp()
#endif

// chase: one thread follows a chain through a working set. What a load waits is decided
// by where its line lies: in the first-level cache, in the second, or in memory.
//
//   next [elements of the working set]; at [1]: where the walk stands, kept between launches
//
// Swept: the working set. The chain visits each line of 128 bytes once, in random order,
// before it comes back: no line is read ahead.

KERNEL void chase(const u32 *next, u32 *at, int steps) {
    u32 here = *at;
    // idea wait: the address of a load is what the load before it brought. Two of them are
    // never under way together, so that the time over the steps is what one load waits.
    for (int i = 0; i < steps; i++) here = next[here];
    // end wait
    *at = here;
}

// A kernel that never ends, to see whether a run survives it: arguments and
// launch are those of silu.cu. It waits for a value that nobody writes.

KERNEL void silu(const elem *__restrict__ g, elem *__restrict__ sg, long n) {
    volatile const u16 *word = reinterpret_cast<volatile const u16 *>(sg);
    while (*word != 0x1234u) {
    }
    sg[0] = g[n - 1];
}

// A kernel that writes far outside of its buffer, to see whether a run survives
// it: arguments and launch are those of silu.cu.

KERNEL void silu(const elem *__restrict__ g, elem *__restrict__ sg, long n) {
    long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
    if (i < n) sg[i + (1l << 42)] = g[i];
}

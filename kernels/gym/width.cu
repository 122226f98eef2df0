// width: a copy, 1, 2 or 4 elements per thread and instruction. The bytes are the
// same; the instructions are not.
//
//   x, y [parts * WIDTH]
//
// Compiled in: WIDTH, the elements that one load moves. Swept.

struct alignas(4 * WIDTH) Part {
    float at[WIDTH];
};

KERNEL void width(const Part *x, Part *y, int parts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // idea part: 4, 8 or 16 bytes with one instruction. The address must be a
    // multiple of as many.
    if (i < parts) y[i] = x[i];
    // end part
}

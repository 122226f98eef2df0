// sweep: blocks read a working set again and again, each its own part. How fast is decided
// by where the part lies, and by how many loads are under way at once.
//
//   data [gridDim.x][packs], 16 bytes each; out [gridDim.x][blockDim.x]
//
// Swept: the working set, by one block and by one per multiprocessor.

#define AT_ONCE 4

KERNEL void sweep(const uint4 *data, u32 *out, int packs, int passes) {
    const uint4 *own = data + long(blockIdx.x) * packs;
    u32 sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        // idea many: a thread asks for four packs before it needs the first.
        for (int first = threadIdx.x; first < packs; first += blockDim.x * AT_ONCE) {
            uint4 pack[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                int at = first + i * blockDim.x;
                pack[i] = at < packs ? own[at] : make_uint4(0, 0, 0, 0);
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                // The pass takes part, or one pass could stand for all.
                sum += (pack[i].x ^ pack[i].y ^ pack[i].z ^ pack[i].w) * (pass + 1);
        }
        // end many
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

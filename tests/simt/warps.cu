// What lanes exchange: out[op][thread].
typedef unsigned u32;
#define ALL 0xffffffffu

extern "C" __global__ void lanes(const u32 *a, u32 *out, int n) {
    int i = threadIdx.x, lane = i % 32;
    u32 x = a[i];
    int k = 0;
#define PUT(value) out[n * k++ + i] = (value)
    PUT(__shfl_xor_sync(ALL, x, 5));
    PUT(__shfl_up_sync(ALL, x, 3));
    PUT(__shfl_down_sync(ALL, x, 7));
    PUT(__shfl_sync(ALL, x, lane * 3));
    PUT(__shfl_sync(ALL, x, 2, 8));
    PUT(__shfl_down_sync(ALL, x, 1, 4));
    PUT(__ballot_sync(ALL, x & 1));
    PUT(__any_sync(ALL, x == 7));
    PUT(__all_sync(ALL, x < 100));
    PUT(__reduce_add_sync(ALL, x));
    PUT(__match_any_sync(ALL, x & 3));
    PUT(__syncthreads_count(x & 1));
    PUT(__syncthreads_or(x == 7));
    PUT(__syncthreads_and(x < 100));
}

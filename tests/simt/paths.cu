// Control flow and memory of single threads: what comes out must be what a loop
// in plain code gives.
typedef unsigned u32;

extern "C" __global__ void collatz(const u32 *x, u32 *steps) {
    u32 value = x[threadIdx.x], count = 0;
    while (value != 1) {
        if (value % 2) {
            value = 3 * value + 1;
            if (value % 5 == 0) continue;
            count += 2;
        } else {
            value /= 2;
            count += 1;
        }
        if (count > 150) break;
    }
    switch (value % 7) {
    case 0: count += 1000; break;
    case 1: count += 2000; break;
    case 2: count += 3000; // falls on
    case 3: count += 4000; break;
    case 5: return;
    default: count += 5000;
    }
    steps[threadIdx.x] = count;
}

static __device__ __noinline__ u32 turned(u32 seed, int times) {
    u32 ring[8];
    for (int i = 0; i < 8; ++i) ring[i] = seed + i;
    for (int i = 0; i < times; ++i) ring[(i * 3) % 8] += ring[(i + 1) % 8];
    return ring[times % 8];
}

extern "C" __global__ void local_arrays(const u32 *x, u32 *out) {
    u32 v = x[threadIdx.x];
    out[threadIdx.x] = turned(v, v % 20) ^ turned(v + 1, v % 3);
}

struct Table {
    int count;
    float scale[5];
    const u32 *from;
};

extern "C" __global__ void by_value(const Table table, float *out, int at) {
    out[threadIdx.x] = table.scale[(threadIdx.x + at) % table.count] * float(table.from[threadIdx.x]);
}

__device__ u32 launches;
__constant__ u32 primes[6] = {2, 3, 5, 7, 11, 13};

extern "C" __global__ void module_variables(u32 *out) {
    if (threadIdx.x == 0) launches += 1;
    out[threadIdx.x] = primes[threadIdx.x % 6];
    if (threadIdx.x == 31) out[32] = launches;
}

// Kernels with planted defects, and their right sisters: what the machine must
// find, and must not.

// Sum of a block in shared memory. BARRIER 0: the first barrier is missing.
template <int BARRIER>
static __device__ void block_sum(const float *x, float *y) {
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    if (BARRIER) __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
extern "C" __global__ void sum_right(const float *x, float *y) { block_sum<1>(x, y); }
extern "C" __global__ void sum_race(const float *x, float *y) { block_sum<0>(x, y); }

// Lanes of one warp hand values on; without __syncwarp only lockstep orders them.
template <int SYNC>
static __device__ void rotate(const float *x, float *y) {
    __shared__ float part[32];
    part[threadIdx.x] = x[threadIdx.x];
    if (SYNC) __syncwarp();
    y[threadIdx.x] = part[(threadIdx.x + 1) % 32];
}
extern "C" __global__ void rotate_right(const float *x, float *y) { rotate<1>(x, y); }
extern "C" __global__ void rotate_race(const float *x, float *y) { rotate<0>(x, y); }

// Half of a warp skips the barrier.
extern "C" __global__ void barrier_skipped(float *y, int n) {
    if (threadIdx.x % 32 < n) __syncthreads();
    y[threadIdx.x] = 1.0f;
}

// Two barriers: warps of even number wait at one, of odd number at the other.
extern "C" __global__ void barriers_differ(volatile float *y) {
    if (threadIdx.x / 32 % 2) {
        y[threadIdx.x] = 1.0f;
        __syncthreads();
        y[threadIdx.x] = 3.0f;
    } else {
        y[threadIdx.x] = 2.0f;
        __syncthreads();
        y[threadIdx.x] = 4.0f;
    }
}

// A warp returns early, the others go through a barrier: that is allowed.
extern "C" __global__ void early_return(float *y, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
    y[threadIdx.x] = 1.0f;
}

extern "C" __global__ void off_by_one(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = x[i];
}

// A row norm that takes its row from the flat index of the thread, not the block.
extern "C" __global__ void flat_index(const float *x, float *y, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < width; ++i) sum += x[row * width + i];
    y[row] = sum;
}

extern "C" __global__ void misaligned(const float *x, float4 *y) {
    y[threadIdx.x] = *reinterpret_cast<const float4 *>(x + 1 + 4 * threadIdx.x);
}

extern "C" __global__ void unwritten(float *y) {
    __shared__ float part[64];
    if (threadIdx.x < 32) part[threadIdx.x] = 1.0f;
    __syncthreads();
    y[threadIdx.x] = part[threadIdx.x];
}

extern "C" __global__ void collide(float *y) {
    __shared__ float one[1];
    one[0] = float(threadIdx.x);
    __syncthreads();
    y[threadIdx.x] = one[0];
}

// A lock that one lane of a warp holds while the others spin: no lane goes on.
extern "C" __global__ void lock(int *taken, int *count) {
    while (atomicCAS(taken, 0, 1) != 0) {
    }
    *count = *count + 1;
    atomicExch(taken, 0);
}

extern "C" __global__ void null_pointer(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }

extern "C" __global__ void half_shuffle(unsigned *y) {
    unsigned value = threadIdx.x;
    if (threadIdx.x < 16) value = __shfl_xor_sync(0xffffffffu, value, 1);
    y[threadIdx.x] = value;
}

extern "C" __global__ void trap(int n) {
    if (threadIdx.x == n) __trap();
}

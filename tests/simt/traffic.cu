// Accesses whose cost is known: what the machine counts is compared with it.

extern "C" __global__ void copy_stride(const float *x, float *y, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * stride];
}

extern "C" __global__ void copy_wide(const float4 *x, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

// One warp reads shared memory with a stride between its lanes.
extern "C" __global__ void banks(float *y, int stride) {
    __shared__ float words[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += 32) words[i] = i;
    __syncwarp();
    y[threadIdx.x] = words[threadIdx.x * stride];
}

// Lanes below `n` take one way, the others the other.
extern "C" __global__ void branch(float *y, int n) {
    float sum = threadIdx.x;
    if (threadIdx.x < n) {
#pragma unroll 1
        for (int i = 0; i < 10; ++i) sum = sum * 1.5f + 1.0f;
    } else {
#pragma unroll 1
        for (int i = 0; i < 10; ++i) sum = sum * 0.5f - 1.0f;
    }
    y[threadIdx.x] = sum;
}

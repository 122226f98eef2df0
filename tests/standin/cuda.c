/* NVIDIA's driver as far as the backend uses it: what it has like HIP's runtime is the
 * stand-in for that, under the driver's names; the rest is below. With the stand-in for
 * NVRTC and STANDIN_HOST, kernels are executed by this computer. */
#define STANDIN_CUDA 1

#define hipInit cuInit
#define hipRuntimeGetVersion own_version
#define hipGetErrorString own_words
#define hipGetDeviceCount own_count
#define hipSetDevice own_device
#define hipDeviceGet cuDeviceGet
#define hipDeviceGetName cuDeviceGetName
#define hipDeviceTotalMem cuDeviceTotalMem_v2
#define hipDeviceGetAttribute own_attribute
#define hipStreamCreateWithFlags cuStreamCreate
#define hipStreamDestroy cuStreamDestroy_v2
#define hipStreamSynchronize cuStreamSynchronize
#define hipStreamBeginCapture cuStreamBeginCapture_v2
#define hipStreamEndCapture cuStreamEndCapture
#define hipGraphInstantiateWithFlags cuGraphInstantiateWithFlags
#define hipGraphLaunch cuGraphLaunch
#define hipGraphDestroy cuGraphDestroy
#define hipGraphExecDestroy cuGraphExecDestroy
#define hipEventCreateWithFlags cuEventCreate
#define hipEventDestroy cuEventDestroy_v2
#define hipEventRecord cuEventRecord
#define hipEventSynchronize cuEventSynchronize
#define hipEventElapsedTime cuEventElapsedTime
#define hipMemGetInfo cuMemGetInfo_v2
#define hipMalloc cuMemAlloc_v2
#define hipFree cuMemFree_v2
#define hipMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define hipMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define hipMemsetD8Async cuMemsetD8Async
#define hipHostMalloc cuMemHostAlloc
#define hipHostFree cuMemFreeHost
#define hipHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define hipMallocAsync cuMemAllocAsync
#define hipFreeAsync cuMemFreeAsync
#define hipDeviceGetDefaultMemPool cuDeviceGetDefaultMemPool
#define hipMemPoolSetAttribute cuMemPoolSetAttribute
#define hipMemPoolTrimTo cuMemPoolTrimTo
#define hipModuleLoadData own_load
#define hipModuleUnload cuModuleUnload
#define hipModuleGetFunction cuModuleGetFunction
#define hipFuncGetAttribute cuFuncGetAttribute
#define hipModuleOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessor
#define hipModuleLaunchKernel own_launch
#define hipModuleLaunchCooperativeKernel own_cooperative

#include "hip.c"

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}

int cuDeviceGetCount(int *count) { return own_count(count); }

int cuGetErrorString(int code, const char **words) {
    *words = own_words(code);
    return *words ? 0 : 1;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 10: return own_attribute(value, 87, device);  /* WARP_SIZE */
    case 16: return own_attribute(value, 63, device);  /* MULTIPROCESSOR_COUNT */
    case 18: return own_attribute(value, 16, device);  /* INTEGRATED */
    case 75: *value = 8; return 0;                     /* COMPUTE_CAPABILITY_MAJOR */
    case 76: *value = 0; return 0;                     /* COMPUTE_CAPABILITY_MINOR */
    case 97: *value = 166912; return 0;                /* MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
    case 115: return own_attribute(value, 88, device); /* MEMORY_POOLS_SUPPORTED */
    }
    say("misuse: attribute %d", attribute);
    return 1;
}

static Handle primary;

int cuDevicePrimaryCtxRetain(Handle *context, int device) {
    (void)device;
    int code = make("context", context);
    primary = *context;
    return code;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    return drop("context", primary);
}

int cuCtxSetCurrent(Handle context) { return live("context", context) ? 0 : INVALID_HANDLE; }

int cuModuleLoadDataEx(Handle *module, const void *image, unsigned count, void *options, void **values) {
    (void)count, (void)options, (void)values;
    return own_load(module, image);
}

int cuFuncSetAttribute(Handle function, int attribute, int value) {
    (void)attribute, (void)value;
    return live("function", function) ? 0 : INVALID_HANDLE;
}

typedef struct {
    unsigned grid[3], block[3], shared;
    Handle stream;
    void *attributes;
    unsigned count;
} Config;

int cuLaunchKernelEx(const Config *c, Handle f, void **arguments, void **extra) {
    if (extra) say("misuse: extra");
    return launched(c->count ? "cooperative" : "launch", f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, c->stream, arguments);
}

int cuTensorMapEncodeTiled(void) {
    say("misuse: a tensor map");
    return 1;
}

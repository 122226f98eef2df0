/* HIP's runtime as far as the backend uses it: memory is the host's, kernels do
 * nothing, every handle is counted. Where the stand-in's compiler made libraries of the
 * kernels (STANDIN_HOST), they are executed by this computer. */
#include "standin.h"

#include <dlfcn.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION 60200000
#endif

enum { OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, NOT_FOUND = 500, INVALID_HANDLE = 400 };

typedef void *Handle;

/* A handle is its number and kind; what was given back is refused. */
typedef struct {
    const char *kind;
    long number;
    int alive;
    double time;
    char name[64];
    void *library;
} Thing;

/* What a library of `tests/hip/host.h` does with a grid: null, or what is wrong. */
typedef const char *(*Execute)(const unsigned *grid, int threads, size_t dynamic, int together, int backwards, void **arguments);

static long made;
static long recording;
static long recorded;
static long started;

static int make(const char *kind, Handle *out) {
    Thing *thing = calloc(1, sizeof *thing);
    thing->kind = kind;
    thing->number = ++made;
    thing->alive = 1;
    *out = thing;
    say("make %s %ld", kind, thing->number);
    return 0;
}

static Thing *live(const char *kind, Handle handle) {
    Thing *thing = handle;
    if (!thing || strcmp(thing->kind, kind) || !thing->alive) {
        say("misuse: no live %s", kind);
        return 0;
    }
    return thing;
}

static int drop(const char *kind, Handle handle) {
    Thing *thing = live(kind, handle);
    if (!thing) return INVALID_HANDLE;
    thing->alive = 0;
    say("drop %s %ld", kind, thing->number);
    return 0;
}

static int visible(Standin *all) {
    const char *shown = getenv("HIP_VISIBLE_DEVICES");
    int count = devices(all, 8);
    if (!shown) return count;
    Standin some[8];
    int left = 0;
    while (*shown) {
        char *end;
        long index = strtol(shown, &end, 10);
        if (end == shown || index < 0 || index >= count) break;
        some[left++] = all[index];
        shown = *end == ',' ? end + 1 : end;
    }
    memcpy(all, some, sizeof *some * left);
    return left;
}

/* The device's own number, before HIP_VISIBLE_DEVICES hid others. */
static int seat(int index) {
    const char *shown = getenv("HIP_VISIBLE_DEVICES");
    if (!shown) return index;
    while (index-- > 0) shown = strchr(shown, ',') + 1;
    return atoi(shown);
}

int hipInit(unsigned flags) {
    Standin all[8];
    say("hipInit %u", flags);
    if (fault("init") >= 0) return fault("init");
    return visible(all) ? 0 : NO_DEVICE;
}

int hipRuntimeGetVersion(int *version) {
    *version = VERSION;
    return 0;
}

const char *hipGetErrorString(int code) {
    if (code == OUT_OF_MEMORY) return "out of memory";
    if (code == 719) return "unspecified launch failure";
    return code < 1000 ? "standin's words" : 0;
}

int hipGetDeviceCount(int *count) {
    Standin all[8];
    *count = visible(all);
    return *count ? 0 : NO_DEVICE;
}

int hipSetDevice(int device) {
    say("hipSetDevice %d", device);
    return 0;
}

int hipDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}

int hipDeviceGetName(char *name, int length, int device) {
    Standin all[8];
    if (device >= visible(all)) return INVALID_DEVICE;
    snprintf(name, length, "%s", all[device].name);
    return 0;
}

int hipDeviceTotalMem(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)64 << 30;
    return 0;
}

int hipDeviceGetAttribute(int *value, int attribute, int device) {
    Standin all[8];
    if (device >= visible(all)) return INVALID_DEVICE;
    switch (attribute) {
    case 10: *value = fault("cooperative") != 0; return 0; /* CooperativeLaunch */
    case 63: *value = all[device].units; return 0;         /* MultiprocessorCount */
    case 67: *value = bus_of(seat(device)); return 0;
    case 68: *value = 0; return 0;                         /* PciDeviceId */
    case 69: *value = 0; return 0;                         /* PciDomainID */
    case 74: *value = 65536; return 0;                     /* MaxSharedMemoryPerBlock */
    case 87: *value = all[device].wave; return 0;          /* WarpSize */
    }
    say("misuse: attribute %d", attribute);
    return 1;
}

/* ---- streams, events, graphs ---- */

int hipStreamCreateWithFlags(Handle *stream, unsigned flags) {
    say("hipStreamCreateWithFlags %u", flags);
    return make("stream", stream);
}

int hipStreamDestroy(Handle stream) { return drop("stream", stream); }

int hipStreamSynchronize(Handle stream) {
    if (!live("stream", stream)) return INVALID_HANDLE;
    say("wait");
    /* What was launched never ends. */
    while (started && fault("hang") >= 0) pause();
    /* A wait takes the host as many microseconds. */
    if (fault("slow") > 0) usleep((useconds_t)fault("slow"));
    return fault("wait") >= 0 ? fault("wait") : 0;
}

int hipStreamBeginCapture(Handle stream, int mode) {
    if (!live("stream", stream)) return INVALID_HANDLE;
    say("hipStreamBeginCapture %d", mode);
    recording = 1;
    recorded = 0;
    return 0;
}

int hipStreamEndCapture(Handle stream, Handle *graph) {
    if (!live("stream", stream) || !recording) return INVALID_HANDLE;
    recording = 0;
    make("graph", graph);
    say("hipStreamEndCapture of %ld launches", recorded);
    return 0;
}

int hipGraphInstantiateWithFlags(Handle *ready, Handle graph, unsigned long long flags) {
    if (!live("graph", graph) || flags) return INVALID_HANDLE;
    return make("ready graph", ready);
}

int hipGraphLaunch(Handle ready, Handle stream) {
    if (!live("ready graph", ready) || !live("stream", stream)) return INVALID_HANDLE;
    say("hipGraphLaunch");
    return 0;
}

int hipGraphDestroy(Handle graph) { return drop("graph", graph); }

int hipGraphExecDestroy(Handle ready) { return drop("ready graph", ready); }

int hipEventCreateWithFlags(Handle *event, unsigned flags) {
    say("hipEventCreateWithFlags %u", flags);
    return make("event", event);
}

int hipEventDestroy(Handle event) { return drop("event", event); }

/* The clock of the device moves by a quarter of a millisecond per mark. */
static double now;

/* Seconds for which the host has started launches without a rest of 0.4 s. */
static double busy(void) {
    static double since, last;
    struct timespec host;
    clock_gettime(CLOCK_MONOTONIC, &host);
    double at = (double)host.tv_sec + 1e-9 * (double)host.tv_nsec;
    if (at - last > 0.4) since = at;
    last = at;
    return at - since;
}

/* As ROCm's runtime: a page that is not there ends the process. */
static void faulted(int signal) {
    (void)signal;
    static const char said[] = "Memory access fault by GPU node-1 on address 0x7f0000000000. Reason: Page not present or supervisor privilege.\n";
    fwrite(said, 1, sizeof said - 1, stderr);
    abort();
}

/* Marks since the host changed what the device holds. */
static long marks;

/* Whether this computer executes a launch: not one of more blocks than STANDIN_FAULT's
 * `most`, nor with `once` what is timed a second time. */
static int executes(Thing *thing, const unsigned *grid) {
    long most = fault("most");
    if (most >= 0 && (long)grid[0] * grid[1] * grid[2] > most) return 0;
    return thing->library && (marks < 2 || fault("once") < 0);
}

int hipEventRecord(Handle event, Handle stream) {
    Thing *thing = live("event", event);
    if (!thing || !live("stream", stream)) return INVALID_HANDLE;
    marks++;
    now += 0.25;
    thing->time = now;
    say("hipEventRecord %ld", thing->number);
    return 0;
}

int hipEventSynchronize(Handle event) { return live("event", event) ? 0 : INVALID_HANDLE; }

int hipEventElapsedTime(float *milliseconds, Handle from, Handle to) {
    Thing *first = live("event", from), *second = live("event", to);
    if (!first || !second) return INVALID_HANDLE;
    *milliseconds = (float)(second->time - first->time);
    return 0;
}

/* ---- memory ---- */

static size_t taken;

int hipMemGetInfo(size_t *left, size_t *total) {
    *total = (size_t)64 << 30;
    *left = *total - taken;
    return 0;
}

int hipMalloc(void **address, size_t bytes) {
    long most = fault("memory");
    if (most >= 0 && taken + bytes > (size_t)most) return OUT_OF_MEMORY;
    char *block = aligned_alloc(256, (bytes + 256 + 255) / 256 * 256);
    if (!block) return OUT_OF_MEMORY;
    *(size_t *)block = bytes;
    taken += bytes;
    marks = 0;
    *address = block + 256;
    say("make memory %p", *address);
    return 0;
}

int hipFree(void *address) {
    if (!address) return 1;
    say("drop memory %p", address);
    taken -= *(size_t *)((char *)address - 256);
    free((char *)address - 256);
    return 0;
}

int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, Handle stream) {
    if (!live("stream", stream)) return INVALID_HANDLE;
    if (memcmp(to, from, bytes)) marks = 0;
    memcpy(to, from, bytes);
    return 0;
}

int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, Handle stream) {
    if (!live("stream", stream)) return INVALID_HANDLE;
    memcpy(to, from, bytes);
    return 0;
}

int hipMemsetD8Async(void *to, unsigned char value, size_t count, Handle stream) {
    if (!live("stream", stream)) return INVALID_HANDLE;
    for (size_t at = 0; at < count; at++)
        if (((unsigned char *)to)[at] != value) marks = 0;
    memset(to, value, count);
    return 0;
}

/* ---- modules and launches ---- */

int hipModuleLoadData(Handle *module, const void *image) {
    if (fault("load") >= 0) return fault("load");
    /* What the stand-in's compiler writes. */
    if (memcmp(image, "code for ", 9)) return INVALID_IMAGE;
    make("module", module);
    const char *path = strstr(image, " in ");
    if (path) {
        ((Thing *)*module)->library = dlopen(path + 4, RTLD_NOW | RTLD_LOCAL);
        if (!((Thing *)*module)->library) say("misuse: %s", dlerror());
    }
    return 0;
}

int hipModuleUnload(Handle module) { return drop("module", module); }

int hipModuleGetFunction(Handle *function, Handle module, const char *name) {
    if (!live("module", module)) return INVALID_HANDLE;
    if (!strcmp(name, "absent")) return NOT_FOUND;
    Thing *thing = calloc(1, sizeof *thing);
    thing->kind = "function";
    thing->alive = 1;
    snprintf(thing->name, sizeof thing->name, "%s", name);
    thing->library = ((Thing *)module)->library;
    *function = thing;
    return 0;
}

int hipFuncGetAttribute(int *value, int attribute, Handle function) {
    if (!live("function", function)) return INVALID_HANDLE;
    switch (attribute) {
    case 0: *value = 512; return 0;  /* MAX_THREADS_PER_BLOCK */
    case 1: *value = 1024; return 0; /* SHARED_SIZE_BYTES */
    case 3: *value = 16; return 0;   /* LOCAL_SIZE_BYTES */
    case 4: *value = 84; return 0;   /* NUM_REGS */
    }
    say("misuse: function attribute %d", attribute);
    return 1;
}

int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Handle function, int threads, size_t shared) {
    if (!live("function", function)) return INVALID_HANDLE;
    say("occupancy %d threads %zu bytes", threads, shared);
    *blocks = 2;
    return 0;
}

static int launched(const char *how, Handle function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, Handle stream, void **arguments) {
    Thing *thing = live("function", function);
    if (!thing || !live("stream", stream)) return INVALID_HANDLE;
    /* The test's own kernel takes a long and a word. */
    if (!strcmp(thing->name, "probe"))
        say("arguments %llx %x", *(unsigned long long *)arguments[0], *(unsigned *)arguments[1]);
    say("%s %s grid %u %u %u block %u %u %u shared %u%s", how, thing->name, x, y, z, bx, by, bz, shared, recording ? " recorded" : "");
    recorded += recording;
    started += !recording;
    /* Each launch takes as many microseconds, with `hot` as many times that once the device
     * has worked for a second; a barrier half of one. */
    double each = fault("tick") > 0 ? 1e-3 * fault("tick") : 0;
    if (fault("hot") > 0 && busy() > 1) each *= fault("hot");
    now += each * (strcmp(thing->name, "waits") ? 1 : 0.5 * *(unsigned *)arguments[1]);
    unsigned grid[3] = {x, y, z};
    if (executes(thing, grid)) {
        Execute execute = (Execute)dlsym(thing->library, "host_launch");
        signal(SIGSEGV, faulted);
        const char *wrong = execute ? execute(grid, (int)bx, shared, !strcmp(how, "cooperative"), 0, arguments) : "no host_launch";
        if (wrong) {
            fprintf(stderr, "%s: %s\n", thing->name, wrong);
            return 719;
        }
    }
    if (fault("abort") >= 0) {
        fprintf(stderr, "Memory access fault by GPU node-1 on address 0x7f0000000000\n");
        abort();
    }
    return fault("launch") >= 0 ? fault("launch") : 0;
}

int hipModuleLaunchKernel(Handle f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, Handle stream, void **arguments, void **extra) {
    if (extra) say("misuse: extra");
    return launched("launch", f, x, y, z, bx, by, bz, shared, stream, arguments);
}

int hipModuleLaunchCooperativeKernel(Handle f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, Handle stream, void **arguments) {
    return launched("cooperative", f, x, y, z, bx, by, bz, shared, stream, arguments);
}

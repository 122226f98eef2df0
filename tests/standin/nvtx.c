/* A tool's library for NVTX 3, or the library of NVTX up to CUDA 12. It looks at what it is
 * given as NVIDIA's headers promise it, and writes down the ranges that reach it.
 *
 *   RIGHT          takes all ranges
 *   LEAVES         the same, until the first range has ended
 *   NO_ENTRY       has no function to begin with
 *   REFUSES        says that it does not work
 *   FILLS_NOTHING  wants nothing
 *   PUSHES_ONLY    wants to hear where ranges begin, and not where they end
 *   LIBRARY        is no tool but the old library
 */
#include "standin.h"

#include <stdint.h>

typedef void (*Function)(void);

typedef struct {
    size_t size;
    int (*table)(int module, Function ***table, unsigned *size);
} Callbacks;

typedef struct {
    size_t size;
    uint32_t version, reserved;
    void (*tools)(uint32_t version);
} VersionInfo;

static Function **core;

static int push(const char *name) {
    say("tool push %s", name);
    return 0;
}

static int pop(void) {
    say("tool pop");
#ifdef LEAVES
    *core[9] = 0;
    *core[11] = 0;
#endif
    return 0;
}

static int wrong(const char *what) {
    say("misuse: %s", what);
    return 0;
}

/* 1 where everything is as the headers have it. */
static int begin(const void *(*export)(uint32_t)) {
    const VersionInfo *info = export(3);
    if (!info || info->size != sizeof *info || info->version < 2 || info->reserved) return wrong("version");
    info->tools(3);
    if (export(0) || export(2) || export(4)) return wrong("tables that there are not");
    const Callbacks *callbacks = export(1);
    if (!callbacks || callbacks->size != sizeof *callbacks) return wrong("callbacks");
    /* Numbers of functions of core, CUDA, OpenCL, CUDA's runtime, core2 and sync, and one. */
    static const unsigned sizes[] = {16, 9, 15, 7, 16, 7};
    for (int module = -1; module < 9; module++) {
        Function **table = 0;
        unsigned size = 0;
        int there = module >= 1 && module <= 6;
        if (callbacks->table(module, &table, &size) != there) return wrong("module");
        if (!there) {
            if (table || size) return wrong("a table of no module");
            continue;
        }
        if (size != sizes[module - 1] || table[0] || table[size]) return wrong("size");
        for (unsigned at = 1; at < size; at++)
            if (!table[at] || *table[at]) return wrong("place");
        if (callbacks->table(module, 0, 0) != 1) return wrong("nowhere to write");
        if (module == 1) core = table;
    }
    return 1;
}

#if defined(LIBRARY)
int nvtxRangePushA(const char *name) {
    say("library push %s", name);
    return 0;
}

int nvtxRangePop(void) {
    say("library pop");
    return 0;
}
#elif !defined(NO_ENTRY)
int InitializeInjectionNvtx2(const void *(*export)(uint32_t)) {
    if (!begin(export)) return 0;
#ifndef FILLS_NOTHING
    *core[9] = (Function)push;
#ifndef PUSHES_ONLY
    *core[11] = (Function)pop;
#endif
#endif
#ifdef REFUSES
    return 0;
#else
    return 1;
#endif
}
#endif

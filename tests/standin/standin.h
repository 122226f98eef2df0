/* What the parts of the stand-in for ROCm share: a log that tests read, and
 * words of the environment that choose what goes wrong.
 *
 *   STANDIN_LOG      file to which every call is appended, a line each
 *   STANDIN_DEVICES  architecture:wave:units[:name], comma-separated
 *   STANDIN_FAULT    word=value pairs, comma-separated: what goes wrong
 *   STANDIN_ARCHS    architectures that the compiler knows
 *   STANDIN_REFUSE   words in a source that the compiler refuses
 *   STANDIN_DEFECT   text=>text in sources that the compiler misreads
 *   STANDIN_HOST     folder with host.h: kernels are executed by this computer
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, ...) {
    const char *path = getenv("STANDIN_LOG");
    if (!path) return;
    FILE *file = fopen(path, "a");
    if (!file) return;
    va_list values;
    va_start(values, format);
    vfprintf(file, format, values);
    va_end(values);
    fputc('\n', file);
    fclose(file);
}

/* The number behind `word=` in STANDIN_FAULT, or -1. */
static long fault(const char *word) {
    const char *all = getenv("STANDIN_FAULT");
    size_t length = strlen(word);
    while (all && *all) {
        if (!strncmp(all, word, length) && all[length] == '=') return strtol(all + length + 1, 0, 0);
        all = strchr(all, ',');
        if (all) all++;
    }
    return -1;
}

typedef struct {
    char arch[16];
    int wave;
    int units;
    char name[64];
} Standin;

static int devices(Standin *out, int room) {
    const char *all = getenv("STANDIN_DEVICES");
    if (!all) all = "gfx90a:64:104:AMD Instinct MI210";
    int count = 0;
    while (*all && count < room) {
        Standin d = {"", 0, 0, ""};
        if (sscanf(all, "%15[^:]:%d:%d:%63[^,]", d.arch, &d.wave, &d.units, d.name) < 3) break;
        out[count++] = d;
        all = strchr(all, ',');
        if (!all) break;
        all++;
    }
    return count;
}

/* Each device has a bus of its own; HSA lists them the other way round, as
 * nothing promises HIP's order. */
static int bus_of(int index) { return 0x43 + 2 * index; }

#endif

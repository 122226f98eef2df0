/* HIPRTC as far as the backend uses it. It knows the architectures of
 * STANDIN_ARCHS and, as the real one, ends the process at any other. With STANDIN_HOST, a
 * folder with `tests/hip/host.h`, its code is a library that executes the kernel on this
 * computer, made by g++. */
#include "standin.h"

#include <unistd.h>

typedef struct {
    char code[4096];
    size_t length;
    char log[4096];
    char *source;
} Program;

static long open_programs;

int hiprtcCreateProgram(Program **out, const char *source, const char *name, int headers, const char **texts, const char **names) {
    if (!source || !name || headers || texts || names) say("misuse: create program");
    *out = calloc(1, sizeof **out);
    (*out)->source = strdup(source);
    /* A defect: wherever the first of STANDIN_DEFECT's texts stands, the second is read. Both
     * are of one length. */
    const char *defect = getenv("STANDIN_DEFECT"), *becomes = defect ? strstr(defect, "=>") : 0;
    if (becomes) {
        size_t length = strlen(becomes + 2);
        char was[256];
        snprintf(was, sizeof was, "%.*s", (int)(becomes - defect), defect);
        for (char *at = (*out)->source; length == strlen(was) && (at = strstr(at, was)); at += length) memcpy(at, becomes + 2, length);
    }
    const char *refused = getenv("STANDIN_REFUSE");
    if (refused && strstr(source, refused)) strcpy((*out)->log, "silu.cu:3:5: error: no such thing\n1 error generated.");
    say("make program %ld", ++open_programs);
    return 0;
}

/* A number of a file's text (FNV-1a). */
static unsigned long long hash_of(const char *name) {
    unsigned long long hash = 0xcbf29ce484222325;
    FILE *file = fopen(name, "r");
    for (int c; file && (c = fgetc(file)) != EOF;) hash = (hash ^ (unsigned)c) * 0x100000001b3;
    if (file) fclose(file);
    return hash;
}

/* Makes a library of the last kernel of a source; its path, or null and a log. */
static const char *executable(Program *program, const char *folder, const char *arch, int count, const char **options) {
    static char path[512];
    char text[512], command[2048];
    const char *kernel = 0, *at = program->source;
    while ((at = strstr(at, "KERNEL void "))) kernel = at += 12;
    if (!kernel) kernel = "nothing(";
    /* Its name stands behind what its blocks are bound to, where that is said. */
    if (!strncmp(kernel, "LAUNCH_BOUNDS(", 14) || !strncmp(kernel, "__launch_bounds__(", 18)) {
        int open = 0;
        do open += *kernel == '(' ? 1 : *kernel == ')' ? -1 : 0;
        while (*kernel++ && (open || kernel[-1] != ')'));
        kernel += strspn(kernel, " \n");
    }
    snprintf(text, sizeof text, "%s/%d-%ld.cpp", folder, (int)getpid(), open_programs);
    FILE *file = fopen(text, "w");
    if (!file) return 0;
    /* The system has a function `select`. */
    fprintf(file, "#include \"host.h\"\n#define select host_select\n#define __%s__ 1\n", arch);
    for (int i = 0; i < count; i++) {
        const char *value = strchr(options[i], '=');
        if (!strncmp(options[i], "-D", 2) && value) fprintf(file, "#define %.*s %s\n", (int)(value - options[i] - 2), options[i] + 2, value + 1);
    }
    /* Dynamic shared memory is a variable of the header. */
    const char *from = program->source, *shared;
    while ((shared = strstr(from, "extern __shared__"))) {
        fprintf(file, "%.*sextern", (int)(shared - from), from);
        from = shared + strlen("extern __shared__");
    }
    fprintf(file, "%s\nHOST_LAUNCH(%.*s)\n", from, (int)strcspn(kernel, "("), kernel);
    fclose(file);
    /* What was made of the same text once is there still. */
    snprintf(path, sizeof path, "%s/%016llx.so", folder, hash_of(text));
    if (!access(path, R_OK)) {
        unlink(text);
        return path;
    }
    /* A product and a sum are rounded once, as on every GPU. */
#ifdef __x86_64__
    const char *fused = "-mfma -ffp-contract=fast -fexpensive-optimizations";
#else
    const char *fused = "-ffp-contract=fast -fexpensive-optimizations";
#endif
    snprintf(command, sizeof command, "g++ -std=c++17 -O1 %s -w -fPIC -fno-gnu-unique -DHOST_LANES=%d -shared -o %s.so %s 2>%s.log", fused, strncmp(arch, "gfx9", 4) ? 32 : 64, text, text, text);
    int refused = system(command);
    snprintf(command, sizeof command, "%s.log", text);
    if (refused) {
        FILE *log = fopen(command, "r");
        if (log) program->log[fread(program->log, 1, sizeof program->log - 1, log)] = 0;
        return 0;
    }
    unlink(command);
    unlink(text);
    snprintf(command, sizeof command, "%s.so", text);
    rename(command, path);
    return path;
}

int hiprtcCompileProgram(Program *program, int count, const char **options) {
    const char *arch = 0;
    for (int i = 0; i < count; i++)
        if (!strncmp(options[i], "--offload-arch=", 15)) arch = options[i] + 15;
    const char *known = getenv("STANDIN_ARCHS");
    if (!known) known = "gfx90a gfx942 gfx1030";
    if (!arch || !strstr(known, arch)) {
        fprintf(stderr, "LLVM ERROR: unknown target %s\n", arch ? arch : "none");
        abort();
    }
    say("compile for %s", arch);
    if (*program->log) return 6;
    const char *folder = getenv("STANDIN_HOST"), *library = 0;
    if (folder && strstr(program->source, "KERNEL void ") && !(library = executable(program, folder, arch, count, options))) return 6;
    program->length = snprintf(program->code, sizeof program->code, "code for %s%s%s", arch, library ? " in " : "", library ? library : "") + 1;
    return 0;
}

int hiprtcDestroyProgram(Program **program) {
    say("drop program %ld", open_programs--);
    free((*program)->source);
    free(*program);
    *program = 0;
    return 0;
}

int hiprtcGetProgramLogSize(Program *program, size_t *size) {
    *size = strlen(program->log) + 1;
    return 0;
}

int hiprtcGetProgramLog(Program *program, char *log) {
    strcpy(log, program->log);
    return 0;
}

int hiprtcGetCodeSize(Program *program, size_t *size) {
    *size = program->length;
    return 0;
}

int hiprtcGetCode(Program *program, char *code) {
    memcpy(code, program->code, program->length);
    return 0;
}

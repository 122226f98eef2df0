/* HIPRTC as far as the backend uses it. It knows the architectures of
 * STANDIN_ARCHS and, as the real one, ends the process at any other. */
#include "standin.h"

typedef struct {
    char code[4096];
    size_t length;
    char log[256];
} Program;

static long open_programs;

int hiprtcCreateProgram(Program **out, const char *source, const char *name, int headers, const char **texts, const char **names) {
    if (!source || !name || headers || texts || names) say("misuse: create program");
    *out = calloc(1, sizeof **out);
    const char *refused = getenv("STANDIN_REFUSE");
    if (refused && strstr(source, refused)) strcpy((*out)->log, "silu.cu:3:5: error: no such thing\n1 error generated.");
    say("make program %ld", ++open_programs);
    return 0;
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
    program->length = snprintf(program->code, sizeof program->code, "code for %s", arch) + 1;
    return 0;
}

int hiprtcDestroyProgram(Program **program) {
    say("drop program %ld", open_programs--);
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

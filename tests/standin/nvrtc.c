/* NVRTC as far as the backend uses it: the stand-in for HIPRTC under its names. */
#define ARCH_OPTION "--gpu-architecture="
#define hiprtcCreateProgram nvrtcCreateProgram
#define hiprtcCompileProgram nvrtcCompileProgram
#define hiprtcDestroyProgram nvrtcDestroyProgram
#define hiprtcGetProgramLogSize nvrtcGetProgramLogSize
#define hiprtcGetProgramLog nvrtcGetProgramLog
#define hiprtcGetCodeSize nvrtcGetCUBINSize
#define hiprtcGetCode nvrtcGetCUBIN

#include "hiprtc.c"

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count) {
    *count = 1;
    return 0;
}

int nvrtcGetSupportedArchs(int *archs) {
    *archs = 80;
    return 0;
}

int nvrtcGetPTXSize(Program *program, size_t *size) { return nvrtcGetCUBINSize(program, size); }

int nvrtcGetPTX(Program *program, char *code) { return nvrtcGetCUBIN(program, code); }

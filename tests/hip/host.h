// The kernels as HIP sees them, executed on the host: every lane is a fibre, a wave
// has HOST_LANES (64, or 32 as RDNA), and a block goes on at a barrier when all of it is there. Built as a
// library per unit; `host_launch` runs a grid.
//
// A lane runs on until it exchanges something with another: so code that needs a
// barrier and has none reads what is not there yet, and with the lanes in the
// opposite order (`backwards`) what is there too early.
//
// Shown: the AMD branch of every macro, the lanes of a wave, LDS sizes, indices, exchanges
// between lanes, the sums' order. Not shown: memory scopes and fences (one thread
// executes everything), the matrix units' real lane layout (imitated from AMD's
// documents), the hardware's approximate functions, the compiler's code, time.

#pragma once

#define __HIPCC_RTC__ 1
#ifndef HOST_LANES
#define HOST_LANES 64
#endif
#if HOST_LANES == 64
#define __GFX9__ 1
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <tuple>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
// Static shared memory lies in a section of its own, which changes hands with the
// block that runs.
#define __shared__ static __attribute__((section("lds")))
#define amdgpu_flat_work_group_size(...)
#define amdgpu_waves_per_eu(...)

namespace host {

constexpr int LANES = HOST_LANES;
constexpr size_t STACK = 128 << 10;
constexpr size_t LDS = 160 << 10;

struct Index {
    unsigned x, y, z;
};

enum State { READY, AT_WAVE, AT_BLOCK, WAITS, ENDED };

struct Wave {
    uint64_t slot[2][LANES]; // what lanes hand to one another, in turn
    int16_t left[2][LANES][4], right[2][LANES][4]; // operands of a matrix product, likewise
    int alive, arrived;
};

struct Block;
struct Fibre {
    void *stack; // saved stack pointer
    State state;
    int lane, side;
    Wave *wave;
    Block *block;
    Index thread;
};

struct Block {
    std::vector<Fibre> fibres;
    std::vector<Wave> waves;
    std::vector<char> fixed, dynamic; // shared memory while another block runs
    int alive, arrived;
    Index index;
};

static Fibre *current;
static void *scheduler;
static Index block_index, block_size, grid_size;
static void (*entry)();
static char *stacks;
static const char *wrong;

// Saves the callee's registers on this stack and goes on where `to` was saved.
extern "C" void host_switch(void **from, void *to);
asm(R"(
.text
.hidden host_switch
.globl host_switch
host_switch:
    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp
    ret
)");

static __noinline__ void pause(State state) {
    current->state = state;
    host_switch(&current->stack, scheduler);
}

static __noinline__ void wave_barrier() {
    Wave &wave = *current->wave;
    if (++wave.arrived < wave.alive) return pause(AT_WAVE);
    wave.arrived = 0;
    Fibre *first = current - current->lane;
    int lanes = std::min(LANES, int(current->block->fibres.data() + current->block->fibres.size() - first));
    for (int lane = 0; lane < lanes; lane++) {
        if (first[lane].state == AT_WAVE) first[lane].state = READY;
        // What is read of a lane that has ended is not a number.
        if (first[lane].state == ENDED) wave.slot[current->side ^ 1][lane] = ~0ull;
    }
}

static __noinline__ void block_barrier() {
    Block &block = *current->block;
    if (++block.arrived < block.alive) return pause(AT_BLOCK);
    block.arrived = 0;
    for (Fibre &fibre : block.fibres)
        if (fibre.state == AT_BLOCK) fibre.state = READY;
}

// What `lane` has, after all lanes of the wave have shown theirs.
template <class T> static __noinline__ T shown(T value, int lane) {
    static_assert(sizeof(T) <= 8, "a slot has eight bytes");
    Wave &wave = *current->wave;
    int side = current->side;
    current->side ^= 1;
    memcpy(&wave.slot[side][current->lane], &value, sizeof(T));
    wave_barrier();
    memcpy(&value, &wave.slot[side][lane], sizeof(T));
    return value;
}

// One MFMA, 16 x 16 over 4 * SHARE summed columns, of which a lane holds SHARE. Layout
// as AMD's "Matrix Instruction Calculator" gives it: A (i, k) is element k % SHARE of
// lane i + 16 (k / SHARE), B (k, j) of lane j + 16 (k / SHARE), D (i, j) is register
// i % 4 of lane j + 16 (i / 4).
template <int SHARE, class Operand, class Sums>
static __noinline__ Sums mfma(Operand a, Operand b, Sums sums) {
    Wave &wave = *current->wave;
    const int side = current->side, lane = current->lane;
    current->side ^= 1;
    for (int e = 0; e < SHARE; e++) wave.left[side][lane][e] = a[e], wave.right[side][lane][e] = b[e];
    wave_barrier();
    auto widened = [](int16_t bits) {
        unsigned word = unsigned(uint16_t(bits)) << 16;
        float value;
        memcpy(&value, &word, 4);
        return value;
    };
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4 * SHARE; k++) {
            int row = lane / 16 * 4 + r, part = k / SHARE * 16;
            sums[r] += widened(wave.left[side][part + row][k % SHARE]) *
                       widened(wave.right[side][part + lane % 16][k % SHARE]);
        }
    return sums;
}

static __noinline__ void end_lane() {
    Wave &wave = *current->wave;
    Block &block = *current->block;
    wave.alive--, block.alive--;
    if (wave.alive > 0 && wave.arrived == wave.alive)
        wrong = "lanes of a wave exchange values that others have left";
    if (block.alive > 0 && block.arrived == block.alive) {
        block.arrived = 0;
        for (Fibre &fibre : block.fibres)
            if (fibre.state == AT_BLOCK) fibre.state = READY;
    }
    current->state = ENDED;
    host_switch(&current->stack, scheduler);
}

static void run_lane() {
    entry();
    end_lane();
}

extern "C" char __start_lds[] __attribute__((weak)), __stop_lds[] __attribute__((weak));
} // namespace host

// Dynamic shared memory under the names that the kernels give it.
asm(R"(
.bss
.balign 1024
.hidden shared
.globl shared
.hidden shared_memory
.globl shared_memory
shared:
shared_memory:
    .zero 163840
.text
)");
extern "C" char shared_bytes[] __asm__("shared");

namespace host {

static void begin(Block &block, Index index, int threads, size_t dynamic, int number) {
    block.index = index;
    block.alive = threads, block.arrived = 0;
    block.fibres.assign(threads, {});
    block.waves.assign((threads + LANES - 1) / LANES, {});
    block.fixed.assign(__stop_lds - __start_lds, char(0xff));
    block.dynamic.assign(dynamic, char(0xff));
    for (int t = 0; t < threads; t++) {
        Fibre &fibre = block.fibres[t];
        Wave &wave = block.waves[t / LANES];
        wave.alive++;
        fibre.lane = t % LANES, fibre.wave = &wave, fibre.block = &block;
        fibre.thread = {unsigned(t), 0, 0};
        auto *top = reinterpret_cast<void **>(stacks + (size_t(number) * threads + t + 1) * STACK);
        *--top = nullptr; // aligned as after a call
        *--top = reinterpret_cast<void *>(run_lane);
        top -= 6;
        memset(top, 0, 6 * sizeof(void *));
        fibre.stack = top;
    }
}

// Runs a block as far as it goes. Whether anything moved.
static bool advance(Block &block, bool backwards) {
    bool moved = false, again = true;
    block_index = block.index;
    if (!block.fixed.empty()) memcpy(__start_lds, block.fixed.data(), block.fixed.size());
    memcpy(shared_bytes, block.dynamic.data(), block.dynamic.size());
    while (again && !wrong) {
        again = false;
        for (size_t i = 0; i < block.fibres.size() && !wrong; i++) {
            Fibre &fibre = block.fibres[backwards ? block.fibres.size() - 1 - i : i];
            if (fibre.state != READY) continue;
            current = &fibre;
            host_switch(&scheduler, fibre.stack);
            moved = again = true;
        }
    }
    if (!block.fixed.empty()) memcpy(block.fixed.data(), __start_lds, block.fixed.size());
    memcpy(block.dynamic.data(), shared_bytes, block.dynamic.size());
    for (Fibre &fibre : block.fibres)
        if (fibre.state == WAITS) fibre.state = READY, moved = true;
    return moved;
}

// `together`: all blocks at a time, as a cooperative launch promises.
static const char *run(Index grid, int threads, size_t dynamic, bool together, bool backwards) {
    size_t blocks = size_t(grid.x) * grid.y * grid.z, at_once = together ? blocks : 1;
    if (dynamic > LDS) return "more shared memory than the host has for it";
    grid_size = grid, block_size = {unsigned(threads), 1, 1};
    wrong = nullptr;
    size_t bytes = at_once * threads * STACK;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return "no memory for stacks";
    stacks = static_cast<char *>(memory);
    std::vector<Block> live(at_once);
    for (size_t first = 0; first < blocks && !wrong; first += at_once) {
        for (size_t i = 0; i < at_once; i++) {
            size_t at = backwards ? blocks - 1 - first - i : first + i;
            Index index = {unsigned(at % grid.x), unsigned(at / grid.x % grid.y),
                           unsigned(at / grid.x / grid.y)};
            begin(live[i], index, threads, dynamic, int(i));
        }
        for (bool going = true; going && !wrong;) {
            bool moved = going = false;
            for (Block &block : live) {
                if (block.alive == 0) continue;
                moved |= advance(block, backwards);
                going |= block.alive > 0;
            }
            if (going && !moved) wrong = "a barrier that not all threads reach";
        }
    }
    munmap(memory, bytes);
    return wrong;
}

// The arguments of a kernel, from addresses of their values.
template <class Kernel> struct Arguments;
template <class... A> struct Arguments<void (*)(A...)> {
    static inline std::tuple<A...> values;
    static inline void (*kernel)(A...);
    static void read(void (*to_launch)(A...), void **from) {
        kernel = to_launch;
        int at = 0;
        std::apply([&](A &...value) { (memcpy(&value, from[at++], sizeof(A)), ...); }, values);
        entry = [] { std::apply(kernel, values); };
    }
};

} // namespace host

// The library's one function, for the kernel of the unit: null, or what is wrong.
#define HOST_LAUNCH(kernel)                                                                        \
    extern "C" const char *host_launch(const unsigned *grid, int threads, size_t dynamic,          \
                                       int together, int backwards, void **arguments) {            \
        host::Arguments<decltype(&kernel)>::read(&kernel, arguments);                              \
        return host::run({grid[0], grid[1], grid[2]}, threads, dynamic, together, backwards);      \
    }                                                                                              \
    extern "C" size_t host_shared() { return host::__stop_lds - host::__start_lds; }

#define threadIdx (host::current->thread)
#define blockIdx (host::block_index)
#define blockDim (host::block_size)
#define gridDim (host::grid_size)

// ---- what the kernels call ---------------------------------------------------------

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
static inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
static inline unsigned __float_as_uint(float value) {
    unsigned bits;
    memcpy(&bits, &value, 4);
    return bits;
}
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
#define __expf expf // glibc has the name
#define __logf logf
#define __cosf cosf
#define __sinf sinf
static inline float __fdividef(float a, float b) { return a / b; }
extern "C" inline float __ocml_native_exp2_f32(float a) { return exp2f(a); }
static inline void sincospif(float a, float *sine, float *cosine) {
    *sine = float(sin(double(a) * M_PI)), *cosine = float(cos(double(a) * M_PI));
}

static inline float __shfl_xor(float value, int mask, int) {
    return host::shown(value, host::current->lane ^ mask);
}
static inline void __syncthreads() { host::block_barrier(); }
static inline void __threadfence() {}
#define __builtin_amdgcn_fence(...) ((void)0)
#define __builtin_amdgcn_wave_barrier() host::wave_barrier()
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, sums, ...) host::mfma<4>(a, b, sums)
#define __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, sums, ...) host::mfma<2>(a, b, sums)

template <class T> static inline T atomicAdd(T *to, T value) {
    T old = *to;
    *to += value;
    return old;
}
// Whoever asks again and again lets the others run.
template <class T> static inline T host_load(const T *from) {
    host::pause(host::WAITS);
    return *from;
}
#define __HIP_MEMORY_SCOPE_AGENT 0
#define __hip_atomic_load(from, ...) host_load(from)
#define __hip_atomic_store(to, value, ...) ((void)(*(to) = (value)))
#define __hip_atomic_fetch_add(to, value, ...) atomicAdd(to, value)

// AMD's matrix units: MFMA of CDNA, where a wave has 64 lanes. bf16 operands, sums in
// fp32. MFMA is 0 elsewhere: RDNA's units (WMMA) are of another kind, and its kernels
// take the plain way.

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx908__)
#define MFMA 1
#else
#define MFMA 0
#endif

#if MFMA

typedef float Floats4 __attribute__((vector_size(16)));
typedef short Shorts4 __attribute__((vector_size(8)));
typedef short Shorts2 __attribute__((vector_size(4)));

// acc += A * B over the wave: A 16 x 16, B 16 x 16, acc 16 x 16. With r = lane % 16
// and g = lane / 16 a lane holds
//   acc[i]  (4 g + i, r)
//   a       (r, 4 g ... 4 g + 3)
//   b       (4 g ... 4 g + 3, r)
// so that a result is in the place where a following product wants its right operand.
// gfx908 knows two elements a lane: the first halves of all lanes, then the second.
// What the summed columns are called does not matter as long as both operands agree.
DEVICE void mfma(float (&acc)[4], const u32 (&a)[2], const u32 (&b)[2]) {
    Floats4 sums = {acc[0], acc[1], acc[2], acc[3]};
#ifdef __gfx908__
#pragma unroll
    for (int half = 0; half < 2; half++) {
        Shorts2 left = {short(a[half]), short(a[half] >> 16)};
        Shorts2 right = {short(b[half]), short(b[half] >> 16)};
        sums = __builtin_amdgcn_mfma_f32_16x16x8bf16(left, right, sums, 0, 0, 0);
    }
#else
    Shorts4 left = {short(a[0]), short(a[0] >> 16), short(a[1]), short(a[1] >> 16)};
    Shorts4 right = {short(b[0]), short(b[0] >> 16), short(b[1]), short(b[1] >> 16)};
    sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(left, right, sums, 0, 0, 0);
#endif
#pragma unroll
    for (int i = 0; i < 4; i++) acc[i] = sums[i];
}

// 32 neighbouring elements of 16 rows: a lane has those of row lane % 16 from
// 8 (lane / 16) on, one access of 16 bytes.
struct Fragment {
    u32 at[4];
};

DEVICE Fragment load_fragment(const char *from) {
    Fragment out;
    *reinterpret_cast<uint4 *>(out.at) = *reinterpret_cast<const uint4 *>(from);
    return out;
}

// acc += a * b^T over their 32 columns: the first four of each lane's, then the rest.
DEVICE void mfma(float (&acc)[4], const Fragment &a, const Fragment &b) {
#pragma unroll
    for (int half = 0; half < 4; half += 2) {
        const u32 left[2] = {a.at[half], a.at[half + 1]};
        const u32 right[2] = {b.at[half], b.at[half + 1]};
        mfma(acc, left, right);
    }
}

// Two fp32 rounded to bf16 in one register, `low` at the lower address.
DEVICE u32 pair_bf16(float low, float high) {
    return u32(narrow_bf16(low).bits) | u32(narrow_bf16(high).bits) << 16;
}

#endif

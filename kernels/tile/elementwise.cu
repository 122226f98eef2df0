// Long vectors, element by element: a grid of threads walks over packs of 16
// bytes; the last, incomplete pack goes element by element.

DEVICE long first_pack() { return long(blockIdx.x) * blockDim.x + threadIdx.x; }
DEVICE long pack_step() { return long(gridDim.x) * blockDim.x; }

DEVICE Pack vector_load(const elem *from, long pack, long n) {
    if ((pack + 1) * PACK <= n) return load_pack(from + pack * PACK);
    Pack out;
#pragma unroll
    for (int e = 0; e < PACK; e++)
        out.at[e] = pack * PACK + e < n ? from[pack * PACK + e] : narrow(0.0f);
    return out;
}

DEVICE void vector_store(elem *to, long pack, long n, const Pack &value) {
    if ((pack + 1) * PACK <= n) {
        store_pack(to + pack * PACK, value);
        return;
    }
#pragma unroll
    for (int e = 0; e < PACK; e++)
        if (pack * PACK + e < n) to[pack * PACK + e] = value.at[e];
}

// In bf16 the approximate exponential and division are right to 16 more bits than
// are kept; the exact ones would make silu_mul wait for arithmetic.
DEVICE float silu_of(float value) {
#if BF16
    return __fdividef(value, 1.0f + exp2_approx(-LOG2_E * value));
#else
    return value / (1.0f + expf(-value));
#endif
}

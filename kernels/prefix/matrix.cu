// Matrix units and copies that run by themselves: `ldmatrix`, `mma.sync`,
// `cp.async` of sm_80 and up, and the swizzle that keeps them free of bank
// conflicts.
//
// Where the instructions do not exist, `cp_async` is an ordinary copy (whoever
// waits with `cp_async_wait` and then `__syncthreads` is right on both), and
// MATRIX_UNITS is 0: there is no slow imitation of a matrix unit.

#define MATRIX_UNITS (GPU_SM >= 800)

// ---- copies from global to shared memory ----------------------------------------

// The address of a shared-memory object as the instructions below want it.
DEVICE u32 shared_address(const void *shared) {
#if GPU_AMD
    return 0;
#else
    return u32(__cvta_generic_to_shared(shared));
#endif
}

// Requests 16 bytes, both ends 16-byte aligned, past the registers. Where
// `valid` is false nothing is read and 16 zero bytes arrive; `global` must still
// be an address of the tensor.
DEVICE void cp_async(void *shared, const void *global, bool valid) {
#if GPU_SM >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
                 "l"(global), "r"(valid ? 16 : 0)
                 : "memory");
#else
    *static_cast<uint4 *>(shared) =
        valid ? *static_cast<const uint4 *>(global) : make_uint4(0, 0, 0, 0);
#endif
}

// Closes the group of copies requested since the last commit.
DEVICE void cp_async_commit() {
#if GPU_SM >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the PENDING newest groups of this thread are under way.
// Other threads' copies are visible after the `__syncthreads` that follows.
template <int PENDING> DEVICE void cp_async_wait() {
#if GPU_SM >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// ---- swizzle -----------------------------------------------------------------------

// A tile row of 128 bytes is 8 chunks of 16 bytes: all 32 banks. Eight rows read
// at the same chunk would meet in the same four banks; so chunk c of row r is
// kept at c XOR (r mod 8), and any eight neighbouring rows spread over all banks.
// The tile begins at a multiple of 128 bytes. Offset in bytes.
#define TILE_ROW_BYTES 128
#define TILE_CHUNKS 8
DEVICE int swizzled(int row, int chunk) {
    return row * TILE_ROW_BYTES + ((chunk ^ (row & (TILE_CHUNKS - 1))) << 4);
}

// ---- matrix units --------------------------------------------------------------------

#if MATRIX_UNITS

// Loads four 8 x 8 matrices of 16-bit elements. Lane i names one row of 16
// bytes: lanes 0-7 the rows of matrix 0, 8-15 of matrix 1, and so on. Lane l
// receives, in to[j], the elements (l / 4, 2 * (l % 4)) and its right neighbour
// of matrix j.
DEVICE void ldmatrix(u32 (&to)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// The same with each matrix transposed on the way: for an operand whose
// contiguous dimension is not the summed one (the values of attention).
DEVICE void ldmatrix_transposed(u32 (&to)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// acc += A * B over the warp: A 16 x 16, B 16 x 8, both bf16; acc 16 x 8 in
// fp32. With g = lane / 4 and t = lane % 4 a lane holds
//   acc  (g, 2t) (g, 2t+1) (g+8, 2t) (g+8, 2t+1)
//   a[0] (g, 2t..)  a[1] (g+8, 2t..)  a[2] (g, 2t+8..)  a[3] (g+8, 2t+8..)
//   b0   (2t.., g)  b1   (2t+8.., g)
DEVICE void mma(float (&acc)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two fp32 rounded to bf16 in one register, `low` at the lower address.
DEVICE u32 pair_bf16(float low, float high) {
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

#endif

// One 16×8×16 product by matrix unit, operands through cp.async and ldmatrix.
typedef unsigned u32;
typedef unsigned short u16;

static __device__ u32 place(const void *shared) { return u32(__cvta_generic_to_shared(shared)); }

// a [16][16], b [8][16] (so that it is column-major), c [16][8]. WAIT 0: nobody waits for
// the copies.
template <int WAIT>
static __device__ void product(const u16 *a, const u16 *b, float *c) {
    __shared__ __align__(16) u16 left[16 * 16];
    __shared__ __align__(16) u16 right[8 * 16];
    int lane = threadIdx.x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(left + 8 * lane)), "l"(a + 8 * lane));
    if (lane < 16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(place(right + 8 * lane)),
                     "l"(b + 8 * lane), "r"(16));
    asm volatile("cp.async.commit_group;");
    if (WAIT) asm volatile("cp.async.wait_group 0;");
    __syncwarp();
    u32 x[4], y[2];
    float z[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(place(left + lane % 16 * 16 + lane / 16 * 8)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(place(right + lane % 8 * 16 + lane / 8 % 2 * 8)));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = z[i];
}
extern "C" __global__ void product_right(const u16 *a, const u16 *b, float *c) { product<1>(a, b, c); }
extern "C" __global__ void product_hasty(const u16 *a, const u16 *b, float *c) { product<0>(a, b, c); }

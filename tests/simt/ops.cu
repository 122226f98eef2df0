// One result per operation, for the machine's tests: out[op][thread].
typedef unsigned u32;
typedef unsigned long long u64;

extern "C" __global__ void integers(const u32 *a, const u32 *b, u32 *out, int n) {
    int i = threadIdx.x;
    u32 x = a[i], y = b[i];
    int s = int(x), t = int(y);
    int k = 0;
#define PUT(value) out[n * k++ + i] = (value)
    PUT(x + y);
    PUT(x * y);
    PUT(__umulhi(x, y));
    PUT(__mulhi(s, t));
    PUT(x / (y | 1));
    PUT(s / (t | 1));
    PUT(x % (y | 1));
    PUT(s % (t | 1));
    PUT(x << (y & 63));
    PUT(x >> (y & 63));
    PUT(s >> (y & 63));
    PUT(min(s, t));
    PUT(max(x, y));
    PUT(abs(s));
    PUT(__popc(x));
    PUT(__clz(x));
    PUT(__ffs(x));
    PUT(__brev(x));
    PUT(__byte_perm(x, y, 0x5140));
    PUT(__funnelshift_l(x, y, 7));
    PUT((x & 0xff) * (y & 0xffff) + (x ^ y));
    PUT(u32((u64(x) * y) >> 13));
    PUT(u32(((long long)(s)*t) / ((long long)(t) | 1)));
    PUT(u32((signed char)(x)) + u32((short)(y)));
}

extern "C" __global__ void floats(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    int k = 0;
    PUT(x + y);
    PUT(x * y);
    PUT(fmaf(x, y, x));
    PUT(x / y);
    PUT(sqrtf(fabsf(x)));
    PUT(fminf(x, y));
    PUT(fmaxf(x, y));
    PUT(floorf(x));
    PUT(rintf(x));
    PUT(float(int(x)));
    PUT(float(double(x) * double(y)));
    PUT(__fmaf_rd(x, y, 1.0f));
    PUT(__fmaf_ru(x, y, 1.0f));
    PUT(expf(x));
    PUT(__expf(x));
    PUT(logf(fabsf(x) + 0.1f));
    PUT(rsqrtf(fabsf(x) + 0.1f));
    PUT(sinf(x * 1000.0f));
    PUT(cosf(x * 1e6f));
    PUT(powf(fabsf(x) + 0.1f, y));
    PUT(tanhf(x));
    PUT(__fdividef(x, y));
}

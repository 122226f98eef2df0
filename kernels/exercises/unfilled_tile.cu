// o = p * v for one row of probabilities over `seen` keys; v has `cap` rows of
// `width` columns, of which the first `seen` are filled. Keys come in tiles of 32;
// thread t makes column t of o.

const int TILE = 32;

KERNEL void unfilled_tile(const float *p, const float *v, float *o, int seen, int cap, int width) {
    __shared__ float weights[TILE];
// excerpt
    int col = threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < seen; first += TILE) {
        bool filled = first + col < seen;
        if (col < TILE) weights[col] = filled ? p[first + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            int key = first + j;
#if FIXED
            bool there = key < seen && col < width;
#else
            bool there = key < cap && col < width;  // defect line
#endif
            sum += weights[j] * (there ? v[long(key) * width + col] : 0.0f);
        }
        __syncthreads();
    }
    if (col < width) o[col] = sum;
// end excerpt
}

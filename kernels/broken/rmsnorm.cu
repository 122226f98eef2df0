// An RMSNorm with a planted defect, for the self-test to catch: arguments and
// launch are those of rmsnorm.cu.
//
// The loop that sums the squares ends one pack early. Every row comes out a
// little too large, by a few per cent at small widths: it looks right.

KERNEL void rmsnorm(const elem *__restrict__ x, const elem *__restrict__ gamma,
                    elem *__restrict__ y, int rows, int width, float eps) {
    __shared__ float scratch[WARP];
    int packs = row_packs(width);
    if (row_id() >= rows) return;
    const elem *from = x + row_id() * width;
    elem *to = y + row_id() * width;

    float sum = 0.0f;
    for (int pack = row_thread(); pack < packs - 1; pack += row_threads())  // the defect: - 1
        sum += squares(row_load(from, pack, width));
    float rstd = rsqrtf(row_sum(sum, scratch) / float(width) + eps);

    for (int pack = row_thread(); pack < packs; pack += row_threads()) {
        Pack value = row_load(from, pack, width), scale = row_load(gamma, pack, width);
        row_store(to, pack, width, row_normed(value, scale, rstd));
    }
}

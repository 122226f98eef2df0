//! What defective kernels of the exercises show: `mutant.NAME` in expressions.
//!
//! A mutant is a kernel with a planted defect, run on the input that brings it to
//! light. Here stand the names; the values come from running it.

/// Every name with what its value is.
pub const MUTANTS: [(&str, &str); 14] = [
    ("norm_scale", "flat_norm on ones, 128 rows of 256: y[0]"),
    ("norm_one_row", "flat_norm on ones, 1 row of 256: y[0]"),
    ("row_sum", "ghost_lanes on 1000 zeros: the sum of the row"),
    (
        "row_sum_full",
        "ghost_lanes on 1024 zeros: the sum of the row",
    ),
    (
        "row_sum_low",
        "ghost_lanes on 1000 times -5: the sum of the row",
    ),
    ("scaled", "scaled_twice on s = [2, 0], v = [1, 0], tile 1"),
    (
        "scaled_one_tile",
        "scaled_twice on s = [2, 0], v = [1, 0], tile 2",
    ),
    (
        "scaled_rising",
        "scaled_twice on s = [0, 2], v = [1, 0], tile 1",
    ),
    (
        "stale",
        "barrier_once, two rounds, 4 blocks: the lowest value read in round 2",
    ),
    (
        "fresh",
        "barrier_once with one round, 4 blocks: the lowest value read",
    ),
    (
        "pieces_scale",
        "norm_in_pieces on ones, D 2048, tile 128: y[0]",
    ),
    (
        "bare_80",
        "bare_exponent on 256 scores of 80: values that are no numbers",
    ),
    (
        "bare_100",
        "bare_exponent on 256 scores of 100: values that are no numbers",
    ),
    ("tail_bytes", "vector_tail, n = 1001: bytes past the end"),
];

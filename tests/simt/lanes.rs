//! What the lanes of a warp exchange, and matrix fragments.

use super::bench::{Bench, CHECKED, noise, noise_floats};
use crate::ptx;
use tinyllama_tutor::simt::{Class, Memory, Problem};

#[test]
fn shuffles_votes_and_reductions_are_as_cuda_defines_them() {
    let n = 96;
    let mut next = noise(3);
    let a: Vec<u32> = (0..n).map(|_| next() % 100).collect();
    let mut bench = Bench::new(ptx!("warps"), CHECKED)
        .words("a", &a)
        .room("out", 14 * n)
        .int(n as i32);
    bench.launch("lanes", 1, n as u32);
    let out = bench.read(1, 14 * n);
    let any7 = u32::from(a.contains(&7));
    for i in 0..n {
        let (warp, lane) = (&a[i / 32 * 32..i / 32 * 32 + 32], i % 32);
        let of = |source: usize| warp[source % 32];
        let ballot = |yes: &dyn Fn(u32) -> bool| {
            warp.iter()
                .enumerate()
                .fold(0_u32, |m, (l, &v)| m | u32::from(yes(v)) << l)
        };
        let expected = [
            of(lane ^ 5),
            if lane >= 3 { of(lane - 3) } else { a[i] },
            if lane + 7 < 32 { of(lane + 7) } else { a[i] },
            of(lane * 3 % 32),
            of(lane / 8 * 8 + 2),
            if lane % 4 < 3 { of(lane + 1) } else { a[i] },
            ballot(&|v| v & 1 == 1),
            u32::from(warp.contains(&7)),
            1,
            warp.iter().sum(),
            ballot(&|v| v & 3 == a[i] & 3),
            a.iter().filter(|v| **v & 1 == 1).count() as u32,
            any7,
            1,
        ];
        for (op, expected) in expected.into_iter().enumerate() {
            assert_eq!(out[op * n + i], expected, "operation {op}, thread {i}");
        }
    }
}

fn bf16(values: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let halves: Vec<u32> = values.iter().map(|v| v.to_bits() >> 16).collect();
    let exact = halves.iter().map(|h| f32::from_bits(h << 16)).collect();
    let words = halves
        .chunks(2)
        .map(|pair| pair[1] << 16 | pair[0])
        .collect();
    (words, exact)
}

#[test]
fn a_matrix_product_through_cp_async_and_ldmatrix_is_right() {
    let (a_words, a) = bf16(&noise_floats(4, 256));
    let (b_words, b) = bf16(&noise_floats(5, 128));
    let mut bench = Bench::new(ptx!("matrix"), CHECKED)
        .words("a", &a_words)
        .words("b", &b_words)
        .room("c", 128);
    let counts = bench.launch("product_right", 1, 32);
    let c = bench.read_floats(2, 128);
    for i in 0..16 {
        for j in 0..8 {
            let terms = (0..16).map(|k| f64::from(a[16 * i + k]) * f64::from(b[16 * j + k]));
            let exact: f64 = terms.sum();
            assert!(
                (f64::from(c[8 * i + j]) - exact).abs() < 1e-5,
                "row {i}, column {j}"
            );
        }
    }
    assert_eq!(counts.total.instructions.get(Class::Matrix), 1);
    assert_eq!(counts.total.flops, 2 * 16 * 8 * 16);
    // 512 bytes of a, 256 of b: read once, in whole sectors.
    assert_eq!(counts.total.global_read.bytes, 768);
    assert_eq!(counts.compulsory_read(), 768);
}

#[test]
fn a_copy_that_nobody_waits_for_has_not_arrived() {
    let (a, _) = bf16(&noise_floats(4, 256));
    let (b, _) = bf16(&noise_floats(5, 128));
    let mut bench = Bench::new(ptx!("matrix"), CHECKED)
        .words("a", &a)
        .words("b", &b)
        .room("c", 128);
    let (problem, message) = bench.problem("product_hasty", 1, 32);
    // The copy has taken the place, but what is in it nobody has waited for.
    assert!(
        matches!(
            problem,
            Problem::Race { .. }
                | Problem::NeverWritten {
                    memory: Memory::Shared { .. },
                    ..
                }
        ),
        "{message}"
    );
    assert!(message.contains("ldmatrix"), "{message}");
}

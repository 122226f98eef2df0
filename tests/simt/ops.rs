//! Arithmetic, operation by operation, against Rust's.

use super::bench::{Bench, CHECKED, noise, noise_floats};
use crate::ptx;

type Integer = fn(u32, u32) -> u32;

/// In the order of `ops.cu`.
const INTEGERS: &[(&str, Integer)] = &[
    ("add", |x, y| x.wrapping_add(y)),
    ("mul", |x, y| x.wrapping_mul(y)),
    ("mul.hi.u32", |x, y| {
        ((u64::from(x) * u64::from(y)) >> 32) as u32
    }),
    ("mul.hi.s32", |x, y| {
        ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32
    }),
    ("div.u32", |x, y| x / (y | 1)),
    ("div.s32", |x, y| {
        (x as i32).wrapping_div(y as i32 | 1) as u32
    }),
    ("rem.u32", |x, y| x % (y | 1)),
    ("rem.s32", |x, y| {
        (x as i32).wrapping_rem(y as i32 | 1) as u32
    }),
    ("shl", |x, y| x.checked_shl(y & 63).unwrap_or(0)),
    ("shr.u32", |x, y| x.checked_shr(y & 63).unwrap_or(0)),
    ("shr.s32", |x, y| ((x as i32) >> (y & 63).min(31)) as u32),
    ("min.s32", |x, y| (x as i32).min(y as i32) as u32),
    ("max.u32", u32::max),
    ("abs", |x, _| (x as i32).wrapping_abs() as u32),
    ("popc", |x, _| x.count_ones()),
    ("clz", |x, _| x.leading_zeros()),
    (
        "ffs",
        |x, _| if x == 0 { 0 } else { x.trailing_zeros() + 1 },
    ),
    ("brev", |x, _| x.reverse_bits()),
    ("prmt", |x, y| {
        let bytes = [x.to_le_bytes(), y.to_le_bytes()].concat();
        u32::from_le_bytes([bytes[0], bytes[4], bytes[1], bytes[5]])
    }),
    ("shf.l", |x, y| {
        (((u64::from(y) << 32 | u64::from(x)) << 7) >> 32) as u32
    }),
    ("mad", |x, y| {
        ((x & 0xff) * (y & 0xffff)).wrapping_add(x ^ y)
    }),
    ("wide", |x, y| ((u64::from(x) * u64::from(y)) >> 13) as u32),
    ("div.s64", |x, y| {
        let (s, t) = (i64::from(x as i32), i64::from(y as i32));
        ((s * t) / (t | 1)) as u32
    }),
    ("cvt", |x, y| {
        (i32::from(x as i8) as u32).wrapping_add(i32::from(y as i16) as u32)
    }),
];

#[test]
fn integers_are_exact() {
    let n = 1024;
    let mut next = noise(7);
    let special = [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 33];
    let mut draw = |at: usize| if at < 64 { special[at % 8] } else { next() };
    let a: Vec<u32> = (0..n).map(&mut draw).collect();
    let b: Vec<u32> = (0..n)
        .map(|at| if at < 64 { special[at / 8] } else { a[n - at] })
        .collect();
    let mut bench = Bench::new(ptx!("ops"), CHECKED)
        .words("a", &a)
        .words("b", &b)
        .room("out", INTEGERS.len() * n)
        .int(n as i32);
    bench.launch("integers", 1, n as u32);
    let out = bench.read(2, INTEGERS.len() * n);
    for (op, (name, expected)) in INTEGERS.iter().enumerate() {
        for i in 0..n {
            let (x, y) = (a[i], b[i]);
            assert_eq!(
                out[op * n + i],
                expected(x, y),
                "{name} of {x:#x} and {y:#x}"
            );
        }
    }
}

type Float = fn(f64, f64) -> f64;

/// Exact value in fp64, and the error permitted: in units of the last place of
/// fp32, and absolutely.
const FLOATS: &[(&str, Float, f64, f64)] = &[
    ("add", |x, y| x + y, 0.5, 0.0),
    ("mul", |x, y| x * y, 0.5, 0.0),
    ("fma", |x, y| x * y + x, 0.5, 0.0),
    ("div", |x, y| x / y, 0.5, 0.0),
    ("sqrt", |x, _| x.abs().sqrt(), 0.5, 0.0),
    ("min", f64::min, 0.0, 0.0),
    ("max", f64::max, 0.0, 0.0),
    ("floor", |x, _| x.floor(), 0.0, 0.0),
    ("rint", |x, _| x.round_ties_even(), 0.0, 0.0),
    ("trunc", |x, _| x.trunc(), 0.0, 0.0),
    ("f64", |x, y| x * y, 0.5, 0.0),
    ("fma down", |x, y| x * y + 1.0, 1.0, 0.0),
    ("fma up", |x, y| x * y + 1.0, 1.0, 0.0),
    // CUDA's guide: expf 1 ulp, powf 4, logf 1, tanhf 2, sinf and cosf 2, rsqrtf 2.
    ("expf", |x, _| x.exp(), 2.0, 0.0),
    ("__expf", |x, _| x.exp(), 3.0, 0.0),
    (
        "logf",
        |x, _| (f64::from(x.abs() as f32 + 0.1_f32)).ln(),
        1.5,
        1e-8,
    ),
    (
        "rsqrtf",
        |x, _| 1.0 / (f64::from(x.abs() as f32 + 0.1_f32)).sqrt(),
        2.0,
        0.0,
    ),
    (
        "sinf",
        |x, _| f64::from(x as f32 * 1000.0_f32).sin(),
        2.0,
        0.0,
    ),
    ("cosf", |x, _| f64::from(x as f32 * 1e6_f32).cos(), 2.0, 0.0),
    (
        "powf",
        |x, y| f64::from(x.abs() as f32 + 0.1_f32).powf(y),
        4.0,
        0.0,
    ),
    ("tanhf", |x, _| x.tanh(), 2.0, 0.0),
    ("__fdividef", |x, y| x / y, 2.0, 0.0),
];

#[test]
fn floats_are_within_the_stated_error() {
    let n = 1024;
    let (a, b) = (noise_floats(1, n), noise_floats(2, n));
    let mut bench = Bench::new(ptx!("ops"), CHECKED)
        .floats("a", &a)
        .floats("b", &b)
        .room("out", FLOATS.len() * n)
        .int(n as i32);
    bench.launch("floats", 1, n as u32);
    let out = bench.read_floats(2, FLOATS.len() * n);
    for (op, (name, exact, ulps, absolute)) in FLOATS.iter().enumerate() {
        for i in 0..n {
            let expected = exact(f64::from(a[i]), f64::from(b[i]));
            let near = expected as f32;
            let ulp = f64::from(near.abs().next_up()) - f64::from(near.abs());
            let error = (f64::from(out[op * n + i]) - expected).abs();
            assert!(
                error <= ulps * ulp * 1.000_001 + absolute,
                "{name} of {} and {}: {} for {expected}, {:.2} ulp",
                a[i],
                b[i],
                out[op * n + i],
                error / ulp
            );
        }
    }
    // Directed rounding lies on its side of the exact value.
    for i in 0..n {
        let exact = f64::from(a[i]) * f64::from(b[i]) + 1.0;
        assert!(f64::from(out[11 * n + i]) <= exact && f64::from(out[12 * n + i]) >= exact);
    }
}

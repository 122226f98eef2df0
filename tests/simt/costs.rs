//! Counts against numbers that follow from the kernels by hand.

use super::bench::{Bench, CHECKED, noise_floats};
use crate::ptx;
use tinyllama_tutor::simt::{Class, Counts, Options, Work};

#[test]
fn a_stride_costs_as_many_sectors_as_it_spans() {
    for stride in [1_usize, 2, 4, 8, 16, 32] {
        let x = noise_floats(1, 256 * stride);
        let mut bench = Bench::new(ptx!("traffic"), CHECKED)
            .floats("x", &x)
            .room("y", 256)
            .int(stride as i32);
        let counts = bench.launch("copy_stride", 2, 128);
        let read = counts.total.global_read;
        // A warp spans 32 · stride · 4 bytes; beyond stride 8 each lane has a sector.
        let sectors = (4 * stride).min(32) as u64;
        assert_eq!(read.requests, 8);
        assert_eq!(read.bytes, 1024);
        assert_eq!(read.sectors, 8 * sectors, "stride {stride}");
        assert_eq!(read.ideal_sectors, 32);
        assert_eq!(counts.compulsory_read(), 32 * 8 * sectors);
        assert_eq!(counts.compulsory_written(), 1024);
    }
}

#[test]
fn a_wide_access_moves_four_times_as_much_with_one_request() {
    let x = noise_floats(1, 1024);
    let mut bench = Bench::new(ptx!("traffic"), CHECKED)
        .floats("x", &x)
        .room("y", 1024);
    let counts = bench.launch("copy_wide", 2, 128);
    assert_eq!(counts.total.global_read.requests, 8);
    assert_eq!(counts.total.global_read.sectors, 128);
    assert_eq!(counts.total.global_read.ideal_sectors, 128);
    assert_eq!(bench.read_floats(1, 1024), x);
}

#[test]
fn a_power_of_two_stride_conflicts_and_padding_helps() {
    for (stride, passes) in [(1, 1), (2, 2), (8, 8), (32, 32), (33, 1), (0, 1)] {
        let mut bench = Bench::new(ptx!("traffic"), CHECKED)
            .room("y", 32)
            .int(stride);
        let counts = bench.launch("banks", 1, 32);
        let read = counts.total.shared_read;
        assert_eq!(
            (read.requests, read.passes, read.ideal_passes),
            (1, passes, 1),
            "{stride}"
        );
        assert_eq!(read.conflicts(), passes - 1);
        assert_eq!(counts.total.shared_written.conflicts(), 0);
    }
}

#[test]
fn a_branch_diverges_where_lanes_of_one_warp_disagree() {
    let count = |n: i32| {
        let mut bench = Bench::new(ptx!("traffic"), CHECKED).room("y", 64).int(n);
        let counts = bench.launch("branch", 1, 64);
        for (thread, value) in bench.read_floats(0, 64).into_iter().enumerate() {
            let step = |v: f32| {
                if (thread as i32) < n {
                    v.mul_add(1.5, 1.0)
                } else {
                    v.mul_add(0.5, -1.0)
                }
            };
            assert_eq!(
                value,
                (0..10).fold(thread as f32, |v, _| step(v)),
                "thread {thread}"
            );
        }
        counts.total
    };
    let (split, whole) = (count(16), count(32));
    assert_eq!((split.divergent, whole.divergent), (1, 0));
    // 10 multiply-adds of 64 threads, however they are divided.
    assert_eq!((split.flops, whole.flops), (1280, 1280));
    assert_eq!(whole.lanes, 32 * whole.warp_instructions());
    assert!(split.lanes * 10 < 9 * 32 * split.warp_instructions());
    assert!(split.warp_instructions() > whole.warp_instructions());
}

#[test]
fn lines_add_up_to_the_kernel() {
    let x = noise_floats(1, 1000);
    let mut bench = Bench::new(ptx!("vadd"), CHECKED)
        .floats("a", &x)
        .floats("b", &x)
        .room("c", 1000)
        .int(1000);
    let counts = bench.launch("vadd", 4, 256);
    let sum = |of: fn(&Work) -> u64| counts.lines.iter().map(|l| of(&l.work)).sum::<u64>();
    assert_eq!(
        sum(|w| w.warp_instructions()),
        counts.total.warp_instructions()
    );
    assert_eq!(sum(|w| w.global_read.bytes), 8000);
    assert_eq!(sum(|w| w.flops), 1000);
    let load = counts
        .lines
        .iter()
        .find(|l| l.work.global_read.bytes > 0)
        .unwrap();
    let source = include_str!("vadd.cu")
        .lines()
        .nth(load.location.line as usize - 1)
        .unwrap();
    assert!(source.contains("a[i] + b[i]"), "{source}");
    let (a, c) = (&counts.buffers[0], &counts.buffers[2]);
    assert_eq!(
        (a.name.as_str(), a.read, a.written, a.distinct_read),
        ("a", 4000, 0, 125)
    );
    assert_eq!((c.read, c.written, c.distinct_written), (0, 4000, 125));
    assert_eq!(counts.total.divergent, 1);
}

/// c = a · bᵀ, on one thread or two, counted or not.
fn gemm(m: usize, n: usize, k: usize, options: Options) -> (Vec<u32>, Counts) {
    let (a, b) = (noise_floats(1, m * k), noise_floats(2, n * k));
    let mut bench = Bench::new(ptx!("gemm_tile"), options)
        .floats("a", &a)
        .floats("b", &b)
        .room("c", m * n)
        .int(m as i32)
        .int(n as i32)
        .int(k as i32);
    let grid = [n.div_ceil(64) as u32, m.div_ceil(64) as u32, 1];
    let counts = bench
        .try_launch("gemm_tile", grid, [256, 1, 1], false)
        .unwrap();
    for i in 0..m {
        for j in 0..n {
            let terms = (0..k).map(|d| f64::from(a[i * k + d]) * f64::from(b[j * k + d]));
            let exact: f64 = terms.sum();
            let found = f64::from(bench.read_floats(2, m * n)[i * n + j]);
            assert!(
                (found - exact).abs() < 1e-4,
                "row {i}, column {j}: {found} for {exact}"
            );
            if !(i * n + j).is_multiple_of(97) {
                break;
            }
        }
    }
    (bench.read(2, m * n), counts)
}

#[test]
fn a_tiled_product_is_right_at_ragged_shapes_and_counts_its_flops() {
    let (_, counts) = gemm(128, 64, 32, CHECKED);
    assert_eq!(counts.total.flops, 2 * 128 * 64 * 32);
    // Each tile reads its rows of a and of b once: 2 tiles × (64 + 64) rows × 32.
    assert_eq!(counts.total.global_read.bytes, 2 * 128 * 32 * 4);
    assert_eq!(counts.compulsory_read(), (128 + 64) * 32 * 4);
    assert_eq!(counts.compulsory_written(), 128 * 64 * 4);
    assert_eq!(counts.barriers, 2 * 2 * 2);
    gemm(70, 33, 19, CHECKED);
}

#[test]
fn neither_threads_nor_counting_change_a_result() {
    let plain = Options {
        count: false,
        check: false,
        threads: 1,
        ..CHECKED
    };
    let (bits, _) = gemm(70, 90, 33, plain);
    let (counted_bits, counted) = gemm(70, 90, 33, CHECKED);
    let (other_bits, other) = gemm(
        70,
        90,
        33,
        Options {
            threads: 3,
            ..CHECKED
        },
    );
    assert_eq!(bits, counted_bits);
    assert_eq!(bits, other_bits);
    assert_eq!(counted, other);
    assert_eq!(counted.total.instructions.get(Class::Barrier) % 8, 0);
}

//! Grids whose blocks wait for each other.

use super::bench::{Bench, CHECKED, noise_floats};
use crate::ptx;
use tinyllama_tutor::simt::{MachineError, Options, Problem};

fn exchange(threads: usize) -> (Vec<u32>, u64) {
    let blocks = 40;
    let options = Options { threads, ..CHECKED };
    let mut bench = Bench::new(ptx!("grids"), options)
        .words("counter", &[0])
        .room("slots", blocks)
        .room("sums", blocks);
    let counts = bench
        .try_launch("exchange", [blocks as u32, 1, 1], [64, 1, 1], true)
        .unwrap();
    (bench.read(2, blocks), counts.total.warp_instructions())
}

#[test]
fn a_grid_barrier_orders_blocks_and_counts_are_the_same_on_any_threads() {
    let (sums, steps) = exchange(1);
    assert!(sums.iter().all(|sum| *sum == 40 * 41 / 2));
    assert_eq!(exchange(2), (sums.clone(), steps));
    assert_eq!(exchange(3), (sums, steps));
}

#[test]
fn a_block_that_never_arrives_is_a_deadlock_that_says_who_waits() {
    let mut bench = Bench::new(ptx!("grids"), CHECKED).words("counter", &[0]);
    let error = bench
        .try_launch("absent", [4, 1, 1], [64, 1, 1], true)
        .unwrap_err();
    let MachineError::Found(finding) = &error else {
        panic!("{error}")
    };
    let Problem::Deadlock { waiting, returned } = &finding.problem else {
        panic!("{error}")
    };
    // Blocks 0, 1 and 3: one warp polls, the other waits for it at the barrier.
    assert_eq!(waiting.len(), 6);
    assert_eq!(waiting.iter().filter(|waiter| waiter.at_barrier).count(), 3);
    assert!(waiting.iter().all(|waiter| waiter.block[0] != 2));
    assert_eq!(returned, &[[2, 0, 0]]);
    // Three of four have arrived: the message says so.
    let message = error.to_string();
    let polls = "reading byte 0 of `counter` again and again (it holds 3)";
    assert!(message.contains(polls), "{message}");
    assert!(message.contains("block [2, 0, 0]"), "{message}");
}

#[test]
fn a_grid_barrier_without_a_cooperative_launch_is_found() {
    let options = Options {
        threads: 1,
        ..CHECKED
    };
    let mut bench = Bench::new(ptx!("grids"), options)
        .words("counter", &[0])
        .room("slots", 4)
        .room("sums", 4);
    let (problem, message) = bench.problem("exchange", 4, 64);
    assert!(matches!(problem, Problem::Deadlock { .. }), "{message}");
    assert!(message.contains("cooperative"), "{message}");
}

#[test]
fn the_last_block_sums_what_the_others_left_and_resets_its_counter() {
    let x = noise_floats(9, 1000);
    let mut bench = Bench::new(ptx!("grids"), CHECKED)
        .floats("x", &x)
        .room("parts", 8)
        .words("done", &[0])
        .room("sum", 1)
        .int(1000);
    for _ in 0..2 {
        bench.launch("last_block", 8, 64);
        let exact: f64 = x.iter().map(|v| f64::from(*v)).sum();
        assert!((f64::from(bench.read_floats(3, 1)[0]) - exact).abs() < 1e-3);
        assert_eq!(bench.read(2, 1), [0]);
    }
}

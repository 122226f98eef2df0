//! Grids whose blocks wait for each other.

use std::sync::atomic::{AtomicU32, Ordering};

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
    let Problem::Deadlock {
        waiting, returned, ..
    } = &finding.problem
    else {
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
fn a_launch_ends_between_two_blocks_when_it_is_told_to() {
    let asked = AtomicU32::new(0);
    let after_three = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    for cooperative in [false, true] {
        asked.store(0, Ordering::Relaxed);
        // In a cooperative grid of which one block is missing nobody ever ends.
        let (entry, blocks) = if cooperative {
            ("absent", 4)
        } else {
            ("last_block", 100_000)
        };
        let x = noise_floats(9, 1000);
        let mut bench = Bench::new(ptx!("grids"), CHECKED);
        bench = match cooperative {
            true => bench.words("counter", &[0]),
            false => bench
                .floats("x", &x)
                .room("parts", blocks as usize)
                .words("done", &[0])
                .room("sum", 1)
                .int(1000),
        };
        let error = bench
            .launch_until(entry, [blocks, 1, 1], [64, 1, 1], cooperative, &after_three)
            .unwrap_err();
        assert!(matches!(error, MachineError::Stopped), "{error}");
        // Soon: not after a hundred thousand blocks.
        assert!(asked.load(Ordering::Relaxed) < 100);
    }
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

/// `exchange` on eight blocks in one order, with so many of them resident (0: all).
fn ordered(order: u64, resident: u32) -> Result<Vec<u32>, MachineError> {
    let options = Options {
        order: Some(order),
        resident,
        ..CHECKED
    };
    let mut bench = Bench::new(ptx!("grids"), options)
        .words("counter", &[0])
        .room("slots", 8)
        .room("sums", 8);
    bench.try_launch("exchange", [8, 1, 1], [64, 1, 1], true)?;
    Ok(bench.read(2, 8))
}

#[test]
fn a_grid_barrier_orders_blocks_in_every_order_of_blocks_and_warps() {
    for order in 0..20 {
        assert_eq!(ordered(order, 0).unwrap(), [8 * 9 / 2; 8], "order {order}");
    }
}

#[test]
fn blocks_that_find_no_room_are_a_deadlock_that_counts_them() {
    let error = ordered(3, 6).unwrap_err();
    let MachineError::Found(finding) = &error else {
        panic!("{error}")
    };
    let Problem::Deadlock { outside, .. } = &finding.problem else {
        panic!("{error}")
    };
    assert_eq!(*outside, 2);
    let message = error.to_string();
    assert!(message.contains("grids.cu:"), "{message}");
    assert!(message.contains("launch no more than fit"), "{message}");
}

//! Blocks that meet in global memory: what races, what is ordered.

use super::bench::{Bench, CHECKED};
use crate::ptx;
use tinyllama_tutor::simt::{Access, Options, Problem};

fn bench(threads: usize) -> Bench {
    Bench::new(ptx!("order"), Options { threads, ..CHECKED })
}

#[test]
fn blocks_that_write_one_place_race_and_the_message_says_where() {
    let found = |threads| {
        let mut bench = bench(threads).words("y", &[0; 8]);
        bench.problem("same_place", 6, 32)
    };
    let (problem, message) = found(1);
    let Problem::BlocksRace {
        offset,
        now,
        earlier,
        other,
        ..
    } = problem
    else {
        panic!("{message}")
    };
    assert_eq!(
        (offset, now, earlier, other),
        (12, Access::Write, Access::Write, 0)
    );
    assert!(message.contains("byte 12 of `y`"), "{message}");
    let line = include_str!("order.cu")
        .lines()
        .position(|l| l.contains("y[3] ="))
        .unwrap();
    assert!(
        message.contains(&format!("order.cu:{}", line + 1)),
        "{message}"
    );
    // The same words on any number of threads.
    assert_eq!(found(2).1, message);
    // One block races with nobody.
    bench(2).words("y", &[0; 8]).launch("same_place", 1, 32);
}

#[test]
fn a_read_of_a_neighbours_write_races_whoever_comes_first() {
    let mut racing = bench(2).words("rows", &[0; 256]).room("y", 256);
    let (problem, message) = racing.problem("neighbours", 4, 64);
    assert!(matches!(problem, Problem::BlocksRace { .. }), "{message}");
    let (problem, message) = bench(1).words("count", &[0]).problem("miscounted", 8, 32);
    assert!(matches!(problem, Problem::BlocksRace { .. }), "{message}");
    assert!(message.contains("use an atomic"), "{message}");
}

#[test]
fn atomics_and_half_words_side_by_side_do_not_race() {
    let mut counted = bench(2).words("count", &[0]);
    counted.launch("counted", 8, 32);
    assert_eq!(counted.read(0, 1), [8 * 32]);
    let mut halves = bench(2).room("y", 4);
    halves.launch("halves", 8, 32);
    assert_eq!(halves.read(0, 1), [1 << 16]);
}

#[test]
fn what_is_written_behind_the_atomic_is_not_known_to_the_last_block() {
    let mut early = bench(1)
        .words("parts", &[0; 8])
        .words("done", &[0])
        .room("sum", 1);
    let (problem, message) = early.problem("last_too_early", 8, 32);
    assert!(matches!(problem, Problem::BlocksRace { .. }), "{message}");
    assert!(message.contains("`parts`"), "{message}");
}

//! Planted defects are caught, each with its line; the right sisters are not.

use super::bench::{Bench, CHECKED, noise_floats};
use crate::ptx;
use tinyllama_tutor::simt::{Access, Memory, Options, Problem};

fn bench() -> Bench {
    Bench::new(ptx!("defects"), CHECKED)
}

/// The line of `defects.cu` that contains `code`.
fn line(code: &str) -> u32 {
    let text = include_str!("defects.cu");
    text.lines()
        .position(|l| l.contains(code))
        .expect("such a line") as u32
        + 1
}

#[test]
fn a_missing_barrier_is_a_race() {
    let x = noise_floats(1, 512);
    let mut right = bench().floats("x", &x).room("y", 2);
    right.launch("sum_right", 2, 256);
    for (block, sum) in right.read_floats(1, 2).into_iter().enumerate() {
        let exact: f32 = x[256 * block..256 * block + 256].iter().sum();
        assert!((sum - exact).abs() < 1e-3, "{sum} for {exact}");
    }
    let (problem, message) = bench()
        .floats("x", &x)
        .room("y", 2)
        .problem("sum_race", 2, 256);
    assert!(
        matches!(
            problem,
            Problem::Race {
                same_warp: false,
                ..
            } | Problem::NeverWritten { .. }
        ),
        "{message}"
    );
    let place = format!("defects.cu:{}", line("part[threadIdx.x] += part"));
    assert!(message.contains(&place), "{message}");
}

#[test]
fn lockstep_is_no_barrier() {
    let x = noise_floats(1, 32);
    let mut right = bench().floats("x", &x).room("y", 32);
    right.launch("rotate_right", 1, 32);
    assert_eq!(right.read_floats(1, 32)[31], x[0]);
    let (problem, message) = bench()
        .floats("x", &x)
        .room("y", 32)
        .problem("rotate_race", 1, 32);
    let Problem::Race {
        same_warp,
        now,
        earlier,
        ..
    } = problem
    else {
        panic!("{message}")
    };
    assert!(same_warp && now == Access::Read && earlier.access == Access::Write);
    assert!(message.contains("__syncwarp"), "{message}");
}

#[test]
fn a_barrier_that_some_threads_skip_is_found() {
    let (problem, message) = bench()
        .room("y", 64)
        .int(16)
        .problem("barrier_skipped", 1, 64);
    assert_eq!(
        problem,
        Problem::BarrierSkipped { missing: 16 },
        "{message}"
    );
    assert!(
        message.contains(&format!("defects.cu:{}", line("threadIdx.x % 32 < n"))),
        "{message}"
    );
    bench()
        .room("y", 64)
        .int(32)
        .launch("barrier_skipped", 1, 64);
    let (problem, message) = bench().room("y", 64).problem("barriers_differ", 1, 64);
    assert!(
        matches!(problem, Problem::BarriersDiffer { .. }),
        "{message}"
    );
    bench().room("y", 64).int(40).launch("early_return", 1, 64);
}

#[test]
fn accesses_outside_of_a_buffer_name_it() {
    let x = noise_floats(1, 100);
    let off = || bench().floats("x", &x).room("y", 100);
    let (problem, message) = off().int(100).problem("off_by_one", 1, 128);
    let Problem::OutOfBounds {
        access,
        memory,
        offset,
        ..
    } = problem
    else {
        panic!("{message}")
    };
    assert_eq!((access, offset), (Access::Read, 400));
    assert_eq!(
        memory,
        Memory::Buffer {
            name: "x".to_owned(),
            bytes: 400
        }
    );
    assert!(message.contains("thread [100, 0, 0]"), "{message}");
    assert!(message.contains("0 bytes past the end of `x`"), "{message}");
    off().int(99).launch("off_by_one", 1, 128);
    // Ten rows of ten: thread 10 takes a row that is not there.
    let (problem, message) = off().int(10).problem("flat_index", 10, 32);
    assert!(matches!(problem, Problem::OutOfBounds { .. }), "{message}");
    assert!(message.contains("sum += x[row * width + i]") || message.contains("defects.cu"));
    let (problem, message) = bench()
        .raw(&[0; 8])
        .room("y", 32)
        .problem("null_pointer", 1, 32);
    assert!(
        matches!(
            problem,
            Problem::OutOfBounds {
                memory: Memory::Nowhere,
                ..
            }
        ),
        "{message}"
    );
    assert!(message.contains("null"), "{message}");
}

#[test]
fn misaligned_unwritten_and_colliding_accesses_are_found() {
    let x = noise_floats(1, 256);
    let (problem, message) = bench()
        .floats("x", &x)
        .room("y", 128)
        .problem("misaligned", 1, 32);
    assert!(
        matches!(
            problem,
            Problem::Misaligned {
                bytes: 16,
                offset: 4,
                ..
            }
        ),
        "{message}"
    );
    let (problem, message) = bench().room("y", 64).problem("unwritten", 1, 64);
    let Problem::NeverWritten { offset, .. } = problem else {
        panic!("{message}")
    };
    assert_eq!(offset, 128);
    let (problem, message) = bench().room("y", 32).problem("collide", 1, 32);
    assert_eq!(
        problem,
        Problem::LanesCollide {
            address: 0,
            other: 0
        },
        "{message}"
    );
    // Global memory too.
    let mut copy = bench().room("x", 100).room("y", 100).int(99);
    let (problem, message) = copy.problem("off_by_one", 1, 128);
    assert!(matches!(problem, Problem::NeverWritten { .. }), "{message}");
    assert!(message.contains("`x`"), "{message}");
}

#[test]
fn missing_lanes_traps_and_endless_loops_are_explained() {
    let (problem, message) = bench().room("y", 32).problem("half_shuffle", 1, 32);
    assert_eq!(
        problem,
        Problem::LanesMissing {
            wanted: u32::MAX,
            active: 0xffff
        },
        "{message}"
    );
    let (problem, message) = bench().int(33).problem("trap", 1, 64);
    assert_eq!(problem, Problem::Trap, "{message}");
    assert!(message.contains("thread [33, 0, 0]"), "{message}");
    let short = Options {
        step_limit: 1_000_000,
        ..CHECKED
    };
    let mut lock = Bench::new(ptx!("defects"), short)
        .words("taken", &[0])
        .words("count", &[0]);
    let (problem, message) = lock.problem("lock", 1, 32);
    assert!(matches!(problem, Problem::NeverEnds { .. }), "{message}");
    assert!(message.contains("step limit"), "{message}");
    // `while (atomicCAS(…)) {}` of the kernel `lock`.
    assert!(message.contains(": the loop in line"), "{message}");
}

#[test]
fn the_first_finding_does_not_depend_on_threads() {
    let x = noise_floats(1, 100);
    let found = |threads: usize| {
        let options = Options { threads, ..CHECKED };
        let mut bench = Bench::new(ptx!("defects"), options)
            .floats("x", &x)
            .room("y", 100)
            .int(2000);
        bench.problem("off_by_one", 20, 64).1
    };
    assert_eq!(found(1), found(4));
}

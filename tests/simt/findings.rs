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
    assert!(
        message.contains("if none does, no barrier helps"),
        "{message}"
    );
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

/// Sixty-four threads; what they do between their barriers.
fn around_barriers(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n\
         .visible .entry wait(.param .u64 flag)\n{{\n\
         .reg .pred %p<3>;\n.reg .b32 %r<3>;\n.loc 1 3 5\nmov.u32 %r1, %tid.x;\n{body}\n}}\n"
    )
}

#[test]
fn an_endless_loop_with_a_barrier_in_it_is_named() {
    let short = Options {
        step_limit: 1_000_000,
        ..CHECKED
    };
    let body = "AGAIN:\n.loc 1 7 5\nbar.sync 0;\n.loc 1 8 5\nadd.s32 %r2, %r1, 1;\n\
                setp.ge.s32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n.loc 1 9 5\nret;";
    let mut bench = Bench::new(&around_barriers(body), short).words("flag", &[0]);
    let (_, message) = bench.problem("wait", 1, 64);
    let named = "the loop in line 8 of k.cu";
    let both = "the loop in lines 7 to 8 of k.cu";
    assert!(
        message.contains(named) || message.contains(both),
        "{message}"
    );
    // It stands in the loop, and not at the beginning of the kernel.
    assert!(!message.contains("k.cu:3"), "{message}");
}

/// `while (true) {}` is nothing but a branch, and has a line all the same.
#[test]
fn an_endless_loop_without_instructions_is_named() {
    let short = Options {
        step_limit: 1_000_000,
        ..CHECKED
    };
    let body = "AGAIN:\n.loc 1 7 5\nbra.uni AGAIN;\n.loc 1 9 5\nret;";
    let mut bench = Bench::new(&around_barriers(body), short).words("flag", &[0]);
    let (_, message) = bench.problem("wait", 1, 64);
    assert!(
        message.contains("the loop in line 7 of k.cu does not end"),
        "{message}"
    );
    assert!(message.contains("at k.cu:7"), "{message}");
}

/// GPUs go on without threads that have returned; where barriers are held to the
/// language, that is told.
#[test]
fn threads_that_return_before_a_barrier_are_missed_on_demand() {
    let strict = Options {
        strict_barriers: true,
        ..CHECKED
    };
    for (count, missing) in [(40, Some(40)), (32, Some(32)), (64, None)] {
        let body = format!(
            "setp.ge.s32 %p1, %r1, {count};\n@%p1 bra OUT;\n.loc 1 7 5\nbar.sync 0;\nOUT:\nret;"
        );
        let bench = |options| Bench::new(&around_barriers(&body), options).words("flag", &[0]);
        bench(CHECKED).launch("wait", 1, 64);
        match missing {
            None => {
                bench(strict).launch("wait", 1, 64);
            }
            Some(missing) => {
                let (problem, message) = bench(strict).problem("wait", 1, 64);
                assert_eq!(problem, Problem::BarrierMissed { missing }, "{message}");
                assert!(message.contains("k.cu:7"), "{message}");
            }
        }
    }
}

/// Lanes above 3 give up, the others go on reading a word that nobody writes.
#[test]
fn lanes_that_trap_do_not_wait_for_lanes_that_poll() {
    let kernel = |give_up: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry wait(.param .u64 flag)\n{{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n\
             ld.param.u64 %rd1, [flag];\ncvta.to.global.u64 %rd2, %rd1;\n\
             mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 3;\n\
             AGAIN:\nld.volatile.global.u32 %r2, [%rd2];\nsetp.ne.u32 %p2, %r2, 0;\n\
             @%p2 bra DONE;\n{give_up}\nDONE:\nret;\n}}\n"
        )
    };
    let short = Options {
        step_limit: 1_000_000,
        ..CHECKED
    };
    for give_up in [
        "@!%p1 bra AGAIN;\ntrap;",
        "@%p1 bra OUT;\nbra AGAIN;\nOUT:\ntrap;",
    ] {
        let mut bench = Bench::new(&kernel(give_up), short).words("flag", &[0]);
        let (problem, message) = bench.problem("wait", 1, 32);
        assert_eq!(problem, Problem::Trap, "{give_up}: {message}");
        assert!(message.contains("thread [4, 0, 0]"), "{message}");
    }
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

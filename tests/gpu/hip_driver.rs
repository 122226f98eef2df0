//! The hip driver by itself, against the stand-ins (`standin`): what it hands in, and that it
//! gives back what it took.

#![cfg(all(feature = "hip", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use tinyllama_tutor::backend::gpu::hip::{Hip, compile_with};
use tinyllama_tutor::backend::gpu::{
    BufferId, Call, CompileUnit, Driver, GpuErrorKind, Memory, Parameter, TensorMap,
};

use crate::standin::{PROGRAM, Setting};

#[test]
fn a_driver_hands_in_what_it_is_given_and_gives_back_what_it_took() {
    let ran = Setting::new("rocm6").test("hip_driver::driver_on_the_stand_in");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 passed"), "{}", ran.out);
    ran.is_proper();
    let log: Vec<&str> = ran.log.lines().collect();
    let has = |line: &str| assert!(log.contains(&line), "no “{line}” in {}", ran.log);
    has("hipSetDevice 0");
    // Not waiting for the default stream; events with a clock; a capture that
    // refuses this thread's calls only.
    has("hipStreamCreateWithFlags 1");
    has("hipEventCreateWithFlags 0");
    has("hipStreamBeginCapture 1");
    has("launch probe grid 2 3 4 block 128 1 1 shared 512");
    has("arguments 1122334455667788 cafe");
    has("cooperative probe grid 5 1 1 block 64 1 1 shared 0");
    has("occupancy 256 threads 2048 bytes");
    assert_eq!(ran.unbalanced(), BTreeSet::new(), "{}", ran.log);
    assert!(ran.lines("make ") >= 8, "{}", ran.log);
}

/// What [`a_driver_hands_in_what_it_is_given_and_gives_back_what_it_took`] runs
/// in a process of its own.
#[test]
#[ignore = "needs the stand-ins around it"]
fn driver_on_the_stand_in() {
    compile_with(PathBuf::from(PROGRAM));
    assert!(Hip::open(1).is_err_and(|e| e.to_string().contains("device 0 is the only one")));
    let mut hip = Hip::open(0).unwrap();
    let target = hip.target().clone();
    assert_eq!(
        (
            target.arch.as_str(),
            target.warp,
            target.sms,
            target.shared_per_block
        ),
        ("gfx90a", 64, 104, 65_536)
    );

    // Memory: bounds are kept, bytes arrive, exhaustion is told.
    let memory = hip.alloc("a test", 64).unwrap();
    assert_eq!(hip.address(memory) % 256, 0);
    hip.fill(memory, 0xa5).unwrap();
    hip.upload(memory, 8, &[1, 2, 3, 4]).unwrap();
    let mut back = [0; 64];
    hip.download(memory, 0, &mut back).unwrap();
    assert_eq!(
        (back[7], &back[8..12], back[12]),
        (0xa5, &[1, 2, 3, 4][..], 0xa5)
    );
    assert!(hip.upload(memory, 62, &[0; 3]).is_err());
    assert!(hip.free_memory().unwrap() > 60 << 30);

    // A kernel: its needs, its launch, a launch that cannot be.
    let unit = CompileUnit::new("probe", &[]).define("BF16", 0);
    let probe = hip.load(&unit, 512).unwrap();
    assert_eq!(hip.load(&unit, 1024).unwrap(), probe, "loaded once");
    assert_eq!(hip.facts(probe).registers, 84);
    assert_eq!(hip.facts(probe).max_threads, 512);
    let error = hip.load(&unit, 65_536).unwrap_err();
    assert_eq!(error.kind, GpuErrorKind::Missing);
    assert!(error.to_string().contains("(LDS)"), "{error}");
    assert_eq!(hip.resident_blocks(probe, 256, 2048).unwrap(), 2);
    let parameters = [
        Parameter::Long(0x1122_3344_5566_7788),
        Parameter::Word(0xcafe),
    ];
    let call = Call {
        function: probe,
        grid: [2, 3, 4],
        threads: 128,
        shared: 512,
        cooperative: false,
        overlap: true,
        parameters: &parameters,
    };
    hip.launch(&call).unwrap();
    let grid = Call {
        grid: [5, 1, 1],
        threads: 64,
        shared: 0,
        cooperative: true,
        ..call.clone()
    };
    hip.launch(&grid).unwrap();
    let wide = Call {
        threads: 513,
        ..call.clone()
    };
    assert!(
        hip.launch(&wide)
            .is_err_and(|e| e.to_string().contains("512 threads per block"))
    );
    let none = Call {
        grid: [0, 1, 1],
        ..call.clone()
    };
    assert!(hip.launch(&none).is_err());
    let absent = hip
        .load(&CompileUnit::new("absent", &[]).define("BF16", 0), 0)
        .unwrap_err();
    assert!(
        absent.to_string().contains("looking for absent"),
        "{absent}"
    );

    // Time: each mark of the stand-in's clock is 250 µs after the last.
    let from = hip.mark().unwrap().unwrap();
    hip.mark().unwrap();
    let to = hip.mark().unwrap().unwrap();
    assert_eq!(hip.elapsed_us(from, to).unwrap(), 500.0);

    // A graph: what it cannot hold is refused, and recording ends.
    hip.begin_graph().unwrap();
    hip.launch(&call).unwrap();
    assert!(hip.synchronize().is_err() && hip.mark().is_err());
    assert!(hip.alloc("too late", 1).is_err());
    let graph = hip.end_graph().unwrap();
    hip.replay(graph).unwrap();
    assert!(hip.end_graph().is_err());
    let map = TensorMap {
        buffer: BufferId(0),
        offset: 0,
        rows: 1,
        columns: 64,
        stride: 128,
        box_rows: 1,
        box_columns: 64,
        group: 0,
    };
    assert!(hip.tensor_map(0, &map).is_err());
    let second = hip.alloc("given back", 1).unwrap();
    hip.free(second);
    hip.free(second);
    assert_eq!(hip.address(second), 0);
    assert!(hip.download(Memory(99), 0, &mut [0]).is_err());
    // A recording that is never ended is dropped all the same.
    hip.begin_graph().unwrap();
    drop(hip);
}

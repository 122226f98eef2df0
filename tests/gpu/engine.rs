//! The engine process of the real program: it computes what the program itself
//! computes, stops when told to, survives nothing that it should not, and
//! leaves with its parent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests stop at the first surprise"
)]

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tinyllama_tutor::BUILD;
use tinyllama_tutor::cost::Config;
use tinyllama_tutor::engine::{
    Engine, Limits, Program, Supervisor, read_frame, this_build_is, write_frame,
};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::run::{
    Answer, Ask, BackendKind, Observer, Phase, Progress, Request, RunErrorKind, Unwatched,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tinyllama-tutor");

fn engine() -> Supervisor {
    this_build_is(BUILD);
    Supervisor::new(Program::new(PROGRAM, ["engine"]), Limits::default())
}

fn request(runs: u32) -> Request {
    let config = Config::preset("workshop", Version::V2.cut()).unwrap();
    Request {
        backend: BackendKind::Cpu,
        runs,
        ..Request::new(config)
    }
}

#[test]
fn it_computes_what_this_process_computes() {
    let folder = tempfile::tempdir().unwrap();
    let [there, here] = ["there.npy", "here.npy"].map(|name| folder.path().join(name));
    let mut engine = engine();
    let apart = engine.run(&request(1), Some(&there), &Unwatched).unwrap();
    let own = Engine::default()
        .run(&request(1), Some(&here), &Unwatched)
        .unwrap();
    assert_eq!(apart.output, own.output);
    assert_eq!(apart.check, own.check);
    assert_eq!(apart.launches, own.launches);
    assert_eq!(std::fs::read(there).unwrap(), std::fs::read(here).unwrap());
    // A request that cannot be is refused, and the engine goes on.
    let mut bad = request(1);
    bad.tokens = Some(vec![vec![1, 2, 3]]);
    let error = engine.run(&bad, None, &Unwatched).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::BadRequest, "{error}");
    assert!(engine.run(&request(0), None, &Unwatched).is_ok());
}

/// Does something at the first timed run.
struct AtTiming<F> {
    then: F,
    seen: AtomicBool,
}

impl<F: Fn() + Sync> Observer for AtTiming<F> {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Timing && !self.seen.swap(true, Ordering::SeqCst) {
            (self.then)();
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

/// Stops at the first timed run.
#[derive(Default)]
struct Stops(AtomicBool);

impl Observer for Stops {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Timing {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn a_long_run_stops_when_told_to() {
    let mut engine = engine();
    let error = engine
        .run(&request(1_000_000), None, &Stops::default())
        .unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Cancelled);
    assert!(engine.run(&request(1), None, &Unwatched).is_ok());
}

#[test]
fn kill_9_in_mid_run_is_an_error_and_the_next_run_works() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    // The shell becomes the engine, so its number is the engine's.
    let script = format!("echo $$ > {}; exec {PROGRAM} engine", pid.display());
    let mut engine = Supervisor::new(Program::new("/bin/sh", ["-c", &script]), Limits::default());
    let kills = AtTiming {
        then: || {
            let pid = std::fs::read_to_string(&pid).unwrap();
            let killed = Command::new("kill").args(["-9", pid.trim()]).status();
            assert!(killed.unwrap().success());
        },
        seen: AtomicBool::new(false),
    };
    let error = engine.run(&request(1_000_000), None, &kills).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Failed);
    let text = error.to_string();
    assert!(text.contains("signal 9 (SIGKILL) while timing"), "{text}");
    assert!(engine.run(&request(1), None, &Unwatched).is_ok());
}

#[test]
fn it_leaves_with_its_parent_in_mid_run() {
    let mut child = Command::new(PROGRAM)
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    let hello = read_frame::<Answer>(&mut output).unwrap();
    assert_eq!(
        hello,
        Some(Answer::Hello {
            build: BUILD.to_owned()
        })
    );
    let ask = Ask::Run {
        ticket: 1,
        request: Box::new(request(1_000_000)),
        logits: None,
    };
    write_frame(&mut input, &ask).unwrap();
    while !matches!(
        read_frame(&mut output).unwrap(),
        Some(Answer::Progress(
            1,
            Progress {
                phase: Phase::Timing,
                ..
            }
        ))
    ) {}
    drop(input);
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the engine outlives its parent");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn garbage_from_the_parent_ends_it() {
    let mut child = Command::new(PROGRAM)
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"run v1, please\n").unwrap();
    // The pipe stays open: it is the garbage that ends it.
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("the parent cannot be understood"), "{said}");
    drop(input);
}

//! Engines that misbehave: shell scripts that say frames made here.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::engine::frame::write_frame;
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{BackendKind, OutputReport, RunErrorKind, Unwatched};

/// A script with frames beside it, `$1` being their folder. `ask` waits for
/// something to be asked, and reads it whole: what is left would pass for the next.
struct Fake {
    folder: tempfile::TempDir,
}

impl Fake {
    fn new() -> Self {
        let fake = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fake.frame(
            "hello",
            &Answer::Hello {
                build: crate::engine::build().into(),
            },
        );
        let compiling = Progress::new(Phase::Compile, 0, 1).about("flash for sm_90a");
        fake.frame("compiling", &Answer::Progress(1, compiling));
        fake.frame(
            "timing",
            &Answer::Progress(1, Progress::new(Phase::Timing, 17, 30)),
        );
        fake.frame("done", &Answer::Done(1, Ok(Box::new(report()))));
        fake.frame("done2", &Answer::Done(2, Ok(Box::new(report()))));
        fake
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn frame(&self, name: &str, answer: &Answer) {
        let mut file = fs::File::create(self.path(name)).unwrap();
        write_frame(&mut file, answer).unwrap();
    }

    /// A supervisor of an engine that does this after its greeting.
    fn after_greeting(&self, script: &str) -> Supervisor {
        self.runs(&format!("cat hello; {script}"))
    }

    fn runs(&self, script: &str) -> Supervisor {
        let script = format!(
            "cd \"$1\"; echo start >> starts; \
             take() {{ dd bs=1 count=$1 2>/dev/null; }}; \
             ask() {{ take $(take 4 | od -An -tu4) >/dev/null; }}; {script}"
        );
        let folder = self.folder.path().to_str().unwrap();
        Supervisor::new(
            Program::new("/bin/sh", ["-c", &script, "sh", folder]),
            Limits {
                greeting: Duration::from_secs(60),
                silence: |_| Duration::from_secs(60),
                stops: Duration::from_millis(200),
                back_off: Duration::from_millis(1),
                longest_back_off: Duration::from_millis(50),
            },
        )
    }

    fn starts(&self) -> usize {
        fs::read_to_string(self.path("starts"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Whether the process that wrote its number here is gone.
    fn is_gone(&self, name: &str) -> bool {
        let number = fs::read_to_string(self.path(name)).unwrap();
        let number = rustix::process::Pid::from_raw(number.trim().parse().unwrap()).unwrap();
        rustix::process::test_kill_process(number).is_err()
    }
}

fn report() -> Report {
    Report {
        output: OutputReport {
            shape: vec![1, 1, 2],
            sha256: String::new(),
            sample: vec![0.25, -1.5],
        },
        ..Report::bare("cuda", "a device", 71)
    }
}

fn request() -> Request {
    Request {
        backend: BackendKind::Cuda,
        ..Request::new(Config::preset("workshop", Cut::v1()).unwrap())
    }
}

fn refusal(supervisor: &mut Supervisor) -> String {
    let error = supervisor.run(&request(), None, &Unwatched).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Failed, "{error}");
    error.to_string()
}

/// Cancels after some progress reports, and keeps them.
struct Stops {
    after: u32,
    seen: AtomicU32,
}

impl Observer for Stops {
    fn progress(&self, _: Progress) {
        self.seen.fetch_add(1, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.after
    }
}

#[test]
fn a_report_comes_back_and_the_engine_is_kept() {
    let fake = Fake::new();
    let mut engine = fake.after_greeting("ask; cat compiling done; ask; cat done2; cat >/dev/null");
    for _ in 0..2 {
        assert_eq!(engine.run(&request(), None, &Unwatched), Ok(report()));
    }
    assert_eq!(fake.starts(), 1);
}

#[test]
fn an_abort_says_what_was_being_done_and_the_last_words() {
    let fake = Fake::new();
    let mut engine =
        fake.after_greeting("ask; cat compiling; echo 'LLVM ERROR: no tile' >&2; kill -ABRT $$");
    let text = refusal(&mut engine);
    assert!(
        text.starts_with(
            "the engine ended with signal 6 (SIGABRT) while compiling flash for sm_90a;"
        ),
        "{text}"
    );
    assert!(
        text.contains("Its last words: LLVM ERROR: no tile"),
        "{text}"
    );
}

#[test]
fn kill_9_and_exit_codes_are_named() {
    let fake = Fake::new();
    let text = refusal(&mut fake.after_greeting("ask; cat timing; kill -KILL $$"));
    assert!(
        text.contains("signal 9 (SIGKILL) while timing, 18 of 30"),
        "{text}"
    );
    let text = refusal(&mut fake.after_greeting("ask; exit 77"));
    assert!(text.contains("exit code 77 before it began"), "{text}");
}

#[test]
fn a_hang_is_ended_with_all_that_it_started() {
    let fake = Fake::new();
    let mut engine = fake
        .after_greeting("ask; sleep 1000 & echo $! > sleeper; echo $$ > pid; cat compiling; wait");
    // Soon while it compiles; until it says so it may take its time.
    engine.limits.silence = |phase| match phase {
        Phase::Compile => Duration::from_millis(400),
        _ => Duration::from_secs(60),
    };
    let text = refusal(&mut engine);
    assert!(
        text.starts_with("the engine gave no sign for 400 ms while compiling flash for sm_90a"),
        "{text}"
    );
    assert!(fake.is_gone("pid"));
    // Its parent being dead, the system's first process takes it away in its time.
    let until = Instant::now() + Duration::from_secs(60);
    while !fake.is_gone("sleeper") && !is_zombie(&fake, "sleeper") {
        assert!(Instant::now() < until, "what the engine started lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_zombie(fake: &Fake, name: &str) -> bool {
    let number = fs::read_to_string(fake.path(name)).unwrap();
    fs::read_to_string(format!("/proc/{}/stat", number.trim()))
        .is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn garbage_on_the_wire_ends_the_engine() {
    let fake = Fake::new();
    for garbage in [
        "echo warming up the GPU, please wait",
        "printf '\\002\\000\\000\\000{}'",
        "printf '\\377\\377\\377\\377'",
    ] {
        let mut engine = fake.after_greeting(&format!("ask; echo $$ > pid; {garbage}; sleep 1000"));
        let text = refusal(&mut engine);
        assert!(text.contains("said something that is no answer"), "{text}");
        assert!(fake.is_gone("pid"), "{garbage}");
    }
}

#[test]
fn another_build_is_not_spoken_to() {
    let fake = Fake::new();
    fake.frame(
        "hello",
        &Answer::Hello {
            build: "0.0.1+f00".into(),
        },
    );
    let text = refusal(&mut fake.after_greeting("sleep 1000"));
    assert!(
        text.contains("the engine is build 0.0.1+f00 and this is build"),
        "{text}"
    );
}

#[test]
fn no_greeting_no_program_no_output() {
    let fake = Fake::new();
    let text = refusal(&mut fake.runs("exit 3"));
    assert!(
        text.contains("ended with exit code 3 at its start"),
        "{text}"
    );
    let text = refusal(&mut fake.runs("cat done; sleep 1000"));
    assert!(text.contains("no greeting"), "{text}");
    // It closes its end but stays.
    let text = refusal(&mut fake.after_greeting("ask; echo $$ > pid; exec >&-; sleep 1000"));
    assert!(text.contains("signal 9"), "{text}");
    assert!(fake.is_gone("pid"));
    let mut none = Supervisor::new(
        Program::new(fake.path("nothing"), ["engine"]),
        Limits::default(),
    );
    let text = refusal(&mut none);
    assert!(text.contains("cannot be started"), "{text}");
}

#[test]
fn a_stop_is_asked_for_and_the_engine_is_kept() {
    let fake = Fake::new();
    fake.frame(
        "stopped",
        &Answer::Done(1, Err(RunError::cancelled(18, 30))),
    );
    let mut engine =
        fake.after_greeting("ask; cat timing; ask; cat stopped; ask; cat done2; sleep 1000");
    engine.limits.stops = Duration::from_secs(60);
    let watch = Stops {
        after: 1,
        seen: AtomicU32::new(0),
    };
    let error = engine.run(&request(), None, &watch).unwrap_err();
    assert_eq!(error, RunError::cancelled(18, 30), "the engine's own words");
    assert_eq!(engine.run(&request(), None, &Unwatched), Ok(report()));
    assert_eq!(fake.starts(), 1);
}

#[test]
fn what_does_not_stop_is_killed_without_a_strike() {
    let fake = Fake::new();
    let mut engine = fake.after_greeting("ask; echo $$ > pid; cat timing; sleep 1000");
    let watch = Stops {
        after: 1,
        seen: AtomicU32::new(0),
    };
    let error = engine.run(&request(), None, &watch).unwrap_err();
    assert_eq!(error, RunError::cancelled(17, 30));
    assert!(fake.is_gone("pid"));
    assert_eq!((engine.ends, engine.strikes.len()), (0, 0));
}

#[test]
fn a_request_that_ends_two_engines_is_set_aside() {
    let fake = Fake::new();
    let mut engine = fake.after_greeting("ask; kill -SEGV $$");
    for _ in 0..2 {
        assert!(refusal(&mut engine).contains("signal 11 (SIGSEGV)"));
    }
    assert_eq!(fake.starts(), 2);
    // How often it is timed does not make it another request.
    let again = Request {
        runs: 1,
        ..request()
    };
    let text = engine
        .run(&again, None, &Unwatched)
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("ended the engine 2 times and is set aside"),
        "{text}"
    );
    assert_eq!(fake.starts(), 2, "no third try");
    let other = Request {
        seed: 7,
        ..request()
    };
    let text = engine
        .run(&other, None, &Unwatched)
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("signal 11"),
        "another request is tried: {text}"
    );
}

#[test]
fn a_failed_run_gets_a_new_engine_and_no_strike() {
    let fake = Fake::new();
    for (name, ticket) in [("failed", 1), ("failed2", 2), ("failed3", 3)] {
        fake.frame(
            name,
            &Answer::Done(ticket, Err(RunError::failed("illegal address in flash"))),
        );
    }
    let mut engine = fake.after_greeting("ask; cat failed failed2 failed3; sleep 1000");
    for starts in 1..=3 {
        assert_eq!(refusal(&mut engine), "illegal address in flash");
        assert_eq!(fake.starts(), starts);
    }
}

#[test]
fn one_that_leaves_between_two_runs_is_replaced() {
    let fake = Fake::new();
    let mut engine = fake.after_greeting("ask; cat done done2; exit 0");
    assert_eq!(engine.run(&request(), None, &Unwatched), Ok(report()));
    // Both answers are out; the end of the process may take a moment.
    let child = engine.child.as_ref().unwrap();
    while !matches!(child.wait(Duration::from_secs(60)), News::Closed) {}
    assert_eq!(engine.run(&request(), None, &Unwatched), Ok(report()));
    assert_eq!(fake.starts(), 2);
}

#[test]
fn the_wait_before_a_new_engine_doubles() {
    let fake = Fake::new();
    // When each run was over, since the first began.
    let over = |back_off: Duration, longest: Duration, runs: u64| -> Vec<Duration> {
        let mut engine = fake.after_greeting("ask; exit 1");
        engine.limits.back_off = back_off;
        engine.limits.longest_back_off = longest;
        let begun = Instant::now();
        let ended = |seed| {
            let request = Request { seed, ..request() };
            assert!(engine.run(&request, None, &Unwatched).is_err());
            begun.elapsed()
        };
        (0..runs).map(ended).collect()
    };
    let all = over(Duration::from_millis(1000), Duration::from_millis(1500), 3);
    assert!(all[1] >= Duration::from_millis(1000), "{all:?}");
    assert!(all[2] >= Duration::from_millis(1000 + 1500), "{all:?}");
    // The first does not wait, however slow the machine.
    let long = Duration::from_secs(300);
    assert!(over(long, long, 1)[0] < long);
}

#[test]
fn a_probe_is_answered_or_refused() {
    let fake = Fake::new();
    let found = vec![BackendState::none(
        BackendKind::Hip,
        "libamdhip64.so not found",
    )];
    fake.frame("found", &Answer::Found(found.clone()));
    let mut engine = fake.after_greeting("ask; cat found; sleep 1000");
    assert_eq!(engine.probe(), Ok(found));
    let mut engine = fake.after_greeting("ask; kill -SEGV $$");
    let text = engine.probe().unwrap_err().to_string();
    assert!(text.contains("while looking for devices"), "{text}");
    // It greets, is asked, and says no more.
    fake.frame("found", &Answer::Found(Vec::new()));
    let mut engine = fake.after_greeting("ask; cat found; sleep 1000");
    assert_eq!(engine.probe(), Ok(Vec::new()));
    engine.limits.greeting = Duration::from_millis(300);
    let text = engine.probe().unwrap_err().to_string();
    assert!(
        text.contains("no sign for 300 ms while looking for devices"),
        "{text}"
    );
}

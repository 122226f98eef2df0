//! Random events for the real program: keys, pastes, sizes, signals. It stays alive, answers
//! when it is asked to leave, gives the terminal back, and keeps files that can be read.
//!
//! A few seconds in every run; `FUZZ_SECONDS=600 cargo test --test terminal events -- --ignored
//! --nocapture` looks for longer. `FUZZ_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tinyllama_tutor::course::Progress;

use crate::support::pty::Pty;

/// What is typed; what leaves the program stands here too, and it is started again.
const KEYS: &[&str] = &[
    "\r",
    "\r",
    "\x1b",
    "\x1b",
    "\t",
    "\x1b[Z",
    " ",
    "\x7f",
    "\x1b[A",
    "\x1b[B",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[H",
    "\x1b[F",
    "\x1b[3~",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "0",
    "?",
    ":",
    "/",
    "=",
    "a",
    "b",
    "c",
    "e",
    "f",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l",
    "m",
    "n",
    "o",
    "p",
    "r",
    "R",
    "s",
    "t",
    "u",
    "v",
    "w",
    "x",
    "y",
    "z",
    "A",
    "K",
    "V",
    "-",
    "+",
    ".",
    ",",
    "(",
    ")",
    "|",
    "\"",
    "'",
    "é",
    "漢",
    "🦙",
    "\u{1}",
    "\u{5}",
    "\u{b}",
    "\u{c}",
    "\u{15}",
    "\u{17}",
    "\x1b[1;5C",
    "\x1b[200~17 launches\x1b[201~",
    "\x1b[200~\x1b[31m\n\u{202e}x\x07\x1b[201~",
    "\x1bO",
    "\x1b[",
    "\x1b[<0;3;4M",
    "\x1b]0;x\x07",
    "\x1b[99999999;9u",
    "block=17",
    "12.6 MB",
    "q",
];

const SIZES: &[(u16, u16)] = &[
    (80, 24),
    (80, 24),
    (120, 40),
    (79, 24),
    (80, 23),
    (1, 1),
    (20, 5),
    (200, 60),
    (81, 25),
    (300, 10),
];

/// Signals that do not end it.
const SIGNALS: &[&str] = &["WINCH", "CONT", "PIPE", "URG"];

/// Xorshift64* (Vigna, 2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

/// Opens the program with a state of before.
fn open(state: tempfile::TempDir) -> Pty {
    // An editor that ends at once.
    let env = [("EDITOR", "true"), ("PATH", "/usr/bin:/bin")];
    let p = Pty::open_in(state, &[], &env, 80, 24);
    p.wait_until("a first page", |screen| !screen.trim().is_empty());
    p
}

/// Sends random events for so long; how many there were, and how often it was left.
fn storm(seconds: u64, seed: u64) -> (u64, u64) {
    let mut dice = Dice(seed | 1);
    let mut p = open(tempfile::tempdir().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut events, mut left) = (0, 0);
    while Instant::now() < until {
        // In handfuls, as they come over a slow line, and then it is looked at.
        for _ in 0..50 {
            events += 1;
            match dice.below(30) {
                0 | 1 => {
                    let (columns, rows) = SIZES[dice.below(SIZES.len())];
                    p.claim(columns, rows);
                }
                2 => p.try_signal(SIGNALS[dice.below(SIGNALS.len())]),
                _ => p.try_press(KEYS[dice.below(KEYS.len())]),
            }
        }
        // Whatever stopped it, it goes on.
        p.try_signal("CONT");
        p.claim(80, 24);
        let raw = String::from_utf8_lossy(&p.raw()).into_owned();
        assert!(
            !raw.contains("panicked at"),
            "seed {seed}, {events} events: {raw}"
        );
        if p.ended() {
            left += 1;
            let (code, state) = p.exit();
            assert!(
                [0, 130].contains(&code),
                "seed {seed}, {events} events: code {code}: {raw}"
            );
            whole(&state, seed, events);
            p = open(state);
        } else {
            p.forget();
        }
    }
    // However deep in it stands, it answers and leaves.
    p.try_signal("CONT");
    p.try_signal("TERM");
    let (code, state) = p.exit();
    assert!(
        [0, 130, 143].contains(&code),
        "seed {seed}, {events} events: code {code}"
    );
    whole(&state, seed, events);
    (events, left)
}

/// What was kept can be read, and nothing is left beside it.
fn whole(state: &tempfile::TempDir, seed: u64, events: u64) {
    let mut open = vec![state.path().join("tinyllama-tutor")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(
                !name.contains("broken") && !name.ends_with(".tmp"),
                "seed {seed}, {events} events: {name}"
            );
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(".toml") {
                let text = std::fs::read_to_string(&path).unwrap();
                let read = Progress::read(&text);
                assert!(read.is_ok(), "seed {seed}, {events} events: {name}: {text}");
            }
        }
    }
}

/// A cursor in row 0, a click in column 0.
#[test]
fn what_no_terminal_sends_takes_no_keys_away() {
    let mut p = open(tempfile::tempdir().unwrap());
    p.wait_for("? help");
    p.press("\x1b[0R");
    p.press("zz\x1b[<0;0;0M");
    p.press("zz?");
    p.wait_for("a screen, if not asked");
}

#[test]
fn a_few_seconds_of_random_events() {
    let seconds = std::env::var("FUZZ_SECONDS").ok();
    let seconds = seconds.and_then(|s| s.parse().ok()).unwrap_or(4);
    let (events, _) = storm(seconds, 20_261_122);
    assert!(events > 0);
}

#[test]
#[ignore = "as long as FUZZ_SECONDS says, ten minutes without"]
fn random_events_for_long() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("FUZZ_SEED").unwrap_or(now.as_nanos() as u64);
    let (events, left) = storm(number("FUZZ_SECONDS").unwrap_or(600), seed);
    println!("{events} events, left {left} times, seed {seed}");
}

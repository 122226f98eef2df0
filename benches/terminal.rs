//! How fast the workshop answers, through a pseudo-terminal: time to the first
//! complete screen, from a key to the last byte that it causes, and the bytes
//! written while nothing happens.
//!
//! `cargo bench --bench terminal`. Figures are of the whole program, process
//! start included; presenterm, measured the same way, takes 15 ms and 0.3 ms.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

const KEYS: usize = 400;
const STARTS: usize = 20;
/// How long a page is left alone, to see that it writes nothing.
const IDLE: Duration = Duration::from_secs(1);
/// A screen is complete when nothing has followed for this long.
const QUIET: Duration = Duration::from_millis(60);

struct Workshop {
    child: Box<dyn Child + Send + Sync>,
    to: Box<dyn Write + Send>,
    from: Receiver<(Instant, Vec<u8>)>,
    started: Instant,
    screen: vt100::Parser,
    _pty: Box<dyn portable_pty::MasterPty + Send>,
}

impl Workshop {
    fn open(rows: u16, cols: u16, state: &str) -> Self {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tinyllama-tutor"));
        command.args(["--state", state]);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env_remove("NO_COLOR");
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || send.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                    break;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        Self {
            child,
            to: pair.master.take_writer().unwrap(),
            from,
            started,
            screen: vt100::Parser::new(rows, cols, 0),
            _pty: pair.master,
        }
    }

    /// Reads until nothing follows for [`QUIET`]; the time of the last byte,
    /// and how many there were.
    fn settle(&mut self) -> (Option<Instant>, usize) {
        let (mut last, mut bytes) = (None, 0);
        loop {
            match self.from.recv_timeout(QUIET) {
                Ok((at, data)) => {
                    self.screen.process(&data);
                    bytes += data.len();
                    last = Some(at);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return (last, bytes);
                }
            }
        }
    }

    /// From process start to the moment the footer first stands on the screen.
    fn first_screen(&mut self) -> Duration {
        let last_row = self.screen.screen().size().0 - 1;
        while self.started.elapsed() < Duration::from_secs(10) {
            let Ok((at, data)) = self.from.recv_timeout(Duration::from_secs(10)) else {
                break;
            };
            self.screen.process(&data);
            let contents = self.screen.screen().contents();
            let footer = contents.lines().nth(usize::from(last_row)).unwrap_or("");
            if footer.contains("help") {
                return at - self.started;
            }
        }
        panic!(
            "no complete screen within 10 s:\n{}",
            self.screen.screen().contents()
        );
    }

    fn press(&mut self, key: &str) -> Option<Duration> {
        let sent = Instant::now();
        self.to.write_all(key.as_bytes()).unwrap();
        self.to.flush().unwrap();
        let (last, _) = self.settle();
        last.map(|at| at - sent)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let at = |q: f64| ms(times[((times.len() - 1) as f64 * q) as usize]);
    println!(
        "{what:<44} median {:>7.3} ms   p99 {:>7.3} ms   most {:>7.3} ms   ({} times)",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap().to_owned();
    for (rows, cols) in [(24, 80), (40, 120), (60, 200)] {
        let first: Vec<Duration> = (0..STARTS)
            .map(|_| Workshop::open(rows, cols, &state).first_screen())
            .collect();
        report(&format!("first complete screen, {cols}x{rows}"), first);

        let mut workshop = Workshop::open(rows, cols, &state);
        workshop.first_screen();
        workshop.settle();
        workshop.press("\r");
        for (page, keys) in [
            ("home", ["H", "j", "k"]),
            ("lab", ["L", "v", "V"]),
            ("trips of the lab", ["t", "l", "h"]),
            ("compare", ["c", "b", "b"]),
            ("roofline", ["x", "l", "h"]),
            ("kernel", ["K", "j", "k"]),
            ("exercises", ["e", "j", "k"]),
            ("a form", ["\r", "\t", "\x1b[Z"]),
            ("claims", ["C", "j", "k"]),
            ("doctor", ["D", "j", "k"]),
            ("practice", ["Ht", "1", "\x7f"]),
            ("glossary", ["\x1b*", "j", "k"]),
            ("lesson", ["\x1bH\r", " ", "b"]),
        ] {
            workshop.press(keys[0]);
            workshop.settle();
            let times: Vec<Duration> = (0..KEYS / 4)
                .filter_map(|i| workshop.press(keys[1 + i % 2]))
                .collect();
            if times.is_empty() {
                println!("{page}: no key of {keys:?} was answered");
            } else {
                report(&format!("key answered on {page}, {cols}x{rows}"), times);
            }
            let mut idle = 0;
            let until = Instant::now() + IDLE;
            while Instant::now() < until {
                idle += workshop.settle().1;
            }
            if idle > 0 {
                println!("{page}, {cols}x{rows}: {idle} bytes written while nothing happened");
            }
        }
    }
}

//! The real binary in a pseudo terminal, read through a terminal emulator.
//!
//! Tests wait for what they expect to see, or for a screen that has stopped
//! changing; they never sleep for a guessed time.

use std::io::{Read, Write};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest that anything may take, on a loaded machine too.
const PATIENCE: Duration = Duration::from_secs(60);
/// A screen that has not changed for so long is stable.
const STILL: Duration = Duration::from_millis(120);

struct Seen {
    parser: vt100::Parser,
    bytes: usize,
    raw: Vec<u8>,
    changed: Instant,
}

/// A program in a pseudo terminal.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    /// To a thread that writes: what is written to a terminal that nobody has open any
    /// more may wait for ever.
    patient: SyncSender<Vec<u8>>,
    seen: Arc<Mutex<Seen>>,
    // Kept so that the folder lives as long as the program.
    state: tempfile::TempDir,
}

impl Pty {
    /// Starts the workshop with a state folder of its own.
    pub fn open(args: &[&str], columns: u16, rows: u16) -> Self {
        Self::open_in(tempfile::tempdir().unwrap(), args, &[], columns, rows)
    }

    /// Starts the workshop with this state folder and environment.
    pub fn open_in(
        state: tempfile::TempDir,
        args: &[&str],
        env: &[(&str, &str)],
        columns: u16,
        rows: u16,
    ) -> Self {
        let built = env!("CARGO_BIN_EXE_tinyllama-tutor");
        // `TUTOR` names another build, such as one with optimisation.
        let program = std::env::var_os("TUTOR").unwrap_or(built.into());
        Self::start(program.as_ref(), state, args, env, (columns, rows))
    }

    /// Starts any program of ours in a terminal of `columns` × `rows`.
    pub fn start(
        program: &std::path::Path,
        state: tempfile::TempDir,
        args: &[&str],
        env: &[(&str, &str)],
        (columns, rows): (u16, u16),
    ) -> Self {
        let pair = native_pty_system()
            .openpty(size(columns, rows))
            .expect("a pseudo terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("HOME", state.path());
        command.env("XDG_DATA_HOME", state.path());
        command.cwd(state.path());
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the binary starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(rows, columns, 0),
            bytes: 0,
            raw: Vec::new(),
            changed: Instant::now(),
        }));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            let mut chunk = [0u8; 8192];
            while let Ok(n) = reader.read(&mut chunk) {
                if n == 0 {
                    return;
                }
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&chunk[..n]);
                seen.bytes += n;
                seen.raw.extend_from_slice(&chunk[..n]);
                seen.changed = Instant::now();
            }
        });
        let writer = Arc::new(Mutex::new(writer));
        let (patient, keys) = sync_channel::<Vec<u8>>(1);
        let waits = Arc::clone(&writer);
        thread::spawn(move || {
            while let Ok(keys) = keys.recv() {
                let mut writer = waits.lock().unwrap();
                if writer
                    .write_all(&keys)
                    .and_then(|()| writer.flush())
                    .is_err()
                {
                    return;
                }
            }
        });
        Pty {
            child,
            master: pair.master,
            writer,
            patient,
            seen,
            state,
        }
    }

    /// Types keys as the terminal would send them.
    pub fn press(&mut self, keys: &str) {
        let mut writer = self.writer.lock().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Types keys, if the program is still there to take them.
    pub fn try_press(&mut self, keys: &str) {
        let mut keys = keys.as_bytes().to_vec();
        let until = Instant::now() + Duration::from_secs(120);
        while let Err(TrySendError::Full(kept)) = self.patient.try_send(keys) {
            if self.ended() {
                return;
            }
            assert!(Instant::now() < until, "it reads no keys any more");
            keys = kept;
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Sends a signal, if the program is still there to take it.
    pub fn try_signal(&self, name: &str) {
        let _ = std::process::Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
    }

    /// Waits until the program has stopped itself, as the shell does before it goes on.
    #[track_caller]
    pub fn wait_stopped(&self) {
        let stopped = || {
            let told = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()));
            told.is_ok_and(|told| told.rsplit(") ").next().is_some_and(|s| s.starts_with('T')))
        };
        self.wait_until("the program to stop", |_| stopped());
    }

    /// Whether the program has ended.
    pub fn ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Forgets the bytes that were written so far; the screen stays.
    pub fn forget(&self) {
        self.seen.lock().unwrap().raw.clear();
    }

    /// Says that the window has another size; the screen that is read keeps its own.
    pub fn claim(&self, columns: u16, rows: u16) {
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// The most memory that the program has had, in KiB; 0 where it is not told.
    pub fn memory(&self) -> u64 {
        let told = std::fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let told = told.unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse().ok())
            .unwrap_or(0)
    }

    /// Changes the size of the window.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.seen
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(rows, columns);
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// The screen as it is.
    pub fn screen(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    /// The screen with its colours, cursor and all that a write may change of it.
    pub fn look(&self) -> Vec<u8> {
        let seen = self.seen.lock().unwrap();
        seen.parser.screen().state_formatted()
    }

    /// Waits until the screen holds `text`; fails with the screen. A page comes in parts:
    /// what else it is to hold is waited for as well.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("“{text}”"), |screen| screen.contains(text))
    }

    /// Waits until the screen no longer holds `text`.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) -> String {
        self.wait_until(&format!("no “{text}”"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "waited for {what}; the screen is\n{screen}"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The screen once it has stopped changing.
    #[track_caller]
    pub fn settled(&self) -> String {
        let start = Instant::now();
        loop {
            {
                let seen = self.seen.lock().unwrap();
                if seen.bytes > 0 && seen.changed.elapsed() > STILL {
                    return seen.parser.screen().contents();
                }
            }
            assert!(start.elapsed() < PATIENCE, "the screen never comes to rest");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Bytes that the program has written so far.
    pub fn bytes(&self) -> usize {
        self.seen.lock().unwrap().bytes
    }

    /// Everything that the program has written.
    pub fn raw(&self) -> Vec<u8> {
        self.seen.lock().unwrap().raw.clone()
    }

    /// Whether the alternate screen is shown.
    pub fn alternate(&self) -> bool {
        self.seen.lock().unwrap().parser.screen().alternate_screen()
    }

    /// Whether the cursor is hidden.
    pub fn cursor_hidden(&self) -> bool {
        self.seen.lock().unwrap().parser.screen().hide_cursor()
    }

    /// Process id of the program.
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("a process id")
    }

    /// Sends a signal to the program.
    pub fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// The folder of this program's state.
    pub fn state(&self) -> &std::path::Path {
        self.state.path()
    }

    /// Waits until the program has ended; returns its code and the state
    /// folder, with which it can be opened again.
    #[track_caller]
    pub fn exit(mut self) -> (u32, tempfile::TempDir) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.exit_code(), self.state);
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the program does not end; the screen is\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

//! This program once more, as a child that may hang or die: its output, and its standard
//! error line by line, each within a deadline.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How a child ended.
pub struct Ended {
    /// Its exit code; `None` where it was killed, by itself or by this program.
    pub code: Option<i32>,
    /// Whether it was killed for not going on.
    pub hung: bool,
    /// What it printed.
    pub output: String,
    /// The last line of its standard error that is not indented: those that
    /// are, say more of the same.
    pub last: String,
}

/// By which a child can be interrupted from another thread, while it runs.
#[derive(Clone, Default)]
pub struct Leash(Arc<Mutex<Held>>);

/// What is at the end of a leash.
#[derive(Default)]
enum Held {
    /// Nothing runs.
    #[default]
    Nothing,
    /// A child, by its id.
    Child(u32),
    /// A child is being started.
    Starting,
    /// It was to be stopped before it ran.
    Stopped,
}

impl Leash {
    /// Asks the child to stop, as Ctrl-C does; one that does not run yet will not.
    pub fn interrupt(&self) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *held {
            Held::Child(id) => interrupt(id),
            Held::Starting => *held = Held::Stopped,
            Held::Nothing | Held::Stopped => {}
        }
    }

    fn reach(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Held::Starting;
    }

    fn hold(&self, child: &Child) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*held, Held::Stopped) {
            interrupt(child.id());
        }
        *held = Held::Child(child.id());
    }

    /// Before the child is waited for: its number may be another's behind that.
    fn let_go(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Held::Nothing;
    }
}

fn interrupt(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    // It may just have ended by itself.
    let _ = id.map(|id| kill_process(id, Signal::INT));
}

/// The same for a child that nobody interrupts.
///
/// # Errors
/// It cannot be started or waited for.
pub fn follow(
    arguments: &[String],
    deadline: impl Fn(&str) -> Duration,
    heard: impl FnMut(&str),
) -> io::Result<Ended> {
    follow_on(&Leash::default(), arguments, deadline, heard)
}

/// Starts this program again with `arguments`. `deadline` says how long the next line of
/// its standard error may take, given the last; `heard` is told each.
///
/// # Errors
/// It cannot be started or waited for.
pub fn follow_on(
    leash: &Leash,
    arguments: &[String],
    deadline: impl Fn(&str) -> Duration,
    mut heard: impl FnMut(&str),
) -> io::Result<Ended> {
    leash.reach();
    let mut child = Command::new(std::env::current_exe()?)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    leash.hold(&child);
    let output = child.stdout.take();
    let output = thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut pipe) = output {
            // What cannot be read is not there.
            let _ = pipe.read_to_string(&mut text);
        }
        text
    });
    let (say, lines) = mpsc::channel();
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
    }
    let mut last = String::new();
    let hung = loop {
        match lines.recv_timeout(deadline(&last)) {
            Ok(line) => {
                heard(&line);
                if !line.starts_with(' ') {
                    last = line;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    leash.let_go();
    let code = end(&mut child, hung)?;
    Ok(Ended {
        code,
        hung,
        output: output.join().unwrap_or_default(),
        last,
    })
}

/// Waits for a child, or kills it.
fn end(child: &mut Child, hung: bool) -> io::Result<Option<i32>> {
    if hung {
        // It may just have ended by itself.
        let _ = child.kill();
    }
    Ok(child.wait()?.code())
}

/// The sentence of a mistake as the program prints it, in JSON or plain.
pub fn sentence(line: &str) -> String {
    let line = line.trim_start_matches("tinyllama-tutor: ");
    serde_json::from_str::<serde_json::Value>(line)
        .ok()
        .and_then(|said| Some(said.get("error")?.as_str()?.to_owned()))
        .unwrap_or_else(|| line.to_owned())
}

//! One engine process: started, spoken to, listened to, ended.

use std::fmt;
use std::io::{self, BufReader};
use std::process::{self, ChildStdin, ChildStdout, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{read_frame, write_frame};
use super::log::Log;
use super::program::Program;
use plan::run::{Answer, Ask};

/// How long an engine that was told to leave, or killed, may take to be gone.
const LEAVES_WITHIN: Duration = Duration::from_secs(2);

/// What comes from an engine.
#[derive(Debug)]
pub(super) enum News {
    /// It said this.
    Answer(Answer),
    /// It said something that is no answer, and is not listened to any more.
    Garbage(io::Error),
    /// It closed its end: it has ended, or will.
    Closed,
    /// Nothing within the time.
    Silence,
}

/// How an engine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself or by a signal.
    With(ExitStatus),
    /// Not even when it was killed: the driver holds it.
    Never,
}

impl fmt::Display for Ended {
    /// As it stands after "the engine": `ended with signal 11 (SIGSEGV)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::With(status) = self else {
            return f.write_str("cannot be ended, a driver may hold it");
        };
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
            return match signal_hook::low_level::signal_name(signal) {
                Some(name) => write!(f, "ended with signal {signal} ({name})"),
                None => write!(f, "ended with signal {signal}"),
            };
        }
        match status.code() {
            Some(0) => f.write_str("left"),
            Some(code) => write!(f, "ended with exit code {code}"),
            None => f.write_str("ended"),
        }
    }
}

/// A running engine. Dropped, it is told to leave, and killed where it does not.
pub(super) struct Child {
    process: process::Child,
    /// Goes to a thread that writes: a pipe that is full never holds us up.
    asks: Option<Sender<Ask>>,
    news: Receiver<io::Result<Answer>>,
    log: Log,
}

impl Child {
    /// Starts an engine.
    ///
    /// # Errors
    /// When there is no such program, or the system gives no process or thread.
    pub(super) fn start(program: &Program) -> io::Result<Self> {
        let mut process = program.command().spawn()?;
        match Self::connect(&mut process) {
            Ok((asks, news, log)) => Ok(Self {
                process,
                asks: Some(asks),
                news,
                log,
            }),
            Err(e) => {
                let _ = process.kill();
                let _ = process.wait();
                Err(e)
            }
        }
    }

    #[allow(clippy::type_complexity, reason = "the three ends of one process")]
    fn connect(
        process: &mut process::Child,
    ) -> io::Result<(Sender<Ask>, Receiver<io::Result<Answer>>, Log)> {
        let (Some(input), Some(output), Some(errors)) = (
            process.stdin.take(),
            process.stdout.take(),
            process.stderr.take(),
        ) else {
            return Err(io::Error::other("the engine has no pipes"));
        };
        let (asks, to_write) = mpsc::channel();
        let (to_us, news) = mpsc::channel();
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        named("engine asks").spawn(move || write(input, &to_write))?;
        named("engine news").spawn(move || read(output, &to_us))?;
        Ok((asks, news, Log::of(errors)?))
    }

    /// Says something. An engine that has ended does not hear it, which
    /// [`Child::wait`] will tell.
    pub(super) fn say(&self, ask: Ask) {
        if let Some(asks) = &self.asks {
            let _ = asks.send(ask);
        }
    }

    /// The next that comes within `time`.
    pub(super) fn wait(&self, time: Duration) -> News {
        match self.news.recv_timeout(time) {
            Ok(Ok(answer)) => News::Answer(answer),
            Ok(Err(garbage)) => News::Garbage(garbage),
            Err(RecvTimeoutError::Timeout) => News::Silence,
            Err(RecvTimeoutError::Disconnected) => News::Closed,
        }
    }

    /// Waits for an engine that has closed its end, and kills it where it stays.
    pub(super) fn ended(&mut self) -> Ended {
        self.asks = None;
        match self.gone_within(LEAVES_WITHIN) {
            Some(status) => Ended::With(status),
            None => self.kill(),
        }
    }

    /// Ends the engine and all that it started, at once.
    pub(super) fn kill(&mut self) -> Ended {
        self.asks = None;
        // Not waited for yet, so the number is still this process's.
        if !matches!(self.process.try_wait(), Ok(Some(_))) {
            let group = rustix::process::Pid::from_child(&self.process);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _ = self.process.kill();
        }
        self.gone_within(LEAVES_WITHIN)
            .map_or(Ended::Never, Ended::With)
    }

    fn gone_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + time;
        loop {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The last that it wrote on its standard streams, after its end.
    pub(super) fn last_words(&self) -> String {
        self.log.tail()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.ended();
    }
}

fn write(mut input: ChildStdin, asks: &Receiver<Ask>) {
    for ask in asks {
        if write_frame(&mut input, &ask).is_err() {
            return;
        }
    }
}

fn read(output: ChildStdout, to_us: &Sender<io::Result<Answer>>) {
    let mut output = BufReader::new(output);
    loop {
        let news = match read_frame(&mut output) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => return,
            // An engine that dies in the middle of a word has died.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return,
            Err(e) => Err(e),
        };
        let last = news.is_err();
        if to_us.send(news).is_err() || last {
            return;
        }
    }
}

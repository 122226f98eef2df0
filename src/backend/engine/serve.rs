//! The engine's side of the pipes.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{read_frame, write_frame};
use super::program::build;
use plan::run::{
    Answer, Ask, BackendState, Observer, Phase, Progress, Report, Request, RunError, WireTicket,
};

/// Least time between two signs of the same step: oftener than a screen can
/// show would only disturb the runs.
const BETWEEN: Duration = Duration::from_millis(20);

/// How long a run may take to stop after the parent has gone.
const ORPHANED: Duration = Duration::from_secs(2);

/// What an engine does when it is asked.
pub trait Served {
    /// Runs a request; logits go to the file, where there is one.
    ///
    /// # Errors
    /// Why there is no report.
    fn run(
        &mut self,
        request: &Request,
        logits: Option<&Path>,
        observer: &dyn Observer,
    ) -> Result<Report, RunError>;

    /// Looks which backends can run.
    fn probe(&mut self) -> Vec<BackendState>;
}

/// Serves a parent over this process's standard input and output, which are
/// moved to descriptors of their own first: what a library or a kernel prints
/// goes to standard error.
///
/// # Errors
/// When the streams cannot be moved, or the parent cannot be spoken to.
pub fn serve_standard_streams(served: &mut impl Served) -> io::Result<()> {
    use std::os::fd::AsFd;
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    serve(input, output, served, || {
        // A kernel that hangs does not hear that it is to stop, and leaving
        // would wait for it.
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    })
}

/// Serves a parent until it closes its end. `abandon` is called where a run
/// does not stop after that; it must end the process.
///
/// # Errors
/// When the parent cannot be spoken to, or speaks another language.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send,
    served: &mut impl Served,
    abandon: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let mouth = Mouth(Mutex::new(output));
    mouth.say(&Answer::Hello {
        build: build().to_owned(),
    })?;
    let cancelled = Arc::new(AtomicU64::new(0));
    let (jobs, asked) = mpsc::channel();
    let flag = Arc::clone(&cancelled);
    thread::Builder::new()
        .name("engine ear".to_owned())
        .spawn(move || {
            listen(input, &jobs, &flag);
            drop(jobs);
            flag.store(WireTicket::MAX, Ordering::Relaxed);
            thread::sleep(ORPHANED);
            abandon();
        })?;
    for ask in asked {
        match ask {
            Ask::Run {
                ticket,
                request,
                logits,
            } => {
                let watch = Watch {
                    ticket,
                    cancelled: &cancelled,
                    mouth: &mouth,
                    last: Mutex::new(None),
                };
                let result = served.run(&request, logits.as_deref(), &watch);
                mouth.say(&Answer::Done(ticket, result.map(Box::new)))?;
            }
            Ask::Probe => mouth.say(&Answer::Found(served.probe()))?,
            Ask::Cancel(_) => {}
        }
    }
    Ok(())
}

/// Hears cancellations at once and passes the rest on, until the parent goes.
fn listen(input: impl Read, jobs: &Sender<Ask>, cancelled: &AtomicU64) {
    let mut input = BufReader::new(input);
    loop {
        match read_frame(&mut input) {
            Ok(Some(Ask::Cancel(ticket))) => {
                cancelled.fetch_max(ticket, Ordering::Relaxed);
            }
            Ok(Some(job)) => {
                if jobs.send(job).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(e) => {
                let _ = writeln!(io::stderr(), "the parent cannot be understood: {e}");
                return;
            }
        }
    }
}

struct Mouth<W>(Mutex<W>);

impl<W: Write> Mouth<W> {
    fn say(&self, answer: &Answer) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut *output, answer)
    }
}

/// Watches a run for the parent.
struct Watch<'s, W> {
    ticket: WireTicket,
    cancelled: &'s AtomicU64,
    mouth: &'s Mouth<W>,
    last: Mutex<Option<(Instant, Phase, String)>>,
}

impl<W: Write + Send> Observer for Watch<'_, W> {
    fn progress(&self, progress: Progress) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let soon = last.as_ref().is_some_and(|(at, phase, subject)| {
            *phase == progress.phase && *subject == progress.subject && at.elapsed() < BETWEEN
        });
        if !soon {
            *last = Some((Instant::now(), progress.phase, progress.subject.clone()));
            // A parent that is gone is noticed at the other pipe.
            let _ = self.mouth.say(&Answer::Progress(self.ticket, progress));
        }
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) >= self.ticket
    }
}

//! Ctrl-C during a run on the command line: the run stops between two kernels.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use plan::run::{Observer, Phase, Progress};

/// Watches for the signals that stop a run. A second one ends the program at once.
pub(super) struct Interrupt {
    seen: Arc<AtomicBool>,
    /// Where progress goes: a line of standard error, or nowhere.
    show: bool,
    /// Lines for another program: when the last was written, and which.
    told: Option<Mutex<Option<(Instant, Phase, String)>>>,
}

/// Least time between two lines of one phase that another program reads.
const BETWEEN: Duration = Duration::from_millis(100);

impl Interrupt {
    /// Begins to watch; `show` prints progress on standard error.
    pub(super) fn watch(show: bool) -> Self {
        let (seen, again) = (Arc::default(), Arc::default());
        for signal in [SIGINT, SIGTERM] {
            // They are done in this order: a signal is seen from the first of them on, and
            // the second finds `again` set and ends.
            let _ = flag::register(signal, Arc::clone(&seen));
            let _ = flag::register_conditional_shutdown(signal, 130, Arc::clone(&again));
            let _ = flag::register(signal, Arc::clone(&again));
        }
        Self {
            seen,
            show,
            told: None,
        }
    }

    /// The same; progress goes to another program, a line each step: `timing 3 of 60`.
    pub(super) fn told() -> Self {
        let mut watch = Self::watch(false);
        watch.told = Some(Mutex::new(None));
        watch
    }
}

impl Observer for Interrupt {
    fn progress(&self, progress: Progress) {
        if let Some(told) = &self.told {
            let mut last = told.lock().unwrap_or_else(PoisonError::into_inner);
            let line = format!(
                "{} {} of {}\n",
                progress.phase.name(),
                progress.done,
                progress.total
            );
            let told = last.as_ref().is_some_and(|(at, phase, last)| {
                *last == line || *phase == progress.phase && at.elapsed() < BETWEEN
            });
            if !told {
                super::out::tell(&line);
                *last = Some((Instant::now(), progress.phase, line));
            }
        }
        if self.show {
            let step = format!(
                "\r{:<8} {:>3} of {:<3}",
                progress.phase.name(),
                progress.done + 1,
                progress.total
            );
            super::out::tell(&step);
        }
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        if self.show {
            super::out::tell("\r                        \r");
        }
    }
}

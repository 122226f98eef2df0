//! Ctrl-C during a run on the command line: the run stops between two kernels.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use plan::run::{Observer, Progress};

/// Watches for the signals that stop a run. A second one ends the program at once.
pub(super) struct Interrupt {
    seen: Arc<AtomicBool>,
    /// Where progress goes: a line of standard error, or nowhere.
    show: bool,
}

impl Interrupt {
    /// Begins to watch; `show` prints progress on standard error.
    pub(super) fn watch(show: bool) -> Self {
        let seen = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the second signal finds the flag set and ends.
            let _ =
                signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&seen));
            let _ = signal_hook::flag::register(signal, Arc::clone(&seen));
        }
        Self { seen, show }
    }
}

impl Observer for Interrupt {
    fn progress(&self, progress: Progress) {
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

//! The terminal, borrowed: raw mode and the alternate screen, given back on
//! every way out.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::crossterm::{
    cursor, event, execute,
    style::{Print, force_color_output},
    terminal::{self, EnterAlternateScreen, LeaveAlternateScreen},
};

/// Whether the terminal is ours at present. One process has one terminal,
/// and the panic hook has no other way to know.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();
/// Whether the mouse is asked for, too: `take` and `give` have no other way to know.
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Presses and the wheel, in a form that has no end of columns; never mere movement,
/// which would wake an idle workshop.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// The terminal while it is ours. Dropping it gives the terminal back.
pub struct Terminal(());

impl Terminal {
    /// Takes the terminal: raw mode, alternate screen, no cursor, and pasted
    /// text marked as such, so that a paste presses no keys.
    ///
    /// # Errors
    /// When there is no terminal to take.
    pub fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let main = std::thread::current().id();
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // A panic of a worker is caught and reported where the worker
                // was started; printing it would tear the screen.
                if std::thread::current().id() == main {
                    give();
                    before(panic);
                }
            }));
        });
        // The theme decides about colour. The library would drop reverse
        // video and bold together with colour under NO_COLOR.
        force_color_output(true);
        take()?;
        Ok(Terminal(()))
    }

    /// Asks the terminal for clicks and the wheel as well. Its own selection then needs
    /// Shift.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn with_mouse(self) -> io::Result<Self> {
        MOUSE.store(true, Ordering::SeqCst);
        execute!(io::stdout(), Print(MOUSE_ON))?;
        Ok(self)
    }

    /// Gives the terminal back, stops this process until it is continued, and
    /// takes the terminal again.
    ///
    /// # Errors
    /// When the terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give();
        // The process itself, not its group: a run in a group of its own goes
        // on. SIGSTOP stops every thread, and the call returns on SIGCONT.
        signal_hook::low_level::raise(signal_hook::consts::SIGSTOP)?;
        take()
    }
}

impl Terminal {
    /// Gives the terminal back while `work` has it, and takes it again.
    ///
    /// # Errors
    /// When the terminal cannot be taken again.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        give();
        let done = work();
        take()?;
        Ok(done)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give();
    }
}

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let entered = execute!(
        io::stdout(),
        EnterAlternateScreen,
        cursor::Hide,
        event::EnableBracketedPaste
    );
    let entered = match MOUSE.load(Ordering::SeqCst) {
        true => entered.and_then(|()| execute!(io::stdout(), Print(MOUSE_ON))),
        false => entered,
    };
    if entered.is_err() {
        give();
    }
    entered
}

/// Gives the terminal back; twice does no harm. Errors are dropped: there is
/// nobody left to tell.
fn give() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        if MOUSE.load(Ordering::SeqCst) {
            let _ = execute!(out, Print(MOUSE_OFF));
        }
        let _ = execute!(
            out,
            event::DisableBracketedPaste,
            cursor::Show,
            LeaveAlternateScreen
        );
        let _ = out.flush();
        let _ = terminal::disable_raw_mode();
    }
}

//! Keys and signals, each read by a thread of its own and sent as messages.

use std::panic::catch_unwind;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::crossterm::terminal;
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP,
    SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU,
};
use signal_hook::iterator::Signals;

use app::Message;
use app::key::{Code, Key, ctrl};
use app::mouse::Spots;

/// Holds the thread that reads keys while another program has the terminal.
#[derive(Default)]
pub struct Gate {
    /// Is it closed, and does the reader stand before it?
    state: Mutex<(bool, bool)>,
    moved: Condvar,
}

impl Gate {
    /// Closes the gate, and waits until the reader stands before it. The signal
    /// of a new size brings it out of its read.
    pub fn close(&self) {
        const PATIENCE: Duration = Duration::from_millis(300);
        self.set(|state| state.0 = true);
        let _ = signal_hook::low_level::raise(SIGWINCH);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self
            .moved
            .wait_timeout_while(state, PATIENCE, |(_, parked)| !*parked);
    }

    /// Lets the reader go on.
    pub fn open(&self) {
        self.set(|state| state.0 = false);
    }

    fn pass(&self) {
        if !self.set(|state| state.1 = state.0) {
            return;
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.moved.wait_while(state, |(closed, _)| *closed);
        drop(free);
        self.set(|state| state.1 = false);
    }

    /// Changes the state; whether the gate is closed then.
    fn set(&self, change: impl FnOnce(&mut (bool, bool))) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        self.moved.notify_all();
        state.0
    }
}

/// Starts reading keys and pastes. The thread ends with the process
/// or when nobody listens any more.
pub fn read_keys(to: Sender<Message>, gate: Arc<Gate>, spots: Arc<Mutex<Spots>>) {
    thread::spawn(move || {
        loop {
            // Whatever the library's parser makes of what no terminal sends, the next key
            // is read.
            let event = match catch_unwind(event::read) {
                Ok(Ok(event)) => event,
                Ok(Err(_)) => break,
                Err(_) => continue,
            };
            gate.pass();
            if let Some(message) = message(event, &spots)
                && to.send(message).is_err()
            {
                return;
            }
        }
        // No input any more: the terminal is gone.
        let _ = to.send(Message::Terminate(129));
    });
}

/// Signals that end a program which does not ask for them. They end this one in order,
/// so that the terminal is given back.
const ENDING: [i32; 13] = [
    SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXCPU,
    SIGSYS, SIGTRAP, SIGABRT,
];

/// Largest page in columns and rows; more would be memory and no help. A larger
/// terminal is drawn in its upper left.
const LARGEST: (u16, u16) = (1024, 512);

/// The terminal's size, as far as it is drawn.
///
/// # Errors
/// When there is no terminal.
pub fn size() -> std::io::Result<(u16, u16)> {
    let (columns, rows) = terminal::size()?;
    Ok((columns.min(LARGEST.0), rows.min(LARGEST.1)))
}

/// Starts watching signals: those of [`ENDING`] end the program in order, SIGINT and
/// SIGTSTP do what Ctrl-C and Ctrl-Z do. SIGWINCH is watched here and not where keys
/// are read: there, a size that comes together with a key is lost.
///
/// # Errors
/// When the system refuses a handler.
pub fn watch_signals(to: Sender<Message>) -> std::io::Result<()> {
    let mut signals = Signals::new(ENDING)?;
    for signal in [SIGINT, SIGTSTP, SIGCONT, SIGWINCH] {
        signals.add_signal(signal)?;
    }
    thread::spawn(move || {
        for signal in &mut signals {
            let message = match signal {
                SIGINT => Message::Key(ctrl('c')),
                SIGTSTP => Message::Key(ctrl('z')),
                SIGCONT => Message::Resumed,
                SIGWINCH => match size() {
                    Ok((columns, rows)) => Message::Resize { columns, rows },
                    Err(_) => continue,
                },
                other => Message::Terminate(128 + other as u8),
            };
            if to.send(message).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn message(event: Event, spots: &Mutex<Spots>) -> Option<Message> {
    match event {
        Event::Key(k) if k.kind != KeyEventKind::Release => key(k).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let spots = spots.lock().unwrap_or_else(PoisonError::into_inner);
                spots.at(mouse.column, mouse.row).map(Message::Click)
            }
            MouseEventKind::ScrollUp => Some(Message::Wheel(true)),
            MouseEventKind::ScrollDown => Some(Message::Wheel(false)),
            _ => None,
        },
        _ => None,
    }
}

fn key(k: KeyEvent) -> Option<Key> {
    let code = match k.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab if k.modifiers.contains(KeyModifiers::SHIFT) => Code::BackTab,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: k.modifiers.contains(KeyModifiers::CONTROL),
    })
}

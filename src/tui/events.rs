//! The loop: wait for a message, update, carry effects out, draw.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use ratatui::crossterm::terminal;

use super::draw::draw;
use super::input;
use super::surface::Surface;
use super::terminal::Terminal;
use crate::app::{self, Effect, Event, Look, Message, State};

/// What the workshop is opened with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Theme, colours, ASCII.
    pub look: Look,
}

/// Opens the workshop in this terminal and returns the exit code when the
/// learner leaves.
///
/// # Errors
/// When there is no terminal, or it cannot be written to any more.
pub fn open(options: Options) -> io::Result<u8> {
    let size = terminal::size()?;
    let state = State::new(size, options.look);
    let guard = Terminal::take()?;
    let (to, messages) = mpsc::channel();
    let mut runtime = Runtime {
        state,
        surface: Surface::new(io::stdout(), size.0, size.1),
        terminal: guard,
        opened: Instant::now(),
        messages,
        to,
    };
    // The first frame goes out before anything else is started.
    runtime.draw()?;
    input::watch_signals(runtime.to.clone())?;
    input::read_keys(runtime.to.clone());
    runtime.run()
}

struct Runtime<W: Write> {
    state: State,
    surface: Surface<W>,
    terminal: Terminal,
    opened: Instant,
    messages: Receiver<Message>,
    to: Sender<Message>,
}

impl<W: Write> Runtime<W> {
    fn run(&mut self) -> io::Result<u8> {
        loop {
            let first = self.wait();
            // Whatever else has come meanwhile is taken before drawing: a key
            // held down never makes the screen run after it.
            let mut next = Some(first);
            while let Some(message) = next {
                if let Some(code) = self.take(message)? {
                    return Ok(code);
                }
                next = self.messages.try_recv().ok();
            }
            self.draw()?;
        }
    }

    fn now(&self) -> u64 {
        self.opened.elapsed().as_millis() as u64
    }

    /// Sleeps until something happens. Without a message and without a moment
    /// that the state waits for, it sleeps for ever.
    fn wait(&self) -> Message {
        match self.state.wake {
            None => self.messages.recv().unwrap_or(Message::Terminate(129)),
            Some(at) => {
                let left = Duration::from_millis(at.saturating_sub(self.now()));
                match self.messages.recv_timeout(left) {
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => Message::Tick,
                    Err(RecvTimeoutError::Disconnected) => Message::Terminate(129),
                }
            }
        }
    }

    /// Updates the state and carries the effects out. A code means: leave.
    fn take(&mut self, message: Message) -> io::Result<Option<u8>> {
        let event = Event {
            at: self.now(),
            message,
        };
        for effect in app::update(&mut self.state, event) {
            match effect {
                Effect::Quit(code) => return Ok(Some(code)),
                Effect::Suspend => {
                    self.terminal.suspend()?;
                    self.look_again()?;
                }
                Effect::Redraw => self.look_again()?,
                Effect::Copy(text) => self.surface.send(&clipboard(&text))?,
                Effect::CancelRun | Effect::SaveProgress | Effect::Probe => {}
            }
        }
        Ok(None)
    }

    /// Reads the size again and forgets what is on the screen.
    fn look_again(&mut self) -> io::Result<()> {
        let size = terminal::size()?;
        self.state.size = size;
        self.surface.resize(size.0, size.1);
        self.surface.forget();
        Ok(())
    }

    fn draw(&mut self) -> io::Result<()> {
        let (columns, rows) = self.state.size;
        self.surface.resize(columns, rows);
        let state = &self.state;
        self.surface.frame(|buffer| draw(state, buffer))
    }
}

/// OSC 52: asks the terminal, also through ssh and tmux, to keep a text.
fn clipboard(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes())).into_bytes()
}

/// RFC 4648 base 64 with padding; the one place that needs it.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let get = |i: usize| chunk.get(i).copied().unwrap_or(0);
        let word = u32::from_be_bytes([0, get(0), get(1), get(2)]);
        for i in 0..4 {
            if i <= chunk.len() {
                let six = (word >> (18 - 6 * i)) & 63;
                out.push(char::from(SIGNS[six as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_rfc_4648() {
        // Test vectors of RFC 4648, section 10.
        for (text, code) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), code);
        }
    }
}

//! The loop: wait for a message, update, carry effects out, draw.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::draw::Painter;
use super::input;
use super::surface::Surface;
use super::terminal::Terminal;
use app::key::ctrl;
use app::look::Depth;
use app::mouse::Spots;
use app::question::Asked;
use app::{self, Effect, Event, Message, State};
use backend::engine::{self, Engine, Worker};
use course::Places;
use host::learned::Learned;
use host::{Away, Clerk, Facts, edit};
use plan::run::Phase;

/// Opens the workshop in this terminal and returns the exit code when the
/// learner leaves. `places` says where their files are, `facts` what the doctor
/// knows of the surroundings; with `mouse`, clicks and the wheel are taken.
///
/// # Errors
/// When there is no terminal, or it cannot be written to any more.
pub fn open(
    mut state: State,
    (places, facts): (Places, Arc<Facts>),
    mouse: bool,
) -> io::Result<u8> {
    let size = input::size()?;
    state.shared.size = size;
    let (to, messages) = mpsc::channel();
    // Before the terminal is taken: a signal that comes now must find someone to give
    // it back.
    input::watch_signals(to.clone())?;
    let mut guard = Terminal::take()?;
    if mouse {
        guard = guard.with_mouse()?;
    }
    let mut surface = Surface::new(io::stdout(), size.0, size.1);
    // A terminal of few colours, or one that is to have none, may print what it does not know.
    surface.link(state.shared.look.depth >= Depth::Indexed);
    // The first frame goes out before anything else is started.
    let painter = Painter::default();
    surface.frame(|buffer| {
        painter.draw(&state, buffer);
    })?;
    if let Some(sheet) = host::machine::on_paper(places.device()) {
        state.shared.machine.take_sheet(sheet);
    }
    let gate = Arc::new(input::Gate::default());
    let spots = Arc::new(Mutex::new(Spots::default()));
    input::read_keys(to.clone(), Arc::clone(&gate), Arc::clone(&spots));
    let news = News::new(to.clone());
    let mut engine = Engine::default();
    let learned = Learned::of(&places);
    let worker = Worker::start(
        move |request, watch| {
            let mut request = request.clone();
            learned.serve(&mut request);
            let report = engine.run(&request, None, watch)?;
            learned.ran(&request.config, &report);
            Ok(report)
        },
        move |event| news.tell(event),
    )?;
    let away = Away::new(places, facts, to.clone());
    let mut runtime = Runtime {
        state,
        painter,
        surface,
        terminal: guard,
        opened: Instant::now(),
        messages,
        worker,
        clerk: Clerk::start(&away, to.clone()),
        away,
        to,
        gate,
        spots,
        loading: true,
        awaited: Vec::new(),
        held: VecDeque::new(),
    };
    runtime.away.start(Effect::Probe);
    runtime.away.run_mutants();
    runtime.run()
}

/// How long keys wait for a course or a sheet that is being read: what is typed too early
/// means something else, and a busy machine may take seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a message stops or leaves: that waits for nothing.
fn hurries(message: &Message) -> bool {
    matches!(message, Message::Key(key) if [ctrl('c'), ctrl('z')].contains(key))
}

/// Whether a message comes from the learner's hands.
fn is_typed(message: &Message) -> bool {
    matches!(
        message,
        Message::Key(_) | Message::Paste(_) | Message::Click(_)
    )
}

/// Least time between two progress reports of one phase: more often than the
/// eye can follow would only cost redraws.
const BETWEEN: Duration = Duration::from_millis(40);

/// Passes what the worker says on as messages.
struct News {
    to: Sender<Message>,
    last: Mutex<Option<(Instant, Phase)>>,
}

impl News {
    fn new(to: Sender<Message>) -> Self {
        News {
            to,
            last: Mutex::new(None),
        }
    }

    fn tell(&self, event: engine::Event) {
        let message = match event {
            engine::Event::Started(_) => return,
            engine::Event::Progress(ticket, progress) => {
                let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                let soon = last
                    .is_some_and(|(at, phase)| phase == progress.phase && at.elapsed() < BETWEEN);
                if soon {
                    return;
                }
                *last = Some((Instant::now(), progress.phase));
                Message::RunProgress(ticket, progress)
            }
            engine::Event::Done(ticket, result) => {
                Message::RunDone(ticket, Box::new(result.map(|r| *r)))
            }
        };
        // Nobody listens any more when the program is leaving.
        let _ = self.to.send(message);
    }
}

struct Runtime<W: Write> {
    state: State,
    painter: Painter,
    surface: Surface<W>,
    terminal: Terminal,
    opened: Instant,
    messages: Receiver<Message>,
    to: Sender<Message>,
    worker: Worker,
    clerk: Clerk,
    away: Away,
    gate: Arc<input::Gate>,
    /// What can be clicked, where it was drawn last.
    spots: Arc<Mutex<Spots>>,
    /// Whether the course is still being read.
    loading: bool,
    /// Exercises whose sheets are being read.
    awaited: Vec<String>,
    /// What was typed meanwhile.
    held: VecDeque<Message>,
}

impl<W: Write> Runtime<W> {
    fn run(&mut self) -> io::Result<u8> {
        loop {
            let first = self.wait();
            // Whatever else has come meanwhile is taken before drawing: a key
            // held down never makes the screen run after it.
            let mut next = Some(first);
            while let Some(message) = next {
                if is_typed(&message)
                    && let Some(code) = self.settle(&message)?
                {
                    return Ok(code);
                }
                if let Some(code) = self.take(message)? {
                    return Ok(code);
                }
                next = self.held.pop_front();
                next = next.or_else(|| self.messages.try_recv().ok());
            }
            self.draw()?;
        }
    }

    /// Brings the page up to date before a key is taken: keys may come faster than pages
    /// are drawn and sheets are read, and mean what they mean on the page that they lead to.
    fn settle(&mut self, typed: &Message) -> io::Result<Option<u8>> {
        let mut until = Instant::now() + PATIENCE;
        while !hurries(typed) && (!self.awaited.is_empty() || self.loading) {
            let left = until.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) if is_typed(&message) => {
                    if hurries(&message) {
                        until = Instant::now();
                    }
                    self.held.push_back(message);
                }
                Ok(message) => {
                    if let Some(code) = self.take(message)? {
                        return Ok(Some(code));
                    }
                }
                // What cannot be read holds nothing up.
                Err(_) => {
                    self.awaited.clear();
                    self.loading = false;
                }
            }
        }
        self.painter.fit(&mut self.state);
        Ok(None)
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
        match &message {
            Message::Sheet(id, ..) => self.awaited.retain(|awaited| awaited != id),
            Message::Loaded(_) => self.loading = false,
            // A sheet that cannot be read holds no keys up.
            Message::Saved(Err(_)) => self.awaited.clear(),
            _ => {}
        }
        let event = Event {
            at: self.now(),
            message,
        };
        for effect in app::update(&mut self.state, event) {
            if let Effect::OpenSheet(id) = &effect {
                self.awaited.push(id.clone());
            }
            match effect {
                Effect::Quit(code) => return Ok(Some(code)),
                Effect::Suspend => {
                    self.terminal.suspend()?;
                    self.look_again()?;
                }
                Effect::Redraw => self.look_again()?,
                Effect::Copy(text) => self.surface.send(&clipboard(&text))?,
                Effect::Export { name, numbers } => {
                    let picture = super::draw::picture(&self.state);
                    let mut files = vec![("svg", picture)];
                    files.extend(numbers.map(|rows| ("csv", rows)));
                    self.away.keep(name, files);
                }
                Effect::StartRun(ticket, request) => self.worker.submit(ticket, *request),
                Effect::CancelRun => self.worker.cancel(),
                Effect::StopStudy => self.away.stop_study(),
                Effect::Edit(asked) => self.edit(asked)?,
                Effect::Record(_)
                | Effect::KeepLab(_)
                | Effect::KeepRuns(_)
                | Effect::OpenSheet(_)
                | Effect::SaveAnswer { .. }
                | Effect::Vary { .. } => self.clerk.take(effect),
                Effect::Device(gpu) => {
                    self.away.speak_of(gpu);
                    self.clerk.take(effect);
                }
                Effect::Probe
                | Effect::Measure(_)
                | Effect::Kernels(_)
                | Effect::Ask(_)
                | Effect::Judge { .. }
                | Effect::MakeStudy(..)
                | Effect::ListStudies
                | Effect::Report => self.away.start(effect),
                Effect::Init => {
                    let made = self.away.init();
                    if made.is_ok() {
                        // It takes along what was answered before.
                        self.clerk.take(effect);
                        self.away.start(Effect::Probe);
                        let place = self.away.host().places.kept();
                        let _ = self.to.send(Message::Settled(place));
                    }
                    self.say(made);
                }
            }
        }
        Ok(None)
    }

    fn say(&self, outcome: Result<String, String>) {
        // The receiver is ours and lives as long as we do.
        let _ = self.to.send(Message::Saved(outcome));
    }

    /// Gives the terminal to the learner's editor until it ends.
    fn edit(&mut self, asked: Asked) -> io::Result<()> {
        let file = match self.away.host().begin(&asked) {
            Ok(file) => file,
            Err(say) => {
                self.say(Err(say));
                return Ok(());
            }
        };
        self.gate.close();
        let messages = &self.messages;
        let mut kept = Vec::new();
        let ended = self.terminal.lend(|| {
            edit(&file, || {
                // What the terminal sends to every program in front of it was
                // meant for the editor, but that all stop.
                kept.extend(messages.try_iter());
                let stop = |m: &Message| matches!(m, Message::Key(key) if *key == ctrl('z'));
                let stop = kept.iter().any(stop);
                kept.retain(|message| !matches!(message, Message::Key(_)));
                stop
            })
        })?;
        self.gate.open();
        self.look_again()?;
        for message in kept {
            let _ = self.to.send(message);
        }
        self.say(ended);
        self.clerk.take(Effect::OpenSheet(asked.exercise));
        Ok(())
    }

    /// Reads the size again and forgets what is on the screen.
    fn look_again(&mut self) -> io::Result<()> {
        let size = input::size()?;
        self.state.shared.size = size;
        self.surface.resize(size.0, size.1);
        self.surface.forget();
        Ok(())
    }

    fn draw(&mut self) -> io::Result<()> {
        let began = Instant::now();
        let drawn = self.frame();
        self.state.shared.drew(began.elapsed().as_millis() as u64);
        drawn
    }

    fn frame(&mut self) -> io::Result<()> {
        let (columns, rows) = self.state.shared.size;
        self.surface.resize(columns, rows);
        self.painter.fit(&mut self.state);
        let (painter, state, spots) = (&self.painter, &self.state, &self.spots);
        // Before it is written: whoever sees a page may click on it at once.
        self.surface.frame(|buffer| {
            let drawn = painter.draw(state, buffer);
            *spots.lock().unwrap_or_else(PoisonError::into_inner) = drawn;
        })
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

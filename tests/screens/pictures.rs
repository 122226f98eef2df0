//! The pictures of the documents, drawn from the workshop itself: none is older than the
//! screen that it shows. `RECORD_SCREENS=1 cargo test --test screens pictures` draws them
//! anew.
//!
//! Clock, device and seed are given; every number is modelled, or of the recorded roof.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::look::{Depth, Theme};
use tinyllama_tutor::app::{Effect, Event, Look, Message, State, update};
use tinyllama_tutor::course::Course;
use tinyllama_tutor::picture::{Frame, tour};
use tinyllama_tutor::tui::{cells, picture};

/// The workshop with its own course, on the recorded machine; the outside answers at
/// once, and runs nothing.
struct Stage {
    state: State,
    at: u64,
}

impl Stage {
    fn new(columns: u16, rows: u16) -> Self {
        let look = Look {
            theme: Theme::Dark,
            depth: Depth::True,
            ..Look::default()
        };
        let mut state = State::new((columns, rows), look).unwrap();
        state.shared.machine = super::pages::h200();
        state.shared.place = "~/fusion-workshop".into();
        let mut stage = Stage { state, at: 0 };
        stage.tell(super::reader::loaded(Course::built_in()));
        stage
    }

    fn tell(&mut self, message: Message) {
        let mut queue = vec![message];
        while !queue.is_empty() {
            self.at += 1;
            let event = Event {
                at: self.at,
                message: queue.remove(0),
            };
            let effects = update(&mut self.state, event);
            queue.extend(effects.into_iter().filter_map(answer));
        }
    }

    fn press(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        for pressed in keys {
            // The texts that keys move over are laid out.
            cells(&self.state);
            self.tell(Message::Key(pressed));
        }
        self
    }

    fn typed(self, text: &str) -> Self {
        self.press(text.chars().map(ch))
    }

    fn frame(&self, seconds: f64, says: &str) -> Frame {
        Frame {
            cells: cells(&self.state),
            says: says.to_owned(),
            seconds,
        }
    }
}

/// What the outside says at once.
fn answer(effect: Effect) -> Option<Message> {
    match effect {
        Effect::Kernels(wanted) => {
            let book = host::book(&wanted).map(Arc::new);
            Some(Message::Kernels(wanted, book))
        }
        Effect::Ask(ask) => {
            let found = host::answer(&ask).map(Box::new);
            Some(Message::Asked(ask, found))
        }
        Effect::OpenSheet(id) => Some(Message::Sheet(id, Box::default())),
        _ => None,
    }
}

/// Opens a text from the palette.
fn open(stage: Stage, name: &str) -> Stage {
    stage.typed(":").typed(name).press([key(Code::Enter)])
}

/// The pictures by name.
fn pictures() -> Vec<(&'static str, String)> {
    let roofline = Stage::new(120, 40).typed("5w");
    let kernel = Stage::new(120, 40)
        .typed("3]]]]]]vK")
        .press([key(Code::Tab)])
        .typed("n");
    let lesson = open(Stage::new(120, 40), "lesson 12").typed(" ");
    vec![
        ("roofline.svg", picture(&roofline.state)),
        ("kernel.svg", picture(&kernel.state)),
        ("lesson.svg", picture(&lesson.state)),
        ("tour.svg", minute()),
    ]
}

/// One minute, from the lab to a right answer.
fn minute() -> String {
    let mut frames = Vec::new();
    let mut stage = Stage::new(80, 24).typed("3");
    let mut show =
        |stage: &Stage, seconds: f64, says: &str| frames.push(stage.frame(seconds, says));
    show(
        &stage,
        7.0,
        "3  the lab: V1, a box per kernel, ink is bytes",
    );
    stage = stage.typed("]");
    show(&stage, 2.0, "]  the next kernel");
    stage = stage.typed(" ");
    show(
        &stage,
        4.0,
        "Space  fuses q, k and v: two launches and 0.26 MB less",
    );
    stage = stage.typed("j");
    show(&stage, 1.0, "j  down");
    stage = stage.typed("j");
    show(&stage, 1.0, "j  down, to flash");
    stage = stage.typed(" ");
    show(
        &stage,
        5.0,
        "Space  flash: the scores no longer leave the chip",
    );
    stage = stage.press([key(Code::Tab)]).typed("jj=");
    show(&stage, 5.0, "=  where a number comes from, term by term");
    stage = stage.press([key(Code::Esc)]).typed("4");
    show(&stage, 5.0, "4  the four versions side by side");
    stage = stage.typed("5");
    show(&stage, 5.0, "5  every kernel under the roof of a device");
    stage = stage.typed("w");
    show(&stage, 4.0, "w  what if it were another GPU?");
    stage = stage.typed("6n");
    show(
        &stage,
        5.0,
        "6 n  the source of the kernel under the cursor, at its first idea",
    );
    stage = stage.typed("7").press([key(Code::Enter)]);
    show(&stage, 4.0, "7 Enter  an exercise: predict before you see");
    stage = stage.typed("12");
    show(&stage, 2.0, "12");
    stage = stage.press([key(Code::Enter)]);
    show(&stage, 5.0, "Enter  a known slip is named");
    stage = stage.press([key(Code::Enter)]);
    stage = stage
        .press([key(Code::Backspace), key(Code::Backspace)])
        .typed("17");
    stage = stage.press([key(Code::Enter)]);
    show(&stage, 5.0, "17 Enter  right");
    tour(&frames, Theme::Dark, "tinyllama-tutor in a minute")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screens")
}

#[test]
fn no_picture_is_older_than_its_screen() {
    let record = std::env::var_os("RECORD_SCREENS").is_some();
    let mut old = Vec::new();
    for (name, drawn) in pictures() {
        let path = folder().join(name);
        if record {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        }
        if std::fs::read_to_string(&path).ok().as_deref() != Some(drawn.as_str()) {
            old.push(name);
        }
    }
    assert!(
        old.is_empty(),
        "{old:?} show what is no longer drawn: RECORD_SCREENS=1 cargo test --test screens pictures, and look at them"
    );
}

/// The tour lasts a minute, and all pictures together are no burden.
#[test]
fn pictures_are_small_and_each_is_shown_somewhere() {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = read(&root.join("README.md"));
    for entry in std::fs::read_dir(root.join("docs")).unwrap().flatten() {
        if entry.path().extension().is_some_and(|kind| kind == "md") {
            texts += &read(&entry.path());
        }
    }
    let mut size = 0;
    for entry in std::fs::read_dir(folder()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            texts.contains(&format!("screens/{name}")),
            "{name} is shown nowhere"
        );
        size += entry.metadata().unwrap().len();
    }
    assert!(size < 300_000, "{size} bytes of pictures");
    let tour = read(&folder().join("tour.svg"));
    assert!(tour.contains("animation:t0 60s"), "the tour lasts a minute");
}

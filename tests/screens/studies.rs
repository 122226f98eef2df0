//! The page of studies: the list, what can be set, one that is being made, what one
//! found, and what cannot be read.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod found;
mod listed;
mod made;

use std::sync::Arc;

use super::cells;
use super::pages::h200;
use super::reader::ENTER;
use tinyllama_tutor::app::key::{Key, ch};
use tinyllama_tutor::app::{Effect, Event, Look, Message, State, update};
use tinyllama_tutor::cost::Config;
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::Shape;
use tinyllama_tutor::study::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use tinyllama_tutor::study::kept::Kept;
use tinyllama_tutor::study::offer::{Offered, Setting, Takes};
use tinyllama_tutor::tui::Painter;

fn setting(name: &str, says: &str, takes: Takes, usual: &str) -> Setting {
    Setting {
        flag: format!("--{name}"),
        name: name.into(),
        says: says.into(),
        takes,
        usual: usual.into(),
    }
}

fn offered() -> Vec<Offered> {
    let of = |name: &str| Offered {
        name: name.into(),
        flags: ["--over", "--at", "--run", "--order", "--batch", "--version"]
            .map(String::from)
            .to_vec(),
        settings: vec![
            setting(
                "over",
                "What varies: seq, batch, context, layers or width",
                Takes::Text,
                "seq",
            ),
            setting(
                "at",
                "Its values, such as 16,32,64; each size has usual ones",
                Takes::Text,
                "",
            ),
            setting(
                "order",
                "Which comes first",
                Takes::Choice(vec!["up".into(), "down".into()]),
                "up",
            ),
            setting(
                "run",
                "Run each size; without it only the model speaks",
                Takes::Switch,
                "",
            ),
        ],
    };
    ["ablate", "plan", "scale", "batch-size", "validate"]
        .map(of)
        .to_vec()
}

fn kept(id: &str, stopped: bool) -> Kept {
    let columns = [
        Column::given("seq"),
        Column::modelled("bytes", "MB", 3).why("forward.bytes"),
        Column::measured("time", "µs", 1),
    ];
    let mut points = Sheet::new("points", columns);
    points.rows = vec![
        vec!["16".into(), 12.156.into(), 842.25.into()],
        vec!["32".into(), 22.12.into(), 1690.5.into()],
        vec!["64".into(), 42.047.into(), Cell::NONE],
    ];
    for seq in [16, 32, 64] {
        let mut config = Config::preset("workshop", Version::V1.cut()).unwrap();
        config.shape = Shape::prefill(1, seq);
        points.of.push(config);
    }
    Kept {
        schema: 1,
        id: id.into(),
        study: "scale".into(),
        command: "study scale --over seq --run".into(),
        device: "AMD EPYC, 2 threads, AVX-512".into(),
        build: "0.1.0+83c596073310093c".into(),
        time: "2026-11-23T04:04:49Z".into(),
        stopped,
        findings: Findings {
            title: "workshop B1 fp32 over seq, V1".into(),
            sheets: vec![points],
            plots: vec![Plot {
                x: "seq".into(),
                at: vec![16.0, 32.0, 64.0],
                unit: "MB".into(),
                log: true,
                lines: vec![(
                    "bytes".into(),
                    Source::Modelled,
                    vec![Some(12.156), Some(22.12), Some(42.047)],
                )],
            }],
            sentences: vec![
                "The time grows as S^1.01 @ (0.98 to 1.03, 30 rounds in turns).".into(),
            ],
            notes: vec!["64: stopped before it was timed".into()],
            ..Findings::default()
        },
    }
}

struct Page(State);

impl Page {
    fn open(columns: u16, rows: u16) -> Self {
        let mut state = State::new((columns, rows), Look::default()).unwrap();
        state.shared.machine = h200();
        state.shared.studies.offered = Arc::new(offered());
        let mut page = Self(state);
        let asked = page.press(&[ch('S')]);
        assert_eq!(asked, [Effect::ListStudies]);
        let broken = "studies/scale-1.json cannot be read: it has schema 9, and this build reads 1";
        page.tell(Message::Studies(vec![
            ("scale-2".into(), Ok(Arc::new(kept("scale-2", true)))),
            ("scale-1".into(), Err(broken.into())),
        ]));
        page
    }

    /// What the command line takes instead.
    fn offer(&mut self, offered: Vec<Offered>) {
        self.0.shared.studies.offered = Arc::new(offered);
    }

    /// The one study that is kept instead.
    fn keep(&mut self, kept: Kept) {
        self.0.shared.studies.kept = Some(vec![("scale-9".into(), Ok(Arc::new(kept)))]);
    }

    fn tell(&mut self, message: Message) -> Vec<Effect> {
        update(&mut self.0, Event { at: 2500, message })
    }

    fn press(&mut self, keys: &[Key]) -> Vec<Effect> {
        let mut all = Vec::new();
        for key in keys {
            all.extend(self.tell(Message::Key(*key)));
        }
        all
    }

    fn typed(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&[ch(c)]);
        }
    }

    fn rows(&mut self) -> Vec<String> {
        let mut painter = Painter::default();
        painter.fit(&mut self.0);
        cells::rows(&painter, &self.0)
    }

    #[track_caller]
    fn snapshot(&mut self, name: &str) {
        let (columns, _) = self.0.shared.size;
        insta::assert_snapshot!(format!("{name}-{columns}"), self.rows().join("\n"));
    }
}

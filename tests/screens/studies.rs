//! The page of studies: the list, what can be set, one that is being made, what one
//! found, and what cannot be read.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use super::pages::h200;
use super::reader::Screen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::{Effect, Event, Look, Message, State, update};
use tinyllama_tutor::cost::Config;
use tinyllama_tutor::course::Course;
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::model::Shape;
use tinyllama_tutor::study::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use tinyllama_tutor::study::kept::Kept;
use tinyllama_tutor::study::offer::{Offered, Setting, Takes};
use tinyllama_tutor::tui::Painter;

const ENTER: Key = key(Code::Enter);

fn offered() -> Vec<Offered> {
    let setting = |flag: &str, name: &str, says: &str, takes, usual: &str| Setting {
        flag: flag.into(),
        name: name.into(),
        says: says.into(),
        takes,
        usual: usual.into(),
    };
    let of = |name: &str| Offered {
        name: name.into(),
        flags: ["--over", "--at", "--run", "--order", "--batch", "--version"]
            .map(String::from)
            .to_vec(),
        settings: vec![
            setting(
                "--over",
                "over",
                "What varies: seq, batch, context, layers or width",
                Takes::Text,
                "seq",
            ),
            setting(
                "--at",
                "at",
                "Its values, such as 16,32,64; each size has usual ones",
                Takes::Text,
                "",
            ),
            setting(
                "--order",
                "order",
                "Which comes first",
                Takes::Choice(vec!["up".into(), "down".into()]),
                "up",
            ),
            setting(
                "--run",
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
        let (columns, rows) = self.0.shared.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let mut painter = Painter::default();
        painter.fit(&mut self.0);
        painter.draw(&self.0, &mut buffer);
        let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect();
        let rows = (0..rows).map(row);
        rows.map(|row: String| row.trim_end().to_owned()).collect()
    }

    #[track_caller]
    fn snapshot(&mut self, name: &str) {
        let (columns, _) = self.0.shared.size;
        insta::assert_snapshot!(format!("{name}-{columns}"), self.rows().join("\n"));
    }
}

#[test]
fn studies_and_what_is_kept_are_listed_with_what_they_are() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('j'), ch('j')]);
        page.snapshot("studies-list");
    }
}

#[test]
fn a_study_is_set_made_and_stopped_from_the_page() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('j'), ch('j'), ENTER, ch('j'), ENTER]);
        page.typed("16,32");
        page.press(&[ENTER, ch('j'), key(Code::Right), ch('j'), ch(' ')]);
        page.snapshot("studies-settings");
        let made = page.press(&[ch('r')]);
        let words = "study scale --at 16,32 --order down --run --version v1";
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        assert_eq!(made, [Effect::MakeStudy(1, words)]);
        // Another is not begun beside it, nor a run that would disturb it.
        assert_eq!(page.press(&[ch('r')]), []);
        page.tell(Message::StudyHeard(1, "timing 7 of 30".into()));
        page.press(&[ch('k')]);
        page.snapshot("studies-making");
        assert_eq!(
            page.press(&[Key {
                ctrl: true,
                ..ch('c')
            }]),
            [Effect::StopStudy]
        );
        page.tell(Message::StudyMade(1, Ok(Arc::new(kept("scale-3", true)))));
        let rows = page.rows().join("\n");
        assert!(rows.contains("Stopped before its end"), "{rows}");
        assert!(page.0.shared.studies.making().is_none());
    }
}

#[test]
fn what_was_found_is_shown_with_its_device_and_its_numbers_are_exported() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        page.press(&[ch('G'), ch('k'), ENTER]);
        page.snapshot("studies-found");
        let exported = page.press(&[ch('X')]);
        let numbers = match exported.as_slice() {
            [
                Effect::Export {
                    numbers: Some(csv), ..
                },
            ] => csv,
            other => panic!("{other:?}"),
        };
        let csv = "seq,bytes MB =,time µs @\n16,12.156,842.3\n32,22.120,1690.5\n64,42.047,–\n";
        assert_eq!(numbers, csv);
        // The second figure, unfolded: the bytes of a forward of 32 tokens.
        page.press(&[key(Code::Tab), ch('=')]);
        let why = page.rows().join("\n");
        assert!(why.contains("Why this number"), "{why}");
        assert!(why.contains("bytes of the forward"), "{why}");
        page.press(&[key(Code::Esc)]);
        let again = page.press(&[ch('r')]);
        assert!(matches!(again.as_slice(), [Effect::MakeStudy(1, words)] if words.len() == 5));
    }
}

#[test]
fn a_kept_file_that_cannot_be_read_says_so_and_is_not_made_again() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('G')]);
    assert_eq!(page.press(&[ch('r')]), []);
    page.press(&[ENTER]);
    page.snapshot("studies-unreadable");
}

#[test]
fn a_sweep_that_takes_too_long_says_so_where_it_was_set() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 2.1 h here (150 runs at the pace of its smallest), \
               more than 10 min; take fewer or smaller sizes with --at, --runs 16, or a smaller \
               --model, or --budget 190 (minutes)";
    page.tell(Message::StudyMade(1, Err(why.into())));
    page.press(&[ch('k')]);
    page.snapshot("studies-refused");
    // A terminal that shrinks meanwhile says that nothing is lost.
    page.tell(Message::Resize {
        columns: 60,
        rows: 18,
    });
    let rows = page.rows().join("\n");
    assert!(rows.contains("Studies, needs 80"), "{rows}");
    page.tell(Message::Resize {
        columns: 80,
        rows: 24,
    });
    assert!(page.rows().join("\n").contains("190 (minutes)"));
}

#[test]
fn a_study_that_this_backend_does_not_make_chooses_its_own() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    let backend = |takes| Setting {
        flag: "--backend".into(),
        name: "backend".into(),
        says: "who runs it".into(),
        takes,
        usual: "auto".into(),
    };
    // The machine of these tests runs on cuda.
    let gym = ["auto", "simt"].map(String::from).to_vec();
    all[0].settings = vec![backend(Takes::Choice(gym))];
    all[1].settings = vec![backend(Takes::Text)];
    page.0.shared.studies.offered = Arc::new(all);
    page.press(&[ENTER]);
    assert!(!page.rows().join("\n").contains("--backend cuda"));
    page.press(&[key(Code::Esc), ch('j'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("study plan --backend cuda"), "{rows}");
}

#[test]
fn a_study_that_runs_nothing_is_given_no_backend() {
    let setting = |name: &str, takes, usual: &str| Setting {
        flag: format!("--{name}"),
        name: name.into(),
        says: String::new(),
        takes,
        usual: usual.into(),
    };
    let mut page = Page::open(80, 24);
    let mut all = offered();
    all[0].settings = vec![
        setting("run", Takes::Switch, ""),
        setting("backend", Takes::Text, "auto"),
    ];
    page.0.shared.studies.offered = Arc::new(all);
    page.press(&[ENTER]);
    assert!(!page.rows().join("\n").contains("--backend"));
    // Run: by the backend of the workshop.
    page.press(&[ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("--run --backend cuda"), "{rows}");
}

#[test]
fn a_key_makes_the_smaller_study_that_was_offered() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    for (name, usual) in [("runs", "30"), ("budget", "10")] {
        all[2].settings.push(Setting {
            flag: format!("--{name}"),
            name: name.into(),
            says: "a number".into(),
            takes: Takes::Text,
            usual: usual.into(),
        });
    }
    page.0.shared.studies.offered = Arc::new(all);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 2.1 h here, more than 10 min; take fewer or smaller \
               sizes with --at, --runs 16, or a smaller --model, or --budget 190 (minutes)";
    page.tell(Message::StudyMade(1, Err(why.into())));
    // The message that says why gives way to what can be done.
    page.press(&[ch('k')]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("R makes it so: --runs 16."), "{rows}");
    let words = |effects: Vec<Effect>| match effects.as_slice() {
        [Effect::MakeStudy(_, words)] => words.join(" "),
        other => panic!("{other:?}"),
    };
    let made = words(page.press(&[ch('R')]));
    assert_eq!(made, "study scale --runs 16 --version v1");
    // Still too long: what is left is time.
    page.tell(Message::StudyMade(2, Err(why.into())));
    let made = words(page.press(&[ch('R')]));
    assert_eq!(made, "study scale --runs 16 --budget 190 --version v1");
    // Nothing was refused: nothing is offered.
    page.tell(Message::StudyMade(3, Ok(Arc::new(kept("scale-3", false)))));
    page.press(&[key(Code::Esc), ENTER]);
    assert_eq!(page.press(&[ch('R')]), []);
}

#[test]
fn what_a_study_found_is_said_once_and_the_keys_stay_in_view() {
    let mut page = Page::open(80, 24);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    page.tell(Message::StudyMade(1, Ok(Arc::new(kept("scale-3", false)))));
    let rows = page.rows();
    assert!(rows[23].contains("? help"), "{}", rows.join("\n"));
    let first = kept("scale-3", false).findings.sentences[0].clone();
    let head: String = first.chars().take(30).collect();
    let said = rows.iter().filter(|row| row.contains(&head)).count();
    assert_eq!(said, 1, "{}", rows.join("\n"));
    // It is still among the messages.
    let mut log = page.0.shared.notes.log().map(|note| note.text.clone());
    assert!(log.next_back().is_some_and(|text| text.contains(&head)));
}

#[test]
fn a_refusal_offers_its_way_out_at_once() {
    let mut page = Page::open(80, 24);
    let mut all = offered();
    all[2].settings.push(Setting {
        flag: "--runs".into(),
        name: "runs".into(),
        says: "a number".into(),
        takes: Takes::Text,
        usual: "30".into(),
    });
    page.0.shared.studies.offered = Arc::new(all);
    page.press(&[ch('j'), ch('j'), ENTER, ch('r')]);
    let why = "study scale would take about 1,316 s here, more than 600 s; take --runs 18";
    page.tell(Message::StudyMade(1, Err(why.into())));
    let rows = page.rows();
    let text = rows.join("\n");
    assert!(text.contains("R makes it so: --runs 18."), "{text}");
    assert!(rows[23].contains("Esc back"), "{text}");
}

#[test]
fn terms_are_named_where_a_figure_has_them() {
    let mut page = Page::open(120, 40);
    page.press(&[ch('G'), ch('k'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(rows.contains("= its terms"), "{rows}");
    let mut bare = kept("scale-9", false);
    for column in bare.findings.sheets.iter_mut().flat_map(|s| &mut s.columns) {
        column.why = String::new();
    }
    page.0.shared.studies.kept = Some(vec![("scale-9".into(), Ok(Arc::new(bare)))]);
    page.press(&[key(Code::Esc), ch('G'), ENTER]);
    let rows = page.rows().join("\n");
    assert!(
        !rows.contains("its terms") && rows.contains("SVG, CSV"),
        "{rows}"
    );
}

/// Below the list stand whole sentences of what a study found.
#[test]
fn the_list_cuts_no_sentence_of_a_kept_study() {
    for (columns, rows) in [(80, 24), (60, 18)] {
        let mut page = Page::open(columns, rows);
        let mut long = kept("scale-9", false);
        let sentence = "The time grows as the first power of what varies @, as it does by the model too, so far as thirty rounds can tell.";
        long.findings.sentences = vec![sentence.into(); 12];
        page.0.shared.studies.kept = Some(vec![("scale-9".into(), Ok(Arc::new(long)))]);
        page.press(&[ch('G')]);
        let text = page.rows().join(" ").replace('│', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (begun, whole) = (
            text.matches("The time grows").count(),
            text.matches("rounds can tell.").count(),
        );
        assert!(
            begun == whole,
            "{columns}x{rows}: {begun} begun, {whole} whole: {text}"
        );
        assert!(whole > 0 || rows < 20, "{text}");
    }
}

/// Of a plan with a long name the figure keeps its value in the footer.
#[test]
fn the_figure_of_a_long_plan_is_named_beside_its_key() {
    let mut page = Page::open(80, 24);
    let mut long = kept("scale-9", false);
    let sheet = &mut long.findings.sheets[0];
    let name = "rope + flash + gate_up + silu_mul + swiglu + o_residual + down_residual";
    sheet.rows[0][0] = name.into();
    let row = sheet.rows[0].clone();
    sheet.rows = vec![row; 30];
    let of = sheet.of[0].clone();
    sheet.of = vec![of; 30];
    page.0.shared.studies.kept = Some(vec![("scale-9".into(), Ok(Arc::new(long)))]);
    page.press(&[ch('G'), ENTER]);
    let rows = page.rows();
    let said = &rows[22];
    assert!(said.contains("more lines: Space"), "{said}");
    assert!(
        said.contains("rope + f") && said.contains("= 12.156"),
        "{said}"
    );
}

#[test]
fn a_long_table_says_which_key_has_all_of_it() {
    let mut page = Page::open(80, 24);
    let mut long = kept("scale-9", false);
    let row = long.findings.sheets[0].rows[0].clone();
    long.findings.sheets[0].rows = vec![row; 60];
    page.0.shared.studies.kept = Some(vec![("scale-9".into(), Ok(Arc::new(long)))]);
    page.press(&[ch('G'), ENTER]);
    let found = |page: &mut Page| {
        page.press(&[ch(' ')]);
        page.rows()
            .join("\n")
            .contains("… 12 more: X writes all of them")
    };
    assert!((0..6).any(|_| found(&mut page)));
}

#[test]
fn a_study_without_a_part_for_the_lab_says_nothing_of_it() {
    let mut page = Page::open(80, 24);
    page.press(&[ENTER]);
    assert!(page.rows().join("\n").contains("p: another setup"));
    let mut all = offered();
    all[0].flags = vec!["--gpu".into()];
    page.0.shared.studies.offered = Arc::new(all);
    page.press(&[key(Code::Esc), ENTER]);
    let rows = page.rows().join("\n");
    assert!(!rows.contains("setup"), "{rows}");
}

#[test]
fn no_question_of_a_study_is_cut_in_the_list() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut page = Page::open(columns, rows);
        let shown = page.rows();
        let named = ["ablate", "plan", "scale", "batch-size", "validate"];
        for name in named {
            let row = shown.iter().find(|row| row.contains(&format!("{name} ")));
            assert!(
                row.is_some_and(|row| row.contains('?') && !row.contains('…')),
                "{row:?}"
            );
        }
    }
}

#[test]
fn a_lesson_leads_to_the_study_that_it_shows() {
    let mut at = Screen::with(Course::built_in(), 80, 24);
    let mut all = offered();
    all[4].name = "timeline".into();
    at.state.shared.studies.offered = Arc::new(all);
    // Lesson 19, its block of a timeline, once its guess was made.
    let lesson = at.press(&[ch(':')]).typed("19").press(&[ENTER]);
    let section = lesson
        .press(&[ch('o'), key(Code::Home)])
        .press(&[key(Code::Down); 6]);
    let guessed = section
        .press(&[ENTER, key(Code::Tab)])
        .typed("7")
        .press(&[ENTER]);
    let s = guessed.shows("it is 7").press(&[ENTER]);
    assert_eq!(
        (s.state.page, s.state.studies.cursor),
        (app::Page::Studies, 4)
    );
}

//! The lesson reader and the exercise form: keys in, cells out.
//!
//! The course is a small one of the tests' own (`tests/data/reader`); what must
//! hold for every text is tried on the built-in course.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tinyllama_tutor::app::key::{Code, Key, ch, key};
use tinyllama_tutor::app::machine::Ceilings;
use tinyllama_tutor::app::study::Study;
use tinyllama_tutor::app::{Effect, Event, Look, Message, Page, SheetRead, State, update};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::{self, Course, Mark, Progress};
use tinyllama_tutor::fusion::Fusion;
use tinyllama_tutor::tui::Painter;

pub(crate) struct Screen {
    pub(crate) state: State,
    pub(crate) effects: Vec<Effect>,
    pub(crate) painter: Painter,
}

impl Screen {
    pub(crate) fn with(course: Course, columns: u16, rows: u16) -> Self {
        let state = State::new((columns, rows), Look::default()).unwrap();
        let mut screen = Screen {
            state,
            effects: Vec::new(),
            painter: Painter::default(),
        };
        screen.tell(Message::Loaded(Box::new(Study {
            course: Arc::new(course),
            gpus: Some(Arc::new(GpuDatabase::embedded().unwrap())),
            loaded: true,
            ..Study::default()
        })));
        screen
    }

    /// The fixture course with its first lesson open.
    pub(crate) fn reader(columns: u16, rows: u16) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reader");
        Screen::with(Course::folder(&root), columns, rows).press(&[ch('2')])
    }

    pub(crate) fn tell(&mut self, message: Message) {
        let effects = update(&mut self.state, Event { at: 0, message });
        self.effects.extend(effects);
        self.painter.fit(&mut self.state);
    }

    pub(crate) fn press(mut self, keys: &[Key]) -> Self {
        for k in keys {
            self.tell(Message::Key(*k));
        }
        self
    }

    /// So many milliseconds later.
    pub(crate) fn later(mut self, ms: u64) -> Self {
        let at = self.state.shared.now + ms;
        let message = Message::Tick;
        update(&mut self.state, Event { at, message });
        self
    }

    pub(crate) fn typed(self, text: &str) -> Self {
        let keys: Vec<Key> = text.chars().map(ch).collect();
        self.press(&keys)
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        let (columns, rows) = self.state.shared.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.painter.draw(&self.state, &mut buffer);
        (0..rows)
            .map(|y| {
                let row: String = (0..columns).map(|x| buffer[(x, y)].symbol()).collect();
                row.trim_end().to_owned()
            })
            .collect()
    }

    #[track_caller]
    pub(crate) fn shows(self, text: &str) -> Self {
        let rows = self.rows();
        assert!(
            rows.iter().any(|row| row.contains(text)),
            "“{text}” is not on the screen:\n{}",
            rows.join("\n")
        );
        self
    }

    #[track_caller]
    pub(crate) fn hides(self, text: &str) -> Self {
        let rows = self.rows();
        assert!(
            !rows.iter().any(|row| row.contains(text)),
            "“{text}” is on the screen:\n{}",
            rows.join("\n")
        );
        self
    }

    pub(crate) fn recorded(&self) -> Vec<course::Event> {
        let events = self.effects.iter().filter_map(|effect| match effect {
            Effect::Record(event) => Some(event.clone()),
            _ => None,
        });
        events.collect()
    }
}

pub(crate) const TAB: Key = key(Code::Tab);
pub(crate) const ENTER: Key = key(Code::Enter);
pub(crate) const ESC: Key = key(Code::Esc);
pub(crate) const RIGHT: Key = key(Code::Right);
pub(crate) const SPACE: Key = ch(' ');

#[test]
fn a_section_is_a_page_with_its_numbers_computed() {
    let s = Screen::reader(80, 24);
    assert_eq!(s.state.page, Page::Lesson);
    // facts: qkv saves 22.22 % of the group at B1; three kernels move 1.180 MB.
    s.shows("2 Lesson  04 One GEMM for q, k and v")
        .shows("What the merge cannot save")
        .shows("saved  =  ─────────────")
        .shows("That is 22.22 % at B1.")
        .shows("these   3 launches =")
        .shows("▼ more below, Space")
        .shows("section 1 of 4 · 25 % ")
        .press(&[SPACE])
        // A page further down in the same section, since it is long.
        .shows("three kernels          3   1.180")
        .shows("one kernel             1   0.918")
        .press(&[SPACE])
        .shows("section 2 of 4")
        .press(&[ch('b')])
        .shows("one kernel             1   0.918");
}

#[test]
fn sections_that_were_shown_are_kept() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let read: Vec<String> = s
        .recorded()
        .into_iter()
        .filter_map(|e| match e {
            course::Event::Read { lesson, section } => Some(format!("{lesson} {section}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        read,
        [
            "04-qkv what-the-merge-cannot-save",
            "04-qkv look-before-you-count"
        ]
    );
    // Home says where it goes on.
    let s = s.press(&[ch('1')]);
    assert_eq!(
        s.state
            .shared
            .contents
            .stopped
            .as_ref()
            .map(|s| (s.section, s.of)),
        Some((2, 4))
    );
}

#[test]
fn what_is_flipped_in_a_lesson_is_what_the_lab_shows() {
    let s = Screen::reader(80, 24).press(&[TAB, SPACE]);
    assert_eq!(s.state.shared.bench.cut().fusions(), [Fusion::Qkv]);
    s.shows("║  q  ··  k  ··  v  ║")
        .shows("►[x] qkv")
        .shows("these   1 launch =")
        .press(&[ENTER])
        .shows("V1 + qkv · 15 launches per block")
        // And back, to the same block.
        .press(&[ESC])
        .shows("►[x] qkv")
        .press(&[ch('u')])
        .shows("►[ ] qkv");
}

#[test]
fn a_prediction_hides_the_block_until_it_is_made() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let s = s
        .shows("How many launches does the block make?")
        .hides("17 launches")
        .press(&[TAB, ch('r')])
        .shows("First your prediction")
        .press(&[ENTER])
        .typed("1")
        // Digits type here; they do not go to a page.
        .typed("6q")
        .shows("> 16q▌")
        .press(&[ENTER])
        .hides("17 launches")
        .press(&[key(Code::Backspace)])
        .shows("read as 16. Enter keeps it")
        .press(&[ENTER])
        .shows("you said 16")
        .shows("it is 17 =")
        .shows("One box, one launch.")
        .shows("17 launches =");
    let guessed = s.recorded().into_iter().find_map(|e| match e {
        course::Event::Guessed {
            typed,
            outcome,
            block,
            ..
        } => Some((typed, outcome, block)),
        _ => None,
    });
    assert_eq!(guessed, Some(("16".into(), "17".into(), 3)));
}

#[test]
fn nothing_typed_says_i_do_not_know() {
    Screen::reader(80, 24)
        .press(&[SPACE, SPACE, TAB, ENTER, ENTER])
        .shows("you said I do not know")
        .shows("17 launches =");
}

/// A guess of another session, of what was not run in this one: the reason is no number.
#[test]
fn a_guess_whose_outcome_is_not_known_here_says_why_in_whole_lines() {
    let id = "20-registers-and-memory";
    for kept in [
        "",
        "the microbenchmark resident has not been run at 160 yet: tinyllama-tutor micro resident",
        "1.000 x",
    ] {
        let mut s = Screen::with(Course::built_in(), 80, 60);
        let course = &s.state.shared.study.course;
        let lesson = course.lesson(id).unwrap();
        let block = lesson
            .live()
            .find(|live| live.kind == "micro")
            .unwrap()
            .number;
        let section = lesson
            .sections
            .iter()
            .position(|s| s.title == "Does it matter?");
        let guess = format!(
            "[[guesses]]\nlesson = \"{id}\"\nblock = {block}\ntyped = \"4\"\noutcome = \"{kept}\"\n"
        );
        s.state.shared.study.progress = Progress::read(&guess).unwrap();
        s.state.reader.lesson = s.state.shared.study.place_of(id).unwrap();
        s.state.reader.section = section.unwrap();
        s.state.reader.opened = true;
        s.state.go(Page::Lesson);
        s.painter.fit(&mut s.state);
        let rows = s.rows();
        let said = rows.iter().find(|row| row.contains("you said 4"));
        let said = said.unwrap_or_else(|| panic!("{rows:#?}"));
        assert!(!said.contains('…'), "{said}");
        let text = rows.join(" ");
        let text = text.split_whitespace().filter(|word| *word != "│");
        let text = text.collect::<Vec<_>>().join(" ");
        match kept {
            // What was seen then is shown.
            "1.000 x" => assert!(said.contains("it is 1.000 x ="), "{said}"),
            _ => {
                assert!(!said.contains("it is"), "{said}");
                assert!(
                    text.contains("not known here: the microbenchmark resident"),
                    "{text}"
                );
                assert!(text.contains("tinyllama-tutor micro resident"), "{text}");
            }
        }
    }
}

#[test]
fn a_question_is_answered_in_the_lesson() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB, TAB]);
    let s = s
        .shows("question ex1 gqa1")
        .press(&[ENTER])
        .typed("2.63 o")
        .shows("is not a unit")
        .press(&[ENTER])
        // Nothing is graded.
        .shows("unread")
        .press(&[key(Code::Backspace)])
        .typed("%")
        .press(&[ENTER])
        .shows("slip")
        .shows("This is the share of the whole block.")
        .press(&[ENTER])
        .press(&[key(Code::Home)])
        .press(&[
            key(Code::Delete),
            key(Code::Delete),
            key(Code::Delete),
            key(Code::Delete),
        ])
        .typed("22.22")
        .press(&[ENTER])
        .shows("right");
    let marks: Vec<Mark> = s
        .recorded()
        .into_iter()
        .filter_map(|e| match e {
            course::Event::Checked { mark, .. } => Some(mark),
            _ => None,
        })
        .collect();
    assert_eq!(marks, [Mark::Unread, Mark::Slip, Mark::Right]);
    assert!(s.effects.contains(&Effect::SaveAnswer {
        exercise: "ex1".into(),
        key: "gqa1".into(),
        typed: "22.22 %".into(),
    }));
}

#[test]
fn every_kind_of_block_is_shown() {
    let mut s = Screen::reader(80, 24).press(&[ch('o'), key(Code::Down), key(Code::Down)]);
    s = s.shows("Sections of this lesson").press(&[ENTER]);
    let mut seen = String::new();
    for _ in 0..8 {
        seen += &s.rows().join("\n");
        s = s.press(&[key(Code::Down); 6]);
    }
    for text in [
        "live · steps",
        "Two reads",
        "1 more",
        "live · compare",
        "launches =",
        "MB = (up), batch (across)",
        "live · ribbon",
        "H200",
        "ridge",
    ] {
        assert!(seen.contains(text), "“{text}” is nowhere:\n{seen}");
    }
    // V4 is one box over both rows: 2.623 MB.
    assert!(seen.contains("2.623"), "{seen}");
}

#[test]
fn the_staircase_of_a_lesson_opens_in_its_order_and_esc_comes_back() {
    let down = key(Code::Down);
    let s = Screen::reader(80, 24)
        .press(&[ch('o'), down, down, ENTER, TAB, TAB, TAB, TAB])
        .shows("live · staircase")
        .press(&[ENTER]);
    assert_eq!(s.state.page, Page::Compare);
    let s = s.shows("per block").hides("+flash");
    let text = s.rows().join("\n");
    assert!(text.find("+rope") < text.find("+qkv"), "{text}");
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Lesson);
}

#[test]
fn steps_are_revealed_one_by_one() {
    Screen::reader(80, 24)
        .press(&[ch('o'), key(Code::Down), key(Code::Down), ENTER, TAB])
        .shows("1  Three kernels read n1 three times.")
        .hides("One reads it once")
        .press(&[SPACE])
        .shows("2  One reads it once: 2 reads fewer.")
        .press(&[key(Code::Up)])
        .hides("One reads it once");
}

#[test]
fn a_fault_stands_in_its_place_and_says_why() {
    let s = Screen::reader(80, 24).press(&[ch('o'), key(Code::End), ENTER]);
    let s = s
        .shows("strat = \"v1\"")
        .shows("04-qkv.md:")
        .shows("start")
        .shows("[blok.launches:")
        .shows("norm1")
        .hides("number_11");
    // The wide table goes sideways, its first column held.
    let before = s.rows();
    let s = s.press(&[RIGHT; 11]);
    assert_ne!(before, s.rows());
    s.shows("norm1")
        .shows("number_11")
        .press(&[key(Code::Left); 11])
        .hides("number_11");
}

#[test]
fn lessons_follow_each_other() {
    Screen::reader(80, 24)
        .press(&[ch('[')])
        .shows("This is the first lesson")
        .press(&[ch(']')])
        .shows("2 Lesson  05 Flash attention")
        .shows("100 %")
        .press(&[SPACE])
        .shows("The end of the course")
        .press(&[ch('[')])
        .shows("04 One GEMM");
}

#[test]
fn keys_that_come_before_the_page_is_drawn_do_no_harm() {
    let mut s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let at = s.state.reader.section;
    // Both in one write: nothing is laid out between them.
    for k in [ch('b'), SPACE, ch('b'), ch('j'), ch('k'), ch('G')] {
        let message = Message::Key(k);
        update(&mut s.state, Event { at: 0, message });
    }
    s.painter.fit(&mut s.state);
    assert!(s.state.reader.section < at);
    s.shows("What the merge cannot save");
}

#[test]
fn text_is_found_in_this_section_and_in_the_next_ones() {
    Screen::reader(80, 24)
        .press(&[ch('/')])
        .typed("one box")
        .press(&[ENTER])
        .shows("section 2 of 4")
        .press(&[ch('/')])
        .typed("nowhere at all")
        .press(&[ENTER])
        .shows("is not on this page");
}

#[test]
fn lesson_and_lab_stand_side_by_side() {
    let s = Screen::reader(120, 40)
        .shows("section 1 of 4")
        .shows("this plan against V1")
        .press(&[TAB, SPACE])
        .shows("V1 + qkv · 15 launches per block, 63")
        // The lab is the last part of the page.
        .press(&[TAB, key(Code::Down), SPACE])
        // rope joins the kernel of q, k and v, so qkv is on as well.
        .shows("V1 + rope · 14 launches");
    assert_eq!(s.state.page, Page::Lesson);
}

#[test]
fn a_form_opens_with_no_field_being_edited() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e')])
        .shows("7 Exercises")
        .shows("ex1   QKV in bytes")
        .press(&[ENTER])
        .shows("7 Exercises  ex1 QKV in bytes")
        .shows("n1 has 32,768 elements")
        .shows("hints 0 of 3 seen   misses 0   solution: once solved, or s twice");
    assert!(s.effects.contains(&Effect::OpenSheet("ex1".into())));
    // A digit begins the answer, and so does everything behind it.
    let s = s.typed("3q?").shows("3q?▌");
    assert_eq!(s.state.page, Page::Exercises);
    // Esc leaves the field and keeps what was typed.
    let s = s.press(&[ESC]).shows("[ 3q?");
    assert!(s.effects.contains(&Effect::SaveAnswer {
        exercise: "ex1".into(),
        key: "gqa1".into(),
        typed: "3q?".into(),
    }));
}

#[test]
fn hints_are_counted_and_the_solution_is_asked_for_twice() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ch('h')])
        .shows("hint 1 of 3")
        .shows("hints 1 of 3 seen")
        .press(&[ch('s')])
        .shows("s again shows the solution")
        // Anything else takes the first press back.
        .press(&[ch('h'), ch('s')])
        .shows("s again shows the solution")
        .hides("worked solution")
        .press(&[ch('s')]);
    let gave_up = |s: &Screen| {
        let is = |e: &course::Event| matches!(e, course::Event::GaveUp { .. });
        s.recorded().iter().filter(|e| is(e)).count()
    };
    assert_eq!(gave_up(&s), 1);
    s.press(&[key(Code::PageDown)])
        .shows("worked solution, ex1 gqa1")
        .shows("22.22 %")
        .shows("it counts as read, not as solved");
}

#[test]
fn the_solution_is_free_once_solved() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("22.22 %")
        .press(&[ENTER])
        .shows("right")
        .shows("s shows the solution")
        .press(&[ch('s')]);
    let is = |e: &course::Event| matches!(e, course::Event::GaveUp { .. });
    assert!(!s.recorded().iter().any(is));
    s.press(&[key(Code::PageDown)]).shows("worked solution");
}

/// The panel beside a lesson names the data sheet whole, also of the longest name there is.
#[test]
fn the_roof_beside_a_lesson_is_named_whole() {
    let gpus = GpuDatabase::embedded().unwrap();
    for gpu in gpus.all() {
        let mut s = Screen::reader(120, 40);
        s.state.shared.machine.ceilings = Some(Ceilings::of_gpu(gpu));
        s.shows(&format!("{} data sheet ─", gpu.short));
    }
}

#[test]
fn options_are_marked_and_ranked() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, key(Code::Down)])
        .shows("( ) memory")
        .press(&[SPACE])
        .shows("(x) memory")
        .press(&[RIGHT, SPACE])
        .shows("(x) compute")
        .press(&[ENTER])
        // 36.57 FLOP/B is above the H200's ridge of 13.94.
        .shows("right")
        .shows("Next: question 3.")
        // Several: the order of marking does not matter.
        .press(&[key(Code::Down), RIGHT, RIGHT, RIGHT, SPACE, RIGHT, SPACE])
        .press(&[key(Code::Left), key(Code::Left), SPACE])
        .shows("[x] embed")
        .shows("[ ] norm1")
        .press(&[ENTER])
        .shows("right");
    // facts: softmax 1.049, q 0.524, norm1 0.263 MB.
    s.press(&[key(Code::Down), ch('3')])
        .shows("the last that can be given here is 1.")
        .hides("[1]")
        .press(&[RIGHT, SPACE, key(Code::Left), SPACE, RIGHT, RIGHT, SPACE])
        .shows("[2] q")
        .shows("[1] softmax")
        .shows("[3] norm1")
        .press(&[ENTER])
        .shows("right");
}

#[test]
fn tab_keeps_what_was_typed_and_goes_on() {
    let s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("20 %")
        .press(&[TAB]);
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
    // The next one is a choice, which has no field.
    assert!(s.state.shared.questions.field.is_none());
    s.shows("20 %").shows("typed");
}

/// A sheet that holds these answers, with nothing kept of its exercise.
pub(crate) fn sheet_read(id: &str, answers: BTreeMap<String, String>, again: bool) -> Message {
    let kept = Some(Progress::default());
    let read = SheetRead {
        answers,
        kept,
        again,
    };
    Message::Sheet(id.to_owned(), Box::new(read))
}

#[test]
fn a_sheet_that_changed_on_disk_is_taken_up_and_said() {
    let mut s = Screen::reader(80, 24).press(&[ch('e'), ENTER]);
    let answers = |typed: &str| BTreeMap::from([("gqa1".to_owned(), typed.to_owned())]);
    s.tell(sheet_read("ex1", answers("20 %"), false));
    let mut s = s.shows("[ 20 %").hides("changed on disk");
    s.tell(sheet_read("ex1", answers("22.2 %"), true));
    s.shows("[ 22.2 %")
        .shows("The sheet of ex1 changed on disk: gqa1.");
}

#[test]
fn what_is_answered_while_the_sheet_is_being_read_stays() {
    let mut s = Screen::reader(80, 24)
        .press(&[ch('e'), ENTER, ENTER])
        .typed("20 %")
        .press(&[ENTER]);
    let judged = s.rows();
    // The sheet as it lay on disk before: without this answer.
    s.tell(sheet_read("ex1", BTreeMap::new(), false));
    assert_eq!(s.rows(), judged);
    s.shows("[ 20 %");
}

#[test]
fn a_question_in_a_lesson_opens_its_form_and_esc_comes_back() {
    let s = Screen::reader(80, 24)
        .press(&[SPACE, SPACE, TAB, TAB, ch('e')])
        .shows("7 Exercises  ex1");
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Lesson);
}

#[test]
fn a_course_that_was_read_again_keeps_the_place() {
    let mut s = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reader");
    let course = Arc::new(Course::folder(&root));
    s.tell(Message::Reloaded(course, "Read again: 04-qkv.".into()));
    assert_eq!((s.state.reader.lesson, s.state.reader.section), (0, 1));
    s.shows("Look before you count")
        .shows("Read again: 04-qkv.");
}

#[test]
fn every_page_of_the_course_can_be_drawn_in_ascii_and_says_no_fault() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut s = Screen::with(Course::built_in(), columns, rows);
        s.state.shared.look.ascii = true;
        s = s.press(&[ch('2')]);
        let lessons = s.state.shared.study.course.lessons().len();
        assert!(lessons > 0);
        for lesson in 0..lessons {
            let sections = s.state.shared.study.lesson(lesson).unwrap().sections.len();
            for section in 0..sections {
                s.state.reader.lesson = lesson;
                s.state.reader.section = section;
                s.state.reader.scroll = 0;
                s.painter.fit(&mut s.state);
                let text = &s.state.reader.extent.text;
                for line in text {
                    assert!(!line.contains("(as it is written)"), "{text:?}");
                    assert!(!(line.contains('[') && line.contains(": the ")), "{line}");
                }
                for row in s.rows() {
                    assert!(row.is_ascii(), "{lesson} {section}: {row}");
                }
            }
        }
    }
}

#[test]
fn every_form_of_the_course_can_be_drawn() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut s = Screen::with(Course::built_in(), columns, rows).press(&[ch('7')]);
        let count = s.state.shared.study.course.exercises().len();
        for exercise in 0..count {
            s.state.exercises.cursor = exercise;
            s = s.press(&[ENTER, ch('h'), ch('s'), ch('s')]);
            for _ in 0..12 {
                s = s.press(&[key(Code::Down), ch('h'), ENTER]);
                let rows = s.rows();
                assert!(rows.iter().all(|row| !row.contains("fault of the course")));
                s = s.press(&[ESC]);
                if s.state.exercises.form.is_none() {
                    s = s.press(&[ENTER]);
                }
            }
            s = s.press(&[ESC]);
            if s.state.page != Page::Exercises {
                s = s.press(&[ch('7')]);
            }
        }
    }
}

/// Keys that mean something on the two pages, text included.
fn any_key() -> impl Strategy<Value = Key> {
    let special = [
        TAB,
        ENTER,
        ESC,
        RIGHT,
        SPACE,
        key(Code::Left),
        key(Code::Up),
        key(Code::Down),
        key(Code::PageUp),
        key(Code::PageDown),
        key(Code::Home),
        key(Code::End),
        key(Code::BackTab),
        key(Code::Backspace),
        key(Code::Delete),
    ];
    prop_oneof![
        3 => prop::sample::select(special.to_vec()),
        2 => prop::sample::select("b[]oge257hsuvwWdtrx=/nN".chars().map(ch).collect::<Vec<_>>()),
        1 => prop::sample::select("17.MB%é漢*^(µ|".chars().map(ch).collect::<Vec<_>>()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is pressed, at whatever size: a screen comes out, and the text
    /// is never scrolled past its end.
    #[test]
    fn no_keys_break_the_pages(
        keys in prop::collection::vec(any_key(), 1..80),
        columns in 80u16..140,
        rows in 24u16..50,
        ascii: bool,
    ) {
        let mut s = Screen::reader(columns, rows);
        s.state.shared.look.ascii = ascii;
        for key in keys {
            s = s.press(&[key]);
            let shown = s.rows();
            prop_assert_eq!(shown.len(), usize::from(rows));
            let reader = &s.state.reader;
            let last = reader.extent.lines.saturating_sub(reader.extent.room);
            prop_assert!(s.state.page != Page::Lesson || reader.scroll <= last);
            if ascii {
                // What a learner types is shown as it is, as far as it can be.
                prop_assert!(shown.iter().all(|row| row.is_ascii()));
            }
        }
    }
}

/// What was laid out is kept: only what changes a text lays it out again.
#[test]
fn a_frame_that_changes_nothing_lays_out_nothing() {
    let mut s = Screen::reader(80, 24);
    let laid = s.painter.layouts();
    assert!(laid > 0 && s.painter.knows(&s.state));
    let same = |s: &mut Screen, message: Message, what: &str| {
        s.tell(message);
        assert_eq!(s.painter.layouts(), laid, "{what}");
        // Drawing finds it laid out.
        assert!(s.painter.knows(&s.state), "{what}");
    };
    same(&mut s, Message::Tick, "nothing");
    for key in [ch('j'), ch('k'), key(Code::End), key(Code::Home)] {
        same(&mut s, Message::Key(key), "moving over the text");
    }
    let (columns, rows) = s.state.shared.size;
    same(&mut s, Message::Resize { columns, rows }, "the same size");
    // A key in a block, another width, another look: once each, for fitting and
    // drawing together.
    let wider = Message::Resize {
        columns: columns + 40,
        rows: rows + 16,
    };
    let changes = [
        Message::Key(key(Code::Tab)),
        Message::Key(ch(' ')),
        wider,
        Message::Key(ch('t')),
    ];
    for (n, message) in (1..).zip(changes) {
        s.tell(message);
        assert_eq!(s.painter.layouts(), laid + n);
        assert!(s.painter.knows(&s.state));
    }
}

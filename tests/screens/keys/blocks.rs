//! What Space, Enter, Esc and digits do in a live block of each kind: Space acts as often as
//! there is something to turn, and then goes on.

use std::path::Path;

use crate::keys::home;
use crate::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::lesson::Focus;
use tinyllama_tutor::app::{Effect, Page};
use tinyllama_tutor::course::{Course, KINDS};

/// What Enter does.
enum Enter {
    /// It leads to a page.
    Opens(Page),
    /// It flips the fusion, as the footer says: Space walks over kernels.
    Flips,
    /// It shows the next step.
    Steps,
    /// It makes the block's runs.
    Runs,
    /// It begins an answer.
    Types,
    /// It says that the block opens nothing.
    Nothing,
}
use Enter::{Flips, Nothing, Opens, Runs, Steps, Types};

/// Space flips what the cursor is on, and goes on flipping it: the footer says so.
const ALWAYS: usize = usize::MAX;

/// Kind, what is written in it, how often Space acts before it goes on, and what Enter does.
const BLOCKS: [(&str, &str, usize, Enter); 16] = [
    ("lab", r#"toggles = ["qkv"]"#, ALWAYS, Opens(Page::Lab)),
    ("lab", r#"start = "v2""#, 0, Opens(Page::Lab)),
    (
        "compare",
        r#"plans = ["v1", "v2"]
metrics = ["launches"]"#,
        0,
        Opens(Page::Compare),
    ),
    ("staircase", r#"order = ["qkv"]"#, 0, Opens(Page::Compare)),
    ("ribbon", r#"plan = "v2""#, 0, Opens(Page::Lab)),
    ("trips", r#"ops = ["qk", "pv"]"#, 3, Opens(Page::Lab)),
    (
        "trips",
        r#"ops = ["qk", "softmax", "pv"]
toggles = ["flash"]"#,
        3,
        Flips,
    ),
    ("steps", r#"steps = ["One.", "Two.", "Three."]"#, 2, Steps),
    (
        "question",
        r#"exercise = "ex1"
key = "gqa1""#,
        0,
        Types,
    ),
    ("claim", r#"id = "K-V1-17""#, 0, Opens(Page::Claims)),
    (
        "micro",
        r#"kernel = "width"
sweep = [1, 2]
show = ["instructions"]"#,
        0,
        Runs,
    ),
    ("kernel", r#"op = "mul""#, 0, Opens(Page::Kernel)),
    ("kernel", r#"source = "silu_mul.cu""#, 0, Nothing),
    (
        "profile",
        r#"tool = "rocprofv3"
version = "v3"
columns = ["Name"]
rows = 3
reading = false"#,
        0,
        Nothing,
    ),
    (
        "study",
        r#"run = "timeline --version v1 --backend cpu""#,
        0,
        Opens(Page::Studies),
    ),
    (
        "occupancy",
        r#"registers = 48
threads = 192
shared = 16384"#,
        0,
        Opens(Page::Studies),
    ),
];

/// Kinds that are only read: Tab passes them by.
const READ: [&str; 3] = ["table", "chart", "roofline"];

/// What a prediction is asked with.
const PREDICT: &str = r#"predict = { ask = "How many?", answer = "block(v1).launches" }"#;

/// A lesson with a section of one block, and one behind it, the block's text in the keys.
fn at(kind: &str, body: &str) -> Screen {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reader");
    let course = tempfile::tempdir().unwrap();
    for folder in ["lessons", "exercises"] {
        std::fs::create_dir_all(course.path().join(folder)).unwrap();
    }
    let exercise = "exercises/ex1.md";
    std::fs::copy(root.join(exercise), course.path().join(exercise)).unwrap();
    let head = "+++\ntitle = \"Blocks\"\nversion = \"v1\"\nminutes = 5\n\
                config = { preset = \"workshop\", batch = 1 }\n+++";
    let text = format!("{head}\n\n## One\n\n```{kind}\n{body}\n```\n\n## Two\n\nThe end.\n");
    std::fs::write(course.path().join("lessons/04-blocks.md"), text).unwrap();
    let s = Screen::with(Course::folder(course.path()), 80, 24).press(&[ch('2'), TAB]);
    assert_eq!(
        s.state.reader.focus,
        Focus::Block(0),
        "{kind}: {:#?}",
        s.rows()
    );
    s
}

/// Where the text stands.
fn place(s: &Screen) -> (Page, usize, usize) {
    (s.state.page, s.state.reader.section, s.state.reader.scroll)
}

/// What is wrong where a block does something else.
fn unlike(s: &Screen, kind: &str, body: &str) -> String {
    format!("{kind} {body}:\n{}", s.rows().join("\n"))
}

#[test]
fn every_kind_of_block_is_tried() {
    let tried = |kind: &&str| BLOCKS.iter().any(|(of, ..)| of == kind) || READ.contains(kind);
    let others: Vec<_> = KINDS.iter().filter(|kind| !tried(kind)).collect();
    assert_eq!(others, [&"microbenchmark"], "the long name of micro");
}

#[test]
fn space_acts_as_often_as_there_is_something_to_turn_and_then_goes_on() {
    for (kind, body, acts, _) in &BLOCKS {
        let mut s = at(kind, body);
        let here = place(&s);
        for _ in 0..(*acts).min(4) {
            let before = s.rows();
            s = s.press(&[SPACE]);
            assert_eq!(place(&s), here, "{}", unlike(&s, kind, body));
            assert_ne!(s.rows(), before, "{}", unlike(&s, kind, body));
        }
        if *acts == ALWAYS {
            s = s.press(&[key(Code::PageDown)]);
        } else {
            s = s.press(&[SPACE]);
        }
        assert_eq!(
            place(&s),
            (Page::Lesson, 1, 0),
            "{}",
            unlike(&s, kind, body)
        );
    }
}

#[test]
fn enter_does_what_a_block_is_for() {
    for (kind, body, _, enter) in &BLOCKS {
        let s = at(kind, body);
        let (before, cut) = (s.rows(), s.state.shared.bench.cut());
        let s = s.press(&[ENTER]);
        let done = match enter {
            Opens(page) => s.state.page == *page,
            Flips => s.state.shared.bench.cut() != cut,
            Steps => s.rows() != before,
            Runs => s.effects.iter().any(|e| matches!(e, Effect::Ask(..))),
            Types => s.state.typing(),
            Nothing => s.rows().join("\n").contains("This block opens nothing"),
        };
        assert!(done, "{}", unlike(&s, kind, body));
        let stays = !matches!(enter, Opens(_));
        assert!(!stays || s.state.page == Page::Lesson);
    }
}

#[test]
fn one_esc_leads_into_the_text_from_every_block() {
    for (kind, body, ..) in &BLOCKS {
        // What Enter begins there, a field or a step, is no further Esc.
        for keys in [vec![], vec![SPACE], vec![ENTER]] {
            let s = at(kind, body).press(&keys);
            if place(&s).0 != Page::Lesson || s.state.reader.section != 0 {
                continue;
            }
            let s = s.press(&[ESC]);
            assert_eq!(
                s.state.reader.focus,
                Focus::Text,
                "{}",
                unlike(&s, kind, body)
            );
            assert_eq!(s.state.page, Page::Lesson);
        }
    }
}

#[test]
fn digits_lead_to_no_page_from_a_block_nor_from_its_prediction() {
    let asks = |kind: &str| {
        let none = ["ribbon", "steps", "question", "claim", "kernel"];
        !none.contains(&kind)
    };
    for (kind, body, ..) in &BLOCKS {
        for digit in '0'..='9' {
            let s = at(kind, body).press(&[ch(digit)]);
            assert_eq!(s.state.page, Page::Lesson, "{}", unlike(&s, kind, body));
        }
        if !asks(kind) {
            continue;
        }
        let asked = format!("{body}\n{PREDICT}");
        for digit in '0'..='9' {
            let s = at(kind, &asked).press(&[ch(digit)]);
            let field = format!("> {digit}▌");
            assert_eq!(s.state.page, Page::Lesson, "{}", unlike(&s, kind, body));
            // It waits there for one Esc, and is gone on with.
            let s = s.shows(&field).press(&[ESC]);
            assert_eq!(
                s.state.reader.focus,
                Focus::Text,
                "{}",
                unlike(&s, kind, body)
            );
            s.press(&[TAB, ENTER]).shows(&field);
        }
    }
}

#[test]
fn no_option_is_marked_out_of_sight() {
    let rank = |columns, rows| {
        let s = home(columns, rows).press(&[ch(':')]).typed("lesson 12");
        let s = s.press(&[ENTER, ch('o'), key(Code::Home)]);
        s.press(&[key(Code::Down), key(Code::Down), ENTER])
    };
    let typed = |s: &Screen| s.state.shared.study.typed("ex17", "rank").to_owned();
    let same = "the same key again acts on it";
    // The question is asked first, and one pages on to what is asked below it.
    let down = key(Code::PageDown);
    let s = rank(60, 18)
        .press(&[TAB, down, down])
        .hides("rope | qk")
        .press(&[SPACE])
        .shows(same);
    assert_eq!(typed(&s), "");
    let s = s.press(&[SPACE]);
    assert_eq!(typed(&s), "rope | qk");
    // A digit of a number that belongs below gives no place.
    let s = s
        .press(&[down])
        .hides("rope | qk")
        .press(&[ch('2')])
        .shows(same);
    assert_eq!(typed(&s), "rope | qk");
}

#[test]
fn a_place_that_an_option_has_already_changes_nothing() {
    let s = home(120, 40).press(&[ch(':')]).typed("lesson 12");
    let s = s.press(&[ENTER, ch('o'), key(Code::Home)]);
    let s = s.press(&[key(Code::Down), key(Code::Down), ENTER, TAB]);
    let ranked = [SPACE, RIGHT].repeat(6);
    let s = s.press(&ranked);
    let s = s.press(&[ENTER]).shows("no known slip").press(&[ch('1')]);
    s.shows("no known slip").hides("Not checked yet");
}

#[test]
fn what_is_half_typed_in_a_lesson_says_so() {
    let s = home(120, 40).press(&[ch(':')]).typed("lesson 12");
    let s = s.press(&[ENTER, ch('o'), key(Code::Home)]);
    let s = s.press(&[key(Code::Down), key(Code::Down), ENTER, TAB, TAB]);
    let s = s.typed("2097152").hides("not checked").press(&[ESC]);
    let s = s.shows("Typed, not checked yet: Tab here, then Enter goes on with it.");
    let s = s
        .press(&[TAB, TAB])
        .shows("Typed, not checked yet: Enter goes on with it.");
    s.press(&[ENTER]).shows("2097152▌");
}

#[test]
fn the_frame_of_a_block_says_its_keys_and_who_has_them() {
    // Lesson 12, section 8: plans side by side.
    let s = home(120, 40).press(&[ch(':')]).typed("lesson 12");
    let s = s.press(&[ENTER, ch('o'), key(Code::Home)]);
    let s = s.press(&[[key(Code::Down)].repeat(7), vec![ENTER]].concat());
    let s = s.shows("Tab here: r runs ┐").press(&[TAB]);
    s.hides("Tab here").shows("─ r runs ┐");
}

//! What stands live in a lesson: a flipped plan, predictions, questions, steps, a staircase.

use super::{ENTER, ESC, SPACE, Screen, TAB};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Effect, Page};
use tinyllama_tutor::course::{self, Course, Mark, Progress};
use tinyllama_tutor::fusion::Fusion;

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

/// The title of the lab says whose it is while a block has it; a block of the same setup is
/// shown in the learner's own.
#[test]
fn a_lab_on_loan_says_so_until_its_section_ends() {
    let own = Screen::reader(80, 24).press(&[TAB, ENTER]);
    let own = own.hides("'s lab");
    let mut s = Screen::reader(80, 24);
    let mut setup = own.state.shared.bench.setup().clone();
    setup.shape.batch *= 2;
    s.state.shared.bench.set_up(setup).unwrap();
    let s = s
        .press(&[TAB, ENTER])
        .shows("lesson 04's lab: V1 · 17 launches per block")
        .press(&[ch('t')])
        .shows("lesson 04's lab: V1")
        .press(&[ESC, ESC, ESC]);
    let section = s.state.reader.section;
    let s = s.press(&[SPACE; 6]);
    assert_ne!(s.state.reader.section, section, "{}", s.rows().join("\n"));
    s.press(&[ch('3')]).hides("'s lab");
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
fn a_question_in_a_lesson_opens_its_form_and_esc_comes_back() {
    let s = Screen::reader(80, 24)
        .press(&[SPACE, SPACE, TAB, TAB, ch('e')])
        .shows("7 Exercises  ex1");
    let s = s.press(&[ESC]);
    assert_eq!(s.state.page, Page::Lesson);
}

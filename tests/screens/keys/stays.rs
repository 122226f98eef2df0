//! What was answered stays, and its verdict with it, until another answer is checked.

use super::{form, home, kept};
use crate::reader::{ENTER, ESC, RIGHT, SPACE, Screen, TAB};
use tinyllama_tutor::answer::practise::Topic;
use tinyllama_tutor::answer::{Env, Kind, NoRecords, grade};
use tinyllama_tutor::app::key::{Code, ch, key};
use tinyllama_tutor::app::{Message, Page};
use tinyllama_tutor::cost::GpuDatabase;
use tinyllama_tutor::course::Course;

#[test]
fn what_is_right_is_changed_by_its_own_key_and_stays_until_a_verdict() {
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    // Space goes on, to the next open question; a letter types nothing.
    let s = s.press(&[SPACE]);
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
    let s = s.press(&[key(Code::Up), ENTER]).shows("i changes it");
    // The rest of a word that is typed there is no key: no page opens, nothing is turned.
    let s = s
        .typed("2,097,152 bytes")
        .shows("i changes it")
        .shows("[ 22.22 %");
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.later(1000);
    // Begun and left: nothing changed.
    let s = s.press(&[ch('i')]).typed(" o").shows("22.22 % o▌");
    let s = s.press(&[ESC]).shows("[ 22.22 % ").shows("right");
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.22 %"));
    // What cannot be read is no verdict.
    let s = s.press(&[ch('i')]).typed(" o").press(&[ENTER]);
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.22 %"));
    let s = s.press(&[ESC]).shows("[ 22.22 % ");
    // Nor does it take what was said of the one that stays.
    let s = s.shows("right   22.22 %");
    // A new verdict takes its place.
    let s = s.press(&[ch('i'), key(Code::Backspace)]);
    let s = s.press(&[key(Code::Backspace); 2]).typed("0 %");
    let s = s.press(&[ENTER]);
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.20 %"));
}

#[test]
fn what_is_right_after_its_solution_was_read_stays_too() {
    let s = form()
        .press(&[ch('s'), ch('s')])
        .typed("22.22 %")
        .press(&[ENTER]);
    let s = s
        .shows("right   22.22 %")
        .press(&[ENTER])
        .shows("i changes it");
    let s = s.typed("7").shows("i changes it").later(1000);
    let s = s.press(&[ch('i')]).typed("7").press(&[ENTER, ESC]);
    assert_eq!(kept(&s, "gqa1").as_deref(), Some("22.22 %"));
    s.shows("right   22.22 %").shows(" read");
}

#[test]
fn a_right_choice_stays_until_the_next_one_is_checked() {
    let at = form().press(&[key(Code::Down), RIGHT, SPACE, ENTER]);
    let s = at.shows("right").press(&[key(Code::Left), SPACE]);
    assert_eq!(kept(&s, "bound").as_deref(), Some("compute"));
    let s = s
        .press(&[key(Code::Up), ch('i'), SPACE])
        .shows("(x) memory");
    assert_eq!(kept(&s, "bound").as_deref(), Some("compute"));
    let s = s.press(&[ESC]).shows("(x) compute");
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.press(&[ch('i'), SPACE, ENTER]).shows("(x) memory");
    assert_eq!(kept(&s, "bound").as_deref(), Some("memory"));
}

#[test]
fn a_guess_that_was_not_kept_waits_where_it_was_typed() {
    let s = Screen::reader(80, 24).press(&[SPACE, SPACE, TAB]);
    let s = s
        .typed("17")
        .press(&[ESC])
        .shows("What you typed waits here, not entered as your guess");
    let s = s.shows("17: typed, not entered");
    let s = s.press(&[TAB, ENTER]).shows("> 17▌");
    // It is kept as half-typed answers are: after a restart it stands there too.
    let events = s.recorded();
    let mut again = Screen::reader(80, 24).press(&[SPACE, SPACE]);
    let progress = &mut again.state.shared.study.progress;
    events.iter().for_each(|event| progress.apply(event));
    let text = progress.write();
    *progress = course::Progress::read(&text).unwrap();
    again.state.revision += 1;
    again.painter.fit(&mut again.state);
    let again = again.shows("17: typed, not entered");
    // Kept as a guess, nothing waits any more; so too where it is emptied.
    let kept = again.press(&[TAB, ENTER, ENTER]).hides("not entered");
    assert!(kept.state.shared.study.progress.begun.is_empty());
    let emptied = s.press(&[key(Code::Backspace), key(Code::Backspace), ESC]);
    assert!(emptied.state.shared.study.progress.begun.is_empty());
}

/// The built-in course about a GPU, in lesson 03 at the section that asks of it.
fn asked_of(gpu: &'static str) -> Screen {
    let mut s = home(80, 24);
    about(&mut s, gpu);
    let course = &s.state.shared.study.course;
    let lesson = course.lesson("03-roofline").unwrap();
    let section = lesson.sections.iter();
    let section = section
        .into_iter()
        .position(|s| s.id == "what-the-average-tells");
    s.state.reader.lesson = s.state.shared.study.place_of("03-roofline").unwrap();
    s.state.reader.section = section.unwrap();
    s.state.reader.opened = true;
    s.state.go(Page::Lesson);
    s.painter.fit(&mut s.state);
    s
}

/// Another device is chosen: the course is read again for it.
fn about(s: &mut Screen, gpu: &'static str) {
    let course = Course::built_in().on(gpu);
    s.tell(Message::Reloaded(course.into(), String::new()));
}

#[test]
fn a_guess_answers_nothing_that_is_asked_of_another_device() {
    let s = asked_of("h200").press(&[TAB]).typed("11");
    let mut s = s.press(&[ENTER, ENTER, ENTER]).shows("you said 11");
    about(&mut s, "mi300a");
    let s = s.hides("you said 11").shows("on the MI300A, fp32?");
    let mut s = s.press(&[ENTER]).typed("12").press(&[ENTER, ENTER, ENTER]);
    // Each keeps its own.
    let gpus = s.recorded().into_iter().filter_map(|event| match event {
        course::Event::Guessed { gpu, typed, .. } if !typed.contains('|') => Some((gpu, typed)),
        _ => None,
    });
    let gpus: Vec<_> = gpus.collect();
    assert_eq!(
        gpus,
        [("h200".into(), "11".into()), ("mi300a".into(), "12".into())]
    );
    about(&mut s, "h200");
    s.hides("you said 12").shows("you said 11");
}

#[test]
fn a_guess_of_before_devices_were_told_apart_was_of_the_usual_one() {
    let old = "[[guesses]]\nlesson = \"03-roofline\"\nblock = 9\ntyped = \"8 |  | \"\n";
    let progress = course::Progress::read(old).unwrap();
    assert!(progress.guess("03-roofline", 9, "h200").is_some());
    assert!(progress.guess("03-roofline", 9, "").is_some());
    assert!(progress.guess("03-roofline", 9, "mi300a").is_none());
}

#[test]
fn enter_checks_the_mark_wherever_the_cursor_stands() {
    let marked = || form().press(&[key(Code::Down), SPACE]);
    let before = kept(&marked(), "bound");
    let s = marked()
        .press(&[RIGHT, ENTER])
        .shows("is marked: Enter checks that");
    let checked = |s: &Screen| {
        let events = s.recorded().into_iter();
        let checks = events.filter(|event| matches!(event, course::Event::Checked { .. }));
        checks.count()
    };
    assert_eq!((kept(&s, "bound"), checked(&s)), (before.clone(), 0));
    let s = s.press(&[ENTER]);
    assert_eq!((kept(&s, "bound"), checked(&s)), (before.clone(), 1));
    // After a new start the cursor stands at the mark.
    let mut s = marked().press(&[RIGHT, SPACE, ESC]);
    let last = kept(&s, "bound");
    assert_ne!(last, before);
    s.state.shared.questions = Default::default();
    let s = s.press(&[ENTER, key(Code::Down)]).shows("►(x)");
    let s = s.press(&[ENTER]);
    assert_eq!(kept(&s, "bound"), last);
}

#[test]
fn space_at_the_mark_does_not_leave_a_choice_that_was_not_checked() {
    let at = form().press(&[key(Code::Down), SPACE, SPACE]);
    let s = at.shows("Marked. Enter checks it.");
    assert_eq!(s.state.exercises.form.as_ref().map(|f| f.row), Some(1));
}

#[test]
fn an_answer_that_was_changed_has_no_verdict() {
    let s = form().typed("7 %").press(&[ENTER]).shows("wrong");
    let s = s.press(&[ch('8'), ESC]).hides(" wrong").shows("typed");
    let s = s.press(&[key(Code::Down); 4]);
    let s = s.press(&[SPACE, RIGHT, SPACE, RIGHT, SPACE, ENTER]);
    let refused = s.state.exercises.form.clone();
    let s = s.typed("1").shows("typed");
    assert_eq!(kept(&s, "order").as_deref(), Some("norm1, q, softmax"));
    assert_eq!(
        s.state.exercises.form.map(|f| f.row),
        refused.map(|f| f.row)
    );
}

#[test]
fn what_is_typed_after_a_right_answer_was_refused_has_no_verdict() {
    let left = |s: Screen, text: &str| {
        let back = [key(Code::Backspace); 12];
        s.press(&[ch('i')]).press(&back).typed(text)
    };
    let s = form().typed("22.22 %").press(&[ENTER]).shows("right");
    // The right text, and any other, was not checked.
    let mut s = left(s, "7 %").press(&[ENTER]).shows("wrong");
    for text in ["22.22 %", "8 %"] {
        s = left(s, text).press(&[ESC]);
        assert_eq!(kept(&s, "gqa1").as_deref(), Some(text));
        s = s.hides(" wrong").hides(" right").shows("typed");
    }
    // Nor what stands behind one that could not be read.
    let s = left(s, "7 o").press(&[ENTER]).shows("unread").press(&[ESC]);
    let s = left(s, "8 %").press(&[ESC]);
    let s = s.hides(" wrong").hides(" right").shows("typed");
    // What was refused is, also after a new start, when only what was kept is known.
    let mut s = left(s, "9 %").press(&[ENTER]).shows("wrong");
    s.state.shared.questions = Default::default();
    s.press(&[key(Code::Down)]).shows("wrong");
}

#[test]
fn a_right_answer_says_how_it_comes_about() {
    // ex3 res1: three tensors of 128 × 256 fp32 numbers.
    let s = home(80, 24).press(&[ch(':')]).typed("ex3").press(&[ENTER]);
    let mut s = s;
    while !s
        .rows()
        .iter()
        .any(|row| row.contains("►") && row.contains("first residual add"))
    {
        s = s.press(&[key(Code::Down)]);
    }
    let s = s
        .hides("together 393,216 B")
        .typed("393216 B")
        .press(&[ENTER]);
    let s = s.shows("right").shows("why");
    let text = s
        .rows()
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("read x B·S·D·4 B = 1·128·256·4 B = 131,072"),
        "{text}"
    );
    assert!(text.contains("together 393,216 B"), "{text}");
}

/// The same in practice, whatever is practised; where a number has no sum to show, the
/// command that unfolds it.
#[test]
fn practice_says_how_a_right_number_comes_about() {
    let gpus = GpuDatabase::embedded().unwrap();
    let mut s = home(120, 40).press(&[ch('t')]);
    for (topic, _) in Topic::ALL {
        s = s.shows(&format!("►{topic}"));
        let mut derived = 0;
        for _ in 0..12 {
            let task = s.state.practise.task.clone().unwrap();
            let env = Env::new(task.setup.clone(), &gpus, &NoRecords);
            let answer = task.answer(&env).unwrap();
            let asked = s.hides(" why ").hides("in a shell").typed(&answer);
            s = asked.press(&[ENTER]).shows("right");
            if task.key.kind == Kind::Number {
                let text = s.rows().join(" ");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                match text.split_once(" why ") {
                    Some((_, why)) => {
                        let makes = |sum: &String| {
                            let graded = grade(sum, &task.key, &env);
                            graded.is_ok_and(|judged| judged.verdict.is_right())
                        };
                        let number = answer.split(' ').next().unwrap();
                        let steps = task.derived(&env);
                        let made = why.contains(number) || sums(&steps).any(|sum| makes(&sum));
                        derived += usize::from(made);
                    }
                    None => assert!(text.contains("Term by term, in a shell:"), "{text}"),
                }
            }
            s = s.press(&[ENTER]);
        }
        assert!(derived > 0, "no number of {topic} comes of what is said");
        s = s.press(&[TAB]);
    }
}

/// What a derivation computes: the sum that it begins with, and one total over the other.
fn sums(steps: &[String]) -> impl Iterator<Item = String> {
    let first = steps.first().into_iter().flat_map(|step| step.split(" = "));
    let total = |step: &String| {
        let (_, total) = step.rsplit_once(" = ")?;
        let total = total.rsplit("together ").next()?;
        total.split(' ').next().map(str::to_owned)
    };
    let totals: Vec<String> = steps.iter().filter_map(total).collect();
    first.map(str::to_owned).chain(Some(totals.join(" / ")))
}

#[test]
fn a_topic_keeps_its_question_and_what_is_typed() {
    let s = home(80, 24).press(&[ch('t')]).typed("33").shows("33▌");
    let asked = s
        .state
        .practise
        .task
        .as_ref()
        .map(|task| task.premise.clone());
    let s = s.press(&[TAB]).shows("►flops").hides("33▌");
    let s = s
        .press(&[key(Code::BackTab)])
        .shows("►launches")
        .shows("33▌");
    assert_eq!(
        s.state
            .practise
            .task
            .as_ref()
            .map(|task| task.premise.clone()),
        asked
    );
}

#[test]
fn one_practises_in_the_workshop_and_wrong_answers_come_back_there() {
    let s = Screen::reader(80, 24).press(&[ch('e'), ENTER]).typed("7 %");
    let s = s
        .press(&[ENTER])
        .shows("wrong")
        .press(&[ESC, ch('1'), ch('t')]);
    assert_eq!(s.state.page, Page::Practise);
    let s = s
        .shows("►launches")
        .shows("Went wrong in exercises: ex1 gqa1.");
    // Digits are typed; nothing typed shows the hint, then the answer, which counts.
    let s = s
        .typed("8")
        .shows("8▌")
        .press(&[key(Code::Backspace), ENTER]);
    let s = s
        .shows("hint ")
        .shows("A launch for each kernel")
        .hides("It is ");
    let s = s.press(&[ENTER]).shows("It is ").shows("0 of 1 right");
    let kept = |s: &Screen| {
        let events = s.recorded().into_iter();
        events
            .filter(|e| matches!(e, course::Event::Practised { right: false, .. }))
            .count()
    };
    assert_eq!(kept(&s), 1);
    let s = s
        .press(&[ENTER])
        .hides("It is ")
        .press(&[TAB])
        .shows("►flops");
    let s = s.press(&[key(Code::Down)]);
    assert_eq!(s.state.page, Page::Exercises);
    let s = s.press(&[ESC, ESC]);
    assert_eq!(s.state.page, Page::Home);
}

use super::super::key::{Code, Key, ch, ctrl, key};
use super::super::look::Look;
use super::super::machine::BackendFacts;
use super::super::runs::tests::report;
use super::*;
use plan::fusion::{Cut, Fusion, Version};
use plan::run::RunError;

/// A learner at a terminal of 80 × 24, one key every 10 ms.
struct Learner {
    state: State,
    at: u64,
}

impl Learner {
    fn new() -> Self {
        Learner {
            state: State::new((80, 24), Look::default()).unwrap(),
            at: 0,
        }
    }

    fn press(&mut self, key: Key) -> Vec<Effect> {
        self.at += 10;
        self.tell(Message::Key(key))
    }

    fn typed(&mut self, text: &str) -> Vec<Effect> {
        text.chars().flat_map(|c| self.press(ch(c))).collect()
    }

    fn tell(&mut self, message: Message) -> Vec<Effect> {
        update(
            &mut self.state,
            Event {
                at: self.at,
                message,
            },
        )
    }

    fn note(&self) -> &str {
        self.state
            .shared
            .notes
            .shown()
            .map_or("", |n| n.text.as_str())
    }
}

#[test]
fn ctrl_c_twice_within_two_seconds_leaves_with_130() {
    let mut l = Learner::new();
    assert!(l.press(ctrl('c')).is_empty());
    assert_eq!(l.state.wake, Some(2010));
    l.at = 1990;
    let effects = l.press(ctrl('c'));
    assert_eq!(effects.last(), Some(&Effect::Quit(130)));
}

#[test]
fn a_first_ctrl_c_is_forgotten_after_two_seconds() {
    let mut l = Learner::new();
    l.press(ctrl('c'));
    l.at = 2010;
    l.tell(Message::Tick);
    assert_eq!(l.note(), "");
    assert_eq!(l.state.wake, None);
    assert!(l.press(ctrl('c')).is_empty());
}

#[test]
fn another_key_between_two_ctrl_c_is_no_again() {
    for between in [key(Code::Right), ch('n'), ch('?')] {
        let mut l = Learner::new();
        l.press(ctrl('c'));
        l.press(between);
        assert_ne!(l.note(), "Ctrl-C again leaves.");
        assert!(
            !l.press(ctrl('c')).contains(&Effect::Quit(130)),
            "{between:?}"
        );
        assert_eq!(l.note(), "Ctrl-C again leaves.");
        assert_eq!(l.press(ctrl('c')).last(), Some(&Effect::Quit(130)));
    }
}

#[test]
fn esc_walks_back_and_never_leaves() {
    let mut l = Learner::new();
    l.typed("3D");
    assert_eq!(l.state.page, Page::Doctor);
    for page in [Page::Lab, Page::Home, Page::Home] {
        assert!(l.press(key(Code::Esc)).is_empty());
        assert_eq!(l.state.page, page);
    }
}

#[test]
fn nothing_is_lost_while_the_window_is_too_small() {
    let mut l = Learner::new();
    l.typed("3");
    l.tell(Message::Resize {
        columns: 50,
        rows: 8,
    });
    l.typed("1 ");
    assert_eq!(l.state.page, Page::Lab);
    assert_eq!(l.state.shared.bench.cut(), Version::V1.cut());
    assert_eq!(l.typed("q").last(), Some(&Effect::Quit(0)));
}

#[test]
fn one_plan_is_shared_by_lab_and_compare() {
    let mut l = Learner::new();
    l.typed("3 c");
    assert_eq!(l.state.page, Page::Compare);
    l.press(key(Code::Right));
    l.press(key(Code::Enter));
    assert_eq!(l.state.page, Page::Lab);
    assert_eq!(l.state.shared.bench.cut(), Version::V2.cut());
    l.typed("u");
    assert_eq!(l.state.shared.bench.cut(), Cut::v1().fuse(Fusion::Qkv));
}

#[test]
fn a_wall_taken_down_by_hand_makes_a_cut_of_ones_own() {
    let mut l = Learner::new();
    // ▼ on norm1; the wall right of it stands between norm1 and q.
    l.typed("3w");
    assert_eq!(l.state.shared.bench.cost().block.launches(), 16);
    assert_eq!(l.state.shared.bench.cut().title(), "own cut");
    // Pressed again it takes the next wall, right of the larger kernel.
    l.typed("w");
    assert_eq!(l.state.shared.bench.cost().block.launches(), 15);
    l.typed("uu");
    assert_eq!(l.state.shared.bench.cut(), Version::V1.cut());
}

#[test]
fn r_runs_the_plan_and_v1_in_turns_and_the_sentence_compares_them() {
    let mut l = Learner::new();
    let mut effects = l.typed("3vr");
    let (v1, v2) = (Version::V1.cut(), Version::V2.cut());
    let mut ran = Vec::new();
    while let [Effect::StartRun(ticket, request)] = effects.as_slice() {
        let cut = request.config.cut;
        ran.push(cut);
        let (launches, micros) = if cut == v2 { (47, 800.0) } else { (71, 1000.0) };
        let done = Message::RunDone(*ticket, Box::new(Ok(report(launches, micros))));
        effects = l.tell(done);
    }
    // V2 first, where it is checked; then each as often as the other.
    assert_eq!((ran.len(), ran[..2].to_vec()), (30, vec![v2, v1]));
    assert_eq!(ran.iter().filter(|cut| **cut == v1).count(), 15);
    assert!(
        l.note()
            .starts_with("V2 takes 0.800 times the time of V1 @"),
        "{}",
        l.note()
    );
}

#[test]
fn a_slow_terminal_shows_no_wall_falling() {
    // The clock is the test's: a wall falls at 10 ms a key.
    let flipped = |l: &mut Learner| {
        l.typed(" ");
        l.state.shared.merge.seen(l.state.shared.now).is_some()
    };
    let mut l = Learner::new();
    l.state.shared.look.motion = true;
    l.typed("3");
    // 30 ms is still quick enough.
    assert!(flipped(&mut l));
    l.state.shared.drew(30);
    assert!(l.state.shared.look.motion);
    // A slow frame while nothing falls says nothing of motion.
    l.at += 1000;
    l.tell(Message::Tick);
    l.state.shared.drew(500);
    assert!(l.state.shared.look.motion);
    l.typed("j");
    assert!(flipped(&mut l));
    l.state.shared.drew(31);
    assert!(!l.state.shared.look.motion);
    l.at += 1000;
    l.typed("j");
    assert!(!flipped(&mut l) && l.state.wake.is_none());
}

#[test]
fn doctors_r_says_during_a_run_why_nothing_is_measured() {
    let measures = |effects: &[Effect]| effects.iter().any(|e| matches!(e, Effect::Measure(_)));
    let mut l = Learner::new();
    let effects = l.typed("3rD");
    let Some(Effect::StartRun(ticket, _)) = effects.first() else {
        panic!("{effects:?}");
    };
    let effects = l.typed("R");
    assert!(!measures(&effects));
    assert_eq!(
        l.note(),
        "A run is under way; R measures the ceilings when it has ended."
    );
    let done = Message::RunDone(*ticket, Box::new(Ok(report(71, 1000.0))));
    let mut effects = l.tell(done);
    while let Some(Effect::StartRun(ticket, _)) = effects.first() {
        effects = l.tell(Message::RunDone(*ticket, Box::new(Ok(report(71, 1000.0)))));
    }
    assert!(measures(&l.typed("R")));
}

#[test]
fn a_slow_run_says_how_long_it_takes_before_it_starts() {
    let mut l = Learner::new();
    let mut effects = l.typed("3r");
    let begun = l.at;
    assert!(!l.note().starts_with("About"), "nothing is known yet");
    // The run of V1 takes eight seconds, over all its repetitions.
    while let Some(Effect::StartRun(ticket, _)) = effects.first() {
        l.at = begun + 8000;
        effects = l.tell(Message::RunDone(*ticket, Box::new(Ok(report(71, 1000.0)))));
    }
    // The same again: the sentence stands when the run is asked for.
    let effects = l.typed("r");
    assert!(matches!(effects.first(), Some(Effect::StartRun(..))));
    assert_eq!(
        l.note(),
        "About 8 s, at the pace of the last run. Ctrl-C stops."
    );
}

/// The SIMT machine is slow from its first run on, which has no pace to go by yet.
#[test]
fn the_first_run_on_the_simt_machine_says_how_long_it_takes() {
    let learner = || {
        let mut l = Learner::new();
        l.state.shared.machine.backends = vec![BackendFacts {
            name: "simt".into(),
            ..BackendFacts::default()
        }];
        l.typed("3");
        l
    };
    let run = |l: &mut Learner, batch: u64, seconds: u64| {
        let mut setup = l.state.shared.bench.setup().clone();
        setup.shape.batch = batch;
        l.state.shared.bench.set_up(setup).unwrap();
        let mut effects = l.typed("r");
        let said = l.note().to_owned();
        let begun = l.at;
        let started = |effects: &[Effect]| {
            effects.iter().find_map(|effect| match effect {
                Effect::StartRun(ticket, _) => Some(*ticket),
                _ => None,
            })
        };
        while let Some(ticket) = started(&effects) {
            l.at = begun + 1000 * seconds;
            effects = l.tell(Message::RunDone(ticket, Box::new(Ok(report(71, 1000.0)))));
        }
        said
    };
    // V1 of the workshop: four blocks of 169.2 MFLOP and 65.5 of its logits, 2.2 s of a core.
    let small = run(&mut learner(), 1, 2);
    assert!(!small.contains("About"), "{small}");
    // Ten times as much.
    let mut l = learner();
    let first = run(&mut l, 10, 7);
    let says = "About 22 s of one core, instruction by instruction. Ctrl-C stops.";
    assert_eq!(first, says);
    // From now on there is a pace: 7 s for batch 10, a hundred times as much for 1000.
    assert_eq!(
        run(&mut l, 1000, 1),
        "About 12 min, at the pace of the last run. Ctrl-C stops."
    );
}

#[test]
fn ctrl_c_stops_a_run_and_q_asks_once() {
    let mut l = Learner::new();
    l.typed("3r");
    assert_eq!(l.press(ctrl('c')), [Effect::CancelRun]);
    assert!(l.typed("q").is_empty());
    assert_eq!(l.note(), "q again stops the run and leaves.");
    let effects = l.typed("q");
    assert_eq!(effects.first(), Some(&Effect::CancelRun));
    assert_eq!(effects.last(), Some(&Effect::Quit(0)));
}

#[test]
fn a_cancelled_run_says_how_far_it_was() {
    let mut l = Learner::new();
    let effects = l.typed("3r");
    let [Effect::StartRun(ticket, _)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    l.tell(Message::RunDone(
        *ticket,
        Box::new(Err(RunError::cancelled(17, 30))),
    ));
    assert_eq!(l.note(), "Stopped after 17 of 30 runs. Nothing recorded.");
    assert!(l.state.shared.runs.card.is_none());
}

#[test]
fn in_a_text_field_everything_types() {
    let mut l = Learner::new();
    l.typed(":q3?");
    let typed = l.state.palette.as_ref().map(|p| p.field.text());
    assert_eq!(typed.as_deref(), Some("q3?"));
    l.press(key(Code::Esc));
    assert!(l.state.palette.is_none());
    assert_eq!(l.state.page, Page::Home);
}

#[test]
fn the_palette_flips_a_fusion_from_any_page() {
    let mut l = Learner::new();
    l.typed("D:flas");
    l.press(key(Code::Enter));
    assert_eq!(l.state.page, Page::Lab);
    assert!(
        l.state
            .shared
            .bench
            .cut()
            .fusions()
            .contains(&Fusion::Flash)
    );
    l.press(key(Code::Esc));
    assert_eq!(l.state.page, Page::Doctor);
}

#[test]
fn equals_unfolds_the_terms_of_the_number_under_the_cursor() {
    let mut l = Learner::new();
    l.typed("3=");
    assert_eq!(l.state.page, Page::Why);
    let why = l.state.terms.why.as_ref().unwrap();
    assert_eq!(why.label, "bytes of norm1");
    l.press(key(Code::Esc));
    assert_eq!(l.state.page, Page::Lab);
}

#[test]
fn the_command_line_names_plan_and_setup() {
    let mut l = Learner::new();
    let effects = l.typed("3 y");
    let copied = effects.iter().find_map(|e| match e {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("tinyllama-tutor run --fuse qkv"));
}

#[test]
fn find_walks_round_the_matches() {
    let mut l = Learner::new();
    l.typed("3/resid");
    l.press(key(Code::Enter));
    let mut seen = vec![l.state.lab.fusion()];
    for _ in 0..3 {
        l.typed("n");
        seen.push(l.state.lab.fusion());
    }
    assert_eq!(
        seen,
        [
            Fusion::NormResidual,
            Fusion::OResidual,
            Fusion::DownResidual,
            Fusion::NormResidual
        ]
    );
}

#[test]
fn footers_name_only_keys_that_work() {
    use super::super::keymap::Keys;
    let mut l = Learner::new();
    for page in [
        Page::Home,
        Page::Lab,
        Page::Compare,
        Page::Roofline,
        Page::Doctor,
        Page::FirstRun,
        Page::Setup,
        Page::Why,
        Page::Messages,
        Page::Help,
    ] {
        l.state.page = page;
        let items = crate::footer(&l.state);
        assert!(items.len() <= 9, "{page:?}");
        for (actions, word) in items.iter() {
            for action in *actions {
                assert!(
                    Keys::default().key_of(page, *action).is_some(),
                    "{page:?}: {word}"
                );
            }
        }
    }
}

#[test]
fn enter_on_the_first_page_does_not_wait_for_the_course() {
    use crate::study::Study;
    use course::{self, Course};
    let mut l = Learner::new();
    l.state.page = Page::FirstRun;
    l.press(key(Code::Enter));
    assert_eq!(l.state.page, Page::Home);
    let mut study = Study {
        course: std::sync::Arc::new(Course::built_in()),
        loaded: true,
        ..Study::default()
    };
    // The third lesson was left at its first section.
    let lesson = study.course.lessons().nth(2).unwrap();
    let event = course::Event::Read {
        lesson: lesson.id.clone(),
        section: lesson.sections[0].id.clone(),
    };
    study.progress.apply(&event);
    l.tell(Message::Loaded(Box::new(study)));
    assert_eq!(l.state.page, Page::Lesson);
    assert_eq!(l.state.home.cursor, 2);
}

#[test]
fn time_is_noted_while_keys_arrive_and_not_in_silence() {
    use crate::study::Study;
    use course::{self, Course};
    let mut l = Learner::new();
    let study = Study {
        course: Course::built_in().into(),
        loaded: true,
        ..Study::default()
    };
    l.tell(Message::Loaded(Box::new(study)));
    let worked = |effects: &[Effect]| -> Vec<String> {
        let lesson = |effect: &Effect| match effect {
            Effect::Record(course::Event::Worked { lesson }) => Some(lesson.clone()),
            _ => None,
        };
        effects.iter().filter_map(lesson).collect()
    };
    assert!(worked(&l.press(ch('j'))).is_empty(), "no lesson is open");
    let first = vec![l.state.shared.study.lesson(0).unwrap().id.clone()];
    l.state.home.cursor = 0;
    assert_eq!(worked(&l.press(key(Code::Enter))), first);
    // Ten keys in a minute are two notes.
    let mut noted = Vec::new();
    for _ in 0..10 {
        l.at += 6_000;
        noted.extend(worked(&l.press(ch('j'))));
    }
    assert_eq!(noted, [first.clone(), first.clone()].concat());
    // Time passes, and nothing is noted of it without a key.
    l.at += 600_000;
    assert!(worked(&l.tell(Message::Tick)).is_empty());
    l.at += 1_000;
    assert_eq!(worked(&l.press(ch('j'))), first);
    l.at += 1_000;
    assert_eq!(worked(&l.press(ch('q'))), first);
}

/// Questions of a course that is not the one here are in none of its counts.
#[test]
fn a_slip_of_another_course_is_not_counted_here() {
    use crate::study::Study;
    use course::{Course, Mark};
    let mut l = Learner::new();
    let mut study = Study {
        course: Course::built_in().into(),
        loaded: true,
        ..Study::default()
    };
    for (exercise, key) in [
        ("mma", "launches"),
        ("ex1", "no-such-key"),
        ("ex1", "block"),
    ] {
        study.progress.apply(&course::Event::Checked {
            exercise: exercise.into(),
            key: key.into(),
            typed: "1".into(),
            mark: Mark::Slip,
        });
    }
    l.tell(Message::Loaded(Box::new(study)));
    let contents = &l.state.shared.contents;
    assert_eq!(contents.slips, ["ex1"]);
    assert_eq!(contents.tally.slip, 1);
}

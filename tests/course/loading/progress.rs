//! Progress on disk: counted, added up, whole after a kill.

use super::Desk;
use std::fs;
use std::path::{Path, PathBuf};
use tinyllama_tutor::course::{Course, Event, Mark, Places, Progress, Sheet, Store, Surroundings};

#[test]
fn progress_of_two_workshops_adds_up() {
    let desk = Desk::new();
    let (one, two) = (Store::new(&desk.places), Store::new(&desk.places));
    assert!(!one.exists());
    let read = |lesson: &str, section: &str| Event::Read {
        lesson: lesson.into(),
        section: section.into(),
    };
    one.record(&[read("01", "a")]).expect("saved");
    two.record(&[read("01", "b")]).expect("saved");
    let checked = |typed: &str, mark| Event::Checked {
        exercise: "ex1".into(),
        key: "block".into(),
        typed: typed.into(),
        mark,
    };
    let progress = one
        .record(&[
            checked("12", Mark::Slip),
            checked("12 ", Mark::Slip),
            checked("16.9", Mark::Close),
            checked("12", Mark::Slip),
            checked("71", Mark::Wrong),
            checked("17", Mark::Right),
            checked("17", Mark::Right),
            checked("71", Mark::Wrong),
            checked("17", Mark::Right),
        ])
        .expect("saved");
    assert_eq!(progress.lessons["01"].read.len(), 2);
    assert_eq!(progress.stopped, Some(("01".into(), "b".into())));
    // A try is a wrong answer or a slip, until it is solved; neither what is close or
    // right is one, nor what is checked again as it was.
    let key = progress.key("ex1", "block");
    assert_eq!(
        (key.tries, key.solved, key.verdict),
        (2, true, Some(Mark::Right))
    );
    assert_eq!(two.load(), (progress, None));
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (places, exercise) = (&desk.places, &exercise);
            scope.spawn(move || {
                let store = Store::new(places);
                for n in 0..12 {
                    let section = format!("{writer}-{n}");
                    store
                        .record(&[Event::Read {
                            lesson: "01".into(),
                            section,
                        }])
                        .expect("saved");
                }
                let mut sheet = Sheet::open(places, exercise).expect("opened");
                sheet.set(exercise, &format!("key{writer}"), "17");
                sheet.save(places, exercise).expect("saved");
            });
        }
    });
    let (progress, note) = Store::new(&desk.places).load();
    assert_eq!((progress.lessons["01"].read.len(), note), (4 * 12, None));
    let sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    for writer in 0..4 {
        assert_eq!(sheet.answer(&format!("key{writer}")).as_deref(), Some("17"));
    }
}

#[test]
fn progress_is_counted_for_the_home_screen() {
    let course = Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course"));
    let (lesson, exercise) = (
        course.lesson("1").expect("there"),
        course.exercise("ex1").expect("there"),
    );
    let mut progress = Progress::default();
    assert_eq!(
        (
            progress.percent_read(lesson),
            progress.tally(exercise).done()
        ),
        (0, 0)
    );
    for section in &lesson.sections[..3] {
        progress.apply(&Event::Read {
            lesson: lesson.id.clone(),
            section: section.id.clone(),
        });
    }
    // Three of four sections; a section that no longer exists counts for nothing.
    progress.apply(&Event::Read {
        lesson: lesson.id.clone(),
        section: "gone".into(),
    });
    assert_eq!(progress.percent_read(lesson), 75);
    progress.apply(&Event::Checked {
        exercise: "ex1".into(),
        key: "bound".into(),
        typed: "memory".into(),
        mark: Mark::Right,
    });
    assert_eq!(progress.tally(exercise).right, 1);
    assert_eq!(
        course
            .exercises_of(&lesson.id)
            .map(|exercise| exercise.id.as_str())
            .collect::<Vec<_>>(),
        ["ex1"]
    );
}

#[test]
fn progress_survives_newer_programs_and_wrong_types() {
    let text = "version = 7\nshiny = [1, 2]\nlessons = { a = { read = [\"x\", 3], last = 4 }, b = 5 }\n[exercises.ex1.block]\nverdict = \"splendid\"\ntries = -1\n[settings]\ntheme = \"dark\"\n";
    let progress = Progress::read(text).expect("tolerant");
    assert_eq!(progress.lessons["a"].read.len(), 1);
    assert_eq!(progress.settings["theme"], "dark");
    assert_eq!(progress.key("ex1", "block").tries, 0);
    let written = progress.write();
    assert!(
        written.starts_with("version = 7\nshiny = [1, 2]\n"),
        "{written}"
    );
    assert_eq!(Progress::read(&written).expect("read again"), progress);
}

#[test]
fn a_corrupt_progress_file_is_set_aside_and_said() {
    let desk = Desk::new();
    fs::create_dir_all(&desk.places.state).expect("made");
    let store = Store::new(&desk.places);
    for n in 1..=2 {
        fs::write(desk.places.progress(), "version = 1\n[lessons\n").expect("written");
        let (progress, note) = store.load();
        assert_eq!(progress, Progress::default());
        assert_eq!(
            note,
            Some(format!(
                "~/.local/share/tinyllama-tutor/progress.toml could not be read (it is not TOML at line 2). It is kept as progress.broken-{n}.toml; progress starts anew."
            ))
        );
        let kept = desk.places.state.join(format!("progress.broken-{n}.toml"));
        assert_eq!(
            fs::read_to_string(kept).expect("kept"),
            "version = 1\n[lessons\n"
        );
    }
    store.record(&[]).expect("starts anew");
    assert!(store.load().1.is_none());
}

/// Runs in a process of its own, which the next test kills.
#[test]
#[ignore = "writes until it is killed"]
fn write_until_killed() {
    let Some(state) = std::env::var_os("TUTOR_TEST_STATE") else {
        return;
    };
    let around = Surroundings {
        current: PathBuf::from(&state),
        ..Surroundings::default()
    };
    let store = Store::new(&Places::find(&around, Some(Path::new(&state)), None));
    for n in 0_u64.. {
        let event = Event::Read {
            lesson: format!("{:04}", n % 500),
            section: "s".repeat(200),
        };
        store.record(&[event]).expect("saved");
    }
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_file() {
    let desk = Desk::new();
    let state = &desk.places.state;
    let store = Store::new(&desk.places);
    let mut read = 0;
    for round in 0..6 {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this test"))
            .args([
                "--exact",
                "loading::progress::write_until_killed",
                "--ignored",
            ])
            .env("TUTOR_TEST_STATE", state)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("started");
        // Wait until it has written something new, then kill it in the middle of whatever it does.
        let before = store.stamp();
        while store.stamp() == before {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_micros(700 * round));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let (progress, note) = store.load();
        assert_eq!(note, None);
        assert!(
            progress.lessons.len() >= read.min(499),
            "nothing that was saved is lost"
        );
        read = progress.lessons.len();
    }
    // The next writer clears up what the killed ones left, and their lock is gone with them.
    let news = Event::Read {
        lesson: "after".to_owned(),
        section: "the kills".to_owned(),
    };
    store.record(&[news]).expect("saved");
    let left: Vec<_> = fs::read_dir(state)
        .expect("listed")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left.len(), 2, "progress.toml and lock: {left:?}");
}

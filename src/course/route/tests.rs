use super::*;
use crate::lint;
use crate::progress::{Event, Mark, Progress};
use std::fs;

const GOOD: &str = "\
[[path]]
name = \"short\"
title = \"Short\"
minutes = 60

[[path.step]]
lesson = \"10-flash\"
sections = [\"before-and-after\"]
questions = [\"ex14 ratio\", \"ex14 flop\"]
minutes = 20
";

fn said(raw: &str) -> Vec<String> {
    let (routes, faults) = Routes::read("paths.toml", raw, true);
    assert_eq!(routes.list.is_empty(), !faults.is_empty());
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_no_path_is_taken() {
    assert_eq!(said(GOOD), Vec::<String>::new());
    for (raw, place) in [
        (GOOD.replace("lesson =", "leson ="), "paths.toml:"),
        (
            GOOD.replace("minutes = 20", "minutes = \"20\""),
            "paths.toml:10:",
        ),
        (GOOD.replace("title", "titel"), "paths.toml:3:1: "),
        (
            GOOD.replace("[[path.step]]", "[[path.step"),
            "paths.toml:6:",
        ),
        (GOOD.replace("minutes = 20\n", ""), "paths.toml:6:1: "),
        (
            format!("{GOOD}{GOOD}"),
            "paths.toml:12:9: short is the name",
        ),
        ("x = 1".to_owned(), "paths.toml:1:1: "),
        (String::new(), "paths.toml:1:1: there is no path here"),
    ] {
        let said = said(&raw);
        assert!(
            said.iter().any(|fault| fault.starts_with(place)),
            "{place} in {said:?}"
        );
    }
}

#[test]
fn a_path_of_steps_without_minutes_has_steps() {
    let step = GOOD
        .split_once("\n\n")
        .unwrap()
        .1
        .replace("minutes = 20\n", "");
    let head = GOOD.split_once("\n\n").unwrap().0;
    let found = said(&format!("{head}\n\n{step}\n{step}"));
    assert_eq!(found.len(), 2, "one for each step: {found:?}");
    assert!(
        found.iter().all(|f| f.contains("this step takes no time")),
        "{found:?}"
    );
    let none = said(&format!("{head}\n"));
    assert!(
        none.iter().any(|f| f.contains("this path has no steps")),
        "{none:?}"
    );
}

/// Less of a lesson, and no more questions, takes no longer on another path.
#[test]
fn a_part_takes_no_longer_than_the_whole() {
    let course = Course::built_in();
    let legs = course.routes().iter().flat_map(|route| route.legs(&course));
    let legs: Vec<Leg<'_>> = legs.collect();
    let mut compared = 0;
    for part in &legs {
        for whole in legs.iter().filter(|whole| whole.place == part.place) {
            let within = part.sections.iter().all(|s| whole.sections.contains(s))
                && part.asked.iter().all(|asked| whole.asked.contains(asked));
            if within {
                compared += 1;
                let id = &part.lesson.id;
                assert!(part.minutes <= whole.minutes, "{id}: {} min", part.minutes);
            }
        }
    }
    assert!(
        compared > legs.len(),
        "a leg is within itself, and some in others"
    );
}

#[test]
fn the_built_in_paths_name_what_there_is() {
    let course = Course::built_in();
    let names: Vec<&str> = course.routes().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["three-hours", "one-day", "complete"]);
    let found: Vec<String> = lint(&course)
        .iter()
        .filter(|fault| fault.file.ends_with(FILE))
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, Vec::<String>::new());
    // The issue: about eight lessons and fifteen questions; flash and V4 are among them.
    let short = course.route(None).unwrap();
    let legs = short.legs(&course);
    let asked: usize = legs.iter().map(|leg| leg.asked.len()).sum();
    assert_eq!((legs.len(), asked), (8, 15));
    let place = |id: &str| legs.iter().position(|leg| leg.lesson.id == id).unwrap();
    let before: u64 = legs
        .iter()
        .take(place("12-auto-fusion") + 1)
        .map(|l| l.minutes)
        .sum();
    assert!(
        before <= 30,
        "the price of a boundary comes after {before} min"
    );
    assert!(place("10-flash") < place("19-one-kernel-per-block"));
    let kinds = |wanted: fn(&crate::Kernel) -> bool| {
        let keys = legs.iter().flat_map(|leg| &leg.asked).filter(|(e, k)| {
            let exercise = course.exercise(e).unwrap();
            exercise
                .key(k)
                .and_then(|key| key.kernel.as_ref())
                .is_some_and(wanted)
        });
        keys.count()
    };
    assert_eq!(
        (kinds(|k| k.is_written()), kinds(|k| !k.is_written())),
        (1, 1)
    );
    // The complete one has every lesson that is read and every exercise.
    let all = course.route(Some("complete")).unwrap().legs(&course);
    let lessons = course.lessons().filter(|l| !l.is_reference()).count();
    let keys: usize = course.exercises().map(|e| e.keys.len()).sum();
    let asked: usize = all.iter().map(|leg| leg.asked.len()).sum();
    assert_eq!((all.len(), asked), (lessons, keys));
}

/// A newcomer takes the shortest path, and reads no other page: a number that depends on a
/// size is asked for with that size.
#[test]
fn a_number_of_the_default_path_is_asked_for_with_the_sizes_that_it_needs() {
    use crate::answer::{Env, Kind};
    use crate::block::swept;
    let (course, gpus) = (
        Course::built_in(),
        plan::cost::GpuDatabase::embedded().unwrap(),
    );
    // None of them is the size of a question.
    let letters = [
        ("batch", 2.0, "B"),
        ("seq", 256.0, "S"),
        ("hidden", 512.0, "D"),
        ("heads", 16.0, "H"),
        ("kv_heads", 2.0, "Dkv"),
        ("ffn", 1024.0, "I"),
        ("layers", 6.0, "L"),
    ];
    let legs = course.route(None).unwrap().legs(&course);
    let mut needed = 0;
    for (exercise, name) in legs.iter().flat_map(|leg| &leg.asked) {
        let key = course.exercise(exercise).unwrap().key(name).unwrap();
        let Some(answer) = key.answer.as_ref().filter(|_| key.kind == Kind::Number) else {
            continue;
        };
        let setup = key.setup.answer().unwrap();
        let env = Env::new(setup, &gpus, crate::recorded::Figures::built_in());
        let number = |env: &Env<'_>| {
            let value = answer.value.check(env).unwrap();
            value.quantity().unwrap().value()
        };
        for (setting, other, letter) in letters {
            if number(&env) != number(&env.with(&swept(setting, other))) {
                needed += 1;
                let said = key.ask.text.contains(&format!("{letter} = `= {letter}`"));
                assert!(
                    said,
                    "{exercise} {name} does not say {letter}: {}",
                    key.ask.text
                );
            }
        }
    }
    assert!(needed > 8, "{needed} sizes are needed");
}

#[test]
fn a_walk_goes_from_section_to_question_to_the_end() {
    let course = Course::built_in();
    let (routes, _) = Routes::read("paths.toml", GOOD, true);
    let route = routes.list.first().unwrap();
    let place = course.lessons().position(|l| l.id == "10-flash").unwrap();
    let mut progress = Progress::default();
    let walk = route.walk(&course, &progress);
    assert_eq!((walk.done, walk.all, walk.left), (0, 2, 20));
    assert_eq!(walk.next, Some(Next::Section(place, 2)));
    progress.apply(&Event::Read {
        lesson: "10-flash".into(),
        section: "before-and-after".into(),
    });
    let question = |key: &str| Some(Next::Question("ex14".into(), key.into()));
    assert_eq!(route.walk(&course, &progress).next, question("ratio"));
    for (key, then) in [("ratio", question("flop")), ("flop", None)] {
        progress.apply(&Event::Checked {
            exercise: "ex14".into(),
            key: key.into(),
            typed: "1".into(),
            mark: Mark::Right,
        });
        assert_eq!(route.walk(&course, &progress).next, then);
    }
    let walk = route.walk(&course, &progress);
    assert_eq!((walk.done, walk.all, walk.left), (2, 2, 0));
    assert_eq!(
        (walk.line().as_str(), walk.missing()),
        ("2 of 2 questions done", None)
    );
    // The same questions at another shape are asked for by whoever wants them.
    progress.apply(&Event::Varied {
        exercise: "ex14".into(),
        variant: 1,
    });
    let again = route.walk(&course, &progress);
    assert_eq!((again.done, again.next), (2, None));
}

#[test]
fn what_was_read_and_not_solved_is_named_at_the_end_of_a_walk() {
    let course = Course::built_in();
    let (routes, _) = Routes::read("paths.toml", GOOD, true);
    let route = routes.list.first().unwrap();
    let mut progress = Progress::default();
    progress.apply(&Event::GaveUp {
        exercise: "ex14".into(),
        key: "ratio".into(),
    });
    let walk = route.walk(&course, &progress);
    assert_eq!(walk.line(), "0 of 2 questions done, 1 read");
    let missing = walk.missing();
    assert_eq!(missing.as_deref(), Some("ex14 ratio was read, not solved"));
}

#[test]
fn a_folder_lays_its_paths_over_and_a_broken_one_leaves_the_built_in() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("lessons/paths.toml");
    fs::create_dir_all(root.path().join("lessons")).unwrap();
    fs::write(&file, GOOD).unwrap();
    let open = || {
        let mut course = Course::built_in();
        course.overlay(root.path(), &|path| {
            path.file_name().unwrap().display().to_string()
        });
        course
    };
    let course = open();
    assert_eq!(course.route(None).unwrap().name.text, "short");
    assert_eq!(course.routes().len(), 4);
    assert!(course.routes_fault().is_none());
    // One of a built-in name takes its place.
    fs::write(&file, GOOD.replace("\"short\"", "\"three-hours\"")).unwrap();
    let course = open();
    assert_eq!(
        (course.route(None).unwrap().minutes, course.routes().len()),
        (60, 3)
    );
    // Names that lead nowhere are lint's.
    let wrong = GOOD
        .replace("10-flash", "10-flsh")
        .replace("ex14 flop", "ex14 flp");
    fs::write(&file, wrong).unwrap();
    let found: Vec<String> = lint(&open()).iter().map(ToString::to_string).collect();
    for start in ["paths.toml:7:11: there is no lesson", "paths.toml:9:29: "] {
        assert!(
            found.iter().any(|f| f.starts_with(start)),
            "{start}: {found:?}"
        );
    }
    // Beside lessons/ it is not read, and both lint and path say so.
    fs::rename(&file, root.path().join("paths.toml")).unwrap();
    fs::write(root.path().join("lessons/40-x.md"), "# X\n").unwrap();
    let course = open();
    assert_eq!(course.routes().len(), 3);
    let say = "paths.toml: warning: is not read here; paths stand in paths.toml.";
    assert_eq!(course.routes_fault().unwrap().to_string(), say);
    assert!(lint(&course).iter().any(|fault| fault.to_string() == say));
    fs::write(&file, GOOD.replace("minutes = 60", "minutes = x")).unwrap();
    let course = open();
    assert_eq!(course.route(None).unwrap().name.text, "three-hours");
    let fault = course.routes_fault().unwrap().to_string();
    assert!(fault.starts_with("paths.toml:4:11: "), "{fault}");
}

/// One step for each thing that lint refuses; as it stands the path has no fault.
#[test]
fn a_step_that_cannot_be_taken_is_refused_where_it_stands() {
    let step = |lesson: &str, more: &str, minutes: u64| {
        format!("\n[[path.step]]\nlesson = \"{lesson}\"\n{more}minutes = {minutes}\n")
    };
    let path = |minutes: u64, step: String| {
        format!("[[path]]\nname = \"own\"\ntitle = \"Own\"\nminutes = {minutes}\n{step}")
    };
    let sections = |ids: &str| format!("sections = [{ids}]\n");
    let claims = sections("\"mind-the-unit\", \"mind-the-die\"");
    let question = |name: &str| format!("questions = [\"{name}\"]\n");
    for (raw, place, says) in [
        (
            path(60, step("10-flash", &sections("\"how-can-that-be\""), 9)),
            "",
            "",
        ),
        (
            path(60, step("10-flsh", "", 20)),
            "7:11: ",
            "there is no lesson “10-flsh”; did you mean 10-flash?",
        ),
        (
            path(60, step("10-flash", &sections("\"how-can-it-be\""), 9)),
            "8:14: ",
            "10-flash has no section how-can-it-be; did you mean how-can-that-be?",
        ),
        (
            path(60, step("10-flash", &sections("\"squares\""), 9)),
            "8:14: ",
            "it has four-trips-of-one-square, how-can-that-be, ",
        ),
        (
            path(60, step("10-flash", &question("ex14 ration"), 25)),
            "8:15: ",
            "ratio",
        ),
        (
            path(60, step("10-flash", &question("ex114"), 25)),
            "8:15: ",
            "ex114",
        ),
        // The lesson says that it takes 24 minutes.
        (
            path(600, step("10-flash", "", 5)),
            "7:11: ",
            "and the step has 5; write more, or name fewer sections.",
        ),
        (
            path(20, step("10-flash", &sections("\"how-can-that-be\""), 21)),
            "2:9: ",
            "the steps of own take 21 min together, and the path has 20; leave something out.",
        ),
        (
            path(180, step("10-flash", "", 60)),
            "7:11: ",
            "and 15 are the most on a path of 180 min or less; name fewer sections.",
        ),
        (
            path(180, step("03-roofline", &claims, 30)),
            "7:11: ",
            "the sections named hold 2 claims, and 1 is the most on a path of 180 min or less",
        ),
        // A longer path may read for longer, and judge more of a lesson.
        (path(181, step("10-flash", "", 60)), "", ""),
        (path(181, step("03-roofline", &claims, 30)), "", ""),
    ] {
        let found = linted(&raw);
        if place.is_empty() {
            assert_eq!(found, Vec::<String>::new(), "{raw}");
            continue;
        }
        let starts = format!("paths.toml:{place}");
        let said = |fault: &String| fault.starts_with(&starts) && fault.contains(says);
        assert!(found.iter().any(said), "{starts}{says}: {found:?}");
    }
}

/// What lint says of paths that a folder lays over the built-in course.
fn linted(raw: &str) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("lessons")).unwrap();
    fs::write(root.path().join("lessons/paths.toml"), raw).unwrap();
    let mut course = Course::built_in();
    course.overlay(root.path(), &|path| {
        path.file_name().unwrap().display().to_string()
    });
    lint(&course).iter().map(ToString::to_string).collect()
}

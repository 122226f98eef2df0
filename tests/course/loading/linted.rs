//! What `lint` finds in a course, and what `new` and `init` write.

use super::{course, said};
use std::fs;
use std::path::Path;
use tinyllama_tutor::course::{
    Course, Places, Sheet, Surroundings, fails, init, lint, new_exercise, new_lesson,
};

/// Findings with the folder's own path left out.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let (root, course) = course(files);
    let root = format!("{}/", root.path().display());
    said(&lint(&course))
        .into_iter()
        .map(|line| line.replace(&root, ""))
        .collect()
}

#[test]
fn the_built_in_course_and_the_fixtures_pass() {
    assert_eq!(
        said(&lint(&Course::folder(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course")
        ))),
        Vec::<String>::new()
    );
    let errors: Vec<String> = said(
        &lint(&Course::built_in())
            .into_iter()
            .filter(|finding| fails(std::slice::from_ref(finding)))
            .collect::<Vec<_>>(),
    );
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn lint_looks_into_lessons() {
    let front = "+++\ntitle = \"x\"\n+++\n## A\n";
    let cases: &[(&str, &[&str])] = &[
        (
            "It moves 12.6 MB, `= block(v1).bytes | us`.",
            &[
                "lessons/01-x.md:5:10: “12.6 MB” is a typed-in result; compute it as `= …`, or put it in quotation marks where a document says it.",
                "lessons/01-x.md:5:22: bytes cannot be printed in µs.",
            ],
        ),
        (
            "So `= block(v1).bytes + block(v1).flops` and `= block(v1).byts`.",
            &["lessons/01-x.md:5:23: ", "lessons/01-x.md:5:59: "],
        ),
        (
            "See [one](01-x) and [two](02-y.md).",
            &["lessons/01-x.md:5:27: this link leads nowhere: there is no lesson “02-y”; "],
        ),
        (
            "```lab\nstart = \"v9\"\ntoggles = [\"flsh\"]\nops = [\"qq\"]\nbackend = \"gpu\"\n```",
            &[
                "lessons/01-x.md:6:10: ",
                "lessons/01-x.md:7:13: ",
                "lessons/01-x.md:8:9: there is no op “qq”; did you mean q",
                "lessons/01-x.md:9:12: there is no backend “gpu”; ",
            ],
        ),
        (
            "```question\nexercise = \"ex7\"\n```",
            &["lessons/01-x.md:6:13: there is no exercise “ex7”; "],
        ),
        (
            "```chart\nx = \"batch\"\nrange = [1, 8]\nunit = \"MB\"\ny = \"block(v1).flops\"\n```",
            &["lessons/01-x.md:9:6: a count of FLOP cannot be printed in MB."],
        ),
        (
            "```table\ncolumns = [\"a\"]\nrows = [[\"= block(v1).bytez\"]]\n```",
            &["lessons/01-x.md:7:23: "],
        ),
    ];
    for (body, expected) in cases {
        let found = findings(&[("lessons/01-x.md", &format!("{front}{body}"))]);
        assert_eq!(found.len(), expected.len(), "{body}: {found:#?}");
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found.starts_with(expected), "{found}\nnot {expected}");
        }
    }
}

#[test]
fn lint_looks_into_exercises_and_solutions() {
    let lesson = ("lessons/01-x.md", "+++\ntitle = \"x\"\n+++\n## A\na");
    let key = "+++\ntitle = \"x\"\nlesson = \"01-x\"\n[[key]]\nname = \"a\"\nask = \"?\"\nhints = [\"one of three\", \"two of three\", \"= three of three\"]\n";
    let solution = ("solutions/ex1.md", "## a\nbecause");
    let exercise = |rest: &str| {
        findings(&[
            lesson,
            solution,
            ("exercises/ex1.md", &format!("{key}{rest}\n+++\n")),
        ])
    };
    assert_eq!(
        exercise("answer = \"block(v1).bytes\""),
        Vec::<String>::new()
    );
    // A slip that is the answer; one of another kind; a hint that gives it away.
    let found = exercise(
        "answer = \"block(v1).bytes\"\nslips = [ { answer = \"block(v1).bytes * 1.001\", say = \"near\" } ]",
    );
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("exercises/ex1.md:9:"), "{}", found[0]);
    assert_eq!(exercise("answer = \"block(v1).bytes\"\nslips = [ { answer = \"block(v1).flops\", say = \"other\" } ]").len(), 1);
    let text = format!("{key}answer = \"block(v1).bytes\"\n+++\n")
        .replace("two of three", "`= block(v1).bytes | B`");
    let found = findings(&[lesson, solution, ("exercises/ex1.md", &text)]);
    assert_eq!(
        found,
        ["exercises/ex1.md:7:30: this hint shows the answer; stop one step before it."]
    );
    // A hint whose numbers need only be added, or subtracted.
    for numbers in [
        "`= kernel(v1, qk).bytes | B` and `= block(v1).bytes - kernel(v1, qk).bytes | B`",
        "`= forward(v1).bytes | B` less `= forward(v1).bytes - block(v1).bytes | B`",
    ] {
        let text =
            format!("{key}answer = \"block(v1).bytes\"\n+++\n").replace("two of three", numbers);
        let found = findings(&[lesson, solution, ("exercises/ex1.md", &text)]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].contains(":7:") && found[0].contains("one addition"),
            "{found:#?}"
        );
    }
    // An option that is not there; a solution, hints and a lesson that are missing.
    assert_eq!(
        exercise("answer = \"'memry'\"\nkind = \"choice\"\noptions = [\"memory\", \"compute\"]")
            .len(),
        1
    );
    let found = findings(&[(
        "exercises/ex1.md",
        "+++\ntitle = \"x\"\nlesson = \"02-y\"\n[[key]]\nname = \"a\"\nask = \"?\"\nanswer = \"1\"\n+++\n",
    )]);
    assert_eq!(
        found,
        [
            "exercises/ex1.md:1:1: the exercise has no solution; write solutions/ex1.md with a heading ## a and so on.",
            "exercises/ex1.md:3:11: there is no lesson “02-y”; tinyllama-tutor lessons lists them.",
            "exercises/ex1.md:5:9: a has 0 of 3 hints; write a nudge, the formula, and the formula with its numbers.",
        ]
    );
    let found = findings(&[
        lesson,
        ("exercises/ex1.md", &format!("{key}answer = \"1\"\n+++\n")),
        ("solutions/ex1.md", "## b\nx"),
    ]);
    assert_eq!(
        found,
        [
            "solutions/ex1.md:1:1: ex1 has no key “b”; known are a.",
            "solutions/ex1.md:1:1: there is no derivation for the key a; add a heading ## a and the steps.",
        ]
    );
}

#[test]
fn templates_pass_lint_and_nothing_is_written_over() {
    let root = tempfile::tempdir().expect("a folder");
    let built_in = Course::built_in();
    let made = new_lesson(root.path(), &built_in, "30-tensor-cores").expect("made");
    assert_eq!(made[0].path, Path::new("lessons/30-tensor-cores.md"));
    let made = new_lesson(
        root.path(),
        &Course::folder(root.path()),
        "A \"quoted\" title",
    )
    .expect("made");
    assert_eq!(made[0].path, Path::new("lessons/31-a-quoted-title.md"));
    let course = Course::folder(root.path());
    new_exercise(root.path(), &course, "ex50", Some("30")).expect("made");
    assert_eq!(
        said(&lint(&Course::folder(root.path()))),
        Vec::<String>::new()
    );
    let again = new_exercise(root.path(), &course, "ex50", None);
    assert_eq!(
        again,
        Err("exercises/ex50.md exists already and was left as it is; choose another name.".into())
    );
    let bad = new_exercise(root.path(), &course, "../ex", None).expect_err("no name");
    assert!(bad.starts_with("“../ex” cannot be an id;"), "{bad}");
}

#[test]
fn a_workshop_folder_is_made_once() {
    let root = tempfile::tempdir().expect("a folder");
    let course = Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course"));
    let folder = root.path().join("fusion");
    let made = init(&folder, &course, (None, None), None).expect("made");
    assert!(made.iter().all(|made| made.new));
    fs::write(folder.join("answers/ex1.toml"), "block = \"17\"\n").expect("answered");
    let again = init(&folder, &course, (None, None), None).expect("made");
    assert!(again.iter().all(|made| !made.new));
    let around = Surroundings {
        current: folder.join("answers"),
        ..Surroundings::default()
    };
    let places = Places::find(&around, Some(root.path()), None);
    let exercise = course.exercise("ex1").expect("there");
    assert_eq!(
        Sheet::open(&places, exercise)
            .expect("opened")
            .answer("block")
            .as_deref(),
        Some("17")
    );
}

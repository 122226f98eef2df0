//! Texts of a course as strangers write them: what is read, and what is said.

#![allow(clippy::expect_used, reason = "a test may stop at the first surprise")]

use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tinyllama_tutor::course::{
    Block, Course, Event, Exercise, Fault, KINDS, Lesson, Mark, Part, Places, Progress, Saved,
    Sheet, Solution, Store, Surroundings, fails, init, lint, new_exercise, new_lesson,
};
use tinyllama_tutor::fusion::Version;
use tinyllama_tutor::markup::parse;

fn fixture(file: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/course")
            .join(file),
    )
    .expect(file)
}

fn said(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

fn lesson(text: &str) -> Vec<String> {
    said(&Lesson::read("x", "x.md", text).faults)
}

fn exercise(text: &str) -> Vec<String> {
    said(&Exercise::read("x", "x.md", text).faults)
}

#[test]
fn a_good_lesson_is_read_whole() {
    let lesson = Lesson::read(
        "01-launches",
        "lessons/01-launches.md",
        &fixture("lessons/01-launches.md"),
    );
    assert_eq!(said(&lesson.faults), Vec::<String>::new());
    assert_eq!(
        (
            lesson.title.as_str(),
            lesson.version.as_str(),
            lesson.minutes
        ),
        ("Seventeen launches", "v1", 6)
    );
    assert_eq!(lesson.setup.text("preset"), Some("workshop"));
    let ids: Vec<&str> = lesson
        .sections
        .iter()
        .map(|section| section.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "seventeen-launches",
            "the-ribbon",
            "side-by-side",
            "your-turn"
        ]
    );
    let kinds: Vec<(&str, usize)> = lesson
        .live()
        .map(|live| (live.kind.as_str(), live.number))
        .collect();
    assert_eq!(
        kinds,
        [("lab", 1), ("compare", 2), ("table", 3), ("question", 4)]
    );
    // Prose, lab, prose; the heading is line 10, the lab's fence line 15.
    let ribbon = &lesson.sections[1];
    assert_eq!(ribbon.lines, 10..23);
    let [
        Part::Prose {
            line: 12, numbers, ..
        },
        Part::Live(lab),
        Part::Prose { .. },
    ] = ribbon.parts.as_slice()
    else {
        panic!("{:?}", ribbon.parts)
    };
    assert_eq!(numbers.len(), 2);
    assert_eq!(
        (numbers[1].expr.text.as_str(), numbers[1].expr.at.line),
        ("block(v1).bytes", 13)
    );
    assert_eq!((lab.line, lab.predict.len()), (15, 1));
    let Ok(Block::Lab { start, toggles, .. }) = &lab.content else {
        panic!("{:?}", lab.content)
    };
    assert_eq!(
        start.as_ref().map(|start| start.value),
        Some(Version::V1.cut())
    );
    assert_eq!(toggles.len(), 2);
}

#[test]
fn a_good_exercise_is_read_whole() {
    let exercise = Exercise::read("ex1", "exercises/ex1.md", &fixture("exercises/ex1.md"));
    assert_eq!(said(&exercise.faults), Vec::<String>::new());
    assert_eq!(exercise.keys.len(), 2);
    assert_eq!(
        exercise.key("2").map(|key| key.name.as_str()),
        Some("bound")
    );
    assert_eq!(exercise.key("block").map(|key| key.slips.len()), Some(3));
    assert_eq!(exercise.body, "Every op of one block is its own kernel.");
    let solution = Solution::read("ex1", "solutions/ex1.md", &fixture("solutions/ex1.md"));
    assert_eq!(said(&solution.faults), Vec::<String>::new());
    assert_eq!(
        solution.part("bound").map(|part| part.numbers.len()),
        Some(2)
    );
}

/// Every fault of a file at once, each with its place and the way out.
#[test]
fn bad_lessons_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "",
            &[
                "x.md:1:1: the lesson has no text; begin a section with a line ## Title.",
                "x.md:1:1: there is no front matter; begin the file with a line +++, then title = \"…\" and so on, then a line +++.",
            ],
        ),
        (
            "+++\ntitle = \"x\"\n## A\ntext",
            &["x.md:1:1: the front matter is not closed; put a line +++ after its last key."],
        ),
        (
            "+++\ntitle = x\nminuts = 3\nversion = \"v5\"\nneeds = 3\nconfig = { batchs = 3, batch = 0, dtype = \"fp8\", preset = \"workshp\" }\n+++\n## A\na",
            &[
                "x.md:2:9: not TOML here: string values must be quoted; write it as \"…\".",
                "x.md:3:1: the front matter has no key “minuts”; did you mean minutes?",
                "x.md:4:12: `version` is “v5”; did you mean v1?",
                "x.md:5:9: `needs` is the number 3; it takes a list of texts, such as [\"v1\", \"v2\"].",
                "x.md:6:12: there is no setting “batchs”; did you mean batch?",
                "x.md:6:24: `batch` takes a whole number of 1 or more.",
                "x.md:6:35: there is no dtype “fp8”; use fp32 or bf16.",
                "x.md:6:50: there is no preset “workshp”; did you mean workshop? Presets: workshop, small, medium, part-c, tinyllama-1.1b.",
            ],
        ),
        (
            "+++\ntitle = \"x\"\ntitle = \"y\"\n+++\n## A\na",
            &["x.md:3:1: not TOML here: duplicate key; remove one of the two."],
        ),
        (
            "+++\nminutes = -3\ntitle = \"\\u001b[31m\"\n+++\n## A\na",
            &[
                "x.md:2:11: `minutes` is the number -3; it takes a whole number of 0 or more.",
                "x.md:3:9: `title` holds a control character; remove the escape.",
            ],
        ),
        (
            "+++\nminutes = 3\n+++\n## A\na \u{7}",
            &[
                "x.md:2:1: the front matter has no `title`; add title = \"…\".",
                "x.md:5:3: control character U+0007; texts hold printable characters, tabs and line ends only, so remove it.",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(&lesson(text), expected, "{text}");
    }
}

#[test]
fn bad_blocks_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "```lab\nstart = v1\n```",
            &["x.md:6:9: not TOML here: string values must be quoted; write it as \"…\"."],
        ),
        (
            "```labb\n```",
            &["x.md:5:1: there is no block “labb”; did you mean lab?"],
        ),
        (
            "```lab\nbatch = 8\ntoggle = [\"qkv\"]\n```",
            &["x.md:7:1: a lab block has no key “toggle”; did you mean toggles?"],
        ),
        (
            "```lab\npredict = { ask = \"?\" }\n```",
            &["x.md:6:11: a prediction has no `answer`; add answer = \"block(v1).launches\"."],
        ),
        (
            "```ribbon\npredict = { ask = \"?\", answer = \"1\" }\n```",
            &["x.md:6:1: a ribbon block has no key “predict”; did you mean preset?"],
        ),
        (
            "```compare\nplans = [\"v1\"]\nmetrics = [\"byte\", \"colour\"]\nscope = \"forwards\"\n```",
            &[
                "x.md:7:13: there is no metric “byte”; did you mean bytes?",
                "x.md:7:21: there is no metric “colour”; known are launches, flops, bytes, weight_bytes, intensity, peak, floor, time.",
                "x.md:8:10: `scope` is “forwards”; did you mean forward?",
            ],
        ),
        (
            "```chart\nx = \"batc\"\n```",
            &[
                "x.md:6:1: a chart draws nothing yet; add y = \"block.bytes\" or series = [ { name = \"V1\", y = \"block(v1).bytes\" } ].",
                "x.md:6:1: a chart needs a range of two values or more, such as range = [1, 8, 64].",
                "x.md:6:6: `x` is “batc”; did you mean batch?",
            ],
        ),
        (
            "```table\ncolumns=[\"a\"]\nrows=[[\"b\",\"c\"], 3]\n```",
            &[
                "x.md:7:7: this row has 2 cells and the table 1 columns; make them equal.",
                "x.md:7:18: `rows` is the number 3; it takes a list of rows, each a list of texts.",
            ],
        ),
        (
            "```question\n```",
            &["x.md:6:1: a question block has no `exercise`; add exercise = \"ex1\"."],
        ),
        (
            "```steps\nsteps = [\"a\"]",
            &[
                "x.md:5:1: this steps block is not closed; end it with the same fence on a line of its own.",
            ],
        ),
    ];
    for (block, expected) in cases {
        let text = format!("+++\ntitle = \"x\"\n+++\n## A\n{block}");
        assert_eq!(&lesson(&text), expected, "{block}");
        let read = Lesson::read("x", "x.md", &text);
        // The lesson still opens, and the block is there as text.
        assert_eq!(read.sections.len(), 1);
        for live in read.live() {
            assert!(live.content.is_err());
            assert!(block.contains(&live.source));
        }
    }
}

#[test]
fn bad_exercises_say_what_is_wrong_where() {
    let cases: &[(&str, &[&str])] = &[
        (
            "",
            &["x.md:2:1: the exercise asks nothing; add a [[key]] with name, ask and answer."],
        ),
        (
            "[[key]]\nname = \"a b\"",
            &[
                "x.md:3:1: a key has no `answer`; add answer = \"block.launches\".",
                "x.md:3:1: a key has no `ask`; add ask = \"How many …?\".",
                "x.md:4:9: “a b” cannot name a key; use letters, digits, _ and -, such as block_bytes.",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\ntolerance=\"about\"\nkind=\"choise\"",
            &[
                "x.md:7:12: “about” is not a tolerance; write exact, 0.5 %, 0.05 points or 0.00001.",
                "x.md:8:7: `kind` is “choise”; did you mean choice?",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\nslips=[{say=\"x\"},{answer=\"1\"},{answers=\"2\", say=\"s\", convention={rope_kernels=3, macs=1}}]",
            &[
                "x.md:7:8: a slip has no value; add answer = \"…\", convention = { … } or printed = \"…\".",
                "x.md:7:18: a slip has no `say`; add say = \"what was counted, and why it differs\".",
                "x.md:7:32: a slip has no key “answers”; did you mean answer?",
                "x.md:7:66: “3” is not a value of rope_kernels; write 1 or 2.",
                "x.md:7:82: “1” is not a value of macs; write on or off.",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\n[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\n[[key]]\nname=\"c\"\nask=\"?\"\nanswer=\"1\"\nkind=\"choice\"",
            &[
                "x.md:8:7: there are two keys named “a”; rename one.",
                "x.md:11:1: a key to choose from has no options; add options = [\"memory\", \"compute\"].",
            ],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"block.byts\"",
            &["x.md:6:15: “byts” is not a figure of a kernel; did you mean bytes?"],
        ),
        (
            "[[key]]\nname=\"a\"\nask=\"?\"\nanswer=\"1\"\noptions=[\"a\",\"b\"]",
            &[
                "x.md:3:1: a key with options needs a kind; add kind = \"choice\", \"choices\" or \"ranking\".",
            ],
        ),
    ];
    for (keys, expected) in cases {
        let text = format!("+++\ntitle = \"x\"\n{keys}\n+++\n");
        assert_eq!(&exercise(&text), expected, "{keys}");
    }
}

#[test]
fn a_broken_key_leaves_the_others() {
    let text = "+++\ntitle=\"x\"\n[[key]]\nname=\"a\"\nask=3\nanswer=\"1\"\n[[key]]\nname=\"b\"\nask=\"?\"\nanswer=\"2\"\n+++";
    let read = Exercise::read("x", "x.md", text);
    assert_eq!(
        said(&read.faults),
        ["x.md:5:5: `ask` is the number 3; it takes a text in quotes."]
    );
    assert_eq!(read.keys.len(), 1);
    assert_eq!(read.keys[0].name.as_str(), "b");
}

fn course(files: &[(&str, &str)]) -> (tempfile::TempDir, Course) {
    let root = tempfile::tempdir().expect("a folder");
    for (file, text) in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a shelf")).expect("made");
        fs::write(path, text).expect("written");
    }
    let course = Course::folder(root.path());
    (root, course)
}

/// The room that draws a lesson must cut it as the room that keeps progress about it.
#[test]
fn lessons_are_cut_as_they_are_drawn() {
    let course = Course::built_in();
    for lesson in course.lessons() {
        let text = lesson.text.body();
        let front = text.find("\n+++\n").map_or(0, |at| at + "\n+++\n".len());
        let first = lesson.text.place(front).line;
        let drawn = parse(&text[front..], first, &KINDS);
        let lines: Vec<usize> = drawn.sections.iter().map(|section| section.line).collect();
        let cut: Vec<usize> = lesson
            .sections
            .iter()
            .map(|section| section.lines.start)
            .collect();
        assert_eq!(lines, cut, "{}", lesson.id);
        let live: Vec<(&str, usize)> = drawn
            .lives()
            .iter()
            .map(|live| (live.kind.as_str(), live.place.line))
            .collect();
        let kept: Vec<(&str, usize)> = lesson
            .live()
            .map(|live| (live.kind.as_str(), live.line))
            .collect();
        assert_eq!(live, kept, "{}", lesson.id);
        let values = drawn.values().len();
        let numbers: usize = lesson
            .sections
            .iter()
            .flat_map(|section| &section.parts)
            .map(|part| match part {
                Part::Prose { numbers, .. } => numbers.len(),
                Part::Live(_) => 0,
            })
            .sum();
        assert_eq!(values, numbers, "{}", lesson.id);
    }
}

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

/// A learner's machine: a state folder, a workshop folder, and this crate's fixture course.
struct Desk {
    root: tempfile::TempDir,
    places: Places,
}

impl Desk {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let workshop = root.path().join("workshop");
        fs::create_dir_all(workshop.join("answers")).expect("made");
        let around = Surroundings {
            current: workshop,
            home: Some(root.path().to_owned()),
            data: None,
        };
        let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course");
        let places = Places::find(&around, None, Some(&course));
        Self { root, places }
    }

    fn exercise(&self) -> Exercise {
        Course::open(&self.places)
            .exercise("ex1")
            .expect("the fixture")
            .clone()
    }

    fn sheet(&self) -> PathBuf {
        self.root.path().join("workshop/answers/ex1.toml")
    }
}

#[test]
fn the_course_is_found_by_number_name_and_nearest_id() {
    let course = Course::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course"));
    assert_eq!(course.faults(), []);
    for typed in ["01-launches", "1", "01", "launches"] {
        assert_eq!(
            course.lesson(typed).map(|lesson| lesson.id.as_str()),
            Ok("01-launches"),
            "{typed}"
        );
    }
    assert_eq!(
        course.exercise("ex2"),
        Err("there is no exercise “ex2”; did you mean ex1?".into())
    );
    assert_eq!(
        course.exercise("census").map(|exercise| &exercise.id),
        Err("there is no exercise “census”; tinyllama-tutor exercises lists them.".into())
    );
    assert!(course.solution("ex1").is_some());
}

#[test]
fn a_course_folder_that_is_not_there_is_said() {
    let desk = Desk::new();
    let around = Surroundings {
        current: desk.root.path().to_owned(),
        ..Surroundings::default()
    };
    let course = Course::open(&Places::find(&around, None, Some(Path::new("nowhere"))));
    let [fault] = course.faults() else {
        panic!("{:?}", course.faults())
    };
    assert!(fault.to_string().ends_with(
        "nowhere: there is no such course folder; it should hold lessons/ or exercises/."
    ));
}

#[test]
fn a_changed_lesson_is_taken_up() {
    let desk = Desk::new();
    let mine = desk.root.path().join("mine/lessons");
    fs::create_dir_all(&mine).expect("made");
    fs::write(mine.join("50-x.md"), "+++\ntitle = \"One\"\n+++\n## A\na").expect("written");
    let around = Surroundings {
        current: desk.root.path().to_owned(),
        ..Surroundings::default()
    };
    let places = Places::find(&around, None, Some(Path::new("mine")));
    let mut course = Course::open(&places);
    assert_eq!(course.lesson("50").expect("there").title, "One");
    assert_eq!(course.refresh(&places), Vec::<String>::new());
    fs::write(
        mine.join("50-x.md"),
        "+++\ntitle = \"Another\"\n+++\n## A\na",
    )
    .expect("written");
    assert_eq!(course.refresh(&places), ["50-x"]);
    assert_eq!(course.lesson("50").expect("there").title, "Another");
    fs::remove_file(mine.join("50-x.md")).expect("removed");
    assert_eq!(course.refresh(&places), ["50-x"]);
    assert!(course.lesson("50-x").is_err());
}

#[test]
fn a_sheet_is_made_with_its_questions_and_keeps_what_people_write() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("a new one");
    assert_eq!(sheet.answer("block"), None);
    sheet.set(&exercise, "block", "17");
    let saved = sheet.save(&desk.places, &exercise).expect("saved");
    assert_eq!(saved.to_string(), "Saved to answers/ex1.toml.");
    let expected = "\
# ex1 Launch census of V1
# Type answers as you would write them: \"23\", \"1.234 MB\", \"61.8 %\",
# \"2*3*100*500^2\". \"\" is open.
# tinyllama-tutor check ex1

# 1. How many kernels does one block launch when every op is its own kernel?
block = \"17\"

# 2. Is norm1 memory-bound or compute-bound on an H200?
# (memory, compute)
bound = \"\"
";
    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), expected);
    // A person edits: a comment, a note of their own, a number without quotes.
    let edited = "# my sheet\nblock = 17 # counted twice\nnote = \"ask about rope\"\n";
    fs::write(desk.sheet(), edited).expect("edited");
    assert!(sheet.changed_on_disk());
    sheet.set(&exercise, "bound", "memory-bound");
    sheet.save(&desk.places, &exercise).expect("saved");
    let expected = "# my sheet\nblock = 17 # counted twice\nnote = \"ask about rope\"\n\n# Is norm1 memory-bound or compute-bound on an H200?\nbound = \"memory-bound\"\n";
    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), expected);
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"));
    assert_eq!(again.answer("bound").as_deref(), Some("memory-bound"));
}

#[test]
fn a_question_that_was_renamed_keeps_what_was_answered() {
    let desk = Desk::new();
    let course = Course::built_in();
    let exercise = course.exercise("ex35").expect("there");
    let path = desk.places.sheet("ex35");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, "# once\nhopper = \"65.6 %\"\ncdna2 = \"\"\n").expect("written");
    let mut sheet = Sheet::open(&desk.places, exercise).expect("opened");
    assert_eq!(sheet.answer("own").as_deref(), Some("65.6 %"));
    sheet.set(exercise, "cdna2", "75 %");
    sheet.save(&desk.places, exercise).expect("saved");
    let again = Sheet::open(&desk.places, exercise).expect("opened");
    assert_eq!(again.answer("own").as_deref(), Some("65.6 %"));
    assert_eq!(again.answer("cdna2").as_deref(), Some("75 %"));
    let text = "version = 1\n[exercises.ex35.hopper]\nverdict = \"right\"\nsolved = true\n";
    let progress = Progress::read(text).expect("read");
    assert!(progress.key("ex35", "own").solved);
}

#[test]
fn a_sheet_that_is_not_toml_is_placed_and_left_alone() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("a new one");
    sheet.set(&exercise, "block", "17");
    let broken = "# mine\nblock = 12.6 MB\n";
    fs::write(desk.sheet(), broken).expect("written");
    let fault = Sheet::open(&desk.places, &exercise).expect_err("broken");
    // `block = ` is 8 characters, so the value begins at column 9.
    assert!(
        fault
            .to_string()
            .starts_with("answers/ex1.toml:2:9: not TOML here ("),
        "{fault}"
    );
    assert!(
        fault.to_string().ends_with(
            "nothing was changed. Write answers in quotes, such as bytes = \"1.250 MB\"."
        ),
        "{fault}"
    );
    assert!(sheet.save(&desk.places, &exercise).is_err());
    assert!(sheet.unsaved(), "what was typed is not lost");
    assert_eq!(fs::read_to_string(desk.sheet()).expect("there"), broken);
    fs::write(desk.sheet(), "").expect("repaired");
    sheet.save(&desk.places, &exercise).expect("saved");
    assert_eq!(
        Sheet::open(&desk.places, &exercise)
            .expect("opened")
            .answer("block")
            .as_deref(),
        Some("17")
    );
}

#[test]
fn two_forms_open_at_once_lose_nothing() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut one = Sheet::open(&desk.places, &exercise).expect("opened");
    let mut two = Sheet::open(&desk.places, &exercise).expect("opened");
    one.set(&exercise, "block", "17");
    two.set(&exercise, "bound", "memory");
    one.save(&desk.places, &exercise).expect("saved");
    two.save(&desk.places, &exercise).expect("saved");
    let sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(sheet.answer("block").as_deref(), Some("17"));
    assert_eq!(sheet.answer("bound").as_deref(), Some("memory"));
}

#[test]
fn answers_that_cannot_be_saved_here_are_kept_in_the_state_folder() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    // A file where the folder should be: nobody, not even root, can write into it.
    let answers = desk.root.path().join("workshop/answers");
    fs::remove_dir(&answers).expect("removed");
    fs::write(&answers, "").expect("written");
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    sheet.set(&exercise, "block", "17");
    let saved = sheet.save(&desk.places, &exercise).expect("kept");
    assert!(matches!(saved, Saved::Elsewhere { .. }));
    assert_eq!(
        saved.to_string(),
        "answers/ cannot be written: a file stands where a folder is needed. Answers are kept in ~/.local/share/tinyllama-tutor; --state DIR chooses another folder."
    );
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"), "found again");
    // And where nothing can be written, it is said.
    fs::remove_dir_all(&desk.places.state).expect("removed");
    fs::write(&desk.places.state, "").expect("written");
    let fault = sheet.clone().save(&desk.places, &exercise);
    assert!(fault.is_err());
}

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
fn sheets_of_other_editors_are_read() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let cases = [
        ("block = \"17\"\r\nbound = \"memory\"\r\n", Some("17")),
        ("\u{feff}block = \"17\"\n", Some("17")),
        ("block = [\"a\", \"b\"]\n", Some("a, b")),
        ("block = 1_000\n", Some("1_000")),
        ("block = \"\"\"\n17\n\"\"\"\n", Some("17 ")),
        ("block = \"  \"\n", None),
        ("[block]\nx = 1\n", None),
        ("bound = \"\\u001b[31m\"\n", None),
    ];
    for (text, expected) in cases {
        fs::write(desk.sheet(), text).expect("written");
        let mut sheet = Sheet::open(&desk.places, &exercise).expect(text);
        assert_eq!(sheet.answer("block").as_deref(), expected, "{text:?}");
        assert!(
            !sheet
                .answer("bound")
                .is_some_and(|typed| typed.contains('\u{1b}'))
        );
        sheet.set(&exercise, "bound", "compute");
        sheet.save(&desk.places, &exercise).expect("saved");
        let again = Sheet::open(&desk.places, &exercise).expect("opened");
        assert_eq!(
            (
                again.answer("block").as_deref(),
                again.answer("bound").as_deref()
            ),
            (expected, Some("compute")),
            "{text:?}"
        );
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
            .args(["--exact", "loading::write_until_killed", "--ignored"])
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_loading_panic(text in "(\\+\\+\\+\n)?([a-z \"=\\[\\]{}0-9\n`#$|'\\\\\u{1b}é“”&;-]|```|lab|## |\\+\\+\\+\n|table|rows = |\\[\\[key\\]\\]\n|`= ){0,80}") {
        let lesson = Lesson::read("x", "x.md", &text);
        for fault in &lesson.faults {
            prop_assert!(fault.at.line <= lesson.text.lines());
        }
        let _ = Exercise::read("x", "x.md", &text);
        let _ = Solution::read("x", "x.md", &text);
        let _ = Progress::read(&text);
    }

}

fn event() -> impl Strategy<Value = Event> {
    // Ids and typed text of any kind: a course may name things as it likes.
    let word = || "[a-z.\"\\\\é #\n-]{0,6}";
    let marks = prop::sample::select(vec![
        Mark::Right,
        Mark::Slip,
        Mark::Close,
        Mark::Wrong,
        Mark::Unread,
    ]);
    prop_oneof![
        (word(), word()).prop_map(|(lesson, section)| Event::Read { lesson, section }),
        (word(), word(), word(), marks).prop_map(|(exercise, key, typed, mark)| {
            Event::Checked {
                exercise,
                key,
                typed,
                mark,
            }
        }),
        (word(), word(), 0..9_u64).prop_map(|(exercise, key, shown)| Event::Hinted {
            exercise,
            key,
            shown
        }),
        (word(), word()).prop_map(|(exercise, key)| Event::GaveUp { exercise, key }),
        (word(), prop::option::of(word()))
            .prop_map(|(exercise, key)| Event::Reset { exercise, key }),
        (word(), 0..9_u64, word(), word(), word()).prop_map(
            |(lesson, block, gpu, typed, outcome)| Event::Guessed {
                lesson,
                block,
                gpu,
                typed,
                outcome,
            }
        ),
        (word(), 0..9_u64, word()).prop_map(|(lesson, block, typed)| Event::Begun {
            lesson,
            block,
            typed
        }),
        (word(), prop::option::of(word()))
            .prop_map(|(setting, value)| Event::Chose { setting, value }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn progress_comes_back_as_it_was(events in prop::collection::vec(event(), 0..30)) {
        let mut progress = Progress::default();
        events.iter().for_each(|event| progress.apply(event));
        prop_assert_eq!(Progress::read(&progress.write()).expect("TOML"), progress);
    }

    #[test]
    fn whatever_is_typed_comes_back(typed in "[ -~éµ×²宽\u{301}\u{a0}\t]{0,40}") {
        let desk = Desk::new();
        let exercise = desk.exercise();
        let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
        sheet.set(&exercise, "block", &typed);
        sheet.save(&desk.places, &exercise).expect("saved");
        let again = Sheet::open(&desk.places, &exercise).expect("opened");
        prop_assert_eq!(again.answer("block"), Some(typed).filter(|typed| !typed.trim().is_empty()));
    }
}

#[test]
fn no_sheet_is_written_that_could_not_be_read_again() {
    let desk = Desk::new();
    let exercise = desk.exercise();
    let mut sheet = Sheet::open(&desk.places, &exercise).expect("opened");
    sheet.set(&exercise, "block", "17");
    sheet.save(&desk.places, &exercise).expect("saved");
    // Three bytes each: more than the 256 kB that are read.
    sheet.set(&exercise, "block", &"宽".repeat(100_000));
    let fault = sheet.save(&desk.places, &exercise).expect_err("too large");
    assert!(fault.to_string().contains("shorten it"), "{fault}");
    let again = Sheet::open(&desk.places, &exercise).expect("opened");
    assert_eq!(again.answer("block").as_deref(), Some("17"));
}

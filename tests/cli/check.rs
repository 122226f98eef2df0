//! `check`, `hint`, `solution`, `reset`: verdicts, exit codes, what is kept.

use serde_json::{Value, json};

use tinyllama_tutor::run::listing::Listing;

use crate::program::{Home, Ran};

/// ex1 by hand: 10 kernels up to res1 and 7 after it; products q k v qk pv o
/// gate up down; 4 blocks of 17 and three kernels around them. 128 rows: the products take
/// 5·2²⁵ operations; mul moves three tensors of 512 columns, one operation for twelve bytes;
/// gate 2·128·256·512 operations for 917,504 bytes, above the 13.9 FLOP/B of an H200. sg makes two
/// trips; the 17 kernels move 2,490,880 elements.
const RIGHT: [(&str, &str); 12] = [
    ("block", "17"),
    ("products", "9"),
    ("forward", "4*17 + 3"),
    ("outside", "embed, final_norm, lm_head"),
    ("counted", "71"),
    ("flops", "5 * 2^25"),
    ("bytes", "3*4*128*512"),
    ("intensity", "1/12"),
    ("bound", "memory"),
    ("bound_gate", "compute"),
    ("saved", "524,288"),
    ("share", "131072/2490880"),
];

fn sheet(answers: &[(&str, &str)]) -> String {
    answers
        .iter()
        .map(|(key, answer)| format!("{key} = \"{answer}\"\n"))
        .collect()
}

/// The document of ex1 after `sheet` was written.
fn checked(answers: &[(&str, &str)]) -> (i32, Value) {
    let home = Home::new();
    home.write("data/tinyllama-tutor/answers/ex1.toml", &sheet(answers));
    let ran = home.line("check ex1 --json");
    (ran.code, ran.json())
}

#[test]
fn the_right_sheet_exits_0() {
    let (code, document) = checked(&RIGHT);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(
        (&document["right"], &document["total"]),
        (&json!(12), &json!(12))
    );
    for key in document["keys"].as_array().unwrap() {
        assert_eq!(key["verdict"], "right", "{key}");
        // A try is a wrong answer or a slip.
        assert_eq!(key["misses"], 0, "{key}");
    }
}

#[test]
fn every_other_verdict_exits_1_and_says_which() {
    let cases = [
        ("12", "slip"),
        ("16", "slip"),
        ("", "open"),
        ("40", "wrong"),
        ("banana", "unread"),
        ("12.6 MB", "unread"),
    ];
    for (typed, verdict) in cases {
        let mut answers = RIGHT;
        answers[0].1 = typed;
        let (code, document) = checked(&answers);
        let key = &document["keys"][0];
        assert_eq!(
            (code, &key["verdict"]),
            (1, &json!(verdict)),
            "“{typed}”: {key}"
        );
        assert_eq!(document["right"], 11);
        assert_eq!(key["slip"].is_string(), verdict == "slip");
        assert_eq!(key["message"].is_string(), verdict != "open", "{key}");
        assert_eq!(key["direction"].is_string(), verdict == "wrong", "{key}");
        let misses = u64::from(verdict == "slip" || verdict == "wrong");
        assert_eq!(key["misses"], misses, "“{typed}”");
    }
}

#[test]
fn the_document_has_the_keys_of_schema_1_in_their_order() {
    let text = Home::new().line("check ex1 --json").out;
    let keys = [
        "schema",
        "exercise",
        "sheet",
        "keys",
        "name",
        "typed",
        "read",
        "verdict",
        "message",
        "slip",
        "direction",
        "hints_seen",
        "misses",
        "right",
        "total",
    ];
    let mut rest = text.as_str();
    for key in keys {
        let at = rest.find(&format!("\"{key}\":"));
        rest = &rest[at.unwrap_or_else(|| panic!("no {key} after here: {rest}"))..];
    }
}

#[test]
fn the_expected_value_is_never_shown_before_it_is_found() {
    let home = Home::new();
    for line in [
        "check ex1 --answer forward=70",
        "check ex1 --answer forward=70 --json",
        "check ex1 --answer forward=70 --plain",
        "export",
    ] {
        let ran = home.line(line);
        assert!(!ran.out.contains("71"), "{line}: {}", ran.out);
    }
}

#[test]
fn an_answer_on_the_command_line_is_kept_in_the_sheet() {
    let home = Home::new();
    let ran = home.line("check ex1 --answer block=17 --answer 2=9");
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert!(ran.out.contains("2 right, 10 open."), "{}", ran.out);
    let kept = std::fs::read_to_string(home.sheet("ex1")).unwrap();
    assert!(kept.contains("block = \"17\"") && kept.contains("products = \"9\""));
    // Another command line later: the sheet and progress are there.
    let again = home.line("check ex1");
    assert!(again.out.contains("2 right, 10 open."), "{}", again.out);
    let list = home.line("exercises").out;
    let row = list.lines().find(|l| l.starts_with(" ex1 ")).unwrap();
    assert!(row.ends_with("2/12"), "{row}");
}

#[test]
fn comments_and_unknown_lines_of_a_sheet_stay() {
    let home = Home::new();
    let mine = "# my notes\nblock = \"12\" # from the handout\nother = \"kept\"\n";
    home.write("data/tinyllama-tutor/answers/ex1.toml", mine);
    home.line("check ex1 --answer block=17");
    let kept = std::fs::read_to_string(home.sheet("ex1")).unwrap();
    let want = mine.replace("\"12\"", "\"17\"");
    assert!(kept.starts_with(&want), "{kept}");
}

#[test]
fn a_sheet_that_nobody_made_is_not_named_as_one() {
    let home = Home::new();
    let ran = home.line("check ex1");
    assert!(!home.sheet("ex1").exists());
    assert!(ran.out.contains("No sheet yet."), "{ran:?}");
    assert!(!ran.out.contains("Answer in the sheet"), "{ran:?}");
    assert!(ran.out.contains("--answer block=..."), "{ran:?}");
    home.line("check ex1 --answer block=12");
    assert!(home.sheet("ex1").exists());
    let ran = home.line("check ex1");
    assert!(ran.out.contains(". Sheet: "), "{ran:?}");
}

#[test]
fn a_workshop_folder_holds_the_sheets() {
    let home = Home::new();
    assert_eq!(home.line("init here").code, 0);
    let inside = |line: &str| {
        let mut command = home.command();
        command
            .current_dir(home.path().join("here"))
            .args(line.split(' '));
        command.output().unwrap()
    };
    let ran = inside("check ex1 --answer block=17");
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(said.contains("Sheet: answers/ex1.toml"), "{said}");
    let sheet = home.path().join("here/answers/ex1.toml");
    assert!(
        std::fs::read_to_string(sheet)
            .unwrap()
            .contains("block = \"17\"")
    );
    assert!(!home.sheet("ex1").exists());
}

#[test]
fn several_exercises_are_a_list() {
    let home = Home::new();
    let ran = home.line("check ex1 ex2 --json");
    assert_eq!(ran.code, 1);
    let ids: Vec<Value> = ran
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["exercise"].clone())
        .collect();
    assert_eq!(ids, ["ex1", "ex2"]);
    let all = home.line("check --all --json").json();
    let listed = home.line("exercises --json").json();
    let listed = listed["exercises"].as_array().unwrap().len();
    assert_eq!(all.as_array().unwrap().len(), listed);
}

#[test]
fn hints_come_one_by_one_and_are_counted() {
    let home = Home::new();
    for shown in 1..=3 {
        let ran = home.line("hint ex1 products");
        assert_eq!(ran.code, 0);
        let hints = ran.out.lines().filter(|l| l.starts_with("hint ")).count();
        assert_eq!(hints, shown, "{}", ran.out);
        assert!(ran.out.contains("\nex1 products: How many"), "{}", ran.out);
        let seen = home.line("check ex1 --json").json()["keys"][1]["hints_seen"].clone();
        assert_eq!(seen, shown);
    }
    let ran = home.line("hint ex1 2");
    assert!(ran.out.contains("These are all hints."), "{}", ran.out);
}

#[test]
fn a_solution_is_free_once_solved_and_can_be_had_by_giving_up() {
    let home = Home::new();
    let closed = home.line("solution ex1 block");
    assert_eq!(closed.code, 1);
    assert!(
        closed.out.starts_with("Not solved yet: block."),
        "{}",
        closed.out
    );
    home.line("check ex1 --answer block=17");
    let open = home.line("solution ex1 block");
    assert_eq!(open.code, 0);
    assert!(open.out.contains("17"), "{}", open.out);
    assert_eq!(home.line("solution ex1 products --give-up").code, 0);
    let keys = home.line("export").json()["exercises"][0]["keys"].clone();
    assert_eq!(
        (&keys[0]["solved"], &keys[0]["given_up"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&keys[1]["solved"], &keys[1]["given_up"]),
        (&json!(false), &json!(true))
    );
    // Right after its solution was read: it counts as read, here and in the report.
    let ran = home.line("check ex1 --answer products=9");
    let read = "products counts as read, not as solved";
    assert!(
        ran.out.contains("2 right,") && ran.out.contains(read),
        "{ran:?}"
    );
    home.line("report r.md");
    let report = std::fs::read_to_string(home.path().join("r.md")).unwrap();
    let sum = report
        .lines()
        .find(|line| line.starts_with("2 typed; "))
        .unwrap();
    assert!(
        sum.starts_with("2 typed; 1 of ") && sum.ends_with("; 1 given up."),
        "{sum}"
    );
}

#[test]
fn the_device_of_a_figure_in_a_help_is_named_on_the_screen() {
    let home = Home::new();
    let said = |line: &str| {
        let ran = home.line(&format!("{line} --gpu mi300a"));
        assert!(ran.code < 2, "{line}: {ran:?}");
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The device is named in the question, in its rows, or before all questions.
    for (line, names) in [
        ("solution ex35 smem --give-up", "H200"),
        ("solution ex36 underway --give-up", "H200"),
        ("hint ex37 rest", "was measured on an H200"),
        ("solution ex37 rest --give-up", "was measured on an H200"),
        ("show ex37 9", "was measured on an H200"),
        ("solution ex41 mapped --give-up", "H200"),
        ("hint ex41 7", "rows: "),
        ("hint ex50 gain", "on an H200. Every rung"),
        ("solution ex50 naive --give-up", "on an H200"),
    ] {
        let shown = said(line);
        let at = shown.find(names);
        let help = shown.find("hint 1 of").unwrap_or(shown.len());
        assert!(at.is_some_and(|at| at < help), "{line}: {shown}");
    }
    // What is chosen from stands above the hint, and the questions of a report below what
    // they are read with.
    assert!(said("hint ex37 rest").contains("between the kernels, "));
    home.line("report r.md");
    let report = std::fs::read_to_string(home.path().join("r.md")).unwrap();
    let intro = report.find("was measured on an H200").unwrap();
    assert!(intro < report.find("The kernels of that step").unwrap());
}

#[test]
fn letters_beside_a_kernel_in_its_file_are_not_said_to_be_judged() {
    // Without a compiler the letters are what is judged.
    let Ok(library) = std::env::var("NVRTC_LIBRARY") else {
        return;
    };
    let home = Home::new();
    let worked = Listing::named("exercises/silu_mul.cu").unwrap().worked();
    home.write("data/tinyllama-tutor/answers/ex19.cu", &worked);
    let check = |letters: &str| {
        let mut command = home.command();
        let answer = format!("kernel={letters}");
        command.env("NVRTC_LIBRARY", &library);
        command.args(["check", "ex19", "--answer", &answer]);
        Ran::of(command.output().unwrap())
    };
    let ran = check("a c b b");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = "is what was judged; the letters a c b b were not looked at.";
    assert!(said.contains(what), "{ran:?}");
    // They were never right, so nothing that was right is gone.
    assert_eq!(check("a c b").err, "");
}

#[test]
fn a_reset_says_how_to_take_it_back() {
    let home = Home::new();
    home.args(&[
        "check",
        "ex1",
        "--answer",
        "block=17",
        "--answer",
        "forward=4 * 17 + 3",
    ]);
    let ran = home.line("reset ex1");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let back = "tinyllama-tutor check ex1 --answer block=17 --answer 'forward=4 * 17 + 3'";
    assert!(ran.out.lines().any(|line| line == back), "{ran:?}");
    let undo = "tinyllama-tutor reset --undo takes this back.";
    assert_eq!(ran.out.lines().last(), Some(undo));
    assert!(home.line("check ex1").out.contains("12 open."));
    assert_eq!(home.line("progress --json").json()["questions"]["right"], 0);
}

#[test]
fn grading_again_counts_nothing_again() {
    let home = Home::new();
    let misses = |line: &str| home.line(line).json()["keys"][0]["misses"].clone();
    assert_eq!(misses("check ex1 --answer block=12 --json"), 1);
    // The same again, another key, the whole course, and the sheet alone.
    for line in [
        "check ex1 --answer block=12 --json",
        "check ex1 --answer products=3 --json",
        "check ex1 --json",
    ] {
        assert_eq!(misses(line), 1, "{line}");
    }
    home.line("check --all --json");
    assert_eq!(misses("check ex1 --json"), 1);
    assert_eq!(misses("check ex1 --answer block=71 --json"), 2);
    assert_eq!(misses("check ex1 --answer block=12 --json"), 3);
    assert_eq!(misses("check ex1 --answer block=17 --json"), 3);
}

#[test]
fn a_grader_changes_nothing() {
    let home = Home::new();
    home.line("check ex1 --answer block=12");
    let state = home.path().join("data/tinyllama-tutor");
    let all = || {
        let mut all: Vec<_> = walk(&state);
        all.sort();
        all
    };
    let before = all();
    for (line, code) in [
        ("check ex1 --read-only", 1),
        ("check --all --json --read-only", 1),
        ("check ex1 --answer block=71 --read-only", 1),
        ("check ex2 --variant 1 --answer 1=5 --read-only", 1),
        ("check ex19 --read-only", 1),
    ] {
        assert_eq!(home.line(line).code, code, "{line}");
        assert_eq!(all(), before, "{line}");
    }
    let right = RIGHT.map(|(key, typed)| format!("{key}={typed}"));
    let mut words = vec!["check", "ex1", "--read-only"];
    words.extend(right.iter().flat_map(|answer| ["--answer", answer]));
    assert_eq!(home.args(&words).code, 0);
    assert_eq!(all(), before);
    // A file that is broken is not set aside either.
    home.write("data/tinyllama-tutor/progress.toml", "lessons = = 3\n");
    let before = all();
    let ran = home.line("check ex1 --read-only");
    assert!(ran.err.contains("cannot be read"), "{}", ran.err);
    assert_eq!(all(), before);
}

/// No two runs take the same time: the first one is kept, and answers are graded
/// against it until somebody measures anew.
#[test]
fn a_measured_answer_stays_right() {
    let home = Home::new();
    let kept = || -> toml::Table {
        let file = home.path().join("data/tinyllama-tutor/progress.toml");
        let progress: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let measured = progress["measured"].as_table().unwrap().clone();
        assert_eq!(measured.len(), 1, "{measured}");
        measured
            .values()
            .next()
            .unwrap()
            .as_table()
            .unwrap()
            .clone()
    };
    let verdict = |answer: &str, more: &[&str]| {
        let words = [&["check", "ex6", "--json", "--answer", answer], more].concat();
        home.args(&words).json()["keys"][0]["verdict"].clone()
    };
    assert_eq!(verdict("smallest=1 ns", &[]), "wrong");
    let first = kept();
    let us = first["median_ns"].as_integer().unwrap() as f64 / 1e3;
    let right = format!("smallest={us} us");
    for _ in 0..3 {
        assert_eq!(verdict(&right, &[]), "right");
    }
    assert_eq!(kept(), first);
    // A grader measures and keeps nothing.
    assert_eq!(verdict(&right, &["--read-only"]), "right");
    verdict(&right, &["--measure"]);
    assert_ne!(kept(), first);
}

/// What another question asks for is said only of one that is solved: elsewhere it
/// would confirm that answer.
#[test]
fn the_answer_of_another_question_is_named_once_that_is_solved() {
    let home = Home::new();
    let block = || {
        let document = home.line("check ex1 --answer block=71 --json").json();
        document["keys"][0].clone()
    };
    let before = block();
    assert_eq!(before["verdict"], "wrong");
    assert!(!before.to_string().contains("forward"), "{before}");
    home.line("check ex1 --answer forward=71");
    let after = block();
    assert_eq!(after["verdict"], "slip");
    assert_eq!(after["slip"], "That is what question 3 of ex1 asks for.");
}

#[test]
fn a_table_that_is_begun_says_how_it_stands() {
    let home = Home::new();
    let line = ["check", "ex13", "--answer", "scores=2 MiB | 8 MiB"];
    let said = home.args(&line).out;
    assert!(said.contains("2 of 4 cells are right, 2 open."), "{said}");
    let keys = home.line("check ex13 --json").json()["keys"].clone();
    let scores = keys.as_array().unwrap().iter();
    let scores = scores.clone().find(|key| key["name"] == "scores").unwrap();
    assert!(scores["message"].is_string(), "{scores}");
}

/// Every file below a folder with what is in it.
fn walk(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(walk(&path)),
            path => all.push((path.clone(), std::fs::read(path).unwrap())),
        }
    }
    all
}

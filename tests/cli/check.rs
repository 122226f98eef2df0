//! `check`, `hint`, `solution`, `reset`: verdicts, exit codes, what is kept.

use serde_json::{Value, json};

use crate::program::Home;

/// ex1 by hand: 10 kernels up to res1 and 7 after it; products q k v qk pv o
/// gate up down; 4 blocks of 17 and three kernels around them.
const RIGHT: [(&str, &str); 5] = [
    ("block", "17"),
    ("products", "9"),
    ("forward", "4*17 + 3"),
    ("outside", "embed, final_norm, lm_head"),
    ("counted", "71"),
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
        (&json!(5), &json!(5))
    );
    for key in document["keys"].as_array().unwrap() {
        assert_eq!(key["verdict"], "right", "{key}");
        assert_eq!(key["tries"], 1, "{key}");
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
        assert_eq!(document["right"], 4);
        assert_eq!(key["slip"].is_string(), verdict == "slip");
        assert_eq!(key["message"].is_string(), verdict != "open", "{key}");
        assert_eq!(key["direction"].is_string(), verdict == "wrong", "{key}");
        let tries = u64::from(verdict == "slip" || verdict == "wrong");
        assert_eq!(key["tries"], tries, "“{typed}”");
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
        "tries",
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
    assert!(ran.out.contains("2 right, 3 open."), "{}", ran.out);
    let kept = std::fs::read_to_string(home.sheet("ex1")).unwrap();
    assert!(kept.contains("block = \"17\"") && kept.contains("products = \"9\""));
    // Another command line later: the sheet and progress are there.
    let again = home.line("check ex1");
    assert!(again.out.contains("2 right, 3 open."), "{}", again.out);
    let list = home.line("exercises").out;
    let row = list.lines().find(|l| l.starts_with(" ex1 ")).unwrap();
    assert!(row.ends_with("2/5"), "{row}");
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
        assert!(ran.out.starts_with("ex1 products: How many"), "{}", ran.out);
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
    assert!(home.line("check ex1").out.contains("5 open."));
    assert_eq!(home.line("progress --json").json()["questions"]["right"], 0);
}

//! A session as a participant of the workshop has it: the documents' exercises by their
//! names, the staircase, the report at the end.

use crate::program::Home;

#[test]
fn the_staircase_adds_one_fusion_at_a_time_in_any_order() {
    let home = Home::new();
    let usual = home.line("compare --staircase --block --json").json();
    let steps =
        |document: &serde_json::Value| document["sheets"][0]["rows"].as_array().unwrap().clone();
    // V1 and eleven fusions, up to one kernel per block: 17 launches to 1.
    let rows = steps(&usual);
    assert_eq!(rows.len(), 12);
    assert_eq!((&rows[0][1], &rows[11][1]), (&17.0.into(), &1.0.into()));
    // 128 rows of 256 columns in fp32, once in place of three times.
    assert_eq!(
        rows[1][3],
        serde_json::json!(2.0 * 4.0 * 128.0 * 256.0 * 1e-6)
    );
    // Behind rope, qkv saves nothing: the same plan again.
    let turned = home
        .line("compare --staircase --order rope,qkv --block --json")
        .json();
    assert_eq!(turned["order"], serde_json::json!(["rope", "qkv"]));
    assert_eq!(steps(&turned)[2][3], serde_json::json!(0.0));
    let text = home
        .line("compare --staircase --order rope,qkv --block")
        .out;
    assert!(text.contains("Prices of boundaries do not add ="), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let plain = home.line("compare --staircase --plain").out;
    assert!(plain.contains("+down_residual"), "{plain}");

    home.line("compare --staircase --order qkv,qkv")
        .refused(2, "qkv stands twice");
    home.line("compare --staircase --order qvk")
        .refused(2, "did you mean qkv?");
    assert_eq!(home.line("compare v1 --staircase").code, 2);
    assert_eq!(home.line("compare --order qkv").code, 2);
}

#[test]
fn a_measured_staircase_is_timed_in_turns_and_kept() {
    let home = Home::new();
    let line =
        "compare --staircase --order flash,block --run --backend cpu --seq 8 --runs 4 --json";
    let ran = home.line(line);
    assert_eq!(ran.code, 0, "{ran:?}");
    let times = &ran.json()["sheets"][1];
    assert_eq!(times["name"], "times of a forward");
    let rows = times["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    // Two rounds show no difference: no share is claimed.
    assert!(
        rows.iter().all(|row| row[1].as_f64().unwrap() > 0.0),
        "{rows:?}"
    );
    assert_eq!((&rows[1][3], &rows[2][4]), (&"few".into(), &"few".into()));
    let text = std::fs::read_to_string(home.path().join("data/tinyllama-tutor/runs.json")).unwrap();
    let runs: serde_json::Value = serde_json::from_str(&text).unwrap();
    let runs = runs["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["job"] == 1 && run["among"] == 3));
    // What the lab has no setting for would pass there for something else.
    home.line("run --backend cpu --seq 8 --runs 2 --threads 1");
    let after =
        std::fs::read_to_string(home.path().join("data/tinyllama-tutor/runs.json")).unwrap();
    assert_eq!(after, text);
}

#[test]
fn the_documents_exercises_are_found_by_their_names() {
    let home = Home::new();
    let list = home.line("exercises --document");
    assert_eq!((list.code, list.err.as_str()), (0, ""));
    for part in [
        "v2-ex1  ",
        "Exercise 1: Kernel Fusion Analysis",
        "Exercise 3: ROCm Tools Deep Dive",
        "90 min in the document",
        "v4-ex1-c Part C: Roofline Analysis",
        "the document gives no time",
    ] {
        assert!(list.out.contains(part), "{part}: {}", list.out);
    }
    let all = home.line("exercises --document --json").json();
    let found = |name: &str| -> Vec<String> {
        let ran = home.line(&format!("check {name} --json")).json();
        let list = ran.as_array().cloned().unwrap_or_else(|| vec![ran]);
        list.iter()
            .map(|e| e["exercise"].as_str().unwrap().to_owned())
            .collect()
    };
    for exercise in all["exercises"].as_array().unwrap() {
        let ids = found(exercise["name"].as_str().unwrap());
        let parts = exercise["parts"].as_array().unwrap();
        let asked = parts
            .iter()
            .flat_map(|part| part["questions"].as_array().unwrap());
        // Every question that is listed is one of an exercise that is checked.
        for question in asked {
            let id = question.as_str().unwrap().split(' ').next().unwrap();
            assert!(ids.contains(&id.to_owned()), "{question}");
        }
    }
    assert_eq!(found("v4-ex1-b"), ["ex32"]);
    let said = home.line("check exercise1").out;
    assert!(
        said.contains("Exercise 1: Kernel Fusion Analysis: ex16 here."),
        "{said}"
    );
    assert!(said.contains("ex33, ex34 here."), "{said}");
    home.line("check v4-ex11")
        .refused(2, "did you mean v4-ex1?");
    home.line("hint v4-ex1").refused(2, "name one of them");
    assert!(home.line("hint v4-ex1-b").out.contains("\nex32 table: "));
}

#[test]
fn a_first_round_through_v1_keeps_the_answers_of_before() {
    let home = Home::new();
    home.write(
        "data/tinyllama-tutor/answers/ex1.toml",
        "block = \"17\"\nproducts = \"9\"\nforward = \"71\"\noutside = \"embed final_norm lm_head\"\ncounted = \"71\"\n",
    );
    let before = home.line("check ex1");
    assert!(before.out.contains("5 right, 7 open."), "{}", before.out);
    assert!(
        before.out.contains("Held against a run of V1 on cpu"),
        "{}",
        before.out
    );
    // By hand: seven weights and two products of 128 rows; sg and u in, m out; one of
    // twelve bytes; one write and one read of sg.
    let answers = [
        "flops=167,772,160",
        "bytes=786,432 B",
        "intensity=1/12",
        "bound=memory",
        "bound_gate=compute",
        "saved=524,288 B",
        "share=5.26 %",
    ];
    let mut line = vec!["check", "ex1"];
    line.extend(answers.iter().flat_map(|answer| ["--answer", answer]));
    let ran = home.args(&line);
    assert!(ran.out.contains("12 right."), "{}", ran.out);
}

#[test]
fn a_report_holds_what_was_earned_and_says_what_is_missing() {
    let home = Home::new();
    let made = home.line("report");
    assert_eq!((made.code, made.err.as_str()), (0, ""), "{made:?}");
    assert_eq!(
        made.out,
        "made      tutor-report.md\nmade      tutor-report.html\n"
    );
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    let empty = read("tutor-report.md");
    for part in [
        "Nothing was run yet",
        "`tinyllama-tutor compare --run`",
        "No study was made yet",
        "Nothing was answered yet.",
        "Nothing was predicted",
        "No claim of the documents was judged yet",
        "| Arithmetic intensity | open: tinyllama-tutor check ex34 --answer intensity=… |",
    ] {
        assert!(empty.contains(part), "{part}: {empty}");
    }
    home.args(&[
        "check",
        "ex34",
        "--answer",
        "launches=17",
        "--answer",
        "words=1",
    ]);
    home.args(&["check", "ex1", "--answer", "block=12"]);
    home.line("run --version v2 --backend cpu --seq 8 --runs 3");
    home.line("compare v1 v4 --run --backend cpu --seq 8 --runs 4");
    home.line("study scale --over batch --at 1,2,4");
    let again = home.line("report notes.md").out + &home.line("report tutor-report.html").out;
    assert_eq!(again, "made      notes.md\nreplaced  tutor-report.html\n");
    let text = read("notes.md");
    for part in [
        "| Kernel count reduction | 17 |",
        // What is wrong fills no template.
        "| Register usage per token | open: tinyllama-tutor check ex34 --answer words=… |",
        "| block | How many kernels does one block launch",
        "| 12 | slip | 1 | 0 |",
        "The plan of the newest run: V4",
        "- **job 2** V1 against V4: ",
        "### scale-1: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = read("tutor-report.html");
    assert!(page.matches("<svg").count() >= 3, "ribbon, roofline, chart");
    for fetched in ["src=", "<link", "<script"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    // Nothing names the learner's folders.
    let here = home.path().display().to_string();
    assert!(!text.contains(&here) && !page.contains(&here));

    home.write("mine.md", "my notes\n");
    home.line("report mine.md")
        .refused(2, "was not written by report");
    assert_eq!(read("mine.md"), "my notes\n");
    assert!(
        home.line("report mine.md --force")
            .out
            .starts_with("replaced")
    );
    home.line("report notes.txt")
        .refused(2, "neither in .md nor in .html");
    home.line("report nowhere/x.md")
        .refused(2, "cannot be written");
}

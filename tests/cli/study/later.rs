//! What a study leaves to later ones: a baseline, a calibration, settings.

use crate::program::Home;

/// A suite of two cases that takes a second or two.
const SUITE: &str = "v1 v4 --batches 1 --seqs 16 --runs 18 --backend cpu";

#[test]
fn a_suite_is_a_baseline_for_a_later_build() {
    let home = Home::new();
    let made = home.line(&format!("bench {SUITE} --save base.json --json"));
    assert_eq!(made.code, 0, "{made:?}");
    let document = made.json();
    assert_eq!(
        document["command"],
        format!("study bench {SUITE} --save base.json")
    );
    let cases = document["findings"]["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert!(case["held"].as_u64() > Some(0), "{case}");
        assert!(case["error"].as_f64() < Some(1e-4), "{case}");
        assert!(case["rounds"].as_array().unwrap().len() >= 9, "{case}");
    }
    // The same build: whatever the times are, memory and error are as they were.
    let same = home.line("regress --baseline base.json --json");
    assert_eq!(same.code, 0, "{same:?}");
    let found = &same.json()["findings"];
    assert_eq!(found["sheets"][0]["rows"].as_array().unwrap().len(), 2);
    // A wide table keeps the names of its cases.
    let said = home.line("regress --baseline base.json --no-keep").out;
    assert!(
        said.contains("workshop B1") && !said.contains('…'),
        "{said}"
    );
    assert!(said.lines().all(|l| l.chars().count() <= 80), "{said}");
    // A baseline that was thirty times as fast, more than a busy machine hides, and held half:
    // a real regression.
    let text = std::fs::read_to_string(home.path().join("base.json")).unwrap();
    let mut planted: serde_json::Value = serde_json::from_str(&text).unwrap();
    let case = &mut planted["findings"]["cases"][1];
    for time in case["rounds"].as_array_mut().unwrap() {
        *time = (time.as_f64().unwrap() / 30.0).into();
    }
    // As long as the build is the same, it is the machine that became slower.
    home.write("machine.json", &planted.to_string());
    let machine = home.line("regress --baseline machine.json --no-keep");
    assert_eq!(machine.code, 0, "{machine:?}");
    let said = machine.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("that is the machine, no regression."),
        "{said}"
    );
    planted["build"] = "0.1.0+another".into();
    let case = &mut planted["findings"]["cases"][1];
    case["held"] = (case["held"].as_u64().unwrap() / 2).into();
    home.write("fast.json", &planted.to_string());
    let slower = home.line("study regress --baseline fast.json --markdown");
    assert_eq!(slower.code, 1, "{slower:?}");
    assert!(
        slower.out.starts_with("### regress: against build"),
        "{}",
        slower.out
    );
    for part in [
        "workshop B1 S16 fp32 V4 takes",
        "times the time of the baseline @",
        "workshop B1 S16 fp32 V4 holds",
        "| case | before µs @ |",
    ] {
        assert!(slower.out.contains(part), "{part} in\n{}", slower.out);
    }
}

#[test]
fn a_baseline_of_another_device_or_model_is_refused_unless_it_is_asked_for() {
    let home = Home::new();
    let made = home.line(&format!("bench {SUITE} --save base.json --no-keep"));
    assert_eq!(made.code, 0, "{made:?}");
    let text = std::fs::read_to_string(home.path().join("base.json")).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
    other["device"] = "a machine of yesterday".into();
    home.write("other.json", &other.to_string());
    let refused = home.line("regress --baseline other.json");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("--anyway"), "{}", refused.err);
    let compared = home.line("regress --baseline other.json --anyway");
    assert!([0, 1].contains(&compared.code), "{compared:?}");
    assert!(compared.out.contains("another device"), "{}", compared.out);
    home.write("broken.json", "{");
    for (file, says) in [
        ("broken.json", "cannot be compared with"),
        ("none.json", "there is no such file"),
    ] {
        let refused = home.line(&format!("regress --baseline {file}"));
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains(says), "{}", refused.err);
    }
    // A study that is no suite.
    home.line("study ablate --fusions flash --no-keep");
    let study = home.line("study ablate --fusions flash --json").out;
    home.write("study.json", &study);
    let refused = home.line("regress --baseline study.json");
    assert!(refused.err.contains("no baseline"), "{}", refused.err);
}

#[test]
fn a_tolerance_is_judged_by_programs_that_are_wrong_on_purpose() {
    let home = Home::new();
    let ran = home.line("study validate v1 --dtypes fp32,bf16 --seq 8 --backend cpu --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let document = ran.json();
    let sheets = document["findings"]["sheets"].as_array().unwrap();
    let of = |name: &str| sheets.iter().find(|s| s["name"] == name).unwrap();
    let rows = of("tolerances, of the logits")["rows"].as_array().unwrap();
    // Relative to the logits bf16 fails 1e-4, and a wrong ε passes it; the check here
    // fails every wrong program.
    assert_eq!(rows[1][2].as_f64(), Some(1.0));
    assert!(rows[1][4].as_f64() >= Some(1.0), "{rows:?}");
    assert_eq!(rows[2][4].as_f64(), Some(0.0));
}

#[test]
fn a_machine_is_calibrated_once_and_its_prices_are_used() {
    let home = Home::new();
    let before = home.line("run --fuse auto --backend cpu --seq 4 --runs 1 --no-check");
    let before = before.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(before.contains("recorded on NVIDIA H200"), "{before}");
    let made = home.line("study predict v1 v4 --backend cpu --runs 2 --seq 16 --budget 60 --json");
    assert_eq!(made.code, 0, "{made:?}");
    let document = made.json();
    let plans = document["findings"]["sheets"][0]["rows"]
        .as_array()
        .unwrap();
    assert_eq!(plans.len(), 2);
    for row in plans {
        let [time, low, high] = [1, 2, 3].map(|at| row[at].as_f64().unwrap());
        assert!(low <= time && time <= high && time > 0.0, "{row}");
    }
    // Without a run, and no slower than that.
    let again = home.line("study predict v1 --backend cpu --seq 16");
    assert_eq!(again.code, 0, "{again:?}");
    assert!(
        again.out.contains("--calibrate does it anew"),
        "{}",
        again.out
    );
    for text in again.out.lines() {
        assert!(text.chars().count() <= 80, "{text}");
    }
    // A run of what was predicted is set beside it.
    let ran = home.line("run --backend cpu --seq 16 --runs 3 --no-check");
    assert_eq!(ran.code, 0, "{ran:?}");
    let after = home.line("study predict v1 --backend cpu --seq 16");
    assert!(after.out.contains("past prediction"), "{}", after.out);
    let auto = home.line("run --fuse auto --backend cpu --seq 4 --runs 1 --no-check");
    // However the lines are broken.
    let auto = auto.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(auto.contains("as study predict measured them"), "{auto}");
    let plan = home.line("study plan --backend cpu");
    assert!(
        plan.out.contains("as study predict measured them"),
        "{}",
        plan.out
    );
    // A typed price is that of a roof again.
    let typed = home.line("study plan --backend cpu --launch 1");
    assert!(typed.out.contains("under the roof of"), "{}", typed.out);
}

#[test]
fn settings_that_were_kept_are_used_and_said_until_they_are_left_out() {
    let home = Home::new();
    let made = home.line("study tune --backend cpu --seq 16 --points 3 --no-check --json");
    assert_eq!(made.code, 0, "{made:?}");
    let document = made.json();
    let rows = document["findings"]["sheets"][0]["rows"]
        .as_array()
        .unwrap();
    assert_eq!(rows.len(), 4);
    // Whatever the times say: what is kept is what a run takes.
    let mut config =
        plan::cost::Config::preset("workshop", plan::fusion::Version::V3.cut()).unwrap();
    (config.shape.seq, config.shape.context) = (16, 16);
    let learned = serde_json::json!({
        "schema": 1,
        "tuned": [{
            "build": document["build"], "study": "tune-9", "time": "",
            "of": {
                "kernel": "tiles", "settings": { "rows": 8 }, "study": "tune-9",
                "device": document["device"],
                "config": config,
            },
        }],
    });
    home.write("data/tinyllama-tutor/learned.json", &learned.to_string());
    let run = "run --version v3 --seq 16 --backend cpu --runs 1";
    let ran = home.line(run);
    assert!(
        ran.out.contains("tiles as study tune-9 found it: rows 8"),
        "{}",
        ran.out
    );
    let held = home.line(&format!("{run} --json")).json();
    assert_eq!(held["check"]["pass"], true);
    let without = home.line(&format!("{run} --untuned"));
    assert!(!without.out.contains("tune-9"), "{}", without.out);
    // Another shape is another thing.
    let other = home.line("run --version v3 --seq 17 --backend cpu --runs 1 --no-check");
    assert!(!other.out.contains("tune-9"), "{}", other.out);
}

//! `study`: listed, made, kept, shown; what cannot be is refused.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::program::{Home, Ran};

/// A small run on the CPU: a moment for all of it.
const SMALL: &str = "--run --seq 4 --runs 18 --backend cpu --no-check";

#[test]
fn the_list_of_studies_says_of_each_what_varies_and_how_it_ends() {
    let home = Home::new();
    let listed = home.line("study");
    assert_eq!((listed.code, listed.err.as_str()), (0, ""));
    let document = home.line("study --json").json();
    let studies = document["studies"].as_array().unwrap();
    assert!(studies.len() >= 4);
    for study in studies {
        let name = study["name"].as_str().unwrap();
        assert!(listed.out.contains(&format!("study {name}\n")), "{name}");
        for part in ["asks", "varies", "held", "finds", "reduced", "ends"] {
            assert!(!study[part].as_str().unwrap().is_empty(), "{name}: {part}");
        }
        // Each of them is a command.
        let help = home.args(&["study", name, "--help"]);
        assert_eq!(help.code, 0, "{help:?}");
    }
}

#[test]
fn a_study_is_kept_and_shown_again_the_same() {
    let home = Home::new();
    assert!(home.line("study list").out.contains("No study is kept"));
    let made = home.line("study ablate --fusions flash,silu_mul");
    assert_eq!((made.code, made.err.as_str()), (0, ""));
    assert!(made.out.contains("flash saves most bytes"), "{}", made.out);
    assert!(made.out.contains("Kept as ablate-1"), "{}", made.out);
    let again = home.line("study ablate --fusions flash,silu_mul --one");
    assert!(again.out.contains("Kept as ablate-2"), "{}", again.out);
    let shown = home.line("study show ablate-1").out;
    assert!(
        made.out.starts_with(shown.trim_end()),
        "{shown}\n{}",
        made.out
    );
    assert_eq!(home.line("study show 1").out, shown);
    let list = home.line("study list --json").json();
    let kept = list["studies"].as_array().unwrap();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0]["command"], "study ablate --fusions flash,silu_mul");
    let document = home.line("study show 1 --json").json();
    assert_eq!(
        (document["schema"].as_u64(), &document["id"]),
        (Some(1), &"ablate-1".into())
    );
    assert!(
        document["build"]
            .as_str()
            .unwrap()
            .starts_with(env!("CARGO_PKG_VERSION"))
    );
    // All numbers of a table, one line per row.
    let csv = home.line("study show 1 --csv").out;
    let rows = document["findings"]["sheets"][0]["rows"]
        .as_array()
        .unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(
        csv.starts_with("plan,launches =,bytes MB =,saved % =\n"),
        "{csv}"
    );
    assert!(
        home.line("study show 1 --csv --sheet 2")
            .out
            .starts_with("fusion,")
    );
}

#[test]
fn not_kept_leaves_nothing() {
    let home = Home::new();
    let made = home.line("study scale --over batch --no-keep");
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.out.contains("FLOPs grow as B^1.00"), "{}", made.out);
    assert!(!made.out.contains("Kept as"));
    assert!(home.line("study list").out.contains("No study is kept"));
}

#[test]
fn a_measured_study_has_times_with_their_spread() {
    let home = Home::new();
    let ran = home.line(&format!("study ablate --fusions flash --json {SMALL}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let document = ran.json();
    let plans = &document["findings"]["sheets"][0];
    let heads: Vec<&str> = plans["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["source"].as_str().unwrap())
        .collect();
    assert_eq!(
        heads,
        [
            "given", "modelled", "modelled", "modelled", "measured", "measured"
        ]
    );
    for row in plans["rows"].as_array().unwrap() {
        assert!(row[4].as_f64() > Some(0.0), "{row}");
    }
    // Whatever the times show, it is said with an interval or not at all.
    let said = document["findings"]["sentences"].as_array().unwrap();
    let last = said.last().unwrap().as_str().unwrap();
    assert!(last.starts_with("The times show an effect of"), "{last}");
    assert!(!document["device"].as_str().unwrap().is_empty());
}

#[test]
fn a_study_of_the_model_is_of_the_device_of_the_course_and_says_which() {
    let home = Home::new();
    for (line, sheet) in [
        ("precision", true),
        ("batch-size", true),
        ("plan", false),
        ("occupancy --backend simt", true),
        ("sick low-occupancy --backend simt", true),
    ] {
        let made = home.line(&format!("study {line} --gpu mi300x --json --no-keep"));
        assert_eq!(made.code, 0, "{line}: {made:?}");
        let document = made.json();
        assert_eq!(
            document["command"],
            format!("study {line} --gpu mi300x"),
            "{line}"
        );
        let said = document["findings"].to_string();
        assert!(said.contains("MI300X"), "{line}: {said}");
        assert!(!said.contains("of NVIDIA H200"), "{line}: {said}");
        let noted = said.contains("those of AMD Instinct MI300X");
        assert_eq!(noted, sheet, "{line}: {said}");
    }
    // Named or not, the device stands in what is kept of it, and nowhere else.
    home.line("study precision");
    home.line("study ablate --one --gpu mi300x");
    let kept = home.line("study list --json").json();
    let commands = [0, 1].map(|at| kept["studies"][at]["command"].clone());
    assert_eq!(
        commands,
        ["study precision --gpu h200", "study ablate --one"]
    );
}

#[test]
fn a_long_name_goes_on_in_the_next_line() {
    let home = Home::new();
    let made = home.line("study ablate --one --no-keep --rows 99");
    // All but one of them: longer than a terminal is wide.
    let document = home.line("study ablate --one --no-keep --json").json();
    let rows = document["findings"]["sheets"][0]["rows"]
        .as_array()
        .unwrap();
    let names = rows.iter().map(|row| row[0].as_str().unwrap());
    let long: Vec<&str> = names.filter(|name| name.len() > 60).collect();
    assert!(!long.is_empty());
    for name in long.iter().flat_map(|name| name.split(" + ")) {
        assert!(made.out.contains(name), "{name} in\n{}", made.out);
    }
    assert!(!made.out.contains('…'), "{}", made.out);
}

#[test]
fn every_plan_is_compared_with_fp64_tensor_by_tensor() {
    let home = Home::new();
    let ran = home.line("study validate v1 v4 --dtypes fp32 --seq 4 --backend cpu");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("2 of 2 plans that were compared pass."),
        "{}",
        ran.out
    );
    let document = home.line("study show 1 --json").json();
    // Embedding and four blocks: the error of each block's output.
    let grown = &document["findings"]["sheets"][3];
    assert_eq!(grown["rows"].as_array().unwrap().len(), 2 * 4);
    assert!(grown["rows"][3][2].as_f64() > Some(0.0));
}

#[test]
fn what_a_shell_prints_fits_into_eighty_columns() {
    let home = Home::new();
    for line in [
        "study".to_owned(),
        "study ablate".to_owned(),
        "study plan --model small --seq 512".to_owned(),
        format!("study scale --over seq --at 1,2,4,8 {SMALL}"),
        format!("study batch-size --memory 11MB --latency 10ms {SMALL}"),
        "study batch-size --memory 80% --model tinyllama-1.1b --seq 512".to_owned(),
        "study validate v1 v2 --seq 4".to_owned(),
        "study scale --over preset".to_owned(),
        format!("study precision {SMALL}"),
        "study precision".to_owned(),
        "study tune --points 2 --seq 4 --backend cpu --no-check".to_owned(),
        "study list".to_owned(),
    ] {
        let ran = home.line(&line);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        for text in ran.out.lines() {
            assert!(text.chars().count() <= 80, "{line}: {text}");
        }
        let plain = home.line(&format!("{line} --plain --ascii"));
        assert!(plain.out.is_ascii(), "{line}: {}", plain.out);
    }
}

#[test]
fn what_cannot_be_is_one_sentence() {
    let home = Home::new();
    for (line, word) in [
        ("study ablate --fusions flesh", "flash"),
        ("study ablate --budget 0", "minutes"),
        ("study scale --over depth", "layers"),
        ("study scale --over width --at 64,65", "multiple of"),
        ("study scale --over seq --at 64", "two sizes"),
        ("study scale --over preset --at smal,workshop", "small"),
        ("study scale --over seq --at 64,x", "16,32,64"),
        ("study precision --dtype bf16", "leave --dtype bf16 out"),
        ("study predict --held-out 61 --backend cpu", "60"),
        ("study predict --backend simt", "no clock"),
        ("study predict --runs 0 --backend cpu", "1 or more"),
        ("study tune gem --backend cuda", "Did you mean gemm"),
        ("study tune gemm --backend cpu", "tiles"),
        ("study tune --points 1 --backend cpu", "2 to 1000"),
        ("study plan --launch -1", "microseconds"),
        ("study batch-size --memory 800", "16GB"),
        ("study batch-size --memory 180%", "80%"),
        ("study batch-size --memory 1kB", "not even one sequence"),
        ("study batch-size --latency 10", "10ms"),
        ("study plan --gpu h20", "h200"),
        ("study show ablate-9", "none is kept yet"),
        ("study validate v9", "v1"),
        ("study validate --dtypes fp8", "bf16"),
        ("study scale --fuse auto", "study plan"),
        ("run --fuse auto --version v2", "leave --version"),
    ] {
        let ran = home.line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {ran:?}");
        assert!(ran.err.contains(word), "{line}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
    }
}

#[test]
fn a_sweep_that_would_take_long_says_so_and_offers_a_smaller_one() {
    let home = Home::new();
    let ran = home.line("study scale --over seq --at 4,8 --run --backend cpu --no-check --runs 100000 --budget 0.01");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for word in ["would take about", "--at", "--budget"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

#[test]
fn a_huge_model_is_refused_before_anything_runs() {
    let home = Home::new();
    let ran = home.line("study scale --over seq --at 512,1024 --model tinyllama-1.1b --run --backend cpu --no-check --budget 0.01");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for word in ["would take about", "nothing was run", "--at", "--budget"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

#[test]
fn sizes_that_do_not_fit_are_said_and_the_others_stay() {
    let home = Home::new();
    let ran = home.line(
        "study scale --over batch --at 1,100000000 --seq 4 --run --runs 16 --backend cpu --no-check --budget 1000000000",
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("batch 100000000: "), "{}", ran.out);
}

#[test]
fn a_kept_study_that_is_broken_says_which_file() {
    let home = Home::new();
    home.write("data/tinyllama-tutor/studies/ablate-1.json", "{");
    let ran = home.line("study show 1");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("ablate-1.json"), "{}", ran.err);
    assert_eq!(home.line("study list").code, 0);
    // The next one gets a number of its own.
    assert!(
        home.line("study scale --over batch")
            .out
            .contains("Kept as scale-2")
    );
}

/// Begins a study that says how far it is.
fn begin(home: &Home, line: &str) -> Child {
    home.command()
        .args(line.split_whitespace())
        .arg("--progress")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How many steps are timed: 3 of `timing 3 of 60`.
fn timed(line: &str) -> Option<u64> {
    let (done, _) = line.strip_prefix("timing ")?.split_once(" of ")?;
    done.parse().ok()
}

/// Ctrl-C once that many steps are timed (steps that follow each other fast are not all
/// said): what it said from then on.
fn stop_after(child: &mut Child, steps: u64) -> Vec<String> {
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let reached = said.find(|line| timed(line.as_ref().unwrap()) >= Some(steps));
    assert!(reached.is_some(), "it ended before");
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    said.map(Result::unwrap).collect()
}

#[test]
fn a_stop_keeps_what_was_measured() {
    let home = Home::new();
    let mut child = begin(
        &home,
        "study ablate --fusions qkv,flash --runs 1000000 --seq 4 --run --backend cpu --no-check --budget 1000000",
    );
    stop_after(&mut child, 40);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.out.contains("Stopped before its end"), "{}", ran.out);
    let kept = home.line("study show 1 --json").json();
    assert_eq!(kept["stopped"], true);
    assert!(kept["findings"]["sheets"][0]["rows"][0][4].as_f64() > Some(0.0));
}

#[test]
fn a_stop_keeps_the_working_sets_that_were_measured() {
    let home = Home::new();
    let mut child = begin(&home, "study hierarchy --backend cpu --to 256MiB");
    // Each line is said once.
    let mut rest = stop_after(&mut child, 3);
    let lines = rest.len();
    rest.dedup();
    assert_eq!(rest.len(), lines);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.out.contains("Stopped before its end"), "{}", ran.out);
    let kept = home.line("study show 1 --json").json();
    assert_eq!(kept["stopped"], true);
    let sets = kept["findings"]["sheets"][0]["rows"].as_array().unwrap();
    assert!(sets.len() >= 3, "{sets:?}");
    assert!(sets[0][1].as_f64() > Some(0.0));
}

#[test]
fn a_round_is_told_once_and_what_was_made_ready_before_is_no_step() {
    let home = Home::new();
    let ran = home.line(&format!("study ablate --fusions flash --progress {SMALL}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    // Two plans in nine rounds: each is made ready once, and once more to see how long it takes.
    let ready = ran.err.lines().filter(|line| line.starts_with("prepare"));
    assert!((1..=3).contains(&ready.count()), "{}", ran.err);
    // A new phase is always said; steps that follow each other fast are not.
    assert!(ran.err.contains("timing 0 of 18"), "{}", ran.err);
}

#[test]
fn auto_is_the_plan_that_the_study_names() {
    let home = Home::new();
    let study = home.line("study plan --json").json();
    let plan = &study["findings"]["sheets"][0]["rows"][0];
    let launches = plan[1].as_u64().unwrap_or(plan[1].as_f64().unwrap() as u64);
    let cost = home.line("cost --fuse auto --json").json();
    assert_eq!(cost["block"]["launches"].as_u64(), Some(launches), "{plan}");
    let run = home
        .line("run --fuse auto --backend cpu --seq 4 --runs 0 --json")
        .json();
    assert_eq!(run["check"]["pass"], true);
}

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
fn a_study_is_markdown_or_a_picture_too() {
    let home = Home::new();
    let text = home.line("study scale --over seq --markdown --no-keep").out;
    assert!(text.starts_with("### scale: workshop"), "{text}");
    assert!(text.contains("| seq | MFLOP = |"), "{text}");
    let svg = home.line("study scale --over seq --svg --no-keep").out;
    assert!(svg.trim_start().starts_with("<svg"), "{svg}");
    let both = home.line("study scale --markdown --json");
    assert_eq!(both.code, 2);
    assert!(both.err.contains("two forms"), "{}", both.err);
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

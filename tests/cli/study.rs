//! `study`: listed, made, kept, shown; what cannot be is refused.

mod later;
mod stopped;

use crate::program::Home;

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

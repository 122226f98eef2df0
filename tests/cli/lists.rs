//! `lessons`, `exercises`, `show`, `gpus`, `doctor`, `completions`.

use crate::program::Home;

#[test]
fn lists_are_the_same_for_people_and_programs() {
    let home = Home::new();
    let lessons = home.line("lessons --json").json();
    let list = home.line("lessons").out;
    for lesson in lessons["lessons"].as_array().unwrap() {
        // A long title goes on in the next line.
        let words = lesson["title"].as_str().unwrap().split_whitespace();
        assert!(
            words.into_iter().all(|word| list.contains(word)),
            "{lesson}"
        );
        assert_eq!(lesson["read"], 0);
    }
    let exercises = home.line("exercises --json").json();
    let questions: u64 = exercises["exercises"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["total"].as_u64().unwrap())
        .sum();
    assert_eq!(
        home.line("progress --json").json()["questions"]["total"],
        questions
    );
}

#[test]
fn a_lesson_by_number_by_id_and_by_name() {
    let home = Home::new();
    let by_id = home.line("show 07-v1-census");
    assert_eq!((by_id.code, by_id.err.as_str()), (0, ""));
    for other in ["7", "07", "v1-census"] {
        assert_eq!(
            home.line(&format!("show {other}")).out,
            by_id.out,
            "{other}"
        );
    }
    let section = home.line("show 7 2").out;
    assert!(section.starts_with("## 07-v1-census A count needs its list, section 2 of 11: "));
    assert!(by_id.out.contains(&section));
    // What is predicted there is not told to a pipe, unless it asks.
    assert!(
        section.contains("Predict before you read on: "),
        "{section}"
    );
    assert!(
        !section.contains("  it is ") && !section.contains("Command: "),
        "{section}"
    );
    let section = home.line("show 7 2 --answers").out;
    assert!(section.contains("  it is "), "{section}");
    // The command of a live block is one that works.
    let command = section
        .lines()
        .find_map(|l| l.trim().strip_prefix("Command: tinyllama-tutor "));
    let ran = home.line(&format!("{} --runs 0", command.unwrap()));
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_gpu_database_with_its_doubts() {
    let home = Home::new();
    let all = home.line("gpus --json").json();
    let gpus = all["gpus"].as_array().unwrap();
    let h200 = gpus.iter().find(|g| g["id"] == "h200").unwrap();
    // 66.9e12 / 4.8e12
    assert!((h200["ridge_fp32"].as_f64().unwrap() - 13.9375).abs() < 1e-9);
    let table = home.line("gpus");
    assert!(table.out.lines().all(|l| l.chars().count() <= 80));
    assert!(
        table.out.contains("122.9?"),
        "an unconfirmed value without its mark"
    );
    let one = home.line("gpus h200");
    assert!(one.out.contains("bandwidth_gbs") && one.out.contains("source"));
    assert_eq!(home.line("gpus h200 --json").json()["gpu"]["id"], "h200");
}

#[test]
fn the_doctor_says_what_there_is_and_what_is_not() {
    let home = Home::new();
    let ran = home.line("doctor --json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let found = ran.json();
    let state = |name: &str| {
        let all = found["backends"].as_array().unwrap();
        let one = all.iter().find(|b| b["name"] == name).unwrap();
        (one["state"].clone(), one["device"].clone())
    };
    assert_eq!(state("cpu").0, "ready");
    assert_eq!(state("simt").0, "ready");
    // It depends on the machine, and says what it found or what is missing.
    for name in ["cuda", "hip"] {
        let (gpu, device) = state(name);
        assert!(gpu == "ready" || gpu == "none", "{name}: {gpu}");
        assert_ne!(device, "", "{name}");
    }
    assert!(found["cpu"]["threads"].as_u64() >= Some(1));
    assert_eq!(found["terminal"]["term"], "xterm-256color");
    assert_eq!(found["terminal"]["characters"], "UTF-8");
    assert_eq!(found["terminal"]["size"], serde_json::Value::Null);
    assert_eq!(found["files"]["state"], "~/data/tinyllama-tutor");
    assert_eq!(found["files"]["state_refused"], serde_json::Value::Null);
    let said = home.line("doctor").out;
    for needle in [
        "cuda",
        "hip",
        "TERM xterm-256color",
        "can be written",
        "built in",
    ] {
        assert!(said.contains(needle), "no “{needle}” in {said}");
    }
}

#[test]
fn shells_get_their_completions() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = home.line(&format!("completions {shell}"));
        assert_eq!(ran.code, 0);
        assert!(
            ran.out.contains("tinyllama-tutor") && ran.out.contains("compare"),
            "{shell}"
        );
    }
}

#[test]
fn paths_are_listed_walked_and_followed() {
    let home = Home::new();
    let list = home.line("path").out;
    assert!(
        list.contains("three-hours") && list.contains("0/15"),
        "{list}"
    );
    let all = home.line("path --json").json();
    assert_eq!(all["followed"], "three-hours");
    let short = &all["paths"][0];
    let minutes: u64 = short["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["minutes"].as_u64().unwrap())
        .sum();
    assert!(minutes <= 180 && short["minutes"] == 180);
    let one = home.line("path three-hours").out;
    assert!(
        one.contains("Next: tinyllama-tutor show 00-welcome"),
        "{one}"
    );
    assert_eq!(home.line("path one-day --follow").code, 0);
    assert_eq!(home.line("path --json").json()["followed"], "one-day");
    let unknown = home.line("path week");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("three-hours"), "{unknown:?}");
}

#[test]
fn kernels_are_listed_and_printed_and_so_is_the_same_in_pytorch() {
    let home = Home::new();
    let all = home.line("kernel --json").json();
    let launches = all["launches"].as_array().unwrap();
    let of = |ops: &[&str]| {
        let found = launches.iter().find(|l| l["ops"] == serde_json::json!(ops));
        found.unwrap()
    };
    // Square, mean, epsilon, root, times the row, times gamma; a residual is one more.
    assert_eq!(of(&["norm1"])["torch_ops"], 6);
    assert_eq!(of(&["res1", "norm2"])["torch_ops"], 7);
    assert_eq!(of(&["o"])["kernel"], "gemm");
    let table = home.line("kernel");
    let row = table
        .out
        .lines()
        .find(|l| l.contains("res1 norm2"))
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    let expected = ["residual_norm", "res1", "norm2", "residual_norm", "7"];
    assert_eq!(cells, expected);

    let source = home.line("kernel rmsnorm").out;
    assert!(source.starts_with("// rmsnorm:"), "{source}");
    assert!(source.contains("KERNEL void rmsnorm("), "{source}");
    // One file that runs by itself, for every kernel of the row.
    let torch = home.line("kernel flash_decode --torch").out;
    assert!(torch.starts_with("import torch\n\n\ndef "), "{torch}");
    assert_eq!(torch.matches("import").count(), 1, "{torch}");
    for name in ["flash", "qk", "softmax", "pv"] {
        assert_eq!(torch.matches(&format!("def {name}(")).count(), 1, "{torch}");
    }
}

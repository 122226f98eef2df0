//! `run` and `compare --run`: launches counted where kernels start, outputs
//! against fp64, logits against `transformers`.

use serde_json::Value;
use tinyllama_tutor::backend::npy;

use crate::program::{Home, data};

/// Every version and every fusion alone, with the launches of a forward of
/// four blocks. V1 has 17 per block and 3 outside; a wall that is taken down
/// saves one per block. `norm_residual` takes down two, the second one between
/// blocks and before `final_norm`.
const PLANS: [(&str, u64); 17] = [
    ("--version v1", 17 * 4 + 3),
    ("--version v2", 11 * 4 + 3),
    ("--version v3", 8 * 4 + 3),
    ("--version v4", 4 + 3),
    ("--fuse qkv", 15 * 4 + 3),
    ("--fuse rope", 14 * 4 + 3),
    ("--fuse flash", 15 * 4 + 3),
    ("--fuse gate_up", 16 * 4 + 3),
    ("--fuse silu_mul", 16 * 4 + 3),
    ("--fuse swiglu", 14 * 4 + 3),
    ("--fuse norm_residual", 15 * 4 + 3),
    ("--fuse o_residual", 16 * 4 + 3),
    ("--fuse down_residual", 16 * 4 + 3),
    ("--fuse norm_qkv", 14 * 4 + 3),
    ("--fuse norm_gate", 15 * 4 + 3),
    ("--fuse block", 4 + 3),
    ("--fuse forward", 1),
];

/// The same with two blocks: 4 blocks of n and 3 are 2 blocks of n and 3.
fn with_two_blocks(launches: u64) -> u64 {
    match launches {
        1 => 1,
        n => (n - 3) / 2 + 3,
    }
}

fn run(options: &str) -> Value {
    let ran = Home::new().line(&format!("run --json --runs 1 {options}"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{options}");
    ran.json()
}

/// Counted launches are `want`, and the outputs are those of fp64.
fn is_right(options: &str, want: u64) {
    let report = run(options);
    assert_eq!(report["launches"]["counted"], want, "{options}");
    assert_eq!(report["plan"]["launches"], want, "{options}");
    assert_eq!(report["launches"]["library"], 0, "{options}");
    let check = &report["check"];
    assert_eq!(check["pass"], true, "{options}: {check}");
    assert_eq!(check["reference"], "fp64");
    assert_eq!(check["first_wrong"], Value::Null);
    let (error, allowed) = (&check["rel_error"], &check["tolerance"]);
    assert!(error.as_f64() <= allowed.as_f64(), "{options}: {check}");
    assert!(
        report["time_us"]["median"].as_f64() > Some(0.0),
        "{options}"
    );
}

#[test]
fn every_plan_at_the_workshop_default() {
    for (plan, launches) in PLANS {
        is_right(plan, launches);
    }
}

#[test]
fn every_plan_in_bf16() {
    for (plan, launches) in PLANS {
        is_right(&format!("{plan} --dtype bf16 --seq 32"), launches);
    }
}

#[test]
fn every_plan_in_decode() {
    for (plan, launches) in PLANS {
        is_right(&format!("{plan} --seq 1 --context 64"), launches);
    }
}

#[test]
fn every_plan_with_one_key_head_and_with_as_many_as_heads() {
    for model in ["mqa", "mha"] {
        let file = data(&format!("models/{model}.toml"));
        for (plan, launches) in PLANS {
            let options = format!("{plan} --model {file} --batch 2 --seq 17");
            is_right(&options, with_two_blocks(launches));
        }
    }
}

#[test]
fn a_cut_by_hand_runs_as_it_says() {
    let home = Home::new();
    // 4 groups per block.
    let cut = "norm1 q|k v rope qk softmax|pv o res1 norm2 gate up|silu mul down res2";
    let ran = home.args(&[
        "run", "--json", "--runs", "0", "--seq", "16", "--groups", cut,
    ]);
    let report = ran.json();
    assert_eq!(ran.code, 0);
    assert_eq!(report["launches"]["counted"], 4 * 4 + 3);
    assert_eq!(report["plan"]["groups"], cut);
    assert_eq!(report["check"]["pass"], true);
    // Counted and checked, not timed.
    assert_eq!(report["time_us"], Value::Null);
}

#[test]
fn the_report_has_the_keys_of_schema_1() {
    let report = run("--seq 8");
    for pointer in [
        "/schema",
        "/backend",
        "/device",
        "/plan/fusions",
        "/plan/launches",
        "/launches/counted",
        "/launches/library",
        "/time_us/median",
        "/time_us/min",
        "/time_us/max",
        "/time_us/mad",
        "/time_us/runs",
        "/time_us/how",
        "/bytes/modelled",
        "/bytes/issued",
        "/bytes/compulsory",
        "/bytes/estimated_dram",
        "/bytes/measured_dram",
        "/check/reference",
        "/check/max_abs_error",
        "/check/rel_error",
        "/check/tolerance",
        "/check/pass",
        "/check/first_wrong",
        "/output/shape",
        "/output/sha256",
        "/output/sample",
    ] {
        assert!(report.pointer(pointer).is_some(), "no {pointer}");
    }
    assert_eq!(report["schema"], 1);
    assert_eq!(report["backend"], "cpu");
    assert_eq!(report["output"]["shape"], serde_json::json!([1, 8, 1000]));
    assert_eq!(report["bytes"]["issued"], Value::Null);
}

#[test]
fn a_seed_makes_a_model_and_its_tokens() {
    let hash = |options: &str| run(&format!("--seq 8 {options}"))["output"]["sha256"].clone();
    assert_eq!(hash("--seed 1"), hash(""));
    assert_ne!(hash("--seed 2"), hash(""));
}

#[test]
fn logits_agree_with_transformers() {
    let home = Home::new();
    for name in ["llama-tiny", "llama-tiny-tied"] {
        let folder = data(name);
        for version in ["v1", "v2", "v3", "v4"] {
            let ran = home.line(&format!(
                "run --json --runs 0 --version {version} --weights {folder} --tokens {folder}/tokens.json --logits ours-{name}-{version}.npy"
            ));
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name} {version}");
            let ours = npy::load(&home.path().join(format!("ours-{name}-{version}.npy"))).unwrap();
            let theirs = npy::load(format!("{folder}/logits.npy").as_ref()).unwrap();
            assert_eq!(ours.shape, theirs.shape);
            let size = |values: &[f32]| values.iter().fold(0.0, |m: f32, v| m.max(v.abs()));
            let pairs = ours.values.iter().zip(&theirs.values);
            let off = pairs.fold(0.0, |m: f32, (o, t)| m.max((o - t).abs()));
            // tests/huggingface.rs allows the reference 2.4e-5 of the largest
            // logit; ours rounds to fp32 on its own way, as theirs does: twice.
            let allowed = 4.8e-5 * size(&theirs.values);
            assert!(off < allowed, "{name} {version}: {off} > {allowed}");
        }
    }
}

#[test]
fn tokens_say_the_shape_unless_it_is_given() {
    let home = Home::new();
    let folder = data("llama-tiny");
    let of = |options: &str| {
        let files = format!("--weights {folder} --tokens {folder}/tokens.json");
        home.line(&format!("run --json --runs 0 {files} {options}"))
    };
    // 2 sequences of 11; vocab as in its config.json.
    for (options, rows) in [
        ("", 11),
        ("--context 11", 11),
        ("--seq 4", 4),
        ("--batch 2", 11),
    ] {
        let ran = of(options);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{options}");
        let shape = &ran.json()["output"]["shape"];
        assert_eq!(
            (&shape[0], &shape[1]),
            (&2.into(), &rows.into()),
            "{options}"
        );
    }
    for options in ["--batch 3", "--context 9", "--seq 14"] {
        of(options).refused_json(2);
    }
}

#[test]
fn compare_lists_reports_with_their_costs() {
    let home = Home::new();
    let ran = home.line("compare v1 v2 v3 v4 --json --run --runs 1 --seq 8");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let list = ran.json();
    let launches: Vec<u64> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|o| {
            assert_eq!(o["schema"], 1);
            assert_eq!(o["check"]["pass"], true);
            assert_eq!(o["cost"]["schema"], 1);
            assert_eq!(o["cost"]["forward"]["launches"], o["launches"]["counted"]);
            o["launches"]["counted"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(launches, [71, 47, 35, 7]);
    // Without --run only the model speaks.
    let priced = home.line("compare --json").json();
    assert_eq!(priced.as_array().unwrap().len(), 4);
    assert_eq!(priced[0]["schema"], 1);
    assert_eq!(priced[3]["cost"]["forward"]["bytes"], 12_686_848);
    assert_eq!(priced[0].get("launches"), None);
}

#[test]
fn compare_runs_each_plan_as_a_stream_and_as_a_graph() {
    let home = Home::new();
    let ran = home.line("compare v1 v4 --run --both --runs 1 --seq 8 --json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let list = ran.json();
    let list = list.as_array().unwrap();
    let launches = list.iter().map(|o| o["launches"]["counted"].as_u64());
    assert_eq!(launches.collect::<Vec<_>>(), [71, 71, 7, 7].map(Some));
    for pair in list.chunks(2) {
        assert_eq!(pair[0]["check"]["reference"], "fp64");
        let graph = &pair[1]["check"];
        assert_eq!(graph["pass"], true);
        assert_eq!(
            graph["reference"],
            "its launches, bit by bit; they against fp64"
        );
        assert_eq!(pair[0]["output"]["sha256"], pair[1]["output"]["sha256"]);
        assert!(pair[1]["time_us"]["median"].as_f64().unwrap() > 0.0);
    }
    // The graphs have names of their own; and there are none where nothing runs.
    let side = home.line("compare v1 v4 --run --both --runs 1 --seq 8");
    assert!(
        side.out.contains("V1 graph") && side.out.contains("V4 graph"),
        "{}",
        side.out
    );
    home.line("compare v1 v4 --both").refused(2, "--run");
}

#[test]
fn a_person_reads_launches_check_and_time() {
    let home = Home::new();
    let ran = home.line("run --seq 8 --runs 2 --version v4");
    assert_eq!(ran.code, 0);
    for needle in [
        "V4: 1 launch per block, 7 per forward",
        "7 # counted",
        "pass",
        "2 runs",
    ] {
        assert!(ran.out.contains(needle), "no “{needle}” in {}", ran.out);
    }
    let side = home.line("compare v1 v4 --run --runs 1 --seq 8");
    for needle in [
        "launches =",
        "launches #, forward",
        "time µs @",
        "V1 to V4: 90.14 % fewer",
    ] {
        assert!(side.out.contains(needle), "no “{needle}” in {}", side.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_a_run_with_130() {
    use std::process::Stdio;
    let home = Home::new();
    let mut child = home
        .command()
        .args(["run", "--runs", "1000000", "--seq", "32", "--no-check"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // SIGTERM (15) is caught last: once bit 14 of SigCgt is set, SIGINT stops the run.
    let status = format!("/proc/{}/status", child.id());
    let caught = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mask = text.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
            .is_some_and(|m| m >> 14 & 1 == 1)
    };
    while child.try_wait().unwrap().is_none() && !caught() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(child.id(), libc::SIGINT);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.starts_with("tinyllama-tutor: "), "{said}");
    assert!(output.stdout.is_empty());
}

#[cfg(target_os = "linux")]
fn signal(process: u32, signal: i32) {
    // SAFETY: kill(2) takes two numbers; the child has not been waited for, so
    // its number is still its own.
    unsafe { libc::kill(process as i32, signal) };
}

/// The PTX of the kernels is executed: each is listed with what it asked for.
#[test]
fn counts_come_kernel_by_kernel() {
    let report = run("--backend simt --version v1 --seq 16 --count-bytes");
    let kernels = report["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 71);
    let of = |k: &Value, kind: &str| k["bytes"][kind].as_u64().unwrap();
    for kind in ["modelled", "issued", "compulsory", "estimated_dram"] {
        let sum: u64 = kernels.iter().map(|k| of(k, kind)).sum();
        assert_eq!(report["bytes"][kind], sum, "{kind}");
    }
    for k in kernels {
        assert!(of(k, "issued") >= of(k, "compulsory"), "{k}");
        // The causal triangle is half of what the model counts of softmax.
        if k["ops"][0] != "softmax" {
            assert_eq!(of(k, "compulsory"), of(k, "modelled"), "{k}");
        }
        let buffers = k["buffers"].as_array().unwrap();
        let issued: u64 = buffers.iter().map(|b| b["issued"].as_u64().unwrap()).sum();
        assert_eq!(issued, of(k, "issued"));
        assert!(buffers.iter().all(|b| b["inside"] == false), "{k}");
        assert!(k["work"]["instructions"].as_u64() > Some(0), "{k}");
    }
    // Lines are the screen's affair: too many for a document.
    assert!(kernels.iter().all(|k| k.get("lines").is_none()));
}

#[test]
fn a_fused_kernel_names_what_its_phases_hand_on() {
    let report = run("--backend simt --version v4 --seq 16 --count-bytes --no-check");
    let block = &report["kernels"][1];
    let buffers = block["buffers"].as_array().unwrap();
    let inside: Vec<_> = buffers.iter().filter(|b| b["inside"] == true).collect();
    let names: Vec<&str> = inside.iter().filter_map(|b| b["name"].as_str()).collect();
    // What V3 writes to memory between its kernels, V4 does between its phases.
    for name in ["qr", "att", "h", "m"] {
        let name = format!("{name} between phases");
        assert!(names.contains(&name.as_str()), "no {name} in {names:?}");
    }
    // They are all of the surplus: what else is moved is what the model says,
    // but for the norms' gammas, which are in the weights here.
    let of = |kind: &str| block["bytes"][kind].as_u64().unwrap();
    let handed: u64 = inside
        .iter()
        .map(|b| b["compulsory"].as_u64().unwrap())
        .sum();
    let gammas = 2 * 256 * 4;
    assert_eq!(of("compulsory") - handed, of("modelled") - gammas);
    let said =
        Home::new().line("run --backend simt --version v4 --seq 16 --count-bytes --no-check");
    for needle in ["compulsory #", "DRAM H200 =", " block        ", "m, h,"] {
        assert!(said.out.contains(needle), "no “{needle}” in {}", said.out);
    }
}

#[test]
fn counters_say_why_they_are_not_there() {
    for backend in ["simt", "cpu"] {
        let ran = Home::new().line(&format!(
            "run --json --backend {backend} --seq 8 --runs 0 --no-check --counters"
        ));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let report = ran.json();
        assert_eq!(report["bytes"]["measured_dram"], Value::Null);
        let why = format!("{backend} has no counters of DRAM");
        let mut notes = report["notes"].as_array().unwrap().iter();
        let told = notes.any(|note| note.as_str().is_some_and(|note| note.contains(&why)));
        assert!(told, "{}", report["notes"]);
    }
}

#[test]
fn compare_shows_the_kinds_of_bytes() {
    let options = "v3 v4 --run --backend simt --seq 16 --count-bytes --no-check";
    let ran = Home::new().line(&format!("compare {options}"));
    for needle in [
        "MB issued #, forward",
        "MB compulsory #, forward",
        "MB DRAM H200 =, forward",
        "V3, forward, kernel by kernel",
    ] {
        assert!(ran.out.contains(needle), "no “{needle}” in {}", ran.out);
    }
    let list = Home::new()
        .line(&format!("compare --json {options}"))
        .json();
    assert_eq!(list[0]["kernels"].as_array().unwrap().len(), 35);
    assert_eq!(list[1]["kernels"].as_array().unwrap().len(), 7);
}

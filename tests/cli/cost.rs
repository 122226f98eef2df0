//! `cost`: every value of docs/cost-model.md, through the binary.

use serde_json::Value;

use crate::program::{Home, data};

/// The options of a configuration of the page.
fn options(name: &str) -> &'static str {
    match name {
        "workshop B1" => "",
        "workshop B8" => "--batch 8",
        "part C" => "--model part-c",
        "TinyLlama prefill" => "--model tinyllama-1.1b --dtype bf16",
        "TinyLlama decode" => "--model tinyllama-1.1b --dtype bf16 --seq 1 --context 512",
        other => panic!("no configuration {other}"),
    }
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|l| !l.starts_with('#'))
}

#[test]
fn every_value_of_the_table() {
    let home = Home::new();
    let table = include_str!("../data/cost-model-values.txt");
    let mut checked = 0;
    for row in rows(table) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ran = home.line(&format!(
            "cost --json --version {} {}",
            cells[1],
            options(cells[0])
        ));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{row}");
        let cost = ran.json();
        let fields = [
            (2, "/block/launches"),
            (3, "/forward/launches"),
            (4, "/block/flops"),
            (5, "/block/bytes"),
            (6, "/block/weight_bytes"),
            (8, "/forward/flops"),
            (9, "/forward/bytes"),
            (10, "/peak_activation_bytes"),
        ];
        for (cell, pointer) in fields {
            let want: u64 = cells[cell].parse().unwrap();
            let got = cost.pointer(pointer).and_then(Value::as_u64);
            assert_eq!(got, Some(want), "{pointer} of {row}");
        }
        let intensity = cost["block"]["intensity"].as_f64().unwrap();
        assert_eq!(format!("{intensity:.4}"), cells[7], "{row}");
        checked += 1;
    }
    // 5 configurations of 7 plans.
    assert_eq!(checked, 35);
}

#[test]
fn every_kernel_of_v1() {
    let home = Home::new();
    let table = include_str!("../data/cost-model-kernels.txt");
    for row in rows(table) {
        let (name, kernels) = row.split_once(':').unwrap();
        let cost = home.line(&format!("cost --json {}", options(name))).json();
        let got: Vec<String> = cost["block"]["kernels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| {
                let name = k["name"].as_str().unwrap();
                // bytes = read + weight + written
                let parts = ["read_bytes", "weight_bytes", "written_bytes"];
                let sum: u64 = parts.iter().map(|p| k[p].as_u64().unwrap()).sum();
                assert_eq!(k["bytes"], sum, "{name}");
                format!("{name} {}/{}", k["flops"], k["bytes"])
            })
            .collect();
        let want: Vec<&str> = kernels.split(';').map(str::trim).collect();
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn the_document_has_the_keys_of_schema_1_in_their_order() {
    let text = Home::new().line("cost --json --version v4").out;
    let keys = [
        "schema",
        "model",
        "preset",
        "hidden",
        "layers",
        "heads",
        "kv_heads",
        "ffn",
        "vocab",
        "tied",
        "shape",
        "batch",
        "seq",
        "context",
        "dtype",
        "fusions",
        "conventions",
        "causal",
        "keep_kv",
        "rope_kernels",
        "rope_table",
        "block",
        "launches",
        "flops",
        "gemm_flops",
        "bytes",
        "weight_bytes",
        "intensity",
        "kernels",
        "name",
        "ops",
        "flops",
        "bytes",
        "read_bytes",
        "weight_bytes",
        "written_bytes",
        "intensity",
        "forward",
        "launches",
        "flops",
        "gemm_flops",
        "bytes",
        "weight_bytes",
        "intensity",
        "peak_activation_bytes",
        "kv_cache_bytes",
        "parameters",
        "tied",
        "untied",
    ];
    let mut rest = text.as_str();
    for key in keys {
        let at = rest.find(&format!("\"{key}\":"));
        let at = at.unwrap_or_else(|| panic!("no {key} after here: {rest}"));
        rest = &rest[at + key.len()..];
    }
}

#[test]
fn counting_options_reach_the_model() {
    let home = Home::new();
    let of = |options: &str, pointer: &str| {
        let cost = home.line(&format!("cost --json {options}")).json();
        cost.pointer(pointer).and_then(Value::as_u64).unwrap()
    };
    // Dense: 2·B·H·S·T·d = 2·8·128·128·32. Exact: S(S+1)/2 = 8256 pairs.
    assert_eq!(of("", "/block/kernels/5/flops"), 2 * 8 * 128 * 128 * 32);
    assert_eq!(
        of("--causal exact", "/block/kernels/5/flops"),
        2 * 8 * 8256 * 32
    );
    // Two RoPE launches per block, four blocks.
    assert_eq!(of("--rope-kernels 2", "/forward/launches"), 71 + 4);
    // The table is S·d elements, read once by the one RoPE kernel.
    let rope = "/block/kernels/4/read_bytes";
    assert_eq!(of("--rope-table", rope), of("", rope) + 128 * 32 * 4);
    // V4 keeps kr and v inside unless a cache is filled: 2·B·S·Dkv elements.
    let written = "/block/written_bytes";
    let sum = |options: &str| {
        assert_eq!(written.len(), 20);
        of(
            &format!("--version v4 {options}"),
            "/block/kernels/0/written_bytes",
        )
    };
    assert_eq!(
        sum("--keep-kv on"),
        sum("--keep-kv off") + 2 * 128 * 128 * 4
    );
    // bf16 halves every byte but the token ids'.
    assert_eq!(
        2 * of("--dtype bf16", "/block/bytes"),
        of("", "/block/bytes")
    );
}

#[test]
fn any_contiguous_cut_is_priced() {
    let home = Home::new();
    let v2 = "norm1|q k v|rope|qk softmax pv|o|res1|norm2|gate up|silu mul|down|res2";
    let cut = home.args(&["cost", "--json", "--groups", v2]).json();
    assert_eq!(cut, home.line("cost --json --version v2").json());
    let fused = home.line("cost --json --fuse qkv,flash,gate_up,silu_mul");
    assert_eq!(cut, fused.json());
    let unfused = home.line("cost --json --version v3 --unfuse norm_residual,swiglu");
    assert_eq!(cut, unfused.json());
}

#[test]
fn why_unfolds_a_figure_into_its_terms() {
    let home = Home::new();
    // Formulas and numbers by hand, from the ops' table.
    let cases = [
        (
            "kernel.softmax.bytes",
            "1,048,576 B",
            "B·H·S·T·4 B = 1·8·128·128·4 B",
        ),
        (
            "kernel.q.flops",
            "16,777,216 FLOP",
            "2·B·S·D² = 2·1·128·256²",
        ),
        ("block.launches", "17", "softmax"),
        ("block.bytes", "9,963,520 B", "weight Wq"),
        (
            "forward.flops",
            "743,116,160 FLOP",
            "2·B·S·D·V = 2·1·128·256·1000",
        ),
        ("kernel.q.intensity", "32.0000 FLOP/B", "16777216 / 524288"),
        ("kv", "524,288 B", "2·L·B·T·Dkv·4 B = 2·4·1·128·128·4 B"),
        ("peak", "1,245,184 B", "while softmax runs"),
        ("params.tied", "2,617,600", "V·D = 1000·256"),
        ("params.untied", "2,873,600", "256,000"),
    ];
    for (key, value, term) in cases {
        let ran = home.line(&format!("cost --why {key}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{key}");
        let first = ran.out.lines().next().unwrap();
        assert!(first.contains(&format!("{value} =")), "{key}: {first}");
        assert!(ran.out.contains(term), "{key}: no “{term}” in\n{}", ran.out);
    }
    // The same as a document, and the terms add up.
    let tree = home.line("cost --why block.bytes --json").json();
    let terms = tree["why"]["terms"].as_array().unwrap();
    let sum: u64 = terms.iter().map(|t| t["value"].as_u64().unwrap()).sum();
    assert_eq!((terms.len(), sum), (17, 9_963_520));
}

#[test]
fn the_table_fits_a_terminal() {
    let home = Home::new();
    let plans = [
        "v1", "v2", "v3", "v4", "v2eager", "v3code", "v3doc", "five", "forward",
    ];
    for plan in plans {
        for model in ["workshop", "part-c", "tinyllama-1.1b"] {
            let ran = home.line(&format!("cost --version {plan} --model {model}"));
            assert_eq!(ran.code, 0);
            let widest = ran.out.lines().map(|l| l.chars().count()).max();
            assert!(
                widest <= Some(80),
                "{plan} {model}: {widest:?}\n{}",
                ran.out
            );
        }
    }
}

#[test]
fn a_model_file_and_its_hugging_face_twin_cost_the_same() {
    let home = Home::new();
    home.write(
        "m.toml",
        "hidden = 2048\nlayers = 22\nheads = 32\nkv_heads = 4\nffn = 5632\nvocab = 32000\ntied = false\n",
    );
    home.write(
        "config.json",
        r#"{"hidden_size": 2048, "num_hidden_layers": 22, "num_attention_heads": 32,
            "num_key_value_heads": 4, "intermediate_size": 5632, "vocab_size": 32000,
            "tie_word_embeddings": false}"#,
    );
    let of = |model: &str| {
        let line = format!("cost --json --seq 512 --keep-kv on --model {model}");
        let mut cost = home.line(&line).json();
        cost["model"]["preset"] = Value::Null;
        cost
    };
    let preset = of("tinyllama-1.1b");
    assert_eq!(of("m.toml"), preset);
    assert_eq!(of("config.json"), preset);
    assert_eq!(
        home.line(&format!("cost --model {}", data("models/mqa.toml")))
            .code,
        0
    );
}

/// From V4 to V1 there is more, not a negative less: 17·4 + 3 launches for 4 + 3.
#[test]
fn more_is_not_called_fewer() {
    let said = Home::new().line("compare v4 v1").out;
    assert!(
        said.contains("V4 to V1: 10.14 times as many launches; "),
        "{said}"
    );
    assert!(!said.contains("fewer"), "{said}");
    let same = Home::new().line("compare v1 v1").out;
    assert!(same.contains("as many launches; as many bytes."), "{same}");
}

/// One step has nothing to share a boundary with.
#[test]
fn one_step_is_not_compared_with_others() {
    let said = Home::new().line("compare --staircase --order block").out;
    assert!(
        said.contains("1 step") && !said.contains("no two of them"),
        "{said}"
    );
    let two = Home::new().line("compare --staircase --order rope,qkv").out;
    assert!(
        two.contains("no two of them") || two.contains("Alone, from V1"),
        "{two}"
    );
}

/// A GPU's figures come with the names of their sources.
#[test]
fn the_sources_of_a_gpu_are_named() {
    let home = Home::new();
    let said = home.line("gpus h200").out;
    for part in [
        "source",
        "  N1   NVIDIA/cccl",
        "  N5   anandtech.com/show/21136",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(
        !said.contains("gpus.toml") && !said.contains("  R1 "),
        "{said}"
    );
    let document = home.line("gpus mi300a --json").json();
    let sources = document["gpu"]["sources"].as_object().unwrap();
    let named = document["documents"].as_object().unwrap();
    assert!(
        sources.values().any(|s| s == "R1") && named.contains_key("R1"),
        "{named:?}"
    );
}

/// What is asked of a run and does nothing there says so.
#[test]
fn an_option_that_does_nothing_says_so() {
    let home = Home::new();
    let of = |options: &str| {
        home.line(&format!("run --seq 2 --runs 0 --no-check {options}"))
            .out
    };
    let library = of("--backend cpu --gemm library --graph --no-races");
    for option in ["--gemm library", "--graph", "--no-races"] {
        assert!(
            library.contains(&format!("note       {option} does nothing on cpu: ")),
            "{library}"
        );
    }
    assert!(!of("--backend cpu --threads 2").contains("does nothing"));
}

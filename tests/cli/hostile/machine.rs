//! Weights, tokens, model files, and what profilers wrote.

use super::shop::Shop;
use super::{Case, case};

const WEIGHTS: &[&str] = &[
    "run",
    "--weights",
    "m",
    "--seq",
    "2",
    "--runs",
    "0",
    "--no-check",
];
const TOKENS: &[&str] = &[
    "run",
    "--tokens",
    "t.json",
    "--runs",
    "0",
    "--no-check",
    "--backend",
    "cpu",
];
const MODEL: &[&str] = &["cost", "--model", "m.toml"];
const PROFILE: &[&str] = &["profile", "p", "--plain"];

const CONFIG: &str = r#"{"model_type":"llama","hidden_size":64,"num_hidden_layers":1,"num_attention_heads":4,
"num_key_value_heads":2,"intermediate_size":96,"vocab_size":97,"tie_word_embeddings":true,"rms_norm_eps":1e-5}"#;

/// A safetensors file with this header and so many bytes of data.
fn tensors(header: &str, data: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.resize(file.len() + data, 0);
    file
}

fn folder(s: &Shop, header: &str, data: usize) {
    s.file("m/config.json", CONFIG);
    s.file("m/model.safetensors", tensors(header, data));
}

/// A summary of nsys with one kernel of this name.
fn nsys(name: &str) -> String {
    format!(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n100.0,1000,71,14,14,10,20,1.0,\"{name}\"\n"
    )
}

pub const CASES: &[Case] = &[
    case(
        "tokens are a pipe",
        TOKENS,
        &[2],
        &["t.json", "regular file"],
        |s| s.pipe("t.json"),
    ),
    case(
        "tokens are a device",
        TOKENS,
        &[2],
        &["t.json", "regular file"],
        |s| s.device("t.json"),
    ),
    case("tokens are a folder", TOKENS, &[2], &["t.json"], |s| {
        s.file("t.json/x", "")
    }),
    case("tokens of 8 GB", TOKENS, &[2], &["t.json", "MiB"], |s| {
        s.sparse("t.json", 8 << 30)
    }),
    case(
        "8 million tokens beside --seq 8",
        &[
            "run",
            "--model",
            "tinyllama-1.1b",
            "--seq",
            "8",
            "--tokens",
            "t.json",
            "--runs",
            "0",
            "--no-check",
        ],
        &[3],
        &["memory"],
        |s| {
            s.file("t.json", format!("[[{}1]]", "1,".repeat(7_999_999)));
        },
    ),
    case("tokens without bottom", TOKENS, &[2], &["t.json"], |s| {
        s.file("t.json", "[".repeat(500_000))
    }),
    case(
        "tokens beyond 64 bits",
        TOKENS,
        &[2],
        &["t.json", "line 1"],
        |s| s.file("t.json", "[[99999999999999999999999999]]"),
    ),
    case("tokens not UTF-8", TOKENS, &[2], &["t.json"], |s| {
        s.file("t.json", b"[[1, \xff]]")
    }),
    case(
        "a million empty sequences",
        TOKENS,
        &[2],
        &["t.json"],
        |s| s.file("t.json", format!("[{}[]]", "[],".repeat(1_000_000))),
    ),
    case(
        "two million sequences",
        &[
            "run",
            "--model",
            "tinyllama-1.1b",
            "--tokens",
            "t.json",
            "--runs",
            "0",
        ],
        &[3],
        &["memory"],
        |s| s.file("t.json", format!("[{}[1]]", "[1],".repeat(2_000_000))),
    ),
    case(
        "config.json is a pipe",
        WEIGHTS,
        &[2],
        &["config.json", "regular file"],
        |s| s.pipe("m/config.json"),
    ),
    case(
        "config.json of 2 GB",
        WEIGHTS,
        &[2],
        &["config.json"],
        |s| s.sparse("m/config.json", 2 << 30),
    ),
    case(
        "config.json with escapes",
        WEIGHTS,
        &[2],
        &["config.json"],
        |s| {
            s.file(
                "m/config.json",
                CONFIG.replace("llama", "\\u001b]0;x\\u0007"),
            )
        },
    ),
    case(
        "hidden_act with escapes",
        WEIGHTS,
        &[2],
        &["config.json"],
        |s| {
            s.file(
                "m/config.json",
                CONFIG.replace("\"model_type\":\"llama\"", "\"hidden_act\":\"\\u001b[2J\""),
            )
        },
    ),
    case(
        "a number with escapes",
        WEIGHTS,
        &[2],
        &["config.json"],
        |s| {
            s.file(
                "m/config.json",
                CONFIG.replace("\"hidden_size\":64", "\"hidden_size\":\"\\u001b[2J\""),
            )
        },
    ),
    case(
        "config.json without bottom",
        WEIGHTS,
        &[2],
        &["config.json"],
        |s| s.file("m/config.json", "{\"a\":".repeat(300_000)),
    ),
    case("a model of 2^60", WEIGHTS, &[2], &[], |s| {
        folder(s, "{}", 0);
        s.file("m/config.json", CONFIG.replace("64", "1152921504606846976"));
    }),
    case(
        "a model of 4000 layers of nothing",
        WEIGHTS,
        &[2],
        &[],
        |s| {
            folder(s, "{}", 0);
            s.file(
                "m/config.json",
                CONFIG.replace("layers\":1", "layers\":4000"),
            );
        },
    ),
    case(
        "weights are a pipe",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| {
            s.file("m/config.json", CONFIG);
            s.pipe("m/model.safetensors");
        },
    ),
    case(
        "a shard is a pipe",
        WEIGHTS,
        &[2],
        &["a.safetensors", "regular file"],
        |s| {
            s.file("m/config.json", CONFIG);
            s.file(
                "m/model.safetensors.index.json",
                r#"{"weight_map":{"model.embed_tokens.weight":"a.safetensors"}}"#,
            );
            s.pipe("m/a.safetensors");
        },
    ),
    case(
        "a shard is a device",
        WEIGHTS,
        &[2],
        &["a.safetensors", "regular file"],
        |s| {
            s.file("m/config.json", CONFIG);
            s.file(
                "m/model.safetensors.index.json",
                r#"{"weight_map":{"model.embed_tokens.weight":"a.safetensors"}}"#,
            );
            s.device("m/a.safetensors");
        },
    ),
    case("a shard outside", WEIGHTS, &[2], &["␛[2J"], |s| {
        s.file("m/config.json", CONFIG);
        s.file(
            "m/model.safetensors.index.json",
            r#"{"weight_map":{"a\u0009b":"../\u001b[2J.safetensors"}}"#,
        );
    }),
    case("an index of 2 GB", WEIGHTS, &[2], &["index.json"], |s| {
        s.file("m/config.json", CONFIG);
        s.sparse("m/model.safetensors.index.json", 2 << 30);
    }),
    case("an index of 100000 shards", WEIGHTS, &[2], &[], |s| {
        s.file("m/config.json", CONFIG);
        let map: Vec<String> = (0..100_000).map(|n| format!("\"t{n}\":\"s{n}\"")).collect();
        s.file(
            "m/model.safetensors.index.json",
            format!("{{\"weight_map\":{{{}}}}}", map.join(",")),
        );
        s.file("m/s0", tensors("{}", 0));
    }),
    case(
        "a header beyond the file",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| {
            s.file("m/config.json", CONFIG);
            s.file("m/model.safetensors", [0xff; 64]);
        },
    ),
    case(
        "a header without bottom",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| folder(s, &"{\"a\":".repeat(100_000), 0),
    ),
    case(
        "escapes in the name of a tensor",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| {
            folder(
                s,
                r#"{"\u001b[2J":{"dtype":"F32","shape":[2],"data_offsets":[9,1]}}"#,
                16,
            );
        },
    ),
    case(
        "escapes in a type",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| {
            folder(
                s,
                r#"{"model.embed_tokens.weight":{"dtype":"\u001b[2J\u0007","shape":[97,64],"data_offsets":[0,8]}}"#,
                8,
            );
        },
    ),
    case(
        "a tensor of 300000 dimensions",
        WEIGHTS,
        &[2],
        &["model.safetensors"],
        |s| {
            let shape = format!("{}1", "1,".repeat(300_000));
            folder(
                s,
                &format!(
                    r#"{{"model.embed_tokens.weight":{{"dtype":"F32","shape":[{shape}],"data_offsets":[0,4]}}}}"#
                ),
                4,
            );
        },
    ),
    case("300000 tensors", WEIGHTS, &[2], &[], |s| {
        let all: Vec<String> = (0..300_000)
            .map(|n| {
                format!(
                    r#""t{n}":{{"dtype":"U8","shape":[1],"data_offsets":[{n},{}]}}"#,
                    n + 1
                )
            })
            .collect();
        folder(s, &format!("{{{}}}", all.join(",")), 300_000);
    }),
    case(
        "a model file is a pipe",
        MODEL,
        &[2],
        &["m.toml", "regular file"],
        |s| s.pipe("m.toml"),
    ),
    case(
        "a model file is a device",
        MODEL,
        &[2],
        &["m.toml", "regular file"],
        |s| s.device("m.toml"),
    ),
    case("a model file of 2 GB", MODEL, &[2], &["m.toml"], |s| {
        s.sparse("m.toml", 2 << 30)
    }),
    case(
        "a model file with escapes",
        MODEL,
        &[2],
        &["m.toml:1"],
        |s| s.file("m.toml", "\"\\u001b[2J\\u0007\" = 1\n"),
    ),
    case(
        "a model file with values of escapes",
        MODEL,
        &[2],
        &["m.toml:1"],
        |s| s.file("m.toml", "hidden = \"\\u001b[2J\"\n"),
    ),
    case(
        "a model file named with escapes",
        &["cost", "--model", "\u{1b}[2J.toml"],
        &[2],
        &[".toml"],
        |s| s.file("\u{1b}[2J.toml", "hidden = \n"),
    ),
    case(
        "a model named with escapes",
        &["cost", "--model", "\u{1b}]0;x\u{7}.toml"],
        &[0],
        &[],
        |s| {
            s.file("\u{1b}]0;x\u{7}.toml", "hidden = 64\nlayers = 2\nheads = 4\nkv_heads = 2\nffn = 96\nvocab = 97\ntied = false\n");
        },
    ),
    case(
        "a model file without bottom",
        MODEL,
        &[2],
        &["m.toml"],
        |s| s.file("m.toml", format!("hidden = {}", "[".repeat(200_000))),
    ),
    case(
        "a profile is a pipe",
        PROFILE,
        &[2],
        &["regular file"],
        |s| s.pipe("p"),
    ),
    case(
        "a profile is a device",
        PROFILE,
        &[2],
        &["regular file"],
        |s| s.device("p"),
    ),
    case("a profile of 9 GB", PROFILE, &[2], &["MiB"], |s| {
        s.sparse("p", 9 << 30)
    }),
    case("escapes in a kernel's name", PROFILE, &[0], &[], |s| {
        s.file("p", nsys("\u{1b}]0;owned\u{7}\u{1b}[2Jk"))
    }),
    case(
        "escapes in a kernel's name, table",
        &["profile", "p"],
        &[0],
        &[],
        |s| s.file("p", nsys("k\u{1b}[31m\u{9b}2J\r")),
    ),
    case("escapes in a cell", PROFILE, &[2], &["p:2"], |s| {
        s.file("p", nsys("k").replace("1000", "\u{1b}[2J\u{7}"))
    }),
    case("escapes in a trace", PROFILE, &[0, 2], &[], |s| {
        s.file("p", r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"\u001b[2J\u0007","ts":1,"dur":2,"args":{"device":0}}],"deviceProperties":[{"name":"\u001b[31mX"}]}"#);
    }),
    case("a trace without bottom", PROFILE, &[2], &["p"], |s| {
        s.file("p", "[".repeat(500_000))
    }),
    case("a trace of empty objects", PROFILE, &[0, 2], &["p"], |s| {
        s.file(
            "p",
            format!("{{\"traceEvents\":[{}{{}}]}}", "{},".repeat(3_000_000)),
        )
    }),
    case("a line of 30 MB", PROFILE, &[0, 2], &[], |s| {
        s.file("p", nsys(&"k".repeat(30 << 20)))
    }),
    case("300000 columns", PROFILE, &[2], &[], |s| {
        s.file(
            "p",
            format!("{}\n{}\n", "Name,".repeat(300_000), "x,".repeat(300_000)),
        )
    }),
    case("200000 rows", PROFILE, &[0, 2], &[], |s| {
        let row = "0.1,1000,1,14,14,10,20,1.0,\"k\"\n".repeat(200_000);
        s.file("p", nsys("k") + &row);
    }),
    case("50000 kernels", PROFILE, &[0, 2], &[], |s| {
        let rows: String = (0..50_000)
            .map(|n| format!("0.1,1000,1,14,14,10,20,1.0,\"k{n}\"\n"))
            .collect();
        s.file("p", nsys("k") + &rows);
    }),
    case("numbers without measure", PROFILE, &[0, 2], &[], |s| {
        s.file(
            "p",
            nsys("k").replace("1000,71", "18446744073709551615,18446744073709551615")
                + "1,1e308,1e18,1,1,1,1,1,\"a\"\n1,1e308,1e18,-1,inf,nan,1,1,\"b\"\n",
        )
    }),
];

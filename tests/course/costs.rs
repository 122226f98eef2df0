//! The tables of docs/cost-model.md: every value, for V1 to V4 and the named
//! alternatives. The page (and so this file) is the second source; nothing here
//! was printed by the program.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use tinyllama_tutor::cost::{Config, Conventions, GpuDatabase, KeepKv, price, ridge};

use tinyllama_tutor::fusion::{Cut, Fusion, Version};
use tinyllama_tutor::model::{Dtype, Shape};

fn config(name: &str, cut: Cut) -> Config {
    let (preset, shape, dtype) = match name {
        "workshop B1" => ("workshop", Shape::prefill(1, 128), Dtype::Fp32),
        "workshop B8" => ("workshop", Shape::prefill(8, 128), Dtype::Fp32),
        "part C" => ("part-c", Shape::prefill(4, 512), Dtype::Fp32),
        "TinyLlama prefill" => ("tinyllama-1.1b", Shape::prefill(1, 512), Dtype::Bf16),
        "TinyLlama decode" => (
            "tinyllama-1.1b",
            Shape {
                batch: 1,
                seq: 1,
                context: 512,
            },
            Dtype::Bf16,
        ),
        other => panic!("no configuration {other}"),
    };
    Config {
        shape,
        dtype,
        ..Config::preset(preset, cut).unwrap()
    }
}

fn version(name: &str) -> Cut {
    Version::parse(name).unwrap().cut()
}

#[test]
fn values_to_test_against() {
    let table = include_str!("../data/cost-model-values.txt");
    let mut rows = 0;
    for row in table.lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = |i: usize| cells[i].parse::<u64>().unwrap();
        let cost = price(&config(cells[0], version(cells[1]))).unwrap();
        let got = [
            cost.block.launches(),
            cost.forward.launches(),
            cost.block.flops,
            cost.block.bytes(),
            cost.block.weight_bytes,
            cost.forward.flops,
            cost.forward.bytes(),
            cost.peak.bytes,
        ];
        let want = [2, 3, 4, 5, 6, 8, 9, 10].map(number);
        assert_eq!(got, want, "{row}");
        assert_eq!(format!("{:.4}", cost.block.intensity()), cells[7], "{row}");
        rows += 1;
    }
    assert_eq!(rows, 5 * 7);
}

#[test]
fn kernels_of_v1() {
    let lists = include_str!("../data/cost-model-kernels.txt");
    let mut kernels = 0;
    for line in lists.lines().filter(|l| !l.starts_with('#')) {
        let (name, list) = line.split_once(':').unwrap();
        let cost = price(&config(name, Cut::v1())).unwrap();
        for (entry, kernel) in list.split(';').zip(&cost.block.kernels) {
            let mut words = entry.split_whitespace();
            assert_eq!(words.next(), Some(kernel.name.as_str()));
            let (flops, bytes) = words.next().unwrap().split_once('/').unwrap();
            assert_eq!(
                kernel.flops,
                flops.parse::<u64>().unwrap(),
                "{name}: {entry}"
            );
            assert_eq!(
                kernel.bytes(),
                bytes.parse::<u64>().unwrap(),
                "{name}: {entry}"
            );
            kernels += 1;
        }
    }
    assert_eq!(kernels, 5 * 17);
}

#[test]
fn one_switch_alone_against_v1() {
    // Per block: launches, bytes, saving in percent.
    let rows = [
        ("workshop B1", "qkv", 15, 9_701_376, "2.63"),
        ("workshop B1", "flash", 15, 7_866_368, "21.05"),
        ("workshop B1", "gate_up", 16, 9_832_448, "1.32"),
        ("workshop B1", "gate_up,silu_mul", 15, 9_308_160, "6.58"),
        ("workshop B1", "swiglu", 14, 8_259_584, "17.10"),
        ("workshop B1", "norm_residual", 15, 9_701_376, "2.63"),
        ("workshop B1", "block", 1, 2_623_488, "73.67"),
        ("workshop B8", "qkv", 15, 61_081_600, "3.32"),
        ("workshop B8", "flash", 15, 46_401_536, "26.56"),
        ("workshop B8", "gate_up", 16, 62_130_176, "1.66"),
        ("workshop B8", "gate_up,silu_mul", 15, 57_935_872, "8.30"),
        ("workshop B8", "swiglu", 14, 49_547_264, "21.58"),
        ("workshop B8", "norm_residual", 15, 61_081_600, "3.32"),
        ("workshop B8", "block", 1, 4_458_496, "92.94"),
        ("part C", "qkv", 15, 1_296_056_320, "2.52"),
        ("part C", "flash", 15, 1_061_175_296, "20.19"),
        ("part C", "gate_up", 16, 1_312_833_536, "1.26"),
        ("part C", "gate_up,silu_mul", 15, 1_220_558_848, "8.20"),
        ("part C", "swiglu", 14, 1_036_009_472, "22.08"),
        ("part C", "norm_residual", 15, 1_296_056_320, "2.52"),
        ("part C", "block", 1, 239_091_712, "82.02"),
    ];
    for (name, fusions, launches, bytes, saving) in rows {
        let v1 = price(&config(name, Cut::v1())).unwrap().block.bytes();
        let cut = Cut::of_fusions(&Fusion::parse_list(fusions).unwrap());
        let block = price(&config(name, cut)).unwrap().block;
        assert_eq!(
            (block.launches(), block.bytes()),
            (launches, bytes),
            "{fusions}"
        );
        let saved = 100.0 * (1.0 - block.bytes() as f64 / v1 as f64);
        assert_eq!(format!("{saved:.2}"), saving, "{name} {fusions}");
    }
}

#[test]
fn cuts_of_the_final_exercise() {
    // facts: exercise ex45 "for tests", workshop B8: launches, bytes, intensity.
    let v1 = "norm1|q|k|v|rope|qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2";
    let rows = [
        (
            "norm1|q k v rope|qk softmax pv|o res1|norm2|gate up silu mul|down res2".to_owned(),
            7,
            23_332_864,
            "58.068",
        ),
        (
            v1.replace("qk|softmax", "qk softmax"),
            16,
            54_790_144,
            "24.729",
        ),
        (
            v1.replace("rope|qk|softmax|pv", "rope qk softmax pv"),
            14,
            43_255_808,
            "31.323",
        ),
        (
            "norm1 q k v rope qk softmax pv o res1|norm2 gate up silu mul down res2".to_owned(),
            2,
            6_555_648,
            "206.676",
        ),
        (Version::Five.cut().groups(), 5, 19_138_560, "70.794"),
    ];
    for (groups, launches, bytes, intensity) in rows {
        let cut = Cut::parse_groups(&groups).unwrap();
        let block = price(&config("workshop B8", cut)).unwrap().block;
        assert_eq!(
            (block.launches(), block.bytes()),
            (launches, bytes),
            "{groups}"
        );
        assert_eq!(format!("{:.3}", block.intensity()), intensity, "{groups}");
    }
}

#[test]
fn parameters_and_cache() {
    let rows = [
        ("workshop B1", 2_617_600, 2_873_600, 524_288),
        ("workshop B8", 2_617_600, 2_873_600, 4_194_304),
        ("part C", 116_922_368, 182_458_368, 33_554_432),
        (
            "TinyLlama prefill",
            1_034_512_384,
            1_100_048_384,
            11_534_336,
        ),
        ("TinyLlama decode", 1_034_512_384, 1_100_048_384, 11_534_336),
    ];
    for (name, tied, untied, cache) in rows {
        let cost = price(&config(name, Cut::v1())).unwrap();
        assert_eq!(cost.parameters, (tied, untied), "{name}");
        assert_eq!(cost.kv_cache_bytes, cache, "{name}");
    }
}

#[test]
fn counting_options() {
    let base = config("workshop B1", Cut::v1());
    let with = |conventions: Conventions| {
        price(&Config {
            conventions,
            ..base.clone()
        })
        .unwrap()
    };
    let dense = with(Conventions::default());
    // Exact causal: qk + pv = 2·2·B·H·8256·d = 8,454,144 in place of 16,777,216
    // (exercise ex9); softmax 6 per pair: 6·8·8256 in place of 6·8·16384.
    let exact = with(Conventions {
        exact_causal: true,
        ..Conventions::default()
    });
    let products = 16_777_216 - 8_454_144;
    let softmax = 6 * 8 * (16_384 - 8_256);
    assert_eq!(dense.block.flops - exact.block.flops, products + softmax);
    assert_eq!(dense.block.bytes(), exact.block.bytes());
    // RoPE in two launches: one launch more, no byte more in V1.
    let split = with(Conventions {
        rope_split: true,
        ..Conventions::default()
    });
    assert_eq!(split.block.launches(), 18);
    assert_eq!(split.forward.launches(), 75);
    assert_eq!(split.block.bytes(), dense.block.bytes());
    // A RoPE table: S·d elements of 4 bytes more for the one kernel with RoPE.
    let table = with(Conventions {
        rope_table: true,
        ..Conventions::default()
    });
    assert_eq!(table.block.bytes() - dense.block.bytes(), 128 * 32 * 4);
    // keep_kv changes nothing in V1 (both are written anyway); in V4 kr and v
    // are written: 2·B·S·Dkv·4.
    let keep = |keep_kv, cut| {
        price(&Config {
            conventions: Conventions {
                keep_kv,
                ..Conventions::default()
            },
            ..config("workshop B1", cut)
        })
        .unwrap()
        .block
        .bytes()
    };
    assert_eq!(keep(KeepKv::On, Cut::v1()), keep(KeepKv::Off, Cut::v1()));
    let v4 = version("v4");
    assert_eq!(
        keep(KeepKv::On, v4) - keep(KeepKv::Off, v4),
        2 * 128 * 128 * 4
    );
}

#[test]
fn ridges_of_data_sheets() {
    // Peak over bandwidth of the data sheets: H200 13.94, A100-80 9.56, MI250X die 14.62,
    // MI300X 30.83, MI100 18.80 FLOP/B in fp32; H200 206.1 in 16 bit (ex18).
    let database = GpuDatabase::embedded().unwrap();
    for (id, dtype, value) in [
        ("h200", Dtype::Fp32, "13.94"),
        ("a100_80gb", Dtype::Fp32, "9.56"),
        ("mi250x_gcd", Dtype::Fp32, "14.62"),
        ("mi300x", Dtype::Fp32, "30.83"),
        ("mi100", Dtype::Fp32, "18.80"),
        ("h200", Dtype::Bf16, "206.12"),
    ] {
        let got = ridge(database.get(id).unwrap(), dtype).unwrap();
        assert_eq!(format!("{got:.2}"), value, "{id}");
    }
}

#[test]
fn absurd_sizes_are_an_error_not_an_overflow() {
    let mut absurd = config("workshop B1", Cut::v1());
    absurd.shape = Shape::prefill(u64::MAX / 2, 1 << 40);
    let e = price(&absurd).unwrap_err().to_string();
    assert!(e.contains("does not fit in 64 bits"), "{e}");
    absurd.shape = Shape::prefill(1 << 30, 1 << 20);
    assert!(price(&absurd).is_err());
}

//! Whole forwards against the fp64 reference, tensor by tensor.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::check::check;
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::cost::{Config, KeepKv, Planned};
use plan::fusion::{Boundary, Cut, Fusion, Version};
use plan::model::{Dtype, Graph, Model, Shape, TensorId, TensorKind};
use plan::run::{RunError, Unwatched};
use proptest::prelude::*;

/// A small model: H heads of width d over K key heads.
fn model(heads: u64, kv_heads: u64, width: u64, layers: u64, ffn: u64, tied: bool) -> Model {
    let mut m = Model::new("test", heads * width, layers, heads, kv_heads, ffn, 53).unwrap();
    m.tied = tied;
    m
}

fn config(model: &Model, shape: [u64; 3], dtype: Dtype, cut: Cut) -> Config {
    let [batch, seq, context] = shape;
    let shape = Shape {
        batch,
        seq,
        context,
    };
    Config::forward(model.clone(), shape, dtype, cut)
}

fn pack(weights: &Weights, isa: Isa) -> Arc<PackedModel> {
    let load = |id| {
        weights
            .tensor(id)
            .map_err(|e| RunError::bad_request(e.to_string()))
    };
    Arc::new(PackedModel::pack(weights.model(), weights.dtype(), isa, load).unwrap())
}

fn ready(weights: &Weights, isa: Isa, threads: usize, config: &Config) -> (ReadyPlan, Tokens) {
    let threads = Threads::new(Some(threads));
    let mut ready =
        ReadyPlan::new(pack(weights, isa), threads, Planned::of(config).unwrap()).unwrap();
    let shape = config.shape;
    let tokens = Tokens::seeded(
        7,
        shape.batch as usize,
        shape.context as usize,
        config.model.vocab,
    );
    ready.start(tokens.ids(), &Unwatched).unwrap();
    (ready, tokens)
}

fn tapped(ready: &ReadyPlan) -> (Ran, BTreeMap<TensorId, Vec<f32>>) {
    let mut kept = BTreeMap::new();
    let ran = ready
        .forward_tapped(&Unwatched, |t| {
            kept.insert(t.id, t.values.to_vec());
        })
        .unwrap();
    (ran, kept)
}

/// Runs and compares every tensor that the plan materialises. `slack` widens
/// the tolerances: where a tensor has a few hundred values only, the largest
/// error of the plain bf16 path, which is the measure, may be small by chance.
fn judge_with(config: &Config, isa: Isa, threads: usize, slack: f64) {
    let weights = Weights::seeded(&config.model, 3, config.dtype).unwrap();
    let (ready, tokens) = ready(&weights, isa, threads, config);
    let (ran, kept) = tapped(&ready);
    assert_eq!(ran.launches, ready.planned().plan.launches() as u64);
    let verdict = check(
        &weights,
        &tokens,
        config.shape,
        |id| kept.get(&id).map(Vec::as_slice),
        |_, _| true,
    )
    .unwrap();
    for t in &verdict.tensors {
        assert!(
            t.rel_error <= slack * t.tolerance,
            "{isa:?} {threads} threads, cut {}, {:?}: {t:?}",
            config.cut.groups(),
            config.shape
        );
    }
    assert_eq!(ready.logits(), kept[kept.keys().last().unwrap()]);
}

fn judge(config: &Config, isa: Isa, threads: usize) {
    judge_with(config, isa, threads, 1.0);
}

#[test]
fn every_version_agrees_with_fp64_tensor_by_tensor() {
    let m = model(4, 2, 16, 2, 88, true);
    for version in Version::ALL {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            judge(
                &config(&m, [2, 37, 37], dtype, version.cut()),
                Isa::detect(),
                2,
            );
        }
    }
}

#[test]
fn every_named_fusion_alone_agrees() {
    let m = model(4, 2, 8, 2, 40, false);
    for fusion in Fusion::ALL {
        let cut = Cut::v1().fuse(fusion);
        judge(&config(&m, [1, 70, 70], Dtype::Fp32, cut), Isa::detect(), 2);
    }
}

#[test]
fn every_instruction_set_agrees() {
    let m = model(6, 3, 18, 1, 50, true);
    for isa in Isa::available() {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for version in [Version::V1, Version::V4] {
                judge(&config(&m, [1, 67, 67], dtype, version.cut()), isa, 2);
            }
        }
    }
}

#[test]
fn an_ffn_of_many_column_blocks_agrees() {
    let m = model(2, 1, 32, 2, 700, true);
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for version in [Version::V3, Version::Five, Version::V3Doc, Version::V4] {
            judge(
                &config(&m, [1, 90, 90], dtype, version.cut()),
                Isa::detect(),
                2,
            );
        }
    }
}

#[test]
fn one_key_head_and_as_many_as_query_heads() {
    for kv_heads in [1, 8] {
        let m = model(8, kv_heads, 8, 2, 64, true);
        for version in [Version::V1, Version::V2, Version::V4] {
            judge(
                &config(&m, [1, 40, 40], Dtype::Fp32, version.cut()),
                Isa::detect(),
                2,
            );
        }
    }
}

#[test]
fn decode_and_chunks_read_the_cache_that_was_filled() {
    let m = model(4, 2, 16, 2, 88, false);
    for shape in [[1, 1, 30], [3, 1, 140], [2, 5, 21], [1, 1, 2]] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            for version in [Version::V1, Version::V3, Version::V4, Version::Forward] {
                judge(&config(&m, shape, dtype, version.cut()), Isa::detect(), 3);
            }
        }
    }
}

#[test]
fn contexts_longer_than_a_block_of_keys() {
    let m = model(2, 1, 8, 1, 16, true);
    for cut in [
        Version::V1.cut(),
        Version::V4.cut(),
        Cut::v1().joined(between(OpPair::QkSoftmax)),
        Cut::v1().joined(between(OpPair::SoftmaxPv)),
    ] {
        for dtype in [Dtype::Fp32, Dtype::Bf16] {
            judge(&config(&m, [1, 300, 300], dtype, cut), Isa::detect(), 2);
        }
    }
}

enum OpPair {
    QkSoftmax,
    SoftmaxPv,
}

fn between(pair: OpPair) -> Boundary {
    use plan::model::OpKind as O;
    match pair {
        OpPair::QkSoftmax => Boundary::between(O::Qk, O::Softmax).unwrap(),
        OpPair::SoftmaxPv => Boundary::between(O::Softmax, O::Pv).unwrap(),
    }
}

#[test]
fn fp32_results_do_not_depend_on_threads_or_tiles_or_the_cut_outside_attention() {
    let m = model(4, 2, 16, 2, 600, true);
    let run = |threads, cut| {
        let c = config(&m, [1, 150, 150], Dtype::Fp32, cut);
        let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
        let (ready, _) = ready(&weights, Isa::detect(), threads, &c);
        ready.forward(&Unwatched).unwrap();
        ready.logits()
    };
    let one = run(1, Version::V2.cut());
    for threads in [2, 3, 8, 17] {
        assert_eq!(one, run(threads, Version::V2.cut()), "{threads} threads");
    }
    assert_eq!(one, run(2, Version::V4.cut()), "V4");
    assert_eq!(one, run(2, Version::Forward.cut()), "forward");
}

#[test]
fn version_4_holds_no_ffn_and_no_score_tensor_version_1_does() {
    // S, I, T and D are chosen so that no two products of them coincide.
    let m = model(4, 2, 16, 3, 200, true);
    let (s, i, d, h) = (96, 200, 64, 4);
    let held = |version: Version| {
        let c = config(&m, [1, s, s], Dtype::Fp32, version.cut());
        let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
        let (ready, _) = ready(&weights, Isa::detect(), 2, &c);
        ready.allocations().to_vec()
    };
    let beyond_tiles = |a: &&Allocation| matches!(a.role, Role::Activation | Role::Scratch);
    for version in [Version::V4, Version::Forward] {
        let all = held(version);
        for a in all.iter().filter(beyond_tiles) {
            if a.name != "logits" {
                assert!(a.bytes <= 4 * s * d, "{version:?} holds {a:?}");
            }
            for name in ["sc", "pr", "g", "u", "sg", "m"] {
                assert!(!a.name.split(", ").any(|n| n == name), "{a:?}");
            }
        }
    }
    // Nor does a worker's tile hold all columns of the FFN, where the FFN is
    // wider than the columns that are made at a time.
    let wide = model(2, 1, 16, 1, 2000, true);
    let c = config(&wide, [1, s, s], Dtype::Fp32, Version::V4.cut());
    let weights = Weights::seeded(&wide, 3, Dtype::Fp32).unwrap();
    let (ready, _) = ready(&weights, Isa::detect(), 2, &c);
    for tiles in ready.allocations().iter().filter(|a| a.role == Role::Tile) {
        let per_worker = tiles.bytes / 2;
        assert!(per_worker < 4 * ready.dims.tile as u64 * 2000, "{tiles:?}");
    }
    let v1 = held(Version::V1);
    // sc and pr are alive together, and so are g, u and sg.
    let of = |bytes: u64| v1.iter().filter(|a| a.bytes == bytes).count();
    assert_eq!(of(4 * h * s * s), 2);
    assert_eq!(of(4 * s * i), 3);
    assert!(total_bytes(&v1) > total_bytes(&held(Version::V4)));
}

#[test]
fn a_forward_too_large_for_the_machine_names_its_largest_part() {
    let m = model(2, 1, 8, 1, 16, true);
    let c = config(
        &m,
        [1 << 10, 1 << 20, 1 << 20],
        Dtype::Fp32,
        Version::V1.cut(),
    );
    let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
    let packed = pack(&weights, Isa::detect());
    let Err(e) = ReadyPlan::new(packed, Threads::new(Some(1)), Planned::of(&c).unwrap()) else {
        panic!("2^51 scores were accepted");
    };
    assert!(e.to_string().contains("of memory"), "{e}");
    assert!(e.to_string().contains("choose a smaller"), "{e}");
}

#[test]
fn what_cannot_be_held_is_refused_before_anything_is_made() {
    let m = model(2, 1, 8, 1, 16, true);
    for (shape, part) in [
        ([100_000, 100_000, 100_000], "sc"),
        ([1 << 40, 1 << 40, 1 << 40], ""),
        ([1, 1, 1 << 60], "block 0: v"),
    ] {
        let c = config(&m, shape, Dtype::Fp32, Version::V1.cut());
        let e = affordable(&c, 2, false).unwrap_err();
        assert_eq!(e.kind, plan::run::RunErrorKind::Missing);
        assert!(
            e.to_string().contains(&format!("largest part is {part}")),
            "{e}"
        );
    }
    let c = config(&m, [1, 8, 8], Dtype::Fp32, Version::V1.cut());
    assert_eq!(affordable(&c, 2, false), Ok(()));
    let mut huge = m;
    huge.hidden = 1 << 31;
    huge.heads = 1 << 20;
    huge.kv_heads = 1 << 20;
    let c = config(&huge, [1, 1, 1], Dtype::Fp32, Version::V4.cut());
    let e = affordable(&c, 2, false).unwrap_err().to_string();
    assert!(e.contains("largest part is weights"), "{e}");
}

#[test]
fn wrong_tokens_are_named_with_their_place() {
    let m = model(2, 1, 8, 1, 16, true);
    let c = config(&m, [2, 4, 4], Dtype::Fp32, Version::V1.cut());
    let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
    let (mut ready, _) = ready(&weights, Isa::detect(), 1, &c);
    let e = ready.start(&[0; 7], &Unwatched).unwrap_err().to_string();
    assert!(e.contains("need 8"), "{e}");
    let e = ready
        .start(&[0, 0, 0, 0, 0, 53, 0, 0], &Unwatched)
        .unwrap_err()
        .to_string();
    assert!(e.contains("token 53 at position 1 of sequence 1"), "{e}");
}

#[test]
fn a_stop_ends_the_run() {
    struct Stopped;
    impl plan::run::Observer for Stopped {
        fn progress(&self, _: plan::run::Progress) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let m = model(2, 1, 8, 1, 16, true);
    let c = config(&m, [1, 4, 4], Dtype::Fp32, Version::V1.cut());
    let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
    let (ready, _) = ready(&weights, Isa::detect(), 2, &c);
    let e = ready.forward(&Stopped).unwrap_err();
    assert_eq!(e.kind, plan::run::RunErrorKind::Cancelled);
    assert!(ready.forward(&Unwatched).is_ok());
}

#[test]
fn kept_keys_and_values_are_those_of_the_unkept_run() {
    let m = model(4, 2, 8, 2, 32, true);
    let weights = Weights::seeded(&m, 3, Dtype::Fp32).unwrap();
    let mut c = config(&m, [1, 20, 20], Dtype::Fp32, Version::V2.cut());
    let (v2, _) = ready(&weights, Isa::detect(), 2, &c);
    let (_, v2) = tapped(&v2);
    c = c.with_cut(Version::V4.cut());
    c.conventions.keep_kv = KeepKv::On;
    let (v4, _) = ready(&weights, Isa::detect(), 2, &c);
    let graph = Graph::of_layers(2, false);
    let (_, v4) = tapped(&v4);
    let kept = v4
        .iter()
        .filter(|(id, _)| matches!(graph.tensor_at(**id).kind, TensorKind::Kr | TensorKind::V));
    let mut count = 0;
    for (id, values) in kept {
        assert_eq!(values, &v2[id]);
        count += 1;
    }
    assert_eq!(count, 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any contiguous cut, any shape: what is materialised agrees with fp64.
    #[test]
    fn any_cut_of_any_shape_agrees(
        bits in 0u32..(1 << 19),
        (kv_heads, group, half) in (1u64..4, 1u64..4, 1u64..12),
        (batch, seq, past) in (1u64..3, 1u64..80, prop_oneof![Just(0u64), 1u64..150]),
        (layers, ffn, tied) in (1u64..3, 8u64..70, any::<bool>()),
        (bf16, keep, threads) in (any::<bool>(), any::<bool>(), 1usize..5),
    ) {
        let cut = (0..19).filter(|b| bits & (1 << b) != 0).fold(Cut::NONE, |cut, b| match b {
            18 => cut.joined(Boundary::ENDS),
            b => Boundary::after(b).map_or(cut, |w| cut.joined(w)),
        });
        // Wide enough that rows have a statistic (see `Tolerances`).
        let m = model(kv_heads * group * 2, kv_heads * 2, 2 * half + 8, layers, ffn, tied);
        let dtype = if bf16 { Dtype::Bf16 } else { Dtype::Fp32 };
        let mut c = config(&m, [batch, seq, seq + past], dtype, cut);
        if keep {
            c.conventions.keep_kv = KeepKv::On;
        }
        judge_with(&c, Isa::detect(), threads, if bf16 { 3.0 } else { 1.0 });
    }
}

#[test]
fn settings_of_tiles_change_no_value_but_what_a_block_of_keys_rounds() {
    use plan::run::Settings;
    let model = model(4, 2, 16, 2, 96, true);
    let weights = Weights::seeded(&model, 3, Dtype::Fp32).unwrap();
    let logits = |settings: &[(&str, u32)], version: Version| {
        let settings = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value));
        let config = config(&model, [2, 37, 37], Dtype::Fp32, version.cut());
        let mut ready = ReadyPlan::cut_as(
            pack(&weights, Isa::detect()),
            Threads::new(Some(2)),
            Planned::of(&config).unwrap(),
            &Settings(settings.collect()),
        )
        .unwrap();
        let tokens = Tokens::seeded(7, 2, 37, model.vocab);
        ready.start(tokens.ids(), &Unwatched).unwrap();
        ready.forward(&Unwatched).unwrap();
        ready.logits()
    };
    for version in [Version::V1, Version::V3, Version::V4] {
        let usual = logits(&[], version);
        for rows in [1, 5, 64, 1000] {
            let set = logits(&[("rows", rows), ("columns", 33)], version);
            assert!(set == usual, "{version:?} with {rows} rows");
        }
        // Another block of keys rescales the running softmax elsewhere.
        let keys = logits(&[("keys", 8)], version);
        let off = usual.iter().zip(&keys).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f32::max) < 1e-4);
    }
}

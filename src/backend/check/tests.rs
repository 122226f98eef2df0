//! The judge judged: a naive fp32 forward passes, and each planted defect is
//! named by the tensor it was planted in.

use half::bf16;
use proptest::prelude::*;

use super::naive::{self, Defect, Tensors};
use super::*;
use crate::reference::{Kept, Precision};
use plan::model::{Dtype, Model};

struct Case {
    weights: Weights,
    tokens: Tokens,
    shape: Shape,
}

impl Case {
    fn new(model: &Model, shape: Shape, dtype: Dtype, seed: u64) -> Self {
        let tokens = Tokens::seeded(
            seed,
            shape.batch as usize,
            shape.context as usize,
            model.vocab,
        );
        Self {
            weights: Weights::seeded(model, seed, dtype).unwrap(),
            tokens,
            shape,
        }
    }

    /// D 32, L 2, H 4, K 2, I 48, V 50; B 2, S 3 of T 9.
    fn small(dtype: Dtype) -> Self {
        let model = Model::new("m", 32, 2, 4, 2, 48, 50).unwrap();
        let shape = Shape {
            batch: 2,
            seq: 3,
            context: 9,
        };
        Self::new(&model, shape, dtype, 1)
    }

    fn kept(&self, precision: Precision) -> Kept {
        Kept::run(&self.weights, &self.tokens, self.shape, precision).unwrap()
    }

    /// What a faultless backend would give: the reference, rounded to storage.
    fn good(&self) -> Tensors {
        let round = |v: &f64| match self.weights.dtype() {
            Dtype::Fp32 => *v as f32,
            Dtype::Bf16 => bf16::from_f64(*v).to_f32(),
        };
        self.kept(Precision::Exact)
            .tensors()
            .map(|m| (m.id, m.values.iter().map(round).collect()))
            .collect()
    }

    fn naive(&self, defect: Defect) -> Tensors {
        naive::forward(&self.weights, &self.tokens, defect)
    }

    fn judge(&self, tensors: &Tensors) -> Result<Verdict, CheckError> {
        check(
            &self.weights,
            &self.tokens,
            self.shape,
            |id| tensors.get(&id).map(Vec::as_slice),
            |_, _| true,
        )
    }

    fn id(&self, kind: TensorKind, layer: Option<u32>) -> TensorId {
        let graph = Graph::of(self.weights.model(), &self.shape).unwrap();
        let at = graph
            .tensors
            .iter()
            .position(|t| (t.kind, t.layer) == (kind, layer));
        TensorId(at.unwrap() as u32)
    }
}

#[test]
fn a_faultless_backend_passes_in_both_types() {
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        let case = Case::small(dtype);
        let verdict = case.judge(&case.good()).unwrap();
        assert!(verdict.pass, "{dtype:?}: {:?}", verdict.first_wrong);
        // embed, 18 and two of the cache in each block, nf, logits.
        assert_eq!(verdict.tensors.len(), 1 + 2 * 20 + 2);
        assert!(verdict.tolerance > 0.0 && verdict.rel_error <= verdict.tolerance);
    }
}

#[test]
fn a_reference_that_was_kept_judges_as_one_that_is_made() {
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        let case = Case::small(dtype);
        let good = case.good();
        let mut bad = good.clone();
        let att = case.id(TensorKind::Att, Some(1));
        bad.get_mut(&att).unwrap()[7] += 1.0;
        // A plan that keeps all but the logits inside.
        let logits = case.id(TensorKind::Logits, None);
        let inside = Tensors::from([(logits, good[&logits].clone())]);
        let mut judge = Judge::default();
        for (tensors, stages) in [(&good, 4), (&bad, 1), (&inside, 1), (&good, 1)] {
            let mut asked = 0;
            let go_on = |_, of| {
                asked += 1;
                assert_eq!(of, stages);
                true
            };
            let tensor = |id| tensors.get(&id).map(Vec::as_slice);
            let kept = judge.check(&case.weights, &case.tokens, case.shape, tensor, go_on);
            assert_eq!(kept.unwrap(), case.judge(tensors).unwrap(), "{dtype:?}");
            assert_eq!(asked, stages);
        }
        // Other tokens have another reference.
        let other = Tokens::seeded(9, 2, 9, 50);
        let tensor = |id| good.get(&id).map(Vec::as_slice);
        let judged = judge.check(&case.weights, &other, case.shape, tensor, |_, _| true);
        assert!(!judged.unwrap().pass);
    }
}

#[test]
fn the_plain_bf16_path_passes() {
    let case = Case::small(Dtype::Bf16);
    let plain: Tensors = case
        .kept(Precision::PlainBf16)
        .tensors()
        .map(|m| (m.id, m.values.iter().map(|v| *v as f32).collect()))
        .collect();
    let verdict = case.judge(&plain).unwrap();
    assert!(verdict.pass, "{:?}", verdict.first_wrong);
    // Twice its own error, or more where an earlier tensor was off by more.
    assert!(verdict.tolerance >= 2.0 * verdict.rel_error);
}

#[test]
fn zeros_and_not_a_number_fail() {
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        let case = Case::small(dtype);
        for bad in [0.0, f32::NAN, f32::INFINITY] {
            let mut only_logits = Tensors::new();
            let id = case.id(TensorKind::Logits, None);
            only_logits.insert(id, vec![bad; 2 * 3 * 50]);
            let verdict = case.judge(&only_logits).unwrap();
            assert!(!verdict.pass, "{dtype:?}: {bad}");
            let wrong = verdict.first_wrong.unwrap();
            assert_eq!(wrong.op, Some(OpKind::LmHead));
        }
        let mut one = case.good();
        let id = case.id(TensorKind::M, Some(1));
        one.get_mut(&id).unwrap()[17] = f32::NAN;
        let wrong = case.judge(&one).unwrap().first_wrong.unwrap();
        assert_eq!((wrong.check.outliers, wrong.check.tensor.name()), (1, "m"));
        assert_eq!(wrong.check.max_abs_error, f64::INFINITY);
    }
}

#[test]
fn a_planted_defect_is_named_with_its_place() {
    let case = Case::small(Dtype::Fp32);
    let good = case.good();
    // att of block 1, B×S×H×d with S 3, H 4, d 8: batch 1, row 2, head 3,
    // column 5 is ((1·3 + 2)·4 + 3)·8 + 5 = 189; a later one is spoilt, too.
    let att = case.id(TensorKind::Att, Some(1));
    let mut bad = good.clone();
    bad.get_mut(&att).unwrap()[189] += 0.01;
    bad.get_mut(&att).unwrap()[191] += 1.0;
    // Everything after it is wrong as well; that is not the first.
    let logits = case.id(TensorKind::Logits, None);
    bad.get_mut(&logits).unwrap()[0] += 1.0;
    let verdict = case.judge(&bad).unwrap();
    assert!(!verdict.pass);
    let wrong = verdict.first_wrong.unwrap();
    assert_eq!((wrong.check.id, wrong.op), (att, Some(OpKind::Pv)));
    assert_eq!(
        wrong.at,
        Location {
            batch: 1,
            head: Some(3),
            row: 2,
            column: 5
        }
    );
    assert_eq!(wrong.got, good[&att][189] + 0.01);
    assert!((wrong.expected - f64::from(good[&att][189])).abs() < 1e-6);
    assert_eq!(
        (wrong.check.outliers, wrong.check.compared),
        (2, 2 * 3 * 32)
    );
    let says = wrong.to_string();
    assert!(
        says.starts_with(
            "block 1: att is the first wrong tensor: at batch 1, head 3, row 2, column 5 it is "
        ),
        "{says}"
    );
}

#[test]
fn a_wrong_cache_is_found_before_what_it_spoils() {
    let case = Case::small(Dtype::Fp32);
    let mut bad = case.good();
    let past = case.id(TensorKind::PastV, Some(1));
    bad.get_mut(&past).unwrap()[3] += 0.1;
    bad.get_mut(&case.id(TensorKind::N1, Some(1))).unwrap()[0] += 0.1;
    let wrong = case.judge(&bad).unwrap().first_wrong.unwrap();
    assert_eq!((wrong.check.id, wrong.op), (past, None));
}

#[test]
fn masked_scores_mean_nothing_and_masked_probabilities_are_zero() {
    let case = Case::small(Dtype::Fp32);
    let mut tensors = case.good();
    // Row 0 of head 0 of batch 0 is position 6: key 7 lies after it.
    let (sc, pr) = (
        case.id(TensorKind::Sc, Some(0)),
        case.id(TensorKind::Pr, Some(0)),
    );
    tensors.get_mut(&sc).unwrap()[7] = f32::NEG_INFINITY;
    assert!(case.judge(&tensors).unwrap().pass);
    tensors.get_mut(&pr).unwrap()[7] = 0.01;
    let wrong = case.judge(&tensors).unwrap().first_wrong.unwrap();
    assert_eq!(wrong.check.id, pr);
    assert_eq!((wrong.at.row, wrong.at.column), (0, 7));
}

#[test]
fn what_cannot_be_judged_is_a_sentence() {
    let case = Case::small(Dtype::Fp32);
    let logits = case.id(TensorKind::Logits, None);
    let mut tensors = case.good();
    tensors.remove(&logits);
    let e = case.judge(&tensors).unwrap_err().to_string();
    assert!(e.contains("gave no logits"), "{e}");
    tensors.insert(logits, vec![0.0; 7]);
    let e = case.judge(&tensors).unwrap_err().to_string();
    assert_eq!(e, "the backend gave 7 values for logits, which has 300");
    let e = check(
        &case.weights,
        &case.tokens,
        case.shape,
        |_| None,
        |done, of| {
            assert_eq!(of, 4);
            done < 2
        },
    )
    .unwrap_err()
    .to_string();
    assert_eq!(e, "the check was stopped");
}

#[test]
fn real_defects_are_named_by_the_op_that_has_them() {
    let model = Model::new("m", 64, 2, 4, 2, 96, 50).unwrap();
    let case = Case::new(&model, Shape::prefill(2, 12), Dtype::Fp32, 4);
    for (defect, op, layer) in [
        (Defect::RopeSign, OpKind::RopeQ, Some(1)),
        (Defect::WrongKeyHead, OpKind::Qk, Some(0)),
        (Defect::MaskOffByOne, OpKind::Softmax, Some(0)),
        (Defect::LowPrecision(OpKind::Norm2), OpKind::Norm2, Some(0)),
        (
            Defect::LowPrecision(OpKind::Softmax),
            OpKind::Softmax,
            Some(0),
        ),
        (Defect::LowPrecision(OpKind::Down), OpKind::Down, Some(0)),
        (
            Defect::LowPrecision(OpKind::FinalNorm),
            OpKind::FinalNorm,
            None,
        ),
        (Defect::LowPrecision(OpKind::LmHead), OpKind::LmHead, None),
    ] {
        let verdict = case.judge(&case.naive(defect)).unwrap();
        let wrong = verdict.first_wrong.unwrap();
        assert_eq!(
            (wrong.op, wrong.check.tensor.layer),
            (Some(op), layer),
            "{defect:?}"
        );
    }
}

#[test]
fn tolerances_are_not_slack_beyond_use() {
    // A naive fp32 forward uses a part of its tolerance that is neither
    // all of it nor next to nothing, at the workshop's depth and width.
    let model = plan::model::preset("workshop").unwrap().model();
    let case = Case::new(&model, Shape::prefill(1, 32), Dtype::Fp32, 2);
    let verdict = case.judge(&case.naive(Defect::None)).unwrap();
    for t in &verdict.tensors {
        println!(
            "{:>16} {:.2e} of {:.2e}",
            t.tensor.full_name(),
            t.rel_error,
            t.tolerance
        );
    }
    assert!(verdict.pass, "{:?}", verdict.first_wrong);
    assert!(verdict.rel_error > verdict.tolerance / 30.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any model of at least 16 columns, any seed: plain fp32 passes.
    #[test]
    fn a_naive_fp32_forward_passes(
        (groups, kv_heads, half) in (1u64..4, 1u64..4, 8u64..12),
        layers in 1u64..4,
        ffn in 1u64..40,
        vocab in 2u64..60,
        batch in 1u64..3,
        seq in 2u64..14,
        seed in any::<u64>(),
    ) {
        let heads = groups * kv_heads;
        let model = Model::new("m", heads * half * 2, layers, heads, kv_heads, ffn, vocab).unwrap();
        let case = Case::new(&model, Shape::prefill(batch, seq), Dtype::Fp32, seed);
        let verdict = case.judge(&case.naive(Defect::None)).unwrap();
        prop_assert!(verdict.pass, "{}", verdict.first_wrong.unwrap());
    }

    /// Whichever tensors a bf16 plan stores, it passes: it rounds no more
    /// often than the plain path. (A single score can be next to zero, and its
    /// relative error anything; so there are several.)
    #[test]
    fn any_bf16_plan_passes(
        (groups, kv_heads, half) in (1u64..4, 1u64..4, 8u64..12),
        layers in 1u64..4,
        batch in 1u64..3,
        seq in 2u64..14,
        stores in any::<u32>(),
        seed in any::<u64>(),
    ) {
        let heads = groups * kv_heads;
        let model = Model::new("m", heads * half * 2, layers, heads, kv_heads, 40, 60).unwrap();
        let case = Case::new(&model, Shape::prefill(batch, seq), Dtype::Bf16, seed);
        let graph = Graph::of(&model, &case.shape).unwrap();
        let mut tensors = case.naive(Defect::Stores(stores));
        for node in &graph.nodes {
            if !Defect::Stores(stores).rounds(node.op) {
                tensors.remove(&node.writes);
            }
        }
        let verdict = case.judge(&tensors).unwrap();
        prop_assert!(verdict.pass, "{}", verdict.first_wrong.unwrap());
    }
}

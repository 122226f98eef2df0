use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

use super::*;
use crate::tokens::Tokens;
use crate::weights::Weights;
use plan::model::{Dtype, preset};

fn model() -> Model {
    Model::new("m", 32, 2, 4, 2, 48, 50).unwrap()
}

fn run(tokens: &Tokens, seq: u64, precision: Precision) -> Kept {
    let weights = Weights::seeded(&model(), 1, Dtype::Fp32).unwrap();
    let shape = Shape {
        batch: tokens.batch() as u64,
        seq,
        context: tokens.context() as u64,
    };
    Kept::run(&weights, tokens, shape, precision).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn rope_turns_the_first_half_against_the_second() {
    // Position 1, d 4, theta 10⁴: angles 10⁴^0 = 1 and 10⁴^(−2/4) = 0.01; pairs
    // are (1, 3) and (2, 4).
    let x = DMatrix::from_column_slice(4, 2, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    let y = ops::rope(&x, 4, |token| token % 2, 1e4);
    assert_eq!(y.column(0), x.column(0), "position 0 is not turned");
    let (c, s) = (1f64.cos(), 1f64.sin());
    let (c2, s2) = (0.01f64.cos(), 0.01f64.sin());
    let turned = [
        c - 3.0 * s,
        2.0 * c2 - 4.0 * s2,
        3.0 * c + s,
        4.0 * c2 + 2.0 * s2,
    ];
    for (a, b) in y.column(1).iter().zip(turned) {
        close(*a, b);
    }
}

#[test]
fn the_norm_divides_by_the_root_of_mean_square_and_eps() {
    // mean(3², 4²) = 12.5; with eps 12.5 the root is 5.
    let x = DMatrix::from_column_slice(2, 1, &[3.0, 4.0]);
    let gamma = DVector::from_column_slice(&[1.0, 10.0]);
    let y = ops::rms_norm(&x, &gamma, 12.5);
    close(y[0], 0.6);
    close(y[1], 8.0);
}

#[test]
fn silu_is_its_formula() {
    // exp(−ln 3) = 1/3, so silu(ln 3) = ln 3 / (4/3).
    let y = ops::silu(&DMatrix::from_column_slice(3, 1, &[0.0, 3f64.ln(), -800.0]));
    close(y[0], 0.0);
    close(y[1], 0.75 * 3f64.ln());
    close(y[2], 0.0);
}

#[test]
fn softmax_sees_the_past_and_itself_only() {
    // d 4: scores are halved. Column = query. Equal scores share evenly;
    // 2·ln 3 against 0 is 3 to 1.
    let sc = DMatrix::from_column_slice(2, 2, &[7.0, 99.0, 2.0 * 3f64.ln(), 0.0]);
    let pr = attention::softmax(&sc, 4);
    let expected = [1.0, 0.0, 0.75, 0.25];
    for (a, b) in pr.iter().zip(expected) {
        close(*a, b);
    }
    // Scores beyond the range of exp do no harm.
    let pr = attention::softmax(&DMatrix::from_element(2, 2, 1e6), 4);
    close(pr[3], 0.5);
}

#[test]
fn neighbouring_query_heads_share_a_key_head() {
    // H 4, K 2, d 2: query heads 0 and 1 read key head 0, 2 and 3 head 1. All
    // queries are ones, key head 0 holds 1 and head 1 holds 10: 2 and 20.
    let heads = attention::Heads {
        query: 4,
        key: 2,
        width: 2,
    };
    let qr = DMatrix::from_element(8, 1, 1.0);
    let kr = DMatrix::from_column_slice(4, 1, &[1.0, 1.0, 10.0, 10.0]);
    let score = |h| attention::scores(&qr, &kr, heads, h, &(0..1))[0];
    assert_eq!([0, 1, 2, 3].map(score), [2.0, 2.0, 20.0, 20.0]);
}

#[test]
fn every_tensor_of_the_graph_is_made_with_its_size() {
    let tokens = Tokens::seeded(3, 2, 9, 50);
    let kept = run(&tokens, 4, Precision::Exact);
    let shape = Shape {
        batch: 2,
        seq: 4,
        context: 9,
    };
    let sizes = Sizes::new(&model(), &shape, false).unwrap();
    for (i, tensor) in kept.graph().tensors.iter().enumerate() {
        let made = kept.get(plan::model::TensorId(i as u32));
        if tensor.kind == TensorKind::Ids {
            assert!(made.is_none());
            continue;
        }
        let elements = tensor.kind.elements().value(&sizes).unwrap();
        assert_eq!(
            made.unwrap().len() as u64,
            elements,
            "{}",
            tensor.full_name()
        );
    }
}

#[test]
fn activations_stay_near_one() {
    let tokens = Tokens::seeded(3, 2, 9, 50);
    for made in run(&tokens, 9, Precision::Exact).tensors() {
        let n = made.values.len() as f64;
        let rms = (made.values.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
        // Scores are sums of d = 8 products and not yet divided by √d; a tied
        // head sums D = 32 products of deviation one.
        let largest = match made.tensor.kind {
            TensorKind::Sc | TensorKind::Logits => 12.0,
            _ => 3.0,
        };
        assert!(
            rms > 0.1 && rms < largest,
            "{}: {rms}",
            made.tensor.full_name()
        );
    }
}

#[test]
fn the_last_rows_are_those_of_the_whole() {
    let tokens = Tokens::seeded(3, 2, 9, 50);
    let (whole, last) = (
        run(&tokens, 9, Precision::Exact),
        run(&tokens, 2, Precision::Exact),
    );
    for (whole, last) in whole
        .logits()
        .chunks(9 * 50)
        .zip(last.logits().chunks(2 * 50))
    {
        // Products of other widths may sum in another order.
        for (a, b) in whole[7 * 50..].iter().zip(last) {
            close(*a, *b);
        }
    }
    // The cache holds kr and v of the first seven positions.
    let find = |k: &Kept, kind| k.find(kind, Some(1)).unwrap().to_vec();
    for (past, source) in [
        (TensorKind::PastK, TensorKind::Kr),
        (TensorKind::PastV, TensorKind::V),
    ] {
        let (past, source) = (find(&last, past), find(&whole, source));
        for (past, source) in past.chunks(7 * 16).zip(source.chunks(9 * 16)) {
            assert_eq!(past, &source[..7 * 16]);
        }
    }
}

#[test]
fn bf16_rounds_every_tensor_and_errs_as_eight_bits_do() {
    let tokens = Tokens::seeded(3, 2, 9, 50);
    let (exact, plain) = (
        run(&tokens, 9, Precision::Exact),
        run(&tokens, 9, Precision::PlainBf16),
    );
    for made in plain.tensors() {
        for v in &made.values {
            assert_eq!(f64::from(half::bf16::from_f64(*v).to_f32()), *v);
        }
    }
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let off = norm(
        &mut exact
            .logits()
            .iter()
            .zip(plain.logits())
            .map(|(a, b)| a - b),
    );
    let relative = off / norm(&mut exact.logits().iter().copied());
    // One rounding is 2⁻⁸ at most, about 0.4 of it on average; some 40 in a row
    // add √40 of those: 1e-2.
    assert!(relative > 2e-3 && relative < 5e-2, "{relative}");
}

#[test]
fn what_is_too_large_or_does_not_fit_is_refused_with_the_way_out() {
    let p = preset("part-c").unwrap();
    let e = affordable(&p.model(), &p.shape()).unwrap_err().to_string();
    // 487.7 GFLOP (cost model, part C).
    assert_eq!(
        e,
        "the fp64 reference computes at most 200 GFLOP, and model part-c with batch 4 and context 512 needs 488; check a smaller batch, a shorter context or a smaller preset"
    );
    // 10⁹ rows of a model of two columns: little work, much memory.
    let flat = Model::new("flat", 2, 1, 1, 1, 1, 1).unwrap();
    let e = affordable(&flat, &Shape::prefill(10_000_000, 1))
        .unwrap_err()
        .to_string();
    assert!(e.contains("keeps at most 2 GB"), "{e}");
    for name in ["workshop", "small"] {
        let p = preset(name).unwrap();
        affordable(&p.model(), &p.shape()).unwrap();
    }

    let weights = Weights::seeded(&model(), 1, Dtype::Fp32).unwrap();
    let tokens = Tokens::seeded(3, 2, 9, 50);
    let e = Forward::new(&weights, &tokens, Shape::prefill(2, 8), Precision::Exact)
        .unwrap_err()
        .to_string();
    assert_eq!(
        e,
        "the tokens are 2 sequences of 9, and the shape asks for 2 of 8"
    );
    let tokens = Tokens::seeded(3, 2, 8, 5000);
    let mut forward =
        Forward::new(&weights, &tokens, Shape::prefill(2, 8), Precision::Exact).unwrap();
    let e = forward.next_stage().unwrap_err().to_string();
    assert!(e.ends_with("is not below the vocabulary of 50"), "{e}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A later token changes nothing before it, and no other sequence.
    #[test]
    fn the_forward_is_causal(seed in any::<u64>(), at in 1usize..9, id in 0u64..50) {
        let tokens = Tokens::seeded(seed, 2, 9, 50);
        let mut rows: Vec<Vec<u64>> = (0..2)
            .map(|b| tokens.sequence(b).iter().map(|id| u64::from(*id)).collect())
            .collect();
        rows[0][at] = id;
        let changed = Tokens::new(&rows, 50).unwrap();
        let (a, b) = (
            run(&tokens, 9, Precision::Exact),
            run(&changed, 9, Precision::Exact),
        );
        prop_assert_eq!(&a.logits()[..at * 50], &b.logits()[..at * 50]);
        prop_assert_eq!(&a.logits()[9 * 50..], &b.logits()[9 * 50..]);
    }

    /// A score depends on the distance of two positions, not on where they are.
    #[test]
    fn rotated_scores_depend_on_the_distance(
        q in prop::collection::vec(-2.0..2.0f64, 8),
        k in prop::collection::vec(-2.0..2.0f64, 8),
        distance in 0usize..5,
    ) {
        let everywhere = |x: &[f64]| {
            ops::rope(&DMatrix::from_fn(8, 12, |i, _| x[i]), 8, |token| token % 12, 1e4)
        };
        let (q, k) = (everywhere(&q), everywhere(&k));
        let score = |at: usize| q.column(at + distance).dot(&k.column(at));
        for at in 1..7 {
            prop_assert!((score(at) - score(0)).abs() < 1e-12);
        }
    }
}

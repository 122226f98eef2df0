//! Logits of small random Llamas saved by Hugging Face's `transformers`
//! (`tests/make_llama.py` made them) agree with ours.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};

use tinyllama_tutor::backend::npy;
use tinyllama_tutor::backend::reference::{Kept, Precision};
use tinyllama_tutor::backend::tokens::Tokens;
use tinyllama_tutor::backend::weights::Weights;
use tinyllama_tutor::model::{Dtype, Shape};

/// `transformers` turns by angles in float32 and normalises in float32, so its
/// logits carry a few units of 2⁻²⁴ per op, relative to their size: 2 blocks of
/// 18 ops, and sums of up to 96 terms that add √96 of them. 40 · 10 · 2⁻²⁴ is
/// 2.4e-5; a wrong epsilon, base or pairing moves logits by 1e-2 and more.
const TOLERANCE: f64 = 2.4e-5;

struct Saved {
    weights: Weights,
    tokens: Tokens,
    logits: npy::Array,
}

fn saved(name: &str) -> Saved {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let weights = Weights::open(&folder, Dtype::Fp32).unwrap();
    let tokens = Tokens::load(&folder.join("tokens.json"), weights.model().vocab).unwrap();
    let logits = npy::load(&folder.join("logits.npy")).unwrap();
    let vocab = weights.model().vocab as usize;
    assert_eq!(logits.shape, [tokens.batch(), tokens.context(), vocab]);
    Saved {
        weights,
        tokens,
        logits,
    }
}

/// The largest difference, relative to the largest logit.
fn difference(ours: &[f64], theirs: &[f32]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let largest = theirs
        .iter()
        .fold(0.0, |m: f64, t| m.max(f64::from(t.abs())));
    assert!(largest > 0.5, "the logits are too small to tell anything");
    let off = ours
        .iter()
        .zip(theirs)
        .map(|(o, t)| (o - f64::from(*t)).abs())
        .fold(0.0, f64::max);
    off / largest
}

fn shape(tokens: &Tokens, seq: usize) -> Shape {
    Shape {
        batch: tokens.batch() as u64,
        seq: seq as u64,
        context: tokens.context() as u64,
    }
}

#[test]
fn the_reference_agrees_with_transformers() {
    for name in ["llama-tiny", "llama-tiny-tied"] {
        let s = saved(name);
        let shape = shape(&s.tokens, s.tokens.context());
        let kept = Kept::run(&s.weights, &s.tokens, shape, Precision::Exact).unwrap();
        let off = difference(kept.logits(), &s.logits.values);
        println!("{name}: {off:e}");
        assert!(off < TOLERANCE, "{name}: off by {off:e} of the largest");
    }
}

#[test]
fn the_last_rows_of_a_context_agree_with_transformers() {
    let s = saved("llama-tiny");
    let (context, vocab) = (s.tokens.context(), s.logits.shape[2]);
    for seq in [1, 3] {
        let shape = shape(&s.tokens, seq);
        let kept = Kept::run(&s.weights, &s.tokens, shape, Precision::Exact).unwrap();
        let last: Vec<f32> = s
            .logits
            .values
            .chunks(context * vocab)
            .flat_map(|sequence| &sequence[(context - seq) * vocab..])
            .copied()
            .collect();
        let off = difference(kept.logits(), &last);
        assert!(off < TOLERANCE, "seq {seq}: off by {off:e} of the largest");
    }
}

//! Conventions that no slip of the key mentions, alone and two at once.

use super::wanted::Wanted;
use super::{Fits, said};
use crate::answer::Env;
use crate::answer::key::Slip;
use crate::answer::setup::Setting;
use plan::model::Dtype;
use plan::units::{Dimension, Quantity, Typed};

/// A convention, and how it is said.
struct Convention {
    setting: Setting,
    /// Alone.
    alone: &'static str,
    /// As half of two; empty: it is named alone only.
    half: &'static str,
    /// Words without which no slip of a key speaks of it.
    words: &'static [&'static str],
}

const CONVENTIONS: [Convention; 8] = [
    Convention {
        setting: Setting::Macs(true),
        alone: "This counts a multiply-accumulate as one operation; here it is two.",
        half: "a multiply-accumulate as one operation",
        words: &["accumulate"],
    },
    Convention {
        setting: Setting::NoGqa(true),
        alone: "This makes k and v as wide as q, as they are without grouped heads.",
        half: "k and v as wide as q",
        words: &["head"],
    },
    Convention {
        setting: Setting::NoWeights(true),
        alone: "This leaves out the bytes of the weights; a kernel reads each of its weights once.",
        half: "no bytes for the weights",
        words: &["weight", "gamma"],
    },
    Convention {
        setting: Setting::Causal(true),
        alone: "This counts only the pairs that the causal mask keeps; the question counts all of them.",
        half: "only the pairs that the mask keeps",
        words: &["mask"],
    },
    Convention {
        setting: Setting::NoHeads(true),
        alone: "This multiplies the attention products by the number of heads; the heads split D between them.",
        half: "attention products times the number of heads",
        words: &["head"],
    },
    Convention {
        setting: Setting::Batch(1),
        alone: "This is one sequence, batch 1; the question has more of them.",
        half: "one sequence in place of the batch",
        words: &["batch"],
    },
    Convention {
        setting: Setting::Dtype(Dtype::Bf16),
        alone: "This is the value for elements of two bytes; here they have four.",
        half: "",
        words: &["16-bit", "two bytes"],
    },
    Convention {
        setting: Setting::Dtype(Dtype::Fp32),
        alone: "This is the value for elements of four bytes; here they have two.",
        half: "",
        words: &["32-bit", "four bytes"],
    },
];

/// Most explanations that are named at once.
const MOST: usize = 3;

/// The conventions under which the key's answer is what was typed: each alone, unless one of
/// the slips that `fit` speaks of it; where there is neither, two at once; else a known slip
/// together with one. Combinations only
/// where the value carries a unit and four digits: a share has too few values to
/// be named by chance. `of_slip` is the value of a known slip, by its number.
pub(super) fn named(
    typed: &Typed,
    wanted: &Wanted,
    env: &Env<'_>,
    answer: &dyn Fn(&Env<'_>) -> Option<Quantity>,
    (slips, fit): (&[Slip], &[Fits]),
    of_slip: &dyn Fn(&Slip, &Env<'_>) -> Option<Quantity>,
) -> Vec<Fits> {
    let is = |value: Option<Quantity>, digits| {
        value.is_some_and(|value| wanted.names(typed, &value, digits))
    };
    let named = |say: String| Fits { say, claim: None };
    if matches!(
        wanted.expected.dimension(),
        Dimension::Count | Dimension::Time
    ) {
        return Vec::new();
    }
    let alone = CONVENTIONS
        .iter()
        .filter(|known| {
            let said = |fit: &Fits| known.words.iter().any(|word| fit.say.contains(word));
            !fit.iter().any(said)
        })
        .filter(|known| is(answer(&env.with(&[known.setting])), 3))
        .map(|known| named(known.alone.to_owned()));
    let found: Vec<Fits> = alone.take(MOST).collect();
    if !found.is_empty() || !fit.is_empty() || wanted.expected.dimension().is_plain() {
        return found;
    }
    let mut found = Vec::new();
    let halves = || CONVENTIONS.iter().filter(|known| !known.half.is_empty());
    for (i, one) in halves().enumerate() {
        for other in halves().skip(i + 1) {
            if is(answer(&env.with(&[one.setting, other.setting])), 4) {
                found.push(named(format!(
                    "Two conventions at once give this: {}, and {}.",
                    one.half, other.half
                )));
            }
        }
    }
    if found.is_empty() {
        for slip in slips.iter().filter(|slip| !slip.accept) {
            let itself = of_slip(slip, env);
            for known in halves() {
                let both = of_slip(slip, &env.with(&[known.setting]));
                // Where the convention changes nothing, it explains nothing; nor does it where
                // the slip speaks of it.
                let twice = known.words.iter().any(|word| slip.say.text.contains(word));
                if both != itself && !twice && is(both, 4) {
                    found.push(Fits {
                        say: format!(
                            "Two slips at once give this. {} And: {}",
                            said(slip, env),
                            known.alone
                        ),
                        claim: slip.claim(),
                    });
                }
            }
        }
    }
    found.truncate(MOST);
    found
}

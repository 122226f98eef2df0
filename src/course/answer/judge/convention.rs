//! Conventions that no slip of the key mentions, alone and two at once.

use super::wanted::Wanted;
use super::{Fits, said};
use crate::answer::Env;
use crate::answer::key::Slip;
use crate::answer::setup::Setting;
use plan::units::{Dimension, Quantity, Typed};

/// A convention and how it is said: alone, and as half of two.
const CONVENTIONS: [(Setting, &str, &str); 6] = [
    (
        Setting::Macs(true),
        "This counts a multiply-accumulate as one operation; here it is two.",
        "a multiply-accumulate as one operation",
    ),
    (
        Setting::NoGqa(true),
        "This makes k and v as wide as q, as they are without grouped heads.",
        "k and v as wide as q",
    ),
    (
        Setting::NoWeights(true),
        "This leaves out the bytes of the weights; a kernel reads each of its weights once.",
        "no bytes for the weights",
    ),
    (
        Setting::Causal(true),
        "This counts only the pairs that the causal mask keeps; the question counts all of them.",
        "only the pairs that the mask keeps",
    ),
    (
        Setting::NoHeads(true),
        "This multiplies the attention products by the number of heads; the heads split D between them.",
        "attention products times the number of heads",
    ),
    (
        Setting::Batch(1),
        "This is one sequence, batch 1; the question has more of them.",
        "one sequence in place of the batch",
    ),
];

/// Most explanations that are named at once.
const MOST: usize = 3;

/// The conventions under which the key's answer is what was typed: each alone;
/// else two at once; else a known slip together with one. Combinations only
/// where the value carries a unit and four digits: a share has too few values to
/// be named by chance. `of_slip` is the value of a known slip, by its number.
pub(super) fn named(
    typed: &Typed,
    wanted: &Wanted,
    env: &Env<'_>,
    answer: &dyn Fn(&Env<'_>) -> Option<Quantity>,
    slips: &[Slip],
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
        .filter(|(setting, ..)| is(answer(&env.with(&[*setting])), 3))
        .map(|(_, alone, _)| named((*alone).to_owned()));
    let found: Vec<Fits> = alone.take(MOST).collect();
    if !found.is_empty() || wanted.expected.dimension().is_plain() {
        return found;
    }
    let mut found = Vec::new();
    for (i, (first, _, one)) in CONVENTIONS.iter().enumerate() {
        for (second, _, other) in CONVENTIONS.iter().skip(i + 1) {
            if is(answer(&env.with(&[*first, *second])), 4) {
                found.push(named(format!(
                    "Two conventions at once give this: {one}, and {other}."
                )));
            }
        }
    }
    if found.is_empty() {
        for slip in slips.iter().filter(|slip| !slip.accept) {
            let itself = of_slip(slip, env);
            for (setting, alone, _) in &CONVENTIONS {
                let both = of_slip(slip, &env.with(&[*setting]));
                // Where the convention changes nothing, it explains nothing.
                if both != itself && is(both, 4) {
                    found.push(Fits {
                        say: format!(
                            "Two slips at once give this. {} And: {alone}",
                            said(slip, env)
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

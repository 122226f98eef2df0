//! Conventions that no slip of the key mentions, alone and two at once.

use super::Fits;
use super::number::Wanted;
use crate::answer::Env;
use crate::answer::setup::Setting;
use crate::units::{Dimension, Quantity, Typed};

/// A convention and how it is said: alone, and as half of two.
const CONVENTIONS: [(Setting, &str, &str); 5] = [
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
];

/// The convention, or the two, under which the key's answer is what was typed.
/// Two at once only where the value carries a unit and four digits: a share has
/// too few values to be named by chance.
pub(super) fn named(
    typed: &Typed,
    wanted: &Wanted,
    env: &Env<'_>,
    answer: &dyn Fn(&Env<'_>) -> Option<Quantity>,
) -> Option<Fits> {
    let fits = |settings: &[Setting], digits| {
        answer(&env.with(settings)).is_some_and(|value| wanted.names(typed, &value, digits))
    };
    let said = |say: String| Some(Fits { say, claim: None });
    if matches!(
        wanted.expected.dimension(),
        Dimension::Count | Dimension::Time
    ) {
        return None;
    }
    for (setting, alone, _) in &CONVENTIONS {
        if fits(&[*setting], 3) {
            return said((*alone).to_owned());
        }
    }
    if wanted.expected.dimension().is_plain() {
        return None;
    }
    for (i, (first, _, one)) in CONVENTIONS.iter().enumerate() {
        for (second, _, other) in CONVENTIONS.iter().skip(i + 1) {
            if fits(&[*first, *second], 4) {
                return said(format!(
                    "Two conventions at once give this: {one}, and {other}."
                ));
            }
        }
    }
    None
}

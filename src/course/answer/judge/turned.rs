//! The right number, turned: under another prefix, upside down, the rest to the
//! whole, or of all layers. Nothing that is said here tells which way, or by how
//! much, the answer lies.

use super::Fits;
use super::wanted::{Wanted, coincide};
use crate::answer::Env;
use crate::answer::key::{Key, Tolerance};
use plan::units::{Dimension, Quantity, Typed, Unit};

/// Powers of ten between the prefixes of units.
const STEPS: [i32; 6] = [3, -3, 6, -6, 9, -9];

pub(super) fn named(typed: &Typed, wanted: &Wanted, key: &Key, env: &Env<'_>) -> Option<Fits> {
    let say = prefixed(typed, wanted)
        .or_else(|| inverse(typed, wanted))
        .or_else(|| rest(typed, wanted))
        .or_else(|| layers(typed, wanted, key, env))?;
    let known = key.slips.iter().any(|slip| slip.say.text == say);
    (!known).then_some(Fits { say, claim: None })
}

/// The digits of the answer under another prefix: GB for TB, ms for µs.
fn prefixed(typed: &Typed, wanted: &Wanted) -> Option<String> {
    let (unit, _) = typed.unit?;
    let prefixed = matches!(
        unit.dimension(),
        Dimension::Time
            | Dimension::Bytes
            | Dimension::Flop
            | Dimension::BytesPerSecond
            | Dimension::FlopPerSecond
    );
    let meant = |step: &i32| {
        let factor = 10_f64.powi(*step);
        let meant = Typed {
            quantity: Quantity::new(typed.quantity.value() * factor, typed.quantity.dimension()),
            half_place: typed.half_place * factor,
            ..typed.clone()
        };
        wanted.fits(&meant, &wanted.expected, 2)
    };
    (prefixed && STEPS.iter().any(meant)).then(|| {
        format!(
            "The digits belong to another prefix than {}: follow the units through once more, step by step.",
            unit.symbol()
        )
    })
}

/// What stands above the line and what below, exchanged.
fn inverse(typed: &Typed, wanted: &Wanted) -> Option<String> {
    let expected = &wanted.expected;
    let share = wanted.asked.unit == Some(Unit::PERCENT);
    let divided = matches!(
        expected.dimension(),
        Dimension::Ratio | Dimension::FlopPerByte
    );
    if !divided || share || expected.value() == 0.0 {
        return None;
    }
    let turned = Quantity::new(1.0 / expected.value(), expected.dimension());
    wanted
        .names(typed, &turned, 2)
        .then(|| "This is the inverse: numerator and denominator are exchanged.".to_owned())
}

/// The figure of one layer for all of them.
fn layers(typed: &Typed, wanted: &Wanted, key: &Key, env: &Env<'_>) -> Option<String> {
    let expected = &wanted.expected;
    let summed = matches!(expected.dimension(), Dimension::Bytes | Dimension::Flop);
    let layers = env.setup.config.model.layers;
    let whole = ["forward", "model", "all layers"];
    if !summed || layers < 2 || whole.iter().any(|word| key.ask.text.contains(word)) {
        return None;
    }
    let all = Quantity::new(expected.value() * layers as f64, expected.dimension());
    wanted
        .names(typed, &all, 4)
        .then(|| "All layers together would give this. The question asks for one.".to_owned())
}

/// The share that is left.
fn rest(typed: &Typed, wanted: &Wanted) -> Option<String> {
    let expected = &wanted.expected;
    let share = wanted.asked.unit == Some(Unit::PERCENT);
    if !share || !(0.0..1.0).contains(&expected.value()) {
        return None;
    }
    let left = Quantity::new(1.0 - expected.value(), expected.dimension());
    let half = coincide(&left, expected, Tolerance::Points(2e-3));
    (!half && wanted.names(typed, &left, 3))
        .then(|| "This is the rest to 100 %: the other part of the whole.".to_owned())
}

//! The question for a drawn claim's number.

use super::{about, phrases};
use crate::answer::{Key, Kind, Slip, SlipValue, Tolerance, Value};
use crate::claims::{Claim, Figure, UNLABELLED};
use crate::fault::Place;
use crate::fields::{Phrase, Typed};
use plan::units::{Quantity, Spec, Unit};

/// The question for the claim's number; none where the ledger has no question.
pub(super) fn key(claim: &Claim, name: &str, at: Place) -> Option<Key> {
    let (ask, figure) = claim.asked()?;
    let gpus = crate::answer::data_sheets()?;
    let env = claim.env(gpus, crate::recorded::Figures::built_in()).ok()?;
    let Ok(Value::Quantity(value)) = claim.value(figure, &env) else {
        return None;
    };
    let phrase = |text: &str| Phrase {
        text: text.to_owned(),
        at,
    };
    let unit = figure.unit.as_deref();
    let spec = unit.and_then(|unit| Spec::parse(unit).ok());
    let wanted = spec.map_or(String::new(), |s| match s.unit.symbol() {
        // The question says “factor” itself.
        "" | "x" => String::new(),
        "%" => " In %, with the sign.".to_owned(),
        symbol => format!(" In {symbol}."),
    });
    let ask = format!("{}: {}{wanted}", name.to_uppercase(), ask.text);
    let computed = |f: &Figure| match &f.unit {
        Some(unit) => format!("`= {} | {unit}`", f.expr.text),
        None => format!("`= {}`", f.expr.text),
    };
    let others = || claim.figures.iter().filter(|f| *f != figure);
    let shown = |f: &Figure| match f.label.as_str() {
        UNLABELLED => format!("the claim's own number: {}", computed(f)),
        label => format!("{label}: {}", computed(f)),
    };
    let body: Vec<String> = std::iter::once(format!("- asked for: {}", computed(figure)))
        .chain(others().map(|f| format!("- {}", shown(f))))
        .collect();
    let body = format!(
        "{}\n\n(claim {}, {})",
        body.join("\n"),
        claim.id.text,
        claim.title
    );
    let typed = |text: &str| Typed::expression(phrase(text)).ok();
    let formula = claim.claimed.as_ref().and_then(|formula| {
        let say = "This is the document's own formula. What does it leave out, or count twice?";
        let value = SlipValue::Expr(typed(&formula.text)?);
        Some(Slip::new(value, phrase(say)))
    });
    let printed = claim.printed.as_deref().map(|printed| Slip {
        claim: Some(phrase(&claim.id.text)),
        ..Slip::new(
            SlipValue::Printed(phrase(printed)),
            phrase("This is the number that the document prints."),
        )
    });
    let beside = others().find(|other| {
        let found = claim.value(other, &env);
        matches!(found, Ok(Value::Quantity(q)) if !is_same(&q, &value))
    });
    let command = claim.demonstration().filter(|c| !c.contains(" claims"));
    let third = match (beside, command) {
        (Some(other), _) => format!("Beside it stands, {}.", shown(other)),
        (None, Some(command)) => format!("What it rests on is in `{command}`."),
        (None, None) => {
            "Write down both sides: what the sentence counts, and what there is to count."
                .to_owned()
        }
    };
    Some(Key {
        kind: Kind::Number,
        answer: typed(&figure.expr.text),
        tolerance: match value.exact() {
            _ if spec.is_some_and(|s| s.unit == Unit::PERCENT) => Tolerance::Points(POINTS),
            Some(_) => Tolerance::Exact,
            None => Tolerance::default(),
        },
        unit: spec.zip(unit).map(|(value, unit)| Typed {
            value,
            written: phrase(unit),
        }),
        slips: formula.into_iter().chain(printed).collect(),
        hints: phrases(
            [
                "Which quantity is it, at which shape, and of one kernel, a block or a forward?".to_owned(),
                "Take it from the shapes or the data sheet, in symbols first, and fill in the numbers last.".to_owned(),
                third,
            ],
            at,
        ),
        ..about(claim, format!("{name}_number"), ask, body, at)
    })
}

/// Half of the last decimal that a share in per cent is typed with.
const POINTS: f64 = 0.0005;
/// Two figures that print alike.
const SAME: f64 = 1e-6;

fn is_same(a: &Quantity, b: &Quantity) -> bool {
    (a.value() - b.value()).abs() <= SAME * b.value().abs()
}

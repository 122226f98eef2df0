//! A question as the course writes it, ready for the judge.

use crate::answer::{self, Expr, Setting, SlipValue};
use crate::course::{Key, Kind, Scalar, Setup, Slip, Tolerance};
use crate::units::Spec;

/// The judge's form of a question.
///
/// # Errors
/// A sentence that names what cannot be read: a fault of the course.
pub fn judged(key: &Key) -> Result<answer::Key, String> {
    let expr = |text: &str| Expr::parse(text).map_err(|e| e.to_string());
    let slips = key
        .slips
        .iter()
        .map(|slip| {
            Ok(answer::Slip {
                value: value(slip, &expr)?,
                settings: settings(&slip.convention)?,
                accept: slip.accept,
                say: slip.say.text.clone(),
                claim: slip.claim.as_ref().map(|c| c.text.clone()),
            })
        })
        .collect::<Result<_, String>>()?;
    let unit = match &key.unit {
        Some(unit) => Some(Spec::parse(&unit.text).map_err(|e| e.to_string())?),
        None => None,
    };
    Ok(answer::Key {
        name: key.name.text.clone(),
        ask: key.ask.text.clone(),
        kind: match key.kind {
            Kind::Number => answer::Kind::Number,
            Kind::Choice => answer::Kind::Choice,
            Kind::Choices => answer::Kind::Choices,
            Kind::Ranking => answer::Kind::Ranking,
            Kind::Measured => answer::Kind::Measured,
        },
        answer: expr(&key.answer.text)?,
        tolerance: match key.tolerance {
            Tolerance::Exact => answer::Tolerance::Exact,
            Tolerance::Relative(percent) => answer::Tolerance::Relative(percent / 100.0),
            Tolerance::Points(points) => answer::Tolerance::Points(points / 100.0),
        },
        unit,
        options: key.options.iter().map(|o| o.text.clone()).collect(),
        slips,
        hints: key.hints.iter().map(|h| h.text.clone()).collect(),
        settings: settings(&key.setup)?,
    })
}

fn value(slip: &Slip, expr: &dyn Fn(&str) -> Result<Expr, String>) -> Result<SlipValue, String> {
    Ok(match (&slip.answer, &slip.printed) {
        (Some(answer), _) => SlipValue::Expr(expr(&answer.text)?),
        (None, Some(printed)) => SlipValue::Printed(printed.text.clone()),
        (None, None) => SlipValue::SameAnswer,
    })
}

/// Settings of the course as the judge reads them.
///
/// # Errors
/// A sentence that names the setting.
pub fn settings(setup: &Setup) -> Result<Vec<Setting>, String> {
    let written = |value: &Scalar| match value {
        Scalar::Text(text) => text.clone(),
        Scalar::Count(count) => count.to_string(),
        Scalar::Flag(true) => "on".to_owned(),
        Scalar::Flag(false) => "off".to_owned(),
    };
    setup
        .settings
        .iter()
        // Names the machine, not what is computed.
        .filter(|s| s.name != "gpu")
        .map(|s| Setting::parse(&s.name, &written(&s.value)).map_err(|e| e.to_string()))
        .collect()
}

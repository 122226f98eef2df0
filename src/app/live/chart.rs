//! Points of a `chart` block: expressions over a swept parameter.

use super::{configuration, records};
use crate::answer::{Setting, Setup, Value};
use crate::app::state::State;
use crate::course::{Block, Lesson, Live};
use crate::units::{Column, Quantity, Unit};

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where there is only one.
    pub name: String,
    /// One value per value of the parameter, in the chart's unit.
    pub values: Vec<f64>,
}

/// A chart ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The parameter.
    pub x: String,
    /// Its values.
    pub at: Vec<f64>,
    /// Unit of the values, as heads write it.
    pub unit: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The parameter's axis is logarithmic.
    pub log_x: bool,
    /// The values' axis is logarithmic.
    pub log_y: bool,
}

/// Computes a chart.
///
/// # Errors
/// A sentence: a setting or an expression that cannot be evaluated.
pub fn chart(state: &State, lesson: &Lesson, live: &Live) -> Result<Chart, String> {
    let Ok(Block::Chart {
        x,
        range,
        unit,
        series,
        log,
    }) = &live.content
    else {
        return Err("this block is no chart".to_owned());
    };
    let setup = configuration(state, lesson, &live.setup)?;
    let records = records(state);
    let mut found: Vec<(String, Vec<Quantity>)> = Vec::new();
    for one in series {
        let mut values = Vec::new();
        for at in range {
            let setup = swept(&setup, x, *at)?;
            match state.study.value(&one.y.text, &setup, &records)? {
                Value::Quantity(q) => values.push(q),
                other => {
                    return Err(format!(
                        "“{}” yields {other}, which is no number",
                        one.y.text
                    ));
                }
            }
        }
        found.push((one.name.clone(), values));
    }
    let all: Vec<Quantity> = found.iter().flat_map(|(_, v)| v.iter().copied()).collect();
    let unit = match unit {
        Some(unit) => Unit::parse(unit).map_err(|e| e.to_string())?,
        None => Column::fit(&all).unit(),
    };
    let lines: Vec<Line> = found
        .into_iter()
        .map(|(name, values)| Line {
            name,
            values: values.iter().map(|q| q.in_unit(unit)).collect(),
        })
        .collect();
    let positive = lines.iter().flat_map(|l| &l.values).all(|v| *v > 0.0);
    Ok(Chart {
        x: x.clone(),
        at: range.clone(),
        // Shares live between nothing and all: their axis stays straight.
        log_y: *log && positive && unit != Unit::PERCENT,
        log_x: *log && range.iter().all(|v| *v > 0.0),
        unit: unit.symbol().to_owned(),
        lines,
    })
}

/// The configuration with the parameter set. Tokens are sequences of one: a
/// product over rows sees only their number.
fn swept(setup: &Setup, x: &str, at: f64) -> Result<Setup, String> {
    let whole = format!("{at:.0}");
    let set = |name: &str, value: &str| Setting::parse(name, value).map_err(|e| e.to_string());
    let settings = match x {
        "tokens" => vec![set("batch", &whole)?, set("seq", "1")?],
        name => vec![set(name, &whole)?],
    };
    Ok(setup.with(&settings))
}

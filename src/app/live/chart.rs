//! Points of a `chart` block: expressions over a swept parameter.

use super::env;
use crate::state::State;
use course::answer::Value;
use course::{Block, Lesson, Live, swept};
use plan::units::{Column, Quantity, Unit};

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
    let env = env(state, lesson, &live.setup)?;
    let mut found: Vec<(String, Vec<Quantity>)> = Vec::new();
    for one in series {
        let mut values = Vec::new();
        for at in range {
            let here = env.with(&swept(x, *at));
            match one.y.value.evaluate(&here).map_err(|e| e.to_string())? {
                Value::Quantity(q) => values.push(q),
                other => {
                    let y = one.y.as_str();
                    return Err(format!("“{y}” yields {other}, which is no number"));
                }
            }
        }
        found.push((one.name.clone(), values));
    }
    let all: Vec<Quantity> = found.iter().flat_map(|(_, v)| v.iter().copied()).collect();
    let unit = match unit {
        Some(unit) => unit.value.unit,
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

//! What an author writes in a live block: its fields, and what is wrong with them.

use super::{
    Block, Cell, KINDS, LANGUAGES, Live, METRICS, MICRO_IN_FULL, Predict, SWEPT, Series, kernels,
    profile, steps, study, trips, typed,
};
use crate::fault::{Place, way_out};
use crate::fields::{Fields, Phrase, Toml, Typed};
use crate::number::{Inline, split};
use crate::setup::Setup;
use crate::text::Text;
use plan::fusion::Fusion;

/// Backends that a `lab` may name.
const BACKENDS: [&str; 4] = ["cpu", "simt", "cuda", "hip"];

/// Reads a live block of a document whose spans count from `base` of the text.
pub(crate) fn read(text: &Text, live: &::text::Live, base: usize, number: usize) -> Live {
    let range = base + live.within.start..base + live.within.end;
    let toml = Toml {
        text,
        range: range.clone(),
    };
    let kind = match live.kind.as_str() {
        MICRO_IN_FULL => "micro",
        kind => kind,
    };
    let mut faults = Vec::new();
    if !live.closed {
        let at = text.line(live.place.line).start;
        faults.push(text.fault(
            at,
            format!(
                "this {kind} block is not closed; end it with the same fence on a line of its own."
            ),
        ));
    }
    let (setup, predict, block) = toml.read(&mut faults, |fields| {
        let what = format!("a {kind} block");
        let mut scope = fields.renamed(&what);
        content(kind, &mut scope)
    });
    let content = match block {
        Some(block) if faults.is_empty() => Ok(block),
        _ => Err(faults),
    };
    Live {
        kind: kind.to_owned(),
        number,
        line: live.place.line,
        source: text.slice(range).to_owned(),
        setup,
        predict,
        content,
    }
}

fn content(kind: &str, fields: &mut Fields<'_, '_>) -> (Setup, Vec<Predict>, Option<Block>) {
    let setup = match kind {
        "steps" | "question" | "claim" | "micro" | "study" | "occupancy" => Setup::default(),
        "profile" => Setup::of_sample(fields),
        _ => Setup::of_block(fields),
    };
    let predict = match kind {
        "lab" | "compare" | "staircase" | "trips" | "micro" | "profile" | "study" | "occupancy" => {
            fields
                .tables("predict", predict)
                .into_iter()
                .flatten()
                .collect()
        }
        _ => Vec::new(),
    };
    let block = match kind {
        "lab" => {
            let backend = fields.text("backend");
            Some(Block::Lab {
                start: typed::cut(fields, "start"),
                toggles: typed::fusions(fields, "toggles"),
                backend: typed::known(fields, "backend", backend, &BACKENDS).pop(),
                ops: typed::ops(fields, "ops"),
            })
        }
        "compare" => compare(fields),
        "staircase" => Some(Block::Staircase {
            order: steps_of(fields),
            forward: forward(fields),
        }),
        "ribbon" => Some(Block::Ribbon {
            plan: typed::cut(fields, "plan"),
            prices: fields.flag("prices").unwrap_or(false),
        }),
        "trips" => Some(Block::Trips(trips::stretch(fields))),
        "roofline" => {
            let gpus = fields.texts("gpus");
            Some(Block::Roofline {
                plan: typed::cut(fields, "plan"),
                gpus: typed::gpus(fields, gpus),
                mark: typed::ops(fields, "mark"),
            })
        }
        "chart" => chart(fields),
        "table" => table(fields),
        "micro" => kernels::micro(fields),
        "kernel" => kernels::kernel(fields),
        "profile" => profile::profile(fields).map(Block::Profile),
        "study" => study::study(fields).map(Block::Study),
        "occupancy" => kernels::occupancy(fields).map(Block::Occupancy),
        "steps" => steps::steps(fields),
        "question" => {
            let exercise = fields.need_text("exercise", "exercise = \"ex1\"");
            let key = fields.text("key");
            exercise.map(|exercise| Block::Question { exercise, key })
        }
        "claim" => fields
            .need_text("id", "id = \"K-V1-12\"")
            .map(|id| Block::Claim { id }),
        _ => None,
    };
    fields.close();
    (setup, predict, block)
}

fn predict(fields: &mut Fields<'_, '_>) -> Option<Predict> {
    let mut fields = fields.renamed("a prediction");
    let ask = fields.need_text("ask", "ask = \"…\"");
    let answer = fields.need_text("answer", "answer = \"block(v1).launches\"");
    let answer = answer.and_then(|answer| typed::expr(&mut fields, answer));
    let unit = typed::unit(&mut fields, "unit");
    let note = fields.text("note");
    fields.close();
    Some(Predict {
        ask: ask?,
        answer: answer?,
        unit,
        note,
    })
}

fn compare(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let plans = typed::cuts(fields, "plans");
    if plans.is_empty() && !fields.has("plans") {
        fields.report("a compare block has no plans; add plans = [\"v1\", \"v4\"].");
    }
    let mut metrics = Vec::new();
    for metric in fields.texts("metrics") {
        if METRICS.contains(&metric.as_str()) {
            metrics.push(metric.text);
        } else {
            let way_out = way_out(&metric.text, &METRICS);
            fields.report_at(
                metric.at,
                format!("there is no metric “{}”; {way_out}", metric.text),
            );
        }
    }
    if metrics.is_empty() && !fields.has("metrics") {
        metrics = ["launches", "flops", "bytes", "intensity"]
            .map(String::from)
            .to_vec();
    }
    let forward = forward(fields);
    Some(Block::Compare {
        plans,
        metrics,
        forward,
    })
}

/// The fusions of a staircase; a step adds each once.
fn steps_of(fields: &mut Fields<'_, '_>) -> Vec<Typed<Fusion>> {
    let order = typed::fusions(fields, "order");
    for (at, fusion) in order.iter().enumerate() {
        if order
            .iter()
            .take(at)
            .any(|other| other.value == fusion.value)
        {
            let say = format!(
                "{} stands twice in the order; a step adds a fusion once.",
                fusion.value.name()
            );
            fields.report_at(fields.key_place("order"), say);
        }
    }
    order
}

/// Whether the whole forward is meant.
pub(super) fn forward(fields: &mut Fields<'_, '_>) -> bool {
    fields
        .one_of("scope", &["block", "forward"])
        .is_some_and(|scope| scope.text == "forward")
}

fn chart(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let x = if fields.has("x") {
        fields.one_of("x", &SWEPT)
    } else {
        fields.need_text("x", "x = \"batch\"")
    };
    let range = fields.numbers("range");
    if range.len() < 2 {
        fields.report("a chart needs a range of two values or more, such as range = [1, 8, 64].");
    }
    if range
        .iter()
        .any(|value| *value <= 0.0 || value.fract() != 0.0)
    {
        fields.report("the values of a chart's range are whole numbers of 1 or more.");
    }
    let unit = typed::unit(fields, "unit");
    let log = fields.flag("log").unwrap_or(false);
    let mut series: Vec<Series> = fields
        .tables("series", |fields| {
            let mut fields = fields.renamed("a series");
            let name = fields.need_text("name", "name = \"V1\"");
            let y = fields.need_text("y", "y = \"block(v1).bytes\"");
            let y = y.and_then(|y| typed::expr(&mut fields, y));
            fields.close();
            Some(Series { name: name?, y: y? })
        })
        .into_iter()
        .flatten()
        .collect();
    match fields.text("y") {
        Some(y) if series.is_empty() => {
            let name = Phrase::default();
            series.extend(typed::expr(fields, y).map(|y| Series { name, y }));
        }
        Some(y) => fields.report_at(
            y.at,
            "a chart takes y or series, not both; give y a name and put it among the series.",
        ),
        None if series.is_empty() && !fields.has("series") => {
            fields.report("a chart draws nothing yet; add y = \"block.bytes\" or series = [ { name = \"V1\", y = \"block(v1).bytes\" } ].");
        }
        None => {}
    }
    x.map(|x| Block::Chart {
        x: x.text,
        range,
        unit,
        series,
        log,
    })
}

fn table(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let columns = fields.texts("columns");
    if columns.is_empty() {
        fields.report("a table block has no columns; add columns = [\"kernel\", \"bytes\"].");
    }
    let mut rows = Vec::new();
    for (at, row) in fields.rows("rows") {
        if row.len() != columns.len() {
            fields.report_at(
                at,
                format!(
                    "this row has {} cells and the table {} columns; make them equal.",
                    row.len(),
                    columns.len()
                ),
            );
        }
        rows.push(row.into_iter().map(cell).collect());
    }
    Some(Block::Table { columns, rows })
}

fn cell(phrase: Phrase) -> Cell {
    match split(&phrase.text) {
        None => Cell::Text(phrase),
        Some((expr, unit)) => {
            let before = phrase
                .text
                .find(&expr)
                .and_then(|at| phrase.text.get(..at))
                .unwrap_or_default();
            let at: Place = phrase.at.after(before);
            let range = 0..phrase.text.len();
            Cell::Number(Inline {
                expr: Phrase { text: expr, at },
                unit,
                range,
            })
        }
    }
}

/// A fence that looks like a live block with a typing mistake.
pub(crate) fn mistyped(info: &str) -> Option<&'static str> {
    let known = KINDS.contains(&info) || LANGUAGES.contains(&info);
    (!known && !info.is_empty())
        .then(|| plan::nearest(info, KINDS))
        .flatten()
}

//! What the compare page says: the terms behind a number, what a run counted beyond the
//! model, the line under the page.

use super::Compare;
use super::rows::{BEATEN, Row, rows};
use crate::intent::{Intent, Out};
use crate::merit::{Pane, TERMS};
use crate::note::Tone;
use crate::shared::Shared;
use plan::run::BackendKind;
use plan::units::figure;
use study::lab::counted::surplus;

/// Said where a run was faster than the roof allows.
pub const CACHED: &str = "Faster than this roof allows: data in cache, or a roof that is too low.";

/// Opens the terms behind the number under the cursor.
pub(super) fn why(page: &Compare, shared: &mut Shared, out: &mut Out) {
    if page.pane != Pane::Off {
        shared.notes.say(Tone::Plain, TERMS);
        return;
    }
    let scope = page.scope.name();
    let field = match page.row {
        0 => "launches",
        1 => "bytes",
        2 => "weight_bytes",
        3 => "activation_bytes",
        8 => "intensity",
        9 => "",
        row @ 4..=7 => {
            let text = match row {
                7 => "A GPU's profiler measures these: run --counters in a shell, where the driver permits it.".to_owned(),
                6 => shared.runs.behind.said(),
                row => {
                    let on = if row == 5 { "simt alone" } else { "simt or a GPU" };
                    let how = match (row, shared.machine.kind()) {
                        (_, BackendKind::Simt) => "r counts the plan of the column.",
                        (4, kind) if kind.is_gpu() => "r counts the plan of the column.",
                        _ => "To count it: `:backend simt`, then r.",
                    };
                    format!("Counted on {on}. {how}")
                }
            };
            shared.notes.say(Tone::Plain, text);
            return;
        }
        row => return under_roof(page, row, shared, out),
    };
    let key = if field.is_empty() {
        "peak".to_owned()
    } else {
        format!("{scope}.{field}")
    };
    let Some(cost) = page.prices.get(page.column) else {
        return;
    };
    let why = plan::cost::why(cost, &key);
    shared.explain(why, out);
}

/// Of a row that ceilings, launches or a clock make.
fn under_roof(page: &Compare, row: usize, shared: &mut Shared, out: &mut Out) {
    let rows = rows(page, &shared.bench, &shared.machine, &shared.runs);
    let (machine, dtype) = (&shared.machine, shared.bench.setup().dtype);
    let label = rows.get(row).map_or("", |row| row.label.as_str());
    let what = format!("the {}", page.scope.name());
    let found = match (label, page.prices.get(page.column)) {
        ("floor / time", _) => {
            Err("The floor over the time: a floor has terms, a time is measured.".to_owned())
        }
        (label, Some(cost)) if label.starts_with("floor") => {
            machine.why_floor(page.scope.of(cost), dtype, &what)
        }
        (label, _) if label.starts_with("launch") => Err(machine.of_launches()),
        _ => Err(machine.of_times().to_owned()),
    };
    match found {
        Ok(why) => out.want(Intent::Why(Box::new(why))),
        Err(text) => shared.notes.say(Tone::Plain, text),
    }
}

/// What the plan of the column moves beyond the model, kernel by kernel the
/// most: where a run counted it.
fn more(page: &Compare, shared: &Shared) -> Option<String> {
    let cut = page.cuts().get(page.column).copied()?;
    let report = shared.runs.of(shared.bench.setup(), cut)?;
    let kernel = report
        .kernels
        .iter()
        .max_by_key(|k| k.between_phases())
        .filter(|k| k.between_phases() > 0)?;
    // V4's kernel is the block itself.
    let name = kernel.name.trim_end_matches(": block");
    let text = format!("{name}: {}.", surplus(kernel)?);
    Some(figure::fitted(&text, shared.size.0))
}

/// The line under the page where no message stands.
pub fn hint(page: &Compare, shared: &Shared, rows: &[Row]) -> String {
    if page.climbing {
        let said = page.stairs.said(shared);
        let said = said.map(|said| figure::fitted(&said, shared.size.0));
        let keys = "saves: behind the steps before it; alone: from V1. [ and ] move a step.";
        return said.unwrap_or_else(|| keys.to_owned());
    }
    if page.pane != Pane::Off {
        let next = match page.pane {
            Pane::Figures => "hotspots of the column",
            _ => "costs",
        };
        return format!("r runs the plan of the column, R all four in turns; f: {next}.");
    }
    let machine = &shared.machine;
    let own = machine.roof_is_own();
    if rows
        .iter()
        .flat_map(|r| &r.cells)
        .any(|cell| cell == BEATEN)
    {
        return CACHED.into();
    }
    if shared.runs.apart(shared.bench.setup(), &page.cuts()) {
        return "Not all of these times were taken in turns; R runs all four so.".into();
    }
    if let Some(said) = page.scope.note(page.prices.iter()) {
        return said;
    }
    if let Some(said) = more(page, shared) {
        return said;
    }
    match machine.backend() {
        Some(b) if b.name == "cpu" && own => {
            "Times and floors are of this CPU; what its caches hold can beat a floor.".into()
        }
        Some(b) if b.name == "cpu" => {
            "Times are of this CPU @; floors and launches are a GPU's. Bytes: modelled only.".into()
        }
        _ => "r runs the plan of the column, R all four; Enter opens it in the lab.".into(),
    }
}

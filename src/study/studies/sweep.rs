//! What a run adds to a row of a sweep: its time, what came out of it, what it held.

use crate::findings::{Cell, Column};
use crate::timing::Timed;

/// The columns; bytes held with so many decimals.
pub(super) fn columns(held: usize) -> [Column; 4] {
    [
        Column::measured("time", "µs", 1),
        Column::measured("± dev.", "µs", 1),
        Column::measured("tokens/s", "", 0),
        Column::counted("held", "MB", held),
    ]
}

/// Their cells, for a forward of `tokens` tokens; empty where nothing was timed.
pub(super) fn cells(timed: Option<&Timed>, tokens: f64) -> [Cell; 4] {
    let report = timed.map(|timed| &timed.report);
    let time = report.and_then(|report| report.time_us.as_ref());
    let held = report.and_then(|report| report.held_bytes);
    [
        time.map(|t| t.median).into(),
        time.map(|t| t.mad).into(),
        time.map(|t| tokens / (t.median * 1e-6)).into(),
        held.map(|bytes| bytes as f64 * 1e-6).into(),
    ]
}

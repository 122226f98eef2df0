//! A timeline as Chrome and Perfetto read it ("Trace Event Format", Google, 2016):
//! complete events of kernels, and of what multiprocessors do inside.

use plan::run::TraceReport;
use serde_json::{Value, json};

/// The process of kernels, and that of multiprocessors.
const KERNELS: u32 = 1;
const UNITS: u32 = 2;

/// The document. Times are microseconds; instructions stand as if each took one.
pub fn chrome(trace: &TraceReport, title: &str) -> Value {
    let mut events = vec![name("process_name", KERNELS, 0, "kernels")];
    // Rows of a trace hold what is nested; what overlaps has a row of its own.
    let mut rows: Vec<f64> = Vec::new();
    for span in &trace.spans {
        let row = rows.iter().position(|ended| *ended <= span.from);
        let row = row.unwrap_or(rows.len());
        match rows.get_mut(row) {
            Some(ended) => *ended = span.to,
            None => rows.push(span.to),
        }
        events.push(json!({
            "name": span.name, "cat": "kernel", "ph": "X", "pid": KERNELS, "tid": row,
            "ts": span.from, "dur": span.to - span.from,
            "args": { "median": span.median(), "deviation": span.mad() },
        }));
    }
    for row in 0..rows.len() {
        let title = if row == 0 { "stream" } else { "overlapping" };
        events.push(name("thread_name", KERNELS, row as u32, title));
    }
    if !trace.phases.is_empty() {
        events.push(name("process_name", UNITS, 0, "multiprocessors"));
    }
    events.extend(trace.phases.iter().map(|phase| {
        json!({
            "name": phase.name, "cat": "phase", "ph": "X", "pid": UNITS, "tid": phase.unit,
            "ts": phase.from, "dur": phase.to - phase.from,
        })
    }));
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": { "title": title, "axis": trace.axis.unit(), "how": trace.how },
    })
}

fn name(what: &str, process: u32, thread: u32, name: &str) -> Value {
    json!({ "name": what, "ph": "M", "pid": process, "tid": thread, "args": { "name": name } })
}

//! Each plan twice: as a stream of launches and as a graph of them, in turns.

use plan::run::{CheckReport, Report, Request};
use study::lab::{Column, Comparison};

/// The requests of plans that stand twice: every second replays a graph. Its stream is
/// what is checked.
pub(super) fn requests(mut requests: Vec<Request>) -> Vec<Request> {
    for graph in requests.iter_mut().skip(1).step_by(2) {
        graph.graph = true;
        graph.check = false;
    }
    requests
}

/// Names the graphs, and judges them by the streams beside them.
pub(super) fn judged(comparison: &mut Comparison) {
    for pair in comparison.columns.chunks_mut(2) {
        let [stream, graph] = pair else { continue };
        graph.title += " graph";
        judge(stream, graph);
    }
}

/// A graph is right where its logits are those of a stream that is right, bit by bit; what
/// is wrong has no time.
fn judge(stream: &Column, graph: &mut Column) {
    let (Some(stream), Some(graph)) = (&stream.report, &mut graph.report) else {
        return;
    };
    let Some(check) = &stream.check else { return };
    let same = graph.output.sha256 == stream.output.sha256;
    let wrong = match same {
        true => check.first_wrong.clone(),
        false => Some("the logits of the graph are not those of its launches".to_owned()),
    };
    graph.check = Some(CheckReport {
        reference: format!("its launches, bit by bit; they against {}", check.reference),
        pass: check.pass && same,
        first_wrong: wrong,
        ..check.clone()
    });
    without_time(graph);
}

fn without_time(report: &mut Report) {
    if report.check.as_ref().is_some_and(|check| !check.pass) {
        report.time_us = None;
    }
}

//! Kernels of a forward on an axis: when each begins and ends, what lies between them,
//! what overlaps.

mod chrome;

pub use chrome::chrome;

use super::notes::listed as named;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Sheet};
use plan::run::{Axis, PhaseReport, Request, SpanReport, TraceReport, mad, median};
use plan::units::figure;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "timeline",
    asks: "When does each kernel begin and end, what lies between them, what overlaps?",
    varies: "nothing",
    held: "plan, model, shape, device",
    finds: "begin and end of each kernel in nine forwards (@), on the SIMT machine its warp instructions (#); what multiprocessors do inside Hopper's block kernel",
    reduced: "the forward of median length on one axis; each kernel's median over all",
    ends: "how much of the forward is kernels, what lies between, and which kernels take most",
    lessons: &["01", "19", "22"],
    models: false,
};

/// `study timeline`.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// What is run.
    pub run: Request,
    /// Where the axis begins and ends, where not with the forward.
    pub from: Option<f64>,
    /// Its end.
    pub to: Option<f64>,
}

/// Places of a drawn axis.
const PLACES: usize = 40;

/// The sheet that is drawn.
pub const DRAWN: &str = "on the axis";

/// What the time between gates is called.
const WAITS: &str = "waits";

/// A run that is recorded and nothing else.
pub fn recorded(run: &Request) -> Request {
    Request {
        runs: 0,
        warm_up: 1,
        trace: true,
        ..run.clone()
    }
}

/// What was recorded of the only run.
///
/// # Errors
/// Why there is none.
pub fn trace_of(evidence: &Evidence) -> Result<TraceReport, String> {
    let ran = evidence.rounds.as_ref().and_then(|rounds| rounds.of(0));
    let report = match ran {
        Some(Ok(timed)) => timed.report,
        Some(Err(why)) => return Err(why.to_string()),
        None => return Err("nothing was run".to_owned()),
    };
    if report.check.as_ref().is_some_and(|check| !check.pass) {
        return Err("the forward gives wrong numbers; no timeline of it is kept".to_owned());
    }
    let why = report
        .notes
        .into_iter()
        .find(|note| note.starts_with("no timeline"));
    report
        .trace
        .ok_or_else(|| why.unwrap_or_else(|| "no timeline was recorded".to_owned()))
}

/// `q+k+v` of `block 2: q+k+v`: what kernels of all blocks have in common.
pub fn bare(name: &str) -> &str {
    name.split_once(": ").map_or(name, |(_, bare)| bare)
}

/// Kernels of the same ops in all blocks, in the order of the first of each.
pub fn kinds(spans: &[SpanReport]) -> Vec<(&str, Vec<&SpanReport>)> {
    let mut kinds: Vec<(&str, Vec<&SpanReport>)> = Vec::new();
    for span in spans {
        let name = bare(&span.name);
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of)) => of.push(span),
            None => kinds.push((name, vec![span])),
        }
    }
    kinds
}

impl Study for Timeline {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks::runs(vec![recorded(&self.run)])
    }

    fn smaller(&self) -> &'static str {
        "fewer tokens with --seq, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let trace = trace_of(evidence)?;
        let (from, to) = self.window(&trace)?;
        let config = &self.run.config;
        let mut found = Findings {
            title: format!("{}, {}", config.title(), config.effective_cut().title()),
            sheets: vec![
                drawn(&trace, from, to),
                listed(&trace, from, to),
                inside(&trace, from, to),
            ],
            sentences: sentences(&trace),
            notes: vec![trace.how.clone()],
            ..Findings::default()
        };
        if from > 0.0 || to < trace.length() {
            found.notes.push(format!(
                "The tables show {from:.1} to {to:.1} of {:.1} {}.",
                trace.length(),
                trace.axis.unit()
            ));
        }
        found.sheets.retain(|sheet| !sheet.rows.is_empty());
        found.trace = Some(trace);
        Ok(found)
    }
}

impl Timeline {
    /// The part of the axis that is shown.
    fn window(&self, trace: &TraceReport) -> Result<(f64, f64), String> {
        let length = trace.length();
        let (from, to) = (self.from.unwrap_or(0.0), self.to.unwrap_or(length));
        let fine = from.is_finite() && to.is_finite() && from >= 0.0 && from < to && from < length;
        match fine {
            true => Ok((from, to.min(length))),
            false => Err(format!(
                "--from {from} --to {to}: the axis goes from 0 to {length:.1} {}, and --from lies before --to",
                trace.axis.unit()
            )),
        }
    }
}

fn column(axis: Axis, name: &str) -> Column {
    match axis {
        Axis::Microseconds => Column::measured(name, axis.unit(), 2),
        Axis::Instructions => Column::counted(name, axis.unit(), 0),
    }
}

/// Kinds of kernels, each with its places on the axis.
fn drawn(trace: &TraceReport, from: f64, to: f64) -> Sheet {
    let unit = trace.axis.unit();
    let decimals = usize::from(trace.axis == Axis::Microseconds);
    let mut sheet = Sheet::new(
        DRAWN,
        [
            Column::given("kernel"),
            Column::given("of"),
            column(trace.axis, "all"),
            Column::given(format!("{from:.decimals$} to {to:.decimals$} {unit}")),
        ],
    );
    let each = (to - from) / PLACES as f64;
    for (name, spans) in kinds(&trace.spans) {
        let mut places = [false; PLACES];
        for span in &spans {
            for (at, place) in places.iter_mut().enumerate() {
                let begins = from + at as f64 * each;
                *place |= span.from < begins + each && span.to > begins;
            }
        }
        if !places.contains(&true) {
            continue;
        }
        let line = places.map(|there| if there { '#' } else { '.' });
        let all: f64 = spans.iter().map(|span| span.median()).sum();
        sheet.rows.push(vec![
            name.into(),
            spans.len().to_string().into(),
            all.into(),
            line.iter().collect::<String>().into(),
        ]);
    }
    sheet
}

/// Every kernel in the window, with what lies in front of it.
fn listed(trace: &TraceReport, from: f64, to: f64) -> Sheet {
    let axis = trace.axis;
    let mut columns = vec![
        Column::given("kernel"),
        column(axis, "begins"),
        column(axis, "ends"),
        column(axis, "alone"),
    ];
    if axis == Axis::Microseconds {
        columns.push(column(axis, "± dev."));
        columns.push(column(axis, "gap before"));
    }
    let mut sheet = Sheet::new("kernels", columns);
    let mut ended: Option<f64> = None;
    for span in &trace.spans {
        let gap = ended.map(|ended| span.from - ended);
        ended = Some(ended.map_or(span.to, |ended| ended.max(span.to)));
        if span.to < from || span.from > to {
            continue;
        }
        let mut row: Vec<Cell> = vec![
            span.name.as_str().into(),
            span.from.into(),
            span.to.into(),
            span.median().into(),
        ];
        if axis == Axis::Microseconds {
            row.extend([span.mad().into(), gap.into()]);
        }
        sheet.rows.push(row);
    }
    sheet
}

/// What the multiprocessors did inside a kernel, phase after phase.
fn inside(trace: &TraceReport, from: f64, to: f64) -> Sheet {
    let mut sheet = Sheet::new(
        "inside the kernels",
        [
            Column::given("kernel"),
            Column::given("phase"),
            Column::measured("first begins", "µs", 2),
            Column::measured("last ends", "µs", 2),
            Column::measured("half work", "µs", 2),
            Column::measured("longest", "µs", 2),
            Column::measured("half wait", "µs", 2),
        ],
    );
    for (at, span) in trace.spans.iter().enumerate() {
        let phases: Vec<&PhaseReport> = trace.phases.iter().filter(|p| p.span == at).collect();
        for (name, works, waits) in ordered(&phases) {
            let begins = works.iter().map(|p| p.from).fold(f64::INFINITY, f64::min);
            let ends = works.iter().map(|p| p.to).fold(0.0, f64::max);
            if ends < from || begins > to {
                continue;
            }
            let took = |of: &[&PhaseReport]| of.iter().map(|p| p.to - p.from).collect::<Vec<_>>();
            let (work, wait) = (took(&works), took(&waits));
            sheet.rows.push(vec![
                span.name.as_str().into(),
                name.into(),
                begins.into(),
                ends.into(),
                median(&work).into(),
                work.iter().copied().reduce(f64::max).into(),
                median(&wait).into(),
            ]);
        }
    }
    sheet
}

/// One phase: its name, what each multiprocessor did, and how long each waited behind it.
type OfAll<'p> = (&'p str, Vec<&'p PhaseReport>, Vec<&'p PhaseReport>);

/// Phases of one kernel, in the order in which a multiprocessor went through them.
fn ordered<'p>(phases: &[&'p PhaseReport]) -> Vec<OfAll<'p>> {
    let mut all: Vec<OfAll<'p>> = Vec::new();
    let mut units: Vec<u32> = phases.iter().map(|p| p.unit).collect();
    units.sort_unstable();
    units.dedup();
    for unit in units {
        let mut at = 0_usize;
        for phase in phases.iter().filter(|p| p.unit == unit) {
            if phase.name == WAITS {
                // The gate behind the phase that was added last.
                if let Some((_, _, waits)) = at.checked_sub(1).and_then(|at| all.get_mut(at)) {
                    waits.push(phase);
                }
                continue;
            }
            match all.get_mut(at) {
                Some((_, works, _)) => works.push(phase),
                None => all.push((phase.name.as_str(), vec![phase], Vec::new())),
            }
            at += 1;
        }
    }
    all
}

fn sentences(trace: &TraceReport) -> Vec<String> {
    let length = trace.length();
    let unit = trace.axis.unit();
    let kernels = figure::counted(trace.spans.len() as u64, "kernel", "kernels");
    let mut said = Vec::new();
    if trace.axis == Axis::Instructions {
        said.push(format!(
            "{kernels} with {length:.0} warp instructions #: an axis of work, not of time."
        ));
    } else {
        let (busy, overlaps) = covered(&trace.spans);
        let idle = length - busy;
        said.push(format!(
            "{kernels} in {length:.1} {unit} @, the forward of median length among {}: for {busy:.1} {unit} at least one of them runs, {idle:.1} {unit} ({:.1} %) lie between them.",
            trace.forwards,
            100.0 * idle / length.max(f64::MIN_POSITIVE)
        ));
        if let [first, ..] = overlaps.as_slice() {
            let sum: f64 = overlaps.iter().map(|(_, by)| by).sum();
            said.push(format!(
                "{} before the one in front of it has ended, {} first: {sum:.1} {unit} of overlap @.",
                match overlaps.len() {
                    1 => "One begins".to_owned(),
                    many => format!("{many} begin"),
                },
                first.0
            ));
        }
    }
    said.extend(most(trace));
    said.extend(disturbed(&trace.spans));
    said
}

/// Forwards that differ more than this, as a share, were disturbed.
const STEADY: f64 = 0.10;

/// That the forwards are far from one another.
fn disturbed(spans: &[SpanReport]) -> Option<String> {
    let forwards = spans.iter().map(|s| s.took.len()).min().unwrap_or(0);
    let sum = |at: usize| spans.iter().filter_map(|s| s.took.get(at)).sum();
    let sums: Vec<f64> = (0..forwards).map(sum).collect();
    let (middle, loose) = (median(&sums)?, mad(&sums)?);
    let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
    let most = sums.iter().copied().fold(0.0, f64::max);
    (loose > STEADY * middle).then(|| {
        format!(
            "The kernels of a forward took {least:.0} to {most:.0} µs @: something else uses this machine, and one forward is not like another."
        )
    })
}

/// How long at least one kernel runs, and the kernels that begin before the one in front
/// of them has ended, with how long before.
fn covered(spans: &[SpanReport]) -> (f64, Vec<(String, f64)>) {
    let (mut busy, mut ended) = (0.0, f64::NEG_INFINITY);
    let mut overlaps = Vec::new();
    for span in spans {
        if span.from < ended {
            overlaps.push((span.name.clone(), ended.min(span.to) - span.from));
        }
        busy += (span.to - span.from.max(ended)).max(0.0);
        ended = ended.max(span.to);
    }
    (busy, overlaps)
}

/// The kind of kernel that takes most, where it is one.
fn most(trace: &TraceReport) -> Option<String> {
    let mut all: Vec<(&str, usize, f64, f64)> = kinds(&trace.spans)
        .into_iter()
        .map(|(name, spans)| {
            let time = spans.iter().map(|s| s.median()).sum();
            let spread = spans.iter().map(|s| s.mad()).sum();
            (name, spans.len(), time, spread)
        })
        .collect();
    all.sort_by(|a, b| b.2.total_cmp(&a.2));
    let whole: f64 = all.iter().map(|kind| kind.2).sum();
    let (name, of, time, spread) = *all.first()?;
    let told = |name: &str, of: usize| match of {
        1 => name.to_owned(),
        many => format!("{name} ({many} kernels)"),
    };
    let share = |time: f64| 100.0 * time / whole;
    let what = match trace.axis {
        Axis::Microseconds => "of the kernels' time @",
        Axis::Instructions => "of the instructions #",
    };
    // Closer than both spread: which of them takes more is not known. Counts do not spread:
    // those are as many.
    let exact = trace.axis == Axis::Instructions;
    let close = |kind: &&(&str, usize, f64, f64)| time - kind.2 <= spread + kind.3 && kind.2 > 0.0;
    let most: Vec<_> = all.iter().filter(close).collect();
    Some(match most.as_slice() {
        [_, (second, many, ..)] if exact => format!(
            "Most is taken by {} and {}, {:.0} % {what} each, as many.",
            told(name, of),
            told(second, *many),
            share(time)
        ),
        [_, _, _, ..] if exact => {
            let names: Vec<String> = most.iter().map(|(name, of, ..)| told(name, *of)).collect();
            format!(
                "No kernel takes most: {} have as many, {:.0} % {what} each.",
                named(&names),
                share(time)
            )
        }
        [_, (second, many, next, _)] => format!(
            "Most is taken by {} and {}, {:.0} % and {:.0} % {what}; which takes more is within their spread.",
            told(name, of),
            told(second, *many),
            share(time),
            share(*next)
        ),
        [_, .., (_, _, least, _)] => {
            let names: Vec<String> = most.iter().map(|(name, of, ..)| told(name, *of)).collect();
            format!(
                "No kernel is seen to take most: {}, {:.0} % to {:.0} % {what}, lie within their spread.",
                named(&names),
                share(time),
                share(*least)
            )
        }
        _ => format!(
            "Most is taken by {}: {:.0} % {what}.",
            told(name, of),
            share(time)
        ),
    })
}

#[cfg(test)]
mod tests;

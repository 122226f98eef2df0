//! What came of a run, a line each.

use crate::cli::cost;
use crate::cli::counted::lines as counted_kernels;
use crate::cli::out::Out;
use crate::cli::words::{counted, wrapped};
use plan::cost::{Cost, Gpu};
use plan::run::{BackendKind, LaunchReport, Report};
use plan::units::{Quantity, figure, format};
use study::timing;

/// Launches, the library's apart.
fn launches(report: &Report) -> String {
    let LaunchReport { counted, library } = report.launches;
    let planned = report.plan.launches;
    let agree = report.launches.matches(planned);
    let verdict = match (agree, library) {
        (true, 0) => "equal",
        (true, _) => "the library computes the rest",
        (false, _) => "not equal, which is this program's fault",
    };
    let library = match library {
        0 => String::new(),
        more => format!(" and {more} # of the library"),
    };
    format!("{counted} # counted where kernels start{library}, {planned} = in the plan: {verdict}")
}

/// Bytes of a forward by kind, and how those that are not known are had.
fn bytes(report: &Report, behind: &Gpu) -> String {
    let b = &report.bytes;
    let estimated = format!(
        "= estimated to reach DRAM behind the last cache of the {}, {} MiB",
        behind.short,
        behind.last_cache_bytes() >> 20
    );
    let kinds = [
        (b.modelled, "= modelled"),
        (b.issued, "# issued"),
        (b.compulsory, "# compulsory"),
        (b.estimated_dram, estimated.as_str()),
        (b.measured_dram, "@ measured at DRAM"),
    ];
    let mut parts: Vec<String> = kinds
        .into_iter()
        .filter_map(|(bytes, what)| Some(format!("{} {what}", format(&Quantity::bytes(bytes?)))))
        .collect();
    let counts = BackendKind::parse(&report.backend).is_ok_and(BackendKind::runs_kernels);
    match (counts, b.issued) {
        (true, None) if report.backend == BackendKind::Hip.name() => {
            parts.push("--backend simt counts the issued ones".to_owned());
        }
        (true, None) => parts.push("--count-bytes counts the issued ones".to_owned()),
        (false, None) => {
            parts.push("a CPU counts neither issued nor DRAM bytes".to_owned());
        }
        _ => {}
    }
    parts.join("; ")
}

pub(super) fn tell(cost: &Cost, report: &Report, behind: &Gpu, out: &mut Out) {
    let mut lines = wrapped(&cost::heading(cost), "", "  ");
    lines.push(String::new());
    let mut say = |word: &str, said: &str| {
        lines.extend(wrapped(said, &format!("{word:<10} "), "           "));
    };
    say("on", &format!("{} ({})", report.backend, report.device));
    say("launches", &launches(report));
    let checked = match &report.check {
        Some(c) if c.pass => format!(
            "pass: error {:.1e} of the logits, {:.1e} allowed, against {}",
            c.rel_error, c.tolerance, c.reference
        ),
        Some(c) => format!(
            "failed: {}",
            c.first_wrong.as_deref().unwrap_or("the logits are wrong")
        ),
        None => "none".to_owned(),
    };
    say("check", &checked);
    if let Some(t) = &report.time_us {
        let time = format!(
            "{}, median of {}; {} to {}",
            timing::time(t),
            counted(u64::from(t.runs), "run"),
            figure::measured(t.min * 1e-6),
            figure::measured(t.max * 1e-6)
        );
        say("time", &time);
        say("", &t.how);
    }
    say("bytes", &bytes(report, behind));
    if let Some(held) = report.held_bytes {
        let held = format(&Quantity::bytes(held));
        say("held", &format!("{held} of weights, tensors and tiles"));
    }
    let logits = format!(
        "{} …  sha256 {}",
        report
            .output
            .sample
            .iter()
            .map(|x| figure::fixed(f64::from(*x), 4))
            .collect::<Vec<_>>()
            .join(" "),
        report.output.sha256.get(..12).unwrap_or_default()
    );
    say("logits", &logits);
    for note in &report.notes {
        say("note", note);
    }
    let kernels = counted_kernels(report, &behind.short);
    if !kernels.is_empty() {
        lines.push(String::new());
        lines.extend(kernels);
    }
    out.lines(lines);
}

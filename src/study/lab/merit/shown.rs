//! The figures as shell and pages write them: the same rows with the same numbers.

use super::{Merit, Times};
use crate::profile::framework::Component;
use plan::units::figure::{Clock, NOT_HAD, Origin, counted, of_run, percent, shown};
use plan::units::{Column, Quantity, format};

/// A figure of several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is, its unit and its source; what belongs to the row above is set in.
    pub label: String,
    /// Where it comes from.
    pub origin: Origin,
    /// A cell per run.
    pub cells: Vec<String>,
}

/// The kernels of a run, the most time first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The name over each column: first the kernels'.
    pub head: Vec<String>,
    /// A row per kernel.
    pub rows: Vec<Vec<String>>,
}

/// A share of a peak: of a GPU's it may be small.
fn fine(share: f64) -> String {
    format!("{} %", shown(100.0 * share, 2))
}

/// Tokens a second, or how far they spread: whole ones, where there are many.
fn tokens(merit: &Merit, of: fn(&Merit) -> Option<f64>) -> Option<String> {
    let decimals = if merit.tokens_per_second? < 100.0 {
        2
    } else {
        0
    };
    Some(format!("{:.decimals$}", of(merit)?))
}

/// The figures of runs side by side; what no run has is left out, and none where nothing
/// was run.
pub fn rows(merits: &[Option<Merit>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |label: &str, origin, of: &dyn Fn(&Merit) -> Option<String>| {
        let cells = merits.iter().map(|m| m.as_ref().map(of));
        let cells: Vec<Option<Option<String>>> = cells.collect();
        if cells.iter().flatten().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| of_run(cell, |cell| cell));
            rows.push(Row {
                label: label.to_owned(),
                origin,
                cells: cells.collect(),
            });
        }
    };
    row("tokens/s @", Origin::Measured, &|m| {
        tokens(m, |m| m.tokens_per_second)
    });
    row("  ± median dev.", Origin::Measured, &|m| {
        tokens(m, |m| m.tokens_per_second_mad)
    });
    row("  MFU, all FLOPs @", Origin::Measured, &|m| {
        m.model_flops_utilisation.map(fine)
    });
    row("  MFU, 2 × weights @", Origin::Measured, &|m| {
        m.model_flops_utilisation_of_weights.map(fine)
    });
    let runs = || merits.iter().flatten();
    if runs().any(|m| m.held_bytes.is_some()) {
        let both = runs().flat_map(|m| m.held_bytes.into_iter().chain([m.held_bytes_modelled]));
        let both: Vec<Quantity> = both.map(Quantity::bytes).collect();
        let unit = Column::fit(&both).decimals(3);
        let number = |bytes: u64| unit.number(&Quantity::bytes(bytes));
        let label = format!("held {} #", unit.unit());
        row(&label, Origin::Issued, &|m| m.held_bytes.map(number));
        row("  modelled =", Origin::Modelled, &|m| {
            Some(number(m.held_bytes_modelled))
        });
    }
    row("L2 hits @", Origin::Measured, &|m| {
        m.l2_hit_rate.map(percent)
    });
    let times = |m: &Merit| m.times.clone();
    let longest = runs().filter_map(|m| m.times.as_ref());
    let longest = longest.map(|t| t.kernels_us).fold(0.0, f64::max);
    let clock = Clock::of(1e-6 * longest);
    let spread = |us: f64, mad: f64| {
        format!(
            "{} ±{}",
            clock.rounded(1e-6 * us),
            clock.rounded(1e-6 * mad)
        )
    };
    let label = format!("kernels {} @", clock.unit);
    row(&label, Origin::Measured, &|m| {
        times(m).map(|t| spread(t.kernels_us, t.kernels_us_mad))
    });
    for component in Component::ALL {
        let label = format!("  {}", component.name());
        row(&label, Origin::Measured, &|m| {
            let times = times(m)?;
            let found = times.components.iter().find(|c| c.component == component)?;
            Some(format!(
                "{} {}",
                clock.part(1e-6 * found.us),
                percent(found.share)
            ))
        });
    }
    rows
}

/// What the rows are of: whose roof, and how the kernels were timed; a sentence each.
pub fn sources(merits: &[Option<Merit>]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let runs = || merits.iter().flatten();
    match runs().find_map(|m| m.roof.as_ref()) {
        Some(roof) => said.push(format!("MFU and shares of a roof: {roof}.")),
        None if runs().next().is_none() => {}
        None if runs().all(|m| m.tokens_per_second.is_none()) => {
            said.push("No MFU: what ran counts and has no clock.".to_owned());
        }
        None => said.push(
            "No MFU: of the device that ran no roof in this element type is known; R on the roofline page measures what it has."
                .to_owned(),
        ),
    }
    if let Some(times) = runs().find_map(|m| m.times.as_ref()) {
        said.push(format!(
            "Kernels: {}, {} apart from those that were timed whole.",
            times.kernels_how,
            counted(u64::from(times.kernels_forwards), "forward", "forwards")
        ));
        said.extend(apart(times));
    }
    said
}

/// Why parts and hotspots do not add up to the kernels together; none where one forward was
/// timed, whose times do.
pub fn apart(times: &Times) -> Option<String> {
    (times.kernels_forwards > 1).then(|| {
        "Each part and hotspot is a median of its own; a share is of the sum of such medians, not of the median of all kernels."
            .to_owned()
    })
}

/// Why kernels are above the roof: their bytes came from a cache, or the peak is no more than
/// what was measured, each with its own kernels where both are there; none where none is.
pub fn cached(times: &Times) -> Option<String> {
    let above = |h: &&super::Hotspot| h.of_roof.is_some_and(|part| part > 1.0);
    let above = times.hotspots.iter().filter(above);
    let (hot, quick): (Vec<_>, Vec<_>) = above.partition(|h| h.cached);
    let names: Vec<String> = quick.iter().map(|h| name(&h.ops, NAME)).collect();
    let names = names.join(", ");
    let most = hot.iter().map(|h| h.bytes / h.launches.max(1)).max();
    let of_cache = most.map(|most| {
        format!(
            "faster than memory allows; data of so few MB (at most {} a launch) sat in a cache.",
            format(&Quantity::bytes(most))
        )
    });
    let of_peak = "more FLOPs a second than the peak of this roof. Was other work running when it was measured?";
    match (of_cache, quick.is_empty()) {
        (None, true) => None,
        (None, false) => Some(format!(">100 %: {of_peak}")),
        (Some(of_cache), true) => Some(format!(">100 %: {of_cache}")),
        (Some(of_cache), false) => {
            Some(format!(">100 %, {names}: {of_peak} The others: {of_cache}"))
        }
    }
}

/// The name of some ops in so many characters: the ends of a long list.
fn name(ops: &[&str], room: usize) -> String {
    let all = ops.join(" ");
    match (ops.first(), ops.last()) {
        (Some(first), Some(last)) if all.chars().count() > room => format!("{first} … {last}"),
        _ => all,
    }
}

/// Columns of a kernel's name where a line has 80.
pub const NAME: usize = 20;

/// The hotspots of a run: time with its spread, share, what was reached by FLOPs and bytes
/// of the model, and the part of the roof that it is. Names take so many columns at most.
pub fn hotspots(times: &Times, room: usize) -> Table {
    let longest = times.hotspots.iter().map(|h| h.us).fold(0.0, f64::max);
    let clock = Clock::of(1e-6 * longest);
    let fastest = times.hotspots.iter().map(super::Hotspot::rate);
    let (unit, of) = match fastest.fold(0.0, f64::max) {
        many if many >= 1e12 => ("TFLOP/s", 1e12),
        _ => ("GFLOP/s", 1e9),
    };
    let head = [
        "kernel".to_owned(),
        "launches".to_owned(),
        format!("{} @", clock.unit),
        "±".to_owned(),
        "share".to_owned(),
        unit.to_owned(),
        "GB/s".to_owned(),
        "of roof".to_owned(),
    ];
    // Six characters at most, so that two columns stand apart.
    let time = |us: f64| match clock.number(1e-6 * us) {
        long if long.len() > 6 => clock.rounded(1e-6 * us),
        number => number,
    };
    let row = |h: &super::Hotspot| {
        vec![
            name(&h.ops, room),
            h.launches.to_string(),
            time(h.us),
            time(h.us_mad),
            percent(h.share),
            shown(h.rate() / of, 1),
            shown(h.bandwidth() / 1e9, 1),
            match h.of_roof {
                // `cached` says why.
                Some(part) if part > 1.0 => ">100 %".to_owned(),
                Some(part) => percent(part),
                None => NOT_HAD.to_owned(),
            },
        ]
    };
    Table {
        head: head.to_vec(),
        rows: times.hotspots.iter().map(row).collect(),
    }
}

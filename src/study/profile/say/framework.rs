//! What a framework launched, in rows and sentences.

use super::{Rows, Said, clipped, many, ns, percent, whole};
use crate::profile::framework::{Breakdown, Component, Part, PartRow, merit, planned};
use crate::profile::{Profile, Reading};
use plan::cost::Gpu;
use plan::units::figure::shown;

/// Unknown kernels that are named.
const NAMED: usize = 3;

/// The parts, the most time first: launches and time of a forward, where forwards are
/// seen, and of the file, where not.
pub fn parts(found: &Breakdown, reading: &Reading, gpu: &Gpu) -> Rows {
    let forwards = found.forwards.len().max(1) as f64;
    let plan = reading
        .cost
        .as_ref()
        .and_then(|cost| planned(cost, gpu).ok());
    let plan = plan
        .filter(|_| !found.forwards.is_empty())
        .unwrap_or_default();
    let mut head = vec!["op", "launches"];
    let beside = !plan.is_empty();
    if beside {
        head.push("plan =");
    }
    head.extend(["µs", "share"]);
    if beside {
        head.push("floor µs =");
    }
    head.push("whose");
    let row = |row: &PartRow| {
        let own = plan.get(&row.part);
        let mut cells = vec![
            row.part.name().to_owned(),
            count(row.calls as f64 / forwards),
        ];
        if beside {
            cells.push(own.map_or("–".to_owned(), |own| whole(own.launches)));
        }
        cells.push(shown(row.ns / forwards / 1e3, 1));
        cells.push(percent(row.ns / found.ns.max(f64::MIN_POSITIVE)));
        if beside {
            cells.push(own.map_or("–".to_owned(), |own| shown(own.floor_seconds * 1e6, 2)));
        }
        cells.push(clipped(row.makers.first().copied().unwrap_or_default(), 19));
        cells
    };
    Rows {
        head: head.into_iter().map(str::to_owned).collect(),
        rows: found.rows.iter().map(row).collect(),
    }
}

/// A mean number of launches: whole where it is.
pub(super) fn count(mean: f64) -> String {
    match (mean - mean.round()).abs() < 5e-3 {
        true => whole(mean.round() as u64),
        false => format!("{mean:.1}"),
    }
}

/// What the reader makes of them.
pub fn sentences(found: &Breakdown, reading: &Reading, profile: &Profile, gpu: &Gpu) -> Vec<Said> {
    let mut said = vec![Said {
        about: "program",
        text: program(found),
    }];
    let mut say = |about, text| said.push(Said { about, text });
    if let Some(text) = launches(found, reading) {
        say("launches", text);
    }
    if found.ns > 0.0 {
        say("time", components(found));
        say("explained", explained(found, profile));
    }
    if let Some(text) = below(found, reading, gpu) {
        say("cache", text);
    }
    if let Some(text) = pace(found, reading, gpu) {
        say("pace", text);
    }
    said
}

/// What ran, as far as the order shows.
fn program(found: &Breakdown) -> String {
    if !found.ordered {
        return "a framework's kernels in sums without an order: which product is which, and how \
                many layers there are, a trace of launches tells (rocprofv3 --kernel-trace, \
                nsys export, export_chrome_trace)"
            .to_owned();
    }
    let builds = found.builds();
    let mut texts = builds.iter().map(|(layers, build, forwards)| {
        let joined = [
            (build.qkv == 1, "q k v in one product"),
            (build.flash, "attention in one kernel"),
            (build.gate_up == 1, "gate and up in one product"),
            (build.silu_mul == 1, "silu and mul in one kernel"),
        ];
        let joined: Vec<&str> = joined
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, text)| *text)
            .collect();
        let joined = match joined.is_empty() {
            true => "nothing joined".to_owned(),
            false => joined.join(", "),
        };
        format!(
            "{} of {}, {}: {joined}",
            many(*forwards as u64, "forward", "forwards"),
            many(*layers as u64, "layer", "layers"),
            many(build.launches as u64, "launch a layer", "launches a layer"),
        )
    });
    match (texts.next(), builds.len()) {
        (None, _) => "no block of this architecture is in the order of these kernels: another \
                      program, or a piece of one"
            .to_owned(),
        (Some(one), 1) => one,
        (Some(one), _) => format!(
            "{one}; and {}. Two programs or two settings: what is below is of all of them; \
             profile them apart",
            texts.collect::<Vec<_>>().join("; and ")
        ),
    }
}

fn launches(found: &Breakdown, reading: &Reading) -> Option<String> {
    let (_, build, _) = found.builds().into_iter().next()?;
    let forwards = found.forwards.len() as f64;
    let of = |training: bool| {
        let rows = found
            .rows
            .iter()
            .filter(|row| (row.part.component() == Component::Training) == training);
        rows.map(|row| row.calls).sum::<u64>() as f64 / forwards
    };
    let (all, training) = (of(false), of(true));
    let cost = reading.cost.as_ref()?;
    let layers = found.layers()?;
    let planned = cost.forward.launches();
    let more = all / planned.max(1) as f64;
    let other = reading.other_layers.map_or(String::new(), |n| {
        format!("; the model that is named has {n} layers: is it the one that ran?")
    });
    let besides = match training > 0.0 {
        true => format!("; {} more of loss, backward and optimizer", count(training)),
        false => String::new(),
    };
    Some(format!(
        "{} a forward, {} of them in {}{besides}; the plan that joins the same ops ({}) has {} =: {more:.1} times as many{other}",
        count(all),
        whole(build.launches as u64 * layers),
        many(layers, "layer", "layers"),
        cost.config.cut.title(),
        whole(planned),
    ))
}

fn components(found: &Breakdown) -> String {
    let share = |component: Component| {
        let rows = found
            .rows
            .iter()
            .filter(|row| row.part.component() == component);
        rows.map(|row| row.ns).sum::<f64>() / found.ns
    };
    let mut shares: Vec<(Component, f64)> =
        Component::ALL.into_iter().map(|c| (c, share(c))).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let parts = shares.iter().filter(|(_, share)| *share >= 5e-4);
    let parts: Vec<String> = parts
        .map(|(c, share)| format!("{} {}", c.name(), percent(*share)))
        .collect();
    let per = match found.forwards.len() {
        0 => format!("{} in kernels", ns(found.ns)),
        n => {
            let training = found.rows.iter().any(|row| row.part == Part::Backward);
            let step = if training { "step" } else { "forward" };
            format!("{} in kernels a {step}", ns(found.ns / n as f64))
        }
    };
    format!("{per}: {}", parts.join(", "))
}

fn explained(found: &Breakdown, profile: &Profile) -> String {
    let share = found.explained();
    let by = match found.forwards.is_empty() {
        true => "by names",
        false => "by names, order and repetition",
    };
    let mut unknown: Vec<&str> = Vec::new();
    for (row, part) in profile.kernels.iter().zip(&found.kernels) {
        if *part == Some(Part::Unexplained) && unknown.len() < NAMED {
            unknown.push(&row.name);
        }
    }
    let rest = match unknown.is_empty() {
        true => String::new(),
        false => {
            let names: Vec<String> = unknown.iter().map(|name| clipped(name, 40)).collect();
            format!(
                "; not explained, {}: {}",
                percent(1.0 - share),
                names.join(", ")
            )
        }
    };
    format!("{} of the kernel time {by}{rest}", percent(share))
}

/// Ops that took less than memory allows.
fn below(found: &Breakdown, reading: &Reading, gpu: &Gpu) -> Option<String> {
    if found.forwards.is_empty() || reading.other_layers.is_some() {
        return None;
    }
    let plan = planned(reading.cost.as_ref()?, gpu).ok()?;
    let forwards = found.forwards.len() as f64;
    let fast = found.rows.iter().filter(|row| {
        let floor = plan
            .get(&row.part)
            .map_or(0.0, |own| own.floor_seconds * 1e9);
        row.ns > 0.0 && row.ns / forwards < floor
    });
    let names: Vec<&str> = fast.map(|row| row.part.name()).collect();
    match names.is_empty() {
        true => None,
        false => Some(format!(
            "{} took less than its floor: its data were still in a cache, or another shape ran",
            names.join(", ")
        )),
    }
}

/// Tokens per second and utilisation.
fn pace(found: &Breakdown, reading: &Reading, gpu: &Gpu) -> Option<String> {
    if found.forwards.len() > 1 && !found.alike() {
        return Some(
            "forwards of different length, as a prompt and the tokens behind it: no pace is given"
                .to_owned(),
        );
    }
    let cost = reading.cost.as_ref()?;
    let merit = merit(found, cost, gpu)?;
    let period = found.period_ns?;
    let step = if merit.training { "step" } else { "forward" };
    let mut text = format!(
        "{} from one {step} to the next, profiler included: {} tokens a second at batch {}, sequence {}",
        ns(period),
        whole(merit.tokens_per_second.round() as u64),
        cost.config.shape.batch,
        cost.config.shape.seq,
    );
    if let (Some(all), Some(weights)) = (merit.utilisation, merit.of_weights) {
        text += &format!(
            "; model FLOPs utilisation {} with attention counted, {} with two FLOPs a weight and token{}, of the {} peak of the {}",
            percent(all),
            percent(weights),
            if merit.training {
                ", backward counted as two forwards"
            } else {
                ""
            },
            cost.config.dtype.name(),
            gpu.short,
        );
    }
    Some(text)
}

//! A reading in words and rows, the same in a terminal, a lesson and a pipe.

mod framework;
mod pair;

pub use framework::{parts, sentences as of_framework};
pub use pair::{of_pair, pair_rows};

use super::framework::short;
use super::{By, Half, Limit, Profile, Reading};
use plan::cost::Gpu;
use plan::units::{Dimension, Quantity, figure, format, group_thousands};

/// One sentence and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// `plan`, `launches`, `time`, `wall`, `memory`, `limit`.
    pub about: &'static str,
    /// The sentence, without a full stop.
    pub text: String,
}

/// Heads and rows; only columns of which the file says something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// Heads; all but the first column hold numbers.
    pub head: Vec<String>,
    /// A row per kernel, the most time first.
    pub rows: Vec<Vec<String>>,
}

/// Why a file with counters has neither wall nor idle time.
const SERIALISED: &str = "none here: to count, the tool ran the launches one after another, \
                          and the gaps are its own; a trace has wall and idle time";

/// Columns of a kernel's name.
const NAME: usize = 24;

fn whole(n: u64) -> String {
    group_thousands(i128::from(n))
}

fn ns(value: f64) -> String {
    format(&Quantity::seconds(value * 1e-9))
}

fn bytes(value: f64) -> String {
    format(&Quantity::new(value, Dimension::Bytes))
}

fn percent(share: f64) -> String {
    figure::percent(share)
}

fn many(n: u64, one: &str, several: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {several}", whole(n)),
    }
}

/// What the file is: its tool, its kernels, its launches.
pub fn heading(profile: &Profile) -> String {
    let generated = match profile.generated {
        true => "; generated, no device was measured",
        false => "",
    };
    let device = profile
        .device
        .as_ref()
        .map_or(String::new(), |name| format!(", {name}"));
    let beyond = match profile.beyond {
        0 => String::new(),
        n => format!("; the order is kept of all but the last {}", whole(n)),
    };
    let cut = match profile.cut_short {
        true => "; the file ends in the middle, and this is what stands before",
        false => "",
    };
    let (one, several) = match profile.tool.is_host() {
        true => ("region", "regions"),
        false => ("kernel", "kernels"),
    };
    format!(
        "{}{device}: {}, {}{generated}{beyond}{cut}",
        profile.tool.title(),
        many(profile.kernels.len() as u64, one, several),
        many(profile.calls(), "launch", "launches"),
    )
}

/// The kernels, at most `most` of them.
pub fn rows(reading: &Reading, most: usize) -> Rows {
    let shown = reading.rows.get(..most).unwrap_or(&reading.rows);
    let mut table = Rows {
        head: vec!["kernel".to_owned()],
        rows: shown
            .iter()
            .map(|row| {
                vec![match row.part {
                    Some(_) => clipped(&short(&row.name), NAME),
                    None => clipped(&row.name, NAME),
                }]
            })
            .collect(),
    };
    let mut column = |head: &str, cells: Vec<Option<String>>| {
        if cells.iter().any(Option::is_some) {
            table.head.push(head.to_owned());
            for (row, cell) in table.rows.iter_mut().zip(cells) {
                row.push(cell.unwrap_or_else(|| "–".to_owned()));
            }
        }
    };
    let of = |f: &dyn Fn(&super::RowReading) -> Option<String>| shown.iter().map(f).collect();
    column(
        "computes",
        of(&|r| r.part.map(|part| part.name().to_owned())),
    );
    column("calls", of(&|r| Some(whole(r.calls))));
    column("share", of(&|r| r.share.map(percent)));
    column(
        "mean µs",
        of(&|r| r.mean_ns.map(|n| figure::shown(n / 1e3, 2))),
    );
    column(
        "floor µs =",
        of(&|r| r.floor_seconds.map(|s| figure::shown(s * 1e6, 2))),
    );
    column(
        "registers",
        of(&|r| {
            let registers = r.resources.registers?;
            Some(whole(registers + r.resources.accumulation.unwrap_or(0)))
        }),
    );
    column(
        "MB",
        of(&|r| r.dram_bytes.map(|b| figure::shown(b / 1e6, 3))),
    );
    column(
        "over model",
        of(&|r| Some(format!("{:.2}", r.dram_bytes? / r.modelled_bytes?))),
    );
    table
}

/// Metrics that the tool worked out itself: cache hits, bandwidth, shares of peaks.
pub fn metrics(profile: &Profile) -> Vec<Said> {
    let said = profile.metrics.iter().map(|metric| {
        let peak = metric.of_peak.map_or(String::new(), |share| {
            format!(", {} of the peak", percent(share))
        });
        Said {
            about: "metric",
            text: format!("{}: {} {}{peak}", metric.name, metric.value, metric.unit),
        }
    });
    said.collect()
}

/// A name of at most so many characters.
fn clipped(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// What the reader makes of it, sentence by sentence.
pub fn sentences(reading: &Reading, gpu: &Gpu) -> Vec<Said> {
    let mut said = Vec::new();
    let mut say = |about, text| said.push(Said { about, text });
    // What a framework launched has sentences of its own.
    if reading.framework.is_none() {
        say("plan", plan(reading));
    }
    if let (Some((counted, planned)), Ok(found)) = (reading.launches, &reading.explained) {
        let mut text = format!(
            "{} a forward counted, {} in the plan =",
            whole(counted),
            whole(planned)
        );
        if found.beside > 0 {
            text += &format!(
                "; {} more of kernels outside the plan (copies, fills, a library)",
                whole(found.beside)
            );
        }
        say("launches", text);
    }
    if let Some(kernels) = reading.kernel_ns.filter(|_| reading.framework.is_none()) {
        say("time", time(reading, kernels, gpu));
    }
    for wall in &reading.walls {
        let mut text = format!(
            "{} from the first start to the last end; idle {} in {}",
            ns(wall.wall_ns as f64),
            percent(wall.idle()),
            many(wall.gaps, "gap", "gaps"),
        );
        if wall.gaps > 0 {
            text += &format!(", the longest {}", ns(wall.longest_gap_ns as f64));
        }
        if wall.kernel_ns > wall.busy_ns {
            text += &format!(
                "; kernels overlap: busy {}, their times add up to {}",
                ns(wall.busy_ns as f64),
                ns(wall.kernel_ns as f64)
            );
        }
        if reading.walls.len() > 1 {
            text = format!("device {}: {text}", wall.device);
        }
        say("wall", text);
    }
    if reading.serialised {
        say("wall", SERIALISED.to_owned());
    }
    if let Some(dram) = reading.dram {
        say(
            "memory",
            format!(
                "{} a forward by the counters, {} = by the model, {:.2} times as many",
                bytes(dram.measured),
                bytes(dram.modelled),
                dram.ratio()
            ),
        );
    }
    if let Some(found) = &reading.half {
        say("memory", half(found));
    }
    if let Some(text) = limit(reading, gpu) {
        say("limit", text);
    }
    said
}

/// Which counters would make bytes of those that are there.
fn half(found: &Half) -> String {
    let there = found.there.join(", ");
    match found.missing.as_slice() {
        [] => format!(
            "no bytes: the file has {there}, but no launch has all of them; count both directions of the same launches"
        ),
        missing => format!(
            "no bytes: the file has {there}; missing beside {}: {}",
            if found.there.len() == 1 { "it" } else { "them" },
            missing.join(", ")
        ),
    }
}

fn plan(reading: &Reading) -> String {
    let found = match &reading.explained {
        Ok(found) => found,
        Err(why) => return why.to_string(),
    };
    let how = match found.by {
        By::Names => "by the ops in the names and their calls",
        By::Entries => "by the names of this program's kernels and their calls",
        By::Calls => "by the calls alone",
    };
    let layers = match found.layers {
        Some(n) => format!("{}, ", many(n, "layer", "layers")),
        None => String::new(),
    };
    let others = match found.others.as_slice() {
        [] => String::new(),
        [one] => format!("; {} fits as well", one.title()),
        some => format!("; {} other plans fit as well", some.len()),
    };
    let named = match reading.other_layers {
        Some(n) => format!("; the model that is named has {n} layers: is it the one that ran?"),
        None => String::new(),
    };
    format!(
        "{}, {layers}{}, {how}{others}{named}",
        found.cut.title(),
        many(found.forwards, "forward", "forwards"),
    )
}

fn time(reading: &Reading, kernels: f64, gpu: &Gpu) -> String {
    let (Ok(found), Some(cost)) = (&reading.explained, &reading.cost) else {
        return format!("{} in kernels", ns(kernels));
    };
    let forward = kernels / found.forwards.max(1) as f64;
    let floor = plan::cost::floor_seconds(&cost.forward, gpu, cost.config.dtype);
    match floor {
        Ok(floor) => format!(
            "{} in kernels a forward; floor {} = under the roof of the {}",
            ns(forward),
            ns(floor * 1e9),
            gpu.short
        ),
        Err(_) => format!("{} in kernels a forward", ns(forward)),
    }
}

fn limit(reading: &Reading, gpu: &Gpu) -> Option<String> {
    let limit = reading.limit.as_ref()?;
    let top = reading.rows.first().map_or("", |row| row.name.as_str());
    let counted = reading
        .rows
        .first()
        .is_some_and(|row| row.dram_bytes.is_some());
    let name = limit.name();
    let mut text = match limit {
        Limit::Launches(idle, gap) => format!(
            "{name}: idle {} of the wall, in gaps of {} on average",
            percent(*idle),
            ns(*gap)
        ),
        Limit::Host(idle, gap) => format!(
            "{name}: idle {} of the wall, one gap alone is {}",
            percent(*idle),
            ns(*gap)
        ),
        Limit::Latency(mean, floor) => format!(
            "{name}: {} takes {} a launch, {:.1} times its floor: neither memory nor operations keep it busy",
            clipped(top, NAME),
            ns(*mean),
            mean / floor
        ),
        Limit::Memory(intensity, ridge) | Limit::Compute(intensity, ridge) => format!(
            "{name}: {} has {intensity:.2} FLOP/B by its {} bytes, the ridge of the {} is {ridge:.2}",
            clipped(top, NAME),
            if counted { "counted" } else { "modelled" },
            gpu.short
        ),
    };
    if reading.walls.is_empty() && !reading.serialised && !matches!(limit, Limit::Latency(..)) {
        text += "; idle time is not in this file, a trace has it";
    }
    Some(text)
}

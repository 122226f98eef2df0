//! The PyTorch profiler's Chrome trace (kineto): events of category `kernel`,
//! times in microseconds.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::table::Gathered;
use super::{Dispatch, Profile, ProfileError, Resources, Tool, sample};

/// Most events of a trace.
const MOST_EVENTS: usize = 1 << 22;

#[derive(Deserialize)]
struct Trace {
    #[serde(rename = "traceEvents")]
    events: Option<Events>,
    #[serde(rename = "traceName", default)]
    name: Option<String>,
    #[serde(rename = "rocprofiler-sdk-tool")]
    rocprof: Option<serde::de::IgnoredAny>,
}

/// The events of kernels. A trace has many more others, of which none is kept.
#[derive(Default)]
struct Events {
    kernels: Vec<Event>,
    /// Whether anything was timed at all.
    seen: bool,
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Self::default())
    }
}

impl<'de> Visitor<'de> for Events {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        let mut events = 0;
        while let Some(event) = list.next_element::<Event>()? {
            events += 1;
            if events > MOST_EVENTS {
                return Err(A::Error::custom(format!(
                    "more than {MOST_EVENTS} events, profile fewer steps"
                )));
            }
            let timed = event.ph == "X";
            self.seen |= timed;
            if timed && event.cat.eq_ignore_ascii_case("kernel") {
                self.kernels.push(event);
            }
        }
        Ok(self)
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    ph: String,
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: String,
    ts: Option<f64>,
    dur: Option<f64>,
    args: Option<Args>,
}

/// What a kernel's event says; other events keep other things here.
#[derive(Deserialize, Default)]
struct Args {
    #[serde(default)]
    device: serde_json::Value,
    #[serde(default)]
    stream: serde_json::Value,
    #[serde(rename = "registers per thread", default)]
    registers: serde_json::Value,
    #[serde(rename = "shared memory", default)]
    shared: serde_json::Value,
    #[serde(default)]
    grid: serde_json::Value,
    #[serde(default)]
    block: serde_json::Value,
}

/// Reads a trace.
pub(super) fn read(text: &str) -> Result<Profile, ProfileError> {
    let broken = |e: serde_json::Error| {
        ProfileError::at(
            e.line(),
            e.column().max(1),
            format!(
                "this is not a trace of the PyTorch profiler: {}; write it again with export_chrome_trace",
                said(&e)
            ),
        )
    };
    let trace: Trace = match text.trim_start().starts_with('[') {
        true => Trace {
            events: Some(serde_json::from_str(text).map_err(broken)?),
            name: None,
            rocprof: None,
        },
        false => serde_json::from_str(text).map_err(broken)?,
    };
    let Some(events) = trace.events else {
        return Err(ProfileError::whole(match trace.rocprof {
            Some(_) => {
                "this is rocprofv3's JSON; its tables are read here: rocprofv3 --kernel-trace --stats --output-format csv"
            }
            None => {
                "this JSON has no traceEvents; a trace of the PyTorch profiler has them (export_chrome_trace)"
            }
        }));
    };
    let generated = trace.name.is_some_and(|name| name.contains(sample::MARK));
    let mut all = Gathered::new(Tool::Pytorch, generated);
    let seen = events.seen;
    for event in events.kernels {
        let args = event.args.unwrap_or_default();
        let took = event.dur.filter(|us| *us >= 0.0).map(|us| us * 1e3);
        let span = match (event.ts, took) {
            (Some(ts), Some(took)) if (0.0..1e16).contains(&ts) && took < 1e16 => {
                let start = (ts * 1e3).round() as u64;
                Some((start, start.saturating_add(took.round() as u64)))
            }
            _ => None,
        };
        let resources = Resources {
            registers: args.registers.as_u64(),
            accumulation: None,
            shared: args.shared.as_u64(),
            threads: sizes(&args.block).map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
        };
        let kernel = all.kernel(&event.name, resources);
        all.launch(
            Dispatch {
                kernel,
                span,
                device: word(&args.device),
                stream: word(&args.stream),
                grid: sizes(&args.grid).unwrap_or_default(),
                counters: Arc::default(),
            },
            took,
        );
    }
    if all.launches() == 0 && seen {
        return Err(ProfileError::whole(
            "no event of the trace is a kernel; ask for them with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
        ));
    }
    all.finish()
}

/// The reason without the place, which stands in front.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text.get(..at).unwrap_or_default().to_owned(),
        None => text,
    }
}

fn word(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn sizes(value: &serde_json::Value) -> Option<[u64; 3]> {
    let list = value.as_array()?;
    let mut sizes = [1; 3];
    for (size, value) in sizes.iter_mut().zip(list) {
        *size = value.as_u64()?;
    }
    Some(sizes)
}

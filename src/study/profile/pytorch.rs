//! Chrome traces: the PyTorch profiler's (kineto), and what Perfetto's own converter
//! makes of AMD's. Events are objects of a list; times are microseconds.

use serde::Deserialize;

use super::gathered::{Gathered, Launch};
use super::json::{Sink, Step};
use super::{Profile, ProfileError, Resources, Tool, sample, sdk};

/// Why there is nothing to read.
const NO_EVENTS: &str =
    "this JSON has no traceEvents; a trace of the PyTorch profiler has them (export_chrome_trace)";

#[derive(Deserialize)]
struct Event<'e> {
    #[serde(default)]
    ph: &'e str,
    #[serde(default, borrow)]
    cat: std::borrow::Cow<'e, str>,
    #[serde(default, borrow)]
    name: std::borrow::Cow<'e, str>,
    ts: Option<f64>,
    dur: Option<f64>,
    #[serde(default)]
    pid: serde_json::Value,
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

#[derive(Deserialize)]
struct Device {
    #[serde(default)]
    name: String,
}

/// Categories of what ran on the GPU: PyTorch's, then rocprof-sys's and rocprofv3's.
const CATEGORIES: [&str; 8] = [
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "rocm_kernel_dispatch",
    "device_hip",
    "kernel_dispatch",
    "rocm_memory_copy",
    "memory_copy",
];

/// Whether a category is of what ran on the GPU; if so, whether it is one of AMD's tools.
pub(super) fn on_device(category: &str) -> Option<bool> {
    let at = CATEGORIES
        .iter()
        .position(|known| category.eq_ignore_ascii_case(known))?;
    Some(at >= 3)
}

/// Everything that a JSON file of a profiler may hold.
pub(super) struct Traces {
    all: Gathered,
    /// Whether there is a list of events.
    events: bool,
    /// Whether anything was timed at all.
    seen: bool,
    amd: bool,
    rocprof: Option<sdk::Sdk>,
}

impl Traces {
    pub(super) fn new() -> Self {
        Self {
            all: Gathered::new(Tool::Pytorch, false),
            events: false,
            seen: false,
            amd: false,
            rocprof: None,
        }
    }

    fn event(&mut self, text: &[u8]) -> Result<(), String> {
        let event: Event<'_> = serde_json::from_slice(text).map_err(|e| {
            format!(
                "this is not a trace of the PyTorch profiler: {}; write it again with export_chrome_trace",
                said(&e)
            )
        })?;
        if event.ph != "X" {
            return Ok(());
        }
        self.seen = true;
        let Some(amd) = on_device(&event.cat) else {
            return Ok(());
        };
        self.amd |= amd;
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
        let kernel = self
            .all
            .kernel(&event.name, resources)
            .map_err(|e| e.message)?;
        let device = match args.device.is_null() {
            true => word(&event.pid),
            false => word(&args.device),
        };
        self.all.launch(&Launch {
            kernel,
            span,
            ns: took,
            device: &device,
            stream: &word(&args.stream),
            grid: sizes(&args.grid).unwrap_or_default(),
        });
        Ok(())
    }

    /// The profile; `whole` says whether the last bracket was closed.
    pub(super) fn finish(mut self, whole: bool) -> Result<Profile, ProfileError> {
        if let Some(rocprof) = self.rocprof {
            return rocprof.finish(whole);
        }
        if !whole {
            self.all.cut_short();
        }
        if self.amd {
            self.all.tool(Tool::RocprofSys);
        }
        if !self.events {
            return Err(ProfileError::whole(NO_EVENTS));
        }
        if self.all.is_empty() && self.seen {
            return Err(ProfileError::whole(
                "no event of the trace is a kernel; ask for them with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
            ));
        }
        self.all.finish()
    }
}

impl Sink for Traces {
    fn wants(&self, path: &[Step]) -> bool {
        match path {
            [Step::Item] => true,
            [Step::Key(key)] => key == "traceName",
            [Step::Key(key), Step::Item] => key == "traceEvents" || key == "deviceProperties",
            _ => sdk::wants(path),
        }
    }

    fn value(&mut self, path: &[Step], text: &[u8]) -> Result<(), String> {
        match path {
            [Step::Key(key)] if key == "traceName" => {
                if String::from_utf8_lossy(text).contains(sample::MARK) {
                    self.all.generated();
                }
                Ok(())
            }
            [Step::Key(key), Step::Item] if key == "deviceProperties" => {
                if let Ok(device) = serde_json::from_slice::<Device>(text) {
                    self.all.device(&device.name);
                }
                Ok(())
            }
            [Step::Item] | [Step::Key(_), Step::Item] => {
                self.events = true;
                self.event(text)
            }
            _ => self
                .rocprof
                .get_or_insert_with(sdk::Sdk::new)
                .value(path, text),
        }
    }
}

/// The reason without the place, which stands in front.
pub(super) fn said(error: &serde_json::Error) -> String {
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

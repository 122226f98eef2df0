//! rocprofv3's JSON (`--output-format json`), as its schema and its writer have it:
//! names of kernels in one list, launches in another, counters in a third, joined by the
//! ids of kernels and of launches. No file of a device was at hand.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;

use super::counters::known;
use super::gathered::{Gathered, Launch};
use super::json::Step;
use super::pytorch::said;
use super::{Profile, ProfileError, Resources, Tool};

/// Lists whose elements are read, as the keys below an element of the tool's own list.
const WANTED: [&[&str]; 5] = [
    &["agents"],
    &["counters"],
    &["kernel_symbols"],
    &["callback_records", "counter_collection"],
    &["buffer_records", "kernel_dispatch"],
];

/// Whether the value at this place is read.
pub(super) fn wants(path: &[Step]) -> bool {
    list(path).is_some()
}

/// Which of the lists an element at this place belongs to.
fn list(path: &[Step]) -> Option<usize> {
    let [Step::Key(tool), Step::Item, keys @ .., Step::Item] = path else {
        return None;
    };
    if tool != "rocprofiler-sdk-tool" {
        return None;
    }
    WANTED.iter().position(|wanted| {
        wanted.len() == keys.len()
            && wanted
                .iter()
                .zip(keys)
                .all(|(wanted, key)| matches!(key, Step::Key(key) if key == wanted))
    })
}

#[derive(Deserialize, Default)]
struct Id {
    #[serde(default)]
    handle: u64,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(rename = "type", default)]
    kind: u64,
    #[serde(default)]
    product_name: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Counter {
    id: Id,
    name: String,
}

#[derive(Deserialize)]
struct Symbol {
    kernel_id: u64,
    #[serde(default)]
    kernel_name: String,
    #[serde(default)]
    formatted_kernel_name: String,
    #[serde(default)]
    truncated_kernel_name: String,
}

#[derive(Deserialize, Default)]
struct Size {
    #[serde(default)]
    x: u64,
    #[serde(default)]
    y: u64,
    #[serde(default)]
    z: u64,
}

#[derive(Deserialize)]
struct Info {
    kernel_id: u64,
    dispatch_id: u64,
    #[serde(default)]
    agent_id: Id,
    #[serde(default)]
    queue_id: Id,
    #[serde(default)]
    workgroup_size: Size,
    #[serde(default)]
    grid_size: Size,
    #[serde(default)]
    group_segment_size: Option<u64>,
}

#[derive(Deserialize)]
struct Dispatched {
    start_timestamp: Option<u64>,
    end_timestamp: Option<u64>,
    dispatch_info: Info,
}

#[derive(Deserialize)]
struct Value {
    counter_id: Id,
    value: f64,
}

#[derive(Deserialize)]
struct Collected {
    dispatch_data: Dispatched,
    #[serde(default)]
    records: Vec<Value>,
    arch_vgpr_count: Option<u64>,
    lds_block_size_v: Option<u64>,
}

/// What was counted of one launch.
struct Counted {
    launch: Dispatched,
    values: Vec<(u64, f64)>,
    resources: Resources,
}

/// Gathers the lists.
pub(super) struct Sdk {
    all: Gathered,
    names: HashMap<u64, String>,
    counters: HashMap<u64, &'static str>,
    counted: BTreeMap<u64, Counted>,
}

impl Sdk {
    pub(super) fn new() -> Self {
        Self {
            all: Gathered::new(Tool::Rocprofv3Json, false),
            names: HashMap::new(),
            counters: HashMap::new(),
            counted: BTreeMap::new(),
        }
    }

    /// An element of one of the lists.
    ///
    /// # Errors
    /// What it is not.
    pub(super) fn value(&mut self, path: &[Step], text: &[u8]) -> Result<(), String> {
        let of = |e: serde_json::Error| {
            format!(
                "this is not as rocprofv3 writes it: {}; --output-format csv writes tables, which are read as well",
                said(&e)
            )
        };
        match list(path) {
            Some(0) => {
                let agent: Agent = serde_json::from_slice(text).map_err(of)?;
                // Kind 2 is a GPU.
                if agent.kind == 2 {
                    self.all.device(match agent.product_name.as_str() {
                        "" => &agent.name,
                        product => product,
                    });
                }
            }
            Some(1) => {
                let counter: Counter = serde_json::from_slice(text).map_err(of)?;
                if let Some(name) = known(&counter.name) {
                    self.counters.insert(counter.id.handle, name);
                }
            }
            Some(2) => {
                let symbol: Symbol = serde_json::from_slice(text).map_err(of)?;
                let names = [
                    symbol.formatted_kernel_name,
                    symbol.kernel_name,
                    symbol.truncated_kernel_name,
                ];
                if let Some(name) = names.into_iter().find(|name| !name.is_empty()) {
                    self.names.insert(symbol.kernel_id, name);
                }
            }
            Some(3) => {
                let found: Collected = serde_json::from_slice(text).map_err(of)?;
                let values = found.records.iter().map(|v| (v.counter_id.handle, v.value));
                let id = found.dispatch_data.dispatch_info.dispatch_id;
                if self.counted.len() < self.all.most() {
                    self.counted.insert(
                        id,
                        Counted {
                            values: values.collect(),
                            resources: Resources {
                                registers: found.arch_vgpr_count,
                                accumulation: None,
                                shared: found.lds_block_size_v,
                                threads: None,
                            },
                            launch: found.dispatch_data,
                        },
                    );
                }
            }
            _ => {
                let found: Dispatched = serde_json::from_slice(text).map_err(of)?;
                let counted = self.counted.remove(&found.dispatch_info.dispatch_id);
                self.launch(&found, counted).map_err(|e| e.message)?;
            }
        }
        Ok(())
    }

    fn launch(&mut self, found: &Dispatched, counted: Option<Counted>) -> Result<(), ProfileError> {
        let info = &found.dispatch_info;
        let span = found
            .start_timestamp
            .zip(found.end_timestamp)
            .filter(|(start, end)| start <= end);
        let threads = [
            info.workgroup_size.x,
            info.workgroup_size.y,
            info.workgroup_size.z,
        ];
        let mut resources = counted
            .as_ref()
            .map(|counted| counted.resources)
            .unwrap_or_default();
        resources.shared = resources.shared.or(info.group_segment_size);
        resources.threads = threads
            .into_iter()
            .try_fold(1_u64, u64::checked_mul)
            .filter(|n| *n > 0);
        let unnamed = format!("kernel {}", info.kernel_id);
        let name = self.names.get(&info.kernel_id).unwrap_or(&unnamed);
        let kernel = self.all.kernel(name, resources)?;
        let at = self.all.launch(&Launch {
            kernel,
            span,
            ns: span.map(|(start, end)| (end - start) as f64),
            device: &info.agent_id.handle.to_string(),
            stream: &info.queue_id.handle.to_string(),
            grid: [info.grid_size.x, info.grid_size.y, info.grid_size.z],
        });
        let mut counters: BTreeMap<&'static str, f64> = BTreeMap::new();
        for (id, value) in counted.iter().flat_map(|counted| &counted.values) {
            if let Some(name) = self.counters.get(id) {
                *counters.entry(name).or_default() += value;
            }
        }
        if !counters.is_empty() {
            self.all.counters(at, Arc::new(counters));
        }
        Ok(())
    }

    /// The profile: launches that were counted and not traced are launches too.
    pub(super) fn finish(mut self, whole: bool) -> Result<Profile, ProfileError> {
        for (_, mut counted) in std::mem::take(&mut self.counted) {
            let none = Dispatched {
                start_timestamp: None,
                end_timestamp: None,
                dispatch_info: Info {
                    kernel_id: 0,
                    dispatch_id: 0,
                    agent_id: Id::default(),
                    queue_id: Id::default(),
                    workgroup_size: Size::default(),
                    grid_size: Size::default(),
                    group_segment_size: None,
                },
            };
            let launch = std::mem::replace(&mut counted.launch, none);
            self.launch(&launch, Some(counted))?;
        }
        if !whole {
            self.all.cut_short();
        }
        self.all.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::{read, traffic};

    /// Keys as rocprofv3-schema.json and generateJSON.cpp have them; values made up.
    const FILE: &str = r#"{"rocprofiler-sdk-tool":[{
"metadata":{"pid":1,"init_time":1,"fini_time":9},
"agents":[{"type":1,"name":"EPYC"},{"type":2,"name":"gfx942","product_name":"AMD Instinct MI300A"}],
"counters":[{"id":{"handle":7},"name":"FETCH_SIZE"},{"id":{"handle":8},"name":"WRITE_SIZE"}],
"strings":{"callback_records":[]},
"kernel_symbols":[{"kernel_id":3,"kernel_name":"_Z3addPf.kd","formatted_kernel_name":"add(float*)"}],
"callback_records":{"counter_collection":[{"dispatch_data":{"start_timestamp":100,"end_timestamp":300,"dispatch_info":{"kernel_id":3,"dispatch_id":1,"agent_id":{"handle":2},"queue_id":{"handle":1},"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":1024,"y":1,"z":1}}},"records":[{"counter_id":{"handle":7},"value":4.0},{"counter_id":{"handle":8},"value":2.0}],"arch_vgpr_count":8}]},
"buffer_records":{"kernel_dispatch":[{"start_timestamp":100,"end_timestamp":300,"dispatch_info":{"kernel_id":3,"dispatch_id":1,"agent_id":{"handle":2},"queue_id":{"handle":1},"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":1024,"y":1,"z":1}}},
{"start_timestamp":400,"end_timestamp":450,"dispatch_info":{"kernel_id":4,"dispatch_id":2,"agent_id":{"handle":2},"queue_id":{"handle":1}}}]}}]}"#;

    #[test]
    fn launches_names_and_counters_are_joined() {
        let profile = read(FILE.as_bytes()).unwrap();
        assert_eq!(profile.tool.name(), "rocprofv3-json");
        assert_eq!(profile.device.as_deref(), Some("AMD Instinct MI300A"));
        assert_eq!((profile.kernels.len(), profile.calls()), (2, 2));
        assert_eq!(profile.kernels[0].name, "add(float*)");
        assert_eq!(profile.kernels[0].resources.threads, Some(64));
        // FETCH_SIZE and WRITE_SIZE are in KiB.
        assert_eq!(
            traffic(&profile.dispatches[0].counters).total(),
            Some(6.0 * 1024.0)
        );
        // A kernel that the list of names does not have.
        assert_eq!(profile.kernels[1].name, "kernel 4");
        assert_eq!(profile.dispatches[1].span, Some((400, 450)));
    }

    #[test]
    fn a_value_of_another_kind_is_named_with_its_place() {
        let e = read(
            FILE.replace(
                "\"kernel_id\":3,\"kernel_name\"",
                "\"kernel_id\":\"x\",\"kernel_name\"",
            )
            .as_bytes(),
        );
        let e = e.unwrap_err();
        assert!(e.line == 6 && e.message.contains("csv"), "{e}");
        let cut = read(FILE.get(..FILE.len() - 40).unwrap().as_bytes()).unwrap();
        assert!(cut.cut_short && cut.calls() == 1);
    }
}

//! AMD's files with a row per launch: rocprofv3's trace and counters, the older
//! rocprof's results, rocprof-compute's counters.

use std::collections::HashMap;
use std::sync::Arc;

use super::counters::known;
use super::table::{Among, Gathered, Head, Line};
use super::{Dispatch, Profile, ProfileError, Resources, Tool};

/// Where the columns of a launch are; releases and tools name them differently.
struct Columns {
    name: usize,
    start: Option<usize>,
    end: Option<usize>,
    duration: Option<usize>,
    device: Option<usize>,
    stream: Option<usize>,
    registers: Option<usize>,
    accumulation: Option<usize>,
    shared: Option<usize>,
    threads: [Option<usize>; 3],
    grid: [Option<usize>; 3],
}

impl Columns {
    fn of(head: &Head) -> Result<Self, ProfileError> {
        let one = |names: &[&str]| head.find(names);
        Ok(Self {
            name: head.need(&["Kernel_Name", "KernelName"])?,
            start: one(&["Start_Timestamp", "BeginNs"]),
            end: one(&["End_Timestamp", "EndNs"]),
            duration: one(&["DurationNs"]),
            device: one(&["Agent_Id", "GPU_ID", "gpu-id"]),
            stream: one(&["Queue_Id", "queue-id"]),
            registers: one(&["VGPR_Count", "Arch_VGPR", "arch_vgpr", "vgpr"]),
            accumulation: one(&["Accum_VGPR_Count", "Accum_VGPR", "accum_vgpr"]),
            shared: one(&[
                "LDS_Block_Size",
                "LDS_Per_Workgroup",
                "Group_Segment_Size",
                "lds",
            ]),
            threads: [
                one(&["Workgroup_Size_X", "Workgroup_Size", "wgr"]),
                one(&["Workgroup_Size_Y"]),
                one(&["Workgroup_Size_Z"]),
            ],
            grid: [
                one(&["Grid_Size_X", "Grid_Size", "grd"]),
                one(&["Grid_Size_Y"]),
                one(&["Grid_Size_Z"]),
            ],
        })
    }

    fn resources(&self, row: &Line<'_>) -> Result<Resources, ProfileError> {
        let mut threads = row.whole(self.threads[0])?;
        for more in &self.threads[1..] {
            let more = row.whole(*more)?.unwrap_or(1);
            threads = threads.map(|n| n.saturating_mul(more));
        }
        Ok(Resources {
            registers: row.whole(self.registers)?,
            accumulation: row.whole(self.accumulation)?,
            shared: row.whole(self.shared)?,
            threads,
        })
    }

    /// Adds the launch of a row.
    fn launch(&self, row: &Line<'_>, all: &mut Gathered) -> Result<(), ProfileError> {
        let span = match (row.whole(self.start)?, row.whole(self.end)?) {
            (Some(start), Some(end)) if start <= end => Some((start, end)),
            (Some(start), Some(end)) => {
                return Err(ProfileError::at(
                    row.number,
                    1,
                    format!(
                        "this launch ends at {end}, before its start at {start}; the clocks of the profiler are wrong: profile it again"
                    ),
                ));
            }
            _ => None,
        };
        let took = match row.number(self.duration)? {
            Some(ns) => Some(ns),
            None => span.map(|(start, end)| (end - start) as f64),
        };
        let kernel = all.kernel(row.text(Some(self.name)), self.resources(row)?);
        let mut grid = [0; 3];
        for (size, column) in grid.iter_mut().zip(self.grid) {
            *size = row.whole(column)?.unwrap_or(0);
        }
        all.launch(
            Dispatch {
                kernel,
                span,
                device: row.text(self.device).to_owned(),
                stream: row.text(self.stream).to_owned(),
                grid,
                counters: Arc::default(),
            },
            took,
        );
        Ok(())
    }
}

/// A file with one row per launch; columns named like counters are counters.
pub(super) fn launches(tool: Tool, head: &Head, text: &str) -> Result<Profile, ProfileError> {
    let columns = Columns::of(head)?;
    let kind = head.find(&["Kind"]);
    // A name may stand twice (rocprof-compute's wave_size and obj): the first counts.
    let mut counted: Vec<(usize, &'static str)> = Vec::new();
    for (at, name) in head.columns() {
        if let Some(name) = known(name)
            && counted.iter().all(|(_, n)| *n != name)
        {
            counted.push((at, name));
        }
    }
    let mut all = Gathered::new(tool, false);
    for row in head.rows(text, Among::Nothing)? {
        if kind.is_some() && row.text(kind) != "KERNEL_DISPATCH" {
            continue;
        }
        columns.launch(&row, &mut all)?;
        let at = all.launches() - 1;
        for (column, name) in &counted {
            if let Some(value) = row.number(Some(*column))? {
                all.count(at, name, value);
            }
        }
    }
    all.finish()
}

/// `counter_collection.csv`: one row per launch and counter.
pub(super) fn counters(head: &Head, text: &str) -> Result<Profile, ProfileError> {
    let columns = Columns::of(head)?;
    let dispatch = head.need(&["Dispatch_Id"])?;
    let process = head.find(&["Process_Id"]);
    let name = head.need(&["Counter_Name"])?;
    let value = head.need(&["Counter_Value"])?;
    let mut all = Gathered::new(Tool::Rocprofv3Counters, false);
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    for row in head.rows(text, Among::Nothing)? {
        let key = (
            row.text(process).to_owned(),
            row.text(Some(dispatch)).to_owned(),
        );
        let at = match seen.get(&key) {
            Some(at) => *at,
            None => {
                columns.launch(&row, &mut all)?;
                let at = all.launches() - 1;
                seen.insert(key, at);
                at
            }
        };
        let count = row.number(Some(value))?;
        if let (Some(name), Some(count)) = (known(row.text(Some(name))), count) {
            all.count(at, name, count);
        }
    }
    all.finish()
}

//! AMD's files with a row per launch: rocprofv3's trace and counters, the older
//! rocprof's results, rocprof-compute's counters.

use std::collections::HashMap;

use super::counters::known;
use super::gathered::{Gathered, Launch};
use super::table::{Head, Line, Rows};
use super::{Profile, ProfileError, Resources, Tool};

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
    fn launch(&self, row: &Line<'_>, all: &mut Gathered) -> Result<Option<usize>, ProfileError> {
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
        let kernel = all.kernel(row.text(Some(self.name)), self.resources(row)?)?;
        let mut grid = [0; 3];
        for (size, column) in grid.iter_mut().zip(self.grid) {
            *size = row.whole(column)?.unwrap_or(0);
        }
        Ok(all.launch(&Launch {
            kernel,
            span,
            ns: took,
            device: row.text(self.device),
            stream: row.text(self.stream),
            grid,
        }))
    }
}

/// A file with one row per launch; columns named like counters are counters.
pub(super) struct Launches {
    columns: Columns,
    kind: Option<usize>,
    counted: Vec<(usize, &'static str)>,
    all: Gathered,
}

impl Launches {
    pub(super) fn new(tool: Tool, head: &Head) -> Result<Self, ProfileError> {
        // A name may stand twice (rocprof-compute's wave_size and obj): the first counts.
        let mut counted: Vec<(usize, &'static str)> = Vec::new();
        for (at, name) in head.columns() {
            if let Some(name) = known(name)
                && counted.iter().all(|(_, n)| *n != name)
            {
                counted.push((at, name));
            }
        }
        Ok(Self {
            columns: Columns::of(head)?,
            kind: head.find(&["Kind"]),
            counted,
            all: Gathered::new(tool, false),
        })
    }
}

impl Rows for Launches {
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError> {
        if self.kind.is_some() && row.text(self.kind) != "KERNEL_DISPATCH" {
            return Ok(());
        }
        let at = self.columns.launch(row, &mut self.all)?;
        for (column, name) in &self.counted {
            if let Some(value) = row.number(Some(*column))? {
                self.all.count(at, name, value);
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Profile, ProfileError> {
        self.all.finish()
    }
}

/// `counter_collection.csv`: one row per launch and counter.
pub(super) struct Counters {
    columns: Columns,
    dispatch: usize,
    process: Option<usize>,
    name: usize,
    value: usize,
    seen: HashMap<(String, String), Option<usize>>,
    all: Gathered,
}

impl Counters {
    pub(super) fn new(head: &Head) -> Result<Self, ProfileError> {
        Ok(Self {
            columns: Columns::of(head)?,
            dispatch: head.need(&["Dispatch_Id"])?,
            process: head.find(&["Process_Id"]),
            name: head.need(&["Counter_Name"])?,
            value: head.need(&["Counter_Value"])?,
            seen: HashMap::new(),
            all: Gathered::new(Tool::Rocprofv3Counters, false),
        })
    }
}

impl Rows for Counters {
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError> {
        let key = (
            row.text(self.process).to_owned(),
            row.text(Some(self.dispatch)).to_owned(),
        );
        let at = match self.seen.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.columns.launch(row, &mut self.all)?;
                // Of launches that are not kept no more is known than their number.
                if self.seen.len() < self.all.most() {
                    self.seen.insert(key, at);
                }
                at
            }
        };
        let count = row.number(Some(self.value))?;
        if let (Some(name), Some(count)) = (known(row.text(Some(self.name))), count) {
            self.all.count(at, name, count);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Profile, ProfileError> {
        self.all.finish()
    }
}

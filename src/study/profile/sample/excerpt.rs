//! The top of a file, some of its columns, as a page shows it.

use crate::profile::table::{Head, cells};
use crate::profile::{NoSuchColumn, Tool};

/// Heads and cells as the tool writes them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Heads of the columns; empty where the file is no table.
    pub head: Vec<String>,
    /// Rows of cells, or of one cell each: a line of the file.
    pub rows: Vec<Vec<String>>,
    /// Rows of the file that are not shown.
    pub more_rows: usize,
    /// Columns of the file that are not shown.
    pub more_columns: usize,
}

/// The columns that say most, of as many as fit beside each other; a file has those of its
/// device.
const fn usual(tool: Tool) -> &'static [&'static str] {
    match tool {
        Tool::Rocprofv3Stats => &[
            "Name",
            "Calls",
            "TotalDurationNs",
            "AverageNs",
            "Percentage",
        ],
        Tool::Rocprofv3Trace => &[
            "Kernel_Name",
            "Start_Timestamp",
            "End_Timestamp",
            "VGPR_Count",
        ],
        Tool::Rocprofv3Counters => &[
            "Dispatch_Id",
            "Kernel_Name",
            "Counter_Name",
            "Counter_Value",
        ],
        Tool::RocprofResults => &["KernelName", "arch_vgpr", "accum_vgpr", "lds", "DurationNs"],
        Tool::RocprofStats => &["Name", "Calls", "TotalDurationNs", "Percentage"],
        Tool::RocprofCompute => &[
            "Kernel_Name",
            "Arch_VGPR",
            "TCC_EA_RDREQ_sum",
            "TCC_EA_RDREQ_32B_sum",
            "TCC_EA0_RDREQ_sum",
            "TCC_EA0_RDREQ_32B_sum",
        ],
        Tool::Nsys => &[
            "Time (%)",
            "Total Time (ns)",
            "Instances",
            "Med (ns)",
            "Name",
        ],
        Tool::Ncu => &[
            "Kernel Name",
            "dram__bytes_read.sum",
            "gpu__time_duration.sum",
        ],
        Tool::NcuDetails => &["Kernel Name", "Metric Name", "Metric Unit", "Metric Value"],
        Tool::Pytorch
        | Tool::Rocprofv3Json
        | Tool::RocprofSys
        | Tool::RocprofSysClock
        | Tool::RocprofAnalyze => &[],
    }
}

/// The first `rows` rows of a generated file, of the columns named or else the
/// usual ones; of one kernel where it is named.
///
/// # Errors
/// A column that the file does not have, with those that it has.
pub fn excerpt(
    text: &str,
    tool: Tool,
    columns: &[&str],
    rows: usize,
    kernel: Option<&str>,
) -> Result<Excerpt, NoSuchColumn> {
    if tool == Tool::Pytorch {
        let lines: Vec<&str> = text.lines().collect();
        return Ok(Excerpt {
            rows: lines
                .iter()
                .take(rows)
                .map(|line| vec![(*line).to_owned()])
                .collect(),
            more_rows: lines.len().saturating_sub(rows),
            ..Excerpt::default()
        });
    }
    let said = text.lines().find_map(|line| {
        let head = Head::of(line, 1)?;
        head.has(&[usual(tool).first()?]).then_some((line, head))
    });
    let Some((first, head)) = said else {
        return Ok(Excerpt::default());
    };
    let named: Vec<&str> = match columns {
        [] => {
            let usual = usual(tool).iter().copied();
            usual.filter(|name| head.has(&[name])).collect()
        }
        some => some.to_vec(),
    };
    let mut places = Vec::new();
    for name in &named {
        match head.find(&[name]) {
            Some(at) => places.push(at),
            None => {
                return Err(NoSuchColumn {
                    tool,
                    name: (*name).to_owned(),
                    has: head.columns().map(|(_, name)| name.to_owned()).collect(),
                });
            }
        }
    }
    let mut excerpt = Excerpt {
        head: named.iter().map(|name| (*name).to_owned()).collect(),
        more_columns: head.columns().count().saturating_sub(named.len()),
        ..Excerpt::default()
    };
    let behind = text.lines().skip_while(|line| *line != first).skip(1);
    for line in behind {
        let Some(row) = cells(line) else { continue };
        if kernel.is_some_and(|kernel| row.iter().all(|cell| cell.text != kernel)) {
            continue;
        }
        if excerpt.rows.len() < rows {
            let cell = |at: &usize| row.get(*at).map_or(String::new(), |c| c.text.to_string());
            excerpt.rows.push(places.iter().map(cell).collect());
        } else {
            excerpt.more_rows += 1;
        }
    }
    Ok(excerpt)
}

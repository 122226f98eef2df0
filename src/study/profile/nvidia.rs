//! Tables of sums (nsys, and `--stats` of AMD's tools, which differ in names
//! only), and ncu's two: wide with the units in the second row, or long.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::counters::known;
use super::table::{Among, Gathered, Head, Line, number};
use super::{Dispatch, KernelRow, Profile, ProfileError, Resources, Tool};

/// A file with one row per kernel.
pub(super) fn sums(
    tool: Tool,
    head: &Head,
    text: &str,
    generated: bool,
) -> Result<Profile, ProfileError> {
    let name = head.need(&["Name"])?;
    let calls = head.need(&["Calls", "Instances"])?;
    let total = head.need(&["TotalDurationNs", "Total Time (ns)"])?;
    let min = head.find(&["MinNs", "Min (ns)", "Minimum"]);
    let max = head.find(&["MaxNs", "Max (ns)", "Maximum"]);
    let mut all = Gathered::new(tool, generated);
    // nsys may write one report after another.
    let among = match tool {
        Tool::Nsys => Among::Reports,
        _ => Among::Nothing,
    };
    for row in head.rows(text, among)? {
        let Some(calls) = row.whole(Some(calls))? else {
            return Err(ProfileError::at(
                row.number,
                1,
                "this row has no number of calls; export the file again, without editing it",
            ));
        };
        all.sum(KernelRow {
            name: row.text(Some(name)).to_owned(),
            calls,
            total_ns: row.number(Some(total))?,
            min_ns: row.number(min)?,
            max_ns: row.number(max)?,
            resources: Resources::default(),
        });
    }
    all.finish()
}

/// What ncu calls the duration of a launch, its shared memory and its registers,
/// on either page.
const DURATION: [&str; 2] = ["gpu__time_duration.sum", "Duration"];
const SHARED: [&str; 1] = ["launch__shared_mem_per_block"];
const REGISTERS: [&str; 2] = ["launch__registers_per_thread", "Registers Per Thread"];

/// A value in the base unit: bytes, ns, a plain count.
fn base(value: f64, unit: &str) -> Option<f64> {
    Some(
        value
            * match unit {
                "" | "byte" | "byte/block" | "ns" | "nsecond" | "register/thread" => 1.0,
                "Kbyte" | "Kbyte/block" | "us" | "usecond" => 1e3,
                "Mbyte" | "ms" | "msecond" => 1e6,
                "Gbyte" | "s" | "second" => 1e9,
                "Tbyte" => 1e12,
                _ => return None,
            },
    )
}

/// A metric of a row; none where it is not there or not a number.
fn metric(row: &Line<'_>, column: usize, unit: &str) -> Result<Option<f64>, ProfileError> {
    let Some(value) = row.number(Some(column))? else {
        return Ok(None);
    };
    base(value, unit).map(Some).ok_or_else(|| {
        let at = row.cells.get(column).map_or(1, |c| c.column);
        let say = format!(
            "“{unit}” is a unit that is not understood here; export with --print-units base"
        );
        ProfileError::at(row.number, at, say)
    })
}

/// Columns that both pages have.
struct Launch {
    id: Option<usize>,
    name: usize,
    device: Option<usize>,
    stream: Option<usize>,
    grid: Option<usize>,
    block: Option<usize>,
}

impl Launch {
    fn of(head: &Head) -> Result<Self, ProfileError> {
        Ok(Self {
            id: head.find(&["ID"]),
            name: head.need(&["Kernel Name"])?,
            device: head.find(&["Device"]),
            stream: head.find(&["Stream"]),
            grid: head.find(&["Grid Size"]),
            block: head.find(&["Block Size"]),
        })
    }

    fn dispatch(
        &self,
        row: &Line<'_>,
        [registers, shared]: [Option<f64>; 2],
        all: &mut Gathered,
    ) -> Dispatch {
        let block = sizes(row.text(self.block));
        let resources = Resources {
            registers: registers.map(|r| r.round() as u64),
            shared: shared.map(|b| b.round() as u64),
            accumulation: None,
            threads: block.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
        };
        let kernel = all.kernel(row.text(Some(self.name)), resources);
        Dispatch {
            kernel,
            span: None,
            device: row.text(self.device).to_owned(),
            stream: row.text(self.stream).to_owned(),
            grid: sizes(row.text(self.grid)).unwrap_or_default(),
            counters: Arc::default(),
        }
    }
}

/// `(128, 1, 1)`.
fn sizes(text: &str) -> Option<[u64; 3]> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut sizes = [1; 3];
    for (size, part) in sizes.iter_mut().zip(inner.split(',')) {
        *size = number(part.trim())? as u64;
    }
    Some(sizes)
}

/// ncu's page raw: a row per launch, its units in the second row.
pub(super) fn raw(head: &Head, text: &str, generated: bool) -> Result<Profile, ProfileError> {
    let launch = Launch::of(head)?;
    let mut rows = head.rows(text, Among::Output)?.into_iter().peekable();
    // The row of units has no id.
    let units = rows.next_if(|row| row.text(launch.id).is_empty());
    let unit = |column: usize| {
        units
            .as_ref()
            .map_or("", |u| u.text(Some(column)))
            .to_owned()
    };
    let counted: Vec<(usize, &'static str)> = head
        .columns()
        .filter_map(|(at, name)| Some((at, known(name)?)))
        .collect();
    let duration = head.find(&DURATION);
    let registers = head.find(&REGISTERS);
    let shared = head.find(&SHARED);
    let mut all = Gathered::new(Tool::Ncu, generated);
    for row in rows {
        let value = |column: Option<usize>| match column {
            Some(column) => metric(&row, column, &unit(column)),
            None => Ok(None),
        };
        let mut dispatch = launch.dispatch(&row, [value(registers)?, value(shared)?], &mut all);
        let mut counters = BTreeMap::new();
        for (column, name) in &counted {
            if let Some(count) = value(Some(*column))? {
                counters.insert(*name, count);
            }
        }
        dispatch.counters = Arc::new(counters);
        all.launch(dispatch, value(duration)?);
    }
    all.finish()
}

/// ncu's details: a row per launch and metric, the unit beside the value.
pub(super) fn details(head: &Head, text: &str, generated: bool) -> Result<Profile, ProfileError> {
    /// What was seen of one launch.
    struct Seen<'t> {
        first: Line<'t>,
        duration: Option<f64>,
        registers: Option<f64>,
        shared: Option<f64>,
        counters: BTreeMap<&'static str, f64>,
    }
    let launch = Launch::of(head)?;
    let name = head.need(&["Metric Name"])?;
    let unit = head.find(&["Metric Unit"]);
    let value = head.need(&["Metric Value"])?;
    let process = head.find(&["Process ID"]);
    let mut seen: Vec<Seen<'_>> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for row in head.rows(text, Among::Output)? {
        let key = (row.text(process).to_owned(), row.text(launch.id).to_owned());
        let (metric_name, in_unit) = (row.text(Some(name)).to_owned(), row.text(unit).to_owned());
        let wanted = known(&metric_name);
        let is = |names: &[&str]| names.contains(&metric_name.as_str());
        let (is_time, is_registers, is_shared) = (is(&DURATION), is(&REGISTERS), is(&SHARED));
        // Other metrics may be words, and have units of their own.
        let found = match wanted.is_some() || is_time || is_registers || is_shared {
            true => metric(&row, value, &in_unit)?,
            false => None,
        };
        let at = *places.entry(key).or_insert_with(|| {
            seen.push(Seen {
                first: row,
                duration: None,
                registers: None,
                shared: None,
                counters: BTreeMap::new(),
            });
            seen.len() - 1
        });
        let (Some(found), Some(one)) = (found, seen.get_mut(at)) else {
            continue;
        };
        if is_time {
            one.duration = Some(found);
        } else if is_registers {
            one.registers = Some(found);
        } else if is_shared {
            one.shared = Some(found);
        } else if let Some(name) = wanted {
            one.counters.insert(name, found);
        }
    }
    let mut all = Gathered::new(Tool::NcuDetails, generated);
    for one in seen {
        let mut dispatch = launch.dispatch(&one.first, [one.registers, one.shared], &mut all);
        dispatch.counters = Arc::new(one.counters);
        all.launch(dispatch, one.duration);
    }
    all.finish()
}

//! Tables of sums (nsys, and `--stats` of AMD's tools, which differ in names
//! only), and ncu's two: wide with the units in the second row, or long.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::counters::known;
use super::gathered::{Gathered, Launch};
use super::table::{Head, Line, Rows, number};
use super::{KernelRow, Profile, ProfileError, Resources, Tool};

/// A file with one row per kernel.
pub(super) struct Totals {
    name: usize,
    calls: usize,
    total: usize,
    min: Option<usize>,
    max: Option<usize>,
    all: Gathered,
}

impl Totals {
    pub(super) fn new(tool: Tool, head: &Head, generated: bool) -> Result<Self, ProfileError> {
        Ok(Self {
            name: head.need(&["Name"])?,
            calls: head.need(&["Calls", "Instances"])?,
            total: head.need(&["TotalDurationNs", "Total Time (ns)"])?,
            min: head.find(&["MinNs", "Min (ns)", "Minimum"]),
            max: head.find(&["MaxNs", "Max (ns)", "Maximum"]),
            all: Gathered::new(tool, generated),
        })
    }
}

impl Rows for Totals {
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError> {
        let Some(calls) = row.whole(Some(self.calls))? else {
            return Err(ProfileError::at(
                row.number,
                1,
                "this row has no number of calls; export the file again, without editing it",
            ));
        };
        self.all.sum(KernelRow {
            name: row.text(Some(self.name)).to_owned(),
            calls,
            total_ns: row.number(Some(self.total))?,
            min_ns: row.number(self.min)?,
            max_ns: row.number(self.max)?,
            resources: Resources::default(),
        })
    }

    fn finish(self: Box<Self>) -> Result<Profile, ProfileError> {
        self.all.finish()
    }
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

/// The unit of a counter: sectors are a plain count of what counts them, and no unit of
/// anything else.
fn unit_of<'u>(name: &str, unit: &'u str) -> &'u str {
    match unit {
        "sector" if name.starts_with("lts__t_sectors") => "",
        _ => unit,
    }
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
struct Columns {
    id: Option<usize>,
    name: usize,
    device: Option<usize>,
    stream: Option<usize>,
    grid: Option<usize>,
    block: Option<usize>,
}

impl Columns {
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

    /// Adds the launch of a row.
    fn launch(
        &self,
        row: &Line<'_>,
        [registers, shared, ns]: [Option<f64>; 3],
        all: &mut Gathered,
    ) -> Result<Option<usize>, ProfileError> {
        let block = sizes(row.text(self.block));
        let resources = Resources {
            registers: registers.map(|r| r.round() as u64),
            shared: shared.map(|b| b.round() as u64),
            accumulation: None,
            threads: block.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
        };
        let kernel = all.kernel(row.text(Some(self.name)), resources)?;
        Ok(all.launch(&Launch {
            kernel,
            span: None,
            ns,
            device: row.text(self.device),
            stream: row.text(self.stream),
            grid: sizes(row.text(self.grid)).unwrap_or_default(),
        }))
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
pub(super) struct Raw {
    columns: Columns,
    /// Of each column, once the second row is read.
    units: Option<Line<'static>>,
    first: bool,
    counted: Vec<(usize, &'static str)>,
    duration: Option<usize>,
    registers: Option<usize>,
    shared: Option<usize>,
    all: Gathered,
}

impl Raw {
    pub(super) fn new(head: &Head, generated: bool) -> Result<Self, ProfileError> {
        Ok(Self {
            columns: Columns::of(head)?,
            units: None,
            first: true,
            counted: head
                .columns()
                .filter_map(|(at, name)| Some((at, known(name)?)))
                .collect(),
            duration: head.find(&DURATION),
            registers: head.find(&REGISTERS),
            shared: head.find(&SHARED),
            all: Gathered::new(Tool::Ncu, generated),
        })
    }
}

impl Rows for Raw {
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError> {
        // The row of units has no id.
        if std::mem::take(&mut self.first) && row.text(self.columns.id).is_empty() {
            self.units = Some(row.kept());
            return Ok(());
        }
        let value = |column: Option<usize>, name: &str| match column {
            Some(column) => {
                let unit = self
                    .units
                    .as_ref()
                    .map_or("", |units| units.text(Some(column)));
                metric(row, column, unit_of(name, unit))
            }
            None => Ok(None),
        };
        let mut counters = BTreeMap::new();
        for (column, name) in &self.counted {
            if let Some(count) = value(Some(*column), name)? {
                counters.insert(*name, count);
            }
        }
        let sizes = [
            value(self.registers, "")?,
            value(self.shared, "")?,
            value(self.duration, "")?,
        ];
        let at = self.columns.launch(row, sizes, &mut self.all)?;
        self.all.counters(at, Arc::new(counters));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Profile, ProfileError> {
        self.all.finish()
    }
}

/// What was seen of one launch.
struct Seen {
    first: Line<'static>,
    duration: Option<f64>,
    registers: Option<f64>,
    shared: Option<f64>,
    counters: BTreeMap<&'static str, f64>,
}

/// ncu's details: a row per launch and metric, the unit beside the value.
pub(super) struct Details {
    columns: Columns,
    name: usize,
    unit: Option<usize>,
    value: usize,
    process: Option<usize>,
    seen: Vec<Seen>,
    places: HashMap<(String, String), usize>,
    all: Gathered,
}

impl Details {
    pub(super) fn new(head: &Head, generated: bool) -> Result<Self, ProfileError> {
        Ok(Self {
            columns: Columns::of(head)?,
            name: head.need(&["Metric Name"])?,
            unit: head.find(&["Metric Unit"]),
            value: head.need(&["Metric Value"])?,
            process: head.find(&["Process ID"]),
            seen: Vec::new(),
            places: HashMap::new(),
            all: Gathered::new(Tool::NcuDetails, generated),
        })
    }
}

impl Rows for Details {
    fn row(&mut self, row: &Line<'_>) -> Result<(), ProfileError> {
        let key = (
            row.text(self.process).to_owned(),
            row.text(self.columns.id).to_owned(),
        );
        let name = row.text(Some(self.name));
        let wanted = known(name);
        let is = |names: &[&str]| names.contains(&name);
        let (is_time, is_registers, is_shared) = (is(&DURATION), is(&REGISTERS), is(&SHARED));
        // Other metrics may be words, and have units of their own.
        let found = match wanted.is_some() || is_time || is_registers || is_shared {
            true => metric(row, self.value, unit_of(name, row.text(self.unit)))?,
            false => None,
        };
        let at = match self.places.get(&key) {
            Some(at) => *at,
            None => {
                if self.seen.len() >= self.all.most() {
                    return Err(ProfileError::at(
                        row.number,
                        1,
                        "more launches than are read in this format; export with --page raw",
                    ));
                }
                self.seen.push(Seen {
                    first: row.kept(),
                    duration: None,
                    registers: None,
                    shared: None,
                    counters: BTreeMap::new(),
                });
                self.places.insert(key, self.seen.len() - 1);
                self.seen.len() - 1
            }
        };
        let (Some(found), Some(one)) = (found, self.seen.get_mut(at)) else {
            return Ok(());
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
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Profile, ProfileError> {
        for one in std::mem::take(&mut self.seen) {
            let sizes = [one.registers, one.shared, one.duration];
            let at = self.columns.launch(&one.first, sizes, &mut self.all)?;
            self.all.counters(at, Arc::new(one.counters));
        }
        self.all.finish()
    }
}

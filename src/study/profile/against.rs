//! A profile beside the plan that explains it: launches, shares, wall and idle
//! time, memory traffic, and what limits the forward.

use std::collections::{BTreeMap, HashMap};

use super::explain::explain;
use super::framework::{Breakdown, Part, breakdown};
use super::{By, Explained, Half, Profile, Resources, Unexplained, Wall, counters, known, walls};
use plan::cost::{
    Bound, Config, Cost, CostError, Gpu, KernelCost, Roof, kernel_floor_seconds, price,
};
use plan::fusion::Cut;
use plan::kernels::Family;

/// Times its floor from which neither roof explains a kernel's time.
const FAR_FROM_FLOOR: f64 = 4.0;

/// Share of the wall time from which gaps, not kernels, are the limit.
const MOSTLY_IDLE: f64 = 0.5;

/// One row of the profile with what the model says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RowReading {
    /// The kernel, as the file names it.
    pub name: String,
    /// Launches in the file.
    pub calls: u64,
    /// Share of all kernel time.
    pub share: Option<f64>,
    /// Mean time of a launch, in ns.
    pub mean_ns: Option<f64>,
    /// What one launch takes at least, in seconds, by the model.
    pub floor_seconds: Option<f64>,
    /// Modelled bytes of a launch.
    pub modelled_bytes: Option<f64>,
    /// Modelled FLOPs of a launch.
    pub flops: Option<f64>,
    /// Bytes of a launch by the counters.
    pub dram_bytes: Option<f64>,
    /// What a framework's kernel computes, where most of its time goes.
    pub part: Option<Part>,
    /// Registers, shared memory, threads.
    pub resources: Resources,
    /// Whether it holds a matrix product.
    product: bool,
}

/// Memory traffic of one forward, of the launches that were counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dram {
    /// By the counters, in bytes.
    pub measured: f64,
    /// By the model, in bytes.
    pub modelled: f64,
}

impl Dram {
    /// Measured over modelled.
    pub fn ratio(self) -> f64 {
        self.measured / self.modelled
    }
}

/// What limits the forward, with the two numbers that say so.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// Many short gaps: the GPU waits for the next launch. Idle share, and the
    /// mean gap in ns.
    Launches(f64, f64),
    /// A few long gaps: the GPU waits for the host. Idle share, and the longest
    /// gap in ns.
    Host(f64, f64),
    /// The slowest kernel's intensity in FLOP/B is below the ridge.
    Memory(f64, f64),
    /// It is at the ridge or above.
    Compute(f64, f64),
    /// It takes far longer than either roof allows: too few threads, or each waits
    /// for the one before. Its mean time and its floor, in ns.
    Latency(f64, f64),
}

impl Limit {
    /// `launches`, `host`, `memory`, `compute` or `latency`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Launches(..) => "launches",
            Self::Host(..) => "host",
            Self::Memory(..) => "memory",
            Self::Compute(..) => "compute",
            Self::Latency(..) => "latency",
        }
    }
}

/// What a profile says beside a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The kernels, the most time first.
    pub rows: Vec<RowReading>,
    /// Launches of all kernels.
    pub calls: u64,
    /// Time of all launches, in ns.
    pub kernel_ns: Option<f64>,
    /// The devices of a trace, the busiest first; none where launches were counted.
    pub walls: Vec<Wall>,
    /// Launches were counted, and so ran one after another.
    pub serialised: bool,
    /// The plan that explains the calls, or why none does.
    pub explained: Result<Explained, Unexplained>,
    /// What a framework launched, where no plan explains the calls.
    pub framework: Option<Breakdown>,
    /// The plan, priced for as many layers as the calls say: the one that explains them, or
    /// the one that joins what the framework joined.
    pub cost: Option<Cost>,
    /// Layers of the model that was named, where the calls say another number.
    pub other_layers: Option<u64>,
    /// Launches of a forward as counted and as the plan has them.
    pub launches: Option<(u64, u64)>,
    /// Memory traffic of a forward.
    pub dram: Option<Dram>,
    /// Counters of memory that give no bytes: the set is not whole.
    pub half: Option<Half>,
    /// What limits it.
    pub limit: Option<Limit>,
}

/// Sets a profile beside the model. `config` says model, shape and element
/// type; layers and plan come from the calls, the plan only where `only` does
/// not name it.
///
/// # Errors
/// A model that cannot be priced on this GPU.
pub fn against(
    profile: &Profile,
    config: &Config,
    gpu: &Gpu,
    only: Option<Cut>,
) -> Result<Reading, CostError> {
    let mut explained = match profile.tool.is_host() {
        true => Err(Unexplained::Host),
        false => explain(profile, only),
    };
    // Calls alone prove nothing where the names are a framework's.
    let framework = match &explained {
        Ok(found) if found.by != By::Calls => None,
        _ if profile.tool.is_host() => None,
        _ => breakdown(profile),
    };
    if framework.is_some() {
        explained = Err(Unexplained::Framework);
    }
    let layers = match &framework {
        Some(found) => found.layers(),
        None => explained.as_ref().ok().and_then(|found| found.layers),
    };
    let cut = match (&explained, &framework) {
        (Ok(found), _) => Some(found.cut),
        (_, Some(found)) => only.or(found.cut()),
        _ => None,
    };
    let cost = match cut {
        Some(cut) => {
            let mut config = config.with_cut(cut);
            config.model.layers = layers.unwrap_or(config.model.layers);
            Some(price(&config)?)
        }
        None => None,
    };
    let said = layers;
    let other_layers = said
        .filter(|layers| *layers != config.model.layers)
        .map(|_| config.model.layers);
    let modelled = match (&explained, &cost) {
        (Ok(found), Some(cost)) => modelled(found.by, cost, gpu)?,
        _ => BTreeMap::new(),
    };
    let kernel_ns = profile.total_ns().filter(|ns| *ns > 0.0);
    let dram = dram_of_rows(profile);
    let mut rows: Vec<RowReading> = Vec::with_capacity(profile.kernels.len());
    for (at, row) in profile.kernels.iter().enumerate() {
        let key = explained
            .as_ref()
            .ok()
            .and_then(|found| found.keys.get(at)?.as_deref());
        let model = key.and_then(|key| modelled.get(key));
        rows.push(RowReading {
            name: row.name.clone(),
            calls: row.calls,
            share: row.total_ns.zip(kernel_ns).map(|(ns, all)| ns / all),
            mean_ns: row.total_ns.map(|ns| ns / row.calls.max(1) as f64),
            floor_seconds: model.map(|m| m.floor / m.launches),
            modelled_bytes: model.map(|m| m.bytes / m.launches),
            flops: model.map(|m| m.flops / m.launches),
            dram_bytes: dram.get(&at).copied(),
            part: framework.as_ref().and_then(|found| *found.kernels.get(at)?),
            resources: row.resources,
            product: model.is_some_and(|m| m.product),
        });
    }
    let serialised = profile.serialised();
    let walls = match serialised {
        true => Vec::new(),
        false => walls(profile),
    };
    let launches = explained.as_ref().ok().zip(cost.as_ref()).map(|(e, c)| {
        let counted = profile.calls().saturating_sub(e.beside) / e.forwards.max(1);
        (counted, c.forward.launches())
    });
    let forwards = explained.as_ref().map_or(1, |e| e.forwards.max(1));
    let traffic = traffic(&rows, forwards);
    rows.sort_by(|a, b| {
        let time = |row: &RowReading| row.share.unwrap_or(0.0);
        time(b).total_cmp(&time(a))
    });
    let limit = limit(&rows, &walls, config, gpu)?;
    Ok(Reading {
        calls: profile.calls(),
        kernel_ns,
        walls,
        serialised,
        launches,
        dram: traffic,
        half: counters::half(profile.dispatches.iter().map(|d| d.counters.as_ref())),
        limit,
        rows,
        explained,
        framework,
        cost,
        other_layers,
    })
}

/// Sums of the kernels of a forward that go by one name.
#[derive(Default)]
struct Modelled {
    launches: f64,
    bytes: f64,
    flops: f64,
    floor: f64,
    product: bool,
}

fn modelled(by: By, cost: &Cost, gpu: &Gpu) -> Result<BTreeMap<String, Modelled>, CostError> {
    let key = |kernel: &KernelCost| match by {
        By::Names => Some(kernel.name.clone()),
        By::Entries => {
            let family = Family::of_ops(&known::ops(&kernel.ops.join("+"))?)?;
            Some(family.name().to_owned())
        }
        By::Calls => None,
    };
    let mut all: BTreeMap<String, Modelled> = BTreeMap::new();
    for kernel in &cost.forward.kernels {
        let Some(key) = key(kernel) else { continue };
        let sums = all.entry(key).or_default();
        sums.launches += 1.0;
        sums.bytes += kernel.bytes() as f64;
        sums.flops += kernel.flops as f64;
        sums.floor += kernel_floor_seconds(kernel, gpu, cost.config.dtype)?;
        sums.product |= kernel.has_product();
    }
    Ok(all)
}

/// Mean bytes of a launch by the counters, for each row that has both directions.
fn dram_of_rows(profile: &Profile) -> HashMap<usize, f64> {
    let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
    for dispatch in &profile.dispatches {
        if let Some(bytes) = counters::traffic(&dispatch.counters).total() {
            let sum = sums.entry(dispatch.kernel).or_default();
            *sum = (sum.0 + bytes, sum.1 + 1.0);
        }
    }
    sums.into_iter()
        .map(|(at, (bytes, launches))| (at, bytes / launches))
        .collect()
}

/// Counted and modelled bytes of one forward, of the rows that have both.
fn traffic(rows: &[RowReading], forwards: u64) -> Option<Dram> {
    let mut sum = Dram {
        measured: 0.0,
        modelled: 0.0,
    };
    for row in rows {
        if let (Some(measured), Some(modelled)) = (row.dram_bytes, row.modelled_bytes) {
            let launches = row.calls as f64 / forwards as f64;
            sum.measured += measured * launches;
            sum.modelled += modelled * launches;
        }
    }
    (sum.modelled > 0.0).then_some(sum)
}

/// Gaps first, then the slowest kernel under its roof.
fn limit(
    rows: &[RowReading],
    walls: &[Wall],
    config: &Config,
    gpu: &Gpu,
) -> Result<Option<Limit>, CostError> {
    if let Some(wall) = walls.first()
        && wall.idle() >= MOSTLY_IDLE
    {
        let (idle, longest) = (wall.idle(), wall.longest_gap_ns as f64);
        let all = wall.idle_ns() as f64;
        // Half of the waiting in one gap is no matter of launches.
        return Ok(Some(match longest * 2.0 > all && wall.gaps > 1 {
            true => Limit::Host(idle, longest),
            false => Limit::Launches(idle, all / wall.gaps.max(1) as f64),
        }));
    }
    let Some(top) = rows.first() else {
        return Ok(None);
    };
    let floor = top.floor_seconds.map(|seconds| seconds * 1e9);
    if let (Some(mean), Some(floor)) = (top.mean_ns, floor)
        && mean > FAR_FROM_FLOOR * floor
    {
        return Ok(Some(Limit::Latency(mean, floor)));
    }
    let bytes = top.dram_bytes.or(top.modelled_bytes);
    let (Some(flops), Some(bytes)) = (top.flops, bytes.filter(|b| *b > 0.0)) else {
        return Ok(None);
    };
    let roof = Roof::of(gpu, config.dtype, top.product)?;
    let intensity = flops / bytes;
    Ok(Some(match roof.bound(flops as u64, bytes as u64) {
        Bound::Memory => Limit::Memory(intensity, roof.ridge()),
        Bound::Compute => Limit::Compute(intensity, roof.ridge()),
    }))
}

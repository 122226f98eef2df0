//! The `trips` block: what travels between memory and chip, kernel by kernel. All of it
//! is read off a priced plan.

use super::lab::{Prices, Sum, Toggle, plan_of, priced};
use super::{Facts, Grid, Piece};
use crate::answer::Env;
use crate::block::Stretch;
use crate::fields::Typed;
use plan::cost::{Cost, Direction, KernelCost, Moved, Priced};
use plan::fusion::{Cut, Fusion};
use plan::model::OpKind;
use plan::units::figure;
use plan::units::{Quantity, Unit, compact, format};

/// A stretch of a plan as journeys of tensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Trips {
    /// The plan.
    pub cut: Cut,
    /// Plan, number of kernels, setup.
    pub title: String,
    /// The unit of every number without one.
    pub unit: Unit,
    /// The kernels, in order of launch.
    pub kernels: Vec<Stop>,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Fusions on offer.
    pub toggles: Vec<Toggle>,
    /// What the stretch costs.
    pub sums: Vec<Sum>,
}

/// One kernel, and what travels because of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Names of its ops.
    pub ops: Vec<&'static str>,
    /// It holds more than one op.
    pub fused: bool,
    /// Its journeys: what is read, the weights, what is written.
    pub trips: Vec<Trip>,
    /// Number of its weights, and their bytes together as text.
    pub weights: (usize, String),
    /// Tensors that it makes and keeps: none of their bytes travels.
    pub kept: Vec<Kept>,
    /// Bytes that it moves, as a number and as text.
    pub bytes: u64,
    /// The same as text.
    pub text: String,
    /// Bytes moved up to and with this kernel.
    pub so_far: u64,
    /// The same as text.
    pub sum: String,
}

/// One tensor on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trip {
    /// Down to the chip, as an activation or as a weight, or up to memory.
    pub way: Direction,
    /// The tensor.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: u64,
    /// The same as text.
    pub text: String,
    /// Kernels of the stretch at the other end: who wrote what is read here (one at
    /// most), or who reads what is written.
    pub ends: Vec<usize>,
}

/// A tensor that stays on the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The tensor.
    pub name: &'static str,
    /// Bytes that it holds, and would move on each way.
    pub bytes: u64,
}

/// Which kernels of a plan are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Within<'o> {
    /// From the first kernel that holds one of these ops to the last; empty: all.
    pub ops: &'o [OpKind],
    /// Of the whole forward in place of one block.
    pub forward: bool,
}

impl Within<'_> {
    /// The kernels of a priced plan.
    pub fn of<'c>(&self, cost: &'c Cost) -> &'c [KernelCost] {
        let kernels = match self.forward {
            true => &cost.forward.kernels,
            false => &cost.block.kernels,
        };
        let holds = |kernel: &KernelCost| {
            let mut ops = self.ops.iter();
            ops.any(|op| kernel.ops.iter().any(|name| is_named(*op, name)))
        };
        match (
            kernels.iter().position(holds),
            kernels.iter().rposition(holds),
        ) {
            (Some(first), Some(last)) => kernels.get(first..=last).unwrap_or_default(),
            _ => kernels,
        }
    }

    fn name(&self) -> &'static str {
        match (self.ops, self.forward) {
            ([], true) => "forward",
            ([], false) => "block",
            _ => "these",
        }
    }

    fn priced(&self, cost: &Cost) -> Result<Priced, String> {
        Priced::of(self.of(cost).to_vec()).map_err(|e| e.to_string())
    }

    /// What a share is of: the kernels of V1 that do the same, where they are those that the
    /// block shows of V1. Of others it would be a share of nothing on the page.
    fn base(&self, cost: &Cost, v1: &Cost) -> Result<Option<Priced>, String> {
        let (alike, shown) = (self.alike(cost, v1)?, self.priced(v1)?);
        Ok((alike.bytes() == shown.bytes()).then_some(alike))
    }

    /// The kernels of V1 that do together what those of a plan do: a fused kernel may hold
    /// ops that were not named.
    fn alike(&self, cost: &Cost, v1: &Cost) -> Result<Priced, String> {
        let mut left: Vec<&str> = self.of(cost).iter().flat_map(apart).collect();
        let all = match self.forward {
            true => &v1.forward.kernels,
            false => &v1.block.kernels,
        };
        // As often as the plan does it: of a forward that may be in some layers only.
        let mut takes = |kernel: &&KernelCost| {
            let ops = apart(kernel);
            let has = ops.iter().all(|op| left.contains(op));
            for op in ops.iter().filter(|_| has) {
                left.iter()
                    .position(|other| other == op)
                    .map(|at| left.swap_remove(at));
            }
            has
        };
        let kernels = all.iter().filter(|kernel| takes(kernel)).cloned();
        Priced::of(kernels.collect()).map_err(|e| e.to_string())
    }
}

/// RoPE of q and of k in one kernel have one name.
fn is_named(op: OpKind, name: &str) -> bool {
    op.name() == name || (matches!(op, OpKind::RopeQ | OpKind::RopeK) && name == "rope")
}

/// The ops of a kernel, RoPE of q and of k each by its own name.
fn apart(kernel: &KernelCost) -> Vec<&'static str> {
    let named = |op: &&'static str| match *op {
        "rope" => vec![OpKind::RopeQ.name(), OpKind::RopeK.name()],
        op => vec![op],
    };
    kernel.ops.iter().flat_map(named).collect()
}

/// The tensor behind a name: what leaves a block as `y` is read as `x`.
fn key(moved: &Moved) -> (&'static str, Option<u32>) {
    match moved.name {
        "y" => ("x", moved.layer),
        name => (name, moved.layer),
    }
}

impl Trips {
    /// A stretch of a priced plan, its numbers in the unit of V1's kernels.
    pub fn of(cost: &Cost, v1: &Cost, within: Within<'_>) -> Self {
        let kernels = within.of(cost);
        let largest = within.of(v1).iter().map(KernelCost::bytes).max();
        let unit = figure::byte_column(largest.unwrap_or(0)).unit();
        let mut so_far = 0;
        let mut stops: Vec<Stop> = Vec::with_capacity(kernels.len());
        for (at, kernel) in kernels.iter().enumerate() {
            let trip = |moved: &Moved| Trip {
                way: moved.direction,
                name: moved.name,
                bytes: moved.bytes,
                text: number(unit, moved.bytes),
                ends: ends(kernels, at, moved),
            };
            so_far += kernel.bytes();
            stops.push(Stop {
                ops: kernel.ops.clone(),
                fused: kernel.ops.len() > 1 && kernel.ops != ["rope"],
                trips: kernel.moved.iter().map(trip).collect(),
                weights: (
                    (kernel.moved.iter())
                        .filter(|moved| moved.direction == Direction::Weight)
                        .count(),
                    number(unit, kernel.weight_bytes),
                ),
                kept: kernel
                    .inside
                    .iter()
                    .map(|t| Kept {
                        name: t.name,
                        bytes: t.bytes,
                    })
                    .collect(),
                bytes: kernel.bytes(),
                text: number(unit, kernel.bytes()),
                so_far,
                sum: number(unit, so_far),
            });
        }
        Self {
            cut: cost.config.cut,
            title: format!("{}  {}", cost.config.cut.title(), cost.config.title()),
            unit,
            kernels: stops,
            bytes: so_far,
            toggles: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// The kernels in rows, to be read.
    pub fn grid(&self) -> Grid {
        let listed = |stop: &Stop, way: Direction| {
            let trips = stop.trips.iter().filter(|trip| trip.way == way);
            let trips = trips.map(|trip| format!("{} {}", trip.name, trip.text));
            or_none(trips.collect::<Vec<_>>().join(", "))
        };
        let row = |stop: &Stop| {
            let kept: Vec<&str> = stop.kept.iter().map(|kept| kept.name).collect();
            vec![
                stop.ops.join(" "),
                listed(stop, Direction::Read),
                listed(stop, Direction::Weight),
                listed(stop, Direction::Write),
                or_none(kept.join(" ")),
                stop.text.clone(),
                stop.sum.clone(),
            ]
        };
        let head = [
            "kernel", "read", "weights", "written", "on chip", "moved", "so far",
        ];
        Grid {
            head: head.map(String::from).to_vec(),
            rows: self.kernels.iter().map(row).collect(),
            foot: format!("{} = between memory and chip", self.unit.symbol()),
            ..Grid::default()
        }
    }

    /// Bytes of all: `1.442 MB =`.
    pub fn total(&self) -> String {
        format!("{} {} =", number(self.unit, self.bytes), self.unit.symbol())
    }

    /// Bytes up to a kernel, of all: `0.983 of 1.442 MB =`.
    pub fn walked(&self, kernel: usize) -> String {
        let at = self.kernels.get(kernel).or(self.kernels.last());
        let sum = at.map_or("0", |stop| stop.sum.as_str());
        format!("{sum} of {}", self.total())
    }
}

fn or_none(text: String) -> String {
    match text.is_empty() {
        true => "–".to_owned(),
        false => text,
    }
}

/// Bytes in `unit`, five characters or so; what that unit rounds to nothing has its own.
fn number(unit: Unit, bytes: u64) -> String {
    let quantity = Quantity::bytes(bytes);
    match compact(quantity.in_unit(unit)).trim() {
        "0.000" if bytes > 0 => format(&quantity),
        text => text.to_owned(),
    }
}

/// Kernels at the other end of a journey of kernel `at`.
fn ends(kernels: &[KernelCost], at: usize, moved: &Moved) -> Vec<usize> {
    let same = |way: Direction, kernel: &KernelCost| {
        let mut all = kernel.moved.iter();
        all.any(|other| other.direction == way && key(other) == key(moved))
    };
    match moved.direction {
        Direction::Weight => Vec::new(),
        Direction::Read => {
            let before = kernels.get(..at).unwrap_or_default();
            let from = before.iter().rposition(|k| same(Direction::Write, k));
            from.into_iter().collect()
        }
        Direction::Write => (at + 1..kernels.len())
            .filter(|to| kernels.get(*to).is_some_and(|k| same(Direction::Read, k)))
            .collect(),
    }
}

/// A `trips` block.
pub(super) fn trips(
    env: &Env<'_>,
    asked: &Stretch,
    facts: &dyn Facts,
) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    let cut = plan_of(config, asked.plan.as_ref(), facts);
    let ops: Vec<OpKind> = asked.ops.iter().map(|op| op.value).collect();
    let within = Within {
        ops: &ops,
        forward: asked.forward,
    };
    let prices = Prices::new(config, ops.clone())?;
    let sums = |cut: Cut| -> Result<(Sum, Cost), String> {
        let cost = priced(config, cut)?;
        let priced = within.priced(&cost)?;
        let v1 = within.base(&cost, &prices.v1)?;
        Ok((prices.sum(within.name(), &priced, v1.as_ref()), cost))
    };
    let (sum, cost) = sums(cut)?;
    let toggle = |asked: &Typed<Fusion>| -> Result<Toggle, String> {
        let fusion = asked.value;
        Ok(Toggle {
            fusion,
            switch: cut.switch(fusion),
            flipped: vec![sums(cut.flipped(fusion))?.0],
        })
    };
    let mut trips = Trips::of(&cost, &prices.v1, within);
    trips.toggles = asked.toggles.iter().map(toggle).collect::<Result<_, _>>()?;
    trips.sums = vec![sum];
    Ok(vec![
        Piece::Trips(trips),
        Piece::run("run", config, &cut.as_options()),
    ])
}

#[cfg(test)]
mod tests;

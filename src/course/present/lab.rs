//! The `lab` and `ribbon` blocks: boxes of the ribbon, what can be flipped, and what
//! a plan costs.

use super::{Facts, Piece, Weight};
use crate::answer::Env;
use crate::fields::Typed;
use crate::ribbon::{Group, ROW_END, SLOTS, groups, kernel_of, slot_of, wall_after};
use plan::cost::{Bound, Config, Cost, KernelCost, Priced, price};
use plan::fusion::{Cut, Fusion, Switch, Version};
use plan::model::OpKind;
use plan::units::figure::{self, Origin};
use plan::units::{Column, Quantity, compact};
use std::fmt;

/// Boxes side by side, one per kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Ribbon {
    /// In order.
    pub boxes: Vec<Boxed>,
    /// Bytes of the largest kernel of V1, which bars are measured by.
    pub scale: u64,
    /// What each fusion boundary that stands costs; empty where that is not asked.
    pub walls: Vec<Wall>,
}

/// One kernel of a ribbon.
#[derive(Clone, Debug, PartialEq)]
pub struct Boxed {
    /// Its slots.
    pub group: Group,
    /// The first and the last slot that is meant.
    pub slots: (usize, usize),
    /// Bytes that it moves; None where boxes carry no numbers, and for one that goes
    /// on from the block before.
    pub bytes: Option<u64>,
    /// The bytes as the box says them.
    pub number: String,
    /// Which side of this machine's roof it meets.
    pub bound: Option<Bound>,
}

/// A fusion boundary and what goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// The op before it.
    pub left: &'static str,
    /// The op behind it.
    pub right: &'static str,
    /// Bytes that are saved where it comes down.
    pub bytes: u64,
    /// The same with its unit.
    pub said: String,
}

/// A name and numbers behind it; those without an origin are words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// What is summed over.
    pub name: &'static str,
    /// Launches, bytes, FLOPs per byte, what is saved.
    pub cells: Vec<(String, Option<Origin>)>,
}

/// A fusion that can be flipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toggle {
    /// The fusion.
    pub fusion: Fusion,
    /// How it stands.
    pub switch: Switch,
    /// What the plan costs with it flipped.
    pub flipped: Vec<Sum>,
}

/// A plan with what can be flipped in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// The plan.
    pub cut: Cut,
    /// The part of the ribbon that is meant, without numbers.
    pub strip: Option<Ribbon>,
    /// Fusions on offer.
    pub toggles: Vec<Toggle>,
    /// Plan and setup; empty where only some kernels are meant.
    pub title: String,
    /// What the plan costs.
    pub sums: Vec<Sum>,
    /// What a run of the whole forward showed.
    pub ran: Option<Sum>,
}

/// Prices in one configuration, in the unit of V1's block.
pub(super) struct Prices {
    pub(super) v1: Cost,
    column: Column,
    ops: Vec<OpKind>,
}

impl Prices {
    pub(super) fn new(config: &Config, ops: Vec<OpKind>) -> Result<Self, String> {
        let v1 = priced(config, Version::V1.cut())?;
        let column = figure::byte_column(v1.block.bytes());
        Ok(Self { v1, column, ops })
    }

    /// Bytes with their unit.
    fn bytes(&self, bytes: u64) -> String {
        let unit = self.column.unit().symbol();
        format!("{} {unit}", figure::bytes(self.column, bytes))
    }

    pub(super) fn sum(&self, name: &'static str, part: &Priced, v1: Option<&Priced>) -> Sum {
        let modelled = |text: String| (format!("{text} ="), Some(Origin::Modelled));
        let mut cells = vec![
            modelled(launches(part.launches())),
            modelled(self.bytes(part.bytes())),
            modelled(format!("{:.2} FLOP/B", part.intensity())),
        ];
        let than = v1.and_then(|v1| less(v1.bytes(), part.bytes(), 2));
        cells.extend(than.map(|than| (than, None)));
        Sum { name, cells }
    }

    /// Launches, bytes and intensity of the plan, or of the kernels that hold one of
    /// the ops.
    fn sums(&self, cost: &Cost) -> Result<Vec<Sum>, String> {
        if self.ops.is_empty() {
            return Ok(vec![
                self.sum("block", &cost.block, Some(&self.v1.block)),
                self.sum("forward", &cost.forward, Some(&self.v1.forward)),
            ]);
        }
        let holds = |k: &&KernelCost| k.flop_terms.iter().any(|t| self.ops.contains(&t.op));
        let kernels: Vec<KernelCost> = cost.block.kernels.iter().filter(holds).cloned().collect();
        // Between them others may stand that hold none of the ops.
        let names: Vec<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
        let names = names.join(", ");
        let part = Priced::of(kernels).map_err(|e| e.to_string())?;
        let mut sum = self.sum("these", &part, None);
        sum.cells.push((names, None));
        Ok(vec![sum])
    }
}

pub(super) fn priced(config: &Config, cut: Cut) -> Result<Cost, String> {
    price(&config.with_cut(cut)).map_err(|e| e.to_string())
}

/// How many per cent less than V1 that is, with `decimals`, or more: `21.88 % less`; none
/// where it is as much.
pub fn less(v1: u64, bytes: u64, decimals: usize) -> Option<String> {
    let said = figure::saved(v1 as f64, bytes as f64, decimals);
    if said.is_empty() {
        return None;
    }
    Some(match (said.strip_prefix('-'), bytes > v1) {
        (Some(more), _) => format!("{more} more"),
        (None, true) => format!("{said} as much"),
        (None, false) => format!("{said} less"),
    })
}

fn launches(n: u64) -> String {
    figure::counted(n, "launch", "launches")
}

/// The plan of a block: its own, or the one that it was changed to.
pub(super) fn plan_of(config: &Config, start: Option<&Typed<Cut>>, facts: &dyn Facts) -> Cut {
    let own = start.map_or(config.cut, |plan| plan.value);
    facts.plan().unwrap_or(own)
}

/// A `lab` block.
pub(super) fn lab(
    env: &Env<'_>,
    start: Option<&Typed<Cut>>,
    toggles: &[Typed<Fusion>],
    ops: &[Typed<OpKind>],
    facts: &dyn Facts,
) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    let cut = plan_of(config, start, facts);
    let named = |op: &OpKind| ops.iter().any(|o| slot_of(o.value) == slot_of(*op));
    let ops: Vec<OpKind> = SLOTS.iter().map(|s| s.op).filter(named).collect();
    let offered: Vec<Fusion> = toggles.iter().map(|t| t.value).collect();
    let strip = range(&ops, &offered).map(|slots| {
        let config = config.with_cut(cut);
        strip(config.effective_cut(), slots)
    });
    let prices = Prices::new(config, ops)?;
    let cost = priced(config, cut)?;
    let toggle = |fusion: Fusion| {
        let flipped = priced(config, cut.flipped(fusion))?;
        Ok(Toggle {
            fusion,
            switch: cut.switch(fusion),
            flipped: prices.sums(&flipped)?,
        })
    };
    let title = match prices.ops.is_empty() {
        true => format!("{}  {}", cost.config.cut.title(), config.title()),
        false => String::new(),
    };
    Ok(vec![
        Piece::Lab(Lab {
            cut,
            strip,
            toggles: offered
                .into_iter()
                .map(toggle)
                .collect::<Result<_, String>>()?,
            title,
            sums: prices.sums(&cost)?,
            ran: ran(config, cut, &prices, facts),
        }),
        Piece::run("run", config, &cut.as_options()),
    ])
}

/// The slots to draw: those of the named ops, else those that the fusions on offer
/// join; none where that is more than a row of the ribbon.
fn range(ops: &[OpKind], offered: &[Fusion]) -> Option<(usize, usize)> {
    let mut slots: Vec<usize> = ops.iter().filter_map(|op| slot_of(*op)).collect();
    if slots.is_empty() {
        for fusion in offered {
            let walls = fusion.boundaries();
            for slot in 0..SLOTS.len() - 1 {
                if wall_after(slot).is_some_and(|w| walls.is_joined(w)) {
                    slots.extend([slot, slot + 1]);
                }
            }
        }
    }
    let (first, last) = (*slots.iter().min()?, *slots.iter().max()?);
    (last - first <= ROW_END).then_some((first, last))
}

/// A few slots of a plan, without numbers.
fn strip(cut: Cut, (first, last): (usize, usize)) -> Ribbon {
    let within = |group: Group| {
        let (from, to) = (group.first.max(first), group.last.min(last));
        (from <= to && !group.is_echo()).then(|| Boxed {
            group,
            slots: (from, to),
            bytes: None,
            number: String::new(),
            bound: None,
        })
    };
    Ribbon {
        boxes: groups(cut).into_iter().filter_map(within).collect(),
        scale: 1,
        walls: Vec::new(),
    }
}

impl Boxed {
    /// Its ops; RoPE of q and of k are one, and twice where they are launched apart.
    pub fn ops(&self) -> Vec<&'static str> {
        let (first, last) = self.slots;
        let slots = SLOTS.get(first..=last).unwrap_or_default();
        let twice = self.group.rope_twice && self.bytes.is_some();
        let names = slots.iter().map(|slot| slot.label.trim());
        names.chain(twice.then_some("×2")).collect()
    }
}

impl Ribbon {
    /// What stands above the walls.
    pub const WALLS: &'static str = "bytes that go with a wall";
}

/// The boxes in words: `norm1 0.263 | q k v 3.408`.
impl fmt::Display for Ribbon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boxes = self.boxes.iter();
        let said: Vec<String> = boxes
            .map(|boxed| format!("{} {}", boxed.ops().join(" "), boxed.number))
            .map(|boxed| boxed.trim_end().to_owned())
            .collect();
        f.write_str(&said.join(" | "))
    }
}

/// `q|k 0.262 MB =`.
impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{} {}", self.left, self.right, self.said)
    }
}

/// What a run of the whole forward showed, beside one of V1.
fn ran(config: &Config, cut: Cut, prices: &Prices, facts: &dyn Facts) -> Option<Sum> {
    let ran = facts.ran(&config.with_cut(cut))?;
    let issued = |text: String| (format!("{text} #"), Some(Origin::Issued));
    let measured = |text: String| (format!("{text} @"), Some(Origin::Measured));
    let mut cells = vec![issued(launches(ran.launches))];
    match (ran.micros, ran.issued) {
        (Some(micros), _) => cells.push(measured(figure::measured(micros * 1e-6))),
        (None, Some(bytes)) => cells.push((
            format!("{} # issued", prices.bytes(bytes)),
            Some(Origin::Issued),
        )),
        (None, None) => {}
    }
    let v1 = Version::V1.cut();
    let beside = facts.ran(&config.with_cut(v1)).filter(|_| cut != v1);
    cells.push(match beside.and_then(|ran| ran.micros) {
        Some(micros) => measured(format!("V1 {}", figure::measured(micros * 1e-6))),
        None => (format!("on {}", ran.backend), None),
    });
    Some(Sum {
        name: "forward",
        cells,
    })
}

/// A `ribbon` block.
pub(super) fn ribbon(
    env: &Env<'_>,
    plan: Option<&Typed<Cut>>,
    prices: bool,
    facts: &dyn Facts,
) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    let cut = plan_of(config, plan, facts);
    let known = Prices::new(config, Vec::new())?;
    let cost = priced(config, cut)?;
    let scale = known.v1.block.kernels.iter().map(KernelCost::bytes).max();
    let scale = scale.unwrap_or(1).max(1);
    let unit = figure::byte_column(scale).unit();
    let boxed = |group: Group| {
        let kernel = kernel_of(&cost, &group).filter(|_| !group.is_echo());
        let bytes = kernel.map(KernelCost::bytes);
        let number = bytes.map(|n| compact(Quantity::bytes(n).in_unit(unit)));
        Boxed {
            group,
            slots: (group.first, group.last),
            bytes,
            number: number.map_or("prev.".to_owned(), |n| n.trim().to_owned()),
            bound: kernel.and_then(|k| facts.bound(k, config.dtype)),
        }
    };
    let boxes = groups(cost.config.effective_cut());
    let mut ribbon = Ribbon {
        boxes: boxes.into_iter().map(boxed).collect(),
        scale,
        walls: Vec::new(),
    };
    for slot in 0..if prices { SLOTS.len() - 1 } else { 0 } {
        let Some(wall) = wall_after(slot).filter(|wall| !cut.is_joined(*wall)) else {
            continue;
        };
        let without = priced(config, cut.joined(wall))?;
        let bytes = cost.block.bytes().saturating_sub(without.block.bytes());
        ribbon.walls.push(Wall {
            left: SLOTS[slot].label.trim(),
            right: SLOTS[slot + 1].label.trim(),
            bytes,
            said: format!("{} =", known.bytes(bytes)),
        });
    }
    let of = match cost.shares_launch() {
        true => "of a block alone",
        false => "per kernel",
    };
    let title = format!(
        "{} · {} · {} {of} =",
        cost.config.cut.title(),
        cost.launches_of_block(),
        unit.symbol(),
    );
    Ok(vec![
        Piece::Words(Weight::Aside, title),
        Piece::Ribbon(ribbon),
        Piece::run("run", config, &cut.as_options()),
    ])
}

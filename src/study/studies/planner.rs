//! The planner behind `--fuse auto`: the plan that takes least time by the model, among
//! those that a backend has kernels for, and why each boundary that it leaves stands.
//!
//! A kernel's time by the model is that of its launch, its floor under the roof and the
//! waits of the whole grid inside it. It depends on the ops of that kernel alone, so that
//! the best plan of a block is the shortest way along its ops; the kernel that goes on
//! from one block into the next closes the way to a ring.

mod prices;

use std::collections::HashMap;

use super::notes::listed;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Column, Findings, Sheet};
use plan::cost::{Config, price_piece};
use plan::fusion::{Boundary, Cut, Fusion, Version};
use plan::kernels::Family;
use plan::model::{BLOCK_OPS, OpKind};
use plan::units::figure;

pub use prices::{Prices, Toll};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "plan",
    asks: "Which plan takes least time by the model, and why does each boundary stand?",
    varies: "every boundary of a block, the one to the next block included",
    held: "model, shape, element type, backend",
    finds: "seconds of launches, of bytes or FLOPs, of waits of the grid (=): of this machine where it is calibrated, else under a roof",
    reduced: "the shortest way along the ops of a block; the versions beside it",
    ends: "the plan, and for each boundary what joining it would cost",
    lessons: &["12", "32"],
    models: true,
};

/// Which kernels there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Has {
    /// Any run of neighbours: the CPU's interpreter.
    All,
    /// Those of the table of GPU kernels.
    Table,
}

impl Has {
    fn kernel(self, first: usize, count: usize) -> bool {
        let ops: Vec<OpKind> = (first..first + count)
            .filter_map(|at| BLOCK_OPS.get(at % BLOCK_OPS.len()).copied())
            .collect();
        // RoPE of q and of k are one kernel by the usual convention, alone or within one.
        let halves = ops.first() == Some(&OpKind::RopeK) || ops.last() == Some(&OpKind::RopeQ);
        !halves && (self == Self::All || Family::of_ops(&ops).is_some())
    }
}

/// A plan of a block and its seconds by the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planned {
    /// The plan.
    pub cut: Cut,
    /// Seconds of a block.
    pub seconds: f64,
}

/// The prices of all kernels that a block can be cut into.
pub struct Planner {
    /// By first op and number of ops; those that there are.
    pieces: HashMap<(usize, usize), Piece>,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    seconds: f64,
    bytes: u64,
}

const OPS: usize = BLOCK_OPS.len();

impl Planner {
    /// Prices every kernel that a backend has.
    ///
    /// # Errors
    /// A configuration that cannot be priced.
    pub fn new(config: &Config, prices: &Prices, has: Has) -> Result<Self, String> {
        let mut pieces = HashMap::new();
        let small = match prices {
            Prices::Roof(_) => true,
            // Every cut touches the weights; the most is touched where nothing is fused.
            Prices::Machine(known) => {
                known.work(&config.with_cut(Cut::v1()))?.touched <= known.near_bytes
            }
        };
        for first in 0..OPS {
            for count in (1..=OPS).filter(|count| has.kernel(first, *count)) {
                let priced = price_piece(config, first, count).map_err(|e| e.to_string())?;
                let piece = priced.map(|kernel| Piece {
                    seconds: prices.seconds(&kernel, config, small),
                    bytes: kernel.bytes(),
                });
                pieces.extend(piece.map(|piece| ((first, count), piece)));
            }
        }
        Ok(Self { pieces })
    }

    /// The plan that takes least time.
    pub fn best(&self) -> Option<Planned> {
        (0..OPS)
            .filter_map(|start| self.way(start, &|piece| piece.seconds, None))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(cut, seconds)| Planned { cut, seconds })
    }

    /// The plan of `kernels` per block that moves fewest bytes, and those bytes.
    pub fn fewest_bytes(&self, kernels: usize) -> Option<(Cut, u64)> {
        (0..OPS)
            .filter_map(|start| self.way(start, &|piece| piece.bytes as f64, Some(kernels)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(cut, bytes)| (cut, bytes as u64))
    }

    /// Seconds of a block in this plan; `None` where a kernel of it is missing.
    pub fn seconds(&self, cut: Cut) -> Option<f64> {
        let kernels = kernels(cut)?;
        kernels.into_iter().try_fold(0.0, |sum, piece| {
            Some(sum + self.pieces.get(&piece)?.seconds)
        })
    }

    /// The shortest way round a block that begins a kernel with op `start`: of as many
    /// kernels as are asked for, or of any number.
    fn way(
        &self,
        start: usize,
        cost: &dyn Fn(&Piece) -> f64,
        kernels: Option<usize>,
    ) -> Option<(Cut, f64)> {
        let most = kernels.unwrap_or(1);
        // best[k][at]: the least for the first `at` ops in k kernels; without a number
        // of kernels all ways share k = 0.
        let mut best = vec![[None::<(f64, usize)>; OPS + 1]; most + 1];
        *best.first_mut()?.first_mut()? = Some((0.0, 0));
        let counted = kernels.is_some();
        for at in 0..OPS {
            for k in 0..=most {
                let Some((so_far, _)) = *best.get(k)?.get(at)? else {
                    continue;
                };
                let next = if counted { k + 1 } else { k };
                for count in 1..=OPS - at {
                    let Some(piece) = self.pieces.get(&((start + at) % OPS, count)) else {
                        continue;
                    };
                    let sum = so_far + cost(piece);
                    if let Some(slot) = best.get_mut(next).and_then(|row| row.get_mut(at + count))
                        && slot.is_none_or(|(known, _)| sum < known)
                    {
                        *slot = Some((sum, count));
                    }
                }
            }
        }
        let mut k = kernels.unwrap_or(0);
        let (least, _) = (*best.get(k)?.get(OPS)?)?;
        let (mut at, mut cut) = (OPS, Cut::NONE);
        while at > 0 {
            let (_, count) = (*best.get(k)?.get(at)?)?;
            for op in at - count..at - 1 {
                cut = cut.joined(Boundary::after((start + op) % OPS)?);
            }
            at -= count;
            k -= usize::from(counted);
        }
        Some((cut, least))
    }

    /// What joining the kernels on either side of a boundary that stands would change.
    pub fn standing(&self, cut: Cut) -> Vec<Standing> {
        let Some(kernels) = kernels(cut) else {
            return Vec::new();
        };
        let behind = kernels.iter().cycle().skip(1);
        let pairs = kernels.iter().zip(behind).filter(|_| kernels.len() > 1);
        pairs
            .filter_map(|(a, b)| {
                let boundary = Boundary::after((a.0 + a.1 - 1) % OPS)?;
                let joined = self.pieces.get(&(a.0, a.1 + b.1));
                let apart = self.pieces.get(a)?.seconds + self.pieces.get(b)?.seconds;
                Some(Standing {
                    boundary,
                    change: joined.map(|piece| piece.seconds - apart),
                    saved: joined.map(|piece| {
                        let before = self.pieces.get(a).map_or(0, |p| p.bytes)
                            + self.pieces.get(b).map_or(0, |p| p.bytes);
                        before.saturating_sub(piece.bytes)
                    }),
                })
            })
            .collect()
    }
}

/// A boundary that a plan leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Which.
    pub boundary: Boundary,
    /// Seconds per block that joining its sides would add; `None`: there is no kernel
    /// for both sides.
    pub change: Option<f64>,
    /// Bytes per block that it would save.
    pub saved: Option<u64>,
}

/// The kernels of a block by first op and number of ops, in the steady state. `None`
/// where no kernel begins inside a block.
fn kernels(cut: Cut) -> Option<Vec<(usize, usize)>> {
    let ends: Vec<usize> = (0..OPS)
        .filter(|at| Boundary::after(*at).is_some_and(|b| !cut.is_joined(b)))
        .collect();
    let last = *ends.last()?;
    let mut start = (last + 1) % OPS;
    let mut found = Vec::new();
    for end in ends {
        found.push((start, (end + OPS - start) % OPS + 1));
        start = (end + 1) % OPS;
    }
    Some(found)
}

/// Every plan of a block that a union of named fusions gives, each once.
pub fn all_sets(fusions: &[Fusion]) -> Vec<Cut> {
    let mut cuts = vec![Cut::v1()];
    for fusion in fusions {
        let more: Vec<Cut> = cuts.iter().map(|cut| cut.fuse(*fusion)).collect();
        cuts.extend(more);
        cuts.sort_unstable();
        cuts.dedup();
    }
    cuts
}

/// `study plan`.
#[derive(Debug, Clone)]
pub struct Auto {
    /// The configuration; its cut does not matter.
    pub config: Config,
    /// What says how long a kernel takes.
    pub prices: Prices,
    /// Whose prices they are, in words.
    pub device: String,
    /// Where the launch and the wait of the grid were recorded, if they were.
    pub recorded: [Option<String>; 2],
    /// Which kernels there are.
    pub has: Has,
}

impl Auto {
    /// The plan that takes least time.
    ///
    /// # Errors
    /// A configuration that cannot be priced.
    pub fn cut(&self) -> Result<Cut, String> {
        let planner = Planner::new(&self.config, &self.prices, self.has)?;
        let best = planner.best().ok_or(NO_PLAN)?;
        Ok(best.cut)
    }
}

impl Auto {
    /// Where its prices come from, in a sentence.
    pub fn source(&self) -> String {
        let [launch, wait] = self.prices.fixed().map(|seconds| 1e6 * seconds);
        match (&self.prices, &self.recorded) {
            (Prices::Machine(known), _) => {
                let said = format!(
                    "Prices are those of {} as study predict measured them @: a launch {launch:.2} µs, a wait {wait:.2} µs, products {:.2} times as long in a kernel that waits.",
                    self.device, known.costs.merged
                );
                let doubt = known.doubt();
                std::iter::once(said)
                    .chain(doubt)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            (Prices::Roof(_), [Some(recorded), Some(_)]) => format!(
                "A launch is {launch:.2} µs, a wait of the grid {wait:.2} µs, recorded on {recorded}; the rest is bytes and FLOPs under the roof of {}. study predict measures both where it runs on such a device.",
                self.device
            ),
            (Prices::Roof(_), [a, b]) => {
                let [a, b] = [(launch, a), (wait, b)].map(|(us, recorded)| {
                    let on = recorded.as_ref();
                    let on = on.map_or(String::new(), |on| format!(", recorded on {on}"));
                    format!("{us:.2} µs{on}")
                });
                format!(
                    "A launch is {a}; a wait of the grid {b}; the rest is bytes and FLOPs under the roof of {}.",
                    self.device
                )
            }
        }
    }
}

const NO_PLAN: &str = "no plan can be made of the kernels that there are";

impl Study for Auto {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks::default()
    }

    fn smaller(&self) -> &'static str {
        ""
    }

    fn reduce(&self, _: &Evidence) -> Result<Findings, String> {
        let planner = Planner::new(&self.config, &self.prices, self.has)?;
        let best = planner.best().ok_or(NO_PLAN)?;
        let micros = |seconds: f64| 1e6 * seconds;
        // A difference below the calibration's own error, a share, is none that it knows of.
        let known = match &self.prices {
            Prices::Roof(_) => 0.0,
            Prices::Machine(calibration) => calibration.median_error().unwrap_or(0.0),
        };
        let mut plans = Sheet::new(
            "plans",
            [
                Column::given("plan"),
                Column::modelled("launches", "", 0).why("block.launches"),
                Column::modelled("block", "µs", 2),
                Column::modelled("above auto", "%", 1),
            ],
        );
        let named = Version::WORKSHOP.into_iter().chain([Version::Five]);
        let mut rows: Vec<(String, Cut, Option<f64>)> = named
            .map(|v| (v.title().to_owned(), v.cut(), planner.seconds(v.cut())))
            .collect();
        rows.insert(0, ("auto".to_owned(), best.cut, Some(best.seconds)));
        let within: Vec<String> = rows
            .iter()
            .filter(|(_, cut, _)| *cut != best.cut)
            .filter(|(_, _, seconds)| seconds.is_some_and(|s| s / best.seconds - 1.0 < known))
            .map(|(name, ..)| name.clone())
            .collect();
        for (name, cut, seconds) in rows {
            plans.of.push(self.config.with_cut(cut));
            plans.rows.push(vec![
                name.into(),
                kernels(cut).map_or(1, |k| k.len() as u64).into(),
                seconds.map(micros).into(),
                seconds.map(|s| 100.0 * (s / best.seconds - 1.0)).into(),
            ]);
        }
        let mut walls = Sheet::new(
            "boundaries that stand",
            [
                Column::given("boundary"),
                Column::modelled("bytes saved", "MB", 3),
                Column::modelled("joined", "µs", 2),
                Column::given("why it stands"),
            ],
        );
        for wall in planner.standing(best.cut) {
            let (left, right) = wall
                .boundary
                .sides()
                .unwrap_or((OpKind::Embed, OpKind::Norm1));
            let why = match wall.change {
                None => "there is no kernel for both sides".to_owned(),
                Some(change) if change > 0.0 && change / best.seconds < known => {
                    "the waits cost more, by less than the calibration's error".into()
                }
                Some(change) if change > 0.0 => "the waits cost more than launch and bytes".into(),
                Some(_) => "a neighbouring merge saves more".to_owned(),
            };
            walls.rows.push(vec![
                format!("{} | {}", left.name(), right.name()).into(),
                wall.saved.map(|bytes| bytes as f64 * 1e-6).into(),
                wall.change.map(micros).into(),
                why.into(),
            ]);
        }
        let title = best.cut.title();
        let name = match title.as_str() {
            "own cut" => best.cut.groups(),
            _ => title,
        };
        let v1 = planner.seconds(Cut::v1());
        let saved = v1.map_or(String::new(), |v1| {
            match figure::saved(v1, best.seconds, 1).as_str() {
                "" => String::new(),
                saved if 1.0 - best.seconds / v1 < known => {
                    format!(", {saved} less than V1, by less than the calibration's error")
                }
                saved => format!(", {saved} less than V1"),
            }
        });
        let counted = figure::counted(
            kernels(best.cut).map_or(1, |k| k.len() as u64),
            "launch",
            "launches",
        );
        Ok(Findings {
            title: format!("{} on {}", self.config.title(), self.device),
            sentences: vec![
                format!(
                    "{name}: {counted} per block, {:.2} µs = by the model{saved}.",
                    micros(best.seconds)
                ),
                self.source(),
                format!(
                    "Run it: compare v1 {} --run{}",
                    shell(best.cut),
                    self.config.as_options()
                ),
            ],
            notes: match &self.prices {
                Prices::Roof(_) => vec![LIMIT.to_owned()],
                Prices::Machine(known) => unsure(known.median_error(), v1, best.seconds)
                    .into_iter()
                    .chain(beside(&within))
                    .collect(),
            },
            sheets: match walls.rows.is_empty() {
                true => vec![plans],
                false => vec![plans, walls],
            },
            ..Findings::default()
        })
    }
}

/// Plans that lie closer to the best than the calibration knows.
fn beside(within: &[String]) -> Option<String> {
    let lie = if within.len() == 1 { "lies" } else { "lie" };
    (!within.is_empty()).then(|| {
        format!(
            "{} {lie} above auto by less than the calibration's error: which is quicker, compare --run says.",
            listed(within)
        )
    })
}

/// A word where the calibration is further off than the plan saves.
fn unsure(error: Option<f64>, v1: Option<f64>, best: f64) -> Vec<String> {
    let (Some(error), Some(v1)) = (error, v1) else {
        return Vec::new();
    };
    let saved = 1.0 - best / v1;
    let note = format!(
        "The calibration is off by {:.0} % in the middle, and the plan saves {:.0} % by it: compare --run says whether it is so.",
        100.0 * error,
        100.0 * saved
    );
    if saved < error {
        vec![note]
    } else {
        Vec::new()
    }
}

/// What the model behind the planner does not know.
const LIMIT: &str = "The model knows no tiles: a kernel that holds several products may run each of them less well than a kernel of its own. compare --run says what this machine makes of it.";

/// A cut as an argument of a shell.
pub(super) fn shell(cut: Cut) -> String {
    match cut.version() {
        Some(version) => version.name().to_owned(),
        None => format!("'{}'", cut.groups()),
    }
}

#[cfg(test)]
mod tests;

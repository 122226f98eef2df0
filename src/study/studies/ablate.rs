//! Fusions on and off: what each of them saves, alone and together with the others.

mod effect;

use std::collections::BTreeMap;

use super::notes::{listed, notes};
use super::planner::{Has, Planner, Toll};
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Sheet};
use crate::timing::Timed;
use plan::cost::{Config, Cost, Roof, price};
use plan::fusion::{Cut, Fusion};
use plan::run::Request;
use plan::units::figure;

use effect::{Logs, cells, claimed, said};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "ablate",
    asks: "What does each fusion save, alone and together with the others?",
    varies: "fusions on and off: all sets of those that are named, or one at a time",
    held: "model, shape, element type, machine",
    finds: "launches and bytes by the model (=), times in turns with --run (@)",
    reduced: "main effects and interactions: means over all sets that differ in one fusion, or in two",
    ends: "which fusion saves most, and whether the times show it",
    lessons: &["12", "24"],
    models: false,
};

/// Which plans are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sets {
    /// Every set of the fusions.
    All,
    /// Each alone, and all but each.
    OneAtATime,
}

/// `study ablate`.
#[derive(Debug, Clone)]
pub struct Ablate {
    /// The configuration; its cut does not matter.
    pub config: Config,
    /// The fusions that go on and off.
    pub fusions: Vec<Fusion>,
    /// Which plans.
    pub sets: Sets,
    /// How each plan is run, where it is.
    pub run: Option<Request>,
}

/// Fusions that go on and off where none are named: those below one kernel per block.
pub fn usual() -> Vec<Fusion> {
    let all = Fusion::ALL.into_iter();
    all.filter(|f| !matches!(f, Fusion::Block | Fusion::Forward))
        .collect()
}

/// Most fusions whose sets are all made: 2¹² plans are priced in a moment.
pub const MOST: usize = 12;

/// Plans, and which sets of fusions each of them is.
struct Design {
    cuts: Vec<Cut>,
    /// The plan of each set that was made, by the bits of its fusions.
    of: BTreeMap<u32, usize>,
}

impl Ablate {
    fn design(&self) -> Design {
        let n = self.fusions.len().min(MOST) as u32;
        let full = (1u32 << n) - 1;
        let sets: Vec<u32> = match self.sets {
            Sets::All => (0..=full).collect(),
            Sets::OneAtATime => {
                let alone = (0..n).map(|f| 1 << f);
                let but = (0..n).map(|f| full & !(1 << f));
                [0, full].into_iter().chain(alone).chain(but).collect()
            }
        };
        let mut design = Design {
            cuts: Vec::new(),
            of: BTreeMap::new(),
        };
        for set in sets {
            let cut = self.cut(set);
            let known = design.cuts.iter().position(|known| *known == cut);
            let at = known.unwrap_or_else(|| {
                design.cuts.push(cut);
                design.cuts.len() - 1
            });
            design.of.insert(set, at);
        }
        design
    }

    /// The plan of a set.
    fn cut(&self, set: u32) -> Cut {
        let fusions = self.fusions.iter().enumerate();
        let on = fusions.filter(|(at, _)| set >> at & 1 == 1);
        on.fold(Cut::v1(), |cut, (_, fusion)| cut.fuse(*fusion))
    }
}

impl Design {
    /// Pairs of plans that differ in one fusion: with it, and without.
    fn pairs(&self, fusion: usize) -> Vec<[usize; 2]> {
        let without = self.of.iter().filter(|(set, _)| *set >> fusion & 1 == 0);
        without
            .filter_map(|(set, at)| Some([*self.of.get(&(set | 1 << fusion))?, *at]))
            .collect()
    }

    /// Fours of plans that differ in two fusions: with both, with each, with none.
    fn fours(&self, a: usize, b: usize) -> Vec<[usize; 4]> {
        let (a, b) = (1u32 << a, 1u32 << b);
        let without = self.of.iter().filter(|(set, _)| *set & (a | b) == 0);
        without
            .filter_map(|(set, none)| {
                let of = |bits: u32| self.of.get(&(set | bits)).copied();
                Some([of(a | b)?, of(a)?, of(b)?, *none])
            })
            .collect()
    }
}

/// The mean effect over pairs.
fn effect(pairs: &[[usize; 2]], y: &dyn Fn(usize) -> f64) -> f64 {
    let sum: f64 = pairs
        .iter()
        .map(|[with, without]| y(*with) - y(*without))
        .sum();
    sum / pairs.len() as f64
}

/// The mean interaction over fours: what both do together beyond what each does alone.
fn interaction(fours: &[[usize; 4]], y: &dyn Fn(usize) -> f64) -> f64 {
    let sum: f64 = fours
        .iter()
        .map(|[both, a, b, none]| y(*both) - y(*a) - y(*b) + y(*none))
        .sum();
    sum / fours.len() as f64
}

impl Study for Ablate {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let Some(run) = &self.run else {
            return Asks::default();
        };
        let request = |cut: &Cut| Request {
            config: self.config.with_cut(*cut),
            ..run.clone()
        };
        Asks::runs(self.design().cuts.iter().map(request).collect())
    }

    fn smaller(&self) -> &'static str {
        "--one, fewer --fusions, --runs 16, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let design = self.design();
        let prices = design
            .cuts
            .iter()
            .map(|cut| price(&self.config.with_cut(*cut)));
        let prices: Vec<Cost> = prices
            .collect::<Result<_, _>>()
            .map_err(|e| e.to_string())?;
        let bytes: Vec<f64> = prices.iter().map(|c| c.forward.bytes() as f64).collect();
        let timed: Vec<Option<Timed>> = (0..design.cuts.len())
            .map(|at| rounds?.of(at)?.ok())
            .collect();
        let mut found = Findings {
            title: format!(
                "{}, {} of {} per forward",
                self.config.title(),
                figure::counted(design.cuts.len() as u64, "plan", "plans"),
                figure::counted(self.fusions.len() as u64, "fusion", "fusions"),
            ),
            ..Findings::default()
        };
        found.sheets.push(self.plans(&design, &prices, &timed));
        let base = bytes.first().copied().unwrap_or(0.0);
        self.effects(&design, &bytes, &timed, base, &mut found);
        if self.sets == Sets::All {
            found.sheets.push(self.opponents(&design, &prices)?);
        }
        let titles: Vec<String> = design.cuts.iter().map(|cut| cut.title()).collect();
        found.notes.extend(notes(rounds, &titles));
        found.sheets.retain(|sheet| !sheet.rows.is_empty());
        Ok(found)
    }
}

/// Plans whose configurations are kept beside their figures: of more a file would be large.
const TERMS: usize = 64;

impl Ablate {
    /// A row per plan, the one with the least time or bytes first.
    fn plans(&self, design: &Design, prices: &[Cost], timed: &[Option<Timed>]) -> Sheet {
        let ran = timed.iter().any(Option::is_some);
        let mut columns = vec![
            Column::given("plan"),
            Column::modelled("launches", "", 0).why("forward.launches"),
            Column::modelled("bytes", "MB", 3).why("forward.bytes"),
            Column::modelled("saved", "%", 1),
        ];
        if ran {
            columns.push(Column::measured("time", "µs", 1));
            columns.push(Column::measured("± dev.", "µs", 1));
        }
        let mut sheet = Sheet::new("plans", columns);
        let base = prices.first().map_or(1, |c| c.forward.bytes()) as f64;
        let time = |at: usize| {
            let timed = timed.get(at)?.as_ref()?;
            timed.report.time_us.as_ref()
        };
        let mut order: Vec<usize> = (0..design.cuts.len()).collect();
        let key = |at: usize| {
            let bytes = prices.get(at).map_or(0, |c| c.forward.bytes());
            (time(at).map_or(f64::INFINITY, |t| t.median), bytes as f64)
        };
        order.sort_by(|a, b| {
            let (a, b) = (key(*a), key(*b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        for at in order {
            let (Some(cut), Some(cost)) = (design.cuts.get(at), prices.get(at)) else {
                continue;
            };
            let bytes = cost.forward.bytes() as f64;
            let mut row: Vec<Cell> = vec![
                cut.title().into(),
                cost.forward.launches().into(),
                (bytes * 1e-6).into(),
                (100.0 * (1.0 - bytes / base)).into(),
            ];
            if ran {
                row.push(time(at).map(|t| t.median).into());
                row.push(time(at).map(|t| t.mad).into());
            }
            sheet.rows.push(row);
            if design.cuts.len() <= TERMS {
                sheet.of.push(cost.config.clone());
            }
        }
        sheet
    }

    /// Main effects and interactions, and the sentences that they make.
    fn effects(
        &self,
        design: &Design,
        bytes: &[f64],
        timed: &[Option<Timed>],
        base: f64,
        found: &mut Findings,
    ) {
        let logs = Logs::of(timed);
        let all = logs.times.iter().any(Option::is_some);
        let by = |at: usize| bytes.get(at).copied().unwrap_or(f64::NAN);
        let names: Vec<&str> = self.fusions.iter().map(|f| f.name()).collect();
        let n = names.len();
        // Each effect and each interaction is a comparison.
        let among = n + n * n.saturating_sub(1) / 2;
        let mut columns = vec![
            Column::given("fusion"),
            Column::modelled("bytes", "MB", 3),
            Column::modelled("bytes", "%", 1),
        ];
        if all {
            columns.push(Column::measured("time", "%", 1));
            columns.push(Column::given("at 99 %"));
        }
        let mut sheet = Sheet::new("main effects", columns.clone());
        let mut main: Vec<(f64, Vec<Cell>)> = Vec::new();
        let (mut seen, mut told) = (Vec::new(), 0);
        for (at, name) in names.iter().enumerate() {
            let pairs = design.pairs(at);
            let saved = effect(&pairs, &by);
            let mut row: Vec<Cell> = vec![
                (*name).into(),
                (saved * 1e-6).into(),
                (100.0 * saved / base).into(),
            ];
            if all {
                // A plan that a backend lacks, or that was not reached, has no time.
                let mut timed = pairs;
                timed.retain(|pair| pair.iter().all(|at| logs.knows(*at)));
                let found = match timed.is_empty() {
                    true => None,
                    false => logs.interval(among, &|y| effect(&timed, y)),
                };
                told += usize::from(found.is_some());
                seen.extend(found.filter(|i| claimed(*i)).map(|i| (*name, i)));
                row.extend(cells(found));
            }
            main.push((saved, row));
        }
        main.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let (Some((most, _)), true) = (main.first(), base > 0.0) {
            let least = main.iter().take_while(|(saved, _)| saved - most < 0.5);
            let who: Vec<String> = least
                .filter_map(|(_, row)| match row.first() {
                    Some(Cell::Text(name)) => Some(name.clone()),
                    _ => None,
                })
                .collect();
            let share = -100.0 * most / base;
            found.sentences.push(match who.len() {
                1 => format!(
                    "{} saves most bytes: {share:.1} % of V1's on average over the plans without it =.",
                    listed(&who)
                ),
                _ => format!(
                    "{} save the same bytes, more than any other: {share:.1} % of V1's each on average over the plans without it =.",
                    listed(&who)
                ),
            });
        }
        sheet.rows = main.into_iter().map(|(_, row)| row).collect();
        found.sheets.push(sheet);
        if self.sets == Sets::All && n > 1 {
            columns.remove(0);
            columns.insert(0, Column::given("together"));
            let mut sheet = Sheet::new("interactions", columns);
            let mut pairs: Vec<(f64, Vec<Cell>)> = Vec::new();
            for a in 0..n {
                for b in a + 1..n {
                    let fours = design.fours(a, b);
                    let beyond = interaction(&fours, &by);
                    let mut timed = fours.clone();
                    timed.retain(|four| four.iter().all(|at| logs.knows(*at)));
                    let found = match timed.is_empty() {
                        true => None,
                        false => logs.interval(among, &|y| interaction(&timed, y)),
                    };
                    // Where the model has none and the times show none there is nothing to say.
                    if beyond.abs() < 0.5 && !found.is_some_and(claimed) {
                        continue;
                    }
                    let name = |at: usize| names.get(at).copied().unwrap_or_default();
                    let mut row: Vec<Cell> = vec![
                        format!("{} + {}", name(a), name(b)).into(),
                        (beyond * 1e-6).into(),
                        (100.0 * beyond / base).into(),
                    ];
                    if all {
                        row.extend(cells(found));
                    }
                    pairs.push((-beyond.abs(), row));
                }
            }
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            if pairs.is_empty() {
                found.sentences.push(
                    "No two of them interact: what each saves does not depend on the others =."
                        .to_owned(),
                );
            }
            sheet.rows = pairs.into_iter().map(|(_, row)| row).collect();
            found.sheets.push(sheet);
        }
        if all {
            found.sentences.push(said(&seen, told, n, logs.rounds));
        }
    }

    /// For each number of kernels of a block: the best set of fusions, and the best of all
    /// cuts, which may join what no fusion names.
    fn opponents(&self, design: &Design, prices: &[Cost]) -> Result<Sheet, String> {
        let columns = [
            Column::modelled("kernels", "", 0),
            Column::given("best set"),
            Column::modelled("set", "MB", 3),
            Column::modelled("free cut", "MB", 3),
            Column::modelled("gap", "%", 1),
        ];
        let mut sheet = Sheet::new("fewest bytes of a block", columns);
        // Bytes alone are asked for: what else a kernel costs does not matter here.
        let roof = Roof {
            flops_per_second: 1.0,
            bytes_per_second: 1.0,
        };
        let toll = Toll {
            launch: 0.0,
            barrier: 0.0,
            plain: roof,
            product: roof,
        };
        let planner = Planner::new(&self.config, &toll.into(), Has::All)?;
        let mut best: BTreeMap<u64, (u64, Cut)> = BTreeMap::new();
        for (cut, cost) in design.cuts.iter().zip(prices) {
            let block = &cost.block;
            let slot = best
                .entry(block.launches())
                .or_insert((block.bytes(), *cut));
            *slot = (*slot).min((block.bytes(), *cut));
        }
        for (kernels, (bytes, cut)) in best.into_iter().rev() {
            let free = planner
                .fewest_bytes(kernels as usize)
                .map(|(_, b)| b as f64);
            let bytes = bytes as f64;
            sheet.rows.push(vec![
                kernels.into(),
                cut.title().into(),
                (bytes * 1e-6).into(),
                free.map(|b| b * 1e-6).into(),
                free.map(|b| 100.0 * (bytes / b - 1.0)).into(),
            ]);
        }
        Ok(sheet)
    }
}

#[cfg(test)]
mod tests;

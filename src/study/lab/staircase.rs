//! One fusion added at a time: what each step saves behind those before it, beside what it
//! saves alone. Prices of boundaries do not add, and here one sees where.

use super::comparison::{Column as Plan, Comparison, Scope};
use crate::findings::{Cell, Column, Findings, Sheet};
use plan::cost::{Config, CostError, Gpu};
use plan::fusion::{Cut, Fusion};
use plan::units::{Quantity, figure, format};

/// Bytes in a column: decimal megabytes.
const MEGA: f64 = 1e-6;
/// What a floor is shown in: microseconds.
const MICROS: f64 = 1e6;

/// From V1, one fusion more at each step.
#[derive(Debug, Clone, PartialEq)]
pub struct Staircase {
    /// The plans, V1 first; a plan that two steps share stands once.
    pub plans: Comparison,
    /// The steps, in the order in which they are taken.
    pub steps: Vec<Step>,
    /// Whose roof the floors stand under.
    roof: String,
}

/// One fusion more.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The fusion.
    pub fusion: Fusion,
    /// Its plan, by its place among the plans.
    pub plan: usize,
    /// The plan of the step before.
    pub before: usize,
    /// Bytes that it saves here.
    pub saves: i64,
    /// Bytes that it saves alone, from V1.
    pub alone: i64,
}

/// The fusions up to one kernel per block. Not `norm_residual`, which reaches into the next
/// block, so that `block` behind it would be one kernel for all of them.
pub fn usual() -> Vec<Fusion> {
    let all = Fusion::ALL.into_iter();
    all.filter(|f| !matches!(f, Fusion::NormResidual | Fusion::Forward))
        .collect()
}

/// The fusions of a list in the order in which they are typed.
///
/// # Errors
/// A sentence: a name that is no fusion, one that stands twice, none at all.
pub fn order(typed: &str) -> Result<Vec<Fusion>, String> {
    let order = Fusion::parse_list(typed).map_err(|e| e.to_string())?;
    for (at, fusion) in order.iter().enumerate() {
        if order.iter().take(at).any(|other| other == fusion) {
            return Err(format!(
                "{} stands twice in the order; a step adds a fusion once",
                fusion.name()
            ));
        }
    }
    match order.is_empty() {
        true => Err("an order names fusions, such as qkv,flash,block".to_owned()),
        false => Ok(order),
    }
}

/// The plans of an order, V1 first. What a larger fusion holds already is the same plan
/// again, and stands once.
pub fn cuts(order: &[Fusion]) -> Vec<Cut> {
    let mut cuts = vec![Cut::v1()];
    let mut cut = Cut::v1();
    for fusion in order {
        cut = cut.fuse(*fusion);
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts
}

impl Staircase {
    /// Prices the steps at the setup of `config`, whose cut does not matter.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(
        config: &Config,
        order: &[Fusion],
        gpu: &Gpu,
        scope: Scope,
    ) -> Result<Self, CostError> {
        let cuts = cuts(order);
        let mut taken = Vec::with_capacity(order.len());
        let (mut cut, mut at) = (Cut::v1(), 0);
        for fusion in order {
            let before = at;
            cut = cut.fuse(*fusion);
            at = cuts.iter().position(|known| *known == cut).unwrap_or(at);
            taken.push((*fusion, at, before));
        }
        let plans = Comparison::new(config, &cuts, gpu, scope)?;
        let bytes = |at: usize| plans.columns.get(at).map_or(0, |c| moved(c, scope));
        let mut steps = Vec::with_capacity(taken.len());
        for (fusion, plan, before) in taken {
            let only = Plan::new(&config.with_cut(Cut::v1().fuse(fusion)), gpu, scope)?;
            steps.push(Step {
                fusion,
                plan,
                before,
                saves: bytes(before) - bytes(plan),
                alone: bytes(0) - moved(&only, scope),
            });
        }
        Ok(Self {
            plans,
            steps,
            roof: gpu.name.clone(),
        })
    }

    /// The plans from V1 on, each once.
    pub fn cuts(&self) -> Vec<Cut> {
        let plans = self.plans.columns.iter();
        plans.map(|plan| plan.cost.config.cut).collect()
    }

    /// What the steps come to: a sheet of the model, one of times where the plans were run,
    /// and sentences.
    pub fn findings(&self) -> Findings {
        let scope = self.plans.scope.heading();
        let first = self.plans.columns.first();
        let setup = first.map_or(String::new(), |plan| plan.cost.config.title());
        let mut found = Findings {
            title: format!("{setup}, {scope}, roof of {}, data sheet", self.roof),
            sheets: vec![self.modelled()],
            sentences: self.said(),
            ..Findings::default()
        };
        let plans = self.plans.columns.iter().map(|plan| &plan.cost);
        found.notes.extend(self.plans.scope.note(plans));
        if self.plans.rounds.is_some() {
            found.sheets.push(self.measured());
            found.sentences.extend(self.sum_of_times());
            found.notes.extend(self.plans.troubles());
        }
        found
    }

    /// A row per step: what it costs, what it saves here, what it would save alone.
    fn modelled(&self) -> Sheet {
        let key = |field: &str| format!("{}.{field}", self.plans.scope.name());
        // A peak is the forward's, whatever the rest is of.
        let peak = match self.plans.scope {
            Scope::Block => "peak, fwd",
            Scope::Forward => "peak",
        };
        let mut sheet = Sheet::new(
            "steps",
            [
                Column::given("step"),
                Column::modelled("launches", "", 0).why(&key("launches")),
                Column::modelled("bytes", "MB", 3).why(&key("bytes")),
                Column::modelled("saves", "MB", 3),
                Column::modelled("alone", "MB", 3),
                Column::modelled(peak, "MB", 3).why("peak"),
                Column::modelled("floor", "µs", 2),
            ],
        );
        let mut row = |name: String, at: usize, saves: Cell, alone: Cell| {
            let Some(plan) = self.plans.columns.get(at) else {
                return;
            };
            let priced = plan.priced(self.plans.scope);
            sheet.of.push(plan.cost.config.clone());
            sheet.rows.push(vec![
                name.into(),
                priced.launches().into(),
                (priced.bytes() as f64 * MEGA).into(),
                saves,
                alone,
                (plan.cost.peak.bytes as f64 * MEGA).into(),
                (plan.floor_seconds * MICROS).into(),
            ]);
        };
        row("V1".to_owned(), 0, Cell::NONE, Cell::NONE);
        for step in &self.steps {
            let mega = |bytes: i64| (bytes as f64 * MEGA).into();
            let name = format!("+{}", step.fusion.name());
            row(name, step.plan, mega(step.saves), mega(step.alone));
        }
        sheet
    }

    /// Median times, and what can be said of each against the step before and against V1.
    fn measured(&self) -> Sheet {
        let mut sheet = Sheet::new(
            "times of a forward",
            [
                Column::given("step"),
                Column::measured("time", "µs", 1),
                Column::measured("± dev.", "µs", 1),
                Column::given("less than the step before"),
                Column::given("less than V1"),
            ],
        );
        let time = |at: usize| {
            self.plans
                .columns
                .get(at)?
                .report
                .as_ref()?
                .time_us
                .as_ref()
        };
        let mut row = |name: String, at: usize, before: Cell, first: Cell| {
            let timed = time(at);
            sheet.rows.push(vec![
                name.into(),
                timed.map(|t| t.median).into(),
                timed.map(|t| t.mad).into(),
                before,
                first,
            ]);
        };
        row("V1".to_owned(), 0, Cell::NONE, Cell::NONE);
        for step in &self.steps {
            let name = format!("+{}", step.fusion.name());
            let less = |other: usize| self.less(other, step.plan).into();
            row(name, step.plan, less(step.before), less(0));
        }
        sheet
    }

    /// The share of a plan's time that another does not take; a word where none is claimed.
    fn less(&self, than: usize, plan: usize) -> Option<String> {
        match than == plan {
            true => Some("the same plan".to_owned()),
            // Each step is set beside the one before it, and beside V1.
            false => Some(self.plans.against(than, plan, 2 * self.steps.len())?.cell()),
        }
    }

    fn said(&self) -> Vec<String> {
        let scope = self.plans.scope;
        let (Some(first), Some(last)) = (self.plans.columns.first(), self.steps.last()) else {
            return Vec::new();
        };
        let Some(end) = self.plans.columns.get(last.plan) else {
            return Vec::new();
        };
        let whole = moved(first, scope);
        let saved = whole - moved(end, scope);
        let alone: i64 = self.steps.iter().map(|step| step.alone).sum();
        let size = |bytes: i64| format(&Quantity::bytes(bytes.unsigned_abs()));
        let launches = first.priced(scope).launches() - end.priced(scope).launches();
        let mut said = vec![format!(
            "{}: {} and {} fewer, {:.2} % of V1's bytes =.",
            figure::counted(self.steps.len() as u64, "step", "steps"),
            size(saved),
            figure::counted(launches, "launch", "launches"),
            100.0 * saved as f64 / whole.max(1) as f64,
        )];
        if self.steps.len() < 2 {
            return said;
        }
        said.push(match alone - saved {
            0 => "Each saves here what it saves alone: no two of them share a boundary, and none gets its price from another =.".to_owned(),
            over => format!(
                "Alone, from V1, they would save {} added up: {} {} than together. Prices of boundaries do not add =.",
                size(alone),
                size(over),
                if over > 0 { "more" } else { "less" }
            ),
        });
        let most = self
            .steps
            .iter()
            .max_by_key(|step| step.saves.abs_diff(step.alone));
        if let Some(step) = most.filter(|step| step.saves != step.alone) {
            let (less, why) = match step.saves < step.alone {
                true if step.saves == 0 => ("less", "what came before has saved all of it already"),
                true => ("less", "what came before has saved a part of it already"),
                false => ("more", "what came before has moved its readers next to it"),
            };
            said.push(format!(
                "{} differs most: {} here, {} alone, {less} because {why} =.",
                step.fusion.name(),
                size(step.saves),
                size(step.alone),
            ));
        }
        said
    }

    /// The last plan against V1.
    fn sum_of_times(&self) -> Option<String> {
        let last = self.steps.last()?;
        let titles = |at: usize| self.plans.columns.get(at).map(|plan| plan.title.clone());
        let verdict = self.plans.against(0, last.plan, 2 * self.steps.len())?;
        Some(verdict.sentence(&titles(0)?, &titles(last.plan)?))
    }
}

/// Bytes of the scope.
fn moved(plan: &Plan, scope: Scope) -> i64 {
    i64::try_from(plan.priced(scope).bytes()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::GpuDatabase;

    fn stairs(typed: &str, scope: Scope) -> Staircase {
        let database = GpuDatabase::embedded().unwrap();
        let config = Config::preset("workshop", Cut::v1()).unwrap();
        let gpu = database.get("mi300a").unwrap();
        Staircase::new(&config, &order(typed).unwrap(), gpu, scope).unwrap()
    }

    fn saved(stairs: &Staircase) -> Vec<(i64, i64)> {
        stairs.steps.iter().map(|s| (s.saves, s.alone)).collect()
    }

    // The workshop at batch 1: S = 128 rows, D = 256, Dkv = 128, I = 512, H = 8, fp32.
    const ROW: i64 = 4 * 128;
    const D: i64 = ROW * 256;
    const DKV: i64 = ROW * 128;
    const I: i64 = ROW * 512;

    #[test]
    fn rope_behind_qkv_saves_what_qkv_left_of_it() {
        // qkv: n1 is read once in place of three times. rope is that, and q and k, which are
        // then not written and not read again before they are rotated.
        let qkv = 2 * D;
        let rotated = 2 * D + 2 * DKV;
        let first = stairs("qkv,rope", Scope::Block);
        assert_eq!(saved(&first), [(qkv, qkv), (rotated, qkv + rotated)]);
        // The other way round qkv comes for nothing: the same plan.
        let other = stairs("rope,qkv", Scope::Block);
        assert_eq!(saved(&other), [(qkv + rotated, qkv + rotated), (0, qkv)]);
        assert_eq!(other.steps[1].plan, other.steps[1].before);
        assert_eq!(other.cuts().len(), 2);
        let differs = |stairs: &Staircase| stairs.findings().sentences[2].clone();
        assert!(differs(&first).contains("has saved a part of it already"));
        assert!(differs(&other).contains("has saved all of it already"));
        // In any order the sum is what the last plan saves.
        let sum = |stairs: &Staircase| stairs.steps.iter().map(|s| s.saves).sum::<i64>();
        assert_eq!(sum(&first), sum(&other));
    }

    #[test]
    fn the_ffn_saves_more_behind_its_parts_than_their_prices_promise() {
        // gate_up: n2 once in place of twice. silu_mul: sg neither written nor read.
        // swiglu: both, and g and u as well.
        let (gate_up, silu_mul, rest) = (D, 2 * I, 4 * I);
        let stairs = stairs("gate_up,silu_mul,swiglu", Scope::Block);
        let whole = gate_up + silu_mul + rest;
        assert_eq!(
            saved(&stairs),
            [(gate_up, gate_up), (silu_mul, silu_mul), (rest, whole)]
        );
        let said = stairs.findings().sentences;
        // Alone they promise the two parts twice.
        let twice = format(&Quantity::bytes((gate_up + silu_mul) as u64));
        assert!(
            said[1].contains(&format!("{twice} more than together")),
            "{said:?}"
        );
        assert!(said[2].starts_with("swiglu differs most"), "{said:?}");
    }

    #[test]
    fn the_usual_steps_end_in_one_kernel_per_block() {
        let names: Vec<&str> = usual().into_iter().map(Fusion::name).collect();
        let stairs = stairs(&names.join(","), Scope::Block);
        let launches: Vec<u64> = stairs
            .steps
            .iter()
            .map(|s| stairs.plans.columns[s.plan].cost.block.launches())
            .collect();
        // 17 of V1; qkv −2, rope −1, flash −2, gate_up −1, silu_mul −1, swiglu −1, the four
        // that join a neighbour −1 each: the five phases; then one.
        assert_eq!(launches, [15, 14, 12, 11, 10, 9, 8, 7, 6, 5, 1]);
        let cuts = stairs.cuts();
        assert_eq!(
            (cuts[0].title(), cuts[11].title()),
            ("V1".into(), "V4".into())
        );
        let sheet = &stairs.findings().sheets[0];
        assert_eq!((sheet.rows.len(), sheet.of.len()), (12, 12));
        assert_eq!(sheet.rows[0][3], Cell::NONE, "V1 saves nothing over itself");
    }

    #[test]
    fn fusions_that_share_nothing_add() {
        let stairs = stairs("flash,silu_mul", Scope::Forward);
        assert!(saved(&stairs).iter().all(|(here, alone)| here == alone));
        assert!(stairs.findings().sentences[1].starts_with("Each saves here what it saves alone"));
    }

    #[test]
    fn an_order_that_cannot_be_is_refused() {
        assert!(order("qkv,qkv").unwrap_err().contains("stands twice"));
        assert!(order(" , ").unwrap_err().contains("such as qkv"));
        assert!(order("flsh").unwrap_err().contains("did you mean flash?"));
    }
}

//! Plans side by side: what each costs by the model, and what was measured.

use crate::timing::{Rounds, Verdict};
use plan::cost::{Config, Cost, CostError, Gpu, Priced, floor_seconds, price};
use plan::fusion::Cut;
use plan::run::{Report, RunError};

/// Whether a comparison is of one block or of the whole forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// One block, the steady-state period.
    Block,
    /// The whole forward.
    #[default]
    Forward,
}

impl Scope {
    /// What two plans are compared in: a block, or the forward where blocks share a launch
    /// in one of them.
    pub fn of_change(from: &Cost, to: &Cost) -> Self {
        match from.shares_launch() || to.shares_launch() {
            true => Self::Forward,
            false => Self::Block,
        }
    }

    /// The sums of it.
    pub fn of(self, cost: &Cost) -> &Priced {
        match self {
            Self::Block => &cost.block,
            Self::Forward => &cost.forward,
        }
    }

    /// What a heading cannot say of these plans: where blocks share a launch, what is told per
    /// block is of a block alone.
    pub fn note<'c>(self, mut costs: impl Iterator<Item = &'c Cost>) -> Option<String> {
        let shares = costs.find(|cost| self == Self::Block && cost.shares_launch())?;
        let title = shares.config.cut.title();
        let forward = shares.launches_of_block();
        Some(format!(
            "{title}: {forward}, and blocks share one; per block it is a block alone."
        ))
    }

    /// `block` or `forward`, as keys of figures begin.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Forward => "forward",
        }
    }

    /// What the row of peaks is called: a peak is the forward's, whatever the rest is of.
    pub const fn peak(self) -> &'static str {
        match self {
            Self::Block => "peak, forward",
            Self::Forward => "peak act.",
        }
    }

    /// The same in a heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Block => "per block",
            Self::Forward => "per forward",
        }
    }
}

/// One plan of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What people call the plan.
    pub title: String,
    /// Its whole price.
    pub cost: Cost,
    /// The floor of the scope on the roof of the comparison, in seconds.
    pub floor_seconds: f64,
    /// What a run showed, where there was one. Times are of a whole forward.
    pub report: Option<Report>,
}

impl Column {
    /// Prices one plan.
    ///
    /// # Errors
    /// As [`price`], and a GPU that lacks the element type.
    pub fn new(config: &Config, gpu: &Gpu, scope: Scope) -> Result<Self, CostError> {
        let cost = price(config)?;
        let floor = floor_seconds(scope.of(&cost), gpu, config.dtype)?;
        Ok(Self {
            title: config.effective_cut().title(),
            cost,
            floor_seconds: floor,
            report: None,
        })
    }

    /// The sums of the scope.
    pub fn priced(&self, scope: Scope) -> &Priced {
        scope.of(&self.cost)
    }
}

/// Plans side by side at one setup, the first being the base of "saved".
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is summed.
    pub scope: Scope,
    /// The plans.
    pub columns: Vec<Column>,
    /// Their times, taken in turns, where they were run.
    pub rounds: Option<Rounds>,
}

impl Comparison {
    /// Prices `cuts` at the setup of `config`.
    ///
    /// # Errors
    /// As [`Column::new`].
    pub fn new(config: &Config, cuts: &[Cut], gpu: &Gpu, scope: Scope) -> Result<Self, CostError> {
        let columns = cuts
            .iter()
            .map(|cut| Column::new(&config.with_cut(*cut), gpu, scope))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            scope,
            columns,
            rounds: None,
        })
    }

    /// Takes what came of running the plans in turns.
    ///
    /// # Errors
    /// Why one of them could not be run.
    pub fn measured(&mut self, rounds: Rounds) -> Result<(), RunError> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.report = rounds.of(at).transpose()?.map(|timed| timed.report);
        }
        self.rounds = Some(rounds);
        Ok(())
    }

    /// What disturbed the times of a plan, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let Some(rounds) = &self.rounds else {
            return Vec::new();
        };
        let columns = self.columns.iter().enumerate();
        let said = columns.filter_map(|(at, column)| {
            let trouble = rounds.of(at)?.ok()?.trouble?;
            Some(format!("{}: {trouble}.", column.title))
        });
        let again = "All of it was timed as long again, which did not help.";
        let mut said: Vec<String> = said.collect();
        if rounds.repeated() && !said.is_empty() {
            said.push(again.to_owned());
        }
        said
    }

    /// What can be said of the times of the first plan and of another: one of as many
    /// comparisons as there are others. `None` where one of the two was not timed.
    pub fn against_first(&self, other: usize) -> Option<Verdict> {
        self.against(0, other, self.columns.len().saturating_sub(1))
    }

    /// What can be said of the times of two plans, one of `among` comparisons that are made.
    /// `None` where one of the two was not timed.
    pub fn against(&self, one: usize, other: usize, among: usize) -> Option<Verdict> {
        let rounds = self.rounds.as_ref()?;
        let timed = |at: usize| self.columns.get(at)?.report.as_ref()?.time_us.as_ref();
        timed(one).and(timed(other))?;
        Some(rounds.verdict(one, other, among))
    }

    /// 1 − last / first of a figure; `None` where there are fewer than two
    /// plans or the first has none of it.
    pub fn saved(&self, figure: impl Fn(&Priced) -> u64) -> Option<f64> {
        let first = figure(self.columns.first()?.priced(self.scope));
        let last = figure(self.columns.last()?.priced(self.scope));
        (self.columns.len() > 1 && first > 0).then(|| 1.0 - last as f64 / first as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::GpuDatabase;
    use plan::fusion::Version;

    #[test]
    fn v1_to_v4_saves_what_the_documents_answer_says() {
        // 64 of 71 launches and 29.36 of 42.05 MB: 90.14 % fewer launches, 69.83 % fewer bytes.
        let database = GpuDatabase::embedded().unwrap();
        let config = Config::preset("workshop", Cut::v1()).unwrap();
        let cuts = Version::WORKSHOP.map(Version::cut);
        let c = Comparison::new(
            &config,
            &cuts,
            database.get("h200").unwrap(),
            Scope::Forward,
        )
        .unwrap();
        let percent = |x: Option<f64>| format!("{:.2}", x.unwrap() * 100.0);
        assert_eq!(percent(c.saved(Priced::launches)), "90.14");
        assert_eq!(percent(c.saved(Priced::bytes)), "69.83");
        // ex11: the roofline of a workshop V1 forward is 14.7 µs on this data sheet.
        assert_eq!(format!("{:.1}", c.columns[0].floor_seconds * 1e6), "14.7");
    }
}

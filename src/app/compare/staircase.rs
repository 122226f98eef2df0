//! The staircase of the compare page: from V1, one fusion more at each step, in an order
//! that can be changed.

use super::super::intent::{Intent, Out};
use super::super::keymap::{Action, FooterItem};
use super::super::note::Tone;
use super::super::page::Page;
use super::super::setup::Setup;
use super::super::shared::Shared;
use ::study::lab::Scope;
use ::study::lab::staircase::{Staircase, usual};
use course::answer::data_sheets;
use course::present::{Grid, study};
use plan::cost::{Cost, why};
use plan::fusion::{Cut, Fusion};
use plan::run::Timing;

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::PreviousKernel, Action::NextKernel], "move step"),
    (&[Action::Table], "versions"),
    (&[Action::Run], "run"),
    (&[Action::RunAll], "all"),
    (&[Action::Scope], "block/forward"),
    (&[Action::Why], "why"),
    (&[Action::Open], "lab"),
    (&[Action::Help], "help"),
];

/// The order of the steps, what they come to, and the row under the cursor.
#[derive(Clone, Debug)]
pub struct Stairs {
    order: Vec<Fusion>,
    /// The row under the cursor; 0 is V1.
    pub row: usize,
    priced: Option<Staircase>,
    priced_for: Option<(Setup, Scope, Vec<Fusion>, &'static str)>,
}

impl Default for Stairs {
    fn default() -> Self {
        Self {
            order: usual(),
            row: 0,
            priced: None,
            priced_for: None,
        }
    }
}

impl Stairs {
    /// The steps in an order that was chosen elsewhere.
    pub fn take(&mut self, order: Vec<Fusion>) {
        (self.order, self.row) = (order, 0);
    }

    /// Prices the steps anew where setup, order or the course's device changed.
    pub fn refresh(&mut self, scope: Scope, shared: &Shared) {
        let gpu = shared.study.course.gpu();
        let wanted = (shared.bench.setup().clone(), scope, self.order.clone(), gpu);
        if self.priced_for.as_ref() == Some(&wanted) {
            return;
        }
        let config = wanted.0.config(Cut::v1());
        let sheet = data_sheets().and_then(|sheets| sheets.get(gpu).ok());
        self.priced =
            sheet.and_then(|sheet| Staircase::new(&config, &self.order, sheet, scope).ok());
        self.priced_for = Some(wanted);
    }

    /// What the steps come to; none where they cannot be priced.
    pub fn priced(&self) -> Option<&Staircase> {
        self.priced.as_ref()
    }

    /// The plan of a row, and that of the row before it.
    fn plans(&self, row: usize) -> Option<(Cut, Option<Cut>)> {
        let stairs = self.priced.as_ref()?;
        let cuts = stairs.cuts();
        let Some(at) = row.checked_sub(1) else {
            return Some((*cuts.first()?, None));
        };
        let step = stairs.steps.get(at)?;
        Some((*cuts.get(step.plan)?, cuts.get(step.before).copied()))
    }

    /// The price of the plan of the row under the cursor.
    pub fn cost(&self) -> Option<&Cost> {
        let stairs = self.priced.as_ref()?;
        let at = match self.row.checked_sub(1) {
            Some(step) => stairs.steps.get(step)?.plan,
            None => 0,
        };
        Some(&stairs.plans.columns.get(at)?.cost)
    }

    /// What a run measured of the plan of a row, if it took a time; none where none was made.
    pub fn time<'s>(&self, row: usize, shared: &'s Shared) -> Option<Option<&'s Timing>> {
        let (cut, _) = self.plans(row)?;
        Some(shared.runs.of(shared.bench.setup(), cut)?.time_us.as_ref())
    }

    /// What can be said of the times of a row and the row before it.
    pub fn said(&self, shared: &Shared) -> Option<String> {
        let (cut, before) = self.plans(self.row)?;
        let before = before.filter(|before| *before != cut)?;
        let (_, verdict) = shared.runs.in_turns(shared.bench.setup(), before, cut)?;
        Some(verdict.sentence(&before.title(), &cut.title()))
    }

    /// The words of its command line behind the program's name.
    pub fn command(&self, scope: Scope, shared: &Shared) -> String {
        let order = match self.order == usual() {
            true => String::new(),
            false => {
                let names: Vec<&str> = self.order.iter().map(|f| f.name()).collect();
                format!(" --order {}", names.join(","))
            }
        };
        let block = match scope {
            Scope::Block => " --block",
            Scope::Forward => "",
        };
        let options = shared.bench.setup().as_options();
        format!("compare --staircase{order}{block}{options}")
    }

    /// The rows as they stand there.
    pub fn numbers(&self) -> Vec<Grid> {
        let findings = self.priced.as_ref().map(Staircase::findings);
        let sheets = findings.into_iter().flat_map(|f| f.sheets);
        sheets
            .map(|sheet| study::grid(&sheet, usize::MAX))
            .collect()
    }

    /// Carries an action out that the staircase knows; whether it did.
    pub fn act(
        &mut self,
        scope: Scope,
        shared: &mut Shared,
        action: Action,
        out: &mut Out,
    ) -> bool {
        let last = self.order.len();
        match action {
            Action::Up => self.row = self.row.saturating_sub(1),
            Action::Down => self.row = (self.row + 1).min(last),
            Action::Top => self.row = 0,
            Action::End => self.row = last,
            Action::Left | Action::Right => {}
            Action::Pin | Action::Bytes => {
                let text = "This is a key of the table of versions, which t shows.";
                shared.notes.say(Tone::Plain, text);
            }
            Action::PreviousKernel => self.shift(shared, false),
            Action::NextKernel => self.shift(shared, true),
            Action::Open => {
                if let Some((cut, _)) = self.plans(self.row) {
                    shared.hold(cut);
                    out.want(Intent::Open(Page::Lab));
                }
            }
            Action::Run => {
                let cut = self.plans(self.row).map(|(cut, _)| cut);
                shared.start(cut.into_iter().collect(), out);
            }
            Action::RunAll => {
                let cuts = self.priced.as_ref().map(Staircase::cuts);
                shared.start(cuts.unwrap_or_default(), out);
            }
            Action::Why => {
                let key = format!("{}.bytes", scope.name());
                if let Some(cost) = self.cost() {
                    let why = why(cost, &key);
                    shared.explain(why, out);
                }
            }
            _ => return false,
        }
        true
    }

    /// Takes the step under the cursor one place earlier or later.
    fn shift(&mut self, shared: &mut Shared, later: bool) {
        let Some(at) = self.row.checked_sub(1) else {
            let text = "V1 is where it begins. ↓ goes to a step, [ and ] move it.";
            shared.notes.say(Tone::Plain, text);
            return;
        };
        let to = match later {
            true => at + 1,
            false => at.wrapping_sub(1),
        };
        if to < self.order.len() {
            self.order.swap(at, to);
            self.row = to + 1;
        } else {
            let text = match later {
                true => "This step is the last already.",
                false => "This step is the first already.",
            };
            shared.notes.say(Tone::Plain, text);
        }
    }
}

//! What stands behind the rows that ceilings, launches and clocks make.

use super::{Ceilings, Machine, Source};
use plan::cost::{Priced, Why, why_floor};
use plan::model::Dtype;
use plan::run::BackendKind;

impl Ceilings {
    /// The floor of kernels with its terms; `what` they are: `the forward`. None where the
    /// device has no unit for them.
    pub fn why_floor(&self, priced: &Priced, dtype: Dtype, what: &str) -> Option<Why> {
        let from = match self.source {
            Source::Measured => "measured @",
            Source::DataSheet => "data sheet",
            Source::Recorded => "recorded",
        };
        let of = format!("{}, {from}", self.of);
        why_floor(priced, what, &of, |k| self.roof(dtype, k.has_product()))
    }
}

impl Machine {
    /// The floor of kernels with its terms.
    ///
    /// # Errors
    /// A sentence: no roof is known.
    pub fn why_floor(&self, priced: &Priced, dtype: Dtype, what: &str) -> Result<Why, String> {
        let ceilings = self.ceilings.as_ref();
        let ceilings = ceilings.ok_or("No roof is known here: R in Doctor measures it.")?;
        let why = ceilings.why_floor(priced, dtype, what);
        why.ok_or_else(|| format!("{} has no peak for {}.", ceilings.of, dtype.name()))
    }

    /// What the row of launches times their cost says.
    pub fn of_launches(&self) -> String {
        let ceilings = self.ceilings.as_ref();
        match ceilings.and_then(|c| c.launch) {
            Some(cost) if cost.source == Source::Measured => format!(
                "{:.2} µs from a launch to the next, at the pace at which this host sent them: a run that is queued ahead or replayed may take less in all.",
                cost.seconds * 1e6
            ),
            Some(cost) => format!(
                "Launches × {:.2} µs: recorded on an H200 (lesson 08), not measured here.",
                cost.seconds * 1e6
            ),
            None => format!(
                "No cost of a launch is known for {}: it was recorded on an H200 only (lesson 08).",
                ceilings.map_or("this device", |c| c.of.as_str())
            ),
        }
    }

    /// How a roof is measured, or why none is.
    pub fn of_roofs(&self) -> &'static str {
        match self.kind() {
            BackendKind::Simt => {
                "The SIMT machine counts and has no clock: no roof. p chooses another backend."
            }
            _ => "R measures one.",
        }
    }

    /// What a row of times says.
    pub fn of_times(&self) -> &'static str {
        match self.kind() {
            BackendKind::Simt => {
                "The SIMT machine counts and has no clock: no time. p chooses another backend."
            }
            _ => "A time has no terms: the median of whole forwards, measured. r runs the plan.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{BackendFacts, Condition, LaunchCost};
    use plan::cost::GpuDatabase;

    #[test]
    fn what_has_no_clock_promises_no_roof() {
        let machine = |name: &str| {
            let backend = BackendFacts {
                name: name.to_owned(),
                condition: Condition::Ready,
                ..BackendFacts::default()
            };
            let mut machine = Machine {
                backends: vec![backend],
                ..Machine::default()
            };
            machine.prefer(&[name]);
            machine
        };
        assert_eq!(machine("cpu").of_roofs(), "R measures one.");
        assert!(!machine("simt").of_roofs().contains("R measures"));
    }

    #[test]
    fn a_launch_says_where_its_cost_comes_from() {
        let gpus = GpuDatabase::embedded().unwrap();
        let of = |id: &str, launch: Option<LaunchCost>| {
            let sheet = Ceilings::of_gpu(gpus.get(id).unwrap());
            let launch = launch.or(sheet.launch);
            let machine = Machine {
                ceilings: Some(Ceilings { launch, ..sheet }),
                ..Machine::default()
            };
            machine.of_launches()
        };
        let here = LaunchCost {
            seconds: 4.206e-6,
            source: Source::Measured,
        };
        for (said, begins) in [
            (of("h200", None), "Launches × "),
            (of("h200", Some(here)), "4.21 µs from a launch to the next"),
            (
                of("mi300x", None),
                "No cost of a launch is known for MI300X:",
            ),
            (
                Machine::default().of_launches(),
                "No cost of a launch is known for this",
            ),
        ] {
            assert!(said.starts_with(begins), "{said}");
        }
    }
}

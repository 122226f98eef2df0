//! This build against a baseline: has a case of the suite become slower, larger, or less
//! exact?

use super::bench::megabytes;
use super::notes::notes;
use crate::baseline::Case;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, SCIENTIFIC, Sheet};
use crate::kept::Kept;
use crate::timing::{Since, Timed, share, trouble};
use plan::model::preset;
use plan::run::median;
use plan::units::figure;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "regress",
    asks: "Is this build slower, larger or less exact than a baseline?",
    varies: "the build",
    held: "the cases of the baseline, their device",
    finds: "time, error (@) and memory held (#), now and in the baseline",
    reduced: "ranks of all rounds now against all before, with an interval; a claimed regression is measured once more",
    ends: "the cases that regressed, or none; the exit code is 1 where there is one, and a time of the very same build is the machine's",
    lessons: &["25"],
    models: false,
};

/// A larger share of memory than this is one more buffer, not a rounding.
const MEMORY: f64 = 0.01;
/// An error so many times that of the baseline is another computation.
const ERROR: f64 = 2.0;

/// `study regress`.
#[derive(Debug, Clone)]
pub struct Regress {
    /// The baseline.
    pub baseline: Kept,
    /// Its cases that are run.
    pub cases: Vec<Case>,
    /// A slowdown counts from here on, a share.
    pub least: f64,
    /// A baseline of another device or model is compared all the same.
    pub anyway: bool,
    /// This build, where it is known.
    pub build: String,
}

impl Regress {
    /// Against a baseline, on this device where it is known.
    ///
    /// # Errors
    /// A document that is no baseline, one of another device, or a model that is another
    /// one now: unless it is to be compared `anyway`.
    pub fn new(
        baseline: Kept,
        device: Option<&str>,
        least: f64,
        anyway: bool,
    ) -> Result<Self, String> {
        let cases = baseline.findings.cases.clone();
        if cases.is_empty() {
            return Err(format!(
                "it is a study {} without timed cases, no baseline; bench --save FILE writes one",
                baseline.study
            ));
        }
        if let Some(here) = device.filter(|here| *here != baseline.device && !anyway) {
            return Err(format!(
                "the baseline is of {}, and this is {here}; --anyway compares them all the same",
                baseline.device
            ));
        }
        let other = cases.iter().find(|case| {
            let model = &case.request.config.model;
            preset(&model.name).is_ok_and(|p| p.model() != *model)
        });
        if let Some(case) = other.filter(|_| !anyway) {
            return Err(format!(
                "{} of the baseline is not the model of that name here; --anyway runs the baseline's",
                case.request.config.model.name
            ));
        }
        Ok(Self {
            baseline,
            cases,
            least,
            anyway,
            build: String::new(),
        })
    }

    /// Whether the baseline is of this very build: a time that changed is the machine's.
    fn is_same_build(&self) -> bool {
        self.build == self.baseline.build
    }

    /// The same for the cases that regressed; none: there are none.
    pub fn again(&self, found: &Findings) -> Option<Self> {
        let named = |case: &&Case| found.alarms.iter().any(|(name, _)| *name == case.name);
        let cases: Vec<Case> = self.cases.iter().filter(named).cloned().collect();
        (!cases.is_empty()).then(|| Self {
            cases,
            ..self.clone()
        })
    }

    /// That the baseline itself was disturbed.
    fn disturbed(&self) -> Option<String> {
        let mut of = self
            .cases
            .iter()
            .filter_map(|case| Some((&case.name, trouble(&case.times())?)));
        let (name, first) = of.next()?;
        let cases = 1 + of.count();
        Some(format!(
            "In the baseline {cases} of {} {} disturbed; {name}: {first}.",
            figure::counted(self.cases.len() as u64, "case", "cases"),
            if cases == 1 { "was" } else { "were" },
        ))
    }

    /// What is said of cases that take longer in the build that the baseline is of.
    fn machine(&self, slower: &[String]) -> Vec<String> {
        if !self.is_same_build() || slower.is_empty() {
            return Vec::new();
        }
        let head = format!(
            "{} longer @ than in the baseline, and both are one build, {}: that is the machine, no regression. Make it again when nothing else uses this machine; if that says the same, bench --save FILE makes a baseline of the machine as it is now.",
            figure::counted(slower.len() as u64, "case takes", "cases take"),
            self.build
        );
        std::iter::once(head)
            .chain(slower.iter().cloned())
            .collect()
    }

    fn alarms(&self, before: &Case, timed: &Timed, since: Since) -> Vec<String> {
        let mut said = Vec::new();
        if since.slower() && !self.is_same_build() {
            said.push(since.sentence(&before.name));
        }
        let now = Case::of(before.name.clone(), before.request.clone(), timed);
        if let (Some(now), Some(was)) = (now.held, before.held)
            && now as f64 > (1.0 + MEMORY) * was as f64
        {
            said.push(format!(
                "{} holds {:.2} MB # and held {:.2} MB in the baseline.",
                before.name,
                now as f64 / 1e6,
                was as f64 / 1e6
            ));
        }
        if let (Some(now), Some(was)) = (now.error, before.error)
            && now > ERROR * was
            && was > 0.0
        {
            said.push(format!(
                "{} has an error of {now:.1e} @ against fp64 and had {was:.1e} in the baseline.",
                before.name
            ));
        }
        if timed.report.check.as_ref().is_some_and(|c| !c.pass) {
            said.push(format!("{} gives wrong numbers.", before.name));
        }
        said
    }
}

/// What the second measurement leaves of the first: a time is a regression where both show
/// it.
pub fn confirmed(first: Findings, again: &Findings) -> Findings {
    let kept = |(name, _): &(String, String)| again.alarms.iter().any(|(n, _)| n == name);
    let (real, gone): (Vec<_>, Vec<_>) = first.alarms.iter().cloned().partition(kept);
    let mut found = first;
    // Behind the head and the alarms stands what is true of both.
    let others = found.sentences.iter().skip(1 + found.alarms.len()).cloned();
    let others: Vec<String> = others.collect();
    for (name, said) in &gone {
        found
            .notes
            .push(format!("Measured once more and not seen again: {said}"));
        let rows = found.sheets.iter_mut().flat_map(|sheet| &mut sheet.rows);
        for row in rows.filter(|row| row.first() == Some(&Cell::from(name.as_str()))) {
            if let Some(Cell::Text(change)) = row.get_mut(CHANGE)
                && !change.ends_with(NOT_AGAIN)
            {
                change.push_str(NOT_AGAIN);
            }
        }
    }
    found.alarms = real;
    found.sentences = summary(&found);
    found.sentences.extend(others);
    found
}

/// The column of the change.
const CHANGE: usize = 3;
/// What is said there of one that a second measurement did not show.
const NOT_AGAIN: &str = ", not again";

/// The sentences in which it ends.
fn summary(found: &Findings) -> Vec<String> {
    let mut names: Vec<&str> = found.alarms.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    let cases: &[Vec<Cell>] = found.sheets.first().map_or(&[], |sheet| &sheet.rows);
    let rows = cases.len();
    let too_few = Cell::from(Since::Few { rounds: (0, 0) }.cell());
    let unseen = cases.iter().filter(|row| row.contains(&too_few)).count();
    let head = match names.len() {
        0 if unseen == rows => {
            format!("Whether one of {rows} cases regressed cannot be told: the rounds are too few.")
        }
        0 if unseen > 0 => format!(
            "No regression in {} of {rows} cases; the others have too few rounds to tell.",
            rows - unseen
        ),
        0 => format!("No regression in {rows} cases."),
        many => format!("{many} of {rows} cases regressed."),
    };
    let said = found.alarms.iter().map(|(_, said)| said.clone());
    std::iter::once(head).chain(said).collect()
}

impl Study for Regress {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks::runs(self.cases.iter().map(|c| c.request.clone()).collect())
    }

    fn smaller(&self) -> &'static str {
        "a baseline of fewer cases: bench --save FILE with less"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let device = evidence.device().unwrap_or_default();
        if device != self.baseline.device && !device.is_empty() && !self.anyway {
            return Err(format!(
                "the baseline is of {}, and this ran on {device}; --anyway compares them",
                self.baseline.device
            ));
        }
        let rounds = evidence.rounds.as_ref();
        let mut sheet = Sheet::new(
            "cases",
            [
                Column::given("case"),
                Column::measured("before", "µs", 1),
                Column::measured("now", "µs", 1),
                Column::given("change"),
                Column::counted("held before", "MB", 2),
                Column::counted("held now", "MB", 2),
                Column::measured("error before", SCIENTIFIC, 0),
                Column::measured("error now", SCIENTIFIC, 0),
            ],
        );
        let mut found = Findings {
            title: format!(
                "against build {} of {}",
                self.baseline.build, self.baseline.time
            ),
            ..Findings::default()
        };
        let mut ratios = Vec::new();
        let mut slower = Vec::new();
        let mut unseen = Vec::new();
        let mut within = 0.0_f64;
        for (at, case) in self.cases.iter().enumerate() {
            let before = case.times();
            let mut row: Vec<Cell> = vec![case.name.as_str().into(), median(&before).into()];
            match rounds.and_then(|r| r.of(at)) {
                None => row.extend(vec![Cell::NONE; 6]),
                Some(Err(why)) => {
                    let said = format!("{} cannot be run any more: {why}", case.name);
                    found.alarms.push((case.name.clone(), said));
                    row.extend(vec![Cell::NONE; 6]);
                }
                Some(Ok(timed)) => {
                    let since = Since::of(&timed.rounds, &before, self.least, self.cases.len());
                    match since {
                        Since::Changed { ratio, .. } => ratios.push(ratio),
                        Since::Few { .. } => unseen.push(since.sentence(&case.name)),
                        Since::Same { within: this, .. } => within = within.max(this),
                    }
                    if since.slower() {
                        slower.push(since.sentence(&case.name));
                    }
                    let said = self.alarms(case, &timed, since).into_iter();
                    found
                        .alarms
                        .extend(said.map(|said| (case.name.clone(), said)));
                    let error = timed.report.check.as_ref().map(|c| c.rel_error);
                    row.extend([
                        median(&timed.rounds).into(),
                        since.cell().into(),
                        megabytes(case.held),
                        megabytes(timed.report.held_bytes),
                        case.error.into(),
                        error.into(),
                    ]);
                }
            }
            sheet.rows.push(row);
        }
        found.sheets.push(sheet);
        found.sentences = summary(&found);
        found.sentences.extend(self.machine(&slower));
        if within > self.least {
            found.sentences.push(format!(
                "Where no change is seen @, one of up to {} would not have been.",
                share(within).trim_start_matches('±')
            ));
        }
        let names: Vec<String> = self.cases.iter().map(|c| c.name.clone()).collect();
        found.notes = notes(rounds, &names);
        found.notes.extend(unseen);
        found.notes.extend(all_alike(&ratios, self.cases.len()));
        found.notes.extend(self.disturbed());
        if device != self.baseline.device {
            found.notes.push(format!(
                "The baseline is of another device, {}: a change may be the device's.",
                self.baseline.device
            ));
        }
        Ok(found)
    }
}

/// Where every case of several changed by about the same, the machine may have.
fn all_alike(ratios: &[f64], cases: usize) -> Option<String> {
    let low = ratios.iter().copied().reduce(f64::min)?;
    let high = ratios.iter().copied().reduce(f64::max)?;
    (cases > 2 && ratios.len() == cases && (low > 1.0 || high < 1.0) && high / low < 1.03).then(
        || {
            format!(
                "Every case changed by nearly the same factor ({low:.3} to {high:.3}): the machine itself may be slower or faster than it was; a new baseline of the old build on this machine decides."
            )
        },
    )
}

#[cfg(test)]
mod tests;

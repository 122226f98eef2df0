//! A suite: models, shapes and plans, each timed in turns with all others.

use super::notes::notes;
use crate::baseline::Case;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, SCIENTIFIC, Sheet};
use crate::timing::{Timed, Verdict};
use plan::fusion::Cut;
use plan::model::{Model, Shape};
use plan::run::{Request, mad, median};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "bench",
    asks: "How fast is this build on this device, and what does it hold?",
    varies: "models, batches, tokens per sequence and plans: all of them with all others",
    held: "element type, weights, machine",
    finds: "time in turns, tokens per second and error (@), memory held (#)",
    reduced: "medians with their deviation; the rounds are kept, so that regress can compare a later build",
    ends: "the plan with most tokens per second of each shape, where the times tell them apart",
    lessons: &["04"],
    models: false,
};

/// `study bench`.
#[derive(Debug, Clone)]
pub struct Bench {
    /// Names and requests.
    pub cases: Vec<(String, Request)>,
    /// Plans of each shape: cases stand shape by shape.
    pub plans: usize,
}

impl Bench {
    /// Every model with every batch, length and plan; each is run as `run` says.
    ///
    /// # Errors
    /// A shape that a model cannot have, or nothing to run.
    pub fn suite(
        run: &Request,
        models: &[Model],
        batches: &[u64],
        seqs: &[u64],
        cuts: &[Cut],
    ) -> Result<Self, String> {
        let mut cases = Vec::new();
        for model in models {
            for seq in seqs {
                for batch in batches {
                    for cut in cuts {
                        let mut request = run.clone();
                        request.config.model = model.clone();
                        request.config.shape = Shape::prefill(*batch, *seq);
                        request.config = request.config.with_cut(*cut);
                        let shape = request.config.shape.check(model);
                        shape.map_err(|e| format!("{} B{batch} S{seq}: {e}", model.name))?;
                        cases.push((name(&request), request));
                    }
                }
            }
        }
        match cases.len() {
            0 => Err("a suite needs a model, a batch, a length and a plan".to_owned()),
            many if many > MOST => Err(format!(
                "a suite of {many} cases is more than {MOST}; leave some out"
            )),
            _ => Ok(Self {
                cases,
                plans: cuts.len(),
            }),
        }
    }
}

/// Cases of a suite at most.
const MOST: usize = 200;

/// Model, shape, element type and plan of a request.
pub fn name(request: &Request) -> String {
    let config = &request.config;
    format!("{} {}", config.title(), config.effective_cut().title())
}

/// Tokens that a forward of this request makes.
pub(super) fn tokens(request: &Request) -> f64 {
    let shape = request.config.shape;
    shape.batch as f64 * shape.seq as f64
}

/// Megabytes.
pub(super) fn megabytes(bytes: Option<u64>) -> Cell {
    bytes.map(|bytes| bytes as f64 / 1e6).into()
}

impl Study for Bench {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks::runs(self.cases.iter().map(|(_, r)| r.clone()).collect())
    }

    fn smaller(&self) -> &'static str {
        "fewer or smaller --batches and --seqs, --runs 18, or fewer plans"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let mut sheet = Sheet::new(
            "suite",
            [
                Column::given("case"),
                Column::measured("time", "µs", 1),
                Column::measured("± dev.", "µs", 1),
                Column::measured("tokens/s", "", 0),
                Column::counted("held", "MB", 2),
                Column::measured("error", SCIENTIFIC, 0),
            ],
        );
        let mut found = Findings {
            title: format!("{} cases", self.cases.len()),
            ..Findings::default()
        };
        for (at, (name, request)) in self.cases.iter().enumerate() {
            let timed = rounds.and_then(|r| r.of(at)).and_then(Result::ok);
            sheet.rows.push(row(name, request, timed.as_ref()));
            let case = timed.map(|timed| Case::of(name.clone(), request.clone(), &timed));
            found.cases.extend(case.filter(|c| !c.times().is_empty()));
        }
        found.sheets.push(sheet);
        found.sentences = self.fastest(evidence);
        let names: Vec<String> = self.cases.iter().map(|(name, _)| name.clone()).collect();
        found.notes = notes(rounds, &names);
        Ok(found)
    }
}

/// A case as a row of the suite.
fn row(name: &str, request: &Request, timed: Option<&Timed>) -> Vec<Cell> {
    // Of the rounds, which a baseline keeps: regress shows the same figures as before.
    let times = timed.map(|t| Case::of(name.to_owned(), request.clone(), t).times());
    let middle = times.as_deref().and_then(median);
    let check = timed.and_then(|t| t.report.check.as_ref());
    vec![
        name.into(),
        middle.into(),
        times.as_deref().and_then(mad).into(),
        middle.map(|us| tokens(request) / (us * 1e-6)).into(),
        megabytes(timed.and_then(|t| t.report.held_bytes)),
        check.map(|c| c.rel_error).into(),
    ]
}

impl Bench {
    /// Of each shape the fastest plan against the first, where they can be told apart.
    fn fastest(&self, evidence: &Evidence) -> Vec<String> {
        let Some(rounds) = &evidence.rounds else {
            return Vec::new();
        };
        let middle = |at: usize| {
            let finite = |us: &f64| us.is_finite();
            let times: Vec<f64> = rounds.of(at)?.ok()?.rounds;
            median(&times.into_iter().filter(finite).collect::<Vec<_>>())
        };
        let shapes = (0..self.cases.len()).step_by(self.plans.max(1));
        let said = shapes.filter_map(|first| {
            let all = first..(first + self.plans).min(self.cases.len());
            let others = self.plans.saturating_sub(1).max(1);
            let timed = all.filter_map(|at| Some((at, middle(at)?)));
            let mut timed: Vec<(usize, f64)> = timed.collect();
            timed.sort_by(|a, b| a.1.total_cmp(&b.1));
            let (fastest, _) = *timed.first()?;
            let of = |at: usize| self.cases.get(at).map(|(name, _)| name.as_str());
            if let (true, Some((next, _))) = (fastest == first, timed.get(1))
                && let few @ Verdict::Few { .. } = rounds.verdict(first, *next, others)
            {
                return Some(few.sentence(of(first)?, of(*next)?));
            }
            if fastest == first {
                return Some(format!("{}: no plan of its shape is faster @.", of(first)?));
            }
            let verdict: Verdict = rounds.verdict(first, fastest, others);
            Some(verdict.sentence(of(first)?, of(fastest)?))
        });
        said.collect()
    }
}

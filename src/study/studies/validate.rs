//! How right each plan is: every tensor that it puts into memory against fp64.

mod court;

use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, SCIENTIFIC, Sheet, Source};
use plan::cost::Config;
use plan::fusion::Cut;
use plan::model::Dtype;
use plan::run::{CheckReport, Request, TensorReport, median};
use plan::units::figure;

use court::Court;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "validate",
    asks: "How far is each plan from fp64, in which tensor, and how does it grow?",
    varies: "plan and element type",
    held: "model, shape, weights and tokens",
    finds: "every tensor in memory against the fp64 reference (@): largest and typical error",
    reduced: "the largest share of a tolerance; errors of the blocks' outputs, layer by layer",
    ends: "who passes, the first tensor that does not, and what the documents' tolerance is worth",
    lessons: &["13"],
    models: false,
};

/// `study validate`.
#[derive(Debug, Clone)]
pub struct Validate {
    /// The configuration; its cut and element type vary.
    pub config: Config,
    /// The plans.
    pub cuts: Vec<Cut>,
    /// The element types.
    pub dtypes: Vec<Dtype>,
    /// How each is run.
    pub run: Request,
}

/// The tensor that a block hands on.
const HANDED_ON: &str = "y";

impl Validate {
    fn cases(&self) -> Vec<(Cut, Dtype)> {
        let each = |dtype: &Dtype| {
            self.cuts
                .iter()
                .map(|cut| (*cut, *dtype))
                .collect::<Vec<_>>()
        };
        self.dtypes.iter().flat_map(each).collect()
    }
}

impl Study for Validate {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let request = |(at, (cut, dtype)): (usize, (Cut, Dtype))| Request {
            config: Config {
                dtype,
                ..self.config.with_cut(cut)
            },
            runs: 0,
            warm_up: 0,
            check: true,
            tensors: true,
            // Wrong programs are the same whatever they are set beside.
            wrong: at == 0,
            ..self.run.clone()
        };
        Asks::runs(self.cases().into_iter().enumerate().map(request).collect())
    }

    fn smaller(&self) -> &'static str {
        "fewer plans, one --dtype, fewer tokens with --seq, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let mut sheet = Sheet::new(
            "plans",
            [
                Column::given("plan"),
                Column::given("type"),
                Column::measured("logits", SCIENTIFIC, 0),
                Column::modelled("allowed", SCIENTIFIC, 0),
                Column::given("nearest"),
                Column::measured("of allowed", "%", 0),
                Column::given("check"),
            ],
        );
        let mut found = Findings {
            title: format!(
                "{} against fp64, seed {}",
                Config {
                    dtype: Dtype::Fp32,
                    ..self.config.clone()
                }
                .title()
                .trim_end_matches(" fp32"),
                self.run.seed
            ),
            ..Findings::default()
        };
        let (mut passed, mut compared) = (0, 0);
        let mut growth: Vec<(String, Vec<Option<f64>>)> = Vec::new();
        let mut court = Court::default();
        for (at, (cut, dtype)) in self.cases().into_iter().enumerate() {
            let title = cut.title();
            let (title, name) = (title.as_str(), dtype.name());
            let report = match rounds.and_then(|r| r.of(at)) {
                None => continue,
                Some(Err(why)) => {
                    found.notes.push(format!("{title} {name}: {why}"));
                    continue;
                }
                Some(Ok(timed)) => timed.report,
            };
            let Some(check) = report.check else {
                let why = report.notes.first().map_or("not checked", |n| n.as_str());
                found.notes.push(format!("{title} {name}: {why}"));
                continue;
            };
            compared += 1;
            court.hear(&format!("{title} {name}"), &check);
            passed += usize::from(check.pass);
            if let Some(first) = check.first_wrong.as_ref().filter(|_| !check.pass) {
                found
                    .sentences
                    .push(format!("{title} {name} is wrong, first at {first}."));
            }
            let worst = nearest(&check);
            sheet.rows.push(vec![
                title.into(),
                name.into(),
                check.rel_error.into(),
                check.tolerance.into(),
                worst.map(|t| t.name.clone()).into(),
                worst.map(|t| 100.0 * share(t)).into(),
                if check.pass { "pass" } else { "failed" }.into(),
            ]);
            growth.push((format!("{title} {name}"), by_layer(&check)));
        }
        found.sentences.insert(
            0,
            format!(
                "{passed} of {} that were compared pass.",
                figure::counted(compared, "plan", "plans"),
            )
            .replace("of 1 plan that were", "of 1 plan that was"),
        );
        found.sheets.push(sheet);
        court.judge(&mut found);
        self.grown(&growth, &mut found);
        Ok(found)
    }
}

/// Its error as a share of what is allowed.
fn share(tensor: &TensorReport) -> f64 {
    tensor.rel_error / tensor.tolerance
}

/// The tensor whose error is the largest share of its tolerance.
fn nearest(check: &CheckReport) -> Option<&TensorReport> {
    // What may not differ at all has no share.
    let some = check.tensors.iter().filter(|t| t.tolerance > 0.0);
    some.max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Errors of what the blocks hand on, from the first block to the last.
fn by_layer(check: &CheckReport) -> Vec<Option<f64>> {
    let handed =
        |t: &&TensorReport| t.layer.is_some() && t.name.ends_with(&format!(": {HANDED_ON}"));
    let mut found: Vec<Option<f64>> = Vec::new();
    for tensor in check.tensors.iter().filter(handed) {
        let layer = tensor.layer.map_or(0, |layer| layer as usize);
        // A plan may keep what a block hands on inside a kernel.
        found.resize(found.len().max(layer + 1), None);
        if let Some(slot) = found.get_mut(layer) {
            *slot = Some(tensor.rel_error);
        }
    }
    found
}

impl Validate {
    /// How the error grows over the layers.
    fn grown(&self, growth: &[(String, Vec<Option<f64>>)], found: &mut Findings) {
        let layers = growth
            .iter()
            .map(|(_, errors)| errors.len())
            .max()
            .unwrap_or(0);
        if layers < 2 {
            return;
        }
        let columns = [
            Column::given("plan and type"),
            Column::given("block"),
            Column::measured("error", SCIENTIFIC, 0),
        ];
        let mut sheet = Sheet::new("errors of what the blocks hand on", columns);
        for (name, errors) in growth {
            let known = errors.iter().enumerate().filter(|(_, e)| e.is_some());
            sheet.rows.extend(known.map(|(layer, error)| -> Vec<Cell> {
                vec![name.as_str().into(), (layer as u64).into(), (*error).into()]
            }));
        }
        found.sheets.push(sheet);
        for dtype in &self.dtypes {
            let of_type = growth
                .iter()
                .filter(|(name, _)| name.ends_with(dtype.name()));
            let factors: Vec<f64> = of_type
                .filter(|(_, errors)| errors.len() == layers)
                .filter_map(|(_, errors)| {
                    let (first, last) = (errors.first()?.as_ref()?, errors.last()?.as_ref()?);
                    Some(last / first)
                })
                .collect();
            if let Some(middle) = median(&factors) {
                found.sentences.push(format!(
                    "{}: from the first block to the last the typical error grows {middle:.1} times @; independent errors of {layers} blocks would add to {:.1} times =.",
                    dtype.name(),
                    (layers as f64).sqrt()
                ));
            }
        }
        found.plots.push(Plot {
            x: "block".to_owned(),
            at: (0..layers).map(|layer| layer as f64).collect(),
            unit: "error".to_owned(),
            log: false,
            lines: growth
                .iter()
                .map(|(name, errors)| (name.clone(), Source::Measured, errors.clone()))
                .collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::{Rounds, report};
    use plan::fusion::Version;
    use plan::run::RunError;

    fn study() -> Validate {
        let config = Config::preset("workshop", Cut::v1()).unwrap();
        Validate {
            run: Request::new(config.clone()),
            config,
            cuts: vec![Version::V1.cut(), Version::V4.cut()],
            dtypes: vec![Dtype::Fp32, Dtype::Bf16],
        }
    }

    fn tensor(layer: u32, name: &str, error: f64) -> TensorReport {
        TensorReport {
            name: format!("block {layer}: {name}"),
            layer: Some(layer),
            rel_error: error,
            max_abs_error: error,
            tolerance: 1e-6,
        }
    }

    #[test]
    fn every_plan_and_type_is_checked_and_not_timed() {
        let requests = study().asks().runs;
        assert_eq!(requests.len(), 4);
        assert!(requests.iter().all(|r| r.check && r.tensors && r.runs == 0));
        assert_eq!(requests[2].config.dtype, Dtype::Bf16);
    }

    #[test]
    fn the_nearest_tensor_and_the_growth_are_named_and_what_fails_is_said() {
        let study = study();
        let mut rounds = Rounds::new(study.asks().runs, 1);
        while let Some(visit) = rounds.next() {
            let mut made = report(&[]);
            let wrong = visit.plan == 3;
            made.check = Some(CheckReport {
                reference: "fp64".into(),
                max_abs_error: 1e-6,
                rel_error: 4e-7,
                tolerance: 1e-6,
                pass: !wrong,
                first_wrong: wrong.then(|| "block 1: n2".to_owned()),
                tensors: vec![
                    tensor(0, "y", 1e-7),
                    tensor(0, "o", 8e-7),
                    tensor(1, "y", 2e-7),
                ],
                wrong: vec![],
            });
            rounds.take(match visit.plan {
                1 => Err(RunError::missing("no kernel")),
                _ => Ok(made),
            });
        }
        let found = study.reduce(&rounds.into()).unwrap();
        assert_eq!(found.sentences[0], "2 of 3 plans that were compared pass.");
        assert_eq!(
            found.sentences[1],
            "V4 bf16 is wrong, first at block 1: n2."
        );
        assert_eq!(found.notes, ["V4 fp32: no kernel"]);
        let row = &found.sheets[0].rows[0];
        assert_eq!(row[4], Cell::from("block 0: o"));
        assert!(matches!(row[5], Cell::Number(p) if (p - 80.0).abs() < 1e-9));
        let grown = found
            .sentences
            .iter()
            .find(|s| s.starts_with("fp32: from"))
            .unwrap();
        assert!(grown.contains("grows 2.0 times"), "{grown}");
    }
}

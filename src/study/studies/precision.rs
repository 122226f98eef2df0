//! What an element type costs and saves: bytes, error, time, ridge.

use super::notes::notes;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, SCIENTIFIC, Sheet, Source};
use crate::timing::Timed;
use plan::cost::{Config, Gpu, price, ridge};
use plan::model::Dtype;
use plan::run::Request;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "precision",
    asks: "What does an element type save, and what does it cost?",
    varies: "the element type: those that the backend has; others by the model",
    held: "model, shape, plan, weights and tokens",
    finds: "bytes, intensity and ridge by the model (=), errors against fp64 and times in turns (@)",
    reduced: "each beside fp32: bytes, error in rounding steps, the verdict on the times",
    ends: "bytes saved, digits lost, and whether the time shows it",
    lessons: &["13"],
    models: true,
};

/// `study precision`.
#[derive(Debug, Clone)]
pub struct Precision {
    /// The configuration; its element type varies.
    pub config: Config,
    /// Whose ridge.
    pub gpu: Gpu,
    /// How each type is run, where it is.
    pub run: Option<Request>,
}

/// The types that are run.
const RUN: [Dtype; 2] = [Dtype::Fp32, Dtype::Bf16];

/// A type that a device may have and this program does not run.
struct Other {
    name: &'static str,
    /// The type that is run and takes as many bytes, by its place among them.
    like: usize,
    /// Significant bits of a factor.
    bits: i32,
    peak: fn(&Gpu) -> Option<f64>,
}

/// Types of which the model alone speaks.
const OTHERS: [Other; 2] = [
    Other {
        name: "tf32",
        like: 0,
        bits: 11,
        peak: |gpu| gpu.tf32_tflops,
    },
    Other {
        name: "fp16",
        like: 1,
        bits: 11,
        peak: |gpu| Some(gpu.fp16_tflops),
    },
];

/// Significant bits of a type.
const fn bits(dtype: Dtype) -> i32 {
    match dtype {
        Dtype::Fp32 => 24,
        Dtype::Bf16 => 8,
    }
}

/// The largest relative error of one rounding: 2 to the minus significant bits.
fn unit(bits: i32) -> f64 {
    2f64.powi(-bits)
}

impl Study for Precision {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let Some(run) = &self.run else {
            return Asks::default();
        };
        let request = |dtype: Dtype| Request {
            config: Config {
                dtype,
                ..self.config.clone()
            },
            ..run.clone()
        };
        Asks::runs(RUN.map(request).into())
    }

    fn models(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }

    fn smaller(&self) -> &'static str {
        "--runs 18, fewer tokens with --seq, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let timed: Vec<Option<Timed>> = (0..RUN.len()).map(|at| rounds?.of(at)?.ok()).collect();
        let ran = timed.iter().any(Option::is_some);
        let mut columns = vec![
            Column::given("type"),
            Column::modelled("bytes", "MB", 3).why("forward.bytes"),
            Column::modelled("FLOP/B", "", 1).why("forward.intensity"),
            Column::modelled("ridge", "", 1),
        ];
        // Of what is run the errors are told; one rounding stands in the sentences.
        if !ran {
            columns.push(Column::modelled("rounding", SCIENTIFIC, 0));
        }
        if ran {
            columns.extend([
                Column::measured("logits", SCIENTIFIC, 0),
                Column::measured("time", "µs", 1),
                Column::measured("± dev.", "µs", 1),
            ]);
        }
        let mut sheet = Sheet::new("types", columns);
        let mut modelled: Vec<(f64, f64)> = Vec::new();
        for (dtype, timed) in RUN.into_iter().zip(&timed) {
            let config = Config {
                dtype,
                ..self.config.clone()
            };
            let cost = price(&config).map_err(|e| e.to_string())?;
            let bytes = cost.forward.bytes() as f64;
            modelled.push((bytes, cost.forward.flops as f64));
            let mut row: Vec<Cell> = vec![
                dtype.name().into(),
                (bytes * 1e-6).into(),
                cost.forward.intensity().into(),
                ridge(&self.gpu, dtype).ok().into(),
            ];
            if !ran {
                row.push(unit(bits(dtype)).into());
            }
            if ran {
                let report = timed.as_ref().map(|t| &t.report);
                let time = report.and_then(|r| r.time_us.as_ref());
                row.push(
                    report
                        .and_then(|r| Some(r.check.as_ref()?.rel_error))
                        .into(),
                );
                row.push(time.map(|t| t.median).into());
                row.push(time.map(|t| t.mad).into());
            }
            sheet.of.push(config);
            sheet.rows.push(row);
        }
        for other in &OTHERS {
            let peak = (other.peak)(&self.gpu).map(|t| t * 1e12);
            let (bytes, flops) = modelled.get(other.like).copied().unwrap_or((0.0, 0.0));
            let mut row: Vec<Cell> = vec![
                other.name.into(),
                (bytes * 1e-6).into(),
                (flops / bytes).into(),
                peak.map(|peak| peak / self.gpu.bandwidth()).into(),
            ];
            if !ran {
                row.push(unit(other.bits).into());
            }
            row.resize(sheet.columns.len(), Cell::NONE);
            sheet.rows.push(row);
        }
        let mut found = Findings {
            title: format!(
                "{}, {}, ridges of {}",
                self.config
                    .title()
                    .trim_end_matches(" fp32")
                    .trim_end_matches(" bf16"),
                self.config.effective_cut().title(),
                self.gpu.name
            ),
            plots: self.plots(&timed),
            sheets: vec![sheet],
            ..Findings::default()
        };
        let saved = modelled
            .get(1)
            .zip(modelled.first())
            .map_or(0.0, |((half, _), (whole, _))| 100.0 * (1.0 - half / whole));
        found.sentences.push(format!(
            "bf16 moves {saved:.1} % fewer bytes than fp32 at the same FLOPs; one rounding is 2^{} times as coarse =.",
            bits(Dtype::Fp32) - bits(Dtype::Bf16)
        ));
        let error = |at: usize| -> Option<f64> {
            Some(timed.get(at)?.as_ref()?.report.check.as_ref()?.rel_error)
        };
        if let (Some(fine), Some(coarse)) = (error(0), error(1)) {
            found.sentences.push(format!(
                "The logits are off by {fine:.1e} in fp32 and {coarse:.1e} in bf16 @: {:.1} and {:.1} of one rounding. Sums are fp32 in both.",
                fine / unit(bits(Dtype::Fp32)),
                coarse / unit(bits(Dtype::Bf16))
            ));
        }
        let times = timed.iter().flatten();
        if let Some(rounds) = rounds
            && times.filter(|t| t.report.time_us.is_some()).count() == RUN.len()
        {
            found
                .sentences
                .push(rounds.verdict(1, 0, 1).sentence("bf16", "fp32"));
        }
        let on_cpu = timed.iter().flatten().any(|t| t.report.backend == "cpu");
        if on_cpu {
            found.notes.push(
                "This CPU computes bf16 by widening each element to fp32: it saves bytes and no arithmetic, and has no ridge of its own for it."
                    .to_owned(),
            );
        }
        found.notes.push(
            "tf32 and fp16 are not run: no kernel of this program has them. tf32 keeps fp32's bytes and rounds each factor of a product; fp16 has bf16's bytes and ends at 65,504."
                .to_owned(),
        );
        let names = RUN.map(|d| d.name().to_owned());
        found.notes.extend(notes(rounds, &names));
        Ok(found)
    }
}

impl Precision {
    /// Errors of both types over one rounding of the type.
    fn plots(&self, timed: &[Option<Timed>]) -> Vec<Plot> {
        let error = |t: &Option<Timed>| Some(t.as_ref()?.report.check.as_ref()?.rel_error);
        let errors: Vec<Option<f64>> = timed.iter().map(error).collect();
        if errors.iter().any(Option::is_none) {
            return Vec::new();
        }
        let steps = RUN.map(|d| unit(bits(d)));
        vec![Plot {
            x: "one rounding".to_owned(),
            at: steps.into(),
            unit: "error".to_owned(),
            log: true,
            lines: vec![
                ("logits".to_owned(), Source::Measured, errors),
                (
                    "one rounding".to_owned(),
                    Source::Modelled,
                    steps.map(Some).into(),
                ),
            ],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::{Rounds, report};
    use plan::cost::GpuDatabase;
    use plan::fusion::Version;
    use plan::run::CheckReport;

    fn study(run: bool) -> Precision {
        let config = Config::preset("workshop", Version::V2.cut()).unwrap();
        Precision {
            gpu: GpuDatabase::embedded()
                .unwrap()
                .get("h200")
                .unwrap()
                .clone(),
            run: run.then(|| Request::new(config.clone())),
            config,
        }
    }

    #[test]
    fn half_the_bytes_and_the_ridges_of_the_data_sheet() {
        let found = study(false).reduce(&Evidence::default()).unwrap();
        assert!(
            found.sentences[0].starts_with("bf16 moves 5"),
            "{}",
            found.sentences[0]
        );
        assert!(found.sentences[0].contains("2^16 times"));
        let rows = &found.sheets[0].rows;
        let number = |row: usize, column: usize| match rows[row][column] {
            Cell::Number(x) => x,
            ref other => panic!("{other:?}"),
        };
        // Token ids stay four bytes wide: not quite half.
        assert!((0.5..0.51).contains(&(number(1, 1) / number(0, 1))));
        // H200: 66.9 and 989.5 TFLOP/s over 4.8 TB/s; tf32 half of bf16.
        assert!((number(0, 3) - 66.9 / 4.8).abs() < 0.1);
        assert!((number(1, 3) / number(2, 3) - 2.0).abs() < 0.01);
        assert_eq!(number(2, 1), number(0, 1));
        // fp16 has bf16's bytes, the ids of tokens included.
        assert_eq!(number(3, 1), number(1, 1));
        assert_eq!(number(3, 2), number(1, 2));
    }

    #[test]
    fn errors_stand_in_roundings_and_no_time_is_claimed_that_is_not_seen() {
        let study = study(true);
        let mut rounds = Rounds::new(study.asks().runs, 1);
        while let Some(visit) = rounds.next() {
            let coarse = visit.plan == 1;
            let time = [100.0, 103.0, 98.0][(visit.request.runs as usize + visit.plan) % 3];
            let mut made = report(&vec![time; visit.request.runs as usize]);
            made.check = Some(CheckReport {
                reference: "fp64".into(),
                max_abs_error: 1.0,
                rel_error: if coarse {
                    2f64.powi(-7)
                } else {
                    2f64.powi(-22)
                },
                tolerance: 1.0,
                pass: true,
                first_wrong: None,
                tensors: vec![],
                wrong: vec![],
            });
            rounds.take(Ok(made));
        }
        let found = study.reduce(&rounds.into()).unwrap();
        // 2^-22 is four roundings of 2^-24, 2^-7 two of 2^-8.
        assert!(
            found.sentences[1].contains("4.0 and 2.0 of one rounding"),
            "{}",
            found.sentences[1]
        );
        assert_eq!(found.sentences.len(), 3);
        assert_eq!(found.plots.len(), 1);
    }
}

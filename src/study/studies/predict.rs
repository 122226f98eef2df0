//! The time of a forward before it is run, from what its parts cost on this machine.

mod tables;

use super::notes::notes;
use crate::calibration::{Calibration, Extent, Seen, Tiles, Work, fit, held_out, points, title};
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Findings, Plot, Source};
use crate::learned::{Learned, Prediction};
use crate::timing::Timed;
use plan::cost::Config;
use plan::fusion::Cut;
use plan::run::{Request, median};
use plan::units::figure;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "predict",
    asks: "How long will a forward take here, before it is run?",
    varies: "nothing; the first time, forwards of many sizes that calibrate the machine",
    held: "the machine, its backend, the element type",
    finds: "costs of launches, waits, products and bytes, fitted to times in turns (@); times that follow from them (=)",
    reduced: "least squares through the logarithms; each forward predicted by a fit without it",
    ends: "a time with the interval that holds eight of ten, and how far off past predictions were",
    lessons: &["21", "25"],
    models: false,
};

/// Forwards of a calibration.
pub const POINTS: usize = 36;
/// Timed runs of each of them.
const RUNS: u32 = 8;

/// `study predict`.
#[derive(Debug, Clone)]
pub struct Predict {
    /// What is predicted; its cut varies.
    pub config: Config,
    /// The plans.
    pub cuts: Vec<Cut>,
    /// How each is run.
    pub run: Request,
    /// Whether they are run as well.
    pub measure: bool,
    /// What is known of this machine; `None`: it is calibrated.
    pub known: Option<Calibration>,
    /// How large the forwards of a calibration are.
    pub extent: Extent,
    /// Forwards that no fit sees, made to show how far off it is.
    pub held_out: usize,
    /// What was predicted before.
    pub past: Vec<Prediction>,
}

/// The requests, in the order in which they are asked for.
struct Asked {
    points: Vec<Config>,
    held_out: Vec<Config>,
    plans: Vec<Config>,
}

impl Predict {
    fn asked(&self) -> Asked {
        let dtype = self.config.dtype;
        Asked {
            points: match &self.known {
                Some(_) => Vec::new(),
                None => points(POINTS, self.extent, dtype),
            },
            held_out: held_out(self.held_out, self.extent, dtype),
            plans: match self.measure {
                true => self.plans(),
                false => Vec::new(),
            },
        }
    }

    fn plans(&self) -> Vec<Config> {
        self.cuts.iter().map(|c| self.config.with_cut(*c)).collect()
    }
}

impl Study for Predict {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let asked = self.asked();
        let each = |config: &Config, check: bool| Request {
            config: config.clone(),
            runs: self.run.runs.min(RUNS),
            check,
            tuned: Vec::new(),
            ..self.run.clone()
        };
        let drawn = asked.points.iter().chain(&asked.held_out);
        let mut runs: Vec<Request> = drawn.map(|c| each(c, false)).collect();
        let checked = |c: &Config| Request {
            tuned: self.run.tuned.clone(),
            ..each(c, self.run.check)
        };
        runs.extend(asked.plans.iter().map(checked));
        Asks::runs(runs)
    }

    fn smaller(&self) -> &'static str {
        "--runs 4, fewer --held-out, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let asked = self.asked();
        let rounds = evidence.rounds.as_ref();
        let timed = |at: usize| -> Option<Timed> {
            let timed = rounds?.of(at)?.ok()?;
            timed.report.time_us.is_some().then_some(timed)
        };
        let seconds = |at: usize| Some(timed(at)?.report.time_us?.median * 1e-6);
        let calibration = match &self.known {
            Some(known) => known.clone(),
            None => {
                let mut seen: Vec<(String, Work, f64)> = Vec::new();
                for (at, config) in asked.points.iter().enumerate() {
                    let Some(seconds) = seconds(at) else { continue };
                    let on = Tiles::of(&timed(at).map_or(String::new(), |t| t.report.backend));
                    seen.push((title(config), Work::of(config, on)?, seconds));
                }
                let ran = (0..asked.points.len()).find_map(timed);
                let (backend, device) =
                    ran.map_or(Default::default(), |t| (t.report.backend, t.report.device));
                let trouble = rounds.and_then(|r| r.together(0..asked.points.len()));
                Calibration {
                    disturbed: trouble.map(|why| why.to_string()),
                    ..fit([&backend, &device], self.config.dtype, &seen)?
                }
            }
        };
        let mut found = Findings {
            title: format!("{} on {}", self.config.title(), calibration.device),
            ..Findings::default()
        };
        let others: Vec<Seen> = asked
            .held_out
            .iter()
            .zip(asked.points.len()..)
            .filter_map(|(config, at)| {
                Some(Seen {
                    title: title(config),
                    seconds: seconds(at)?,
                    predicted: calibration.predict(config).ok()?.seconds,
                })
            })
            .collect();
        let first = asked.points.len() + asked.held_out.len();
        let mut learned = Learned {
            calibration: self.known.is_none().then(|| calibration.clone()),
            ..Learned::default()
        };
        let mut rows = Vec::new();
        for (at, config) in self.plans().into_iter().enumerate() {
            let predicted = calibration.predict(&config)?;
            let work = calibration.work(&config)?;
            if calibration.outside(&work) {
                found.notes.push(format!(
                    "{} is more than twice as large or small as anything that was timed: its interval says too little.",
                    title(&config)
                ));
            }
            let mut prediction = Prediction {
                backend: calibration.backend.clone(),
                device: calibration.device.clone(),
                predicted,
                measured: Vec::new(),
                config,
            };
            let ran = asked.plans.get(at).and_then(|_| timed(first + at));
            if let Some(ran) = &ran {
                prediction.take(&prediction.config.clone(), &ran.report);
            }
            rows.push((prediction.clone(), ran));
            learned.predictions.push(prediction);
        }
        found.sheets.push(tables::plans(&rows));
        found
            .sentences
            .extend(rows.first().map(|(p, _)| tables::sentence(p)));
        found.sentences.extend(calibration.doubt());
        found.sentences.extend(errors(
            &calibration.seen,
            "forward of the calibration, each predicted by a fit without it,",
            "forwards of the calibration, each predicted by a fit without it,",
        ));
        found.sentences.extend(errors(
            &others,
            "forward of other sizes",
            "forwards of other sizes",
        ));
        let run_since: Vec<&Prediction> = self.past.iter().filter(|p| p.off().is_some()).collect();
        let off: Vec<f64> = run_since
            .iter()
            .filter_map(|p| Some(p.off()?.abs()))
            .collect();
        if let Some(middle) = median(&off) {
            found.sentences.push(format!(
                "Of {} that were run since, half are within {:.0} % @.",
                figure::counted(off.len() as u64, "past prediction", "past predictions"),
                100.0 * middle
            ));
        }
        found.sheets.push(tables::costs(&calibration));
        found.sheets.push(tables::products(&calibration));
        if !others.is_empty() {
            found
                .sheets
                .push(tables::seen("forwards of other sizes", &others));
        }
        found.sheets.push(tables::seen(
            "forwards of the calibration",
            &calibration.seen,
        ));
        if !run_since.is_empty() {
            found.sheets.push(tables::past(&run_since));
        }
        found.plots.push(plot(match others.is_empty() {
            true => &calibration.seen,
            false => &others,
        }));
        if self.known.is_some() {
            found
                .notes
                .push("The machine was calibrated before; --calibrate does it anew.".to_owned());
        } else if calibration.disturbed.is_some() {
            found.notes.push(
                "A calibration that was disturbed is kept as such, and never in place of one that was not."
                    .to_owned(),
            );
        }
        let drawn = asked.points.iter().chain(&asked.held_out);
        let names: Vec<String> = drawn.chain(&asked.plans).map(title).collect();
        found.notes.extend(notes(rounds, &names));
        found.learned = Some(Box::new(learned));
        Ok(found)
    }
}

/// How far off predictions of what a fit had not seen were.
fn errors(seen: &[Seen], one: &str, many: &str) -> Option<String> {
    let mut off: Vec<f64> = seen.iter().map(Seen::error).collect();
    let middle = median(&off)?;
    off.sort_by(f64::total_cmp);
    let most = off.get((9 * off.len()).div_ceil(10).saturating_sub(1))?;
    Some(format!(
        "Of {} half are within {:.0} % and nine of ten within {:.0} % @.",
        figure::counted(seen.len() as u64, one, many),
        100.0 * middle,
        100.0 * most
    ))
}

/// Predicted over measured times.
fn plot(seen: &[Seen]) -> Plot {
    let mut seen: Vec<&Seen> = seen.iter().collect();
    seen.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let each = |of: fn(&Seen) -> f64| seen.iter().map(|s| Some(1e6 * of(s))).collect();
    Plot {
        x: "measured µs".to_owned(),
        at: seen.iter().map(|s| 1e6 * s.seconds).collect(),
        unit: "µs".to_owned(),
        log: true,
        lines: vec![
            (
                "predicted".to_owned(),
                Source::Modelled,
                each(|s| s.predicted),
            ),
            ("measured".to_owned(), Source::Measured, each(|s| s.seconds)),
        ],
    }
}

#[cfg(test)]
mod tests;

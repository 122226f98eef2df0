//! How time and memory grow with one size: exponents, and where a curve bends.

mod bend;
mod over;

use super::fit::{exponent, quadratic};
use super::notes::notes;
use super::sweep;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use crate::timing::{ALARMS, Interval, Timed, of_median};
use plan::cost::{Config, Cost, price};
use plan::run::Request;
use plan::units::figure::fixed;

use bend::{bends, beside};
pub use over::Over;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "scale",
    asks: "How do time and memory grow with a size, and where does the curve bend?",
    varies: "one size: seq, batch, context, layers, width, or the preset",
    held: "the plan and every other size",
    finds: "FLOPs, bytes, peak of activations by the model (=); times in turns and memory held with --run (@, #)",
    reduced: "exponents by least squares through the logarithms, round by round, with an interval; constant, linear and quadratic part",
    ends: "the exponents, modelled beside measured",
    lessons: &["10", "21"],
    models: false,
};

/// `study scale`.
#[derive(Debug, Clone)]
pub struct Scale {
    /// The configuration at which everything else is held.
    pub config: Config,
    /// What varies.
    pub over: Over,
    /// Its values, ascending.
    pub values: Vec<u64>,
    /// How each is run, where it is.
    pub run: Option<Request>,
}

impl Scale {
    /// A sweep over these values; the usual ones where there are none.
    ///
    /// # Errors
    /// Values that cannot be, or too few.
    pub fn new(
        config: Config,
        over: Over,
        values: &[u64],
        run: Option<Request>,
    ) -> Result<Self, String> {
        let mut values = match values {
            [] => over.usual().to_vec(),
            some => some.to_vec(),
        };
        values.sort_unstable();
        values.dedup();
        if values.len() < 2 {
            return Err("a curve needs two sizes at least: --at 32,64,128".to_owned());
        }
        for value in &values {
            over.at(&config, *value)?;
        }
        Ok(Self {
            config,
            over,
            values,
            run,
        })
    }

    fn configs(&self) -> Result<Vec<Config>, String> {
        let at = |value: &u64| self.over.at(&self.config, *value);
        self.values.iter().map(at).collect()
    }
}

impl Study for Scale {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let (Some(run), Ok(configs)) = (&self.run, self.configs()) else {
            return Asks::default();
        };
        let request = |config: Config| Request {
            config,
            ..run.clone()
        };
        Asks::runs(configs.into_iter().map(request).collect())
    }

    fn smaller(&self) -> &'static str {
        "fewer or smaller sizes with --at, --runs 16, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let configs = self.configs()?;
        let costs = configs.iter().map(price).collect::<Result<Vec<Cost>, _>>();
        let costs = costs.map_err(|e| e.to_string())?;
        let timed: Vec<Option<Timed>> = (0..configs.len())
            .map(|at| rounds?.of(at)?.ok().filter(|t| t.report.time_us.is_some()))
            .collect();
        let places = self.values.iter().zip(&costs);
        let x: Vec<f64> = places.map(|(v, cost)| self.over.place(*v, cost)).collect();
        let of = |figure: fn(&Cost) -> f64| -> Vec<f64> { costs.iter().map(figure).collect() };
        let flops = of(|c| c.forward.flops as f64);
        let bytes = of(|c| c.forward.bytes() as f64);
        let peak = of(|c| c.peak.bytes as f64);
        let mut found = Findings {
            title: format!(
                "{} over {}, {}",
                self.config.title(),
                self.over.name(),
                self.config.effective_cut().title()
            ),
            sheets: vec![self.points(&costs, &timed)],
            ..Findings::default()
        };
        let mut fits = Sheet::new(
            "exponents",
            [Column::given("figure"), Column::modelled("exponent", "", 3)],
        );
        for (name, y) in [("FLOPs", &flops), ("bytes", &bytes), ("peak act.", &peak)] {
            let modelled = exponent(&x, y);
            fits.rows.push(vec![name.into(), modelled.into()]);
        }
        found.sentences.push(format!(
            "FLOPs grow as {l}^{}, bytes as {l}^{}, the peak of activations as {l}^{} =.",
            power(exponent(&x, &flops)),
            power(exponent(&x, &bytes)),
            power(exponent(&x, &peak)),
            l = self.over.letter()
        ));
        self.times(&x, &flops, &bytes, &timed, &mut fits, &mut found);
        found.sheets.push(fits);
        found.plots = self.plots(&x, &costs, &timed);
        let sizes = self.values.iter();
        let names: Vec<String> = sizes.map(|v| self.over.titled(*v)).collect();
        found.notes.extend(notes(rounds, &names));
        Ok(found)
    }
}

/// An exponent in words.
fn power(exponent: Option<f64>) -> String {
    exponent.map_or("?".to_owned(), |p| fixed(p, 2))
}

impl Scale {
    fn points(&self, costs: &[Cost], timed: &[Option<Timed>]) -> Sheet {
        let ran = timed.iter().any(Option::is_some);
        let mut columns = vec![
            Column::given(self.over.name()),
            Column::modelled("MFLOP", "", 2).why("forward.flops"),
            Column::modelled("bytes", "MB", 3).why("forward.bytes"),
            Column::modelled("peak", "MB", 3).why("peak"),
        ];
        if ran {
            columns.extend(sweep::columns(2));
        }
        let mut sheet = Sheet::new("points", columns);
        for ((value, cost), timed) in self.values.iter().zip(costs).zip(timed) {
            let mut row: Vec<Cell> = vec![
                self.over.shown(*value),
                (cost.forward.flops as f64 * 1e-6).into(),
                (cost.forward.bytes() as f64 * 1e-6).into(),
                (cost.peak.bytes as f64 * 1e-6).into(),
            ];
            if ran {
                let shape = cost.config.shape;
                let tokens = (shape.batch * shape.seq) as f64;
                row.extend(sweep::cells(timed.as_ref(), tokens));
            }
            sheet.of.push(cost.config.clone());
            sheet.rows.push(row);
        }
        sheet
    }

    /// Exponents of the time, its parts, and where it bends.
    fn times(
        &self,
        x: &[f64],
        flops: &[f64],
        bytes: &[f64],
        timed: &[Option<Timed>],
        fits: &mut Sheet,
        found: &mut Findings,
    ) {
        let known: Vec<(usize, &Timed)> = timed
            .iter()
            .enumerate()
            .filter_map(|(at, t)| Some((at, t.as_ref()?)))
            .collect();
        if known.len() < 2 {
            return;
        }
        let pick = |of: &[f64]| -> Vec<f64> {
            known
                .iter()
                .filter_map(|(at, _)| of.get(*at).copied())
                .collect()
        };
        let (x, flops, bytes) = (pick(x), pick(flops), pick(bytes));
        let letter = self.over.letter();
        let rounds = known.iter().map(|(_, t)| t.rounds.len()).min().unwrap_or(0);
        let in_round = |round: usize| -> Vec<f64> {
            let time = |(_, t): &(usize, &Timed)| t.rounds.get(round).copied().unwrap_or(f64::NAN);
            known.iter().map(time).collect()
        };
        let slopes: Vec<f64> = (0..rounds)
            .map(|round| exponent(&x, &in_round(round)).unwrap_or(f64::NAN))
            .collect();
        let slope = of_median(&slopes, ALARMS);
        fits.columns.push(Column::measured("exponent", "", 3));
        fits.columns.push(Column::given("at 99 %"));
        for row in &mut fits.rows {
            row.extend([Cell::NONE, "".into()]);
        }
        fits.rows.push(vec![
            "time".into(),
            Cell::NONE,
            slope.map(|s| s.middle).into(),
            match slope {
                Some(s) => format!("{} to {}", fixed(s.low, 3), fixed(s.high, 3)).into(),
                None => "too few rounds".into(),
            },
        ]);
        if let Some(Interval { middle, low, high }) = slope {
            let (f, b) = (exponent(&x, &flops), exponent(&x, &bytes));
            found.sentences.push(format!(
                "The time grows as {letter}^{} @ ({} to {}, {rounds} rounds in turns){}.",
                fixed(middle, 2),
                fixed(low, 2),
                fixed(high, 2),
                beside(low, high, f, b)
            ));
        }
        // Parts of the largest, round by round: each has its interval, or nothing is said.
        let last = x.last().copied().unwrap_or(0.0);
        let parts: Vec<[f64; 3]> = (0..rounds)
            .filter_map(|round| {
                let [a, b, c] = quadratic(&x, &in_round(round))?;
                let parts = [a, b * last, c * last * last];
                let all: f64 = parts.iter().sum();
                Some(parts.map(|part| 100.0 * part / all))
            })
            .collect();
        let part = |of: fn(&[f64; 3]) -> f64| -> Option<String> {
            let found = of_median(&parts.iter().map(of).collect::<Vec<_>>(), ALARMS / 3.0)?;
            Some(format!(
                "{} % ({} to {})",
                fixed(found.middle, 0),
                fixed(found.low, 0),
                fixed(found.high, 0)
            ))
        };
        if let (Some(a), Some(b), Some(c)) = (part(|p| p[0]), part(|p| p[1]), part(|p| p[2])) {
            found.sentences.push(format!(
                "At {letter} = {last}: {a} of the fitted time is constant, {b} grows with {letter}, {c} with {letter}² @."
            ));
        }
        found
            .sentences
            .extend(bends(&x, &flops, rounds, letter, &in_round));
    }

    /// Time and memory over the size; the time with a straight and a square line.
    fn plots(&self, x: &[f64], costs: &[Cost], timed: &[Option<Timed>]) -> Vec<Plot> {
        let modelled = |of: fn(&Cost) -> f64| costs.iter().map(|c| Some(of(c))).collect();
        let mut plots = vec![Plot {
            x: self.over.axis().to_owned(),
            at: x.to_vec(),
            unit: "MB".to_owned(),
            log: true,
            lines: vec![
                (
                    "bytes".to_owned(),
                    Source::Modelled,
                    modelled(|c| c.forward.bytes() as f64 * 1e-6),
                ),
                (
                    "peak".to_owned(),
                    Source::Modelled,
                    modelled(|c| c.peak.bytes as f64 * 1e-6),
                ),
            ],
        }];
        let time = |t: &Option<Timed>| Some(t.as_ref()?.report.time_us.as_ref()?.median);
        let times: Vec<Option<f64>> = timed.iter().map(time).collect();
        let first = x.iter().zip(&times).find_map(|(x, t)| Some((*x, (*t)?)));
        if let Some((x0, t0)) = first {
            let line = |p: i32| x.iter().map(|x| Some(t0 * (x / x0).powi(p))).collect();
            plots.insert(
                0,
                Plot {
                    x: self.over.axis().to_owned(),
                    at: x.to_vec(),
                    unit: "µs".to_owned(),
                    log: true,
                    lines: vec![
                        ("time".to_owned(), Source::Measured, times),
                        ("linear".to_owned(), Source::Given, line(1)),
                        ("quadratic".to_owned(), Source::Given, line(2)),
                    ],
                },
            );
        }
        plots
    }
}

#[cfg(test)]
mod tests;

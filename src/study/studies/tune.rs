//! The settings of a kernel on this machine: all of them timed in turns, and what four
//! searches with the same budget would have found of it.
//!
//! The winner is chosen on every other round and confirmed on the rounds between: the best
//! of many times is always a lucky one, and is not believed on the rounds that made it so.

mod why;

use super::notes::notes;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use crate::learned::Learned;
use crate::search::{Measured, SEARCHES, Space};
use crate::timing::Verdict;
use plan::cost::{Config, Gpu};
use plan::model::random::Stream;
use plan::run::{Request, Settings, Tuned, mad, median};
use plan::units::figure;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "tune",
    asks: "Which settings of a kernel are quickest here, and which search finds them soonest?",
    varies: "the settings of one kernel: tile, stages, registers; on a CPU rows, columns and keys of a tile",
    held: "model, shape, element type, plan, device",
    finds: "the forward's time in turns with each setting (@)",
    reduced: "exhaustive, random, halving and Bayesian search on the same times and budget; the winner confirmed on rounds that did not choose it",
    ends: "the winner against the program's own choice, kept where the difference is seen",
    lessons: &["18", "24"],
    models: true,
};

/// Seeds over which searches that draw are averaged.
const SEEDS: u64 = 25;
/// Most settings that are timed where nothing is said.
pub const POINTS: usize = 48;

/// `study tune`.
#[derive(Debug, Clone)]
pub struct Tune {
    /// The kernel.
    pub kernel: String,
    /// Its settings.
    pub space: Space,
    /// The configuration.
    pub config: Config,
    /// How each setting is run.
    pub run: Request,
    /// The device's data sheet, where it is a GPU that the database has.
    pub gpu: Option<Gpu>,
    /// Threads, where it is a CPU.
    pub threads: u64,
}

impl Tune {
    /// A study of so many points of a space: all, or some that a seed draws.
    pub fn sample(space: Space, most: usize) -> Space {
        let count = space.points.len();
        if count <= most {
            return space;
        }
        let draws = Stream::new(1, "points");
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, draws.below(at as u64, at as u64 + 1) as usize);
        }
        order.truncate(most);
        order.sort_unstable();
        let points = order.iter().filter_map(|at| space.points.get(*at).cloned());
        Space {
            points: points.collect(),
            ..space
        }
    }

    fn tuned(&self, settings: Settings) -> Tuned {
        Tuned {
            kernel: self.kernel.clone(),
            settings,
            config: self.config.clone(),
            device: String::new(),
            study: String::new(),
        }
    }
}

/// The times of one point: those that choose, and those that confirm.
struct Halves {
    chooses: Vec<f64>,
    confirms: Vec<f64>,
}

impl Halves {
    fn of(rounds: &[f64]) -> Self {
        let every = |from: usize| -> Vec<f64> {
            let found = rounds.iter().skip(from).step_by(2).copied();
            found.filter(|t| t.is_finite()).collect()
        };
        Self {
            chooses: every(0),
            confirms: every(1),
        }
    }
}

impl Study for Tune {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    /// First the program's own choice, then every point.
    fn asks(&self) -> Asks {
        let each = |tuned: Vec<Tuned>, check: bool| Request {
            tuned,
            check,
            ..self.run.clone()
        };
        let mut runs = vec![each(Vec::new(), self.run.check)];
        runs.extend(
            (0..self.space.points.len())
                .map(|at| each(vec![self.tuned(self.space.settings(at))], self.run.check)),
        );
        Asks::runs(runs)
    }

    fn models(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    fn smaller(&self) -> &'static str {
        "fewer --points, --runs 36, fewer tokens with --seq, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref().ok_or("nothing was timed")?;
        let times = |at: usize| -> Option<Vec<f64>> {
            let timed = rounds.of(at)?.ok()?;
            let right = timed.report.check.as_ref().is_none_or(|c| c.pass);
            (right && timed.report.time_us.is_some()).then_some(timed.rounds)
        };
        let own = times(0).ok_or("the program's own choice could not be timed")?;
        let own = Halves::of(&own);
        let count = self.space.points.len();
        let points: Vec<Option<Halves>> = (1..=count)
            .map(|at| Some(Halves::of(&times(at)?)))
            .collect();
        let order = ordered(&points);
        let mut found = Findings {
            title: format!(
                "{}, {}, the program's choice and {} of {}",
                self.config.title(),
                self.config.effective_cut().title(),
                figure::counted(count as u64, "setting", "settings"),
                self.kernel
            ),
            ..Findings::default()
        };
        found.sheets.push(self.table(&own, &points, &order));
        if let Some(best) = order.first().copied() {
            self.winner(best, &own, &points, &mut found);
        }
        self.searches(&points, &mut found);
        let cannot = points.iter().filter(|p| p.is_none()).count();
        if cannot > 0 {
            found.notes.push(format!(
                "{} of {count} settings cannot be here: no such tile, or no room for it.",
                cannot
            ));
        }
        // Those that cannot be are said once, above.
        let can: Vec<usize> = (1..=count)
            .filter(|at| matches!(rounds.of(*at), Some(Ok(_))))
            .collect();
        let wrong = can.iter().filter(|at| {
            let timed = rounds.of(**at).and_then(Result::ok);
            timed.is_some_and(|t| t.report.check.is_some_and(|c| !c.pass))
        });
        let wrong = wrong.count();
        if wrong > 0 {
            found.notes.push(format!(
                "{wrong} settings give wrong numbers; no time of them is kept."
            ));
        }
        found.notes.extend(notes(
            Some(rounds),
            &["the program's own choice".to_owned()],
        ));
        Ok(found)
    }
}

/// The points that were timed, the quickest by the rounds that choose first.
fn ordered(points: &[Option<Halves>]) -> Vec<usize> {
    let timed = points.iter().enumerate();
    let mut known: Vec<(usize, f64)> = timed
        .filter_map(|(at, half)| Some((at, median(&half.as_ref()?.chooses)?)))
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    known.into_iter().map(|(at, _)| at).collect()
}

/// Of how many settings it is seen that they take longer than the one that was chosen, on
/// the rounds that did not choose it: without that the distances of searches say little.
fn told_apart(points: &[Option<Halves>]) -> Option<String> {
    let order = ordered(points);
    let of = |at: &usize| Some(&points.get(*at)?.as_ref()?.confirms);
    let (best, others) = order.split_first()?;
    let best = of(best)?;
    let verdicts: Vec<Verdict> = others
        .iter()
        .filter_map(of)
        .map(|other| Verdict::of(other, best, others.len()))
        .collect();
    let slower = |v: &&Verdict| matches!(v, Verdict::Differ { ratio, .. } if *ratio > 1.0);
    let told = verdicts.iter().any(|v| !matches!(v, Verdict::Few { .. }));
    let all = figure::counted(others.len() as u64, "other setting", "other settings");
    let unknown = "how far above the best a search ended is not known";
    (!others.is_empty()).then(|| match (told, verdicts.iter().filter(slower).count()) {
        (false, _) => format!(
            "The rounds that confirm are too few to tell it from {all}: {unknown}; more --runs tell."
        ),
        (true, 0) => format!(
            "On the rounds that confirm none of {all} is seen to take longer than it @: {unknown}."
        ),
        (true, many) => format!(
            "On the rounds that confirm {many} of {all} {} seen to take longer than it @.",
            if many == 1 { "is" } else { "are" }
        ),
    })
}

impl Tune {
    /// The program's choice, then the settings, the quickest first, with what the model
    /// says of each.
    fn table(&self, own: &Halves, points: &[Option<Halves>], order: &[usize]) -> Sheet {
        let mut columns = vec![
            Column::given("settings"),
            Column::measured("choosing", "µs", 1),
            Column::measured("± dev.", "µs", 1),
            Column::measured("others", "µs", 1),
        ];
        columns.extend(why::columns(self));
        let mut sheet = Sheet::new(
            "settings, on the rounds that choose and on the others",
            columns,
        );
        let mut row = |name: String, halves: &Halves, settings: Option<&Settings>| {
            let mut cells: Vec<Cell> = vec![
                name.into(),
                median(&halves.chooses).into(),
                mad(&halves.chooses).into(),
                median(&halves.confirms).into(),
            ];
            cells.extend(why::cells(self, settings));
            sheet.rows.push(cells);
        };
        row("the program's choice".to_owned(), own, None);
        for at in order {
            let settings = self.space.settings(*at);
            if let Some(Some(halves)) = points.get(*at) {
                row(settings.to_string(), halves, Some(&settings));
            }
        }
        sheet
    }

    /// Whether the best of the rounds that choose is quicker on those that confirm.
    fn winner(&self, best: usize, own: &Halves, points: &[Option<Halves>], found: &mut Findings) {
        let Some(Some(winner)) = points.get(best) else {
            return;
        };
        let settings = self.space.settings(best);
        let verdict = Verdict::of(&winner.confirms, &own.confirms, 1);
        // The program's own choice is none of the settings that are searched.
        let quicker = median(&own.chooses) < median(&winner.chooses);
        let still = match quicker {
            true => ", where the program's choice is quicker still",
            false => "",
        };
        found.sentences.push(format!(
            "Of the settings {settings} is quickest on the rounds that choose{still}. On the others: {}",
            verdict.sentence("this setting", "the program's choice")
        ));
        match verdict {
            Verdict::Differ { ratio, .. } if ratio < 1.0 => {
                found.sentences.extend(why::sentence(self, &settings));
                found.sentences.push(
                    "It is kept for this model, shape, element type and device, and used by runs; --untuned leaves it out."
                        .to_owned(),
                );
                found.learned = Some(Box::new(Learned {
                    tuned: Some(self.tuned(settings)),
                    ..Learned::default()
                }));
            }
            _ => found
                .sentences
                .push("Nothing is kept: the program's choice stays.".to_owned()),
        }
    }

    /// What each search had found after so many measurements, above the best of all.
    fn searches(&self, points: &[Option<Halves>], found: &mut Findings) {
        let times: Vec<Vec<f64>> = points
            .iter()
            .map(|half| half.as_ref().map_or(Vec::new(), |h| h.chooses.clone()))
            .collect();
        // What a point is worth is what all of its rounds say.
        let worth: Vec<f64> = points
            .iter()
            .map(|half| {
                let all = half
                    .as_ref()
                    .map(|h| [h.chooses.clone(), h.confirms.clone()].concat());
                all.and_then(|all| median(&all)).unwrap_or(f64::NAN)
            })
            .collect();
        let least = worth.iter().copied().fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            return;
        }
        let budget = 2 * points.len();
        let marks: Vec<usize> = (3..)
            .map(|p| 1usize << p)
            .take_while(|n| *n < budget)
            .collect();
        let marks: Vec<usize> = marks.into_iter().chain([budget]).collect();
        let mut columns = vec![Column::given("measurements")];
        columns.extend(SEARCHES.map(|(name, _)| Column::measured(name, "%", 1)));
        let mut sheet = Sheet::new("what each search had found, above the best", columns);
        let mut lines: Vec<Vec<Option<f64>>> = Vec::new();
        for (name, search) in SEARCHES {
            let seeds = if name == "exhaustive" { 1 } else { SEEDS };
            let traces: Vec<Vec<usize>> = (1..=seeds)
                .map(|seed| {
                    let mut measured = Measured::of(&times);
                    search(&self.space, &mut measured, budget, seed);
                    measured.trace()
                })
                .collect();
            let after = |n: &usize| -> Option<f64> {
                let above: Vec<f64> = traces
                    .iter()
                    .filter_map(|trace| {
                        let at = trace.get(n - 1).or(trace.last())?;
                        Some(100.0 * (worth.get(*at)? / least - 1.0))
                    })
                    .filter(|x| x.is_finite())
                    .collect();
                (above.len() == traces.len())
                    .then(|| above.iter().sum::<f64>() / above.len() as f64)
            };
            lines.push(marks.iter().map(after).collect());
        }
        for (at, mark) in marks.iter().enumerate() {
            let mut row: Vec<Cell> = vec![mark.to_string().into()];
            row.extend(
                lines
                    .iter()
                    .map(|line| Cell::from(line.get(at).copied().flatten())),
            );
            sheet.rows.push(row);
        }
        found.sentences.push(format!(
            "Searches are replayed on the times of the rounds that choose, {budget} measurements each; those that draw over {SEEDS} seeds."
        ));
        found.sentences.extend(told_apart(points));
        found.sheets.push(sheet);
        found.plots.push(Plot {
            x: "measurements".to_owned(),
            at: marks.iter().map(|n| *n as f64).collect(),
            unit: "% above the best".to_owned(),
            log: false,
            lines: SEARCHES
                .iter()
                .zip(lines)
                .map(|((name, _), line)| ((*name).to_owned(), Source::Measured, line))
                .collect(),
        });
    }
}

#[cfg(test)]
mod tests;

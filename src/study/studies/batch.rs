//! The largest batch that fits, and the one that makes most tokens per second.

use super::notes::notes;
use super::sweep;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use crate::timing::{Timed, Verdict};
use plan::cost::{Config, Cost, Gpu, floor_seconds, price};
use plan::run::Request;
use plan::units::{Quantity, figure, format};

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "batch-size",
    asks: "How many sequences fit, and which number makes most tokens per second in time?",
    varies: "the batch, by powers of two up to the largest that fits",
    held: "the plan, the model, tokens per sequence, a limit of memory and one of latency",
    finds: "memory and a floor of the time by the model (=); time in turns and memory held with --run (@, #)",
    reduced: "the largest batch by bisection; tokens per second, and the verdict against the next best",
    ends: "the largest and the best batch",
    lessons: &["21"],
    models: true,
};

/// `study batch-size`.
#[derive(Debug, Clone)]
pub struct BatchSize {
    /// The configuration; its batch varies.
    pub config: Config,
    /// Whose roof gives the floors.
    pub gpu: Gpu,
    /// Bytes that may be held.
    pub memory: u64,
    /// What of: `80 % of H200's 141 GB`.
    pub memory_said: String,
    /// Seconds that a forward may take.
    pub latency: Option<f64>,
    /// How each batch is run, where it is.
    pub run: Option<Request>,
}

/// No batch is larger.
const MOST: u64 = 1 << 20;
/// Batches that are run at most: the largest ones are left out.
const RUN: usize = 8;

impl BatchSize {
    fn cost(&self, batch: u64) -> Option<Cost> {
        let mut config = self.config.clone();
        config.shape.batch = batch;
        price(&config).ok()
    }

    fn fits(&self, batch: u64) -> bool {
        self.cost(batch).is_some_and(|c| c.held() <= self.memory)
    }

    /// The largest batch that fits; `None`: not even one sequence does.
    pub fn largest(&self) -> Option<u64> {
        if !self.fits(1) {
            return None;
        }
        let (mut low, mut high) = (1, MOST + 1);
        // What is held never shrinks as the batch grows.
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            match self.fits(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(low)
    }

    /// Powers of two that fit, and the largest.
    fn batches(&self) -> Vec<u64> {
        let Some(largest) = self.largest() else {
            return Vec::new();
        };
        let powers = (0..=MOST.ilog2()).map(|p| 1u64 << p);
        let mut batches: Vec<u64> = powers.filter(|b| *b < largest).collect();
        batches.push(largest);
        batches
    }

    /// Those that are run.
    fn ran(&self) -> Vec<u64> {
        let mut batches = self.batches();
        batches.truncate(RUN);
        batches
    }
}

impl Study for BatchSize {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        let Some(run) = &self.run else {
            return Asks::default();
        };
        let request = |batch: u64| {
            let mut request = run.clone();
            request.config = self.config.clone();
            request.config.shape.batch = batch;
            request
        };
        Asks::runs(self.ran().into_iter().map(request).collect())
    }

    fn models(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }

    fn smaller(&self) -> &'static str {
        "less --memory, --runs 16, fewer tokens with --seq, or a smaller --model"
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let rounds = evidence.rounds.as_ref();
        let batches = self.batches();
        let Some(largest) = batches.last().copied() else {
            let one = self.cost(1).map_or(0, |c| c.held());
            return Err(format!(
                "not even one sequence fits: it holds {} and {} are allowed; a smaller --model, fewer tokens with --seq, or more --memory",
                format(&Quantity::bytes(one)),
                format(&Quantity::bytes(self.memory))
            ));
        };
        let timed: Vec<Option<Timed>> = (0..batches.len())
            .map(|at| rounds?.of(at)?.ok().filter(|t| t.report.time_us.is_some()))
            .collect();
        let ran = timed.iter().any(Option::is_some);
        let mut columns = vec![
            Column::given("batch"),
            Column::modelled("held", "MB", 1).why("held"),
            Column::modelled("floor", "µs", 1),
        ];
        if ran {
            columns.extend(sweep::columns(1));
        }
        let mut sheet = Sheet::new("batches", columns);
        let tokens = |batch: u64| (batch * self.config.shape.seq) as f64;
        let mut floors = Vec::new();
        for (batch, timed) in batches.iter().zip(&timed) {
            let cost = self.cost(*batch).ok_or("a batch cannot be priced")?;
            let floor = floor_seconds(&cost.forward, &self.gpu, self.config.dtype);
            let floor = floor.map_err(|e| e.to_string())?;
            floors.push(floor);
            let mut row: Vec<Cell> = vec![
                (*batch).into(),
                (cost.held() as f64 * 1e-6).into(),
                (floor * 1e6).into(),
            ];
            if ran {
                row.extend(sweep::cells(timed.as_ref(), tokens(*batch)));
            }
            sheet.of.push(cost.config);
            sheet.rows.push(row);
        }
        let mut found = Findings {
            title: format!(
                "{}, {}",
                self.config.title(),
                self.config.effective_cut().title()
            ),
            sentences: vec![format!(
                "{} fit into {}: weights, cache and the peak of activations =.",
                figure::counted(largest, "sequence", "sequences"),
                self.memory_said
            )],
            ..Findings::default()
        };
        if let Some(limit) = self.latency {
            let mut within = batches.iter().zip(&floors).filter(|(_, f)| **f <= limit);
            let said = format(&Quantity::seconds(limit));
            let name = &self.gpu.name;
            found.sentences.push(match within.next_back() {
                Some((batch, _)) if *batch == largest => {
                    format!("By the floor on {name} each of them may take less than {said} =.")
                }
                Some((batch, _)) => {
                    format!(
                        "By the floor on {name} no batch above {batch} takes less than {said} =."
                    )
                }
                None => {
                    format!(
                        "By the floor on {name} not even one sequence takes less than {said} =."
                    )
                }
            });
        }
        if ran {
            found.sentences.push(self.best(&batches, &timed));
        }
        if batches.len() > RUN && self.run.is_some() {
            found.notes.push(format!(
                "Run were the first {RUN} batches; the others are priced."
            ));
        }
        let names: Vec<String> = batches.iter().map(|b| format!("batch {b}")).collect();
        found.notes.extend(notes(rounds, &names));
        found.plots = plots(&batches, &timed, tokens);
        found.sheets.push(sheet);
        Ok(found)
    }
}

impl BatchSize {
    /// The batch with most tokens per second within the latency; a smaller one where no
    /// difference is seen.
    fn best(&self, batches: &[u64], timed: &[Option<Timed>]) -> String {
        // Time per sequence, round by round.
        let each = |at: usize| -> Option<Vec<f64>> {
            let batch = *batches.get(at)? as f64;
            let timed = timed.get(at)?.as_ref()?;
            Some(timed.rounds.iter().map(|us| us / batch).collect())
        };
        let micros = |at: usize| Some(timed.get(at)?.as_ref()?.report.time_us.as_ref()?.median);
        let in_time = |at: &usize| {
            let within = |us: f64| self.latency.is_none_or(|limit| us * 1e-6 <= limit);
            micros(*at).is_some_and(within)
        };
        let limit = self.latency.map_or(String::new(), |l| {
            format!(" within {}", format(&Quantity::seconds(l)))
        });
        let fit: Vec<usize> = (0..batches.len()).filter(in_time).collect();
        let per = |at: &usize| {
            micros(*at).unwrap_or(f64::MAX) / batches.get(*at).map_or(1.0, |b| *b as f64)
        };
        let Some(first) = fit.iter().copied().min_by(|a, b| per(a).total_cmp(&per(b))) else {
            return format!("No batch that was run takes so little time{limit} @.");
        };
        // The smallest of those that do not differ from it.
        let among = fit.len().saturating_sub(1);
        let verdict = |at: usize| match (each(at), each(first)) {
            (Some(a), Some(b)) => Verdict::of(&a, &b, among),
            _ => Verdict::Apart,
        };
        let same = |at: &usize| *at == first || matches!(verdict(*at), Verdict::Same { .. });
        let best = fit.iter().copied().find(same).unwrap_or(first);
        let name = |at: usize| batches.get(at).copied().unwrap_or(0);
        // The next best: what best is claimed against.
        let others = fit.iter().copied().filter(|at| *at != first);
        let next = others.min_by(|a, b| per(a).total_cmp(&per(b)));
        if let Some(next) = next
            && let few @ (Verdict::Few { .. } | Verdict::Apart) = verdict(next)
        {
            let batch = |at: usize| format!("batch {}", name(at));
            return format!(
                "Which batch makes most tokens per second{limit}, is not known: {}",
                few.sentence(&batch(first), &batch(next))
            );
        }
        let rate = 1e6 / per(&best) * self.config.shape.seq as f64;
        let mut said = format!(
            "Batch {} makes most tokens per second{limit} @: {}",
            name(best),
            plan::units::group_thousands(rate.round() as i128)
        );
        let alike = match best == first {
            true => next.filter(same),
            false => Some(first),
        };
        if let Some(other) = alike {
            said += &format!(" (against {}: no difference seen per sequence)", name(other));
        }
        if let Some(small) = fit.first().filter(|at| **at != best)
            && let Verdict::Differ {
                ratio, low, high, ..
            } = verdict(*small)
            && best == first
        {
            said += &format!(
                "; a sequence takes {ratio:.2} times as long in a batch of {} ({low:.2} to {high:.2})",
                name(*small)
            );
        }
        said + "."
    }
}

/// Tokens per second over the batch.
fn plots(batches: &[u64], timed: &[Option<Timed>], tokens: impl Fn(u64) -> f64) -> Vec<Plot> {
    let rate = |(batch, timed): (&u64, &Option<Timed>)| {
        let time = timed.as_ref()?.report.time_us.as_ref()?;
        Some(tokens(*batch) / (time.median * 1e-6))
    };
    let values: Vec<Option<f64>> = batches.iter().zip(timed).map(rate).collect();
    if values.iter().all(Option::is_none) {
        return Vec::new();
    }
    vec![Plot {
        x: "batch".to_owned(),
        at: batches.iter().map(|b| *b as f64).collect(),
        unit: "tokens/s".to_owned(),
        log: true,
        lines: vec![("tokens/s".to_owned(), Source::Measured, values)],
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::timed_in_turns;
    use plan::cost::GpuDatabase;
    use plan::fusion::Version;

    fn study(memory: u64, latency: Option<f64>) -> BatchSize {
        let config = Config::preset("workshop", Version::V1.cut()).unwrap();
        BatchSize {
            gpu: GpuDatabase::embedded()
                .unwrap()
                .get("h200")
                .unwrap()
                .clone(),
            memory,
            memory_said: "this".into(),
            latency,
            run: Some(Request::new(config.clone())),
            config,
        }
    }

    #[test]
    fn the_largest_batch_fits_and_one_more_does_not() {
        let study = study(1_000_000_000, None);
        let largest = study.largest().unwrap();
        assert!(study.fits(largest) && !study.fits(largest + 1), "{largest}");
        // Its weights by hand: parameters of the tied model in fp32, and no cache.
        let cost = study.cost(1).unwrap();
        let weights = 4 * cost.config.model.parameters_tied().unwrap();
        assert_eq!(cost.held(), weights + cost.peak.bytes);
        assert_eq!(study.batches().last(), Some(&largest));
    }

    #[test]
    fn what_never_fits_is_a_sentence() {
        let said = study(1000, None).reduce(&Evidence::default()).unwrap_err();
        assert!(said.starts_with("not even one sequence fits"), "{said}");
        assert!(study(1000, None).asks().runs.is_empty());
    }

    #[test]
    fn the_best_batch_is_in_time_and_the_smallest_of_equals() {
        // 1 ms and 100 µs a sequence: larger is better, until the latency ends it.
        let noisy = |request: &Request, round: usize| {
            let b = request.config.shape.batch;
            (1000.0 + 100.0 * b as f64) * (1.0 + 0.01 * ((b as usize + 3 * round) % 5) as f64)
        };
        let timely = study(200_000_000, Some(2.0e-3));
        let rounds = timed_in_turns(timely.asks().runs, noisy);
        let found = timely.reduce(&rounds.into()).unwrap();
        let best = found.sentences.last().unwrap();
        assert!(
            best.starts_with("Batch 8 makes most tokens per second within 2"),
            "{best}"
        );
        assert!(best.contains("in a batch of 1 ("), "{best}");
        // Each sequence takes the same: one of them is as good as many.
        let flat = study(200_000_000, None);
        let rounds = timed_in_turns(flat.asks().runs, |request, round| {
            let b = request.config.shape.batch;
            100.0 * b as f64 * (1.0 + 0.02 * (((b as usize * 7) + 3 * round) % 5) as f64)
        });
        let found = flat.reduce(&rounds.into()).unwrap();
        let best = found.sentences.last().unwrap();
        assert!(best.starts_with("Batch 1 makes most"), "{best}");
        assert!(best.contains(": no difference seen per sequence)"), "{best}");
    }

    #[test]
    fn too_few_rounds_name_no_best_batch() {
        let short = study(200_000_000, None);
        let mut requests = short.asks().runs;
        requests.iter_mut().for_each(|request| request.runs = 3);
        let rounds = timed_in_turns(requests, |request, _| 100.0 + request.config.shape.batch as f64);
        let found = short.reduce(&rounds.into()).unwrap();
        let said = found.sentences.last().unwrap();
        assert!(said.contains("is not known") && said.contains("timed in turns"), "{said}");
    }
}

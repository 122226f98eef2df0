//! What the times show of an effect: its interval, its cells, the sentence.

use crate::findings::Cell;
use crate::timing::{ALARMS, Timed, of_median};
use plan::units::figure;

/// Logarithms of the times, round by round; none of a plan that was not timed.
pub(super) struct Logs {
    pub(super) times: Vec<Option<Vec<f64>>>,
    pub(super) rounds: usize,
}

/// A figure of a plan.
pub(super) type Of<'f> = &'f dyn Fn(usize) -> f64;

/// The middle, and where it lies: shares of the time.
pub(super) type Effect = (f64, f64, f64);

impl Logs {
    pub(super) fn of(timed: &[Option<Timed>]) -> Self {
        let log = |t: &Timed| -> Vec<f64> { t.rounds.iter().map(|us| us.ln()).collect() };
        let known = |t: &&Timed| t.report.time_us.is_some();
        let times: Vec<Option<Vec<f64>>> = timed
            .iter()
            .map(|t| t.as_ref().filter(known).map(log))
            .collect();
        Self {
            rounds: times.iter().flatten().map(Vec::len).min().unwrap_or(0),
            times,
        }
    }

    /// Whether a plan was timed.
    pub(super) fn knows(&self, plan: usize) -> bool {
        self.times.get(plan).is_some_and(Option::is_some)
    }

    /// Where an effect lies that is made of the logarithms of one round.
    pub(super) fn interval(&self, among: usize, of: &dyn Fn(Of<'_>) -> f64) -> Option<Effect> {
        let in_round = |round: usize| {
            of(&|plan: usize| {
                let times = self.times.get(plan).and_then(|t| t.as_ref()?.get(round));
                times.copied().unwrap_or(f64::NAN)
            })
        };
        let effects: Vec<f64> = (0..self.rounds).map(in_round).collect();
        let found = of_median(&effects, ALARMS / among.max(1) as f64)?;
        Some((
            found.middle.exp_m1(),
            found.low.exp_m1(),
            found.high.exp_m1(),
        ))
    }
}

pub(super) fn claimed((_, low, high): Effect) -> bool {
    low > 0.0 || high < 0.0
}

/// The share where it is claimed, and its interval, or what would have been seen.
pub(super) fn cells(effect: Option<Effect>) -> [Cell; 2] {
    match effect {
        None => [Cell::NONE, "too few rounds".into()],
        Some((middle, low, high)) if claimed((middle, low, high)) => [
            (100.0 * middle).into(),
            format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high).into(),
        ],
        Some((_, low, high)) => [
            Cell::NONE,
            format!("none seen (±{:.1} %)", 100.0 * high.max(-low)).into(),
        ],
    }
}

/// What the times show: effects that are claimed, of those `told` whose intervals are known.
pub(super) fn said(seen: &[(&str, Effect)], told: usize, of: usize, rounds: usize) -> String {
    if told == 0 {
        return format!(
            "Whether a fusion changes the time is not known: {}, and {of} fusions need more to show an effect.",
            figure::counted(
                rounds as u64,
                "round was timed in turns",
                "rounds were timed in turns"
            )
        );
    }
    let best = seen.iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let shown = match seen.len() {
        0 => "no fusion".to_owned(),
        1 => "1 fusion".to_owned(),
        n => format!("{n} fusions"),
    };
    let head = format!("The times show an effect of {shown} of {of} @, {rounds} rounds in turns");
    match best {
        Some((name, (middle, low, high))) if *middle < 0.0 => format!(
            "{head}; {name} shortens the forward most, by {:.1} % ({:.1} to {:.1}).",
            -100.0 * middle,
            -100.0 * high,
            -100.0 * low
        ),
        Some((name, (middle, low, high))) => format!(
            "{head}; none shortens it, {name} lengthens it by {:.1} % ({:.1} to {:.1}).",
            100.0 * middle,
            100.0 * low,
            100.0 * high
        ),
        None => format!("{head}."),
    }
}

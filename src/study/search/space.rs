//! Settings, points, and what a search has measured.

use plan::run::{Knob, Settings, median};

/// A point: which value of each setting.
pub type Point = Vec<usize>;

/// Settings, and the points that there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// The settings.
    pub knobs: Vec<Knob>,
    /// The points, the settings' last changing first.
    pub points: Vec<Point>,
}

impl Space {
    /// Every combination of these settings.
    pub fn all(knobs: Vec<Knob>) -> Self {
        let mut points: Vec<Point> = vec![Vec::new()];
        for knob in &knobs {
            points = points
                .iter()
                .flat_map(|point| {
                    (0..knob.values.len()).map(|value| {
                        let mut longer = point.clone();
                        longer.push(value);
                        longer
                    })
                })
                .collect();
        }
        Self { knobs, points }
    }

    /// The settings of a point.
    pub fn settings(&self, point: usize) -> Settings {
        let values = self.points.get(point).into_iter().flatten();
        let each = self.knobs.iter().zip(values);
        let named =
            each.filter_map(|(knob, at)| Some((knob.name.to_owned(), *knob.values.get(*at)?)));
        Settings(named.collect())
    }

    /// Where a point lies: each setting from 0 to 1, doubled values equally far apart.
    pub fn place(&self, point: usize) -> Vec<f64> {
        let values = self.points.get(point).into_iter().flatten();
        let each = self.knobs.iter().zip(values);
        each.map(|(knob, at)| {
            let log = |value: &u32| (f64::from(*value) + 1.0).log2();
            let (Some(first), Some(last)) = (knob.values.first(), knob.values.last()) else {
                return 0.0;
            };
            let width = log(last) - log(first);
            let here = knob.values.get(*at).map_or(0.0, |v| log(v) - log(first));
            if width > 0.0 { here / width } else { 0.0 }
        })
        .collect()
    }
}

/// What a search found after each of its measurements: the best point so far by what it
/// had seen, and the number of measurements.
pub type Trace = Vec<usize>;

/// Measures points for a search, and keeps what it saw. A measurement is one round of one
/// point; a point has as many rounds as were made of it.
pub struct Measured<'t> {
    /// Times of each point, round by round.
    times: &'t [Vec<f64>],
    /// Rounds that were taken of each.
    taken: Vec<usize>,
    /// What was found after each measurement.
    trace: Trace,
    best: Option<(usize, f64)>,
}

impl<'t> Measured<'t> {
    /// Of these times; a point without any cannot be, and costs one measurement to see.
    pub fn of(times: &'t [Vec<f64>]) -> Self {
        Self {
            times,
            taken: vec![0; times.len()],
            trace: Trace::new(),
            best: None,
        }
    }

    /// Measurements that were made.
    pub fn spent(&self) -> usize {
        self.trace.len()
    }

    /// One more round of a point: the median of those that were taken of it; `None` where
    /// it cannot be, or has no more rounds and none was taken.
    pub fn take(&mut self, point: usize) -> Option<f64> {
        let all = self.times.get(point)?;
        let taken = self.taken.get_mut(point)?;
        // A point without times was looked at, too.
        *taken = (*taken + 1).min(all.len().max(1));
        let value = all.get(..*taken).and_then(median);
        match (value, self.best) {
            (Some(value), Some((best, least))) if best == point => {
                // It was looked at again: it may not be the best any more.
                self.best = Some((point, value));
                if value > least {
                    self.best = self.least();
                }
            }
            (Some(value), best) if best.is_none_or(|(_, least)| value < least) => {
                self.best = Some((point, value));
            }
            _ => {}
        }
        if let Some((best, _)) = self.best {
            self.trace.push(best);
        } else {
            self.trace.push(usize::MAX);
        }
        value
    }

    /// The best of the points that were taken, by what was seen of them.
    fn least(&self) -> Option<(usize, f64)> {
        let known = self.taken.iter().zip(self.times).enumerate();
        known
            .filter_map(|(at, (taken, times))| Some((at, median(times.get(..*taken)?)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Of each point so far: the median of what was taken; `None` where nothing was.
    pub fn known(&self) -> Vec<Option<f64>> {
        let each = self.taken.iter().zip(self.times);
        each.map(|(taken, times)| median(times.get(..*taken)?))
            .collect()
    }

    /// Whether a point was looked at.
    pub fn seen(&self, point: usize) -> bool {
        self.taken.get(point).is_some_and(|taken| *taken > 0)
    }

    /// What was found after each measurement.
    pub fn trace(self) -> Trace {
        self.trace
    }
}

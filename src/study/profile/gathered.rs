//! Collects launches and sums into a profile, with bounds on what is kept.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Dispatch, KernelRow, Profile, ProfileError, Resources, Tool};

/// Most launches that are kept; sums go on behind them.
const MOST_LAUNCHES: usize = 1 << 20;

/// Most kernels of a file.
const MOST_KERNELS: usize = 1 << 16;

/// A launch as a reader finds it.
#[derive(Debug, Default)]
pub(super) struct Launch<'t> {
    pub kernel: usize,
    pub span: Option<(u64, u64)>,
    /// Its time in ns.
    pub ns: Option<f64>,
    pub device: &'t str,
    pub stream: &'t str,
    pub grid: [u64; 3],
}

/// Collects rows of launches into a profile.
pub(super) struct Gathered {
    profile: Profile,
    places: HashMap<String, usize>,
    words: HashMap<String, Arc<str>>,
    uncounted: Arc<BTreeMap<&'static str, f64>>,
    most: usize,
}

impl Gathered {
    pub(super) fn new(tool: Tool, generated: bool) -> Self {
        Self {
            profile: Profile {
                tool,
                generated,
                device: None,
                kernels: Vec::new(),
                dispatches: Vec::new(),
                beyond: 0,
                cut_short: false,
                metrics: Vec::new(),
            },
            places: HashMap::new(),
            words: HashMap::new(),
            uncounted: Arc::default(),
            most: MOST_LAUNCHES,
        }
    }

    /// The row of a kernel, a new one where it is the first of its name.
    ///
    /// # Errors
    /// More kernels than any program has.
    pub(super) fn kernel(
        &mut self,
        name: &str,
        resources: Resources,
    ) -> Result<usize, ProfileError> {
        if let Some(at) = self.places.get(name) {
            return Ok(*at);
        }
        let at = self.profile.kernels.len();
        if at >= MOST_KERNELS {
            return Err(too_many());
        }
        self.places.insert(name.to_owned(), at);
        self.profile.kernels.push(KernelRow {
            name: name.to_owned(),
            calls: 0,
            total_ns: None,
            min_ns: None,
            max_ns: None,
            resources,
        });
        Ok(at)
    }

    fn word(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.words.get(text) {
            return Arc::clone(known);
        }
        let word: Arc<str> = Arc::from(text);
        self.words.insert(text.to_owned(), Arc::clone(&word));
        word
    }

    /// One launch; its place among those that are kept, none where they are too many.
    pub(super) fn launch(&mut self, launch: &Launch<'_>) -> Option<usize> {
        let ns = launch.ns;
        if let Some(row) = self.profile.kernels.get_mut(launch.kernel) {
            let first = row.calls == 0;
            row.calls += 1;
            row.total_ns = match (row.total_ns, ns) {
                (None, Some(ns)) if first => Some(ns),
                (Some(sum), Some(ns)) => Some(sum + ns),
                // A launch without a time leaves the sum unknown.
                _ => None,
            };
            let fold = |old: Option<f64>, f: fn(f64, f64) -> f64| match (old, ns) {
                (Some(old), Some(ns)) => Some(f(old, ns)),
                (old, ns) => old.or(ns),
            };
            (row.min_ns, row.max_ns) = (fold(row.min_ns, f64::min), fold(row.max_ns, f64::max));
        }
        let at = self.profile.dispatches.len();
        if at >= self.most {
            self.profile.beyond += 1;
            return None;
        }
        let dispatch = Dispatch {
            kernel: launch.kernel,
            span: launch.span,
            ns,
            device: self.word(launch.device),
            stream: self.word(launch.stream),
            grid: launch.grid,
            counters: Arc::clone(&self.uncounted),
        };
        self.profile.dispatches.push(dispatch);
        Some(at)
    }

    /// A counter of the launch at this place.
    pub(super) fn count(&mut self, at: Option<usize>, name: &'static str, value: f64) {
        if let Some(dispatch) = at.and_then(|at| self.profile.dispatches.get_mut(at)) {
            *Arc::make_mut(&mut dispatch.counters)
                .entry(name)
                .or_insert(0.0) += value;
        }
    }

    /// All counters of the launch at this place.
    pub(super) fn counters(
        &mut self,
        at: Option<usize>,
        counters: Arc<BTreeMap<&'static str, f64>>,
    ) {
        if let Some(dispatch) = at.and_then(|at| self.profile.dispatches.get_mut(at)) {
            dispatch.counters = counters;
        }
    }

    /// A row that holds sums already.
    ///
    /// # Errors
    /// More kernels than any program has.
    pub(super) fn sum(&mut self, row: KernelRow) -> Result<(), ProfileError> {
        if self.profile.kernels.len() >= MOST_KERNELS {
            return Err(too_many());
        }
        self.profile.kernels.push(row);
        Ok(())
    }

    /// How many launches are kept at most.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// The GPU's name, as the file has it.
    pub(super) fn device(&mut self, name: &str) {
        self.profile.device.get_or_insert_with(|| name.to_owned());
    }

    /// The tool turns out to be another.
    pub(super) fn tool(&mut self, tool: Tool) {
        self.profile.tool = tool;
    }

    /// The program that wrote the file says that it is generated.
    pub(super) fn generated(&mut self) {
        self.profile.generated = true;
    }

    /// The file ends in the middle.
    pub(super) fn cut_short(&mut self) {
        self.profile.cut_short = true;
    }

    /// Whether there is no launch and no sum.
    pub(super) fn is_empty(&self) -> bool {
        self.profile.kernels.is_empty()
    }

    /// The profile.
    ///
    /// # Errors
    /// A head and nothing behind it.
    pub(super) fn finish(self) -> Result<Profile, ProfileError> {
        if self.profile.kernels.is_empty() {
            return Err(ProfileError::whole(format!(
                "{} without a kernel: the head is there and no row behind it; was the program profiled while it ran on the GPU?",
                self.profile.tool.title()
            )));
        }
        Ok(self.profile)
    }
}

fn too_many() -> ProfileError {
    ProfileError::whole(format!(
        "more than {MOST_KERNELS} different kernels; profile fewer steps"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trace of any length takes as much memory as the launches that are kept.
    #[test]
    fn sums_go_on_behind_the_launches_that_are_kept() {
        let mut all = Gathered::new(Tool::Pytorch, false);
        all.most = 3;
        let kernel = all.kernel("k", Resources::default()).unwrap();
        for at in 0..5 {
            let kept = all.launch(&Launch {
                kernel,
                ns: Some(2.0),
                ..Launch::default()
            });
            assert_eq!(kept, (at < 3).then_some(at));
        }
        let profile = all.finish().unwrap();
        assert_eq!((profile.dispatches.len(), profile.beyond), (3, 2));
        assert_eq!(
            (profile.kernels[0].calls, profile.kernels[0].total_ns),
            (5, Some(10.0))
        );
    }
}

//! Time by component and by kernel, from a record of when each kernel ran.

use super::Roofs;
use crate::profile::framework::{Component, part_of};
use plan::cost::{Cost, KernelCost};
use plan::model::OpKind;
use plan::run::{Axis, Report, SpanReport, TraceReport, mad, median};
use serde::{Serialize, Serializer};

/// Where the time of a forward went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Times {
    /// All kernels of a forward together, in µs: median over the forwards.
    pub kernels_us: f64,
    /// Median deviation over the forwards.
    pub kernels_us_mad: f64,
    /// How the kernels were timed, in words.
    pub kernels_how: String,
    /// Forwards that were recorded, apart from those that were timed whole.
    pub kernels_forwards: u32,
    /// By component, the most time first.
    pub components: Vec<ComponentTime>,
    /// By kernel, launches of the same ops together, the most time first.
    pub hotspots: Vec<Hotspot>,
}

/// The time of one component in a forward.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComponentTime {
    /// Which.
    #[serde(serialize_with = "name")]
    pub component: Component,
    /// Median over the forwards, in µs.
    pub us: f64,
    /// Median deviation over the forwards.
    pub us_mad: f64,
    /// Of the sum of these medians: a forward that was disturbed has no weight in it.
    pub share: f64,
}

fn name<S: Serializer>(component: &Component, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(component.name())
}

/// The launches of one kernel in a forward, taken together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hotspot {
    /// Its ops, as the cost model has them.
    pub ops: Vec<&'static str>,
    /// Launches in a forward.
    pub launches: u64,
    /// Their time together: median over the forwards, in µs.
    pub us: f64,
    /// Median deviation over the forwards.
    pub us_mad: f64,
    /// Of the sum of these medians: a forward that was disturbed has no weight in it.
    pub share: f64,
    /// FLOPs of the model, of all launches.
    pub flops: u64,
    /// Bytes of the model, of all launches.
    pub bytes: u64,
    /// The part of the floor in the time: 1 where nothing but the roof holds it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_roof: Option<f64>,
    /// Memory under the roof needs longer for its bytes than it took: they came from a cache.
    #[serde(skip)]
    pub cached: bool,
}

impl Hotspot {
    /// FLOP/s that it reached, by the FLOPs of the model.
    pub fn rate(&self) -> f64 {
        self.flops as f64 / (1e-6 * self.us)
    }

    /// B/s that it reached, by the bytes of the model.
    pub fn bandwidth(&self) -> f64 {
        self.bytes as f64 / (1e-6 * self.us)
    }
}

/// µs of each forward that was recorded.
type Took = Vec<f64>;

impl Times {
    /// From the record of a report of the plan that `cost` prices; none where nothing was
    /// recorded, what was recorded is no time, or it is another plan's.
    pub fn of(report: &Report, cost: &Cost, roofs: Option<&Roofs>) -> Option<Self> {
        let trace = report.trace.as_ref()?;
        let kernels = &cost.forward.kernels;
        let whole = trace.spans.len() == kernels.len();
        if trace.axis != Axis::Microseconds || !whole || kernels.is_empty() {
            return None;
        }
        let spans: Vec<(&KernelCost, Took)> = trace
            .spans
            .iter()
            .map(|span| Some((kernels.get(span.kernel)?, took(span, trace))))
            .collect::<Option<_>>()?;
        let all = summed(spans.iter().map(|(_, took)| took));
        let components = Component::ALL.into_iter().filter_map(|component| {
            let mut own = spans.iter().filter(|(k, _)| of(k) == component).peekable();
            own.peek()?;
            let took = summed(own.map(|(_, took)| took));
            Some(ComponentTime {
                component,
                us: median(&took)?,
                us_mad: mad(&took)?,
                share: 0.0,
            })
        });
        let mut components: Vec<ComponentTime> = components.collect();
        let sum: f64 = components.iter().map(|c| c.us).sum();
        components.iter_mut().for_each(|c| c.share = c.us / sum);
        components.sort_by(|a, b| b.us.total_cmp(&a.us));
        let mut groups: Vec<Vec<&(&KernelCost, Took)>> = Vec::new();
        for span in &spans {
            let same = |group: &&mut Vec<&(&KernelCost, Took)>| {
                group.first().is_some_and(|first| first.0.ops == span.0.ops)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(span),
                None => groups.push(vec![span]),
            }
        }
        let hotspot = |group: Vec<&(&KernelCost, Took)>| {
            let took = summed(group.iter().map(|(_, took)| took));
            let us = median(&took).filter(|us| *us > 0.0)?;
            let floor = |roofs: &Roofs| group.iter().map(|(k, _)| roofs.floor(k)).sum::<f64>();
            let moved = |roofs: &Roofs| group.iter().map(|(k, _)| roofs.moved(k)).sum::<f64>();
            Some(Hotspot {
                ops: group.first()?.0.ops.clone(),
                launches: group.len() as u64,
                us,
                us_mad: mad(&took)?,
                share: 0.0,
                flops: group.iter().map(|(k, _)| k.flops).sum(),
                bytes: group.iter().map(|(k, _)| k.bytes()).sum(),
                of_roof: roofs.map(|roofs| floor(roofs) / (1e-6 * us)),
                cached: roofs.is_some_and(|roofs| moved(roofs) > 1e-6 * us),
            })
        };
        let mut hotspots: Vec<Hotspot> = groups.into_iter().filter_map(hotspot).collect();
        let sum: f64 = hotspots.iter().map(|h| h.us).sum();
        hotspots.iter_mut().for_each(|h| h.share = h.us / sum);
        hotspots.sort_by(|a, b| b.us.total_cmp(&a.us));
        Some(Self {
            kernels_us: median(&all).filter(|us| *us > 0.0)?,
            kernels_us_mad: mad(&all)?,
            kernels_how: trace.how.clone(),
            kernels_forwards: trace.forwards,
            components,
            hotspots,
        })
    }

    /// What a kernel of the plan took, one launch of it, in seconds.
    pub fn seconds(&self, kernel: &KernelCost) -> Option<f64> {
        let found = self.hotspots.iter().find(|h| h.ops == kernel.ops)?;
        Some(1e-6 * found.us / found.launches as f64)
    }
}

/// What a span took in each forward; in the one that stands for all, where no other is kept.
fn took(span: &SpanReport, trace: &TraceReport) -> Took {
    match span.took.len() == trace.forwards as usize {
        true => span.took.clone(),
        false => vec![span.median()],
    }
}

/// Forward by forward the sum of some kernels.
fn summed<'t>(spans: impl Iterator<Item = &'t Took>) -> Took {
    spans.fold(Vec::new(), |mut sums: Took, took| {
        sums.resize(sums.len().max(took.len()), 0.0);
        for (sum, us) in sums.iter_mut().zip(took) {
            *sum += us;
        }
        sums
    })
}

/// The component that a kernel of a plan is of: that of its products, where all of them are
/// of one; a kernel without a product is what it holds besides, norms before residuals.
pub(super) fn of(kernel: &KernelCost) -> Component {
    let ops = kernel.ops.iter().filter_map(|op| OpKind::parse(op));
    let all: Vec<Component> = ops.map(|op| part_of(op).component()).collect();
    let first = |wanted: Component| all.contains(&wanted);
    match (first(Component::Attention), first(Component::FeedForward)) {
        (true, true) => Component::Mixed,
        (true, false) => Component::Attention,
        (false, true) => Component::FeedForward,
        _ if first(Component::Ends) => Component::Ends,
        _ if first(Component::Norms) => Component::Norms,
        _ if first(Component::Residuals) => Component::Residuals,
        _ => Component::Unexplained,
    }
}

//! What a framework launched: the kernels of a program that is not this one, as ops of
//! the block.
//!
//! `names` says what one kernel computes, `blocks` which op it belongs to, by its
//! place among the others. A file of sums has no order: then the names alone speak, and
//! a product is a product of anything.

mod blocks;
mod merit;
mod names;
mod short;
mod tokens;

pub use blocks::{Build, Forward};
pub use merit::{Merit, Planned, merit, part_of, planned, utilisation};
pub use names::{Does, does, maker};
pub use short::short;

use std::collections::{BTreeMap, HashMap};

use super::{Profile, known};
use plan::fusion::{Cut, Fusion};

/// An op of the block as a framework launches it, or what it launches besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The embedding.
    Embed,
    /// norm1, norm2 and the final norm.
    Norm,
    /// Products of q, k and v.
    Qkv,
    /// Rotations of q and k.
    Rope,
    /// Scores.
    Qk,
    /// Scaling, mask and softmax.
    Softmax,
    /// Values.
    Pv,
    /// Scores, softmax and values in one kernel.
    Attention,
    /// The product behind attention.
    O,
    /// res1 and res2.
    Residual,
    /// Products of gate and up.
    GateUp,
    /// silu and its product by up.
    SiluMul,
    /// The last product of the feed-forward part.
    Down,
    /// The head.
    LmHead,
    /// Masks, positions, tables of RoPE, the choice of a token.
    Tables,
    /// Copies into another layout; heads of k and v repeated.
    Copies,
    /// A product of which the order does not tell.
    Product,
    /// Elementwise kernels, reductions among them, of which the order does not tell.
    Elementwise,
    /// The loss.
    Loss,
    /// The backward pass.
    Backward,
    /// The optimizer.
    Optimizer,
    /// Nothing that is known.
    Unexplained,
}

/// A group of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Component {
    Attention,
    FeedForward,
    Norms,
    Residuals,
    Ends,
    Glue,
    /// Not told apart, where launches have no order.
    Mixed,
    Training,
    Unexplained,
}

impl Component {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Attention,
        Self::FeedForward,
        Self::Norms,
        Self::Residuals,
        Self::Ends,
        Self::Glue,
        Self::Mixed,
        Self::Training,
        Self::Unexplained,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::FeedForward => "feed-forward",
            Self::Norms => "norms",
            Self::Residuals => "residuals",
            Self::Ends => "embedding and head",
            Self::Glue => "glue and copies",
            Self::Mixed => "not told apart",
            Self::Training => "training",
            Self::Unexplained => "unexplained",
        }
    }
}

impl Part {
    /// In words, with the ops of the plan where they have names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Norm => "norms",
            Self::Qkv => "q k v",
            Self::Rope => "rope",
            Self::Qk => "qk",
            Self::Softmax => "softmax",
            Self::Pv => "pv",
            Self::Attention => "qk softmax pv",
            Self::O => "o",
            Self::Residual => "residuals",
            Self::GateUp => "gate up",
            Self::SiluMul => "silu mul",
            Self::Down => "down",
            Self::LmHead => "lm_head",
            Self::Tables => "masks and tables",
            Self::Copies => "copies",
            Self::Product => "matrix products",
            Self::Elementwise => "elementwise",
            Self::Loss => "loss",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Unexplained => "unexplained",
        }
    }

    /// The group that it belongs to.
    pub const fn component(self) -> Component {
        match self {
            Self::Qkv
            | Self::Rope
            | Self::Qk
            | Self::Softmax
            | Self::Pv
            | Self::Attention
            | Self::O => Component::Attention,
            Self::GateUp | Self::SiluMul | Self::Down => Component::FeedForward,
            Self::Norm => Component::Norms,
            Self::Residual => Component::Residuals,
            Self::Embed | Self::LmHead => Component::Ends,
            Self::Tables | Self::Copies => Component::Glue,
            Self::Product | Self::Elementwise => Component::Mixed,
            Self::Loss | Self::Backward | Self::Optimizer => Component::Training,
            Self::Unexplained => Component::Unexplained,
        }
    }

    /// By name alone, where there is no order.
    const fn unordered(does: Does) -> Self {
        match does {
            Does::Product | Does::SplitSum => Self::Product,
            Does::Attention => Self::Attention,
            Does::Softmax => Self::Softmax,
            Does::Norm => Self::Norm,
            Does::Gather => Self::Embed,
            Does::Silu => Self::SiluMul,
            Does::Rope => Self::Rope,
            Does::Trigonometry | Does::Fill | Does::Index => Self::Tables,
            Does::Copy | Does::Cast | Does::Cat | Does::RuntimeCopy | Does::RuntimeFill => {
                Self::Copies
            }
            Does::Reduce | Does::Add | Does::Mul | Does::Neg | Does::Elementwise => {
                Self::Elementwise
            }
            Does::Loss => Self::Loss,
            Does::Backward => Self::Backward,
            Does::Optimizer => Self::Optimizer,
            Does::Unknown => Self::Unexplained,
        }
    }
}

/// All launches of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartRow {
    /// The part.
    pub part: Part,
    /// Launches in the file.
    pub calls: u64,
    /// Their time, in ns.
    pub ns: f64,
    /// The kernel that takes most of it: its row in [`Profile::kernels`].
    pub kernel: usize,
    /// Whose kernels they are, the most time first.
    pub makers: Vec<&'static str>,
}

/// What a framework launched.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// The parts, the most time first.
    pub rows: Vec<PartRow>,
    /// The forwards, in order; none where the file has no order, or it shows no block.
    pub forwards: Vec<Forward>,
    /// Whether the file has launches in order.
    pub ordered: bool,
    /// Kernel time of each forward, in ns.
    pub forward_ns: Vec<f64>,
    /// From the start of a forward to the start of the next, on average, in ns.
    pub period_ns: Option<f64>,
    /// The part of each kernel that takes most of its time, by its row.
    pub kernels: Vec<Option<Part>>,
    /// Time of all launches, in ns.
    pub ns: f64,
}

impl Breakdown {
    /// Share of the kernel time that is explained.
    pub fn explained(&self) -> f64 {
        let unknown = self.rows.iter().filter(|row| row.part == Part::Unexplained);
        1.0 - unknown.map(|row| row.ns).sum::<f64>() / self.ns.max(f64::MIN_POSITIVE)
    }

    /// Forwards of different builds or depths, each once, with how many there are.
    pub fn builds(&self) -> Vec<(usize, Build, usize)> {
        let mut found: Vec<(usize, Build, usize)> = Vec::new();
        for forward in &self.forwards {
            let same = found
                .iter_mut()
                .find(|(layers, build, _)| (*layers, *build) == (forward.layers, forward.build));
            match same {
                Some((_, _, count)) => *count += 1,
                None => found.push((forward.layers, forward.build, 1)),
            }
        }
        found.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
        found
    }

    /// Layers of most forwards.
    pub fn layers(&self) -> Option<u64> {
        self.builds().first().map(|(layers, _, _)| *layers as u64)
    }

    /// The plan whose kernels join what the framework's joined: products of q, k and v,
    /// attention, gate and up, silu and mul.
    pub fn cut(&self) -> Option<Cut> {
        let (_, build, _) = self.builds().into_iter().next()?;
        let fusions = [
            (build.qkv == 1, Fusion::Qkv),
            (build.flash, Fusion::Flash),
            (build.gate_up == 1, Fusion::GateUp),
            (build.silu_mul == 1, Fusion::SiluMul),
        ];
        let seen: Vec<Fusion> = fusions
            .into_iter()
            .filter(|(seen, _)| *seen)
            .map(|(_, f)| f)
            .collect();
        Some(Cut::of_fusions(&seen))
    }
}

/// What a framework launched; none where no kernel is one of a framework's.
pub fn breakdown(profile: &Profile) -> Option<Breakdown> {
    let what: Vec<Does> = profile.kernels.iter().map(|row| does(&row.name)).collect();
    let own = |name: &str| {
        known::family(name).is_some()
            || known::ops(known::bare(name)).is_some()
            || known::is_runtime(name)
    };
    let rows = profile.kernels.iter().zip(&what);
    let foreign = rows
        .into_iter()
        .any(|(row, what)| *what != Does::Unknown && !own(&row.name));
    if !foreign {
        return None;
    }
    let mut sums = Sums::default();
    let mut seen = Seen::default();
    for (_, places) in devices(profile) {
        let kernels: Vec<usize> = places
            .iter()
            .map(|at| profile.dispatches[*at].kernel)
            .collect();
        let does: Vec<Does> = kernels.iter().map(|at| what[*at]).collect();
        let (parts, found) = blocks::blocks(&does, &kernels);
        for ((at, part), kernel) in places.iter().zip(parts).zip(&kernels) {
            let part = match found.is_empty() {
                true => Part::unordered(what[*kernel]),
                false => part,
            };
            sums.add(*kernel, part, 1, profile.dispatches[*at].ns);
        }
        if found.len() > seen.forwards.len() {
            let time = |forward: &Forward| {
                let own = places.get(forward.launches.clone()).unwrap_or_default();
                own.iter().filter_map(|at| profile.dispatches[*at].ns).sum()
            };
            seen = Seen {
                period: mean_period(profile, &places, &found),
                ns: found.iter().map(time).collect(),
                forwards: found,
            };
        }
    }
    let ordered = !profile.dispatches.is_empty();
    if !ordered {
        for (at, row) in profile.kernels.iter().enumerate() {
            sums.add(at, Part::unordered(what[at]), row.calls, row.total_ns);
        }
    }
    Some(sums.finish(profile, seen, ordered))
}

/// The launches of each device in the order in which they ran.
fn devices(profile: &Profile) -> BTreeMap<&str, Vec<usize>> {
    let mut devices: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, dispatch) in profile.dispatches.iter().enumerate() {
        devices.entry(&dispatch.device).or_default().push(at);
    }
    for places in devices.values_mut() {
        places.sort_by_key(|at| profile.dispatches[*at].span.map(|(start, _)| start));
    }
    devices
}

/// Mean time between the starts of forwards that follow one another.
fn mean_period(profile: &Profile, places: &[usize], forwards: &[Forward]) -> Option<f64> {
    let start = |forward: &Forward| {
        let at = places.get(forward.launches.start)?;
        Some(profile.dispatches[*at].span?.0)
    };
    let (first, last) = (start(forwards.first()?)?, start(forwards.last()?)?);
    let between = forwards.len().checked_sub(1).filter(|n| *n > 0)?;
    Some((last.checked_sub(first)?) as f64 / between as f64)
}

/// The forwards of the device that has most of them.
#[derive(Default)]
struct Seen {
    forwards: Vec<Forward>,
    ns: Vec<f64>,
    period: Option<f64>,
}

/// Sums by part and kernel.
#[derive(Default)]
struct Sums {
    of: HashMap<(Part, usize), (u64, f64)>,
}

impl Sums {
    fn add(&mut self, kernel: usize, part: Part, calls: u64, ns: Option<f64>) {
        let sum = self.of.entry((part, kernel)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1 + ns.unwrap_or(0.0));
    }

    fn finish(self, profile: &Profile, seen: Seen, ordered: bool) -> Breakdown {
        let mut all: Vec<((Part, usize), (u64, f64))> = self.of.into_iter().collect();
        all.sort_by(|(a, x), (b, y)| y.1.total_cmp(&x.1).then(a.cmp(b)));
        let mut rows: Vec<PartRow> = Vec::new();
        let mut kernels = vec![None; profile.kernels.len()];
        for ((part, kernel), (calls, ns)) in all {
            kernels[kernel].get_or_insert(part);
            let whose = maker(&profile.kernels[kernel].name);
            match rows.iter_mut().find(|row| row.part == part) {
                Some(row) => {
                    row.calls += calls;
                    row.ns += ns;
                    if !row.makers.contains(&whose) {
                        row.makers.push(whose);
                    }
                }
                None => rows.push(PartRow {
                    part,
                    calls,
                    ns,
                    kernel,
                    makers: vec![whose],
                }),
            }
        }
        rows.sort_by(|a, b| b.ns.total_cmp(&a.ns).then(a.part.cmp(&b.part)));
        let ns = rows.iter().map(|row| row.ns).sum();
        Breakdown {
            rows,
            forwards: seen.forwards,
            ordered,
            forward_ns: seen.ns,
            period_ns: seen.period,
            kernels,
            ns,
        }
    }
}

#[cfg(test)]
mod tests;

//! What the roofline page draws, as numbers: kernels along the roof, the
//! versions' blocks on its axis, and what runs achieved below it.

use crate::bench::Bench;
use crate::machine::Ceilings;
use crate::runs::Runs;
use plan::cost::{Bound, Cost, KernelCost, Roof};
use plan::fusion::Version;
use plan::model::{Dtype, OpKind};
use plan::units::figure;
use study::lab::merit::Times;

/// Whose roofs are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofs {
    /// The roof that kernels are judged under.
    pub roof: Option<Ceilings>,
    /// It is that of the device that runs: times can be held against it.
    pub own: bool,
    /// Another GPU's, by its data sheet.
    pub what_if: Option<Ceilings>,
}

/// A kernel of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its letter; kernels whose intensity prints alike share one.
    pub letter: char,
    /// Its place in the plan's block.
    pub kernel: usize,
    /// An op that names it.
    pub op: OpKind,
    /// FLOP/B.
    pub intensity: f64,
    /// It holds a matrix product, which in 16 bit has a roof of its own.
    pub product: bool,
    /// As it ran on the device whose roof this is: none where that was not recorded.
    pub ran: Option<Ran>,
    flops: u64,
    bytes: u64,
}

/// A kernel as it ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ran {
    /// One launch of it, the mean over the layers.
    pub seconds: f64,
    /// FLOP/s that it reached, by the FLOPs of the model.
    pub rate: f64,
}

/// A kernel under a roof, in seconds and FLOP/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// What its FLOPs take at the peak.
    pub flop_seconds: f64,
    /// What its bytes take at the bandwidth.
    pub byte_seconds: f64,
    /// The longer of the two.
    pub floor: f64,
    /// The highest rate that the roof allows it.
    pub rate: f64,
    /// Which of the two it is.
    pub bound: Bound,
}

/// What a run of a forward achieved.
#[derive(Clone, Debug, PartialEq)]
pub struct Achieved {
    /// `1` to `4` for the versions, `@` for a plan of the learner's own.
    pub sign: char,
    /// Of the forward, in FLOP/B.
    pub intensity: f64,
    /// FLOP/s: the forward's FLOPs over the median time.
    pub rate: f64,
    /// The rate over what the roof of products, the upper one, allows at this intensity: how
    /// far below that line the point stands. `None` where the device has no such roof.
    pub of_roof: Option<f64>,
    /// It is the plan on the bench.
    pub present: bool,
}

/// Everything that the page draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Whose roofs.
    pub roofs: Roofs,
    /// The kernels of the block, by their intensity.
    pub spots: Vec<Spot>,
    /// The one under the cursor.
    pub here: usize,
    /// Intensities of the blocks of V1 to V4, FLOP/B.
    pub blocks: Vec<f64>,
    /// What was measured, where the roof is the device's own.
    pub achieved: Vec<Achieved>,
    /// The learner's own point, FLOP/B.
    pub own: Option<f64>,
}

impl Spot {
    fn of(at: usize, kernel: &KernelCost) -> Option<Self> {
        Some(Spot {
            letter: 'a',
            kernel: at,
            op: kernel.flop_terms.first()?.op,
            intensity: kernel.intensity(),
            product: kernel.has_product(),
            ran: None,
            flops: kernel.flops,
            bytes: kernel.bytes(),
        })
    }

    /// Its intensity as the page prints it.
    pub fn printed(&self) -> String {
        match self.intensity {
            i if i < 999.9995 => figure::fixed(i, 3),
            i if i < 99_999.95 => figure::fixed(i, 1),
            i => format!("{i:.1e}"),
        }
    }

    /// The kernel under a roof; `None` where the device has no unit for it.
    pub fn under(&self, ceilings: &Ceilings, dtype: Dtype) -> Option<Side> {
        let roof = ceilings.roof(dtype, self.product)?;
        Some(Side {
            flop_seconds: self.flops as f64 / roof.flops_per_second,
            byte_seconds: self.bytes as f64 / roof.bytes_per_second,
            floor: roof.floor_seconds(self.flops, self.bytes),
            rate: roof.attainable(self.intensity),
            bound: roof.bound(self.flops, self.bytes),
        })
    }
}

impl Roofs {
    /// The roofs of a device for a type, each once, products first: two where
    /// products run on another unit.
    pub fn parts(ceilings: &Ceilings, dtype: Dtype) -> Vec<(bool, Roof)> {
        let mut parts: Vec<(bool, Roof)> = Vec::new();
        for product in [true, false] {
            if let Some(roof) = ceilings.roof(dtype, product)
                && !parts.iter().any(|(_, other)| *other == roof)
            {
                parts.push((product, roof));
            }
        }
        parts
    }
}

impl View {
    /// The kernels of the plan on the bench under `roofs`.
    pub(super) fn of(
        roofs: Roofs,
        bench: &Bench,
        versions: &[Cost],
        runs: &Runs,
        op: Option<OpKind>,
    ) -> Self {
        let kernels = &bench.cost().block.kernels;
        let mut spots = spots(kernels);
        if roofs.own {
            ran(&mut spots, bench, runs);
        }
        let holds = |spot: &Spot| {
            let terms = kernels.get(spot.kernel).map(|k| &k.flop_terms);
            terms.is_some_and(|t| t.iter().any(|t| Some(t.op) == op))
        };
        let here = spots.iter().position(holds).unwrap_or(0);
        let achieved = match roofs.roof.as_ref().filter(|_| roofs.own) {
            Some(ceilings) => achieved(ceilings, bench, versions, runs),
            None => Vec::new(),
        };
        View {
            blocks: versions.iter().map(|c| c.block.intensity()).collect(),
            roofs,
            spots,
            here,
            achieved,
            own: None,
        }
    }

    /// The kernel under the cursor.
    pub fn spot(&self) -> Option<&Spot> {
        self.spots.get(self.here)
    }

    /// How many kernels meet the slope before the flat part of a roof.
    pub fn memory_bound(&self, ceilings: &Ceilings, dtype: Dtype) -> usize {
        let side = |s: &&Spot| s.under(ceilings, dtype).map(|side| side.bound);
        let of = self.spots.iter();
        of.filter(|s| side(s) == Some(Bound::Memory)).count()
    }

    /// Kernels that are bound otherwise under the what-if roof.
    pub fn changed(&self, dtype: Dtype) -> Vec<&Spot> {
        let (Some(roof), Some(other)) = (&self.roofs.roof, &self.roofs.what_if) else {
            return Vec::new();
        };
        let bound = |s: &Spot, c: &Ceilings| s.under(c, dtype).map(|side| side.bound);
        let of = self.spots.iter();
        of.filter(|s| bound(s, roof) != bound(s, other)).collect()
    }

    /// What the what-if GPU changes, in a sentence.
    pub(super) fn told(&self, name: &str, dtype: Dtype) -> String {
        let Some(other) = &self.roofs.what_if else {
            return String::new();
        };
        let Some(roof) = other.roof(dtype, true) else {
            return format!("{name}: its data sheet has no {} peak.", dtype.name());
        };
        let what = match Roofs::parts(other, dtype).len() {
            1 => "",
            _ => " for products",
        };
        format!(
            "{name}, data sheet: ridge {:.2} FLOP/B{what}, {} of {} memory-bound =.",
            roof.ridge(),
            self.memory_bound(other, dtype),
            self.spots.len()
        )
    }
}

/// The kernels by their intensity, with letters.
fn spots(kernels: &[KernelCost]) -> Vec<Spot> {
    let mut spots: Vec<Spot> = kernels
        .iter()
        .enumerate()
        .filter_map(|(at, kernel)| Spot::of(at, kernel))
        .collect();
    // Stable: kernels of one intensity keep the order of the plan.
    spots.sort_by(|a, b| {
        a.intensity
            .total_cmp(&b.intensity)
            .then(a.product.cmp(&b.product))
    });
    let mut letters = 'a'..='z';
    let mut before: Option<(String, bool, char)> = None;
    for spot in &mut spots {
        let (printed, product) = (spot.printed(), spot.product);
        let letter = match &before {
            Some((p, same, letter)) if *p == printed && *same == product => *letter,
            _ => letters.next().unwrap_or('z'),
        };
        spot.letter = letter;
        before = Some((printed, product, letter));
    }
    spots
}

/// Puts the times of the plan's last run at its kernels, where each was timed.
fn ran(spots: &mut [Spot], bench: &Bench, runs: &Runs) {
    let cost = bench.cost();
    let report = runs.of(bench.setup(), cost.config.cut);
    let Some(times) = report.and_then(|report| Times::of(report, cost, None)) else {
        return;
    };
    for spot in spots {
        let kernel = cost.block.kernels.get(spot.kernel);
        spot.ran = kernel.and_then(|k| times.seconds(k)).map(|seconds| Ran {
            seconds,
            rate: spot.flops as f64 / seconds,
        });
    }
}

/// What was measured of V1 to V4 and of the plan on the bench.
fn achieved(ceilings: &Ceilings, bench: &Bench, versions: &[Cost], runs: &Runs) -> Vec<Achieved> {
    let dtype = bench.setup().dtype;
    let of = |sign: char, cost: &Cost| {
        let cut = cost.config.cut;
        let seconds = runs.of(bench.setup(), cut)?.time_us.as_ref()?.median * 1e-6;
        let intensity = cost.forward.intensity();
        let rate = cost.forward.flops as f64 / seconds;
        let roof = ceilings.roof(dtype, true);
        (seconds > 0.0).then(|| Achieved {
            sign,
            intensity,
            rate,
            of_roof: roof.map(|roof| rate / roof.attainable(intensity)),
            present: cut == bench.cut(),
        })
    };
    let listed = Version::WORKSHOP.iter().any(|v| v.cut() == bench.cut());
    ('1'..)
        .zip(versions)
        .chain((!listed).then_some(('@', bench.cost())))
        .filter_map(|(sign, cost)| of(sign, cost))
        .collect()
}

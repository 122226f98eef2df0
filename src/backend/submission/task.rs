//! What each kernel is to compute: arguments, launch, shapes, the values in fp64.

mod flash_loop;
mod fused_gate_up;
mod fused_qkv;
mod online_softmax;
mod real;
mod residual_norm;
mod silu_mul;
mod tiled_product;

use super::bench::Geometry;
use plan::model::random::Stream;

/// Extents that shapes are drawn from: around a warp, a pair of warps, a block.
pub(super) const EXTENTS: [usize; 10] = [1, 31, 32, 33, 63, 64, 65, 100, 257, 1000];

/// Shapes that are drawn.
const DRAWN: usize = 12;

/// A kernel's contract. Inputs are fp32, sizes are in elements.
pub(super) struct Task {
    /// The source (`exercises/silu_mul.cu`).
    pub source: &'static str,
    /// Names of the extents.
    pub extents: &'static [&'static str],
    /// A case small enough to be printed.
    pub tiny: &'static [usize],
    /// Extents of a drawn shape; `draw(k)` gives extent `k`.
    pub drawn: fn(draw: &mut dyn FnMut() -> usize) -> Vec<usize>,
    /// Shapes beside the drawn ones.
    pub fixed: &'static [&'static [usize]],
    /// Special inputs.
    pub special: &'static [Special],
    /// The case whose bytes are counted.
    pub wide: &'static [usize],
    /// Inputs and outputs at these extents, and the launch.
    pub frame: fn(&[usize]) -> Frame,
    /// The outputs in fp64 and as a plain fp32 loop gives them.
    pub reference: (Reference<f64>, Reference<f32>),
}

/// From extents and inputs to outputs.
pub(super) type Reference<F> = fn(&[usize], &[Vec<f32>]) -> Vec<Vec<F>>;

/// Inputs that bring something to light.
pub(super) struct Special {
    /// What they are, in words.
    pub what: &'static str,
    pub at: &'static [usize],
    /// Writes over the drawn inputs.
    pub fill: fn(&[usize], &mut [Vec<f32>]),
}

/// The buffers of a case, in the order of the kernel's arguments, and the rest of
/// the arguments.
pub(super) struct Frame {
    /// Name and number of values of each input.
    pub inputs: Vec<(&'static str, usize)>,
    /// Name and number of values of each output.
    pub outputs: Vec<(&'static str, usize)>,
    /// Values of a row of every output; 0 where they have no rows.
    pub row: usize,
    /// Arguments behind the buffers.
    pub rest: Vec<Rest>,
    pub geometry: Geometry,
}

/// An argument that is no buffer.
pub(super) enum Rest {
    Int(usize),
    Long(usize),
    Float(f32),
}

/// One case: extents and inputs.
pub(super) struct Case {
    /// How messages call it: `n = 33`, with the special input where it is one.
    pub name: String,
    pub extents: Vec<usize>,
    pub inputs: Vec<Vec<f32>>,
}

/// All tasks.
const TASKS: [Task; 7] = [
    silu_mul::TASK,
    residual_norm::TASK,
    tiled_product::TASK,
    online_softmax::TASK,
    flash_loop::TASK,
    fused_qkv::TASK,
    fused_gate_up::TASK,
];

/// The task of a source.
pub(super) fn task(source: &str) -> Option<&'static Task> {
    static ALL: [Task; 7] = TASKS;
    ALL.iter().find(|task| task.source == source)
}

impl Task {
    /// The case that is printed.
    pub fn tiny(&self) -> Case {
        self.case(self.tiny, "tiny")
    }

    /// The case whose bytes are counted.
    pub fn wide(&self) -> Case {
        self.case(self.wide, "wide")
    }

    /// Fixed and drawn shapes, then the special inputs.
    pub fn cases(&self) -> impl Iterator<Item = Case> {
        let stream = Stream::new(0, self.source);
        let mut at = 0;
        let mut draw = || {
            at += 1;
            let pick = stream.below(at, EXTENTS.len() as u64) as usize;
            EXTENTS.get(pick).copied().unwrap_or(1)
        };
        let mut shapes: Vec<Vec<usize>> = self.fixed.iter().map(|s| s.to_vec()).collect();
        for _ in 0..DRAWN {
            shapes.push((self.drawn)(&mut draw));
        }
        let plain = shapes
            .into_iter()
            .enumerate()
            .map(|(index, shape)| self.case(&shape, &format!("shape {index}")));
        let special = self.special.iter().map(|special| {
            let mut case = self.case(special.at, special.what);
            (special.fill)(special.at, &mut case.inputs);
            case.name = format!("{}, {}", case.name, special.what);
            case
        });
        plain.chain(special)
    }

    fn case(&self, extents: &[usize], seed: &str) -> Case {
        let frame = (self.frame)(extents);
        let inputs = frame.inputs.iter().map(|(name, length)| {
            let stream = Stream::new(0, &format!("{} {seed} {name}", self.source));
            (0..*length as u64).map(|i| stream.centred(i)).collect()
        });
        let named = self.extents.iter().zip(extents);
        Case {
            name: named
                .map(|(name, extent)| format!("{name} = {extent}"))
                .collect::<Vec<_>>()
                .join(", "),
            extents: extents.to_vec(),
            inputs: inputs.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::run::listing::{Listing, listings};

    #[test]
    fn every_kernel_with_gaps_has_a_task_and_every_task_a_kernel() {
        let mut sources: Vec<String> = listings()
            .iter()
            .map(|name| format!("exercises/{name}"))
            .filter(|path| Listing::named(path).unwrap().gaps().count() > 0)
            .collect();
        let mut tasks: Vec<&str> = TASKS.iter().map(|task| task.source).collect();
        sources.sort();
        tasks.sort_unstable();
        assert_eq!(sources, tasks);
    }

    #[test]
    fn references_in_both_precisions_agree_and_fill_every_output() {
        for task in &TASKS {
            for case in task.cases().chain([task.tiny()]) {
                let frame = (task.frame)(&case.extents);
                let exact = (task.reference.0)(&case.extents, &case.inputs);
                let plain = (task.reference.1)(&case.extents, &case.inputs);
                for (i, (name, length)) in frame.outputs.iter().enumerate() {
                    assert_eq!((exact[i].len(), plain[i].len()), (*length, *length));
                    for (e, p) in exact[i].iter().zip(&plain[i]) {
                        let near = (e - f64::from(*p)).abs() <= 1e-4 * e.abs().max(1.0);
                        assert!(near, "{} {} {name}: {e} {p}", task.source, case.name);
                    }
                }
            }
        }
    }
}

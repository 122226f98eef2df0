//! A forward run twice from poisoned memory, every kernel judged by what it
//! writes: what `selftest` asks of a device.

use super::check::{self, Tensors};
use super::ready::Ready;
use super::{Gpu, sample, stream};
use crate::check::{FirstWrong, TensorCheck, Verdict};
use crate::gpu::driver::Driver;
use crate::gpu::program::{Program, Step};
use crate::reference::affordable;
use plan::cost::{Config, price};
use plan::run::{LaunchReport, Observer, Request, RunError};

/// Most work of a forward that is judged as a whole.
const MAX_FLOPS: u64 = 10_000_000_000;

/// A kernel file in place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    /// The last file of a unit, under `kernels/`.
    pub file: &'static str,
    /// What is compiled in its place.
    pub by: &'static str,
}

/// How one launch of a forward compares.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelVerdict {
    /// What was compiled; `library` for a library's product.
    pub title: String,
    /// Its entry; `library` for a library's product.
    pub entry: &'static str,
    /// The tensors that it wrote.
    pub tensors: Vec<TensorCheck>,
}

/// What an examination found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// One per launch, in order.
    pub kernels: Vec<KernelVerdict>,
    /// Whether every tensor is within its tolerance.
    pub pass: bool,
    /// The first that is not.
    pub first_wrong: Option<FirstWrong>,
    /// What is wrong, in words.
    pub wrong: Option<String>,
    /// The first tensor that the second run made otherwise.
    pub unsteady: Option<String>,
    /// Launches that were counted.
    pub launches: LaunchReport,
    /// Launches of the plan.
    pub planned: u64,
}

impl<D: Driver> Gpu<D> {
    /// Runs the forward of `request` twice, and judges every tensor that it
    /// leaves in memory against the fp64 reference and against its repetition.
    /// Of a model that is too large for that, sampled rows are judged, and the
    /// logits are repeated; there are no verdicts by kernel then.
    ///
    /// # Errors
    /// As [`Gpu::run`]; a file to be swapped that the plan does not use.
    pub fn examine(
        &mut self,
        request: &Request,
        swap: Option<Swap>,
        observer: &dyn Observer,
    ) -> Result<Examined, RunError> {
        let mut swapped = swap.is_none();
        let change = |program: &mut Program| {
            if let Some(swap) = swap {
                swapped = exchange(program, swap);
            }
        };
        let examined = self.with_ready(request, change, observer, |gpu, _, ready| {
            if !is_small(&ready.planned.cost.config)? {
                return gpu.examine_sampled(&ready, observer);
            }
            let (launched, first) =
                check::forward(&mut gpu.driver, &ready.bound, &mut |_, _| {}, observer)?;
            let (_, second) =
                check::forward(&mut gpu.driver, &ready.bound, &mut |_, _| {}, observer)?;
            let verdict = check::judge(&mut gpu.judge, &ready, &first, observer)?;
            let planned = ready.planned.plan.launches() as u64;
            Ok(Examined {
                unsteady: unsteady(&ready, &first, &second),
                launches: launched.into(),
                planned,
                ..examined(&ready, verdict)
            })
        })?;
        match swapped {
            true => Ok(examined),
            false => Err(RunError::failed("the plan has no kernel to be exchanged")),
        }
    }
}

impl<D: Driver> Gpu<D> {
    fn examine_sampled(
        &mut self,
        ready: &Ready<'_>,
        observer: &dyn Observer,
    ) -> Result<Examined, RunError> {
        let (launched, report) = sample::forward(&mut self.driver, ready, observer)?;
        let first = self.logits(&ready.bound)?;
        ready.bound.poison(&mut self.driver)?;
        stream::forward(&mut self.driver, &ready.bound, observer)?;
        let second = self.logits(&ready.bound)?;
        let differs = first
            .iter()
            .zip(&second)
            .any(|(a, b)| a.to_bits() != b.to_bits());
        Ok(Examined {
            kernels: Vec::new(),
            pass: report.pass,
            first_wrong: None,
            wrong: report.first_wrong,
            unsteady: differs.then(|| "logits".to_owned()),
            launches: launched.into(),
            planned: ready.planned.plan.launches() as u64,
        })
    }
}

/// Whether the whole forward is judged: the reference takes about a second.
fn is_small(config: &Config) -> Result<bool, RunError> {
    let mut whole = config.clone();
    whole.shape.seq = whole.shape.context;
    let flops = price(&whole)?.forward.flops;
    Ok(flops <= MAX_FLOPS && affordable(&config.model, &config.shape).is_ok())
}

/// Exchanges a kernel's file; whether it is there.
fn exchange(program: &mut Program, swap: Swap) -> bool {
    let mut found = false;
    for step in &mut program.steps {
        if let Step::Own(launch) = step
            && let Some(last) = launch.unit.files.last_mut()
            && *last == swap.file
        {
            *last = swap.by;
            found = true;
        }
    }
    found
}

fn examined(ready: &Ready<'_>, verdict: Verdict) -> Examined {
    let kernels = ready.bound.program.steps.iter().map(|step| {
        let (title, entry) = match step {
            Step::Own(launch) => (launch.unit.title(), launch.unit.entry),
            Step::Library(_) => ("library".to_owned(), "library"),
        };
        let written = |check: &&TensorCheck| step.written().iter().any(|w| w.tensor == check.id);
        KernelVerdict {
            title,
            entry,
            tensors: verdict.tensors.iter().filter(written).cloned().collect(),
        }
    });
    Examined {
        kernels: kernels.collect(),
        pass: verdict.pass,
        wrong: verdict.first_wrong.as_ref().map(ToString::to_string),
        first_wrong: verdict.first_wrong.clone(),
        unsteady: None,
        launches: LaunchReport {
            counted: 0,
            library: 0,
        },
        planned: 0,
    }
}

/// The first tensor whose bits differ from one run to the next.
fn unsteady(ready: &Ready<'_>, first: &Tensors, second: &Tensors) -> Option<String> {
    let written = ready.bound.program.steps.iter().flat_map(|s| s.written());
    let differs = |a: &[f32], b: &[f32]| {
        a.len() != b.len() || a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits())
    };
    for written in written {
        let (a, b) = (first.get(&written.tensor)?, second.get(&written.tensor)?);
        if differs(a, b) {
            return Some(ready.planned.graph.tensor_at(written.tensor).full_name());
        }
    }
    None
}

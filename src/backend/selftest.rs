//! `selftest`: every kernel and every fusion set that a GPU backend promises,
//! on models small enough for the fp64 reference, ragged sizes among them.
//!
//! Each forward starts from poisoned memory and fresh random weights and
//! tokens, runs twice, and leaves tensors that are judged one by one, so that
//! a verdict falls on every kernel and not on the logits alone. In the end
//! kernels with planted defects are run: a test that lets them pass is worth
//! nothing.

mod cases;
mod planted;
mod rows;

use serde::{Deserialize, Serialize};

use super::backends::Backend;
use super::protocol::{self, ProtocolRow};
use super::runner::Runner;
use plan::run::{BackendKind, Observer, RunError, RunErrorKind};

pub use cases::{Case, Extent, cases};
pub use planted::{Fault, PLANTED, Planted, fault};
pub use rows::{KernelRow, PlanRow, PlantedRow};

/// Everything that a self-test found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// Version of this document.
    pub schema: u32,
    /// `cuda`, `hip` or `simt`.
    pub backend: String,
    /// The device in words.
    pub device: String,
    /// Seed of weights and tokens.
    pub seed: u64,
    /// Every kernel that was launched, over all forwards.
    pub kernels: Vec<KernelRow>,
    /// Every fusion set.
    pub plans: Vec<PlanRow>,
    /// Planted defects.
    pub planted: Vec<PlantedRow>,
    /// What blocks say to one another, in many orders: on the SIMT machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protocols: Vec<ProtocolRow>,
    /// Whether everything is right and every defect was caught.
    pub pass: bool,
}

/// How a self-test is made.
pub struct Options<'o> {
    /// Which backend.
    pub backend: BackendKind,
    /// How much.
    pub extent: Extent,
    /// Seed of weights and tokens.
    pub seed: u64,
    /// Who may stop it.
    pub observer: &'o dyn Observer,
    /// Hears of each forward before it begins: how many are done, of how many,
    /// and what is next.
    pub told: &'o mut dyn FnMut(usize, usize, &str),
}

/// Tests the device of a backend.
///
/// # Errors
/// A backend, device or compiler that is not there, so that nothing can be run; a
/// stop; a device that is lost, with the forward that lost it.
pub fn selftest(options: Options<'_>) -> Result<SelfTest, RunError> {
    let mut runner = Runner::all();
    let (backend, observer) = (options.backend, options.observer);
    let cases = cases(options.extent);
    let Options { told, .. } = options;
    let mut test = run(
        runner.backend(backend)?,
        &cases,
        Options {
            told: &mut *told,
            ..options
        },
    )?;
    if backend == BackendKind::Simt {
        let total = cases.len() + PLANTED.len();
        test.protocols = protocol::show(observer, &mut |what| {
            told(total.saturating_sub(1), total, what)
        })?;
        test.pass &= test.protocols.iter().all(|row| row.pass);
    }
    Ok(test)
}

/// Runs the cases one after another.
fn run(gpu: &mut dyn Backend, cases: &[Case], options: Options<'_>) -> Result<SelfTest, RunError> {
    let Options {
        backend,
        seed,
        observer,
        told,
        ..
    } = options;
    let mut test = SelfTest {
        schema: 1,
        backend: backend.name().to_owned(),
        device: gpu.open(observer)?,
        seed,
        kernels: Vec::new(),
        plans: Vec::new(),
        planted: Vec::new(),
        protocols: Vec::new(),
        pass: false,
    };
    let total = cases.len() + PLANTED.len();
    let mut lacking = None;
    for (done, case) in cases.iter().enumerate() {
        told(done, total, &case.title());
        match gpu.examine(&case.request(backend, seed), None, observer) {
            Ok(examined) => test.take(case, &examined),
            Err(e) => match e.kind {
                // The device still works: the set is not there, and that is
                // what the table says.
                RunErrorKind::Missing | RunErrorKind::BadRequest => {
                    test.lack(case, &e);
                    lacking.get_or_insert(e);
                }
                RunErrorKind::Cancelled => return Err(e),
                RunErrorKind::Failed => {
                    return Err(RunError::failed(format!("{}: {e}", case.title())));
                }
            },
        }
    }
    // Where not one set is there, the reason is all that there is to say.
    if let Some(why) = lacking
        && test.plans.iter().all(|plan| plan.forwards == 0)
    {
        return Err(why);
    }
    for (done, planted) in (cases.len()..).zip(PLANTED) {
        told(done, total, planted.what);
        test.planted
            .push(planted::run(gpu, planted, backend, seed, observer)?);
    }
    test.pass = test.kernels.iter().all(|k| k.pass)
        && test.plans.iter().all(|p| p.pass && p.lacking.is_none())
        && test.planted.iter().all(|p| p.caught);
    Ok(test)
}

#[cfg(test)]
mod tests;

//! From a program to numbers, on any [`Driver`]: memory is filled, kernels are
//! loaded, launches are counted in the one place where they start, outputs are
//! checked, and only then is there a clock.
//!
//! | file | idea |
//! |---|---|
//! | `memory` | who lives where: weights kept between runs, caches shared by the programs of a run, the rest of one program |
//! | `programs` | the forward that is asked for, and the prefill that fills its cache |
//! | `bind` | a program whose arguments are addresses and whose kernels are loaded |
//! | `stream` | the launch wrapper: the only place that starts a kernel, and counts |
//! | `read` | tensors from device memory to fp32 |
//! | `check` | a forward whose every tensor in memory is compared with the reference |
//! | `sample` | the same for large models, in sampled rows |
//! | `count` | a forward whose loads and stores are counted |
//! | `time` | warm-up and timed forwards, as launches or as a graph |
//! | `trace` | when each kernel runs, by clocks in the kernels |
//! | `ready` | a forward that is ready to run |
//! | `request` | a request from beginning to end: what `run` reports |
//! | `examine` | a forward run twice, every kernel judged: what `selftest` asks |

mod bind;
mod check;
mod count;
mod examine;
mod memory;
mod programs;
mod read;
mod ready;
mod request;
mod sample;
mod stream;
mod time;
mod trace;

use std::collections::HashMap;

use super::driver::{Driver, Function};
use super::source::CompileUnit;
use crate::check::Judge;
pub use examine::{Examined, KernelVerdict, Swap};
use memory::Kept;

/// A device that runs requests one after another. Weights and kernels stay on
/// it, so that flipping a fusion costs a plan and not a model.
pub struct Gpu<D> {
    driver: D,
    kept: Option<Kept>,
    /// With the reference of what ran last on these weights.
    judge: Judge,
    /// Kernels with counters in them, by unit and dynamic shared memory.
    counting: HashMap<(CompileUnit, u32), Function>,
}

impl<D: Driver> Gpu<D> {
    /// Nothing is on the device yet.
    pub fn new(driver: D) -> Self {
        Self {
            driver,
            kept: None,
            judge: Judge::default(),
            counting: HashMap::new(),
        }
    }

    /// The device in words.
    pub fn describe(&self) -> String {
        self.driver.describe()
    }

    /// The device itself.
    pub fn driver(&mut self) -> &mut D {
        &mut self.driver
    }
}

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;

//! What says how long a kernel takes: a roof, or this machine as it was calibrated.

use crate::calibration::{Calibration, Kernel, Tiles};
use plan::cost::{Config, KernelCost, Roof};

/// What a kernel costs beside its bytes and FLOPs, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Toll {
    /// One launch.
    pub launch: f64,
    /// One wait of the whole grid.
    pub barrier: f64,
    /// The roof over kernels without a matrix product.
    pub plain: Roof,
    /// The roof over kernels with one.
    pub product: Roof,
}

impl Toll {
    /// Seconds of a kernel by the model.
    pub fn seconds(&self, kernel: &KernelCost) -> f64 {
        let roof = match kernel.has_product() {
            true => self.product,
            false => self.plain,
        };
        self.launch
            + roof.floor_seconds(kernel.flops, kernel.bytes())
            + self.barrier * kernel.phases.saturating_sub(1) as f64
    }
}

/// What says how long a kernel takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Prices {
    /// A roof, with launches and waits that were recorded or typed.
    Roof(Toll),
    /// The machine as it was calibrated, which knows that a kernel of several products
    /// runs them less well.
    Machine(Box<Calibration>),
}

impl From<Toll> for Prices {
    fn from(toll: Toll) -> Self {
        Self::Roof(toll)
    }
}

impl Prices {
    /// Seconds of a kernel of a configuration; `small`: what it touches stays in a cache.
    pub(super) fn seconds(&self, kernel: &KernelCost, config: &Config, small: bool) -> f64 {
        match self {
            Self::Roof(toll) => toll.seconds(kernel),
            Self::Machine(known) => {
                let on = Tiles::of(&known.backend);
                known.costs.kernel(&Kernel::of(kernel, config, on), small)
            }
        }
    }

    /// Seconds of a launch and of a wait.
    pub(super) fn fixed(&self) -> [f64; 2] {
        match self {
            Self::Roof(toll) => [toll.launch, toll.barrier],
            Self::Machine(known) => [known.costs.launch, known.costs.wait],
        }
    }
}

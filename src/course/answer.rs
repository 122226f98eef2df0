//! The judge: expressions over the cost model and run reports, slips, verdicts.
//!
//! Pure: an [`Env`] holds the configuration, the GPU database and the records
//! that the caller keeps; [`Expr`] is evaluated in it, `judge` compares what was
//! typed with a key.

pub mod claim;
mod expr;
mod grid;
mod judge;
mod kernel;
mod key;
mod lint;
pub mod practise;
mod records;
mod setup;

#[cfg(test)]
mod facts;

pub(crate) use expr::OLD;
pub use expr::{Expr, ExprError, Ground, Step, Value};
pub use grid::{Table, filled, listed, spelled, typed_cells, typed_rows, written};
pub(crate) use grid::{as_line, as_row};
pub use judge::{
    Cell, Fits, Judgement, Prediction, Side, UNCOUNTED, Verdict, cells_are, echo, grade, marked,
    tolerance,
};
pub use kernel::{Contract, Kernel, KernelTask};
pub use key::{Key, Kind, Slip, SlipValue, Tolerance};
pub use lint::{lint, reveals, told_apart, twins};
pub use records::{NoRecords, RUN_PATHS, Records, report_value};
pub use setup::{SETTINGS, Setting, SettingError, Setup, Slips, USUAL_GPU, data_sheets, gpu_id};

use plan::cost::GpuDatabase;

/// Everything that an expression may look at.
#[derive(Clone)]
pub struct Env<'a> {
    /// Model, shape, dtype, plan, conventions.
    pub setup: Setup,
    /// Data sheets.
    pub gpus: &'a GpuDatabase,
    /// Runs of this machine and figures recorded elsewhere.
    pub records: &'a dyn Records,
}

impl<'a> Env<'a> {
    /// An environment.
    pub fn new(setup: Setup, gpus: &'a GpuDatabase, records: &'a dyn Records) -> Self {
        Self {
            setup,
            gpus,
            records,
        }
    }

    /// The same with settings applied.
    #[must_use]
    pub fn with(&self, settings: &[Setting]) -> Self {
        Self {
            setup: self.setup.with(settings),
            ..*self
        }
    }
}

//! A program whose arguments are addresses and whose kernels are loaded.

use super::memory::{Kept, POISON, RunMemory};
use crate::gpu::driver::{Driver, Function, GemmCall, GpuError, Memory, Parameter};
use crate::gpu::program::{
    Arg, BufferId, Contents, Grid, Launch, LibraryGemm, Program, Step, TensorMap,
};
use crate::gpu::source::CompileUnit;
use plan::model::Dtype;

/// A program in memory.
pub(super) struct Bound {
    /// What it does, in data.
    pub program: Program,
    /// Where its buffers are, by number.
    pub places: Vec<Memory>,
    /// Its steps, one per kernel of the plan.
    pub steps: Vec<BoundStep>,
    /// The element type.
    pub dtype: Dtype,
}

/// One step as the device takes it.
#[derive(Debug, Clone)]
pub(super) enum BoundStep {
    /// A kernel of ours.
    Own(BoundLaunch),
    /// A library's product.
    Library(GemmCall),
}

/// A launch, resolved.
#[derive(Debug, Clone)]
pub(super) struct BoundLaunch {
    pub function: Function,
    pub grid: [u32; 3],
    pub threads: u32,
    pub shared: u32,
    pub cooperative: bool,
    pub overlap: bool,
    pub parameters: Vec<Parameter>,
}

impl Bound {
    /// Places a program's buffers, fills those that are filled once, and
    /// resolves its launches. `load` gives the function of a launch.
    ///
    /// # Errors
    /// No memory left, a unit that does not compile, a grid that does not fit.
    pub fn new<D: Driver>(
        driver: &mut D,
        memory: &mut RunMemory,
        kept: &Kept,
        program: Program,
        mut load: impl FnMut(&mut D, &CompileUnit, u32) -> Result<Function, GpuError>,
    ) -> Result<Self, GpuError> {
        let places = memory.place(driver, kept, &program)?;
        let mut bound = Self {
            program,
            places,
            steps: Vec::new(),
            dtype: kept.weights.dtype(),
        };
        bound.fill_once(driver)?;
        let mut steps = Vec::with_capacity(bound.program.steps.len());
        for step in &bound.program.steps {
            steps.push(match step {
                Step::Own(launch) => {
                    let function = load(driver, &launch.unit, launch.shared)?;
                    BoundStep::Own(bound.launch(driver, launch, function)?)
                }
                Step::Library(gemm) => BoundStep::Library(bound.library(driver, gemm)?),
            });
        }
        bound.steps = steps;
        Ok(bound)
    }

    /// Address tables, tensor maps and counters.
    fn fill_once(&self, driver: &mut impl Driver) -> Result<(), GpuError> {
        for (spec, memory) in self.program.buffers.iter().zip(&self.places) {
            match &spec.contents {
                Contents::Zeroed => driver.fill(*memory, 0)?,
                Contents::Addresses(of) => {
                    let mut bytes = Vec::with_capacity(8 * of.len());
                    for (buffer, offset) in of {
                        let address = self.address(driver, *buffer)? + offset;
                        bytes.extend(address.to_le_bytes());
                    }
                    driver.upload(*memory, 0, &bytes)?;
                }
                Contents::TensorMaps(of) => {
                    let mut bytes = Vec::with_capacity(128 * of.len());
                    for map in of {
                        let words = self.map(driver, map)?;
                        bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
                    }
                    driver.upload(*memory, 0, &bytes)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the ids of the new tokens.
    ///
    /// # Errors
    /// A copy that fails.
    pub fn set_ids(&self, driver: &mut impl Driver, ids: &[u32]) -> Result<(), GpuError> {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        for (spec, memory) in self.program.buffers.iter().zip(&self.places) {
            if spec.contents == Contents::Ids {
                driver.upload(*memory, 0, &bytes)?;
            }
        }
        Ok(())
    }

    /// Makes a not-a-number of everything that a forward has to write before
    /// it reads it.
    ///
    /// # Errors
    /// A fill that fails.
    pub fn poison(&self, driver: &mut impl Driver) -> Result<(), GpuError> {
        for (spec, memory) in self.program.buffers.iter().zip(&self.places) {
            if matches!(spec.contents, Contents::Activation | Contents::Scratch) {
                driver.fill(*memory, POISON)?;
            }
        }
        Ok(())
    }

    /// Where a buffer lies.
    fn address(&self, driver: &impl Driver, buffer: BufferId) -> Result<u64, GpuError> {
        let memory = self.places.get(buffer.0 as usize).ok_or_else(|| {
            GpuError::failed(format!(
                "a launch names buffer {}, which the program does not have; this is a defect of this program",
                buffer.0
            ))
        })?;
        Ok(driver.address(*memory))
    }

    fn map(&self, driver: &mut impl Driver, map: &TensorMap) -> Result<[u64; 16], GpuError> {
        let address = self.address(driver, map.buffer)?;
        driver.tensor_map(address, map)
    }

    /// A launch with its arguments resolved.
    ///
    /// # Errors
    /// A grid that does not fit, an argument that is not there.
    pub fn launch(
        &self,
        driver: &mut impl Driver,
        launch: &Launch,
        function: Function,
    ) -> Result<BoundLaunch, GpuError> {
        let mut parameters = Vec::with_capacity(launch.args.len());
        for arg in &launch.args {
            parameters.push(match arg {
                Arg::Buffer(buffer) => Parameter::Long(self.address(driver, *buffer)?),
                Arg::At(buffer, offset) => Parameter::Long(self.address(driver, *buffer)? + offset),
                Arg::Null => Parameter::Long(0),
                Arg::I32(value) => Parameter::Word(value.cast_unsigned()),
                Arg::U32(value) => Parameter::Word(*value),
                Arg::I64(value) => Parameter::Long(value.cast_unsigned()),
                Arg::F32(value) => Parameter::Word(value.to_bits()),
                Arg::Map(map) => Parameter::Map(self.map(driver, map)?),
            });
        }
        let grid = match launch.grid {
            Grid::Blocks(blocks) => blocks,
            Grid::Resident { per_sm } => {
                let fits = driver.resident_blocks(function, launch.threads, launch.shared)?;
                let blocks = fits.min(per_sm) * driver.target().sms;
                if blocks == 0 {
                    return Err(GpuError::missing(format!(
                        "{}: no block of {} threads with {} bytes of shared memory fits on a multiprocessor of {}, and blocks that wait for one another must all be there; --version five has none that wait and runs instead",
                        launch.name,
                        launch.threads,
                        launch.shared,
                        driver.target().arch
                    )));
                }
                [blocks, 1, 1]
            }
        };
        Ok(BoundLaunch {
            function,
            grid,
            threads: launch.threads,
            shared: launch.shared,
            cooperative: launch.cooperative,
            overlap: launch.overlap,
            parameters,
        })
    }

    fn library(&self, driver: &impl Driver, gemm: &LibraryGemm) -> Result<GemmCall, GpuError> {
        Ok(GemmCall {
            bf16: self.dtype == Dtype::Bf16,
            a: self.address(driver, gemm.a)?,
            w: self.address(driver, gemm.w)?,
            c: self.address(driver, gemm.c.0)? + gemm.c.1,
            m: gemm.m,
            n: gemm.n,
            k: gemm.k,
        })
    }
}

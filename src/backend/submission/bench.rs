//! One kernel with its buffers on the machine.

use super::values::value;
use crate::gpu::Parameter;
use crate::gpu::simt::pack;
use simt::{Counts, LaunchRequest, Machine, MachineError, Options, Program};

/// Warp instructions of one block after which it counts as endless: the longest
/// block of an exercise takes a fraction of it.
const STEPS: u64 = 20_000_000;
/// Most memory of a submission, in bytes.
const MEMORY: u64 = 512 << 20;

/// A buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buffer {
    address: u64,
    words: usize,
}

/// An argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Arg {
    Buffer(Buffer),
    Int(i32),
    Long(i64),
    Float(f32),
}

/// Blocks, threads, and whether all blocks are resident together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Geometry {
    pub grid: [u32; 2],
    pub threads: u32,
    pub cooperative: bool,
}

impl Geometry {
    pub const fn blocks(grid: u32, threads: u32) -> Self {
        Self {
            grid: [grid, 1],
            threads,
            cooperative: false,
        }
    }
}

/// The machine with one program.
pub(super) struct Bench<'p> {
    machine: Machine,
    program: &'p Program,
    entry: &'p str,
}

impl<'p> Bench<'p> {
    pub fn new(program: &'p Program, entry: &'p str) -> Self {
        let options = Options {
            check: true,
            step_limit: STEPS,
            memory_limit: MEMORY,
            strict_barriers: true,
            ..Options::default()
        };
        Self {
            machine: Machine::new(options),
            program,
            entry,
        }
    }

    /// A buffer of words with these bits.
    pub fn words(&mut self, name: &str, words: &[u32]) -> Result<Buffer, MachineError> {
        let address = self.machine.alloc(name, words.len() as u64 * 4)?;
        self.machine.write(address, bytemuck::cast_slice(words))?;
        Ok(Buffer {
            address,
            words: words.len(),
        })
    }

    /// A buffer of these values.
    pub fn floats(&mut self, name: &str, values: &[f32]) -> Result<Buffer, MachineError> {
        self.words(name, bytemuck::cast_slice(values))
    }

    /// A buffer that nothing has been written to: its bits are all ones.
    pub fn fresh(&mut self, name: &str, words: usize) -> Result<Buffer, MachineError> {
        let bytes = words as u64 * 4;
        let address = self.machine.alloc(name, bytes)?;
        self.machine.poison(address, bytes, 0xff)?;
        Ok(Buffer { address, words })
    }

    pub fn launch(&mut self, geometry: Geometry, args: &[Arg]) -> Result<Counts, MachineError> {
        let params = packed(args);
        if let Some(bytes) = self.program.param_bytes(self.entry)
            && bytes as usize != params.len()
        {
            return Err(MachineError::Request(format!(
                "the arguments of `{}` are not the ones given: {bytes} bytes of them, and {} are \
                 passed; leave the line with KERNEL as it was",
                self.entry,
                params.len()
            )));
        }
        let request = LaunchRequest {
            entry: self.entry,
            grid: [geometry.grid[0], geometry.grid[1], 1],
            block: [geometry.threads, 1, 1],
            shared: 0,
            params: &params,
            cooperative: geometry.cooperative,
        };
        self.machine.launch(self.program, &request)
    }

    pub fn read(&self, buffer: Buffer) -> Result<Vec<u32>, MachineError> {
        let mut words = vec![0u32; buffer.words];
        self.machine
            .read(buffer.address, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words)
    }

    pub fn read_floats(&self, buffer: Buffer) -> Result<Vec<f32>, MachineError> {
        let words = self.read(buffer)?.into_iter().enumerate();
        words
            .map(|(index, bits)| {
                let at = buffer.address + index as u64 * 4;
                Ok(value(bits, self.machine.is_written(at, 4)?))
            })
            .collect()
    }
}

fn packed(args: &[Arg]) -> Vec<u8> {
    let parameters: Vec<Parameter> = args
        .iter()
        .map(|arg| match *arg {
            Arg::Buffer(buffer) => Parameter::Long(buffer.address),
            Arg::Long(long) => Parameter::Long(long as u64),
            Arg::Int(int) => Parameter::Word(int as u32),
            Arg::Float(float) => Parameter::Word(float.to_bits()),
        })
        .collect();
    pack(&parameters)
}

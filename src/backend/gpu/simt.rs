//! The SIMT machine as a device: the same units, the same launches, executed by
//! this computer's CPU. It has counts and findings, and no clock.
//!
//! It executes PTX for sm_80: prebuilt, or compiled where a compiler is here and a kernel
//! is not among those.

pub mod told;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::compile::{Cache, Form, PREBUILT, compile, for_the_machine};
use super::devices::Open;
use super::driver::{
    Call, Driver, Function, GemmCall, GpuError, GpuErrorKind, GraphId, KernelFacts, Mark, Memory,
    Parameter, Traffic,
};
use super::program::{Target, TensorMap};
use super::source::CompileUnit;
use plan::cost::Vendor;
use plan::run::{A100_L2, BackendKind, BackendState};
use simt::{LaunchRequest, Machine, MachineError, Options, Program};

/// The architecture whose PTX the machine reads.
const ARCH: &str = "sm_80";

/// Grid and shared memory of an A100: geometry is chosen for it. With its
/// multiprocessors counted in full, a cooperative kernel's grid is a GPU's.
const SMS: u32 = 108;
const SHARED_PER_BLOCK: u32 = 166_912;

/// A kernel that was loaded.
struct Loaded {
    program: Arc<Program>,
    entry: String,
}

/// A recorded launch.
struct Recorded {
    function: Function,
    grid: [u32; 3],
    threads: u32,
    shared: u32,
    cooperative: bool,
    parameters: Vec<Parameter>,
}

/// The machine with the kernels that it has decoded.
pub struct Simt {
    target: Target,
    machine: Machine,
    functions: Vec<Loaded>,
    by_unit: HashMap<CompileUnit, Function>,
    /// Address and length of each allocation.
    memory: Vec<Option<(u64, u64)>>,
    traffic: Traffic,
    /// Lane instructions and seconds of the launches since [`Driver::told`].
    worked: (u64, f64),
    recording: Option<Vec<Recorded>>,
    graphs: Vec<Vec<Recorded>>,
}

impl Simt {
    /// A machine that observes what `options` say.
    pub fn new(options: Options) -> Self {
        Self {
            target: Target {
                vendor: Vendor::Nvidia,
                arch: ARCH.to_owned(),
                warp: 32,
                sms: SMS,
                shared_per_block: SHARED_PER_BLOCK,
            },
            machine: Machine::new(options),
            functions: Vec::new(),
            by_unit: HashMap::new(),
            memory: Vec::new(),
            traffic: Traffic {
                compulsory: Some(0),
                ..Traffic::default()
            },
            worked: (0, 0.0),
            recording: None,
            graphs: Vec::new(),
        }
    }

    fn text(&self, unit: &CompileUnit) -> Result<String, GpuError> {
        if let Some(prebuilt) = PREBUILT.find(unit, &[ARCH]) {
            return Ok(prebuilt.ptx);
        }
        let cache = Cache::of_user();
        let built = compile(
            for_the_machine()?,
            cache.as_ref(),
            unit,
            ARCH,
            Form::Assembly,
        )?;
        Ok(String::from_utf8_lossy(&built.image).into_owned())
    }

    fn add(&mut self, entry: &str, text: &str) -> Result<Function, GpuError> {
        let program = Program::parse(text)
            .map_err(|e| GpuError::new(GpuErrorKind::Compile, e.to_string()).in_kernel(entry))?;
        self.functions.push(Loaded {
            program: Arc::new(program),
            entry: entry.to_owned(),
        });
        Ok(Function(self.functions.len() as u32 - 1))
    }

    fn range(&self, memory: Memory, offset: u64) -> Result<(u64, u64), GpuError> {
        let block = self.memory.get(memory.0 as usize).copied().flatten();
        let (address, bytes) =
            block.ok_or_else(|| GpuError::failed("memory that was given back is used"))?;
        Ok((address + offset, bytes.saturating_sub(offset)))
    }

    fn execute(
        &mut self,
        call: &Recorded,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), GpuError> {
        let Some(loaded) = self.functions.get(call.function.0 as usize) else {
            return Err(GpuError::failed("a kernel that was not loaded is launched"));
        };
        let params = pack(&call.parameters);
        let program = Arc::clone(&loaded.program);
        let request = LaunchRequest {
            entry: &loaded.entry,
            grid: call.grid,
            block: [call.threads, 1, 1],
            shared: call.shared,
            params: &params,
            cooperative: call.cooperative,
        };
        let began = Instant::now();
        let ran = self.machine.launch_until(&program, &request, stop);
        let counts = ran.map_err(failed)?;
        self.worked.0 += counts.lane_instructions();
        self.worked.1 += began.elapsed().as_secs_f64();
        let (read, written) = (
            counts.buffers.iter().map(|b| b.read).sum::<u64>(),
            counts.buffers.iter().map(|b| b.written).sum::<u64>(),
        );
        self.traffic.read += read;
        self.traffic.written += written;
        let compulsory = counts.compulsory_read() + counts.compulsory_written();
        self.traffic.compulsory = self.traffic.compulsory.map(|sum| sum + compulsory);
        let dram = counts
            .estimated_dram_read
            .zip(counts.estimated_dram_written);
        if let Some((read, written)) = dram {
            self.traffic.dram = Some(self.traffic.dram.unwrap_or(0) + read + written);
        }
        self.traffic.last = Some(Box::new(counts));
        Ok(())
    }
}

/// Parameters as CUDA packs them: each aligned to its size.
pub(crate) fn pack(parameters: &[Parameter]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for parameter in parameters {
        let align = match parameter {
            Parameter::Word(_) => 4,
            Parameter::Long(_) => 8,
            Parameter::Map(_) => 64,
        };
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        match parameter {
            Parameter::Word(word) => bytes.extend(word.to_le_bytes()),
            Parameter::Long(long) => bytes.extend(long.to_le_bytes()),
            Parameter::Map(map) => map.iter().for_each(|word| bytes.extend(word.to_le_bytes())),
        }
    }
    bytes
}

fn failed(error: MachineError) -> GpuError {
    GpuError::failed(error.to_string())
}

impl Open for Simt {
    const KIND: BackendKind = BackendKind::Simt;
    const WAITS_FOR: Option<&'static str> = None;

    fn open_first() -> Result<Self, GpuError> {
        Ok(Self::new(Options {
            check: true,
            cache_bytes: Some(A100_L2),
            ..Options::default()
        }))
    }

    fn stands() -> BackendState {
        BackendState {
            backend: BackendKind::Simt,
            ready: true,
            device: "on this CPU".to_owned(),
            line: "executes the kernels' sm_80 PTX on this CPU; counts, no times".to_owned(),
            lacks: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Driver for Simt {
    fn target(&self) -> &Target {
        &self.target
    }

    fn describe(&self) -> String {
        "SIMT machine (sm_80 PTX on this CPU; counts, no times)".to_owned()
    }

    fn free_memory(&mut self) -> Option<u64> {
        None
    }

    fn load(&mut self, unit: &CompileUnit, _shared: u32) -> Result<Function, GpuError> {
        if let Some(function) = self.by_unit.get(unit) {
            return Ok(*function);
        }
        let text = self.text(unit)?;
        let function = self.add(unit.entry, &text)?;
        self.by_unit.insert(unit.clone(), function);
        Ok(function)
    }

    fn assembly(&mut self, unit: &CompileUnit) -> Result<String, GpuError> {
        self.text(unit)
    }

    fn load_assembly(&mut self, entry: &str, text: &str, _: u32) -> Result<Function, GpuError> {
        self.add(entry, text)
    }

    fn traffic(&mut self) -> Option<Traffic> {
        let fresh = Traffic {
            compulsory: Some(0),
            ..Traffic::default()
        };
        Some(std::mem::replace(&mut self.traffic, fresh))
    }

    fn look_for_races(&mut self, look: bool) {
        self.machine.set_check(look);
    }

    fn estimate_behind(&mut self, bytes: Option<u64>) {
        self.machine.set_cache(bytes.unwrap_or(A100_L2));
    }

    fn told(&mut self) -> Option<String> {
        let (lanes, seconds) = std::mem::take(&mut self.worked);
        let races = match self.machine.options().check {
            true => "races looked for",
            false => "races not looked for (--no-races)",
        };
        (lanes > 0 && seconds > 0.0).then(|| {
            format!(
                "the machine executed {:.2} G lane instructions in {seconds:.2} s, {:.2} G per second; everything counted, {races}",
                lanes as f64 / 1e9,
                lanes as f64 / seconds / 1e9
            )
        })
    }

    fn facts(&self, function: Function) -> KernelFacts {
        let loaded = self.functions.get(function.0 as usize);
        let shared = loaded.and_then(|l| l.program.static_shared(&l.entry));
        KernelFacts {
            shared: shared.unwrap_or(0),
            max_threads: 1024,
            ..KernelFacts::default()
        }
    }

    fn resident_blocks(&mut self, _: Function, _: u32, _: u32) -> Result<u32, GpuError> {
        // Registers are ptxas's to give; one block is what every GPU keeps.
        Ok(1)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<Memory, GpuError> {
        let address = self
            .machine
            .alloc(name, bytes)
            .map_err(|e| GpuError::new(GpuErrorKind::OutOfMemory, e.to_string()))?;
        self.memory.push(Some((address, bytes)));
        Ok(Memory(self.memory.len() as u32 - 1))
    }

    fn free(&mut self, memory: Memory) {
        let block = self
            .memory
            .get_mut(memory.0 as usize)
            .and_then(Option::take);
        if let Some((address, _)) = block {
            self.machine.free(address);
        }
    }

    fn address(&self, memory: Memory) -> u64 {
        let block = self.memory.get(memory.0 as usize).copied().flatten();
        block.map_or(0, |(address, _)| address)
    }

    fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let (address, _) = self.range(memory, offset)?;
        self.machine.write(address, bytes).map_err(failed)
    }

    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError> {
        let (address, _) = self.range(memory, offset)?;
        self.machine.read(address, bytes).map_err(failed)
    }

    /// Zeros are written; any other byte is poison, and reading it a finding.
    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
        let (address, bytes) = self.range(memory, 0)?;
        if byte == 0 {
            self.machine.fill(address, bytes, byte).map_err(failed)
        } else {
            self.machine.poison(address, bytes, byte).map_err(failed)
        }
    }

    fn tensor_map(&mut self, _: u64, _: &TensorMap) -> Result<[u64; 16], GpuError> {
        Err(GpuError::missing(
            "the SIMT machine has no bulk tensor copies; its plans are those of sm_80",
        ))
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        self.launch_until(call, &|| false)
    }

    fn launch_until(
        &mut self,
        call: &Call<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), GpuError> {
        let call = Recorded {
            function: call.function,
            grid: call.grid,
            threads: call.threads,
            shared: call.shared,
            cooperative: call.cooperative,
            parameters: call.parameters.to_vec(),
        };
        match &mut self.recording {
            Some(recording) => {
                recording.push(call);
                Ok(())
            }
            None => self.execute(&call, stop),
        }
    }

    fn library_gemm(&mut self, _: &GemmCall) -> Result<u32, GpuError> {
        Err(GpuError::missing(
            "the SIMT machine has no library; --gemm own runs the kernels of this program",
        ))
    }

    fn synchronize(&mut self) -> Result<(), GpuError> {
        Ok(())
    }

    fn has_clock(&self) -> bool {
        false
    }

    fn mark(&mut self) -> Result<Option<Mark>, GpuError> {
        Ok(None)
    }

    fn elapsed_us(&mut self, _: Mark, _: Mark) -> Result<f64, GpuError> {
        Err(GpuError::missing("the SIMT machine has no clock"))
    }

    fn begin_graph(&mut self) -> Result<(), GpuError> {
        self.recording = Some(Vec::new());
        Ok(())
    }

    fn end_graph(&mut self) -> Result<GraphId, GpuError> {
        self.graphs.push(self.recording.take().unwrap_or_default());
        Ok(GraphId(self.graphs.len() as u32 - 1))
    }

    fn replay(&mut self, graph: GraphId) -> Result<(), GpuError> {
        let calls = self.graphs.get_mut(graph.0 as usize).map(std::mem::take);
        let calls = calls.ok_or_else(|| GpuError::failed("a graph that was not recorded"))?;
        let ran = calls
            .iter()
            .try_for_each(|call| self.execute(call, &|| false));
        if let Some(place) = self.graphs.get_mut(graph.0 as usize) {
            *place = calls;
        }
        ran
    }
}

#[cfg(test)]
mod tests;

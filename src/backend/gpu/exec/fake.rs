//! A device for tests: memory is a list of byte strings, kernels are loops in
//! this process that read their arguments as the kernels of `kernels/` do. It
//! records every call, checks every access, and can be told to go wrong.

mod kernels;
mod memory;

use crate::gpu::devices::Open;
use crate::gpu::driver::{
    Call, Driver, Function, GemmCall, GpuError, GpuErrorKind, GraphId, KernelFacts, Mark, Memory,
};
use crate::gpu::program::{Target, TensorMap};
use crate::gpu::source::CompileUnit;
use kernels::Args;
use memory::Space;
use plan::cost::Vendor;
use plan::run::{BackendKind, BackendState};

/// What the fake does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// The kernel of this entry leaves its last element unwritten.
    Short(&'static str),
    /// The kernel of this entry is lost in its second launch.
    Lost(&'static str),
    /// There is no memory beyond so many bytes.
    Full(u64),
    /// There is no clock.
    NoClock,
    /// No block fits on a multiprocessor.
    NoRoom,
}

/// A recorded launch or library call, to be run when a graph is replayed.
#[derive(Debug, Clone)]
enum Done {
    Launch(Function, [u32; 3], Vec<u64>),
    Gemm(GemmCall),
}

pub(crate) struct Fake {
    target: Target,
    space: Space,
    units: Vec<CompileUnit>,
    pub fault: Fault,
    /// Entries in the order of launching, a library's product as `library`.
    pub log: Vec<String>,
    recording: Option<Vec<Done>>,
    graphs: Vec<Vec<Done>>,
    marks: u32,
    failed: Option<String>,
}

impl Fake {
    pub fn new(arch: &str) -> Self {
        let (vendor, warp, shared) = match arch.starts_with("gfx") {
            true => (Vendor::Amd, 64, 64 << 10),
            false => (Vendor::Nvidia, 32, 160 << 10),
        };
        Self {
            target: Target {
                vendor,
                arch: arch.to_owned(),
                warp,
                sms: 4,
                shared_per_block: shared,
            },
            space: Space::default(),
            units: Vec::new(),
            fault: Fault::None,
            log: Vec::new(),
            recording: None,
            graphs: Vec::new(),
            marks: 0,
            failed: None,
        }
    }

    /// Bytes that are held.
    pub fn held(&self) -> u64 {
        self.space.held()
    }

    /// How many graphs were recorded.
    pub fn graphs(&self) -> usize {
        self.graphs.len()
    }

    fn run(&mut self, done: Done) {
        match done {
            Done::Gemm(gemm) => {
                self.log.push("library".to_owned());
                kernels::library(&mut self.space, &gemm);
            }
            Done::Launch(function, _grid, words) => {
                let unit = self.units[function.0 as usize].clone();
                let before = self.log.iter().filter(|e| *e == unit.entry).count();
                self.log.push(unit.entry.to_owned());
                if self.fault == Fault::Lost(unit.entry) && before == 1 {
                    self.failed = Some("an illegal memory access".to_owned());
                    return;
                }
                self.space.spare_last = self.fault == Fault::Short(unit.entry);
                kernels::run(&mut self.space, &unit, &mut Args::new(&words));
            }
        }
        if let Some(fault) = self.space.fault.take() {
            self.failed = Some(fault);
        }
    }

    fn hand_in(&mut self, done: Done) {
        match &mut self.recording {
            Some(recording) => recording.push(done),
            None => self.run(done),
        }
    }
}

impl Open for Fake {
    const KIND: BackendKind = BackendKind::Cuda;
    const WAITS_FOR: Option<&'static str> = None;

    fn open_first() -> Result<Self, GpuError> {
        Ok(Self::new("sm_80"))
    }

    fn stands() -> BackendState {
        BackendState::none(Self::KIND, "a device for tests")
    }
}

impl Driver for Fake {
    fn target(&self) -> &Target {
        &self.target
    }

    fn describe(&self) -> String {
        "a device for tests".to_owned()
    }

    fn free_memory(&mut self) -> Option<u64> {
        None
    }

    fn load(&mut self, unit: &CompileUnit, _shared: u32) -> Result<Function, GpuError> {
        let at = self.units.iter().position(|u| u == unit);
        let at = at.unwrap_or_else(|| {
            self.units.push(unit.clone());
            self.units.len() - 1
        });
        Ok(Function(at as u32))
    }

    fn facts(&self, _: Function) -> KernelFacts {
        KernelFacts::default()
    }

    fn resident_blocks(&mut self, _: Function, _: u32, _: u32) -> Result<u32, GpuError> {
        Ok(if self.fault == Fault::NoRoom { 0 } else { 2 })
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<Memory, GpuError> {
        if let Fault::Full(most) = self.fault
            && self.held() + bytes > most
        {
            return Err(GpuError::new(
                GpuErrorKind::OutOfMemory,
                format!("no memory for {name}"),
            ));
        }
        Ok(self.space.alloc(name, bytes))
    }

    fn free(&mut self, memory: Memory) {
        self.space.free(memory);
    }

    fn address(&self, memory: Memory) -> u64 {
        Space::address(memory)
    }

    fn upload(&mut self, memory: Memory, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
        assert!(self.recording.is_none(), "no copies while recording");
        let into = &mut self.space.bytes(memory)[offset as usize..][..bytes.len()];
        into.copy_from_slice(bytes);
        Ok(())
    }

    fn download(&mut self, memory: Memory, offset: u64, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.synchronize()?;
        bytes.copy_from_slice(&self.space.bytes(memory)[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn fill(&mut self, memory: Memory, byte: u8) -> Result<(), GpuError> {
        self.space.bytes(memory).fill(byte);
        Ok(())
    }

    fn tensor_map(&mut self, address: u64, map: &TensorMap) -> Result<[u64; 16], GpuError> {
        let mut words = [0; 16];
        (words[0], words[1], words[2]) = (address + map.offset, map.rows, map.columns);
        Ok(words)
    }

    fn launch(&mut self, call: &Call<'_>) -> Result<(), GpuError> {
        let words = Args::words(call.parameters);
        self.hand_in(Done::Launch(call.function, call.grid, words));
        Ok(())
    }

    fn library_gemm(&mut self, gemm: &GemmCall) -> Result<u32, GpuError> {
        self.hand_in(Done::Gemm(*gemm));
        Ok(1)
    }

    fn synchronize(&mut self) -> Result<(), GpuError> {
        match &self.failed {
            Some(why) => Err(GpuError::failed(why)),
            None => Ok(()),
        }
    }

    fn mark(&mut self) -> Result<Option<Mark>, GpuError> {
        self.marks += 1;
        Ok((self.fault != Fault::NoClock).then_some(Mark(self.marks)))
    }

    fn elapsed_us(&mut self, from: Mark, to: Mark) -> Result<f64, GpuError> {
        Ok(f64::from(to.0 - from.0) * 10.0)
    }

    fn begin_graph(&mut self) -> Result<(), GpuError> {
        self.recording = Some(Vec::new());
        Ok(())
    }

    fn end_graph(&mut self) -> Result<GraphId, GpuError> {
        let recorded = self.recording.take().unwrap();
        self.graphs.push(recorded);
        Ok(GraphId(self.graphs.len() as u32 - 1))
    }

    fn replay(&mut self, graph: GraphId) -> Result<(), GpuError> {
        for done in self.graphs[graph.0 as usize].clone() {
            self.run(done);
        }
        Ok(())
    }
}

//! A decoded PTX text: kernels as instructions with handlers, ready to run.

use std::sync::atomic::{AtomicU64, Ordering};

use super::exec::Inst;
use super::exec::turn::FULL;
use super::ptx::{self, Place, PlaceId, PtxError};

/// No block: a branch whose lanes never meet again.
pub(crate) const NEVER: u32 = u32::MAX;

/// Kernels decoded from one PTX text. Decode once, launch often.
#[derive(Debug)]
pub struct Program {
    pub(crate) kernels: Vec<Kernel>,
    /// Initialised and zeroed variables of the module.
    pub(crate) globals: Vec<GlobalVariable>,
    pub(crate) places: Vec<Place>,
    pub(crate) files: Vec<(u32, String)>,
    /// Tells programs apart, so that each has its variables once per machine.
    pub(crate) id: u64,
}

#[derive(Debug)]
pub(crate) struct GlobalVariable {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// How a basic block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Jump(u32),
    Branch {
        pred: u32,
        negated: bool,
        taken: u32,
        other: u32,
        /// The immediate post-dominator.
        join: u32,
        /// A guard on one instruction, which hardware predicates: no divergence.
        predicated: bool,
        at: u32,
    },
    /// Operands are constants or uniform registers: rows.
    Barrier {
        id: u32,
        threads: Option<u32>,
        wait: bool,
        next: u32,
        at: u32,
    },
    /// Let other warps run.
    Yield(u32),
    /// The instruction talks to other blocks (atomics, acquire, volatile).
    Communicate {
        inst: u32,
        next: u32,
    },
    Exit,
    Trap {
        at: u32,
    },
}

/// Instructions that are executed together, and what follows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub start: u32,
    pub end: u32,
    /// PTX instructions of the text, including those that cost no handler.
    pub end_kind: End,
    /// The last PTX instruction of it: a loop may hold nothing but its branch.
    pub last: u32,
}

/// A row that is filled before execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Bits32(u32),
    Bits64(u64),
    /// Bytes of the parameters at `offset`; `wide` fills a 64-bit register.
    Param {
        offset: u32,
        bytes: u32,
        signed: bool,
        wide: bool,
    },
    Special {
        which: Special,
        wide: bool,
    },
    /// Address of a variable of the module.
    Global {
        variable: u32,
        offset: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Thread(u8),
    Block(u8),
    BlockSize(u8),
    GridSize(u8),
    Lane,
    Warp,
    Warps,
    LaneMask(LaneMask),
    DynamicShared,
    TotalShared,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LaneMask {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl LaneMask {
    pub fn of(self, lane: u32) -> u32 {
        let below = (1_u32 << lane) - 1;
        match self {
            LaneMask::Equal => 1 << lane,
            LaneMask::Less => below,
            LaneMask::LessEqual => below | 1 << lane,
            LaneMask::Greater => FULL & !(below | 1 << lane),
            LaneMask::GreaterEqual => FULL & !below,
        }
    }
}

/// Classes in which instructions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Integer arithmetic, logic, shifts.
    #[default]
    Integer,
    /// fp32 arithmetic.
    Single,
    /// fp64 arithmetic.
    Double,
    /// Approximate functions, division, square root.
    Special,
    /// Conversions.
    Convert,
    /// Moves, selections, packing.
    Move,
    /// Comparisons and predicate logic.
    Compare,
    /// Branches, returns, calls.
    Control,
    /// Loads of global, const and generic memory.
    GlobalLoad,
    /// Stores to global and generic memory.
    GlobalStore,
    /// Loads of shared memory, `ldmatrix` among them.
    SharedLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Local memory.
    Local,
    /// Copies from global to shared memory (`cp.async`).
    Copy,
    /// Atomics and reductions in memory.
    Atomic,
    /// Barriers, fences, warp synchronisation.
    Barrier,
    /// Shuffles, votes, matches.
    Exchange,
    /// `mma.sync`.
    Matrix,
}

impl Class {
    /// Every class, in the order of this list.
    pub const ALL: [Class; 18] = [
        Class::Integer,
        Class::Single,
        Class::Double,
        Class::Special,
        Class::Convert,
        Class::Move,
        Class::Compare,
        Class::Control,
        Class::GlobalLoad,
        Class::GlobalStore,
        Class::SharedLoad,
        Class::SharedStore,
        Class::Local,
        Class::Copy,
        Class::Atomic,
        Class::Barrier,
        Class::Exchange,
        Class::Matrix,
    ];
}

/// What is known about a PTX instruction apart from its execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Info {
    pub name: String,
    pub line: u32,
    pub place: PlaceId,
    pub class: Class,
    /// FLOPs of one lane.
    pub flops: u32,
    /// Bytes of one lane's access.
    pub bytes: u32,
    /// The basic block that executes it.
    pub block: u32,
}

/// One entry, decoded.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub name: String,
    pub code: Vec<Inst>,
    pub blocks: Vec<Block>,
    pub lists: Vec<u32>,
    /// One per PTX instruction; instructions that cost no handler among them.
    pub info: Vec<Info>,
    pub constants: Vec<(u32, Constant)>,
    /// Registers that may be read before they are written, as rows.
    pub cleared: Vec<u32>,
    pub rows: u32,
    pub preds: u32,
    pub param_bytes: u32,
    pub static_shared: u32,
    pub local_bytes: u32,
    pub max_threads: Option<u32>,
    /// Smallest access to shared memory in bytes: 1, 2 or 4.
    pub granule: u32,
    /// The same of global memory.
    pub global_granule: u32,
    /// Another block can see the order in which blocks run.
    pub ordered: bool,
    /// It has mbarriers: only exact clocks follow their order.
    pub exact: bool,
}

impl std::fmt::Debug for Inst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "#{} d{} a{} b{} c{} x{}",
            self.at, self.d, self.a, self.b, self.c, self.x
        )
    }
}

impl Program {
    /// Decodes every entry of a PTX text.
    ///
    /// # Errors
    /// The line, the instruction that is not supported, the way out.
    pub fn parse(text: &str) -> Result<Program, PtxError> {
        static PROGRAMS: AtomicU64 = AtomicU64::new(0);
        let module = ptx::parse(text)?;
        let mut program = super::lower::lower(&module)?;
        program.id = PROGRAMS.fetch_add(1, Ordering::Relaxed);
        Ok(program)
    }

    /// Names of the entries, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// Bytes of the parameters of `entry`.
    pub fn param_bytes(&self, entry: &str) -> Option<u32> {
        self.kernel(entry).map(|kernel| kernel.param_bytes)
    }

    /// Bytes of static shared memory of `entry`.
    pub fn static_shared(&self, entry: &str) -> Option<u32> {
        self.kernel(entry).map(|kernel| kernel.static_shared)
    }

    pub(crate) fn kernel(&self, entry: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == entry)
    }

    /// A source file's name without the folder in which it was compiled.
    pub(crate) fn file(&self, number: u32) -> &str {
        let name = self.files.iter().find(|(file, _)| *file == number);
        let name = name.map_or("", |(_, name)| name.as_str());
        match name.rsplit_once("kernels/") {
            Some((_, inside)) => inside,
            // A path of this computer's says less than the file's name.
            None if name.starts_with('/') => name.rsplit('/').next().unwrap_or(name),
            None => name,
        }
    }
}

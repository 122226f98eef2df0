//! The SIMT machine: runs the PTX of real kernels on a CPU, and says what they
//! did, what they did wrong, and on which line.
//!
//! | file | idea |
//! |---|---|
//! | `ptx` | PTX text -> statements with registers, labels and lines of source |
//! | `lower` | statements -> handlers, basic blocks, where diverging lanes meet, rows of registers |
//! | `program` | what lowering gives: a decoded kernel |
//! | `exec` | what each instruction does to the 32 lanes of a warp |
//! | `run` | a warp's turn: basic block after basic block, splitting and meeting again |
//! | `block`, `grid` | warps of a block and their barriers; blocks on threads, or in rounds where they wait for each other |
//! | `tensor` | what the copy engine of sm_90 knows of a tensor |
//! | `memory`, `watch`, `order` | global memory in slots; the shadows of shared and of global memory that find races |
//! | `causal` | vector clocks of warps and copies: what happens before what, exactly, where an order is chosen |
//! | `tally`, `cache`, `counts` | what is counted while running, and what is reported |
//! | `fault`, `finding` | what a kernel did wrong, and how it is told |
//! | `machine` | the interface: allocate, write, launch, read |
//!
//! Results and counts are the same on every run and on any number of threads.
//! Counts are no times. Where one choice had to be made, it is the strict one:
//! bytes of `cp.async` arrive as late as the program permits, and lockstep within
//! a warp orders nothing.
mod block;
mod cache;
mod causal;
mod counts;
mod exec;
mod fault;
mod finding;
mod grid;
mod lower;
mod machine;
mod memory;
mod order;
mod program;
mod ptx;
mod run;
mod tally;
mod tensor;
mod watch;

pub use counts::{
    BufferTraffic, ClassCounts, Counts, GlobalTraffic, LineWork, SharedTraffic, Work,
};
pub use finding::{
    Access, Awaited, Check, Finding, Location, Memory, Party, Polled, Problem, RaceSide, Waiter,
};
pub use machine::{Extent, LaunchRequest, Machine, MachineError, Options};
pub use memory::SECTOR;
pub use program::{Class, Program};
pub use ptx::PtxError;
pub use tensor::{Swizzle, TensorMap};

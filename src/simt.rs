//! The SIMT machine: runs the PTX of real kernels on a CPU, and says what they
//! did, what they did wrong, and on which line.
mod block;
mod counts;
mod exec;
mod fault;
mod finding;
mod grid;
mod lower;
mod machine;
mod memory;
mod program;
mod ptx;
mod run;
mod tally;
mod watch;

pub use counts::{BufferTraffic, Counts, GlobalTraffic, LineWork, SharedTraffic, Work};
pub use finding::{Access, Finding, Location, Memory, Problem, RaceSide, Waiter};
pub use machine::{Extent, LaunchRequest, Machine, MachineError, Options};
pub use program::{Class, Program};
pub use ptx::PtxError;

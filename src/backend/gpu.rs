//! What every GPU backend shares: the kernels' sources, one pure
//! lowering from a plan to a list of launches, and the trait that a driver
//! (CUDA, HIP, the SIMT machine) fills in.
//!
//! plan → [`lower`] → [`Program`] → executor → [`Driver`]
//!
//! The lowering knows no device, file or clock: it sees a [`Target`] in words
//! and gives data, so that it is tested without a GPU.

mod catalogue;
pub mod clang;
pub mod compile;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod devices;
mod driver;
pub mod eager;
pub mod exec;
#[cfg(feature = "hip")]
pub mod hip;
pub mod issued;
mod lower;
#[cfg(any(feature = "cuda", feature = "hip"))]
mod native;
mod program;
pub mod resources;
pub mod simt;
mod source;
pub mod units;

pub use catalogue::{Lacks, lacks};
pub use driver::{
    Call, Driver, Function, GemmCall, GpuError, GpuErrorKind, GraphId, KernelFacts, Mark, Memory,
    Parameter, Traffic,
};
pub use lower::{Setup, lower};
pub use program::{
    Arg, BufferId, BufferSpec, Contents, Grid, Launch, LibraryGemm, Program, Step, Target,
    TensorMap, Written,
};
pub use source::{CompileUnit, kernel_source, kernel_sources};

//! What is computed: presets, shapes, the forward as a graph of ops and tensors.
//!
//! Pure data. Sizes are 64-bit and every product is checked: a shape that no
//! machine could hold is an error with a sentence, never an overflow.

mod config;
mod error;
mod graph;
mod op;
mod preset;
pub mod random;
mod shape;
mod symbol;
mod text;
mod weight;

pub use config::Model;
pub use error::ModelError;
pub use graph::{Graph, Node, Place, Tensor, TensorId, TensorKind};
pub use op::{BLOCK_OPS, OpKind};
pub use preset::{PRESETS, Preset, preset};
pub use shape::{Dtype, Shape};
pub use symbol::{Product, Sizes, Symbol};
pub use text::{parse_hf_config, parse_toml};
pub use weight::{WeightId, WeightKind};

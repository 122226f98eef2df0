//! The PTX reader: text in, a [`Module`] of functions with their statements out.
//!
//! It reads what NVRTC writes for `sm_80` and what inline assembly adds to it:
//! scopes with registers of their own, multi-line calls, vectors, `.loc` lines
//! with their inlining. What it cannot read is a [`PtxError`] with the line.

mod error;
mod lex;
mod module;
mod parse;
mod statement;

pub use error::PtxError;
pub(crate) use module::{Function, Module, Place, PlaceId, RegId, RegKind, Space, Variable};
pub(crate) use parse::parse;
pub(crate) use statement::{Address, Base, Guard, Instruction, LabelId, Operand, Statement};

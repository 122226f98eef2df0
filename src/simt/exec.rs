//! What each instruction does to the 32 lanes of a warp.
//!
//! Every instruction is a [`Handler`]: a function made at compile time for its
//! opcode and types, and chosen once, when the kernel is decoded. Handlers
//! exist twice: for x86-64 with AVX2 and FMA, and for the baseline.

pub(crate) mod approx;
pub(crate) mod arrival;
pub(crate) mod atomic;
pub(crate) mod bits;
pub(crate) mod bulk;
pub(crate) mod convert;
pub(crate) mod copy;
pub(crate) mod element;
pub(crate) mod float;
pub(crate) mod global;
pub(crate) mod group;
pub(crate) mod int;
pub(crate) mod lanes;
pub(crate) mod local;
pub(crate) mod matrix;
pub(crate) mod pattern;
pub(crate) mod pipeline;
pub(crate) mod pred;
pub(crate) mod shared;
pub(crate) mod turn;
pub(crate) mod warp;

pub(crate) use lanes::{Isa, Op};
pub(crate) use turn::{Handler, Inst, Row, Turn};

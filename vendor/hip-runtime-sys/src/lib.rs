//! `hip-runtime-sys` 0.1.2 as `hip-sys` re-exports it, without its build script,
//! which panics where ROCm's headers are missing and links `-lamdhip64`.
//! `bindings.rs` is the published file, byte for byte. Nothing of its functions
//! is referenced, so nothing is linked; its types and constants are used.

#[rustfmt::skip]
#[allow(warnings)]
mod bindings;
pub use bindings::*;

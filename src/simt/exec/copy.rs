//! Moves.

use super::lanes::ops;

ops! {
    Move32(a: u32) -> u32 { a }
    Move64(a: u64) -> u64 { a }
    /// Into a window of the generic address space, or out of it.
    IntoWindow(a: u64, window: u64) -> u64 { a.wrapping_add(window) }
    OutOfWindow(a: u64, window: u64) -> u64 { a.wrapping_sub(window) }
}

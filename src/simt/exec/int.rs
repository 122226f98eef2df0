//! Integer arithmetic. 16-bit values live in the low half of a 32-bit lane,
//! whose upper half is not looked at.

use super::lanes::ops;

ops! {
    Add32(a: u32, b: u32) -> u32 { a.wrapping_add(b) }
    Sub32(a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
    MulLo32(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    MulHiU32(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    MulHiS32(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    MadLo32(a: u32, b: u32, c: u32) -> u32 { a.wrapping_mul(b).wrapping_add(c) }
    MadHiU32(a: u32, b: u32, c: u32) -> u32 {
        (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
    }
    MadHiS32(a: i32, b: i32, c: i32) -> i32 {
        (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
    }
    DivU32(a: u32, b: u32) -> u32 { a.checked_div(b).unwrap_or(u32::MAX) }
    DivS32(a: i32, b: i32) -> i32 { if b == 0 { -1 } else { a.wrapping_div(b) } }
    RemU32(a: u32, b: u32) -> u32 { a.checked_rem(b).unwrap_or(a) }
    RemS32(a: i32, b: i32) -> i32 { if b == 0 { a } else { a.wrapping_rem(b) } }
    MinU32(a: u32, b: u32) -> u32 { a.min(b) }
    MinS32(a: i32, b: i32) -> i32 { a.min(b) }
    MaxU32(a: u32, b: u32) -> u32 { a.max(b) }
    MaxS32(a: i32, b: i32) -> i32 { a.max(b) }
    Neg32(a: i32) -> i32 { a.wrapping_neg() }
    Abs32(a: i32) -> i32 { a.wrapping_abs() }
    /// |a − b| + c
    SadU32(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    SadS32(a: i32, b: i32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    WideU32(a: u32, b: u32) -> u64 { u64::from(a) * u64::from(b) }
    WideS32(a: i32, b: i32) -> i64 { i64::from(a) * i64::from(b) }
    MadWideU32(a: u32, b: u32, c: u64) -> u64 { (u64::from(a) * u64::from(b)).wrapping_add(c) }
    MadWideS32(a: i32, b: i32, c: i64) -> i64 { (i64::from(a) * i64::from(b)).wrapping_add(c) }
    WideU16(a: u32, b: u32) -> u32 { (a & 0xffff) * (b & 0xffff) }
    WideS16(a: u32, b: u32) -> i32 { i32::from(a as i16) * i32::from(b as i16) }

    Add64(a: u64, b: u64) -> u64 { a.wrapping_add(b) }
    Sub64(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
    MulLo64(a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
    MulHiU64(a: u64, b: u64) -> u64 { ((u128::from(a) * u128::from(b)) >> 64) as u64 }
    MulHiS64(a: i64, b: i64) -> i64 { ((i128::from(a) * i128::from(b)) >> 64) as i64 }
    MadLo64(a: u64, b: u64, c: u64) -> u64 { a.wrapping_mul(b).wrapping_add(c) }
    DivU64(a: u64, b: u64) -> u64 { a.checked_div(b).unwrap_or(u64::MAX) }
    DivS64(a: i64, b: i64) -> i64 { if b == 0 { -1 } else { a.wrapping_div(b) } }
    RemU64(a: u64, b: u64) -> u64 { a.checked_rem(b).unwrap_or(a) }
    RemS64(a: i64, b: i64) -> i64 { if b == 0 { a } else { a.wrapping_rem(b) } }
    MinU64(a: u64, b: u64) -> u64 { a.min(b) }
    MinS64(a: i64, b: i64) -> i64 { a.min(b) }
    MaxU64(a: u64, b: u64) -> u64 { a.max(b) }
    MaxS64(a: i64, b: i64) -> i64 { a.max(b) }
    Neg64(a: i64) -> i64 { a.wrapping_neg() }
    Abs64(a: i64) -> i64 { a.wrapping_abs() }

    MinU16(a: u32, b: u32) -> u32 { (a & 0xffff).min(b & 0xffff) }
    MinS16(a: u32, b: u32) -> u32 { u32::from((a as i16).min(b as i16) as u16) }
    MaxU16(a: u32, b: u32) -> u32 { (a & 0xffff).max(b & 0xffff) }
    MaxS16(a: u32, b: u32) -> u32 { u32::from((a as i16).max(b as i16) as u16) }
    DivU16(a: u32, b: u32) -> u32 { (a & 0xffff).checked_div(b & 0xffff).unwrap_or(0xffff) }
    RemU16(a: u32, b: u32) -> u32 { (a & 0xffff).checked_rem(b & 0xffff).unwrap_or(a) }
}

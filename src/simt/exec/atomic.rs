//! Atomic operations: lane after lane, lowest first.

use super::global::{self, Addresses};
use super::lanes::{Isa, handlers};
use super::local::{shared_offset, windows};
use super::shared;
use super::turn::{Handler, Inst, Turn, WARP, lanes_of};
use crate::fault::{Access, Problem};
use crate::ptx::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    U32,
    S32,
    F32,
    U64,
    S64,
    F64,
}

/// The handler of an operation in a space; `None` where PTX has none.
pub(crate) fn handler(
    (operation, width): (Operation, Width),
    space: Space,
    isa: Isa,
) -> Option<Handler> {
    use Operation as O;
    macro_rules! chosen {
        ($op:ident) => {
            match space {
                Space::Shared => in_shared::<$op>(isa),
                Space::Global => in_global::<$op>(isa),
                _ => anywhere::<$op>(isa),
            }
        };
    }
    Some(match (operation, width) {
        (O::Add, Width::U32 | Width::S32) => chosen!(Add32),
        (O::Add, Width::U64 | Width::S64) => chosen!(Add64),
        (O::Add, Width::F32) => chosen!(AddF32),
        (O::Add, Width::F64) => chosen!(AddF64),
        (O::Min, Width::U32) => chosen!(MinU32),
        (O::Min, Width::S32) => chosen!(MinS32),
        (O::Min, Width::U64) => chosen!(MinU64),
        (O::Min, Width::S64) => chosen!(MinS64),
        (O::Max, Width::U32) => chosen!(MaxU32),
        (O::Max, Width::S32) => chosen!(MaxS32),
        (O::Max, Width::U64) => chosen!(MaxU64),
        (O::Max, Width::S64) => chosen!(MaxS64),
        (O::And, Width::U32) => chosen!(And32),
        (O::Or, Width::U32) => chosen!(Or32),
        (O::Xor, Width::U32) => chosen!(Xor32),
        (O::And, Width::U64) => chosen!(And64),
        (O::Or, Width::U64) => chosen!(Or64),
        (O::Xor, Width::U64) => chosen!(Xor64),
        (O::Exchange, Width::U32 | Width::S32 | Width::F32) => chosen!(Exchange32),
        (O::Exchange, _) => chosen!(Exchange64),
        (O::CompareAndSwap, Width::U32 | Width::S32) => chosen!(Swap32),
        (O::CompareAndSwap, Width::U64 | Width::S64) => chosen!(Swap64),
        (O::Increment, Width::U32) => chosen!(Increment),
        (O::Decrement, Width::U32) => chosen!(Decrement),
        _ => return None,
    })
}

/// What an atomic puts in place of `old`. Values of 32 bits come zero-extended.
pub(crate) trait Update {
    const WIDE: bool;
    fn next(old: u64, value: u64, second: u64) -> u64;
}

macro_rules! updates {
    ($($name:ident($wide:literal, $old:ident, $value:ident, $second:ident) $body:expr;)*) => {
        $(
            pub(crate) struct $name;
            impl Update for $name {
                const WIDE: bool = $wide;
                #[inline(always)]
                fn next($old: u64, $value: u64, $second: u64) -> u64 { $body }
            }
        )*
    };
}

updates! {
    Add32(false, old, value, _s) u64::from((old as u32).wrapping_add(value as u32));
    Add64(true, old, value, _s) old.wrapping_add(value);
    AddF32(false, old, value, _s) {
        u64::from((f32::from_bits(old as u32) + f32::from_bits(value as u32)).to_bits())
    };
    AddF64(true, old, value, _s) (f64::from_bits(old) + f64::from_bits(value)).to_bits();
    MinU32(false, old, value, _s) old.min(value);
    MinS32(false, old, value, _s) u64::from((old as i32).min(value as i32) as u32);
    MinU64(true, old, value, _s) old.min(value);
    MinS64(true, old, value, _s) (old as i64).min(value as i64) as u64;
    MaxU32(false, old, value, _s) old.max(value);
    MaxS32(false, old, value, _s) u64::from((old as i32).max(value as i32) as u32);
    MaxU64(true, old, value, _s) old.max(value);
    MaxS64(true, old, value, _s) (old as i64).max(value as i64) as u64;
    And32(false, old, value, _s) old & value;
    Or32(false, old, value, _s) old | value;
    Xor32(false, old, value, _s) old ^ value;
    And64(true, old, value, _s) old & value;
    Or64(true, old, value, _s) old | value;
    Xor64(true, old, value, _s) old ^ value;
    Exchange32(false, _old, value, _s) value;
    Exchange64(true, _old, value, _s) value;
    Swap32(false, old, value, second) if old == value { second } else { old };
    Swap64(true, old, value, second) if old == value { second } else { old };
    Increment(false, old, value, _s) if old >= value { 0 } else { old + 1 };
    Decrement(false, old, value, _s) if old == 0 || old > value { value } else { old - 1 };
}

/// The values of an operand, whatever its width.
///
/// # Safety
/// `row` is a register of the width that `U` says, or no operand.
unsafe fn values<U: Update>(turn: &mut Turn<'_>, row: u32) -> [u64; WARP] {
    // SAFETY: the caller's promise; row 0 exists and stands for "no operand".
    unsafe {
        if U::WIDE {
            turn.lanes::<u64>(row)
        } else {
            turn.lanes::<u32>(row).map(u64::from)
        }
    }
}

/// # Safety
/// As for `Handler`: the destination has the width that `U` says.
unsafe fn put<U: Update>(turn: &mut Turn<'_>, row: u32, lane: usize, value: u64) {
    // SAFETY: the caller's promise; lanes are below 32.
    unsafe {
        if U::WIDE {
            turn.row::<u64>(row).add(lane).write(value);
        } else {
            turn.row::<u32>(row).add(lane).write(value as u32);
        }
    }
}

/// # Safety
/// As for `Handler`.
unsafe fn global_at<U: Update>(turn: &mut Turn<'_>, inst: &Inst, addresses: &Addresses) -> bool {
    let bytes = if U::WIDE { 8 } else { 4 };
    if global::resolve(turn, inst, addresses, bytes, Access::Atomic).is_none() {
        return false;
    }
    // SAFETY: operands of this instruction (`Handler`).
    let (value, second) = unsafe { (values::<U>(turn, inst.b), values::<U>(turn, inst.c)) };
    let memory = turn.global;
    for lane in lanes_of(turn.mask) {
        let Some(at) = memory.locate(addresses[lane]) else {
            return false;
        };
        let word = at.offset as usize / 4;
        let old = memory.update(at.buffer, word, U::WIDE, |old| {
            U::next(old, value[lane], second[lane])
        });
        // SAFETY: the destination (`Handler`).
        unsafe { put::<U>(turn, inst.d, lane, old) };
    }
    true
}

/// # Safety
/// As for `Handler`.
unsafe fn shared_at<U: Update>(turn: &mut Turn<'_>, inst: &Inst, offsets: &[u32; WARP]) -> bool {
    let bytes = if U::WIDE { 8 } else { 4 };
    if shared::resolve(turn, inst, offsets, bytes, Access::Atomic).is_none() {
        return false;
    }
    // SAFETY: operands of this instruction (`Handler`).
    let (value, second) = unsafe { (values::<U>(turn, inst.b), values::<U>(turn, inst.c)) };
    for lane in lanes_of(turn.mask) {
        let word = offsets[lane] as usize / 4;
        let Some(low) = turn.block.shared.get(word).copied() else {
            return false;
        };
        let high = if U::WIDE {
            turn.block.shared.get(word + 1).copied()
        } else {
            None
        };
        let old = u64::from(high.unwrap_or_default()) << 32 | u64::from(low);
        let next = U::next(old, value[lane], second[lane]);
        if let Some(low) = turn.block.shared.get_mut(word) {
            *low = next as u32;
        }
        if U::WIDE
            && let Some(high) = turn.block.shared.get_mut(word + 1)
        {
            *high = (next >> 32) as u32;
        }
        // SAFETY: the destination (`Handler`).
        unsafe { put::<U>(turn, inst.d, lane, old) };
    }
    true
}

/// # Safety
/// As for `Handler`.
unsafe fn global_lanes<U: Update>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on; the address has 64 bits.
    unsafe {
        let addresses = global::addresses(turn, inst);
        global_at::<U>(turn, inst, &addresses)
    }
}

/// # Safety
/// As for `Handler`.
unsafe fn shared_lanes<U: Update>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on; the address has 64 bits.
    unsafe {
        let addresses = global::addresses(turn, inst);
        shared_at::<U>(turn, inst, &addresses.map(shared::within))
    }
}

/// # Safety
/// As for `Handler`.
unsafe fn any_lanes<U: Update>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: passed on; the address has 64 bits.
    let addresses = unsafe { global::addresses(turn, inst) };
    let all = turn.mask;
    let (in_shared, in_local) = windows(all, &addresses);
    if in_local != 0 {
        let kind = Problem::Unsupported {
            what: "an atomic on a thread's own memory",
        };
        return turn.fail(inst, in_local.trailing_zeros(), kind);
    }
    turn.mask = all & !in_shared;
    // SAFETY: passed on.
    let mut going = turn.mask == 0 || unsafe { global_at::<U>(turn, inst, &addresses) };
    turn.mask = in_shared;
    if going && turn.mask != 0 {
        // SAFETY: passed on.
        going = unsafe { shared_at::<U>(turn, inst, &addresses.map(shared_offset)) };
    }
    turn.mask = all;
    going
}

handlers! {
    /// `atom.global`: d = old; a the address, b and c the values.
    fn in_global<U: Update> = global_lanes::<U>
}
handlers! {
    /// `atom.shared`
    fn in_shared<U: Update> = shared_lanes::<U>
}
handlers! {
    /// `atom` without a space.
    fn anywhere<U: Update> = any_lanes::<U>
}

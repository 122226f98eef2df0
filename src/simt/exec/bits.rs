//! Logic, shifts, bit fields. A shift by the width or more gives what shifting
//! one by one would give; it does not wrap.

use super::lanes::{handlers, ops};
use super::turn::{Inst, Turn, lanes_of};

ops! {
    And32(a: u32, b: u32) -> u32 { a & b }
    Or32(a: u32, b: u32) -> u32 { a | b }
    Xor32(a: u32, b: u32) -> u32 { a ^ b }
    Not32(a: u32) -> u32 { !a }
    /// C's `!`.
    Cnot32(a: u32) -> u32 { u32::from(a == 0) }
    And64(a: u64, b: u64) -> u64 { a & b }
    Or64(a: u64, b: u64) -> u64 { a | b }
    Xor64(a: u64, b: u64) -> u64 { a ^ b }
    Not64(a: u64) -> u64 { !a }
    Shl16(a: u32, n: u32) -> u32 { if n > 15 { 0 } else { a << n & 0xffff } }
    ShrU16(a: u32, n: u32) -> u32 { if n > 15 { 0 } else { (a & 0xffff) >> n } }
    ShrS16(a: u32, n: u32) -> u32 { u32::from((i32::from(a as i16) >> n.min(15)) as u16) }
    Shl32(a: u32, n: u32) -> u32 { if n > 31 { 0 } else { a << n } }
    ShrU32(a: u32, n: u32) -> u32 { if n > 31 { 0 } else { a >> n } }
    ShrS32(a: i32, n: u32) -> i32 { a >> n.min(31) }
    Shl64(a: u64, n: u32) -> u64 { if n > 63 { 0 } else { a << n } }
    ShrU64(a: u64, n: u32) -> u64 { if n > 63 { 0 } else { a >> n } }
    ShrS64(a: i64, n: u32) -> i64 { a >> n.min(63) }
    /// Funnel shifts: the upper word of `high:low << n`, the lower of `high:low >> n`.
    ShfLWrap(low: u32, high: u32, n: u32) -> u32 { funnel_left(low, high, n & 31) }
    ShfLClamp(low: u32, high: u32, n: u32) -> u32 { funnel_left(low, high, n.min(32)) }
    ShfRWrap(low: u32, high: u32, n: u32) -> u32 { funnel_right(low, high, n & 31) }
    ShfRClamp(low: u32, high: u32, n: u32) -> u32 { funnel_right(low, high, n.min(32)) }
    Popc32(a: u32) -> u32 { a.count_ones() }
    Popc64(a: u64) -> u32 { a.count_ones() }
    Clz32(a: u32) -> u32 { a.leading_zeros() }
    Clz64(a: u64) -> u32 { a.leading_zeros() }
    Brev32(a: u32) -> u32 { a.reverse_bits() }
    Brev64(a: u64) -> u64 { a.reverse_bits() }
    BfindU32(a: u32) -> u32 { 31_u32.wrapping_sub(a.leading_zeros()) }
    BfindS32(a: i32) -> u32 { 31_u32.wrapping_sub((a ^ (a >> 31)).leading_zeros()) }
    BfindU64(a: u64) -> u32 { 63_u32.wrapping_sub(a.leading_zeros()) }
    BfindShiftU32(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.leading_zeros() } }
    BfindShiftS32(a: i32) -> u32 {
        let a = a ^ (a >> 31);
        if a == 0 { u32::MAX } else { a.leading_zeros() }
    }
    BfeU32(a: u32, at: u32, length: u32) -> u32 { field_u64(u64::from(a), at, length) as u32 }
    BfeU64(a: u64, at: u32, length: u32) -> u64 { field_u64(a, at, length) }
    BfeS32(a: i32, at: u32, length: u32) -> i32 { field_i64(i64::from(a), at, length, 31) as i32 }
    BfeS64(a: i64, at: u32, length: u32) -> i64 { field_i64(a, at, length, 63) }
    /// The field that selects bytes: `selector` holds four nibbles.
    Prmt(a: u32, b: u32, selector: u32) -> u32 { permute_bytes(a, b, selector) }
    /// Masks for `bfi`, whose fourth operand is combined with [`Insert32`].
    FieldMask32(at: u32, length: u32) -> u32 { field_mask(at, length, 32) as u32 }
    FieldMask64(at: u32, length: u32) -> u64 { field_mask(at, length, 64) }
    /// `new` where the mask is set, `old` elsewhere.
    Insert32(new: u32, old: u32, mask: u32) -> u32 { new & mask | old & !mask }
    Insert64(new: u64, old: u64, mask: u64) -> u64 { new & mask | old & !mask }
    Dp4aU(a: u32, b: u32, c: u32) -> u32 {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        a.iter().zip(b).fold(c, |sum, (&x, y)| sum.wrapping_add(u32::from(x) * u32::from(y)))
    }
    Dp4aS(a: u32, b: u32, c: i32) -> i32 {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        a.iter().zip(b).fold(c, |sum, (&x, y)| {
            sum.wrapping_add(i32::from(x as i8) * i32::from(y as i8))
        })
    }
}

/// # Safety
/// As for `Handler`: three registers of 32 bits, the table in x.
#[inline(always)]
unsafe fn truth_table(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let table = inst.x;
    // SAFETY: the operands are registers (`Handler`).
    let (a, b, c) = unsafe {
        (
            turn.lanes::<u32>(inst.a),
            turn.lanes::<u32>(inst.b),
            turn.lanes::<u32>(inst.c),
        )
    };
    // SAFETY: as above.
    let d = unsafe { turn.row::<u32>(inst.d) };
    for lane in lanes_of(turn.mask) {
        let side = |value: u32, inverted: i32| if inverted == 0 { value } else { !value };
        // Bit `a·4 + b·2 + c` of the table is the result for that row of inputs.
        let rows = (0..8).filter(|row| table >> row & 1 != 0);
        let result = rows.fold(0, |all, row| {
            let chosen = !row;
            all | side(a[lane], chosen & 4) & side(b[lane], chosen & 2) & side(c[lane], chosen & 1)
        });
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(result) };
    }
    true
}

handlers! {
    /// `lop3`: d = the table's sum of products of a, b and c.
    pub(crate) fn lop3 = truth_table
}

#[inline(always)]
fn funnel_left(low: u32, high: u32, n: u32) -> u32 {
    (((u64::from(high) << 32 | u64::from(low)) << n) >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, n: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> n) as u32
}

#[inline(always)]
fn field_u64(a: u64, at: u32, length: u32) -> u64 {
    let (at, length) = (at & 0xff, length & 0xff);
    let shifted = if at > 63 { 0 } else { a >> at };
    if length > 63 {
        shifted
    } else {
        shifted & ((1 << length) - 1)
    }
}

/// The sign of a field that ends beyond the value is the value's own.
#[inline(always)]
fn field_i64(a: i64, at: u32, length: u32, top: u32) -> i64 {
    let (at, length) = (at & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let kept = length.min((top + 1).saturating_sub(at)).max(1);
    let shifted = a >> at.min(top);
    let spare = 64 - kept.min(64);
    (shifted << spare) >> spare
}

#[inline(always)]
fn field_mask(at: u32, length: u32, width: u32) -> u64 {
    let (at, length) = (at & 0xff, length & 0xff);
    if at >= width || length == 0 {
        return 0;
    }
    let ones = if length > 63 {
        u64::MAX
    } else {
        (1 << length) - 1
    };
    ones << at
}

#[inline(always)]
fn permute_bytes(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |slot: u32| {
        let nibble = selector >> (4 * slot) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 == 0 {
            byte
        } else {
            ((byte as i8) >> 7) as u8
        };
        u32::from(byte) << (8 * slot)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

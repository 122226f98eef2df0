use super::{PlaceId, RegId};

/// A label of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LabelId(pub u32);

/// What an address is relative to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base {
    Reg(RegId),
    Symbol(String),
    /// An absolute address.
    Zero,
}

/// `[base + offset]`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Address {
    pub base: Base,
    pub offset: i64,
    /// `[map, {x, y}]`: where in the map's tensor.
    pub coordinates: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Reg(RegId),
    /// `!%p1`
    NotReg(RegId),
    /// `%tid.x`
    Special(String),
    /// An integer literal.
    Int(i64),
    /// The bits of `0f3F800000`.
    Single(u32),
    /// The bits of `0d3FF0…`.
    Double(u64),
    Address(Address),
    /// `{%f1, %f2}`
    Vector(Vec<Operand>),
    /// `%r1|%p1`
    Pair(RegId, RegId),
    /// `_|%p1`: only the second result is wanted.
    Second(RegId),
    /// `_`: the result is not wanted.
    Sink,
    Symbol(String),
    Label(LabelId),
    /// `(retval0)` of a call.
    List(Vec<Operand>),
}

/// `@%p1` or `@!%p1`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    pub pred: RegId,
    pub negated: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The opcode with its modifiers: `ld.global.v4.f32`.
    pub name: String,
    pub guard: Option<Guard>,
    pub operands: Vec<Operand>,
    /// Line of the PTX text.
    pub line: u32,
    pub place: PlaceId,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Label(LabelId),
    Instruction(Instruction),
}

//! Instructions with handlers whose operands are still registers.

use crate::exec::Handler;
use crate::program::Constant;
use crate::ptx::{LabelId, RegId};

/// Width of a value: a row, two rows, or a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    B32,
    B64,
    Pred,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    None,
    Reg(RegId),
    Const(Constant),
}

/// The last field of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extra {
    Value(i32),
    Pred(RegId),
}

/// An instruction before its registers have rows.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub run: Handler,
    pub def: Option<RegId>,
    pub uses: [Slot; 3],
    pub extra: Extra,
    /// Listed operands: definitions, then uses. Where there are any, they take
    /// the place of `def`.
    pub list_defs: Vec<RegId>,
    pub list_uses: Vec<Slot>,
    /// The PTX instruction it comes from.
    pub info: u32,
}

/// How a basic block may end, with labels.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Branch {
        label: LabelId,
        guard: Option<(RegId, bool)>,
        predicated: bool,
    },
    Exit,
    Barrier {
        id: Slot,
        threads: Option<Slot>,
        wait: bool,
    },
    Yield,
    Communicate(Box<Draft>),
    Trap,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Label(LabelId),
    Do(Draft),
    /// A PTX instruction that needs no handler: its operand is used in place.
    Free(u32),
    End(Ending, u32),
}

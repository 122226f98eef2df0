//! What an author writes in a `trips` block.

use super::typed;
use crate::fields::{Fields, Typed};
use plan::fusion::{Cut, Fusion};
use plan::model::OpKind;

/// A stretch of a plan, and what can be flipped in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// The plan; none: the lesson's.
    pub plan: Option<Typed<Cut>>,
    /// Fusions on offer.
    pub toggles: Vec<Typed<Fusion>>,
    /// From the first kernel that holds one of these ops to the last; empty: all.
    pub ops: Vec<Typed<OpKind>>,
    /// Whole forward in place of one block?
    pub forward: bool,
}

pub(super) fn stretch(fields: &mut Fields<'_, '_>) -> Stretch {
    Stretch {
        plan: typed::cut(fields, "plan"),
        toggles: typed::fusions(fields, "toggles"),
        ops: typed::ops(fields, "ops"),
        forward: super::read::forward(fields),
    }
}

//! To be written: the launches of this family.

use super::{Group, Lowering};
use crate::backend::gpu::catalogue::Lacks;
use crate::backend::gpu::program::Launch;

/// Not there yet.
pub(super) fn embed(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn norm(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn rope(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn residual(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn residual_norm(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn elementwise(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

//! To be written: the launches of this family.

use super::{Group, Lowering};
use crate::backend::gpu::catalogue::Lacks;
use crate::backend::gpu::program::Launch;

/// Not there yet.
pub(super) fn qk(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn softmax(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn pv(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn flash(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

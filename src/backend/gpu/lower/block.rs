//! To be written: the launches of this family.

use super::{Group, Lowering};
use crate::backend::gpu::catalogue::Lacks;
use crate::backend::gpu::program::Launch;

/// Not there yet.
pub(super) fn block(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

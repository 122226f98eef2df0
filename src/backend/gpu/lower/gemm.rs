//! To be written: the launches of this family.

use super::{Group, Lowering};
use crate::backend::gpu::catalogue::Lacks;
use crate::backend::gpu::program::Launch;

/// Not there yet.
pub(super) fn product(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn product_residual(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn qkv(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// Not there yet.
pub(super) fn gate_up(_: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    Err(Lacks::new(&group.name))
}

/// The library's product in place of a kernel of ours; `None` where it cannot
/// be one (rows that do not lie one after another in the result).
pub(super) fn library(_: &mut Lowering<'_>, _: &Group<'_>) -> Option<super::LibraryGemm> {
    None
}
